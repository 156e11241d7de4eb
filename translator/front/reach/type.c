// SPDX-License-Identifier: Apache-2.0
// type.c: finds the type of an expression from the declarations in preprocessed C. It
// follows typedefs, tags, members and subscripts. In doubt a type is BASE_UNKNOWN.
#include <string.h>

#include "front/kernel/kernel.h"
#include "unit.h"

enum { MAX_CHAIN = 64 }; // typedefs, or structs in structs

// ---- declarators --------------------------------------------------------------------

static void type_derive(struct ctype *t, enum derivation d) {
  *GROW(t->derived, t->n) = (unsigned char)d;
}

struct type_attributes {
  bool vector;
  bool computed; // an attribute or a typeof changes the type in a way that is not read
};

// Reads the parentheses after an attribute's word.
static void type_attribute(struct lexer *l, struct type_attributes *a) {
  struct lexer ahead = *l;
  const char *start = l->p;
  if (lex_bracket(declare_lex(&ahead).text) <= 0 || !cut_skip_group(&ahead))
    return;
  size_t size = (size_t)(ahead.p - start);
  a->vector |= memmem(start, size, "vector_size", 11) != NULL ||
      memmem(start, size, "ext_vector_type", 15) != NULL;
  a->computed |= memmem(start, size, "mode", 4) != NULL;
  *l = ahead;
}

// Reads the part of a declarator before its name, and the name: all `*`, and a nested
// declarator. Returns the number of `*`.
static unsigned type_prefix(struct lexer *l, struct ctype *t, struct type_attributes *a);

static void type_suffixes(struct lexer *l, struct ctype *t, struct type_attributes *a) {
  for (;;) {
    struct lexer save = *l;
    struct token w = declare_lex(l);
    if (slice_is(w.text, "[") || slice_is(w.text, "(")) {
      type_derive(t, slice_is(w.text, "[") ? DERIVED_ARRAY : DERIVED_FUNCTION);
      cut_skip_group(l);
    } else if (word_of_c(w.text) & WORD_ATTRIBUTE) {
      type_attribute(l, a);
    } else {
      *l = save;
      return;
    }
  }
}

// Reads the declarator at L, which may have no name, and adds what it derives.
static void type_declarator(struct lexer *l, struct ctype *t, struct type_attributes *a) {
  unsigned stars = type_prefix(l, t, a);
  type_suffixes(l, t, a);
  while (stars--)
    type_derive(t, DERIVED_POINTER);
}

static unsigned type_prefix(struct lexer *l, struct ctype *t, struct type_attributes *a) {
  unsigned stars = 0;
  for (;;) {
    struct lexer save = *l;
    struct token w = declare_lex(l);
    unsigned kind = word_of_c(w.text);
    if (slice_is(w.text, "*")) {
      stars++;
    } else if (kind & WORD_ATTRIBUTE) {
      type_attribute(l, a);
    } else if (slice_is(w.text, "(")) {
      type_declarator(l, t, a);
      declare_lex(l); // the ')'
      return stars;
    } else if (!(kind & (WORD_QUALIFIER | WORD_STORAGE))) {
      if (w.kind != TOKEN_WORD || kind)
        *l = save;
      return stars;
    }
  }
}

// ---- specifiers ---------------------------------------------------------------------

// Sets *BODY to the text between the braces of `struct TAG {…}` in TEXT.
static bool type_find_body(struct slice text, struct slice tag, struct slice *body) {
  struct lexer l = lexer_of(text);
  struct type_attributes ignored;
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END;) {
    if (!(word_of_c(t.text) & WORD_TAG) || slice_is(t.text, "enum"))
      continue;
    struct lexer ahead = l;
    while (word_of_c((t = declare_lex(&ahead)).text) & WORD_ATTRIBUTE)
      type_attribute(&ahead, &ignored);
    if (!slices_same(t.text, tag))
      continue;
    while (word_of_c((t = declare_lex(&ahead)).text) & WORD_ATTRIBUTE)
      type_attribute(&ahead, &ignored);
    body->data = ahead.p;
    if (slice_is(t.text, "{") && cut_skip_group(&ahead)) {
      body->size = (size_t)(ahead.p - body->data) - 1;
      return true;
    }
  }
  return false;
}

// Reads what follows `struct`, `union` or `enum` at KIND.
static void type_tag(const struct expansion *x, struct lexer *l, struct slice kind,
                     struct ctype *t, struct type_attributes *a) {
  struct slice tag = { 0 };
  bool has_body = false;
  for (;;) {
    struct lexer save = *l;
    struct token w = declare_lex(l);
    if (word_of_c(w.text) & WORD_ATTRIBUTE) {
      type_attribute(l, a);
    } else if (w.kind == TOKEN_WORD && !tag.size && !word_of_c(w.text)) {
      tag = w.text;
    } else if (slice_is(w.text, "{")) {
      t->members.data = l->p;
      has_body = cut_skip_group(l);
      t->members.size = (size_t)(l->p - t->members.data) - 1;
      break;
    } else {
      *l = save;
      break;
    }
  }
  t->tag = tag;
  if (slice_is(kind, "enum")) {
    t->base = BASE_NUMBER;
    return;
  }
  const struct item *i;
  for (const struct name *n = NULL;
       !has_body && (i = items_named(&x->items, NAME_TAG, tag, &n)) != NULL;)
    has_body = !i->piece && type_find_body(i->text, tag, &t->members);
  if (has_body)
    t->base = slice_is(kind, "union") ? BASE_UNION : BASE_STRUCT;
}

// Numbers that _Generic cannot name in every compiler.
static const char *type_special(struct slice word) {
  static const struct {
    const char *word, *element;
  } words[] = {
    { "_Float16", "AUTOTUNE_F16" },  { "__fp16", "AUTOTUNE_F16" },
    { "__bf16", "AUTOTUNE_BF16" },   { "_Float128", "AUTOTUNE_F128" },
    { "_Float32", "AUTOTUNE_F32" },  { "__float128", "AUTOTUNE_F128" },
    { "_Float64", "AUTOTUNE_F64" },  { "_Float32x", "AUTOTUNE_F64" },
    { "_Float64x", "AUTOTUNE_F80" },
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (slice_is(word, words[i].word))
      return words[i].element;
  return NULL;
}

// Reads SPECIFIERS. Returns the name of a typedef among them; empty: none.
static struct slice type_specifiers(const struct expansion *x, struct slice specifiers,
                                    struct ctype *t, struct type_attributes *a) {
  struct lexer l = lexer_of(specifiers);
  struct slice name = { 0 };
  bool is_long = false;
  for (struct token w; (w = declare_lex(&l)).kind != TOKEN_END;) {
    unsigned kind = word_of_c(w.text);
    const char *special = type_special(w.text);
    struct lexer ahead = l;
    if (special) {
      t->element = special;
      t->base = BASE_NUMBER;
    } else if (slice_is(w.text, "_Complex") || slice_is(w.text, "__complex__")) {
      t->complex = true;
    } else if (kind & WORD_ATTRIBUTE) {
      type_attribute(&l, a);
    } else if (kind & WORD_TYPEOF && slice_is(declare_lex(&ahead).text, "(")) {
      a->computed = true;
      type_attribute(&l, a);
    } else if (kind & WORD_TAG) {
      type_tag(x, &l, w.text, t, a);
    } else if (kind & (WORD_INTEGER | WORD_REAL)) {
      t->base = BASE_NUMBER;
      is_long |= slice_is(w.text, "long");
      if (kind & WORD_REAL)
        t->real = w.text;
    } else if (w.kind == TOKEN_WORD && !kind) {
      name = w.text;
    }
  }
  if (is_long)
    t->real = (struct slice){ 0 };
  return name;
}

// Returns the typedef called NAME and sets *D to its declarator; NULL: none, or what it
// means depends on a param.
static const struct item *type_typedef(const struct expansion *x, struct slice name,
                                       const struct declarator **d) {
  const struct item *i;
  for (const struct name *n = NULL;
       (i = items_named(&x->items, NAME_ORDINARY, name, &n)) != NULL;)
    for (unsigned k = 0; i->is_typedef && k < i->n_names; k++)
      if (slices_same(i->names[k].name, name)) {
        *d = &i->names[k];
        return i->piece ? NULL : i;
      }
  return NULL;
}

// Returns the type of a declaration with SPECIFIERS and the declarator at *L. Moves L to
// the end of the declarator.
static struct ctype type_resolve(const struct expansion *x, struct slice specifiers,
                                 struct lexer *l) {
  struct ctype t = { .name = specifiers };
  struct lexer own;
  for (unsigned depth = 0; depth < MAX_CHAIN; depth++) {
    struct type_attributes a = { false, false };
    type_declarator(l, &t, &a);
    struct slice name = type_specifiers(x, specifiers, &t, &a);
    if (a.vector)
      type_derive(&t, DERIVED_VECTOR);
    if (a.computed)
      t.base = BASE_COMPUTED;
    const struct declarator *d = NULL;
    const struct item *i = t.base == BASE_UNKNOWN && name.size ? type_typedef(x, name, &d)
                                                               : NULL;
    if (!i)
      return t;
    specifiers = i->specifiers;
    own = lexer_of(d->text);
    l = &own;
  }
  t.base = BASE_UNKNOWN;
  return t;
}

// ---- members ------------------------------------------------------------------------

// Adds the members that ITEM declares.
static void type_declare_members(const struct expansion *x, const struct item *item,
                                 struct member **list, unsigned *n) {
  for (unsigned i = 0; i < item->n_names; i++) {
    struct lexer l = lexer_of(item->names[i].text);
    struct member m = { .name = item->names[i].name, .flexible = item->names[i].unsized };
    m.type = type_resolve(x, item->specifiers, &l);
    m.bits = slice_is(declare_lex(&l).text, ":");
    *GROW(*list, *n) = m;
  }
  struct lexer after = lexer_of(item->text);
  after.p = item->specifiers.data + item->specifiers.size;
  if (item->n_names || declare_lex(&after).kind != TOKEN_END)
    return; // `int : 3` is no member
  struct lexer none = lexer_of((struct slice){ 0 });
  struct member m = { .type = type_resolve(x, item->specifiers, &none) };
  if ((m.type.base == BASE_STRUCT || m.type.base == BASE_UNION) && !m.type.tag.size)
    *GROW(*list, *n) = m;
}

struct member *type_members(const struct expansion *x, const struct ctype *t,
                            unsigned *n) {
  struct member *list = NULL;
  struct lexer l = lexer_of(t->members);
  *n = 0;
  for (const char *start = l.p;; start = l.p) {
    struct token w = declare_lex(&l), first = w;
    while (w.kind != TOKEN_END && !slice_is(w.text, ";")) {
      if (lex_bracket(w.text) > 0)
        cut_skip_group(&l);
      w = declare_lex(&l);
    }
    struct item item = { .text = slice_trim(
                             (struct slice){ start, (size_t)(w.text.data - start) }) };
    if (item.text.size && !declare_is_assertion(first.text)) {
      declare_item(NULL, &item, 0);
      type_declare_members(x, &item, &list, n);
    }
    if (w.kind == TOKEN_END)
      return list;
  }
}

// Sets *OUT to the type of the member NAME of T, also in its members without a name.
static bool type_find_member(const struct expansion *x, const struct ctype *t,
                             struct slice name, unsigned depth, struct ctype *out) {
  unsigned n;
  struct member *list = type_members(x, t, &n);
  for (unsigned i = 0; i < n; i++)
    if (slices_same(list[i].name, name)) {
      *out = list[i].type;
      return true;
    } else if (!list[i].name.size && depth < MAX_CHAIN &&
               type_find_member(x, &list[i].type, name, depth + 1, out)) {
      return true;
    }
  return false;
}

// ---- expressions --------------------------------------------------------------------

struct type_reader {
  const struct expansion *x;
  const struct kernel *k;
  struct lexer l;
  unsigned depth;
};

bool type_subscript(struct ctype *t) {
  if (t->n == 0 || t->derived[0] == DERIVED_FUNCTION)
    return false;
  t->derived++;
  t->n--;
  return true;
}

static void type_take_address(struct ctype *t) {
  unsigned char *derived = NULL;
  unsigned n = 0;
  *GROW(derived, n) = DERIVED_POINTER;
  for (unsigned i = 0; i < t->n; i++)
    *GROW(derived, n) = t->derived[i];
  t->derived = derived;
  t->n = n;
}

// Sets *OUT to the type of the variable NAME.
static bool type_variable(const struct type_reader *r, struct slice name,
                          struct ctype *out) {
  const struct expansion *x = r->x;
  int arg = kernel_arg(r->k, name);
  struct item parameter;
  if (arg >= 0) {
    if (!classify_parameter(x, r->k, (unsigned)arg, &parameter) || !parameter.n_names)
      return false;
    struct lexer l = lexer_of(parameter.names[0].text);
    *out = type_resolve(x, parameter.specifiers, &l);
    return true;
  }
  const struct item *i;
  if (names_find(&x->items.names, NAME_MACRO, name, NULL))
    return false;
  for (const struct name *n = NULL;
       (i = items_named(&x->items, NAME_ORDINARY, name, &n)) != NULL;)
    for (unsigned k = 0; !i->is_typedef && !i->piece && k < i->n_names; k++)
      if (slices_same(i->names[k].name, name)) {
        struct lexer l = lexer_of(i->names[k].text);
        *out = type_resolve(x, i->specifiers, &l);
        return true;
      }
  return false;
}

static bool type_read_sum(struct type_reader *r, struct ctype *out);
static bool type_read_unary(struct type_reader *r, struct ctype *out);

// Sets *OUT to the type that a cast at R names, after its '('. False: it is no cast.
static bool type_read_cast(struct type_reader *r, struct ctype *out) {
  struct lexer ahead = r->l, first = r->l;
  const struct declarator *d;
  struct slice word = lex(&first).text;
  if (!is_type_word(word) && !type_typedef(r->x, word, &d))
    return false;
  if (!cut_skip_group(&ahead))
    return false;
  struct item item = { .text = { r->l.p, (size_t)(ahead.p - r->l.p) - 1 } };
  declare_item(NULL, &item, 0);
  struct lexer l = lexer_of(item.text);
  l.p = item.specifiers.data + item.specifiers.size;
  *out = type_resolve(r->x, item.specifiers, &l);
  r->l = ahead;
  return true;
}

static bool type_read_primary(struct type_reader *r, struct ctype *out) {
  struct token t = lex(&r->l);
  if (t.kind == TOKEN_WORD)
    return type_variable(r, t.text, out);
  return slice_is(t.text, "(") && type_read_sum(r, out) && slice_is(lex(&r->l).text, ")");
}

static bool type_read_postfix(struct type_reader *r, struct ctype *out) {
  bool good = type_read_primary(r, out);
  while (good) {
    struct lexer save = r->l;
    struct slice text = lex(&r->l).text;
    if (slice_is(text, "[")) {
      good = cut_skip_group(&r->l) && type_subscript(out);
    } else if (slice_is(text, ".") || slice_is(text, "->")) {
      good = (slice_is(text, ".") || type_subscript(out)) && out->n == 0 &&
          type_find_member(r->x, out, lex(&r->l).text, 0, out);
    } else {
      r->l = save;
      break;
    }
  }
  return good;
}

static bool type_read_unary(struct type_reader *r, struct ctype *out) {
  struct lexer save = r->l;
  struct slice text = lex(&r->l).text;
  struct ctype ignored;
  bool good;
  if (r->depth++ > MAX_CHAIN)
    return false;
  if (slice_is(text, "*"))
    good = type_read_unary(r, out) && type_subscript(out);
  else if ((good = slice_is(text, "&") && type_read_unary(r, out)))
    type_take_address(out);
  else if (slice_is(text, "(") && type_read_cast(r, out))
    good = type_read_unary(r, &ignored);
  else {
    r->l = save;
    good = type_read_postfix(r, out);
  }
  r->depth--;
  return good;
}

// Reads `a + i - j`, where A is what points to something.
static bool type_read_sum(struct type_reader *r, struct ctype *out) {
  if (!type_read_unary(r, out))
    return false;
  for (;;) {
    struct lexer save = r->l;
    struct token t = lex(&r->l);
    if (t.kind == TOKEN_END || slice_is(t.text, ")")) {
      r->l = save;
      return true;
    }
    if ((!slice_is(t.text, "+") && !slice_is(t.text, "-")) || out->n == 0)
      return false;
    for (struct lexer ahead = r->l;
         (t = lex(&ahead)).kind != TOKEN_END && !slice_is(t.text, ")"); r->l = ahead)
      if (lex_bracket(t.text) > 0)
        cut_skip_group(&ahead);
  }
}

bool type_of_expression(const struct expansion *x, const struct kernel *k,
                        struct slice expression, struct ctype *out) {
  struct type_reader r = { .x = x, .k = k, .l = lexer_of(expression) };
  *out = (struct ctype){ .base = BASE_UNKNOWN };
  return type_read_sum(&r, out) && lex(&r.l).kind == TOKEN_END;
}

struct ctype type_of_name(const struct expansion *x, struct slice name) {
  struct item item = { .text = name };
  declare_item(NULL, &item, 0);
  struct lexer l = lexer_of(name);
  l.p = item.specifiers.data + item.specifiers.size;
  return type_resolve(x, item.specifiers, &l);
}
