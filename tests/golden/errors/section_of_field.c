// SPDX-License-Identifier: Apache-2.0
typedef struct {
  double re, im;
} complex_number;
#pragma autotune kernel flags("", "-O1") in(x[n > 3 ? 1 : 0].re) out(y[0:n].re)
void field(int n, const complex_number *x, complex_number *y)
{
  for (int i = 0; i < n; i++)
    y[i].re = n;
}
#pragma autotune kernel flags("", "-O1") inout(y[0:n] + 1)
void sum(int n, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] += n;
}
