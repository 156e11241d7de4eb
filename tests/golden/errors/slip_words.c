// Words that people write for others, and forms of other tools.
#pragma autotune kernel input(x[0:n])
void input(int n, double *x)
{
  x[0] = n;
}
#pragma autotune kernel rtol=1e-5
void tolerance(int n, double *x)
{
  x[0] = n;
}
#pragma autotune kernel verify(rtol=1e-5)
void equals(int n, double *x)
{
  x[0] = n;
}
#pragma autotune kernel param(T: 1 2)
void no_comma(int n, double *x)
{
  x[0] = n + T;
}
#pragma autotune kernel param(T: 1, 2) search(random, 200)
void budget(int n, double *x)
{
  x[0] = n + T;
}
#pragma autotune kernel
void jam(int n, double (*x)[100])
{
  #pragma autotune unroll_jam partial(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      x[i][j] += 1;
}
#pragma autotune kernel compiler(clang, no-such-compiler)
void made(int n, double *x)
{
  x[0] = n;
}
