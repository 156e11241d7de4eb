// SPDX-License-Identifier: Apache-2.0

double total(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  return sum;
}
