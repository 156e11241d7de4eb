/* SPDX-License-Identifier: Apache-2.0 */
/* roof.h: what this machine can do at most, measured; the lines of a roofline. */
#ifndef AUTOTUNE_ROOF_H
#define AUTOTUNE_ROOF_H

#include <stdbool.h>

struct roof {
  double
      flops; /* per second: multiply-adds of doubles, two each; floats: twice as many */
  double memory; /* bytes per second, from and to memory: a[i] = b[i] + s * c[i] */
  double cache;  /* the same where all is in the L2 caches */
};
/* With THREADS threads; takes about a second. False: no memory, no threads. */
bool roof_measure(unsigned threads, struct roof *out);

#endif
