#define ARGS(...) (__VA_ARGS__)
#pragma autotune kernel
static void scale ARGS(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}
