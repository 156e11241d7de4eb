#pragma autotune kernel search(auto, budget: 5%, until: soon)
void f(int n, const double *a, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
