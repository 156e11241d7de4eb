/* SPDX-License-Identifier: Apache-2.0 */
/* key.h: what why.c and key.c share: a kernel whose keys are reported. */
#ifndef AUTOTUNE_WHY_KEY_H
#define AUTOTUNE_WHY_KEY_H

#include "tools/common/results.h"
#include "why.h"

struct why {
  const struct why_options *o;
  struct why_options target; /* replaces O if the kernel runs on a device */
  struct store *store;
  struct listing list; /* of one file */
  uint64_t unit;       /* of the text that was seen last */
  struct asked asked;  /* the last request with that text; block NULL: there is none */
  uint64_t changing;   /* parts of the key that change from call to call */
  FILE *out;
};
/* True if P is of the machine of O. */
bool why_is_ours(const struct why_options *o, const struct problem *p);
/* True if ITEM is for the key of KEY. */
bool why_is_for(const struct listed *item, const struct problem *key);
/* Prints the values that matter. */
void why_print_values(FILE *out, const char *values);
/* Prints what would run for the key of P, and why. */
void why_print_key(const struct why *w, const struct problem *p);

#endif
