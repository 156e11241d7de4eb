/* SPDX-License-Identifier: Apache-2.0 */
/* weak.h: data that say little. If all floating-point numbers that a call only reads are
 * degenerate, or else all its outputs, wrong variants may look right. */
#ifndef AUTOTUNE_WEAK_H
#define AUTOTUNE_WEAK_H

#include <stdbool.h>
#include <stddef.h>

/* The first ones say least. */
enum weak { WEAK_ZERO, WEAK_EQUAL, WEAK_SAME /* as before the call */, WEAK_NOT };
/* A section, or another piece of memory of the call. */
struct weak_look {
  const char *name;
  bool reads;  /* floating-point numbers that are only read: INPUT counts */
  bool writes; /* it is compared: OUTPUT counts */
  enum weak input, output;
};
/* Writes why the data of a call with these N looks say little: "the input x[0:n] holds
 * only zeros"; "": they do not. What is written as well as read may only be begun there,
 * so it is no input. */
void weak_tell(const struct weak_look *looks, unsigned n, char *text, size_t size);

#endif
