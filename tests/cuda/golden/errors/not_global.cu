// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
void scale(float *a, int n)
{
  for (int i = 0; i < n; i++)
    a[i] *= 2;
}
