#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune reverse
  for (int i = n; i < 10; i--)
    a[i] = 0;
}
