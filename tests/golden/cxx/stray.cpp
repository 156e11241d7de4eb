// A directive in no kernel is a warning, and the kernel next to it is tuned.
void g(int n, double *x)
{
  #pragma autotune unroll partial({2, 4})
  for (int i = 0; i < n; i++)
    x[i] += 2;
}

#pragma autotune kernel inout(x[0:n])
void h(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] += 2;
}
