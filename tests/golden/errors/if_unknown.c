#pragma autotune kernel if(m > 0)
void f(int n, const double *a, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
