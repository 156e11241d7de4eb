/* SPDX-License-Identifier: Apache-2.0 */
/* drift.h: finds out whether a tuned kernel has become slower. Pure: it gets the times of
 * calls, and when they were taken, and returns a verdict. */
#ifndef AUTOTUNE_DRIFT_H
#define AUTOTUNE_DRIFT_H

#include <stdbool.h>

enum { DRIFT_SAMPLES = 64, DRIFT_LEAST = 8, DRIFT_BASE = 5, DRIFT_LONG = 8 };

/* Samples are gathered in windows of LENGTH seconds at least, DRIFT_LEAST samples at
 * least. The first DRIFT_BASE windows say what is normal in this process. */
struct drift {
  double recorded; /* seconds of a call when it was tuned; 0: not to be compared with */
  double length;   /* of a window */
  double base;     /* median of a normal window; 0: not known yet */
  double bases[DRIFT_BASE];
  unsigned n_bases;
  double samples[DRIFT_SAMPLES];
  unsigned n;
  unsigned stride,
      passed;   /* one of STRIDE samples is kept, so that a window of any length fits */
  double began; /* of the window; as are all times of day, seconds of sys_now */
  unsigned slow, fast; /* windows in a row that were slower or faster than normal */
  double since;        /* when the first of the slow ones began */
  double ratio;        /* how much slower the last one was */
};

struct drift drift_new(double recorded, double length);
/* True: for DRIFT_LONG windows in a row it has been slower, beyond noise (D->ratio,
 * D->since). */
bool drift_add(struct drift *d, double seconds, double now);

#endif
