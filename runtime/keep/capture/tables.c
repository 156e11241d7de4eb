// SPDX-License-Identifier: Apache-2.0
// tables.c: one table of all that a file says about a call, in the order of the file, and
// the functions that read and write by it. Writing changes nothing but the stream.
#include <string.h>

#include "capture.h"
#include "model/kernel.h"
#include "model/layout.h"

// Limits of the numbers in a file; a greater number is damage.
enum { MOST_RETURNED = 1 << 20, MOST_ARGUMENT = 1 << 24, MOST_LEAVES = 1 << 16 };

enum field_type {
  NUMBER,   // 4 bytes: an unsigned, int or enum
  WIDE,     // 8 bytes: a size_t, long long, double or pointer
  TEXT,     // const char *
  NAME,     // likewise, never NULL
  TABLE,    // a pointer to elements; the unsigned at `n_at` says how many
  LIST,     // likewise, but that number is not repeated in the file
  WORDS,    // a pointer to texts; the last of them is NULL
  OPTIONAL, // a pointer to one struct, or NULL
  MASK,     // a pointer to as many bytes as the size_t at `n_at` says, or NULL
  ARGUMENTS // `args` of struct capture
};
struct field {
  enum field_type type;
  size_t at, n_at;         // offsets of its member, and of its number of elements
  const struct layout *of; // of its elements
  uint64_t most;           // limit of a number; 0: none
  uint32_t since;          // version of the file's format that first had it
};
struct layout {
  size_t size; // of the struct
  unsigned n;
  const struct field *fields;
};

// ---- the table ----------------------------------------------------------------------

#define LAYOUT(what, type, ...)                                               \
  static const struct field what##_fields[] = { __VA_ARGS__ };                \
  static const struct layout what##_layout = {                                \
    sizeof(type), sizeof what##_fields / sizeof *what##_fields, what##_fields \
  }
#define FIELD(kind, in, member, ...) \
  { .type = kind, .at = offsetof(struct autotune_##in, member), __VA_ARGS__ }
#define CALL(kind, member, ...) \
  { .type = kind, .at = offsetof(struct capture, member), __VA_ARGS__ }
#define OF(in, n, what) .n_at = offsetof(struct in, n), .of = &what##_layout
#define ARRAY(in, member, what) \
  FIELD(TABLE, in, member, OF(autotune_##in, n_##member, what))

LAYOUT(index, unsigned, { .type = NUMBER });
LAYOUT(number, long long, { .type = WIDE });
LAYOUT(text, const char *, { .type = NAME });
LAYOUT(value, struct autotune_value, FIELD(NAME, value, text), FIELD(TEXT, value, define),
       FIELD(WIDE, value, i), FIELD(WIDE, value, d));
LAYOUT(param, struct autotune_param, FIELD(NAME, param, name), FIELD(TEXT, param, macro),
       FIELD(NUMBER, param, kind, .most = AUTOTUNE_COMPILER), FIELD(NUMBER, param, when),
       FIELD(NUMBER, param, original), ARRAY(param, values, value));
LAYOUT(unit, struct autotune_unit, FIELD(NAME, unit, compiler), FIELD(NAME, unit, text),
       FIELD(WORDS, unit, flags, .of = &text_layout));
LAYOUT(symbol, struct autotune_symbol, FIELD(NAME, symbol, name),
       FIELD(WIDE, symbol, address), FIELD(WIDE, symbol, size));
LAYOUT(step, struct autotune_step, FIELD(NUMBER, step, op, .most = AUTOTUNE_OP_CHOOSE),
       FIELD(NUMBER, step, index), FIELD(WIDE, step, number));
LAYOUT(condition, struct autotune_condition, ARRAY(condition, params, index),
       FIELD(TEXT, condition, text),
       FIELD(NUMBER, condition, n_leaves, .most = MOST_LEAVES),
       ARRAY(condition, steps, step));
LAYOUT(section, struct autotune_section, FIELD(NAME, section, name),
       FIELD(NUMBER, section, access, .most = AUTOTUNE_SCRATCH),
       FIELD(NUMBER, section, element, .most = AUTOTUNE_POINTER),
       FIELD(WIDE, section, element_size));
LAYOUT(repeat, struct autotune_repeat, FIELD(WIDE, repeat, count),
       FIELD(WIDE, repeat, stride));
LAYOUT(leaf, struct autotune_leaf, FIELD(NAME, leaf, path),
       FIELD(NUMBER, leaf, element, .most = AUTOTUNE_POINTER), FIELD(WIDE, leaf, offset),
       FIELD(WIDE, leaf, size), FIELD(NUMBER, leaf, repeat),
       FIELD(NUMBER, leaf, n_repeats),
       FIELD(MASK, leaf, mask, .n_at = offsetof(struct autotune_leaf, size)));
LAYOUT(layout, struct autotune_layout, FIELD(WIDE, layout, size),
       FIELD(TABLE, layout, leaves, OF(autotune_layout, n_leaves, leaf)),
       FIELD(TABLE, layout, repeats, OF(autotune_layout, n_repeats, repeat)));
LAYOUT(layouts, const struct autotune_layout *,
       { .type = OPTIONAL, .of = &layout_layout });
LAYOUT(span, struct autotune_span, FIELD(WIDE, span, base), FIELD(WIDE, span, bytes));
LAYOUT(argument, struct autotune_arg, FIELD(NAME, arg, name),
       FIELD(WIDE, arg, size, .most = MOST_ARGUMENT), FIELD(NUMBER, arg, kind));

LAYOUT(capture, struct capture, FIELD(NUMBER, kernel, abi), FIELD(NAME, kernel, name),
       FIELD(NAME, kernel, file), FIELD(NUMBER, kernel, line),
       FIELD(WIDE, kernel, ret_size, .most = MOST_RETURNED),
       FIELD(NUMBER, kernel, ret_element, .most = AUTOTUNE_POINTER),
       ARRAY(kernel, args, argument), ARRAY(kernel, keys, text),
       ARRAY(kernel, params, param), ARRAY(kernel, sections, section),
       ARRAY(kernel, units, unit), ARRAY(kernel, symbols, symbol),
       ARRAY(kernel, conditions, condition),
       FIELD(NUMBER, kernel, verify, .most = AUTOTUNE_VERIFY_OFF),
       FIELD(WIDE, kernel, rtol), FIELD(WIDE, kernel, atol), FIELD(TEXT, kernel, search),
       FIELD(WIDE, kernel, budget_seconds), FIELD(NUMBER, kernel, budget_variants),
       FIELD(TEXT, kernel, mode), FIELD(NUMBER, kernel, openmp),
       FIELD(WIDE, kernel, budget_fraction), FIELD(WIDE, kernel, until),
       FIELD(TEXT, kernel, family), FIELD(TEXT, kernel, compiler),
       FIELD(NAME, kernel, replay), CALL(LIST, key, OF(capture, kernel.n_keys, number)),
       CALL(ARGUMENTS, args), CALL(LIST, spans, OF(capture, kernel.n_sections, span)),
       CALL(NAME, version), CALL(NAME, cpu), CALL(NAME, isa), CALL(NAME, machine),
       CALL(NUMBER, threads), FIELD(NUMBER, kernel, inferred, .since = 2),
       FIELD(LIST, kernel, layouts, OF(capture, kernel.n_sections, layouts), .since = 3),
       FIELD(OPTIONAL, kernel, ret_layout, .of = &layout_layout, .since = 3),
       CALL(NUMBER, rows, .since = 4), FIELD(WIDE, kernel, until_roof, .since = 5));
_Static_assert(offsetof(struct capture, kernel) == 0, "fields of kernel are offset by 0");

// ---- by the table -------------------------------------------------------------------

static void tables_struct(struct stream *s, const struct layout *l, char *what);

// Returns the least number of bytes that a struct takes in a file.
static size_t tables_least(const struct layout *l) {
  size_t least = 0;
  for (unsigned i = 0; i < l->n; i++) {
    enum field_type type = l->fields[i].type;
    bool small = type == NUMBER || type == TABLE || type == OPTIONAL || type == MASK;
    least += small ? 4 : 8;
  }
  return least;
}

// Reads or writes a field of the type TABLE, LIST or WORDS. After the elements that are
// read there is one more element, of zeros.
static void tables_elements(struct stream *s, const struct field *f, char *what) {
  unsigned words = 0, *n = f->type == WORDS ? &words : (void *)(what + f->n_at);
  char *elements;
  memcpy(&elements, what + f->at, sizeof elements);
  while (f->type == WORDS && !s->reading && elements &&
         ((char **)(void *)elements)[words])
    words++;
  if (f->type != LIST)
    stream_unsigned(s, n);
  if (s->reading) {
    s->failed |= f->type != LIST && *n > (s->size - s->at) / tables_least(f->of);
    elements = stream_new(s, (size_t)*n + 1, f->of->size);
    memcpy(what + f->at, &elements, sizeof elements);
  }
  for (unsigned i = 0; i < *n && !s->failed; i++)
    tables_struct(s, f->of, elements + i * f->of->size);
}

static void tables_optional(struct stream *s, const struct field *f, char *what) {
  char *element;
  memcpy(&element, what + f->at, sizeof element);
  unsigned there = element != NULL;
  stream_unsigned(s, &there);
  if (s->reading) {
    element = there ? stream_new(s, 1, f->of->size) : NULL;
    memcpy(what + f->at, &element, sizeof element);
  }
  if (element && !s->failed)
    tables_struct(s, f->of, element);
}

static void tables_mask(struct stream *s, const struct field *f, char *what) {
  char *bytes;
  size_t size;
  memcpy(&bytes, what + f->at, sizeof bytes);
  memcpy(&size, what + f->n_at, sizeof size);
  unsigned there = bytes != NULL;
  stream_unsigned(s, &there);
  s->failed |= s->reading && there && size > s->size - s->at;
  if (s->reading) {
    bytes = there ? stream_new(s, 1, size) : NULL;
    memcpy(what + f->at, &bytes, sizeof bytes);
  }
  if (bytes && !s->failed)
    stream_bytes(s, bytes, size);
}

static void tables_arguments(struct stream *s, struct capture *c) {
  const struct autotune_kernel *k = &c->kernel;
  if (s->reading)
    c->args = stream_new(s, k->n_args, sizeof *c->args);
  for (unsigned i = 0; i < k->n_args && !s->failed; i++) {
    if (s->reading)
      c->args[i] = stream_new(s, 1, k->args[i].size);
    stream_bytes(s, c->args[i], k->args[i].size);
  }
}

static void tables_field(struct stream *s, const struct field *f, char *what) {
  void *at = what + f->at;
  uint64_t number = 0;
  switch (f->type) {
  case NUMBER:
    stream_unsigned(s, at);
    number = *(unsigned *)at;
    break;
  case WIDE:
    stream_bytes(s, at, sizeof number);
    memcpy(&number, at, sizeof number);
    break;
  case TEXT:
  case NAME:
    stream_text(s, at);
    s->failed |= f->type == NAME && !*(const char **)at;
    break;
  case ARGUMENTS:
    tables_arguments(s, (void *)what);
    break;
  case OPTIONAL:
    tables_optional(s, f, what);
    break;
  case MASK:
    tables_mask(s, f, what);
    break;
  default:
    tables_elements(s, f, what);
  }
  s->failed |= f->most && number > f->most;
}

static void tables_struct(struct stream *s, const struct layout *l, char *what) {
  for (unsigned i = 0; i < l->n && !s->failed; i++)
    if (s->version >= l->fields[i].since)
      tables_field(s, &l->fields[i], what);
}

// ---- what the table does not say ----------------------------------------------------

static bool condition_is_valid(const struct autotune_condition *c, unsigned n_params) {
  bool valid = true;
  for (unsigned i = 0; i < c->n_params; i++)
    valid &= c->params[i] < n_params;
  for (unsigned i = 0; i < c->n_steps; i++) {
    const struct autotune_step *t = &c->steps[i];
    valid &= t->op != AUTOTUNE_OP_PARAM || t->index < n_params;
    valid &= t->op != AUTOTUNE_OP_LEAF || t->index < c->n_leaves;
  }
  return valid;
}

static bool kernel_is_valid(const struct autotune_kernel *k) {
  bool valid = kernel_is_known(k) && k->n_params <= MAX_PARAMS && k->n_units > 0;
  for (unsigned i = 0; i < k->n_args; i++)
    valid &= k->args[i].size > 0 &&
        (k->args[i].kind != AUTOTUNE_ARG_POINTER || k->args[i].size == sizeof(void *));
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct autotune_param *p = &k->params[i];
    valid &= p->when >= -1 && p->when < (int)i && p->n_values > 0 &&
        p->original <= p->n_values;
  }
  for (unsigned i = 0; i < k->n_conditions; i++)
    valid &= condition_is_valid(&k->conditions[i], k->n_params);
  for (unsigned i = 0; k->layouts && i < k->n_sections; i++)
    valid &= !k->layouts[i] || layout_is_valid(k->layouts[i]);
  valid &= !k->ret_layout ||
      (layout_is_valid(k->ret_layout) && k->ret_layout->size == k->ret_size);
  return valid;
}

void capture_tables(struct stream *s, struct capture *c) {
  tables_struct(s, &capture_layout, (char *)c);
  c->kernel.size = sizeof c->kernel;
  s->failed = s->failed || (s->reading && s->at != s->size) ||
      !kernel_is_valid(&c->kernel);
}
