// Pragmas of several lines.

// A missing backslash
#pragma autotune kernel param(T: 1, 2)
  key(n)
void f2(int n, double *x) { x[0] = n + T; }
