// Pragmas that are nearly ours have no effect, and are warned of.

// An s too many
#pragma autotunes kernel
void f1(int n, double *x) { x[0] = n; }

// An underscore
#pragma auto_tune kernel
void f2(int n, double *x) { x[0] = n; }

// A capital letter
#pragma Autotune kernel
void f3(int n, double *x) { x[0] = n; }

// OpenMP's word before it
#pragma omp autotune kernel
void f4(int n, double *x) { x[0] = n; }

// Two letters the wrong way round
#pragma autotnue kernel
void f5(int n, double *x) { x[0] = n; }

// A colon
#pragma autotune: kernel
void f6(int n, double *x) { x[0] = n; }

// A hyphen
#pragma auto-tune kernel
void f7(int n, double *x) { x[0] = n; }

// Two words
#pragma auto tune kernel
void f8(int n, double *x) { x[0] = n; }

// No blank
#pragma autotune_kernel param(T: 1, 2)
void f9(int n, double *x) { x[0] = n; }

// A misspelled pragma
#pargma autotune kernel
void f10(int n, double *x) { x[0] = n; }

// Clang's and gcc's word before it
#pragma GCC autotune kernel
void f11(int n, double *x) { x[0] = n; }
