// Sections that name fewer elements than the kernel writes.

// The count instead of a section
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[n])
void f1(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// The pointer's first element
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(*c)
void f2(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// One element
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0])
void f3(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// The last index instead of the length
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:n-1])
void f4(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// From one on
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[1:n])
void f5(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// One row of a matrix
#pragma autotune kernel param(T: 1, 2) in(a[0:n*n]) out(c[0:n])
void f6(int n, const double *a, double *c) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i * n + j] = a[i * n + j] + T / T; }

// An output forgotten
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:n])
void f7(int n, const double *a, double *c, double *d) { for (int i = 0; i < n; i++) c[i] = d[i] = a[i] + T / T; }

// An output declared as an input
#pragma autotune kernel param(T: 1, 2) in(a[0:n], c[0:n])
void f8(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A variable of the file forgotten
static double last;
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:n])
void f9(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = last = a[i] + T / T; }
double f9_last(void) { return last; }

// Sum that is read and written, declared as an output only
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:n])
void f10(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] += a[i] + T / T; }

// An input shorter than what is read
#pragma autotune kernel param(T: 1, 2) in(a[n]) out(c[0:n])
void f12(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }
