// Values of loop directives.

// Sets without a comma between them
#pragma autotune kernel
void f1(int n, double *x)
{
  #pragma autotune tile sizes({8} {16})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = 1;
}

// Square brackets
#pragma autotune kernel
void f2(int n, double *x)
{
  #pragma autotune tile sizes([8, 16], [8])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = 1;
}

// Round brackets
#pragma autotune kernel
void f3(int n, double *x)
{
  #pragma autotune tile sizes((8, 16), (8, 16))
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = 1;
}

// An unknown name
#pragma autotune kernel
void f4(int n, double *x)
{
  #pragma autotune tile sizes(TILE)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// More sizes than loops
#pragma autotune kernel
void f5(int n, double *x)
{
  #pragma autotune tile sizes({8, 16}, {8, 16})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// No sizes
#pragma autotune kernel
void f6(int n, double *x)
{
  #pragma autotune tile
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// `size` for `sizes`
#pragma autotune kernel
void f7(int n, double *x)
{
  #pragma autotune tile size({8, 16})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A size of zero
#pragma autotune kernel
void f8(int n, double *x)
{
  #pragma autotune tile sizes({0, 16})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A negative factor
#pragma autotune kernel
void f9(int n, double *x)
{
  #pragma autotune unroll partial({-2, 4})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// An empty set
#pragma autotune kernel
void f10(int n, double *x)
{
  #pragma autotune unroll partial({})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A hole in a set
#pragma autotune kernel
void f11(int n, double *x)
{
  #pragma autotune unroll partial({2,,4})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A value twice
#pragma autotune kernel
void f12(int n, double *x)
{
  #pragma autotune unroll partial({2, 4, 2})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A brace that is not closed
#pragma autotune kernel
void f13(int n, double *x)
{
  #pragma autotune unroll partial({2, 4)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A factor without `partial`
#pragma autotune kernel
void f14(int n, double *x)
{
  #pragma autotune unroll(4)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A factor after a blank
#pragma autotune kernel
void f15(int n, double *x)
{
  #pragma autotune unroll 4
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A number with a fraction
#pragma autotune kernel
void f16(int n, double *x)
{
  #pragma autotune unroll partial({1.5, 2})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A string
#pragma autotune kernel
void f17(int n, double *x)
{
  #pragma autotune unroll partial({"2", "4"})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// Both full and partial
#pragma autotune kernel
void f18(int n, double *x)
{
  #pragma autotune unroll full partial(4)
  for (int i = 0; i < 8; i++)
    x[i] = n;
}

// `unroll_jam`
#pragma autotune kernel
void f19(int n, double *x)
{
  #pragma autotune unroll_jam partial({2, 4})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = 1;
}

// A permutation with a loop twice
#pragma autotune kernel
void f20(int n, double *x)
{
  #pragma autotune interchange permutation(1, 1)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = 1;
}

// A permutation that counts from zero
#pragma autotune kernel
void f21(int n, double *x)
{
  #pragma autotune interchange permutation(1, 0)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = 1;
}

// A permutation of names
#pragma autotune kernel
void f22(int n, double *x)
{
  #pragma autotune interchange permutation(j, i)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = 1;
}

// A range that is empty
#pragma autotune kernel
void f24(int n, double *x)
{
  #pragma autotune unroll partial({8..2})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A misspelled directive
#pragma autotune kernel
void f25(int n, double *x)
{
  #pragma autotune unrol partial({2, 4})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A directive of another compiler
#pragma autotune kernel
void f26(int n, double *x)
{
  #pragma autotune vectorize
  for (int i = 0; i < n; i++)
    x[i] = 1;
}
