#pragma autotune kernel
void f(int n, double *c)
{
#ifdef A
  c[0] = n;
}
#endif
