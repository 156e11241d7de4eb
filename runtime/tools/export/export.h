/* SPDX-License-Identifier: Apache-2.0 */
/* export.h: `autotune export`: writes results in formats of other tools. Exit statuses as
 * in db.h. */
#ifndef AUTOTUNE_EXPORT_H
#define AUTOTUNE_EXPORT_H

#include "tools/common/results.h"

/* ---- export.c -------------------------------------------------------------------- */

struct export_options {
  const char *folder, *kernel, *key, *output; /* each may be NULL */
  bool t1, t4;                                /* T1 if t1 is set, otherwise T4 */
};
int export_run(const struct export_options *o, FILE *out);

#endif
