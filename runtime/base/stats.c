// SPDX-License-Identifier: Apache-2.0
// stats.c: the median and its confidence interval. Run times are neither normal nor
// symmetric, so no distribution is assumed: the interval comes from order statistics
// (David and Nagaraja, Order Statistics, 7.1).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

static int stats_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Returns the largest K for which [X(K), X(n+1-K)] contains the median with 95 %:
// P(Bin(n, 1/2) < K) <= 2.5 %. At least 1: fewer than six samples have no such interval,
// so their whole range is used.
static unsigned stats_rank(unsigned n) {
  double term = n < 1000 ? exp2(-(double)n) : 0, sum = term;
  if (term == 0) { // for such N the normal approximation is accurate
    double k = n / 2.0 - 0.98 * sqrt(n);
    return (unsigned)k;
  }
  unsigned k = 0;
  while (k < n && sum <= 0.025) {
    term *= (double)(n - k) / (k + 1);
    sum += term;
    k++;
  }
  return k ? k : 1;
}

struct estimate stats_median(double *samples, unsigned n) {
  struct estimate e = { .n = n };
  if (n == 0)
    return e;
  qsort(samples, n, sizeof *samples, stats_by_value);
  unsigned k = stats_rank(n);
  e.median = n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  e.low = samples[k - 1];
  e.high = samples[n - k];
  return e;
}

struct estimate stats_of(const double *samples, unsigned n) {
  struct estimate e = { 0 };
  double *sorted = n ? sys_malloc(n * sizeof *sorted) : NULL;
  if (!sorted)
    return e;
  memcpy(sorted, samples, n * sizeof *sorted);
  e = stats_median(sorted, n);
  free(sorted);
  return e;
}

struct estimate stats_scaled(struct estimate e, double factor) {
  return (struct estimate){ factor * e.median, factor * e.low, factor * e.high, e.n };
}

bool stats_precise(struct estimate e, double fraction) {
  return e.n >= 3 && e.high - e.low <= fraction * e.median;
}

bool stats_above(struct estimate e, struct estimate best) {
  return best.n > 0 && e.n > 0 && e.low > best.high;
}
