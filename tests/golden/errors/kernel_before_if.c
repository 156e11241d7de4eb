#pragma autotune kernel
#if 1
void f(int n) { }
#endif
