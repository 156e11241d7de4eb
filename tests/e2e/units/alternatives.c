// SPDX-License-Identifier: Apache-2.0
// Algorithms as a parameter, one of them before the kernel; params that the file does not define.
// plain: -DGAP=2
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

#pragma autotune alternative(sort)
static void sort_library(int n, int *v)
{
  qsort(v, (size_t)n, sizeof *v, compare);
}

#pragma autotune kernel param(GAP = 2: 2, 3) inout(v[0:n]) flags("-O2", "-O3")
void sort(int n, int *v)
{
  for (int gap = n / GAP; gap > 0; gap /= GAP)
    for (int i = gap; i < n; i++)
      for (int j = i; j >= gap && v[j - gap] > v[j]; j -= gap) {
        int t = v[j];
        v[j] = v[j - gap];
        v[j - gap] = t;
      }
  if (n > 1 && v[0] > v[1])
    exit(9);
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
      int t = v[j];
      v[j] = v[j - 1];
      v[j - 1] = t;
    }
}

#pragma autotune alternative(sort)
void sort_insertion(int n, int *v)
{
  for (int i = 1; i < n; i += GAP / GAP)
    for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
      int t = v[j];
      v[j] = v[j - 1];
      v[j - 1] = t;
    }
}

int main(void)
{
  int v[20];
  for (int i = 0; i < 20; i++)
    v[i] = i * 7 % 20;
  sort(20, v);
  printf("%d %d %d\n", v[0], v[10], v[19]);
  return 0;
}
