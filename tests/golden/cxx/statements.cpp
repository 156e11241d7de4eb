// Kernels that are loops, and directives in no kernel: of C alone so far.
void f(int n, double *x)
{
  #pragma autotune kernel inout(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
  #pragma autotune unroll partial({2, 4})
  for (int i = 0; i < n; i++)
    x[i] += 2;
}
