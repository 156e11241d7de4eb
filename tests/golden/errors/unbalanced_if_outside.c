#ifdef A
#pragma autotune kernel
void f(int n, double *c)
{
  c[0] = n;
#else
void g(void)
{
#endif
}
