#pragma autotune kernel
void f(int n, double *a)
{
#ifdef _OPENMP
  #pragma omp parallel for
#endif
  #pragma autotune tile sizes(8)
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
