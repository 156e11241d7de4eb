// A param that only other functions use.
namespace lab {
#pragma autotune kernel param(N: 1, 2) param(STEP: 1, 2) inout(y[0:n])
void shift(int n, double *y)
{
  double NEAR = 1; // N
  for (int i = 0; i < n; i += STEP)
    for (int j = i; j < n && j < i + STEP; j++)
      y[j] += NEAR;
}
} // namespace lab
int twice(int N)
{
  return 2 * N;
}
