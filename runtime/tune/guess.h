/* SPDX-License-Identifier: Apache-2.0 */
/* guess.h: which points of a kernel with loop directives to try first. */
#ifndef AUTOTUNE_GUESS_H
#define AUTOTUNE_GUESS_H

#include "model/space.h"

/* The features of a point, which need no compilation. Sizes are logarithms (base 2). */
enum guess_feature {
  GUESS_THREADS,    /* number of threads, at most those of the machine */
  GUESS_TILED,      /* fraction of the tile sizes that matter */
  GUESS_TILE,       /* their mean, less 6 */
  GUESS_INNER_TILE, /* mean of each directive's last one, less 6 */
  GUESS_JAM,        /* product of the factors of an unroll_and_jam, the mean over all */
  GUESS_UNROLL,     /* likewise */
  GUESS_SIMD,       /* directives that are on */
  GUESS_INNER,      /* permutations that make another loop the innermost one */
  GUESS_DYNAMIC,    /* schedules that are not static */
  GUESS_FAST_MATH,  /* 1: -ffast-math */
  GUESS_WIDE,       /* 1: -mprefer-vector-width=512 */
  GUESS_FEATURES
};
enum { GUESSES = 3 }; /* points that a tuning tries first */
/* Sets X, of GUESS_FEATURES, for POINT. */
void guess_features(const struct space *s, const choice *point, double *x);
/* Returns the guessed logarithm (base 2) of POINT's cost: differences between points of
 * one space mean something. */
double guess_cost(const struct space *s, const choice *point);
/* Writes up to MAX points to POINTS, n_params choices each, and returns their number: the
 * best of a random sample that is the same each time, and that differ. 0: the kernel has
 * no directive with parameters. */
unsigned guess_points(const struct space *s, choice *points, unsigned max);

#endif
