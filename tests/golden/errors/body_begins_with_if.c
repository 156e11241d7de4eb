#pragma autotune kernel inout(x[0:n])
void f(int n, double *x)
{
  int i;
#pragma autotune tile sizes({4, 8})
  for (i = 0; i < n; i++)
#ifdef TWICE
    x[i] += 2;
#else
    x[i] += 1;
#endif
}
