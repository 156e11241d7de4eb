#pragma autotune kernel
#pragma autotune alternative(f)
void f(int n) { }
