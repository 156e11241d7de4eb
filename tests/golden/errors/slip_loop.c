// Arguments of loop directives: sets, names, numbers.
#pragma autotune kernel
void no_comma(int n, double (*x)[100])
{
  #pragma autotune tile sizes({8} {16})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      x[i][j] += 1;
}
#pragma autotune kernel
void brackets(int n, double (*x)[100])
{
  #pragma autotune tile sizes([8, 16], [8])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      x[i][j] += 1;
}
#pragma autotune kernel
void parentheses(int n, double (*x)[100])
{
  #pragma autotune tile sizes((8, 16), (8, 16))
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      x[i][j] += 1;
}
#pragma autotune kernel param(TILE: 8, 16)
void unknown(int n, double (*x)[100])
{
  #pragma autotune tile sizes(TILE, TILR)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      x[i][j] += 1;
}
#pragma autotune kernel
void far(int n, double *x)
{
  #pragma autotune unroll partial(zz)
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
#pragma autotune kernel
double no_colon(int n, double *x)
{
  double c = 0;
  #pragma autotune parallel for reduction(+ c) num_threads({1, 2})
  for (int i = 0; i < n; i++)
    c += x[i];
  return c;
}
#pragma autotune kernel
void no_variable(int n, double *x)
{
  #pragma autotune parallel for private(zz) num_threads({1, 2})
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
#pragma autotune kernel
void no_threads(int n, double *x)
{
  #pragma autotune parallel for num_threads({0, 2})
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
#pragma autotune kernel
void lanes(int n, double *x)
{
  #pragma autotune simd safelen(8) simdlen(16)
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
