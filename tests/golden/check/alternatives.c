#pragma autotune kernel in(x[0:n]) verify(exact)
long sum(int n, const int *x)
{
  long s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}

#pragma autotune alternative(sum)
static long sum_by_halves(int count, const int *restrict y)
{
  long a = 0, b = 0;
  int i = 0;
  #pragma autotune unroll partial({2, 4}) optional
  for (i = 0; i < count / 2; i++)
    a += y[i];
  for (i = count / 2; i < count; i++)
    b += y[i];
  return a + b;
}
