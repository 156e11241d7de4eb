// SPDX-License-Identifier: Apache-2.0
// identity.c: hashes of the parts of a kernel that a result depends on.
//
// A line above the kernel, another spelling of its path, or one more candidate in a list
// change nothing for the variants that were measured. So lines and paths are left out
// unless the text prints them, and sets without a name are called by their order instead
// of their line. Each variant has a hash of its own text: of the branches that the
// translator wrote for permutations, alternatives and `optional`, only those that this
// variant takes count.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/base.h"
#include "kernel.h"
#include "space.h"
#include "value.h"
#include "variant.h"
#include "identity.h"

// ---- names without lines ------------------------------------------------------------

struct entry {
  char *name;
  struct named_value text;
};

static bool all_named(const struct entry *e, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (!e[i].name)
      return false;
  return true;
}

// "tile@40.2" becomes "tile@3.2" where 40 is the third of the lines that the N names
// mention.
static bool rank_names(struct entry *e, unsigned n) {
  if (!all_named(e, n))
    return false;
  struct place place;
  unsigned long *lines = sys_calloc(n + 1, sizeof *lines);
  for (unsigned i = 0; lines && i < n; i++)
    if (place_read(e[i].name, strlen(e[i].name), &place))
      lines[i] = place.line;
  for (unsigned i = 0; lines && i < n; i++) {
    unsigned rank = lines[i] != 0;
    if (!rank)
      continue;
    for (unsigned j = 0; j < n; j++) {
      bool first = lines[j] != 0 && lines[j] < lines[i];
      for (unsigned k = 0; first && k < j; k++)
        first = lines[k] != lines[j];
      rank += first;
    }
    place_read(e[i].name, strlen(e[i].name), &place);
    char *name =
        sys_printf("%.*s%u%s", (int)place.stem, e[i].name, rank, e[i].name + place.rest);
    free(e[i].name);
    e[i].name = name;
  }
  bool fine = lines && all_named(e, n);
  free(lines);
  return fine;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static void free_entries(struct entry *e, unsigned n) {
  for (unsigned i = 0; e && i < n; i++)
    free(e[i].name);
  free(e);
}

// Turns "MR=6\ntile@40.2=8\n" into entries with names without lines, sorted; NULL: no
// memory.
static struct entry *read_values(const char *values, unsigned *n) {
  struct named_value s;
  *n = 0;
  for (const char *p = values; value_next(&p, &s);)
    ++*n;
  struct entry *e = sys_calloc(*n + 1, sizeof *e);
  for (unsigned i = 0; e && value_next(&values, &s); i++)
    e[i] = (struct entry){ sys_printf("%.*s", (int)s.name_size, s.name), s };
  if (e && rank_names(e, *n))
    qsort(e, *n, sizeof *e, by_name);
  else
    free_entries(e, *n), e = NULL;
  return e;
}

// Returns the canonical names of K's parameters, in their order; NULL: no memory.
static struct entry *param_names(const struct autotune_kernel *k) {
  struct entry *e = sys_calloc(k->n_params + 1, sizeof *e);
  for (unsigned i = 0; e && i < k->n_params; i++)
    e[i].name = sys_strdup(k->params[i].name);
  if (e && !rank_names(e, k->n_params))
    free_entries(e, k->n_params), e = NULL;
  return e;
}

uint64_t identity_values(const char *values) {
  unsigned n;
  uint64_t h = 0;
  struct entry *e = read_values(values, &n);
  for (unsigned i = 0; e && i < n; i++) {
    h = XXH3_64bits_withSeed(e[i].name, strlen(e[i].name) + 1, h);
    h = XXH3_64bits_withSeed(e[i].text.value, e[i].text.size, h);
  }
  free_entries(e, n);
  return h;
}

// ---- points -------------------------------------------------------------------------

bool identity_point(const struct autotune_kernel *k, const char *values, choice *point) {
  unsigned n;
  struct entry *e = read_values(values, &n), *names = param_names(k);
  bool found = e && names && n == k->n_params;
  for (unsigned p = 0; found && p < k->n_params; p++) {
    const struct entry *value = bsearch(&names[p], e, n, sizeof *e, by_name);
    point[p] = 0;
    found = value != NULL;
    if (found && space_matters(k, point, p)) {
      point[p] = value_choice(&value->text, &k->params[p]);
      found = point[p] < k->params[p].n_values;
    }
  }
  free_entries(names, k->n_params);
  free_entries(e, n);
  return found;
}

// ---- the text of one variant --------------------------------------------------------

// The branches that are taken of the conditions around a line.
struct nest {
  unsigned char ours[64], taken[64], done[64];
  unsigned depth;
};

static bool identity_begins(const char *s, const char *prefix) {
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

// Returns the value of the parameter whose macro is at *S, and moves *S past the macro;
// NULL: there is no such parameter.
static const struct autotune_value *identity_macro_value(const struct autotune_kernel *k,
                                                         const choice *point,
                                                         const char **s) {
  for (unsigned p = 0; p < k->n_params; p++) {
    size_t n = k->params[p].macro ? strlen(k->params[p].macro) : 0;
    if (n && strncmp(*s, k->params[p].macro, n) == 0 &&
        !isalnum((unsigned char)(*s)[n]) && (*s)[n] != '_') {
      *s += n;
      return &k->params[p].values[point[p]];
    }
  }
  return NULL;
}

// Reads "(1,3,2)" as the translator's AUTOTUNE_ORDER macros encode it; a plain number as
// itself.
static long long identity_order_of(const char *define) {
  long long code = 0;
  for (const char *p = define; *p; p++)
    if (isdigit((unsigned char)*p)) {
      char *end;
      code = code * 32 + strtoll(p, &end, 10);
      p = end - 1;
    }
  return code;
}

// Evaluates a condition that the translator wrote (loops/write.c): PARAM == N or
// AUTOTUNE_APPLY(AUTOTUNE_ORDERn, PARAM) == N, several joined by &&. False: it is none of
// these.
static bool identity_evaluate(const struct autotune_kernel *k, const choice *point,
                              const char *s, bool *holds) {
  static const char apply[] = "AUTOTUNE_APPLY(AUTOTUNE_ORDER";
  for (*holds = true;; s += 2) {
    s += strspn(s, " ");
    bool order = identity_begins(s, apply);
    if (order) {
      s += strlen(apply);
      s += strspn(s, "0123456789, ");
    } else if (!identity_begins(s, "AUTOTUNE_P")) {
      return false;
    }
    const struct autotune_value *v = identity_macro_value(k, point, &s);
    if (!v || !v->define || (order && *s++ != ')') || !identity_begins(s, " == "))
      return false;
    char *end;
    long long wanted = strtoll(s + 4, &end, 10),
              got = order ? identity_order_of(v->define) : atoll(v->define);
    *holds = *holds && wanted == got;
    s = end + strspn(end, " ");
    if (*s == '\n' || *s == '\0')
      return true;
    if (!identity_begins(s, "&&"))
      return false;
  }
}

static bool identity_is_live(const struct nest *n) {
  for (unsigned i = 0; i < n->depth; i++)
    if (n->ours[i] && !n->taken[i])
      return false;
  return true;
}

// Follows the conditional directive at LINE. True: it belongs to the text, as directives
// of others do.
static bool identity_follow(const struct autotune_kernel *k, const choice *point,
                            const char *line, struct nest *n) {
  bool holds = false;
  if (identity_begins(line, "#if")) {
    if (n->depth == sizeof n->ours)
      return true;
    unsigned i = n->depth++;
    n->ours[i] = identity_begins(line, "#if ") &&
        identity_evaluate(k, point, line + 4, &holds);
    n->taken[i] = n->done[i] = holds;
    return !n->ours[i];
  }
  if (n->depth == 0)
    return true;
  unsigned top = n->depth - 1;
  bool ours = n->ours[top];
  if (identity_begins(line, "#endif")) {
    n->depth--;
  } else if (ours &&
             (identity_begins(line, "#elif ") || identity_begins(line, "#else"))) {
    if (identity_begins(line, "#else") || !identity_evaluate(k, point, line + 6, &holds))
      holds = true;
    n->taken[top] = holds && !n->done[top];
    n->done[top] |= holds;
  }
  return !ours;
}

static bool identity_is_conditional(const char *line) {
  return identity_begins(line, "#if") || identity_begins(line, "#el") ||
      identity_begins(line, "#endif");
}

// Returns the text that POINT leaves of TEXT, without lines and paths if the text does
// not print them.
static uint64_t hash_text(const struct autotune_kernel *k, const choice *point,
                          const char *text, uint64_t h) {
  bool printed = strstr(text, "__LINE__") || strstr(text, "__FILE__");
  struct nest n = { .depth = 0 };
  for (const char *line = text; *line;) {
    size_t size = strcspn(line, "\n");
    size += line[size] == '\n';
    bool live = identity_is_live(&n);
    if (identity_is_conditional(line))
      live &= identity_follow(k, point, line, &n);
    else
      live &= printed || !identity_begins(line, "#line ");
    if (live && !(size == 1 && line[0] == '\n'))
      h = XXH3_64bits_withSeed(line, size, h);
    line += size;
  }
  return h;
}

static uint64_t hash_word(uint64_t h, const char *s) {
  return XXH3_64bits_withSeed(s ? s : "", s ? strlen(s) + 1 : 0, h + (s == NULL));
}

uint64_t identity_text(const struct autotune_kernel *k, const choice *point) {
  const struct autotune_unit *unit = variant_unit(k, point);
  uint64_t h = hash_word(0, variant_compiler(k, point));
  char **flags = variant_flags(k, point);
  for (char **f = flags; f && *f; f++)
    h = hash_word(h, *f);
  free(flags);
  return unit ? hash_text(k, point, unit->text, h) : h;
}

uint64_t identity_variant(const struct autotune_kernel *k, const choice *point,
                          const char *values, const char *compiler) {
  return XXH3_64bits_withSeed(compiler, strlen(compiler),
                              identity_values(values) + identity_text(k, point));
}

// ---- checks -------------------------------------------------------------------------

enum { CHECK_RULES = 2 }; // to be increased when run/ judges differently

static uint64_t hash_numbers(uint64_t h, const void *numbers, size_t size) {
  return XXH3_64bits_withSeed(numbers, size, h);
}

static uint64_t hash_layout(uint64_t h, const struct autotune_layout *t) {
  for (unsigned i = 0; t && i < t->n_leaves; i++) {
    const struct autotune_leaf *l = &t->leaves[i];
    const size_t parts[] = { t->size, l->element, l->offset, l->size, l->n_repeats };
    h = hash_numbers(hash_word(h, l->path), parts, sizeof parts);
    for (unsigned r = 0; r < l->n_repeats; r++) {
      const struct autotune_repeat *repeat = &t->repeats[l->repeat + r];
      const size_t numbers[] = { repeat->count, repeat->stride };
      h = hash_numbers(h, numbers, sizeof numbers);
    }
    if (l->mask)
      h = hash_numbers(h, l->mask, l->size);
  }
  return h;
}

uint64_t identity_contract(const struct autotune_kernel *k) {
  const struct autotune_gpu *g = k->gpu;
  bool tolerance = k->verify == AUTOTUNE_VERIFY_TOLERANCE;
  const double limits[] = { tolerance ? k->rtol : 0, tolerance ? k->atol : 0 };
  const unsigned numbers[] = { CHECK_RULES, k->verify, k->inferred, k->n_sections,
                               k->ret_element };
  const struct autotune_layout *const *layouts = kernel_layouts(k);
  uint64_t h = hash_numbers(k->ret_size, numbers, sizeof numbers);
  h = hash_layout(h, kernel_ret_layout(k));
  h = hash_word(hash_numbers(h, limits, sizeof limits), k->compiler);
  for (unsigned i = 0; i < k->n_sections; i++) {
    const struct autotune_section *s = &k->sections[i];
    const size_t parts[] = { s->access, s->element, s->element_size };
    h = hash_numbers(hash_word(h, s->name), parts, sizeof parts);
    h = layouts ? hash_layout(h, layouts[i]) : h;
  }
  for (unsigned i = 0; g && i < g->n_written; i++) {
    const unsigned parts[] = { g->written[i],
                               g->elements ? g->elements[i] : AUTOTUNE_BYTES };
    h = hash_numbers(h, parts, sizeof parts);
  }
  unsigned n = 0;
  const struct autotune_prepared *prepared = kernel_prepared(k, &n);
  for (unsigned i = 0; i < n; i++)
    h = hash_word(h, prepared[i].text);
  return h + !h;
}

// ---- kernels ------------------------------------------------------------------------

// Sets POINT to the variant with all directives in force and the first candidate of each
// list, so that longer lists do not change it.
static void identity_representative(const struct autotune_kernel *k, choice *point) {
  for (unsigned p = 0; p < k->n_params && p < MAX_PARAMS; p++) {
    const struct autotune_param *a = &k->params[p];
    bool optional = a->kind == AUTOTUNE_CHOICE && a->n_values == 2 &&
        a->values[0].i == 0 && a->values[1].i == 1 &&
        strcmp(a->values[0].text, "no") == 0;
    point[p] = optional;
  }
}

uint64_t identity_unit(const struct autotune_kernel *k) {
  choice point[MAX_PARAMS] = { 0 };
  uint64_t h = hash_word(0, k->name);
  if (kernel_is_launched(k))
    h = hash_word(h, kernel_instance(k));
  if (k->n_params <= MAX_PARAMS)
    identity_representative(k, point);
  for (unsigned i = 0; i < k->n_units; i++) {
    h = hash_text(k, point, k->units[i].text, hash_word(h, k->units[i].compiler));
    for (const char *const *f = k->units[i].flags; f && *f; f++)
      h = hash_word(h, *f);
  }
  for (unsigned i = 0; i < k->n_args; i++)
    h = XXH3_64bits_withSeed(&k->args[i].size, sizeof k->args[i].size, h);
  return h;
}

const char *identity_kind(enum autotune_kind kind) {
  static const char *const kinds[] = { "int",   "real",   "word",  "string",
                                       "tuple", "choice", "flags", "compiler" };
  return (unsigned)kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "?";
}

static void identity_print_params(const struct autotune_kernel *k,
                                  const struct entry *names, FILE *f) {
  for (unsigned p = 0; p < k->n_params; p++) {
    const struct autotune_param *a = &k->params[p];
    fprintf(f, "%s\t%s\t%d\t%u", names ? names[p].name : a->name, identity_kind(a->kind),
            a->when, a->original);
    for (unsigned v = 0; v < a->n_values; v++)
      fprintf(f, "\t%s", a->values[v].text);
    fputc('\n', f);
  }
}

static void print_conditions(const struct autotune_kernel *k, FILE *f) {
  for (unsigned i = 0; i < k->n_conditions; i++) {
    const struct autotune_condition *c = &k->conditions[i];
    for (unsigned p = 0; p < c->n_params; p++)
      fprintf(f, "%s%s", p ? "," : "", k->params[c->params[p]].name);
    fputc('\t', f);
    for (const char *s = c->text ? c->text : ""; *s; s++)
      fputc(isspace((unsigned char)*s) ? ' ' : *s, f);
    fputc('\n', f);
  }
}

char *identity_params(const struct autotune_kernel *k) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (f)
    identity_print_params(k, NULL, f);
  return f && fclose(f) == 0 ? text : NULL;
}

char *identity_conditions(const struct autotune_kernel *k) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (f)
    print_conditions(k, f);
  return f && fclose(f) == 0 ? text : NULL;
}

uint64_t identity_space(const struct autotune_kernel *k) {
  char *text = NULL;
  size_t size = 0;
  struct entry *names = param_names(k);
  FILE *f = names ? open_memstream(&text, &size) : NULL;
  uint64_t h = 0;
  if (f) {
    identity_print_params(k, names, f);
    print_conditions(k, f);
    fclose(f);
    h = text ? XXH3_64bits(text, size) : 0;
  }
  free(text);
  free_entries(names, k->n_params);
  return h;
}

const char *identity_toolchain(void) {
  return AUTOTUNE_TOOLCHAIN;
}
