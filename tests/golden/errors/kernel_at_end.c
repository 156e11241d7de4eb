void f(int n) { }
#pragma autotune kernel
