#pragma autotune kernel optional param(directives: 1, 2) param(flags: 1, 2) param(Flags: 1, 2)
void f(int n, const double *a, double *c)
{
  #pragma autotune reverse
  for (int i = 0; i < n; i++)
    c[i] = a[i] * directives * flags * Flags;
}
