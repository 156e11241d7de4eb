// Directives without values are optional together; an order that is chosen is a value.
#pragma autotune kernel
void both(int n, double *restrict a, double *restrict b)
{
  #pragma autotune parallel for
  #pragma autotune fuse
  {
    for (int i = 0; i < n; i++)
      a[i] += 1;
    for (int i = 0; i < n; i++)
      b[i] += 1;
  }
}

#pragma autotune kernel
void any(int n, double *a)
{
  #pragma autotune interchange permutation(any)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j * n + i] += 1;
}
