#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune fuse
  {
    for (int i = 0; i < n; i++)
      a[i] = 0;
    a[0] = 1;
    for (int i = 0; i < n; i++)
      a[i] += 1;
  }
}
