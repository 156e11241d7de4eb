void f(int n, double *restrict x, const int *restrict p)
{
#pragma autotune kernel
#pragma autotune reschedule sizes(4, 4)
  for (int t = 0; t < n; t++)
    for (int i = 0; i < n; i++)
      x[p[i]] += 1;
}
