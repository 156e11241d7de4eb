#pragma autotune kernel
void whole(int n, double *x)
{
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

void places(int n, double *x)
{
#pragma autotune kernel
  while (n > 0)
    x[--n] = 1;
#pragma autotune kernel
  x[0] = 1;
#pragma autotune kernel
#ifdef SOME
  for (int i = 0; i < n; i++)
    x[i] = 1;
#endif
#pragma autotune kernel
  for (int i = 0; i < n; i++) {
#pragma autotune kernel
    for (int j = 0; j < n; j++)
      x[j] = 1;
  }
#pragma autotune tile sizes({8, 16})
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = 1;
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = ;
#pragma autotune unroll partial({2, 4})
  x[0] = 2;
}
