#pragma autotune kernel
void f(int n, double *c)
{
#ifdef _OPENMP
  for (int i = 0; i < n; i++) {
#else
  for (int i = n; i-- > 0;) {
#endif
    c[i] = 0;
  }
}
