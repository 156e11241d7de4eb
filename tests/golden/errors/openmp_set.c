// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel param(N: 1, 2) inout(y[0:n])
void set(int n, double *y)
{
#pragma omp parallel for schedule({static, dynamic}) \
    num_threads(N)
  for (int i = 0; i < n; i++)
    y[i] += N;
}
