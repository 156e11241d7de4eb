#pragma autotune kernel
void f(int n, const double *a, double *c)
{
#pragma autotune parallel num_threads({1, 2})
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
