#define FOR(i, n) for (int i = 0; i < (n); i++)
#pragma autotune kernel
void scale(int n, double *x)
{
#pragma autotune tile sizes({4, 8})
  FOR (i, n)
    x[i] *= 2;
}
