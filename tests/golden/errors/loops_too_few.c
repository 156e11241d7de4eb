#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune tile sizes({8, 16}, {8, 16})
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    for (int j = 0; j < n; j++)
      a[i] += j;
  }
}
