#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune tile sizes(8)
  for (int i = 0; i < n; i++) {
    if (a[i] < 0)
      break;
    a[i] += 1;
  }
}
