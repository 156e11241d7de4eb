/* SPDX-License-Identifier: Apache-2.0 */
/* pragma.h: functions that pragma.c, args.c and table.c share. */
#ifndef AUTOTUNE_PRAGMA_H
#define AUTOTUNE_PRAGMA_H

#include "front/front.h"

enum clause_args { ARGS_NONE, ARGS_MAY, ARGS_MUST };
enum clause_flags {
  CLAUSE_SETS = 1,    /* an argument may be a set */
  CLAUSE_LABELS = 2,  /* an argument may begin with `label:` */
  CLAUSE_ONE = 4,     /* exactly one argument */
  CLAUSE_REPEATS = 8, /* may stand more than once */
  CLAUSE_WHOLE = 16,  /* one C expression, which may contain commas */
  CLAUSE_NEEDED = 32, /* the directive has no meaning without it */
  CLAUSE_OWN = 64     /* its sets are named after the directive */
};
struct clause_rule {
  const char *name;
  unsigned groups; /* of directives (table.c); 0 for clauses of kernels */
  enum clause_args args;
  unsigned flags;
};

const struct clause_rule *clause_rules(enum pragma_kind kind, unsigned *n);
/* Returns the rule for the clause NAME on P, or NULL. After NULL, *ELSEWHERE says whether
 * another directive has the clause. */
const struct clause_rule *clause_rule(const struct pragma *p, struct slice name,
                                      bool *elsewhere);
/* True if P has no meaning without R's clause. */
bool clause_is_needed(const struct clause_rule *r, const struct pragma *p);
const char *const *clause_names(const struct pragma *p); /* NULL-terminated */
const char *const *directive_words(void); /* the first word of each, NULL-terminated */

/* args.c: splits c->body into arguments. */
void pragma_arguments(const struct source *s, const struct pragma *p, struct clause *c,
                      const struct clause_rule *rule);

#endif
