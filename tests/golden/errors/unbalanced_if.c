#pragma autotune kernel param(T: 1, 2)
void f(int n, double *c)
{
#ifdef A
  if (n > T) {
#endif
  for (int i = n; i-- > 0;)
    c[i] = 0;
#ifdef B
  }
#endif
}
#pragma autotune kernel
void h(int n, double *c)
{
#ifdef A
  for (int i = 0; i < n; i++) {
#else
  {
    for (int i = n; i-- > 0;) {
#endif
    c[i] = 0;
  }
}
