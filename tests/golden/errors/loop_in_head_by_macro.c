// A macro makes the arguments of the function: what the loop uses is not known.
#define HEAD(name) void name(int n, double *x)
HEAD(scale)
{
#pragma autotune kernel param(F: 1, 2)
  for (int i = 0; i < n; i++)
    x[i] *= F;
}
