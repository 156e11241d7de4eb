#pragma autotune kernel family(3d) out(c[0:n])
void f(int n, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = i;
}

#pragma autotune kernel family(a, b) out(c[0:n])
void g(int n, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = i;
}

#pragma autotune kernel family(a) family(b) out(c[0:n])
void h(int n, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = i;
}
