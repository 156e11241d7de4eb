#pragma autotune kernel
void f(int n, double *a)
{
  goto inside;
  #pragma autotune parallel for
  for (int i = 0; i < n; i++) {
inside:
    a[i] = 0;
  }
}
