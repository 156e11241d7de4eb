#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune simd
  for (int i = 0; i < n; i++) {
    if (a[i] < 0)
      return;
    a[i] += 1;
  }
}
