// SPDX-License-Identifier: Apache-2.0
// directives.c: the loop directives that no lesson has, for bake_lessons.sh; lessons.c
// calls them.
#define SKEW 1

static int order(int i, int j)
{
  return i * 3 + j * SKEW % 2;
}

#pragma autotune kernel param(SKEW: 1, 3, 5) key(n) in(a[0:n*n], b[0:n*n]) out(c[0:n*n]) verify(exact)
void nests(int n, const double *a, const double *b, double *c)
{
  #pragma autotune reverse optional
  for (int i = 0; i < n; i++)
    #pragma autotune unroll partial({1, 2, 5})
    for (int j = 0; j < n; j++)
      c[i * n + j] = a[i * n + j] + order(i, j);
  #pragma autotune parallel for schedule({static, dynamic, guided}, {1, 3}) num_threads({1, 2}) optional
  #pragma autotune stripe sizes({2, 4, 7}) optional
  for (int i = 0; i < n; i++)
    #pragma autotune simd simdlen({2, 4}) optional
    for (int j = 0; j < n; j++)
      c[i * n + j] += 2 * b[i * n + j];
  #pragma autotune fuse optional
  {
    for (int i = 0; i < n; i++)
      c[i * n] -= a[i];
    for (int i = 0; i < n; i++)
      c[i * n + n - 1] -= b[i];
  }
  #pragma autotune interchange permutation(any)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[i * n + j] *= 1 + a[j * n + i];
  for (int i = 0; i < n; i++)
    #pragma autotune unroll full optional
    for (int j = 0; j < 1; j++)
      c[i * n + j] += 1;
}

#define LANES 1
#pragma autotune kernel param(LANES: 1, 2, 4, 8) key(n) in(x[0:n]) flags("", "-ffast-math")
double reduced(int n, const double *x)
{
  double s = 0;
  #pragma autotune parallel for reduction(+: s) num_threads({1, 2}) optional
  for (int k = 0; k < LANES; k++)
    for (int i = k; i < n; i += LANES)
      s += x[i];
  return s;
}
