#pragma autotune kernel
void f(int n, double *a)
{
  switch (n) {
    #pragma autotune unroll partial(2)
    for (int i = 0; i < n; i++) {
      case 1:
      a[i] = 0;
    }
  }
}
