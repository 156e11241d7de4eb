// SPDX-License-Identifier: Apache-2.0
#define STEP (2 * WIDTH)
static double half(double x)
{
  return x / HALF;
}
#pragma autotune kernel param(BLOCK: 4, 8) param(WIDTH: 1, 2) param(T: 1, 2) \
    param(HALF: 1, 2) inout(x[0:n])
static void scale(int n, double *x)
{
#pragma autotune parallel for num_threads(T)
  for (int i = 0; i < n; i += STEP)
    x[i] = half(x[i]);
}
/* Short names are parts of others: of N, of a variable, of words in comments. */
#pragma autotune kernel param(A: 1, 2) param(N: 1, 2) inout(x[0:n])
static void shift(int n, double *x)
{
  double NEAR = 1; // N and A
  for (int i = 0; i < n; i++)
    x[i] += NEAR;
}
static int other(int A, int N)
{
  return A + N;
}
int main(void)
{
  const int BLOCK = 100;
  static double x[100];
  scale(BLOCK, x);
  shift(BLOCK, x);
  return x[3] > other(1, 2);
}
