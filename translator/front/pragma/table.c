// SPDX-License-Identifier: Apache-2.0
// table.c: which directives there are, and which clauses each of them takes.
#include <string.h>

#include "pragma.h"

#define D(kind) (1u << (kind))
#define PARALLEL (D(DIR_PARALLEL_FOR) | D(DIR_PARALLEL_FOR_SIMD) | D(DIR_PARALLEL_LOOP))
#define WORKSHARE \
  (D(DIR_PARALLEL_FOR) | D(DIR_PARALLEL_FOR_SIMD) | D(DIR_FOR) | D(DIR_FOR_SIMD))
#define SIMD \
  (D(DIR_SIMD) | D(DIR_FOR_SIMD) | D(DIR_PARALLEL_FOR_SIMD) | D(DIR_TASKLOOP_SIMD))
#define LOOP (D(DIR_LOOP) | D(DIR_PARALLEL_LOOP))
#define TASKLOOP (D(DIR_TASKLOOP) | D(DIR_TASKLOOP_SIMD))
#define OPENMP (PARALLEL | WORKSHARE | SIMD | LOOP | TASKLOOP)
#define ANY ((1u << DIR_KINDS) - 1)

static const char *const directive_names[DIR_KINDS] = {
  [DIR_PARALLEL_FOR] = "parallel for",
  [DIR_FOR] = "for",
  [DIR_PARALLEL_FOR_SIMD] = "parallel for simd",
  [DIR_FOR_SIMD] = "for simd",
  [DIR_SIMD] = "simd",
  [DIR_TILE] = "tile",
  [DIR_STRIPE] = "stripe",
  [DIR_INTERCHANGE] = "interchange",
  [DIR_REVERSE] = "reverse",
  [DIR_UNROLL] = "unroll",
  [DIR_FUSE] = "fuse",
  [DIR_UNROLL_AND_JAM] = "unroll_and_jam",
  [DIR_PARALLEL_LOOP] = "parallel loop",
  [DIR_LOOP] = "loop",
  [DIR_TASKLOOP] = "taskloop",
  [DIR_TASKLOOP_SIMD] = "taskloop simd",
};

// OpenMP 6.0, chapters on each directive; `optional` and unroll_and_jam are ours.
static const struct clause_rule loop_rules[] = {
  { "optional", ANY, ARGS_NONE, 0 },
  { "sizes", D(DIR_TILE) | D(DIR_STRIPE), ARGS_MUST, CLAUSE_SETS | CLAUSE_NEEDED },
  { "permutation", D(DIR_INTERCHANGE), ARGS_MUST, CLAUSE_SETS },
  { "partial", D(DIR_UNROLL), ARGS_MAY, CLAUSE_SETS | CLAUSE_ONE },
  { "partial", D(DIR_UNROLL_AND_JAM), ARGS_MUST,
    CLAUSE_SETS | CLAUSE_NEEDED }, // one for each loop
  { "full", D(DIR_UNROLL), ARGS_NONE, 0 },
  { "looprange", D(DIR_FUSE), ARGS_MUST, 0 },
  { "num_threads", PARALLEL, ARGS_MUST, CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE },
  { "schedule", WORKSHARE, ARGS_MUST, CLAUSE_SETS | CLAUSE_LABELS },
  { "collapse", OPENMP, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "proc_bind", PARALLEL, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "if", OPENMP & ~(D(DIR_FOR) | D(DIR_LOOP)), ARGS_MUST,
    CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE | CLAUSE_REPEATS },
  { "safelen", SIMD, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "simdlen", SIMD, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "order", OPENMP & ~TASKLOOP, ARGS_MUST, CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE },
  { "bind", LOOP, ARGS_MUST, CLAUSE_ONE },
  { "ordered", WORKSHARE, ARGS_MAY, CLAUSE_ONE },
  { "grainsize", TASKLOOP, ARGS_MUST, CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE },
  { "num_tasks", TASKLOOP, ARGS_MUST, CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE },
  { "priority", TASKLOOP, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "final", TASKLOOP, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "untied", TASKLOOP, ARGS_NONE, 0 },
  { "mergeable", TASKLOOP, ARGS_NONE, 0 },
  { "nogroup", TASKLOOP, ARGS_NONE, 0 },
  { "nowait", D(DIR_FOR) | D(DIR_FOR_SIMD), ARGS_NONE, 0 },
  { "default", PARALLEL | TASKLOOP, ARGS_MUST, CLAUSE_ONE },
  { "private", OPENMP, ARGS_MUST, CLAUSE_REPEATS },
  { "firstprivate", OPENMP & ~(D(DIR_SIMD) | LOOP), ARGS_MUST, CLAUSE_REPEATS },
  { "lastprivate", OPENMP, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "shared", PARALLEL | TASKLOOP, ARGS_MUST, CLAUSE_REPEATS },
  { "copyin", PARALLEL, ARGS_MUST, CLAUSE_REPEATS },
  { "reduction", OPENMP, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "in_reduction", TASKLOOP, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "linear", WORKSHARE | SIMD, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "aligned", SIMD, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "nontemporal", SIMD, ARGS_MUST, CLAUSE_REPEATS },
  { "allocate", OPENMP & ~(D(DIR_SIMD) | LOOP), ARGS_MUST,
    CLAUSE_LABELS | CLAUSE_REPEATS },
};

static const struct clause_rule kernel_rules[] = {
  { "param", 0, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS | CLAUSE_SETS },
  { "flags", 0, ARGS_MUST, CLAUSE_REPEATS },
  { "compiler", 0, ARGS_MUST, 0 },
  { "constraint", 0, ARGS_MUST, CLAUSE_REPEATS | CLAUSE_WHOLE },
  { "key", 0, ARGS_MAY, CLAUSE_REPEATS },
  { "in", 0, ARGS_MUST, CLAUSE_REPEATS },
  { "out", 0, ARGS_MUST, CLAUSE_REPEATS },
  { "inout", 0, ARGS_MUST, CLAUSE_REPEATS },
  { "verify", 0, ARGS_MUST, CLAUSE_LABELS },
  { "flops", 0, ARGS_MUST, CLAUSE_WHOLE },
  { "bytes", 0, ARGS_MUST, CLAUSE_WHOLE },
  { "search", 0, ARGS_MUST, CLAUSE_LABELS },
  { "mode", 0, ARGS_MUST, CLAUSE_ONE },
  { "family", 0, ARGS_MUST, CLAUSE_ONE },
  { "block", 0, ARGS_MUST, 0 },
  { "grid", 0, ARGS_MUST, 0 },
  { "shared", 0, ARGS_MUST, CLAUSE_WHOLE },
  { "isolate", 0, ARGS_MUST, CLAUSE_ONE },
  { "flush", 0, ARGS_MUST, CLAUSE_ONE },
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

const char *directive_name(enum directive_kind kind) {
  return directive_names[kind];
}

static bool table_applies(const struct clause_rule *r, const struct pragma *p) {
  return p->kind != PRAGMA_LOOP || (r->directives & D(p->directive));
}

const struct clause_rule *clause_rules(enum pragma_kind kind, unsigned *n) {
  if (kind == PRAGMA_LOOP) {
    *n = COUNT(loop_rules);
    return loop_rules;
  }
  *n = kind == PRAGMA_KERNEL ? COUNT(kernel_rules) : 0;
  return kernel_rules;
}

const struct clause_rule *clause_rule(const struct pragma *p, struct slice name,
                                      bool *elsewhere) {
  unsigned n;
  const struct clause_rule *r = clause_rules(p->kind, &n);
  *elsewhere = false;
  for (; n > 0; n--, r++)
    if (slice_is(name, r->name)) {
      if (table_applies(r, p))
        return r;
      *elsewhere = true;
    }
  return NULL;
}

const char *const *clause_names(const struct pragma *p) {
  unsigned n, n_names = 0;
  const char **names = NULL;
  const struct clause_rule *r = clause_rules(p->kind, &n);
  for (; n > 0; n--, r++)
    if (table_applies(r, p))
      *GROW(names, n_names) = r->name;
  *GROW(names, n_names) = NULL;
  return names;
}

const char *const *directive_words(void) {
  static const char *const words[] = { "kernel", "alternative", "parallel",
                                       "for",    "simd",        "tile",
                                       "stripe", "interchange", "reverse",
                                       "unroll", "fuse",        "unroll_and_jam",
                                       "loop",   "taskloop",    NULL };
  return words;
}
