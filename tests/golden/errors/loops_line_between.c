#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune tile sizes(8)
  #pragma omp simd
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
