// Sections, as people write them for n elements of c.

// Fortran's bounds
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0,n])
void f1(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// Only a name
#pragma autotune kernel param(T: 1, 2) in(a) out(c[0:n])
void f2(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// No length
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:])
void f3(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// Nothing in the brackets
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[])
void f4(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// Only a colon
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[:])
void f5(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A stride
#pragma autotune kernel param(T: 1, 2) in(a[0:n:1]) out(c[0:n])
void f6(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// Two dots
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0..n])
void f7(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A misspelled name
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(cc[0:n])
void f8(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A misspelled length
#pragma autotune kernel param(T: 1, 2) in(a[0:len]) out(c[0:length])
void f9(int length, const double *a, double *c) { for (int i = 0; i < length; i++) c[i] = a[i] + T / T; }

// A pointer by itself
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(&c[0:n])
void f10(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A number
#pragma autotune kernel param(T: 1, 2) in(a[0:n], n) out(c[0:n])
void f11(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// Const data as an output
#pragma autotune kernel param(T: 1, 2) out(a[0:n], c[0:n])
void f12(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// The same data twice
#pragma autotune kernel param(T: 1, 2) in(a[0:n], c[0:n]) out(c[0:n])
void f13(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// The tuning parameter as a length
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:T])
void f14(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// Round brackets
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c(0:n))
void f15(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// An unfinished length
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:n *])
void f16(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A length that changes a variable
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:n--])
void f17(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// The result where nothing is returned
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(return[0:n])
void f18(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// No comma
#pragma autotune kernel param(T: 1, 2) in(a[0:n] c[0:n])
void f19(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A semicolon
#pragma autotune kernel param(T: 1, 2) in(a[0:n]; c[0:n])
void f20(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A length of zero
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:0])
void f21(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A negative length
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:-1])
void f22(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// Two dimensions of one
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:n][0:n])
void f23(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A local variable
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:m])
void f24(int n, const double *a, double *c) { int m = n; for (int i = 0; i < m; i++) c[i] = a[i] + T / T; }

// A number with a fraction as a length
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:1.5])
void f25(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }

// A floating-point argument as a length
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:s])
void f26(int n, double s, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + s * T / T; }

// A pointer as a length
#pragma autotune kernel param(T: 1, 2) in(a[0:a]) out(c[0:n])
void f27(int n, const double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + T / T; }
