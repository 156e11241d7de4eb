/* SPDX-License-Identifier: Apache-2.0 */
/* launches.h: shared by launches.c and mentions.c. */
#ifndef AUTOTUNE_CUDA_LAUNCHES_H
#define AUTOTUNE_CUDA_LAUNCHES_H

#include "items.h"

struct finder {
  const struct source *s;
  const struct kernel *kernels;
  unsigned n_kernels;
  struct names names; /* names of the kernels */
  struct alias {
    struct slice name, means;
  } *aliases;
  unsigned n_aliases; /* `namespace name = means;` */
  struct launch *all;
  unsigned n;
};
/* The parts of `ns::k<float, 16>`. */
struct callee {
  struct slice name;          /* "ns::k", as written */
  struct slice last;          /* "k" */
  struct slice template_args; /* "float, 16" */
};

/* ---- launches.c ------------------------------------------------------------------ */

bool callee_of(const struct source *s, TSNode n,
               struct callee *c); /* false: N is no name */
/* Returns the index of the annotated kernel that C names at N, by C++'s rules of lookup;
 * -1: none; -2: it depends on a `using`. */
enum { CALLED_NONE = -1, CALLED_UNCLEAR = -2 };
int kernel_called(const struct finder *f, const struct callee *c, TSNode n);
/* Returns the index of the first kernel that C may name, in any scope; -1: none. */
int kernel_meant(const struct finder *f, const struct callee *c);
/* Returns the last word of the function that CALL calls: "cudaLaunchKernel" of
 * `::cudaLaunchKernel`. */
struct slice called(const struct source *s, TSNode call);
/* Returns the hint for a launch that the grammar did not understand; TEXT is its text. */
const char *launch_unparsed_hint(struct slice text);
/* Diagnoses N; MESSAGE takes the name of K. */
void launch_refuse(const struct finder *f, TSNode n, const char *hint,
                   const char *message, const struct kernel *k);

/* ---- mentions.c ------------------------------------------------------------------ */

/* Diagnoses a mention of a kernel's name that is neither a launch nor harmless. */
void mention_check(const struct finder *f, TSNode identifier);
/* Diagnoses launches in `#define`s, and launches in text that the grammar could not
 * parse. */
void mentions_check_text(const struct finder *f);

#endif
