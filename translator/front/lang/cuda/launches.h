/* SPDX-License-Identifier: Apache-2.0 */
/* launches.h: shared by launches.c, mentions.c and pointers.c. */
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
  struct rewrite *rewrites; /* of pointers.c */
  unsigned n_rewrites;
  struct names alias_macros; /* macros that mean nothing but a kernel */
  bool by_pointer;           /* a launch through a pointer or in a macro is rewritten */
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
/* True if N is in a function of the device. */
bool launch_on_device(const struct source *s, TSNode n);
/* Returns the hint for a launch that the grammar did not understand; TEXT is its text. */
const char *launch_unparsed_hint(struct slice text);
/* Diagnoses N; MESSAGE takes the name of K. */
void launch_refuse(const struct finder *f, TSNode n, const char *hint,
                   const char *message, const struct kernel *k);

/* ---- mentions.c ------------------------------------------------------------------ */

/* Diagnoses a mention of a kernel's name that is neither a launch nor harmless. */
void mention_check(struct finder *f, TSNode identifier);
/* Diagnoses launches in `#define`s, and launches in text that the grammar could not
 * parse. */
void mentions_check_text(struct finder *f);

/* ---- pointers.c ------------------------------------------------------------------ */

/* Makes the address of K known where C mentions it. False: it cannot be, because the
 * template arguments are not all written. */
bool pointers_address(struct finder *f, const struct kernel *k, const struct callee *c);
/* Rewrites the launch whose callee begins at NAME and ends with WORD. KERNEL: the
 * annotated kernel that it names; -1: it is a pointer. The text ends at END. False: it
 * cannot be. */
bool pointers_launch(struct finder *f, const char *name, struct slice word, int kernel,
                     const char *end);
/* Rewrites WORD, cudaLaunchKernel or cudaLaunchKernelEx. */
void pointers_runtime(struct finder *f, struct slice word);
/* Rewrites launches through pointers, if the address of an annotated kernel is taken. */
void pointers_find(struct finder *f);

#endif
