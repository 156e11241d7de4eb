#pragma autotune unroll partial({2, 4})
void f(int n) { }
