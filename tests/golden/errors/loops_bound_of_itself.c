#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune reverse
  for (int i = 0; i < n - i; i++)
    a[i] = 0;
}
