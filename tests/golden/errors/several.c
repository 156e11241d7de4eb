#pragma autotune kernel param(X: 1, 1) in(n[0:3]) frob
void f(int n, double *c)
{
#pragma autotune tile
  for (int i = 0; i < n; i++)
    c[i] = X;
}

#pragma autotune kernel mode(never)
void g(int n);
