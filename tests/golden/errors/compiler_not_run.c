#pragma autotune kernel
void first(int n, double *x)
{
  x[0] = n;
}
#pragma autotune kernel compiler(clang, no-such-compiler)
void second(int n, double *x)
{
  x[0] = n;
}
