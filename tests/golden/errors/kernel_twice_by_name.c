#ifdef A
#pragma autotune kernel
void f(int n) { }
#else
#pragma autotune kernel
void f(int n) { n++; }
#endif
