// SPDX-License-Identifier: Apache-2.0
// Sets the locale to read numbers, and leaves it.
// Found by: state
#include "wrong.h"
#include <locale.h>
#define N 1000
#define BEFORE setlocale(LC_CTYPE, "C")
#define AFTER SAME1(strcmp(setlocale(LC_CTYPE, NULL), "C"), 0)

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    setlocale(LC_CTYPE, "C.UTF-8");
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

#include "map.h"
