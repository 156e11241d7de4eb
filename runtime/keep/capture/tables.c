// SPDX-License-Identifier: Apache-2.0
// tables.c: reads and writes the kernel's tables and the call. Writing does not change
// them.
#include <string.h>

#include "capture.h"

// Limits of the numbers in a file; a greater number is damage.
enum { MOST_RETURNED = 1 << 20, MOST_ARGUMENT = 1 << 24, MOST_LEAVES = 1 << 16 };

static void tables_require(struct stream *s, bool condition) {
  s->failed |= !condition;
}

static void stream_int(struct stream *s, int *n) {
  unsigned number = (unsigned)*n;
  stream_unsigned(s, &number);
  if (s->reading)
    *n = (int)number;
}

// Reads or writes an enum of N values as an int.
#define STREAM_ENUM(s, e, n)            \
  do {                                  \
    unsigned number_ = (unsigned)(e);   \
    stream_unsigned((s), &number_);     \
    tables_require((s), number_ < (n)); \
    if ((s)->reading)                   \
      (e) = number_;                    \
  } while (0)

static void stream_size(struct stream *s, size_t *n) {
  uint64_t number = *n;
  stream_number(s, &number);
  if (s->reading)
    *n = (size_t)number;
}

static void stream_pointer(struct stream *s, const void **p) {
  uint64_t number = (uint64_t)(uintptr_t)*p;
  stream_number(s, &number);
  if (s->reading)
    *p = (const void *)(uintptr_t)number;
}

// Reads or writes a text that must not be NULL.
static void stream_name(struct stream *s, const char **text) {
  stream_text(s, text);
  tables_require(s, *text != NULL);
}

// ---- the tables ---------------------------------------------------------------------

static void tables_value(struct stream *s, struct autotune_value *v) {
  stream_name(s, &v->text);
  stream_text(s, &v->define);
  stream_bytes(s, &v->i, sizeof v->i);
  stream_double(s, &v->d);
}

static void tables_param(struct stream *s, struct autotune_param *p, int index) {
  stream_name(s, &p->name);
  stream_text(s, &p->macro);
  STREAM_ENUM(s, p->kind, AUTOTUNE_COMPILER + 1);
  stream_int(s, &p->when);
  stream_unsigned(s, &p->original);
  struct autotune_value *v = stream_array(s, p->values, &p->n_values, sizeof *v, 32);
  for (unsigned i = 0; i < p->n_values; i++)
    tables_value(s, &v[i]);
  if (s->reading)
    p->values = v;
  tables_require(s,
                 p->when >= -1 && p->when < index && p->n_values > 0 &&
                     p->original <= p->n_values);
}

static void tables_unit(struct stream *s, struct autotune_unit *u) {
  unsigned n = 0;
  for (; !s->reading && u->flags && u->flags[n];)
    n++;
  stream_name(s, &u->compiler);
  stream_name(s, &u->text);
  const char *const *given = u->flags;
  stream_unsigned(s, &n);
  tables_require(s, !s->reading || n <= s->size - s->at);
  const char **made = s->reading ? stream_new(s, (size_t)n + 1, sizeof *made) : NULL;
  for (unsigned i = 0; i < n && !s->failed; i++) {
    const char *flag = made ? NULL : given[i];
    stream_name(s, &flag);
    if (made)
      made[i] = flag;
  }
  if (made)
    u->flags = made;
}

static void tables_step(struct stream *s, struct autotune_step *t, unsigned n_params,
                        unsigned n_leaves) {
  STREAM_ENUM(s, t->op, AUTOTUNE_OP_CHOOSE + 1);
  stream_unsigned(s, &t->index);
  stream_double(s, &t->number);
  tables_require(s, t->op != AUTOTUNE_OP_PARAM || t->index < n_params);
  tables_require(s, t->op != AUTOTUNE_OP_LEAF || t->index < n_leaves);
}

static void tables_condition(struct stream *s, struct autotune_condition *c,
                             unsigned n_params) {
  unsigned *looks = stream_array(s, c->params, &c->n_params, sizeof *looks, 4);
  for (unsigned i = 0; i < c->n_params; i++) {
    stream_unsigned(s, &looks[i]);
    tables_require(s, looks[i] < n_params);
  }
  if (s->reading)
    c->params = looks;
  stream_text(s, &c->text);
  stream_unsigned(s, &c->n_leaves);
  tables_require(s, c->n_leaves <= MOST_LEAVES);
  struct autotune_step *steps = stream_array(s, c->steps, &c->n_steps, sizeof *steps, 16);
  for (unsigned i = 0; i < c->n_steps; i++)
    tables_step(s, &steps[i], n_params, c->n_leaves);
  if (s->reading)
    c->steps = steps;
}

static void tables_symbol(struct stream *s, struct autotune_symbol *y) {
  stream_name(s, &y->name);
  stream_pointer(s, &y->address);
  stream_size(s, &y->size);
}

static void tables_argument(struct stream *s, struct autotune_arg *a) {
  stream_name(s, &a->name);
  stream_size(s, &a->size);
  stream_int(s, &a->pointer);
  tables_require(s, a->size > 0 && a->size <= MOST_ARGUMENT);
  tables_require(s, !a->pointer || a->size == sizeof(void *));
}

static void tables_section(struct stream *s, struct autotune_section *c) {
  stream_name(s, &c->name);
  STREAM_ENUM(s, c->access, AUTOTUNE_INOUT + 1);
  STREAM_ENUM(s, c->element, AUTOTUNE_F128 + 1);
  stream_size(s, &c->element_size);
}

// Reads or writes a table: its number of elements, then the statement for each.
#define STREAM_TABLE(s, k, what, least, ...)                                      \
  do {                                                                            \
    void *table_ =                                                                \
        stream_array((s), (k)->what, &(k)->n_##what, sizeof *(k)->what, (least)); \
    (k)->what = table_;                                                           \
    for (unsigned i = 0; i < (k)->n_##what && !(s)->failed; i++)                  \
      __VA_ARGS__;                                                                \
  } while (0)
// Element I of the table, which is const for all but the stream that makes it.
#define ELEMENT(type, table, i) ((type *)(uintptr_t)&(table)[i])

static void tables(struct stream *s, struct autotune_kernel *k) {
  STREAM_TABLE(s, k, args, 20,
               tables_argument(s, ELEMENT(struct autotune_arg, k->args, i)));
  STREAM_TABLE(s, k, keys, 8, stream_name(s, ELEMENT(const char *, k->keys, i)));
  STREAM_TABLE(s, k, params, 32,
               tables_param(s, ELEMENT(struct autotune_param, k->params, i), (int)i));
  STREAM_TABLE(s, k, sections, 24,
               tables_section(s, ELEMENT(struct autotune_section, k->sections, i)));
  STREAM_TABLE(s, k, units, 20,
               tables_unit(s, ELEMENT(struct autotune_unit, k->units, i)));
  STREAM_TABLE(s, k, symbols, 24,
               tables_symbol(s, ELEMENT(struct autotune_symbol, k->symbols, i)));
  STREAM_TABLE(s, k, conditions, 12,
               tables_condition(s, ELEMENT(struct autotune_condition, k->conditions, i),
                                k->n_params));
  tables_require(s, k->n_params <= MAX_PARAMS && k->n_units > 0);
}

static void tables_kernel(struct stream *s, struct autotune_kernel *k) {
  stream_unsigned(s, &k->abi);
  tables_require(s, k->abi == AUTOTUNE_ABI);
  stream_name(s, &k->name);
  stream_name(s, &k->file);
  stream_unsigned(s, &k->line);
  stream_size(s, &k->ret_size);
  tables_require(s, k->ret_size <= MOST_RETURNED);
  STREAM_ENUM(s, k->ret_element, AUTOTUNE_F128 + 1);
  tables(s, k);
  STREAM_ENUM(s, k->verify, AUTOTUNE_VERIFY_OFF + 1);
  stream_double(s, &k->rtol);
  stream_double(s, &k->atol);
  stream_text(s, &k->search);
  stream_double(s, &k->budget_seconds);
  stream_unsigned(s, &k->budget_variants);
  stream_text(s, &k->mode);
  stream_unsigned(s, &k->openmp);
  stream_double(s, &k->budget_fraction);
  stream_double(s, &k->until);
  stream_text(s, &k->family);
  stream_text(s, &k->compiler);
  stream_name(s, &k->replay);
}

void capture_tables(struct stream *s, struct capture *c) {
  struct autotune_kernel *k = &c->kernel;
  tables_kernel(s, k);
  if (s->reading) {
    c->key = stream_new(s, k->n_keys, sizeof *c->key);
    c->args = stream_new(s, k->n_args, sizeof *c->args);
    c->spans = stream_new(s, k->n_sections, sizeof *c->spans);
  }
  for (unsigned i = 0; i < k->n_keys && !s->failed; i++)
    stream_bytes(s, &c->key[i], sizeof *c->key);
  for (unsigned i = 0; i < k->n_args && !s->failed; i++) {
    if (s->reading)
      c->args[i] = stream_new(s, 1, k->args[i].size);
    if (!s->failed)
      stream_bytes(s, c->args[i], k->args[i].size);
  }
  for (unsigned i = 0; i < k->n_sections && !s->failed; i++) {
    stream_pointer(s, (const void **)&c->spans[i].base);
    stream_size(s, &c->spans[i].bytes);
  }
  stream_name(s, &c->version);
  stream_name(s, &c->cpu);
  stream_name(s, &c->isa);
  stream_name(s, &c->machine);
  stream_unsigned(s, &c->threads);
  if (s->version >= 2)
    stream_unsigned(s, &k->inferred);
  tables_require(s, !s->reading || s->at == s->size);
}
