#pragma autotune kernel compiler(clang, g++ -O2)
void f(int n, const double *a, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
