#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune fuse looprange(2, 2)
  {
    for (int i = 0; i < n; i++)
      a[i] = 0;
    for (int i = 0; i < n; i++)
      a[i] += 1;
  }
}
