#pragma autotune kernel search(auto, until: 2%, roof 120%)
void f(int n, const double *a, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
