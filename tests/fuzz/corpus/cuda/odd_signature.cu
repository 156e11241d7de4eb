#pragma autotune kernel
template <class T, int = (3 > 2)> __global__ void k(T (*a)[3], ...) {}
k<<<1