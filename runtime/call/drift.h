/* SPDX-License-Identifier: Apache-2.0 */
/* drift.h: decides whether a tuned kernel has become slower. Pure: its only inputs are
 * the durations of calls and when they were taken. */
#ifndef AUTOTUNE_DRIFT_H
#define AUTOTUNE_DRIFT_H

#include <stdbool.h>

enum { DRIFT_SAMPLES = 64, DRIFT_LEAST = 8, DRIFT_BASE = 5, DRIFT_LONG = 8 };

/* Samples are collected in windows of at least LENGTH seconds and at least DRIFT_LEAST
 * samples. The first DRIFT_BASE windows establish what is normal in this process. */
struct drift {
  double recorded; /* seconds per call when the kernel was tuned; 0: not compared */
  double length;   /* of a window, in seconds */
  double base;     /* median of a normal window; 0: not known yet */
  double bases[DRIFT_BASE];
  unsigned n_bases;
  double samples[DRIFT_SAMPLES];
  unsigned n;
  unsigned stride,
      passed;   /* one of STRIDE samples is kept, so that a window of any length fits */
  double began; /* start of the window; all such times are seconds of sys_now */
  unsigned slow, fast; /* consecutive windows that were slower or faster than normal */
  double since;        /* when the first of the slow ones began */
  double ratio;        /* how much slower the last one was */
};

struct drift drift_new(double recorded, double length);
/* Adds a call of SECONDS that ended at NOW. True if DRIFT_LONG consecutive windows were
 * slower beyond noise; then D->ratio and D->since say by how much and since when. */
bool drift_add(struct drift *d, double seconds, double now);

#endif
