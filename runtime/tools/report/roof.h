/* SPDX-License-Identifier: Apache-2.0 */
/* roof.h: measures the limits of this machine: the lines of a roofline. */
#ifndef AUTOTUNE_ROOF_H
#define AUTOTUNE_ROOF_H

#include <stdbool.h>

struct roof {
  double flops;  /* per second: multiply-adds of doubles, counted as two each; floats:
                    twice as many */
  double memory; /* bytes per second, from and to memory: a[i] = b[i] + s * c[i] */
  double cache;  /* the same with all data in the L2 caches */
};
/* Measures with THREADS threads; takes about a second. False: no memory, no threads. */
bool roof_measure(unsigned threads, struct roof *out);

#endif
