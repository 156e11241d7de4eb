/* SPDX-License-Identifier: Apache-2.0 */
/* covered.h: what was compared when variants were checked, as a line for people. */
#ifndef AUTOTUNE_COVERED_H
#define AUTOTUNE_COVERED_H

#include "base/base.h"

enum { COVERED_SECTIONS = 8 /* that the line names; of others only the number */ };
struct coverage {
  const struct autotune_kernel *kernel;
  size_t bytes[COVERED_SECTIONS]; /* of the first sections; 0: empty in this call */
  const char *rest;               /* other memory: "memory besides sections" */
  bool watched;                   /* REST was compared */
  size_t looked;                  /* bytes of it that were looked at; 0: not known */
  size_t restless;      /* bytes of it that differ between runs of the default */
  bool state;           /* the state that a call leaves was compared */
  const char *left_out; /* what of REST was not compared; NULL: nothing */
};
/* Writes "compared: …; not compared: …" into TEXT. */
void covered_text(const struct coverage *c, char *text, size_t size);

#endif
