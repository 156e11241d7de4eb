/* SPDX-License-Identifier: Apache-2.0 */
/* export.h: `autotune export`: writes results in formats of other tools. Exit statuses as
 * in db.h. */
#ifndef AUTOTUNE_EXPORT_H
#define AUTOTUNE_EXPORT_H

#include "tools/common/results.h"

/* ---- export.c -------------------------------------------------------------------- */

struct export_options {
  const char *folder, *kernel, *key, *output; /* each may be NULL */
  bool t1;                                    /* the format T1; else T4 */
};
int export_run(const struct export_options *o, FILE *out);

#endif
