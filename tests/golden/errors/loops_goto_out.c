#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    if (a[i] < 0)
      goto done;
done:
  a[0] = 0;
}
