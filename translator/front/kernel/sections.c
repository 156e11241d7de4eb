// SPDX-License-Identifier: Apache-2.0
// sections.c: reads array sections, `A[0:m*k]`, as in OpenMP 6.0, section 5.2.5.
#include <string.h>

#include "autotune_abi.h"
#include "front/lang/language.h"
#include "kernel.h"

const char *const sections_access[] = { "", "in", "out", "inout", "scratch" };

// Returns the last run of brackets in TEXT; *BASE is the text before it.
static struct slice *trailing_brackets(struct slice text, struct slice *base,
                                       unsigned *n) {
  struct slice *list = NULL;
  struct lexer l = lexer_of(text);
  unsigned parentheses = 0, depth = 0;
  const char *open = NULL;
  *n = 0;
  *base = text;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    char c = t.text.size == 1 ? *t.text.data : 0;
    if (c == '[' && depth++ == 0 && parentheses == 0) {
      open = t.text.data;
      if (*n == 0)
        base->size = (size_t)(open - text.data);
    } else if (c == ']' && depth > 0 && --depth == 0 && open) {
      *GROW(list, *n) = (struct slice){ open + 1, (size_t)(t.text.data - open) - 1 };
      open = NULL;
    } else if (depth == 0 && c != '[') {
      *n = 0;
      *base = text;
    }
    parentheses += c == '(';
    parentheses -= c == ')' && parentheses > 0;
  }
  *base = slice_trim(*base);
  return list;
}

// Reads `low : length`, or `low` alone for one element.
static bool read_dimension(const struct source *s, const struct pragma *p,
                           struct section *out, struct slice inside) {
  struct lexer l = lexer_of(inside);
  const char *colon = NULL, *end = inside.data + inside.size;
  int depth = 0, conditions = 0;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    char c = t.text.size == 1 ? *t.text.data : 0;
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    conditions += c == '?' && !depth;
    if (c == ',' && !depth) {
      diag_error(s, pragma_offset(p, t.text), 1, "write [low : length]",
                 "a comma in the bounds of a section");
      return false;
    }
    if (slice_is(t.text, "..")) {
      diag_error(s, pragma_offset(p, t.text), t.text.size,
                 "write [low : length], with the number of elements",
                 "the bounds of a section are not a range");
      return false;
    }
    if (c != ':' || depth || conditions-- > 0)
      continue;
    conditions = 0;
    if (colon) {
      diag_error(s, pragma_offset(p, t.text), 1, "write [low : length]",
                 "a section with a stride is not understood");
      return false;
    }
    colon = t.text.data;
  }
  struct slice low = { inside.data, (size_t)((colon ? colon : end) - inside.data) };
  struct slice length = { end, 0 };
  if (colon)
    length = (struct slice){ colon + 1, (size_t)(end - colon) - 1 };
  low = slice_trim(low);
  length = slice_trim(length);
  if (colon ? length.size == 0 : low.size == 0) {
    diag_error(s, pragma_offset(p, inside), inside.size,
               "write [low : length]; one element is [i]",
               "the length of this section is missing");
    return false;
  }
  *GROW(out->dims, out->n_dims) = (struct section_dim){ low, length };
  return true;
}

static struct slice sections_first_word(struct slice text) {
  struct lexer l = lexer_of(text);
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    if (t.kind == TOKEN_WORD && !is_keyword(t.text))
      return t.text;
  return (struct slice){ text.data, 0 };
}

static bool plain_scalar(const struct kernel_arg *a) {
  return !a->pointer && (a->integer || a->real) &&
      !memchr(a->text.data, '&', a->text.size);
}

// True if the base of X, which mentions NAME, is an expression that names elements.
static bool sections_check_form(const struct source *s, const struct kernel *k,
                                const struct section *x, struct slice name) {
  const struct pragma *p = k->main.pragma;
  struct lexer l = lexer_of(x->base);
  struct token first = lex(&l);
  const char *meant = NULL;
  if (slice_is(first.text, "&"))
    meant = "write it without '&'";
  else if (slices_same(first.text, name) && slice_is(lex(&l).text, "("))
    meant = arena_printf("write %.*s[low : length]", (int)name.size, name.data);
  if (!meant)
    return syntax_check(s, k, p, x->base, "a section");
  diag_error(s, pragma_offset(p, x->base), x->base.size, meant,
             "a section begins with the name of an array or a pointer");
  return false;
}

// Returns the most dimensions that a section of A can have.
static unsigned sections_most(const struct kernel_arg *a) {
  struct lexer l = lexer_of(a->specifiers);
  unsigned most = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && !is_keyword(t.text))
      return -1u; // a name of a type, which may be a pointer or an array
  l = lexer_of(a->text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    most += slice_is(t.text, "*") || slice_is(t.text, "[");
  return most ? most : -1u;
}

// Checks base and brackets against the argument that they begin with, if they begin with
// one.
static bool check_base(const struct source *s, const struct kernel *k,
                       const struct section *x, struct slice name) {
  const struct pragma *p = k->main.pragma;
  int arg = kernel_arg(k, name);
  size_t at = pragma_offset(p, x->base);
  bool bare = name.size == x->base.size;
  if (arg < 0)
    return names_check(s, k, p, x->base, 0, "a section");
  const struct kernel_arg *a = &k->args[arg];
  if (plain_scalar(a)) {
    diag_error(
        s, at, x->base.size, NULL,
        x->n_dims ? "'%s' is not a pointer, so it has no sections"
                  : "'%s' is passed by value: the kernel's caller does not see it change",
        a->name);
    return false;
  }
  if (!bare && !sections_check_form(s, k, x, name))
    return false;
  if (bare && x->n_dims > sections_most(a)) {
    diag_error(s, at, x->base.size,
               arena_printf("write %s[0:N] with the number of all elements", a->name),
               "'%s' has %u dimension%s, its section has %u", a->name, sections_most(a),
               sections_most(a) == 1 ? "" : "s", x->n_dims);
    return false;
  }
  if (bare && x->n_dims == 0 && a->pointer) {
    diag_error(s, at, x->base.size,
               arena_printf("write %s[0:N] with the number of elements", a->name),
               "how much of '%s' is meant?", a->name);
    return false;
  }
  if (bare && a->pointer && x->access != AUTOTUNE_IN &&
      lex_mentions(a->specifiers, slice_of("const"))) {
    diag_error(s, at, x->base.size, "write in(…)",
               "'%s' points to const, so it cannot be %s", a->name,
               x->access == AUTOTUNE_SCRATCH ? "a workspace" : "an output");
    return false;
  }
  return true;
}

// Returns the bounds `[a : b]` that are within BASE rather than at its end; empty: none.
static struct slice bounds_within(struct slice base) {
  struct lexer l = lexer_of(base);
  const char *open = NULL;
  bool choice = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (slice_is(t.text, "["))
      open = t.text.data, choice = false;
    choice = choice || slice_is(t.text, "?");
    if (slice_is(t.text, "]"))
      open = NULL;
    if (slice_is(t.text, ":") && open && !choice) {
      l.p = open;
      return (struct slice){ open, (size_t)(skip_brackets(&l) - open) };
    }
  }
  return (struct slice){ 0 };
}

// Checks X, a section of the value that K returns, and gives it the name that this value
// has in generated text.
static bool sections_returned(const struct source *s, const struct kernel *k,
                              struct section *x, size_t size) {
  bool number = k->returns;
  struct lexer l = lexer_of(k->result);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    number &= t.kind == TOKEN_WORD && is_keyword(t.text);
  x->returned = true;
  x->base = slice_of("autotune_returned");
  if (!k->returns || number)
    diag_error(s, x->offset, size, NULL, "'%s' returns no pointer", k->main.name);
  else if (x->access != AUTOTUNE_OUT)
    diag_error(s, x->offset, size, "write out(…)",
               "what the returned pointer leads to is an output");
  else if (x->n_dims != 1)
    diag_error(s, x->offset, size, "write return[0:N] with the number of elements",
               "a section of the result has one dimension");
  else
    return true;
  return false;
}

static void sections_check_bound(const struct source *s, const struct kernel *k,
                                 struct slice bound) {
  const struct pragma *p = k->main.pragma;
  const char *what = "a bound of a section";
  if (names_check(s, k, p, bound, 0, what))
    syntax_check_integer(s, k, p, bound, what);
}

// Diagnoses text after the bounds of a section, WITHIN being those that end before the
// end of its text BASE.
static void sections_refuse_rest(const struct source *s, const struct pragma *p,
                                 struct slice base, struct slice within) {
  struct lexer rest = { within.data + within.size, base.data + base.size, false };
  struct token next = lex(&rest);
  size_t at = pragma_offset(p, next.text);
  if (slice_is(next.text, ";")) {
    diag_fix(s, at, 1, ",");
    diag_error(s, at, 1, "write a comma", "sections are separated by commas");
  } else if (next.kind == TOKEN_WORD) {
    diag_fix(s, pragma_offset(p, within) + within.size, 0, ",");
    diag_error(s, at, next.text.size, NULL, "a comma is missing before '%.*s'",
               (int)next.text.size, next.text.data);
  } else {
    diag_error(
        s, pragma_offset(p, within), within.size,
        arena_printf("name whole elements, as in %.*s%.*s; numbers in a struct are "
                     "compared one by one",
                     (int)(within.data - base.data), base.data, (int)within.size,
                     within.data),
        "the bounds of a section are written at its end");
  }
}

static void sections_check_dimension(const struct source *s, const struct kernel *k,
                                     const struct section_dim *d) {
  long long length;
  sections_check_bound(s, k, d->low);
  sections_check_bound(s, k, d->length);
  if (d->length.size && read_integer(d->length, &length) && length < 1)
    diag_warning(s, pragma_offset(k->main.pragma, d->length), d->length.size,
                 "write [low : length], with the number of elements",
                 "this section has no elements");
}

static void sections_read_one(const struct source *s, struct kernel *k,
                              const struct argument *a, unsigned access) {
  const struct pragma *p = k->main.pragma;
  struct section x = { .name = arena_copy(a->text.data, a->text.size),
                       .access = access,
                       .offset = a->offset };
  unsigned n;
  struct slice *brackets = trailing_brackets(a->text, &x.base, &n);
  for (unsigned i = 0; i < n; i++)
    if (!read_dimension(s, p, &x, brackets[i]))
      return;
  struct slice name = sections_first_word(x.base);
  bool returned = slice_is(x.base, "return");
  if (returned && !sections_returned(s, k, &x, a->text.size))
    return;
  if (name.size == 0 && !returned) {
    diag_error(s, a->offset, a->text.size, "write a section, as in A[0:n]",
               "this is not a section");
    return;
  }
  struct slice within = bounds_within(x.base);
  if (within.size) {
    sections_refuse_rest(s, p, x.base, within);
    return;
  }
  if (!returned && !check_base(s, k, &x, name))
    return;
  for (unsigned i = 0; i < x.n_dims; i++)
    sections_check_dimension(s, k, &x.dims[i]);
  for (unsigned i = 0; i < k->n_sections; i++)
    if (strcmp(k->sections[i].name, x.name) == 0) {
      diag_error(s, a->offset, a->text.size,
                 access == AUTOTUNE_SCRATCH || k->sections[i].access == AUTOTUNE_SCRATCH
                     ? "scratch(…) is memory that nobody reads after the call"
                     : "one that is read and written is inout(…)",
                 "the section '%s' is given twice", x.name);
      return;
    }
  *GROW(k->sections, k->n_sections) = x;
}

void sections_read(const struct source *s, struct kernel *k, const struct clause *c) {
  unsigned access = AUTOTUNE_IN;
  while (strcmp(c->name, sections_access[access]) != 0) // it is one of them
    access++;
  for (unsigned i = 0; i < c->n_args; i++)
    if (c->args[i].text.size)
      sections_read_one(s, k, &c->args[i], access);
}

// ---- overlaps -----------------------------------------------------------------------

// Sets *LOW and *LENGTH of D. False: they are no plain numbers.
static bool sections_numbers(const struct section_dim *d, long long *low,
                             long long *length) {
  *low = 0;
  *length = 1;
  return (!d->low.size || read_integer(d->low, low)) &&
      (!d->length.size || read_integer(d->length, length));
}

// True if A and B share elements for certain. A length that is no number may be 0, but
// then the section is of no use.
static bool dimensions_overlap(const struct section_dim *a, const struct section_dim *b) {
  long long low_a, low_b, length_a, length_b;
  if (sections_numbers(a, &low_a, &length_a) && sections_numbers(b, &low_b, &length_b))
    return low_a < low_b + length_b && low_b < low_a + length_a;
  return slices_same(a->low.size ? a->low : slice_of("0"),
                     b->low.size ? b->low : slice_of("0"));
}

static bool sections_overlap(const struct section *a, const struct section *b) {
  if (!slices_same(a->base, b->base))
    return false;
  for (unsigned i = 0; i < a->n_dims && i < b->n_dims; i++)
    if (!dimensions_overlap(&a->dims[i], &b->dims[i]))
      return false;
  return true;
}

// ---- rows ---------------------------------------------------------------------------

// Returns the number of pointers in the declaration of A: 2 for `double **A` and `double
// *A[n]`.
static unsigned sections_pointers(const struct kernel_arg *a) {
  struct lexer l = lexer_of(a->text);
  unsigned stars = 0, brackets = 0, nested = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    nested += slice_is(t.text, "(") ? 1u : 0;
    stars += slice_is(t.text, "*") && !nested;
    brackets += slice_is(t.text, "[");
  }
  return stars + (stars && brackets && !nested);
}

// Diagnoses sections that only C can follow. In CUDA the pointers to rows lie in the
// device's memory, where the program cannot read them.
static void sections_check_rows(const struct source *s, const struct kernel *k,
                                const struct section *c) {
  for (unsigned j = 0; j < k->n_args && c->n_dims > 1; j++) {
    const struct kernel_arg *a = &k->args[j];
    if (a->name && slice_is(c->base, a->name) && sections_pointers(a) > 1)
      diag_error(
          s, c->offset, c->base.size,
          "let the kernel take one block, as in `double (*A)[64]` or `double *A`",
          k->language->device
              ? "the pointers of the section '%s' lie in the device's memory, where "
                "the program cannot follow them"
              : "the pointers of the section '%s' are not followed in C++",
          c->name);
  }
  if (c->returned)
    diag_error(s, c->offset, strlen(c->name), NULL,
               "sections of the result are not understood in %s", k->language->name);
}

void sections_check(const struct source *s, const struct kernel *k) {
  for (unsigned i = 0; k->language->cplusplus && i < k->n_sections; i++)
    sections_check_rows(s, k, &k->sections[i]);
  for (unsigned i = 0; i < k->n_sections; i++)
    for (unsigned j = 0; j < k->n_sections; j++) {
      const struct section *a = &k->sections[i], *b = &k->sections[j];
      if (a->access == AUTOTUNE_SCRATCH && b->access != AUTOTUNE_SCRATCH &&
          sections_overlap(a, b))
        diag_error(s, a->offset, strlen(a->name),
                   "scratch(…) is memory that nobody reads after the call",
                   "the section '%s' is scratch, and overlaps %s(%s)", a->name,
                   sections_access[b->access], b->name);
    }
}

// ---- elements -----------------------------------------------------------------------

// Returns the number of subscripts from A to the elements of its arrays: 2 for `double
// A[n][m]` and `double (*A)[m]`; 0 if A is no array and points to none.
static unsigned sections_array_depth(const struct kernel_arg *a) {
  struct lexer l = lexer_of(a->text);
  unsigned depth = 0, groups = 0, stars = 0;
  bool nested = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    groups += slice_is(t.text, "[") && depth == 0;
    depth += slice_is(t.text, "[") ? 1u : slice_is(t.text, "]") ? -1u : 0;
    nested |= slice_is(t.text, "(");
    stars += slice_is(t.text, "*") && depth == 0;
  }
  if (!groups || stars > 1 || (stars == 1 && !nested))
    return 0;
  return groups + stars;
}

unsigned section_subscripts(const struct kernel *k, const struct section *c) {
  int a = kernel_arg(k, c->base);
  unsigned depth = a >= 0 ? sections_array_depth(&k->args[a]) : 0;
  return depth > c->n_dims ? depth : c->n_dims;
}

bool sections_scratch(const struct kernel *k, struct slice name) {
  for (unsigned i = 0; i < k->n_sections; i++)
    if (k->sections[i].access == AUTOTUNE_SCRATCH &&
        slices_same(k->sections[i].base, name))
      return true;
  return false;
}
