// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel flags("", "-O1") inout(x[0:n])
void scale(n, x, by)
int n;
float *x, by;
{
  for (int i = 0; i < n; i++)
    x[i] *= by;
}
