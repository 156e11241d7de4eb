// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel
void g(int n, double *c)
{
#ifdef _OPENMP
#pragma autotune tile sizes({8, 16})
  for (int i = 0; i < n; i++) {
#else
  for (int i = n; i-- > 0;) {
#endif
    c[i] = 0;
  }
}
