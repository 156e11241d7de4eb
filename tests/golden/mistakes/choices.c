// Kernels with nothing to choose from.

// Nothing to tune
#pragma autotune kernel
void f12(int n, double *x) { x[0] = n; }

// One value
#pragma autotune kernel param(T: 4)
void f13(int n, double *x) { x[0] = n + T; }
