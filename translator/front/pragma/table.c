// SPDX-License-Identifier: Apache-2.0
// table.c: the table of directives and of the clauses that each accepts.
#include <string.h>

#include "pragma.h"

static const struct directive_entry {
  const char *words;
  unsigned groups;
} directives[DIR_KINDS] = {
#define DIRECTIVE(kind, words, groups, transformation) [DIR_##kind] = { words, groups },
#include "directives.def"
#undef DIRECTIVE
};

#define BUT(groups) ((unsigned)(groups) << 16) // directives that are in none of these
#define ANYWHERE 0xffffu

enum {
  TEAM = GROUP_TEAM,
  WORKSHARE = GROUP_WORKSHARE,
  LOOP = GROUP_LOOP,
  TASKLOOP = GROUP_TASKLOOP,
  SIMD = GROUP_SIMD,
  OPENMP = GROUP_OPENMP
};

// OpenMP 6.0, the chapter on each directive. `optional` and unroll_and_jam are our own.
static const struct clause_rule loop_rules[] = {
  { "optional", ANYWHERE, ARGS_NONE, 0 },
  { "sizes", GROUP_SIZES | GROUP_SCHEDULE, ARGS_MUST,
    CLAUSE_SETS | CLAUSE_NEEDED | CLAUSE_OWN },
  { "registers", GROUP_SCHEDULE | BUT(GROUP_CHAIN), ARGS_MUST, CLAUSE_SETS },
  { "permutation", GROUP_ORDER, ARGS_MUST, CLAUSE_SETS | CLAUSE_OWN },
  { "partial", GROUP_UNROLL, ARGS_MAY, CLAUSE_SETS | CLAUSE_ONE | CLAUSE_OWN },
  { "partial", GROUP_JAM, ARGS_MUST,
    CLAUSE_SETS | CLAUSE_NEEDED | CLAUSE_OWN }, // one for each loop
  { "full", GROUP_UNROLL, ARGS_NONE, 0 },
  { "looprange", GROUP_BLOCK | BUT(GROUP_SCHEDULE), ARGS_MUST, 0 },
  { "local", GROUP_CHAIN, ARGS_MUST, CLAUSE_NEEDED },
  { "num_threads", TEAM | GROUP_SCHEDULE, ARGS_MUST,
    CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE },
  { "schedule", WORKSHARE | GROUP_SCHEDULE, ARGS_MUST, CLAUSE_SETS | CLAUSE_LABELS },
  { "collapse", OPENMP, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "proc_bind", TEAM, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "if", TEAM | SIMD | TASKLOOP, ARGS_MUST,
    CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE | CLAUSE_REPEATS },
  { "safelen", SIMD, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "simdlen", SIMD, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "order", OPENMP | BUT(TASKLOOP), ARGS_MUST,
    CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE },
  { "bind", LOOP, ARGS_MUST, CLAUSE_ONE },
  { "ordered", WORKSHARE, ARGS_MAY, CLAUSE_ONE },
  { "grainsize", TASKLOOP, ARGS_MUST, CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE },
  { "num_tasks", TASKLOOP, ARGS_MUST, CLAUSE_SETS | CLAUSE_LABELS | CLAUSE_ONE },
  { "priority", TASKLOOP, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "final", TASKLOOP, ARGS_MUST, CLAUSE_SETS | CLAUSE_ONE },
  { "untied", TASKLOOP, ARGS_NONE, 0 },
  { "mergeable", TASKLOOP, ARGS_NONE, 0 },
  { "nogroup", TASKLOOP, ARGS_NONE, 0 },
  { "nowait", WORKSHARE | BUT(TEAM), ARGS_NONE, 0 },
  { "default", TEAM | TASKLOOP, ARGS_MUST, CLAUSE_ONE },
  { "private", OPENMP, ARGS_MUST, CLAUSE_REPEATS },
  { "firstprivate", WORKSHARE | TASKLOOP, ARGS_MUST, CLAUSE_REPEATS },
  { "lastprivate", OPENMP, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "shared", TEAM | TASKLOOP, ARGS_MUST, CLAUSE_REPEATS },
  { "copyin", TEAM, ARGS_MUST, CLAUSE_REPEATS },
  { "reduction", OPENMP, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "in_reduction", TASKLOOP, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "linear", WORKSHARE | SIMD, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "aligned", SIMD, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
  { "nontemporal", SIMD, ARGS_MUST, CLAUSE_REPEATS },
  { "allocate", WORKSHARE | TASKLOOP, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS },
};

static const struct clause_rule kernel_rules[] = {
  { "optional", 0, ARGS_NONE, 0 },
  { "param", 0, ARGS_MUST, CLAUSE_LABELS | CLAUSE_REPEATS | CLAUSE_SETS },
  { "flags", 0, ARGS_MUST, CLAUSE_REPEATS },
  { "compiler", 0, ARGS_MUST, 0 },
  { "constraint", 0, ARGS_MUST, CLAUSE_REPEATS | CLAUSE_WHOLE },
  { "if", 0, ARGS_MUST, CLAUSE_REPEATS | CLAUSE_WHOLE },
  { "key", 0, ARGS_MAY, CLAUSE_REPEATS },
  { "constant", 0, ARGS_MAY, 0 },
  { "in", 0, ARGS_MUST, CLAUSE_REPEATS },
  { "out", 0, ARGS_MUST, CLAUSE_REPEATS },
  { "inout", 0, ARGS_MUST, CLAUSE_REPEATS },
  { "scratch", 0, ARGS_MUST, CLAUSE_REPEATS },
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
  { "prepare", 0, ARGS_MUST, CLAUSE_REPEATS },
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

const char *directive_name(enum directive_kind kind) {
  return directives[kind].words;
}

unsigned directive_groups(enum directive_kind kind) {
  return directives[kind].groups;
}

static bool table_applies(const struct clause_rule *r, const struct pragma *p) {
  if (p->kind != PRAGMA_LOOP || r->groups == ANYWHERE) // a directive may be in no group
    return true;
  unsigned groups = directives[p->directive].groups;
  return (groups & r->groups) && !(BUT(groups) & r->groups);
}

const struct clause_rule *clause_rules(enum pragma_kind kind, unsigned *n) {
  if (kind == PRAGMA_LOOP) {
    *n = COUNT(loop_rules);
    return loop_rules;
  }
  *n = kind == PRAGMA_KERNEL ? COUNT(kernel_rules) : 0;
  return kernel_rules;
}

bool clause_is_needed(const struct clause_rule *r, const struct pragma *p) {
  return (r->flags & CLAUSE_NEEDED) && table_applies(r, p);
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
  const char **words = NULL;
  unsigned n = 0;
  *GROW(words, n) = "kernel";
  *GROW(words, n) = "alternative";
  for (unsigned i = 0; i < DIR_KINDS; i++)
    *GROW(words, n) = arena_copy(directives[i].words, strcspn(directives[i].words, " "));
  *GROW(words, n) = NULL;
  return words;
}
