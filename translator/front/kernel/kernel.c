// SPDX-License-Identifier: Apache-2.0
// kernel.c: interprets the pragmas of a file, which have been read. Completes every
// kernel and checks its loops, or reports errors.
#include <string.h>

#include "base/base.h"
#include "front/lang/language.h"

#define MAX_ERRORS 64 // later errors are not shown, so the search ends

static unsigned kernel_next_word(const struct kernel *k) {
  long long last = 0;
  for (unsigned i = 0; i < k->n_params; i++)
    for (unsigned j = 0; k->params[i].kind == VALUE_WORD && j < k->params[i].n_values;
         j++)
      if (k->params[i].values[j].i > last)
        last = k->params[i].values[j].i;
  return (unsigned)last + 1;
}

int kernel_add_param(struct kernel *k, struct param p) {
  unsigned word = kernel_next_word(k);
  for (unsigned i = 0; p.kind == VALUE_WORD && i < p.n_values; i++) {
    struct value *v = &p.values[i];
    if (!kernel_word(k, slice_of(v->text), &v->i))
      v->i = word++;
    v->d = (double)v->i;
  }
  if (!p.macro && p.kind != VALUE_FLAGS && p.kind != VALUE_COMPILER)
    p.macro = arena_printf("AUTOTUNE_P%u", k->n_params);
  *GROW(k->params, k->n_params) = p;
  return (int)k->n_params - 1;
}

bool params_left(const struct source *s, const struct kernel *k, size_t offset) {
  if (k->n_params == MAX_PARAMS)
    diag_error(s, offset, 1, NULL, "more than %d params in one kernel", MAX_PARAMS);
  return k->n_params < MAX_PARAMS;
}

/* ---- defaults from the file's own macros ----------------------------------------- */

struct definition {
  unsigned n;
  bool same, function;
  struct slice value;
};

// Reads the lines `#define NAME …` before END.
static struct definition kernel_find_definition(const struct source *s, const char *name,
                                                size_t end) {
  struct definition d = { .same = true };
  struct lexer l = lexer_of((struct slice){ s->text, end }), line;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (!t.first || !slice_is(t.text, "#") || lex_directive(&l, &line) != LINE_DEFINE ||
        !slice_is(lex(&line).text, name))
      continue;
    size_t size = (size_t)(line.end - line.p);
    struct slice value = slice_trim((struct slice){ lex_blank(line.p, size), size });
    d.function = d.function || (size && *line.p == '(');
    d.same = d.same && (d.n == 0 || slices_same(value, d.value));
    d.value = value;
    d.n++;
  }
  return d;
}

static struct slice without_parentheses(struct slice text) {
  while (text.size > 2 && *text.data == '(' && text.data[text.size - 1] == ')' &&
         !memchr(text.data, ',', text.size))
    text = slice_trim((struct slice){ text.data + 1, text.size - 2 });
  return text;
}

// Returns the index of the candidate that the macro's VALUE spells, or n_values.
static unsigned find_candidate(const struct param *p, struct slice value) {
  long long number;
  struct slice plain = without_parentheses(value);
  bool integer = p->kind == VALUE_INT && read_integer(plain, &number);
  unsigned i = 0;
  while (i < p->n_values &&
         !(integer ? p->values[i].i == number
                   : slice_is(value, p->values[i].text) ||
                   slice_is(plain, p->values[i].text)))
    i++;
  return i;
}

static void read_defaults(const struct source *s, struct kernel *k) {
  for (unsigned i = 0; i < k->n_params; i++) {
    struct param *p = &k->params[i];
    if (!p->named)
      continue;
    struct definition d = kernel_find_definition(s, p->name, k->main.start);
    if (d.function)
      diag_error(s, p->offset, strlen(p->name), NULL, "'%s' is a macro with arguments",
                 p->name);
    p->defined = d.n > 0;
    if (d.n > 0)
      p->original = d.same ? find_candidate(p, d.value) : p->n_values;
  }
}

/* ---- kernels and alternatives ---------------------------------------------------- */

// Reads the function that P stands on. Reports an error if that function has a pragma
// already.
static bool new_function(const struct source *s, const struct pragma *p,
                         const struct kernel *all, unsigned n, struct kernel *out) {
  struct function *f = &out->main;
  *out = (struct kernel){ .choose = -1, .whole = -1, .language = s->language };
  if (!function_find(s, p, f))
    return false;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j <= all[i].n_alternatives; j++) {
      const struct function *g = j ? &all[i].alternatives[j - 1] : &all[i].main;
      if (g->start == f->start) {
        diag_error(s, p->offset, p->end - p->offset, NULL,
                   "the function '%s' is a kernel or an alternative already", g->name);
        return false;
      }
    }
  return s->language->signature_read(s, f, out);
}

// Returns the kernel NAME in the scope of LIKE, a kernel or an alternative (NULL: in any
// scope), or NULL.
static struct kernel *kernel_find_kernel(struct kernel *all, unsigned n,
                                         struct slice name, const struct kernel *like) {
  for (unsigned i = 0; i < n; i++)
    if (slice_is(name, all[i].main.name) &&
        (!like || !like->language->same_scope ||
         like->language->same_scope(&all[i], like)))
      return &all[i];
  return NULL;
}

static bool kernel_read_kernel(const struct source *s, const struct pragma *p,
                               struct kernel **all, unsigned *n) {
  struct kernel k;
  if (!new_function(s, p, *all, *n, &k))
    return false;
  if (kernel_find_kernel(*all, *n, slice_of(k.main.name), &k)) {
    diag_error(s, k.main.name_at, strlen(k.main.name), NULL,
               "there is a kernel '%s' already", k.main.name);
    return false;
  }
  clauses_read(s, &k);
  *GROW(*all, *n) = k;
  return true;
}

static bool kernel_read_alternative(const struct source *s, const struct pragma *p,
                                    struct kernel *all, unsigned n) {
  struct slice name = p->clauses[0].args[0].text;
  struct kernel *k = kernel_find_kernel(all, n, name, NULL), *same, other;
  if (!new_function(s, p, all, n, &other))
    return false;
  if (!k) {
    const char **names = NULL;
    unsigned n_names = 0;
    for (unsigned i = 0; i < n; i++)
      *GROW(names, n_names) = all[i].main.name;
    *GROW(names, n_names) = NULL;
    size_t at = p->clauses[0].args[0].offset;
    diag_error(s, at, name.size, diag_meant(s, at, name.size, nearest(name, names)),
               "there is no kernel '%.*s' in this file", (int)name.size, name.data);
    return false;
  }
  if ((same = kernel_find_kernel(all, n, name, &other)) != NULL)
    k = same;
  if (!s->language->signature_same(s, k, &other))
    return false;
  *GROW(k->alternatives, k->n_alternatives) = other.main;
  return true;
}

// Adds the param that chooses the algorithm: 0 is the kernel itself.
static void add_choice(struct kernel *k) {
  struct param p = {
    .name = "algorithm", .kind = VALUE_CHOICE, .when = -1, .offset = k->main.name_at
  };
  for (unsigned i = 0; i <= k->n_alternatives; i++) {
    const struct function *f = i ? &k->alternatives[i - 1] : &k->main;
    *GROW(p.values, p.n_values) = (struct value){ .offset = f->name_at,
                                                  .text = f->name,
                                                  .define = arena_printf("%u", i),
                                                  .i = i,
                                                  .d = i };
  }
  k->choose = kernel_add_param(k, p);
}

/* ---- loops ----------------------------------------------------------------------- */

static bool kernel_uses_openmp(const struct source *s, const struct function *f) {
  struct lexer l = { s->text + f->body_at, s->text + f->end, false };
  struct slice before = { NULL, 0 };
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (t.text.size > 4 && memcmp(t.text.data, "omp_", 4) == 0)
      return true;
    if (slice_is(t.text, "omp") && slice_is(before, "pragma"))
      return true;
    before = t.text;
  }
  for (unsigned i = 0; i < f->n_directives; i++)
    if (directive_groups(f->directives[i].kind) & (GROUP_OPENMP | GROUP_SCHEDULE))
      return true; // `reschedule` has `omp simd`, too
  return false;
}

// Diagnoses sets of values, `schedule({static, dynamic})`, in OpenMP's own pragmas in F.
static void kernel_check_openmp(const struct source *s, const struct function *f) {
  struct lexer l = { s->text + f->body_at, s->text + f->end, false }, line;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (!t.first || !slice_is(t.text, "#") || lex_directive(&l, &line) != LINE_PRAGMA ||
        !slice_is(lex(&line).text, "omp"))
      continue;
    struct slice before = { NULL, 0 };
    for (struct token u; (u = lex(&line)).kind != TOKEN_END; before = u.text)
      if (slice_is(u.text, "{") && slice_is(before, "("))
        diag_error(s, (size_t)(u.text.data - s->text), 1,
                   "write it in a '#pragma autotune' directly below this pragma",
                   "a pragma of OpenMP takes no set of values");
  }
}

static void kernel_read_loops(const struct source *s, const struct pragma *pragmas,
                              unsigned n, struct kernel *k) {
  const struct language *language = s->language;
  for (unsigned i = 0; i <= k->n_alternatives; i++) {
    struct function *f = i ? &k->alternatives[i - 1] : &k->main;
    if (language->directives_check && !language->directives_check(s, pragmas, n, f))
      continue;
    bool good = directives_read(s, pragmas, n, k, f);
    if (good && language->loops_check)
      language->loops_check(s, k, f);
    kernel_check_openmp(s, f);
    if (good && f == &k->main && k->whole >= 0 && f->n_directives == 0)
      diag_warning(s, k->params[k->whole].offset, 8, NULL,
                   "'optional' changes nothing: the kernel has no directive");
    k->openmp = k->openmp || (!language->device && kernel_uses_openmp(s, f));
    for (unsigned j = 0; j < k->n_params; j++)
      if (k->params[j].named)
        names_check_declared(s, f, &k->params[j]);
  }
}

static bool kernel_covered(const struct kernel *k, size_t offset) {
  for (unsigned i = 0; i <= k->n_alternatives; i++) {
    const struct function *f = i ? &k->alternatives[i - 1] : &k->main;
    if (offset > f->body_at && offset < f->end)
      return true;
  }
  return false;
}

static void check_stray(const struct source *s, const struct pragma *p,
                        const struct kernel *all, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (kernel_covered(&all[i], p->offset))
      return;
  diag_error(s, p->offset, p->end - p->offset, "put it before a 'for'",
             "'%s' is not in a kernel", directive_name(p->directive));
}

struct kernel *kernel_all(const struct source *s, const struct pragma *pragmas,
                          unsigned n, unsigned *n_kernels) {
  struct kernel *all = NULL;
  unsigned errors = diag_errors();
  bool fine = true;
  *n_kernels = 0;
  for (unsigned i = 0; i < n && diag_errors() < MAX_ERRORS; i++)
    if (pragmas[i].kind == PRAGMA_KERNEL)
      fine = kernel_read_kernel(s, &pragmas[i], &all, n_kernels) && fine;
  for (unsigned i = 0; i < n && diag_errors() < MAX_ERRORS; i++)
    if (pragmas[i].kind == PRAGMA_ALTERNATIVE)
      fine = kernel_read_alternative(s, &pragmas[i], all, *n_kernels) && fine;
  for (unsigned i = 0; i < n && fine && diag_errors() < MAX_ERRORS; i++)
    if (pragmas[i].kind == PRAGMA_LOOP)
      check_stray(s, &pragmas[i], all, *n_kernels);
  for (unsigned i = 0; i < *n_kernels; i++) {
    struct kernel *k = &all[i];
    if (k->n_alternatives)
      add_choice(k);
    read_defaults(s, k);
    kernel_read_loops(s, pragmas, n, k);
    names_check_params(s, k);
    points_check(s, k);
  }
  if (s->language->kernels_check && diag_errors() == errors)
    s->language->kernels_check(s, all, *n_kernels);
  return all;
}
