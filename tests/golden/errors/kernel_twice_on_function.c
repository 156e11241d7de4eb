#pragma autotune kernel
#pragma autotune kernel
void f(int n) { }
