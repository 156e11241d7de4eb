#pragma autotune kernel
template <