/* SPDX-License-Identifier: Apache-2.0 */
/* launches.h: between launches.c and mentions.c. */
#ifndef AUTOTUNE_CUDA_LAUNCHES_H
#define AUTOTUNE_CUDA_LAUNCHES_H

#include "items.h"

struct finder {
  const struct source *s;
  const struct kernel *kernels;
  unsigned n_kernels;
  struct word_set names; /* of the kernels */
  struct alias {
    struct slice name, means;
  } *aliases;
  unsigned n_aliases; /* `namespace name = means;` */
  struct launch *all;
  unsigned n;
};
/* `ns::k<float, 16>` taken apart. */
struct callee {
  struct slice name;          /* "ns::k", as written */
  struct slice last;          /* "k" */
  struct slice template_args; /* "float, 16" */
};

/* ---- launches.c ------------------------------------------------------------------ */

TSNode child_of(TSNode n, const char *type); /* the first of that type; null: none */
bool callee_of(const struct source *s, TSNode n,
               struct callee *c); /* false: N is no name */
/* The index of the annotated kernel that C names at N, as C++ looks it up; -1: none; -2:
 * that depends on a `using`. */
enum { CALLED_NONE = -1, CALLED_UNCLEAR = -2 };
int kernel_called(const struct finder *f, const struct callee *c, TSNode n);
/* That of the first that C may name, wherever it stands; -1: none. */
int kernel_meant(const struct finder *f, const struct callee *c);
/* The last word of what CALL calls: "cudaLaunchKernel" of `::cudaLaunchKernel`. */
struct slice called(const struct source *s, TSNode call);
/* Diagnoses N; MESSAGE takes the name of K. */
/* For a launch that the grammar did not understand, whose text is TEXT. */
const char *launch_unparsed_hint(struct slice text);
void launch_refuse(const struct finder *f, TSNode n, const char *hint,
                   const char *message, const struct kernel *k);

/* ---- mentions.c ------------------------------------------------------------------ */

/* Diagnoses a mention of a kernel's name that is no launch and not harmless. */
void mention_check(const struct finder *f, TSNode identifier);
/* Diagnoses launches in `#define`s, and those where the grammar has lost its way. */
void mentions_check_text(const struct finder *f);

#endif
