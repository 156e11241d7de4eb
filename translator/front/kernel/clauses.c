// SPDX-License-Identifier: Apache-2.0
// clauses.c: reads the clauses of `#pragma autotune kernel`.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autotune_abi.h"
#include "base/options.h"
#include "front/lang/language.h"

static const struct pragma *pragma_of(const struct kernel *k) {
  return k->main.pragma;
}

static bool is_identifier(struct slice text) {
  struct lexer l = lexer_of(text);
  struct token t = lex(&l);
  return t.kind == TOKEN_WORD && t.text.size == text.size;
}

static bool clauses_reserved(struct slice name) {
  static const char prefix[] = "AUTOTUNE_";
  return name.size >= sizeof prefix - 1 &&
      memcmp(name.data, prefix, sizeof prefix - 1) == 0;
}

// True if reports call a param so that a clause or an alternative makes.
static bool clauses_made(const struct kernel *k, struct slice name) {
  static const char *const names[] = { "algorithm", "compiler", "directives", "flags",
                                       NULL };
  return slice_in(name, names) || (k->language->device && slice_is(name, "block"));
}

// True if NAME can be the name of a new param; otherwise reports an error.
static bool clauses_check_name(const struct source *s, const struct kernel *k,
                               struct slice name) {
  size_t at = pragma_offset(pragma_of(k), name);
  int length = (int)name.size;
  const char *wrong = NULL;
  if (!is_identifier(name))
    wrong = "'%.*s' is not a valid name for a param";
  else if (is_keyword(name))
    wrong = "'%.*s' is a word of C, so it cannot name a param";
  else if (clauses_reserved(name))
    wrong = "'%.*s': names that begin with AUTOTUNE_ are reserved";
  else if (clauses_made(k, name))
    wrong = "the name '%.*s' is taken: it is that of a param which autotune makes";
  else if (kernel_param(k, name) >= 0)
    wrong = "the param '%.*s' is given twice";
  else if (kernel_arg(k, name) >= 0)
    wrong = "the param '%.*s' hides the argument of that name";
  else if (slice_is(name, k->main.name))
    wrong = "the param '%.*s' hides the kernel of that name";
  if (wrong)
    diag_error(s, at, name.size, NULL, wrong, length, name.data);
  return !wrong;
}

// Reads `NAME` or `NAME = default` of a param clause.
static bool read_label(const struct source *s, struct kernel *k, struct slice label,
                       struct param *param, struct slice *value) {
  const char *equals = memchr(label.data, '=', label.size);
  struct slice name = label;
  *value = (struct slice){ NULL, 0 };
  if (equals) {
    name.size = (size_t)(equals - label.data);
    *value = slice_trim((struct slice){ equals + 1, label.size - name.size - 1 });
    name = slice_trim(name);
  }
  if (!clauses_check_name(s, k, name))
    return false;
  param->name = param->macro = arena_copy(name.data, name.size);
  param->offset = pragma_offset(pragma_of(k), name);
  return true;
}

// Returns the index of the candidate that TEXT spells, or n_values.
static unsigned clauses_find_value(const struct source *s, const struct pragma *p,
                                   struct slice text, const struct param *param) {
  struct value v;
  enum value_kind kind;
  unsigned i = 0;
  if (text.size == 0 || !value_read(s, p, text, &v, &kind))
    return param->n_values;
  while (i < param->n_values && !value_same(&param->values[i], &v, param->kind))
    i++;
  return i;
}

static void clauses_read_param(const struct source *s, struct kernel *k,
                               const struct clause *c) {
  const struct pragma *p = pragma_of(k);
  struct param param = { .when = -1, .named = true };
  struct slice value;
  bool fine = true;
  if (c->n_args == 0 || c->args[0].label.size == 0) {
    struct slice text = c->n_args ? c->args[0].text : slice_of("");
    struct lexer l = lexer_of(text);
    struct token name = lex(&l);
    bool named = name.kind == TOKEN_WORD && !is_keyword(name.text);
    diag_error(s, named ? c->args[0].offset : c->offset, named ? text.size : c->size,
               named ? arena_printf("write param(%.*s: 8, 16, 32)", (int)name.text.size,
                                    name.text.data)
                     : "write param(NAME: 8, 16, 32)",
               named ? "a colon is missing between the param and its values"
                     : "this param has no name");
    return;
  }
  if (!params_left(s, k, c->offset) ||
      !read_label(s, k, c->args[0].label, &param, &value))
    return;
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct argument *a = &c->args[i];
    if (i > 0 && a->label.size) {
      diag_error(s, pragma_offset(p, a->label), a->label.size,
                 "write one param(…) for each",
                 "only the first argument of 'param' has a name");
      fine = false;
    }
    if (!a->is_set && a->text.size && strchr("{[", *a->text.data))
      return; // reported already
    for (unsigned j = 0; j < (a->is_set ? a->n_set : 1); j++)
      fine = values_add(s, p, a->is_set ? a->set[j] : a->text, &param) && fine;
  }
  if (value.size && fine) {
    param.original = clauses_find_value(s, p, value, &param);
    if (param.original == param.n_values)
      diag_error(s, pragma_offset(p, value), value.size, NULL,
                 "the default is not among the candidates");
  }
  if (param.n_values)
    kernel_add_param(k, param);
}

static void read_constraint(const struct source *s, struct kernel *k,
                            const struct clause *c) {
  if (c->n_args == 0)
    return;
  *GROW(k->constraints, k->n_constraints) = c->args[0].text;
  names_check(s, k, pragma_of(k), c->args[0].text, USE_PARAMS | USE_MACHINE,
              "a constraint");
}

static void clauses_read_if(const struct source *s, struct kernel *k,
                            const struct clause *c) {
  if (k->language->device)
    diag_error(s, c->offset, c->size, "choose the kernel where it is launched",
               "'if' is for kernels of C and C++");
  else if (c->n_args) {
    *GROW(k->conditions, k->n_conditions) = c->args[0].text;
    names_check(s, k, pragma_of(k), c->args[0].text, 0, "a condition of calls");
  }
}

static void clauses_read_key(const struct source *s, struct kernel *k,
                             const struct clause *c) {
  const struct pragma *p = pragma_of(k);
  k->key_given = true;
  for (unsigned i = 0; i < c->n_args; i++) {
    struct slice text = c->args[i].text;
    if (text.size == 0)
      continue;
    *GROW(k->keys, k->n_keys) = text;
    if (names_check(s, k, p, text, 0, "a key"))
      syntax_check_integer(s, k, p, text, "a key");
  }
}

static void clauses_read_constant(const struct source *s, struct kernel *k,
                                  const struct clause *c) {
  k->constants_given = true;
  if (k->language->device)
    diag_error(s, c->offset, c->size, NULL, "'constant' is not for CUDA kernels");
  for (unsigned i = 0; i < c->n_args; i++) {
    struct slice text = slice_trim(c->args[i].text);
    if (text.size && names_check(s, k, pragma_of(k), text, 0, "a constant"))
      *GROW(k->constants, k->n_constants) = text;
  }
}

static bool read_tolerance(const struct source *s, const struct argument *a, double *d) {
  char *end, *copy = arena_copy(a->text.data, a->text.size);
  *d = strtod(copy, &end);
  if (a->text.size && *end == '\0' && isfinite(*d) && *d >= 0)
    return true;
  diag_error(s, a->offset, a->text.size, NULL,
             "a tolerance is a number that is not negative");
  return false;
}

static void read_verify(const struct source *s, struct kernel *k,
                        const struct clause *c) {
  k->atol = -1; // not given yet
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct argument *a = &c->args[i];
    int before = k->verify;
    if (slice_is(a->label, "rtol") && read_tolerance(s, a, &k->rtol))
      k->verify = AUTOTUNE_VERIFY_TOLERANCE;
    else if (slice_is(a->label, "atol") && read_tolerance(s, a, &k->atol))
      k->verify = AUTOTUNE_VERIFY_TOLERANCE;
    else if (a->label.size == 0 && slice_is(a->text, "exact"))
      k->verify = AUTOTUNE_VERIFY_EXACT;
    else if (a->label.size == 0 && slice_is(a->text, "off"))
      k->verify = AUTOTUNE_VERIFY_OFF;
    else if (!slice_is(a->label, "rtol") && !slice_is(a->label, "atol"))
      diag_error(s, a->offset, a->text.size,
                 "write verify(rtol: 1e-5, atol: 0), verify(exact) or verify(off)",
                 "this says nothing about verifying");
    if (before && before != k->verify)
      diag_error(s, a->offset, a->text.size, NULL,
                 "tolerances, 'exact' and 'off' exclude each other");
  }
}

// Returns the number of C, a clause on the work of a call.
static struct slice read_work(const struct source *s, const struct kernel *k,
                              const struct clause *c) {
  struct slice text = c->n_args ? c->args[0].text : (struct slice){ 0 };
  names_check(s, k, pragma_of(k), text, 0, "the work of a call");
  return text;
}

static void read_flops(const struct source *s, struct kernel *k, const struct clause *c) {
  k->flops = read_work(s, k, c);
}

static void read_bytes(const struct source *s, struct kernel *k, const struct clause *c) {
  k->bytes = read_work(s, k, c);
}

// Reads `5s`, `500ms`, `2min`, `quick` (a time), `200` (a number of variants) or `5%` (a
// fraction of the time).
static void clauses_read_budget(const struct source *s, struct kernel *k,
                                const struct argument *a) {
  struct budget b;
  if (!value_budget(arena_copy(a->text.data, a->text.size), &b)) {
    diag_error(
        s, a->offset, a->text.size,
        "a budget is a time (5s, 500ms, 2min; quick, normal or patient: 2, 10 or 60 s), a "
        "number of variants (200), a share of the time in the kernel (5%), or several "
        "(5s, 200)",
        "this is not a budget");
    return;
  }
  k->budget_seconds = b.seconds > 0 ? b.seconds : k->budget_seconds;
  k->budget_variants = b.variants ? b.variants : k->budget_variants;
  k->budget_fraction = b.fraction > 0 ? b.fraction : k->budget_fraction;
}

static void clauses_read_until(const struct source *s, struct kernel *k,
                               const struct argument *a) {
  struct until u;
  if (!value_until(arena_copy(a->text.data, a->text.size), &u)) {
    diag_error(
        s, a->offset, a->text.size,
        "write until: 2%, to stop when less improvement is expected, or until: roof "
        "80%, to stop at that share of what the machine can do",
        "this is not a share");
    return;
  }
  k->until = u.gain > 0 ? u.gain : k->until;
  k->until_roof = u.roof > 0 ? u.roof : k->until_roof;
}

// Returns "WHAT are a, b and c" for the first N of NAMES.
static const char *clauses_list(const char *what, const char *const *names, unsigned n) {
  struct text t = { 0 };
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%s%s%s", i ? "" : what,
                !i ? " are "
                    : i + 1 < n ? ", "
                                : " and ",
                names[i]);
  return t.data;
}

// Reads the command of `extern: "./propose --fast"`, one string literal.
static void clauses_read_extern(const struct source *s, struct kernel *k,
                                const struct argument *a) {
  struct lexer l = lexer_of(a->text);
  struct token t = lex(&l);
  bool literal = t.text.size > 2 && *t.text.data == '"' && lex(&l).kind == TOKEN_END;
  if (!literal)
    diag_error(s, a->offset, a->text.size, "write extern: \"./propose\"",
               "this is not a command in quotes");
  else if (k->search)
    diag_error(s, a->offset, a->text.size, NULL, "a kernel has one search");
  else
    k->search = arena_printf(
        "extern:%s", slice_unquoted((struct slice){ t.text.data + 1, t.text.size - 2 }));
}

static void clauses_read_search(const struct source *s, struct kernel *k,
                                const struct clause *c) {
  bool budget = false, until = false;
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct argument *a = &c->args[i];
    if (slice_is(a->label, "budget") || (budget && a->label.size == 0)) {
      budget = true, until = false;
      clauses_read_budget(s, k, a);
      continue;
    }
    if (slice_is(a->label, "until") || (until && a->label.size == 0)) {
      until = true, budget = false;
      clauses_read_until(s, k, a);
      continue;
    }
    if (slice_is(a->label, "extern")) {
      budget = false;
      clauses_read_extern(s, k, a);
      continue;
    }
    const char *text = arena_copy(a->text.data, a->text.size);
    int name = value_word(text, search_names);
    struct budget limit;
    if (a->label.size)
      diag_error(s, pragma_offset(pragma_of(k), a->label), a->label.size,
                 "write search(NAME, budget: 5s, until: 2%)",
                 "'search' has no argument '%.*s'", (int)a->label.size, a->label.data);
    else if (name < 0)
      diag_error(s, a->offset, a->text.size,
                 value_budget(text, &limit)
                     ? arena_printf("write budget: %s", text)
                     : clauses_list("searches", search_names, N_SEARCHES),
                 "unknown search '%.*s'", (int)a->text.size, a->text.data);
    else if (k->search)
      diag_error(s, a->offset, a->text.size, NULL, "a kernel has one search");
    else
      k->search = search_names[name];
  }
  if (k->search && strcmp(k->search, "auto") == 0)
    k->search = NULL;
}

static void clauses_read_mode(const struct source *s, struct kernel *k,
                              const struct clause *c) {
  struct slice given = c->n_args ? c->args[0].text : slice_of("");
  int mode = value_word(arena_copy(given.data, given.size), mode_names);
  if (mode >= 0 && mode != MODE_TUNE)
    k->mode = mode_names[mode];
  else if (given.size)
    diag_error(s, c->args[0].offset, given.size,
               clauses_list("modes", mode_names, MODE_TUNE), "unknown mode '%.*s'",
               (int)given.size, given.data);
}

static void read_family(const struct source *s, struct kernel *k,
                        const struct clause *c) {
  if (c->n_args && is_identifier(c->args[0].text))
    k->family = arena_copy(c->args[0].text.data, c->args[0].text.size);
  else if (c->n_args && c->args[0].text.size)
    diag_error(s, c->args[0].offset, c->args[0].text.size, "write a name: family(gemm)",
               "'%.*s' is not a valid name for a family", (int)c->args[0].text.size,
               c->args[0].text.data);
}

static void clauses_read_optional(const struct source *s, struct kernel *k,
                                  const struct clause *c) {
  if (params_left(s, k, c->offset))
    k->whole = kernel_add_param(k, directives_optional("directives", c->offset, -1));
}

static const struct clause_reader readers[] = {
  { "param", clauses_read_param }, // first, since expressions of the other clauses are
                                   // checked for params
  { "optional", clauses_read_optional },
  { "flags", values_flags },
  { "compiler", values_compilers },
  { "constraint", read_constraint },
  { "if", clauses_read_if },
  { "key", clauses_read_key },
  { "constant", clauses_read_constant },
  { "in", sections_read },
  { "out", sections_read },
  { "inout", sections_read },
  { "scratch", sections_read },
  { "verify", read_verify },
  { "flops", read_flops },
  { "bytes", read_bytes },
  { "search", clauses_read_search },
  { "mode", clauses_read_mode },
  { "family", read_family },
  { NULL, NULL },
};

// Returns the reader in TABLE for clauses called NAME, or NULL.
static const struct clause_reader *reader_of(const struct clause_reader *table,
                                             const char *name) {
  for (; table && table->name; table++)
    if (strcmp(table->name, name) == 0)
      return table;
  return NULL;
}

// Reads a clause that only some languages have. At present these are the clauses for
// devices.
static void read_own(const struct source *s, struct kernel *k, const struct clause *c) {
  const struct clause_reader *own = reader_of(k->language->clauses, c->name);
  if (own)
    own->read(s, k, c);
  else if (!reader_of(readers, c->name))
    diag_error(
        s, c->offset, c->size,
        strcmp(c->name, "prepare") == 0
            ? arena_printf("a %s kernel can call the function itself", k->language->name)
            : arena_printf("a %s kernel has no blocks of threads", k->language->name),
        "'%s' is for CUDA kernels, in .cu files", c->name);
}

void clauses_read(const struct source *s, struct kernel *k) {
  const struct pragma *p = pragma_of(k);
  for (unsigned pass = 0; pass < 2; pass++)
    for (unsigned i = 0; i < p->n_clauses; i++) {
      const struct clause_reader *r = reader_of(readers, p->clauses[i].name);
      if (r && (r == readers) == (pass == 0))
        r->read(s, k, &p->clauses[i]);
    }
  for (unsigned i = 0; i < p->n_clauses; i++)
    read_own(s, k, &p->clauses[i]);
  if (k->n_compilers == 0)
    *GROW(k->compilers, k->n_compilers) = k->language->compiler;
  sections_check(s, k);
  if (k->language->clauses_check)
    k->language->clauses_check(s, k);
}
