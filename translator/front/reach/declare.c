// SPDX-License-Identifier: Apache-2.0
// declare.c: one declaration at file scope, as the compiler's preprocessor leaves it: its
// specifiers, the tags and enumerators in them, its declarators. Bodies and initialisers
// are skipped.
#include <string.h>

#include "unit.h"

enum word {
  WORD_OTHER,
  WORD_STORAGE,
  WORD_QUALIFIER,
  WORD_ATTRIBUTE,
  WORD_TAG,
  WORD_TYPEOF,
  WORD_INTEGER,
  WORD_REAL,
  WORD_TYPE
};

static const struct {
  const char *word;
  enum word kind;
} words[] = {
  { "typedef", WORD_STORAGE },
  { "extern", WORD_STORAGE },
  { "static", WORD_STORAGE },
  { "inline", WORD_STORAGE },
  { "__inline", WORD_STORAGE },
  { "__inline__", WORD_STORAGE },
  { "_Thread_local", WORD_STORAGE },
  { "__thread", WORD_STORAGE },
  { "thread_local", WORD_STORAGE },
  { "register", WORD_STORAGE },
  { "auto", WORD_STORAGE },
  { "constexpr", WORD_STORAGE },
  { "const", WORD_QUALIFIER },
  { "__const", WORD_QUALIFIER },
  { "__const__", WORD_QUALIFIER },
  { "volatile", WORD_QUALIFIER },
  { "__volatile__", WORD_QUALIFIER },
  { "restrict", WORD_QUALIFIER },
  { "__restrict", WORD_QUALIFIER },
  { "__restrict__", WORD_QUALIFIER },
  { "_Noreturn", WORD_QUALIFIER },
  { "__extension__", WORD_QUALIFIER },
  { "_Nullable", WORD_QUALIFIER },
  { "_Nonnull", WORD_QUALIFIER },
  { "__attribute__", WORD_ATTRIBUTE },
  { "__attribute", WORD_ATTRIBUTE },
  { "__asm__", WORD_ATTRIBUTE },
  { "__asm", WORD_ATTRIBUTE },
  { "asm", WORD_ATTRIBUTE },
  { "_Alignas", WORD_ATTRIBUTE },
  { "alignas", WORD_ATTRIBUTE },
  { "__declspec", WORD_ATTRIBUTE },
  { "struct", WORD_TAG },
  { "union", WORD_TAG },
  { "enum", WORD_TAG },
  { "typeof", WORD_TYPEOF },
  { "__typeof__", WORD_TYPEOF },
  { "__typeof", WORD_TYPEOF },
  { "_Atomic", WORD_TYPEOF },
  { "_BitInt", WORD_TYPEOF },
  { "typeof_unqual", WORD_TYPEOF },
  { "int", WORD_INTEGER },
  { "char", WORD_INTEGER },
  { "short", WORD_INTEGER },
  { "long", WORD_INTEGER },
  { "signed", WORD_INTEGER },
  { "unsigned", WORD_INTEGER },
  { "__signed__", WORD_INTEGER },
  { "__signed", WORD_INTEGER },
  { "_Bool", WORD_INTEGER },
  { "bool", WORD_INTEGER },
  { "__int128", WORD_INTEGER },
  { "__int128_t", WORD_INTEGER },
  { "__uint128_t", WORD_INTEGER },
  { "float", WORD_REAL },
  { "double", WORD_REAL },
  { "_Float16", WORD_REAL },
  { "__bf16", WORD_REAL },
  { "__float128", WORD_REAL },
  { "__fp16", WORD_REAL },
  // _Float32 and the like are typedefs where the compiler does not know them.
  { "void", WORD_TYPE },
  { "_Complex", WORD_TYPE },
  { "__complex__", WORD_TYPE },
  { "__builtin_va_list", WORD_TYPE },
};

static enum word word_kind(struct slice w) {
  if (w.size < 3)
    return WORD_OTHER;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].word[0] == w.data[0] && slice_is(w, words[i].word))
      return words[i].kind;
  return WORD_OTHER;
}

bool declare_attribute(struct slice word) {
  enum word kind = word_kind(word);
  return kind == WORD_ATTRIBUTE || kind == WORD_TYPEOF ||
      slice_is(word, "_Static_assert");
}

// Linemarkers and definitions stand in the midst of declarations.
struct token declare_lex(struct lexer *l) {
  for (;;) {
    struct token t = lex(l);
    if (!t.first || !slice_is(t.text, "#"))
      return t;
    const char *end = memchr(l->p, '\n', (size_t)(l->end - l->p));
    l->p = end ? end : l->end;
    l->first = true;
  }
}

static bool declare_opens(struct slice t) {
  return t.size == 1 && strchr("([{", t.data[0]);
}

static bool declare_closes(struct slice t) {
  return t.size == 1 && strchr(")]}", t.data[0]);
}

void declare_skip_group(struct lexer *l) {
  struct lexer save = *l;
  struct token t = declare_lex(l);
  if (t.kind != TOKEN_PUNCTUATOR || !declare_opens(t.text)) {
    *l = save;
    return;
  }
  for (unsigned depth = 1; depth && (t = declare_lex(l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_PUNCTUATOR)
      depth += declare_opens(t.text) ? 1u : declare_closes(t.text) ? -1u : 0;
}

struct declaration {
  struct expansion *x;
  struct item *item;
  unsigned index;
};

static void declare_name(const struct declaration *d, enum name_space space,
                         struct slice text) {
  if (d->x)
    expand_name(d->x, space, text, d->index);
}

static void read_tag(const struct declaration *d, struct lexer *l, bool is_enum);

// The members of `struct {…}` or `enum {…}`, the lexer behind '{': tags and enumerators
// in them have file scope.
static void declare_read_members(const struct declaration *d, struct lexer *l,
                                 bool is_enum) {
  bool expect = true; // an enumerator
  unsigned depth = 0; // of brackets, in an enumerator's value
  for (struct token t;
       (t = declare_lex(l)).kind != TOKEN_END && !slice_is(t.text, "}");) {
    if (t.kind == TOKEN_WORD && word_kind(t.text) == WORD_TAG)
      read_tag(d, l, slice_is(t.text, "enum"));
    else if (is_enum && expect && t.kind == TOKEN_WORD)
      declare_name(d, NAME_ORDINARY, t.text);
    if (is_enum && t.kind == TOKEN_PUNCTUATOR &&
        (declare_opens(t.text) || declare_closes(t.text)))
      depth += declare_opens(t.text) ? 1u : -1u;
    expect = slice_is(t.text, ",") && depth == 0;
  }
}

// Behind `struct`, `union` or `enum`.
static void read_tag(const struct declaration *d, struct lexer *l, bool is_enum) {
  struct slice tag = { 0 };
  for (;;) {
    struct lexer save = *l;
    struct token t = declare_lex(l);
    if (t.kind == TOKEN_WORD && word_kind(t.text) == WORD_ATTRIBUTE) {
      declare_skip_group(l);
    } else if (t.kind == TOKEN_WORD && !tag.size && word_kind(t.text) == WORD_OTHER) {
      tag = t.text;
    } else if (slice_is(t.text, "{")) {
      if (tag.size)
        declare_name(d, NAME_TAG, tag);
      declare_read_members(d, l, is_enum);
      return;
    } else {
      *l = save;
      return;
    }
  }
}

static void declare_storage(struct item *item, struct slice w) {
  item->is_typedef |= slice_is(w, "typedef");
  item->is_static |= slice_is(w, "static");
  item->is_extern |= slice_is(w, "extern");
  item->is_inline |= w.size >= 6 && memmem(w.data, w.size, "inline", 6);
  item->is_thread |= memmem(w.data, w.size, "hread", 5) != NULL; // thread or Thread
}

static void reach_declare_attribute(struct item *item, struct lexer *l) {
  const char *start = l->p;
  declare_skip_group(l);
  item->vector |= memmem(start, (size_t)(l->p - start), "vector_size", 11) != NULL;
}

// Leaves L in front of the first declarator.
static void read_specifiers(const struct declaration *d, struct lexer *l) {
  struct item *item = d->item;
  for (bool typed = false;;) {
    struct lexer save = *l;
    struct token t = declare_lex(l);
    enum word kind = t.kind == TOKEN_WORD ? word_kind(t.text) : WORD_OTHER;
    if (t.kind != TOKEN_WORD || (kind == WORD_OTHER && typed)) {
      item->specifiers.size = (size_t)(t.text.data - item->specifiers.data);
      *l = save;
      return;
    }
    struct lexer behind = *l;
    typed |= kind != WORD_STORAGE && kind != WORD_QUALIFIER && kind != WORD_ATTRIBUTE &&
        (!slice_is(t.text, "_Atomic") || slice_is(declare_lex(&behind).text, "("));
    item->is_const |= slice_is(t.text, "const") || slice_is(t.text, "__const");
    item->integer |= kind == WORD_INTEGER || slice_is(t.text, "enum") ||
        slice_is(t.text, "_BitInt");
    item->real |= kind == WORD_REAL;
    if (kind == WORD_STORAGE)
      declare_storage(item, t.text);
    else if (kind == WORD_ATTRIBUTE)
      reach_declare_attribute(item, l);
    else if (kind == WORD_TYPEOF)
      declare_skip_group(l);
    else if (kind == WORD_TAG)
      read_tag(d, l, slice_is(t.text, "enum"));
    else if (kind == WORD_OTHER)
      item->type_name = t.text;
  }
}

// To the declarator's name; what stands in front of it decides what it is.
static void read_name(struct declarator *r, struct lexer *l, bool is_const) {
  unsigned nested = 0;
  bool star_nested = false;
  r->constant = is_const;
  for (struct token t; (t = declare_lex(l)).kind != TOKEN_END;) {
    enum word kind = t.kind == TOKEN_WORD ? word_kind(t.text) : WORD_OTHER;
    if (kind == WORD_ATTRIBUTE) {
      declare_skip_group(l);
    } else if (slice_is(t.text, "*") || slice_is(t.text, "^")) {
      r->indirect = true;
      r->constant = false;
      star_nested |= nested > 0;
    } else if (slice_is(t.text, "(")) {
      nested++;
    } else if (slice_is(t.text, "const")) {
      r->constant = true;
    } else if (t.kind == TOKEN_WORD && kind == WORD_OTHER) {
      r->name = t.text;
      break;
    } else if (kind != WORD_QUALIFIER) {
      return; // not a declarator that we know
    }
  }
  struct lexer save = *l;
  struct token t = declare_lex(l);
  while (nested && !star_nested && slice_is(t.text, ")"))
    t = declare_lex(l);
  r->function = slice_is(t.text, "(") && !star_nested;
  if (slice_is(t.text, "["))
    r->unsized = slice_is(declare_lex(l).text, "]");
  r->indirect |= slice_is(t.text, "(") || slice_is(t.text, "[");
  *l = save;
}

// To the ',' or ';' or '{' that ends the declarator; the initialiser is part of it.
// Yields that token.
static struct slice read_rest(struct declarator *r, struct lexer *l) {
  const char *value = NULL;
  unsigned depth = 0;
  for (;;) {
    const char *before = l->p;
    struct token t = declare_lex(l);
    bool ends = t.kind == TOKEN_END ||
        (depth == 0 &&
         (slice_is(t.text, ",") || slice_is(t.text, ";") ||
          (slice_is(t.text, "{") && !value)));
    if (depth == 0 && slice_is(t.text, "=") && !value) {
      value = l->p;
      r->text.size = (size_t)(t.text.data - r->text.data);
    }
    if (ends && value)
      r->value = (struct slice){ value, (size_t)(t.text.data - value) };
    else if (ends)
      r->text.size = (size_t)(t.text.data - r->text.data);
    if (ends)
      return t.text;
    if (t.kind == TOKEN_PUNCTUATOR && declare_opens(t.text))
      depth++;
    if (t.kind == TOKEN_PUNCTUATOR && declare_closes(t.text)) {
      if (depth == 0) { // of a group that our caller did not see opened
        l->p = before;
        return (struct slice){ before, 0 };
      }
      depth--;
    }
  }
}

void declare_item(struct expansion *x, struct item *item, unsigned index) {
  struct declaration d = { x, item, index };
  struct slice head = item->text;
  if (item->body)
    head.size = (size_t)(item->body - head.data) + 1;
  struct lexer l = lexer_of(head);
  struct lexer start = l;
  item->specifiers.data =
      declare_lex(&start).text.data; // behind #pragma omp declare simd
  read_specifiers(&d, &l);
  for (struct slice end = { ",", 1 }; slice_is(end, ",");) {
    struct declarator r = { .text = { l.p, 0 } };
    struct lexer save = l;
    read_name(&r, &l, item->is_const);
    l = save;
    end = read_rest(&r, &l);
    if (!r.name.size)
      continue;
    declare_name(&d, NAME_ORDINARY, r.name);
    *GROW(item->names, item->n_names) = r;
  }
  if (!item->n_names) { // `struct point;`
    struct lexer t = lexer_of(item->specifiers);
    for (struct token w; (w = declare_lex(&t)).kind == TOKEN_WORD;)
      if (word_kind(w.text) == WORD_TAG)
        declare_name(&d, NAME_TAG, declare_lex(&t).text);
  }
}
