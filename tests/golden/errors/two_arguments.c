#pragma autotune kernel
void f(int n, const double *a, double *c)
{
#pragma autotune parallel for num_threads(2, 4)
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
