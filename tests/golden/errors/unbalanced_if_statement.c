// SPDX-License-Identifier: Apache-2.0
void k(int n, double *c)
{
#ifdef _OPENMP
#pragma autotune kernel inout(c[0:n])
  for (int i = 0; i < n; i++) {
#else
  for (int i = n; i-- > 0;) {
#endif
    c[i] = 0;
  }
}
