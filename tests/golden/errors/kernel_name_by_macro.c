#define KERNEL(name) static void name
#pragma autotune kernel
KERNEL(scale)(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}
