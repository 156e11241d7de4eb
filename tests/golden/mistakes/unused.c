// A parameter that makes no difference.

// Never used
#pragma autotune kernel param(T: 1, 2)
void f20(int n, double *x) { x[0] = n; }
