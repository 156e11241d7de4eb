// SPDX-License-Identifier: Apache-2.0
static
#pragma autotune kernel param(B: 4, 8) inout(x[0:n])
void f(int n, double *x)
{
  for (int i = 0; i < n; i += B)
    x[i] += 1;
}
