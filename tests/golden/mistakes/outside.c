// A loop directive belongs to no loop.

// Loop directive outside of functions
#pragma autotune unroll partial({2, 4})
void f6(int n, double *x) { x[0] = n; }
