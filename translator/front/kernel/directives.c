// SPDX-License-Identifier: Apache-2.0
// directives.c: prepares loop directives for loops.c: finds the loop of each, and turns
// sets into params.
#include <string.h>

#include "kernel.h"

static bool name_taken(const struct kernel *k, const char *name) {
  for (unsigned i = 0; i < k->n_params; i++)
    if (strcmp(k->params[i].name, name) == 0)
      return true;
  return false;
}

// Returns a name such as "tile@12.1": the directive, its line, and a number that makes
// the name unique.
static const char *set_name(const struct source *s, const struct kernel *k,
                            const char *what, size_t offset) {
  unsigned line = source_where(s, offset, NULL, NULL);
  for (unsigned i = 1;; i++) {
    char *name = arena_printf("%s@%u.%u", what, line, i);
    for (char *p = name; *p; p++)
      *p = *p == ' ' ? '_' : *p;
    if (!name_taken(k, name))
      return name;
  }
}

static int set_param(const struct source *s, struct kernel *k, const struct pragma *p,
                     const struct clause *c, const struct argument *a, int when) {
  struct param param = { .when = when, .offset = a->offset };
  bool fine = true;
  for (unsigned i = 0; i < a->n_set; i++)
    fine = values_add(s, p, a->set[i], &param) && fine;
  if (!fine || param.n_values == 0 || !params_left(s, k, a->offset))
    return -1;
  param.name = set_name(s, k, c->own ? directive_name(p->directive) : c->name, p->offset);
  param.original = param.n_values; // the original code has no directive
  return kernel_add_param(k, param);
}

// Returns the param NAME with the N values TEXTS.
static struct param choice_of(const char *name, size_t offset, int when,
                              const char *const *texts, int n) {
  struct param param = {
    .name = name, .kind = VALUE_CHOICE, .when = when, .offset = offset
  };
  for (int i = 0; i < n; i++)
    *GROW(param.values, param.n_values) = (struct value){
      .offset = offset, .text = texts[i], .define = arena_printf("%d", i), .i = i, .d = i
    };
  return param;
}

struct param directives_optional(const char *name, size_t offset, int when) {
  static const char *const texts[] = { "no", "yes" };
  return choice_of(name, offset, when, texts, 2);
}

static int optional_param(const struct source *s, struct kernel *k,
                          const struct pragma *p, const struct clause *c, int when) {
  const char *name = set_name(s, k, directive_name(p->directive), p->offset);
  return kernel_add_param(k, directives_optional(name, c->offset, when));
}

// Returns the index of the argument of C, a reduction, that names the operation;
// modifiers are before it. C->n_args: none does.
static unsigned operation_at(const struct clause *c) {
  unsigned i = 0;
  while (i < c->n_args && c->args[i].label.size == 0)
    i++;
  return i;
}

static bool is_reduction(const struct clause *c) {
  static const char *const names[] = { "reduction", "in_reduction", NULL };
  return c->n_args > 0 && slice_in(slice_of(c->name), names);
}

// Checks the operation of C, a reduction.
static void check_operation(const struct source *s, const struct pragma *p,
                            const struct clause *c, struct slice name) {
  static const char *const operations[] = { "+",  "-",  "*",   "&",   "|", "^",
                                            "&&", "||", "min", "max", NULL };
  bool quoted, system;
  if (slice_in(name, operations) || name_declared(s, name, &quoted, &system) || quoted)
    return; // or it is one of `omp declare reduction`
  diag_error(s, pragma_offset(p, name), name.size,
             "write +, *, -, &, |, ^, &&, ||, min or max", "'%s' has no operation '%.*s'",
             c->name, (int)name.size, name.data);
}

// Warns of variables that two clauses of P name: compilers refuse most of these variants.
static void check_lists(const struct source *s, const struct pragma *p) {
  static const char *const lists[] = { "private", "firstprivate", "lastprivate",
                                       "shared",  "reduction",    "in_reduction",
                                       NULL };
  struct {
    struct slice name;
    const char *clause;
  } *seen = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < p->n_clauses; i++) {
    const struct clause *c = &p->clauses[i];
    for (unsigned j = 0; slice_in(slice_of(c->name), lists) && j < c->n_args; j++) {
      struct slice name = c->args[j].text;
      for (unsigned m = 0; m < n; m++)
        if (slices_same(seen[m].name, name) &&
            !(strstr(c->name, "stprivate") && strstr(seen[m].clause, "stprivate") &&
              strcmp(c->name, seen[m].clause) != 0))
          diag_warning(s, pragma_offset(p, name), name.size, "name it in one of them",
                       strcmp(c->name, seen[m].clause) == 0
                           ? "'%.*s' is given twice in '%s'"
                           : "'%.*s' is given in '%s', too",
                       (int)name.size, name.data, seen[m].clause);
      *GROW(seen, n) = (__typeof__(*seen)){ name, c->name };
    }
  }
}

// Checks A, an argument of C that is no set: a number, or a variable in a list.
static void check_argument(const struct source *s, const struct kernel *k,
                           const struct pragma *p, const struct clause *c,
                           const struct argument *a) {
  static const char *const numbers[] = { "sizes",     "partial",   "num_threads",
                                         "collapse",  "safelen",   "simdlen",
                                         "grainsize", "num_tasks", "priority",
                                         "registers", NULL };
  static const char *const lists[] = { "private",   "firstprivate", "lastprivate",
                                       "shared",    "copyin",       "nontemporal",
                                       "reduction", "in_reduction", "local",
                                       NULL };
  static const char *const labels[] = { "linear", "aligned", NULL }; // linear(i: 2)
  struct slice name = slice_of(c->name), text = a->text;
  const char *what = arena_printf("an argument of '%s'", c->name);
  if (is_reduction(c) && a->label.size)
    check_operation(s, p, c, a->label);
  if (text.size == 0 || strchr("{[", *text.data)) // reported already
    return;
  if (slice_in(name, numbers)) {
    names_check(s, k, p, text, USE_PARAMS, what);
    return;
  }
  if (slice_in(name, labels))
    text = a->label.size ? a->label : text;
  else if (!slice_in(name, lists))
    return;
  struct lexer l = lexer_of(text);
  struct token first = lex(&l), next = lex(&l);
  if (slice_is(next.text, "[") && !slice_in(name, labels) && !is_reduction(c))
    diag_error(s, pragma_offset(p, text), text.size, "write the variable alone",
               "'%s' takes variables, not sections", c->name);
  else if (first.kind == TOKEN_WORD)
    names_check(s, k, p, first.text, 0, what);
}

static struct dir_clause read_clause(const struct source *s, struct kernel *k,
                                     const struct pragma *p, const struct clause *c,
                                     int when) {
  struct dir_clause out = {
    .name = c->name, .body = c->body, .pragma = p, .offset = c->offset
  };
  unsigned first = is_reduction(c) ? operation_at(c) : 0;
  if (is_reduction(c) && first == c->n_args)
    diag_error(s, c->args[0].offset, c->args[0].text.size,
               arena_printf("write %s(+: sum)", c->name),
               "'%s' needs an operation and a colon before its variables", c->name);
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct argument *a = &c->args[i];
    if (!p->openmp && !a->is_set && i >= first)
      check_argument(s, k, p, c, a);
    struct dir_arg arg = { .text = a->text, .label = a->label, .param = -1 };
    arg.param = a->is_set ? set_param(s, k, p, c, a, when) : kernel_param(k, a->text);
    *GROW(out.args, out.n_args) = arg;
  }
  return out;
}

// Adds the choice of P, a `chain` that threads share, and returns it: its nests run one
// after the other, or in tiles, in which they compute what they need, or keep what tiles
// before have computed. -1: P has none.
static int chain_choice(const struct source *s, struct kernel *k, const struct pragma *p,
                        int when) {
  if (p->directive != DIR_CHAIN ||
      !(pragma_has(p, "num_threads") || pragma_has(p, "schedule")))
    return -1;
  static const char *const texts[] = { "apart", "recompute", "shift" };
  const char *name = set_name(s, k, directive_name(p->directive), p->offset);
  return kernel_add_param(k, choice_of(name, p->offset, when, texts, 3));
}

// Gives D a clause of no text, with the value of CHOICE.
static void directive_add_choice(struct loop_directive *d, int choice) {
  struct dir_clause c = { .name = "tiles", .pragma = d->pragma };
  *GROW(c.args, c.n_args) = (struct dir_arg){ .param = choice };
  *GROW(d->clauses, d->n_clauses) = c;
}

static void directives_read_directive(const struct source *s, struct kernel *k,
                                      struct function *f, const struct pragma *p,
                                      int when) {
  struct loop_directive d = { .pragma = p, .kind = p->directive, .present = -1 };
  if (f == &k->main && !p->openmp) // the author's own pragma is no choice
    d.present = when;
  if (!loop_find(s, p, f, &d.loop) || !params_left(s, k, p->offset))
    return;
  if (!p->openmp)
    check_lists(s, p);
  for (unsigned i = 0; i < p->n_clauses; i++)
    if (strcmp(p->clauses[i].name, "optional") == 0)
      d.present = optional_param(s, k, p, &p->clauses[i], when);
  when = d.present >= 0 ? d.present : when;
  int tiles = chain_choice(s, k, p, when);
  if (tiles >= 0)
    directive_add_choice(&d, tiles);
  for (unsigned i = 0; i < p->n_clauses; i++)
    if (strcmp(p->clauses[i].name, "optional") != 0)
      *GROW(d.clauses, d.n_clauses) = read_clause(
          s, k, p, &p->clauses[i],
          tiles >= 0 && strcmp(p->clauses[i].name, "sizes") == 0 ? tiles : when);
  *GROW(f->directives, f->n_directives) = d;
}

static bool directive_varies(const struct pragma *p) {
  bool varies = pragma_has(p, "optional");
  for (unsigned i = 0; i < p->n_clauses; i++) {
    const struct clause *c = &p->clauses[i];
    for (unsigned j = 0; j < c->n_args; j++)
      varies = varies || c->args[j].is_set || slice_is(c->args[j].text, "any");
  }
  return varies;
}

static bool directive_is_within(const struct pragma *p, const struct function *f) {
  return p->kind == PRAGMA_LOOP && p->offset > f->body_at && p->offset < f->end;
}

// If nothing of K has values, its directives together are optional. Otherwise there would
// be no variant besides the code as written.
static void directives_make_optional(const struct source *s, const struct pragma *pragmas,
                                     unsigned n, struct kernel *k) {
  const struct pragma *first = NULL;
  for (unsigned i = 0; i < n; i++) {
    const struct pragma *p = &pragmas[i];
    if (!directive_is_within(p, &k->main) || p->openmp)
      continue;
    if (p->broken || directive_varies(p))
      return;
    first = first ? first : p;
  }
  if (first && k->n_params == 0 && params_left(s, k, first->offset))
    k->whole = kernel_add_param(k, directives_optional("directives", first->offset, -1));
}

bool directives_read(const struct source *s, const struct pragma *pragmas, unsigned n,
                     struct kernel *k, struct function *f) {
  unsigned before = diag_errors();
  bool broken = false;
  if (f == &k->main)
    directives_make_optional(s, pragmas, n, k);
  int when = f == &k->main ? k->whole : k->choose;
  for (unsigned i = 0; i < n; i++)
    if (directive_is_within(&pragmas[i], f)) {
      directives_read_directive(s, k, f, &pragmas[i], when);
      broken = broken || pragmas[i].broken;
    }
  return !broken && diag_errors() == before;
}

bool directives_local(const struct kernel *k, struct slice name) {
  for (unsigned i = 0; i < k->main.n_directives; i++) {
    const struct loop_directive *d = &k->main.directives[i];
    for (unsigned j = 0; j < d->n_clauses; j++)
      for (unsigned l = 0; l < d->clauses[j].n_args; l++)
        if (strcmp(d->clauses[j].name, "local") == 0 &&
            slices_same(d->clauses[j].args[l].text, name))
          return true;
  }
  return false;
}
