#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune unroll_and_jam partial({2, 4})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i] += a[j];
      j++;
    }
}
