// SPDX-License-Identifier: Apache-2.0
// choose.c: #ifs among the parameters of a kernel. Which of them the compiler keeps is
// needed before it runs, so conditions are decided by the #defines of the file, and the
// translated file makes the compiler check that (an #error in each branch that was left
// out).
#include <stdlib.h>
#include <string.h>

#include "cuda.h"
#include "front/include.h"

enum { MAX_NESTED = 32 };

// ---- conditions ---------------------------------------------------------------------

struct condition {
  const struct source *s;
  size_t place; // #defines before it count
  struct lexer l;
  struct token next;
  unsigned depth;
};

static void choose_advance(struct condition *c) {
  c->next = lex(&c->l);
}

// Sets VALUE to the value of the last -D of NAME among the options of the build. False:
// it is not defined there.
static bool choose_given(const struct source *s, struct slice name, struct slice *value) {
  bool defined = false;
  for (const char *const *a = s->args; a && *a; a++) {
    if ((*a)[0] != '-' || ((*a)[1] != 'D' && (*a)[1] != 'U'))
      continue;
    bool define = (*a)[1] == 'D';
    const char *word = (*a)[2] ? *a + 2 : a[1] ? *++a : "";
    size_t n = strcspn(word, "=");
    if (slices_same((struct slice){ word, n }, name)) {
      defined = define;
      *value = slice_of(word[n] ? word + n + 1 : "1");
    }
  }
  return defined;
}

// Sets VALUE to the text after the last `#define NAME` before PLACE. False: it is not
// defined.
static bool choose_defined(const struct condition *c, struct slice name,
                           struct slice *value) {
  struct directive d;
  bool defined = choose_given(c->s, name, value);
  for (size_t at = 0; directive_next((struct slice){ c->s->text, c->place }, &at, &d);) {
    struct lexer l = lexer_of(d.rest);
    if (!slices_same(lex(&l).text, name))
      continue;
    if (slice_is(d.word, "define"))
      defined = true, *value = (struct slice){ l.p, (size_t)(l.end - l.p) };
    else if (slice_is(d.word, "undef"))
      defined = false;
  }
  return defined;
}

static long choose_or(struct condition *c);

static long choose_primary(struct condition *c) {
  struct token t = c->next;
  struct slice value;
  choose_advance(c);
  if (slice_is(t.text, "!"))
    return !choose_primary(c);
  if (slice_is(t.text, "(")) {
    long v = choose_or(c);
    choose_advance(c); // ')'
    return v;
  }
  if (slice_is(t.text, "defined")) {
    bool brackets = slice_is(c->next.text, "(");
    if (brackets)
      choose_advance(c);
    bool defined = choose_defined(c, c->next.text, &value);
    choose_advance(c);
    if (brackets)
      choose_advance(c);
    return defined;
  }
  if (t.kind != TOKEN_WORD)
    return strtol(arena_copy(t.text.data, t.text.size), NULL, 0);
  if (c->depth > 8 || !choose_defined(c, t.text, &value))
    return 0;
  struct condition inner = { c->s, c->place, lexer_of(value), { 0 }, c->depth + 1 };
  choose_advance(&inner);
  return choose_or(&inner);
}

static long choose_compare(struct condition *c) {
  long v = choose_primary(c);
  for (;;) {
    struct slice op = c->next.text;
    bool equal = slice_is(op, "=="), unequal = slice_is(op, "!="),
         less = slice_is(op, "<"), more = slice_is(op, ">"), most = slice_is(op, "<="),
         least = slice_is(op, ">=");
    if (!equal && !unequal && !less && !more && !most && !least)
      return v;
    choose_advance(c);
    long w = choose_primary(c);
    v = equal     ? v == w
        : unequal ? v != w
        : less    ? v < w
        : more    ? v > w
        : most    ? v <= w
                  : v >= w;
  }
}

static long choose_and(struct condition *c) {
  long v = choose_compare(c);
  while (slice_is(c->next.text, "&&")) {
    choose_advance(c);
    long w = choose_compare(c);
    v = v && w;
  }
  return v;
}

static long choose_or(struct condition *c) {
  long v = choose_and(c);
  while (slice_is(c->next.text, "||")) {
    choose_advance(c);
    long w = choose_and(c);
    v = v || w;
  }
  return v;
}

// True if the branch that D begins is taken, where no branch before it is.
static bool choose_taken(const struct source *s, size_t place,
                         const struct directive *d) {
  struct condition c = { .s = s, .place = place, .l = lexer_of(d->rest) };
  struct slice value;
  if (slice_is(d->word, "else"))
    return true;
  choose_advance(&c);
  if (slice_is(d->word, "ifdef") || slice_is(d->word, "ifndef"))
    return choose_defined(&c, c.next.text, &value) == slice_is(d->word, "ifdef");
  return choose_or(&c) != 0;
}

// ---- the parameters -----------------------------------------------------------------

// Walks over the directives in LIST, the parentheses of a kernel, and calls SEE with each
// of them, the text up to the next one, and whether that text is kept.
static void choose_walk(const struct source *s, struct slice list, void *data,
                        void (*see)(void *data, const struct directive *d,
                                    struct slice text, bool kept)) {
  struct {
    bool kept, done;
  } stack[MAX_NESTED] = { { true, true } };
  unsigned n = 1;
  struct directive d, following;
  size_t at = 0, place = (size_t)(list.data - s->text);
  bool more = directive_next(list, &at, &d);
  for (; more; d = following) {
    enum line kind = line_kind(d.word);
    if (kind == LINE_IF && n < MAX_NESTED) {
      stack[n].kept = stack[n - 1].kept && choose_taken(s, place, &d);
      stack[n].done = stack[n].kept;
      n++;
    } else if (kind == LINE_ELSE && n > 1) {
      stack[n - 1].kept = stack[n - 2].kept && !stack[n - 1].done &&
          choose_taken(s, place, &d);
      stack[n - 1].done |= stack[n - 1].kept;
    } else if (kind == LINE_ENDIF && n > 1) {
      n--;
    }
    more = directive_next(list, &at, &following);
    size_t end = more ? following.offset : list.size;
    see(data, &d, (struct slice){ list.data + d.end, end > d.end ? end - d.end : 0 },
        stack[n - 1].kept);
  }
}

struct blanking {
  const struct source *s;
  struct slice list;
  char *copy;
};

static void choose_blank(void *data, const struct directive *d, struct slice text,
                         bool kept) {
  struct blanking *b = data;
  size_t from = (size_t)(b->list.data - b->s->text) + d->offset;
  size_t end = (size_t)(text.data - b->s->text) + (kept ? 0 : text.size);
  for (; from < end; from++)
    if (b->copy[from] != '\n')
      b->copy[from] = ' ';
}

// Finds the parameters of the next kernel after L. False: no more.
static bool choose_next(struct lexer *l, struct slice *list) {
  bool global = false;
  for (struct token t; (t = lex(l)).kind != TOKEN_END;) {
    struct lexer ahead = *l;
    global = (global || slice_is(t.text, "__global__")) && !slice_is(t.text, ";") &&
        !slice_is(t.text, "{");
    if (!global || t.kind != TOKEN_WORD || !slice_is(lex(&ahead).text, "("))
      continue;
    const char *open = ahead.p;
    if (!cut_skip_group(&ahead))
      continue;
    *l = ahead;
    if (cuda_entry_attribute(t.text) || (word_of_cplusplus(t.text) & WORD_ATTRIBUTE))
      continue;
    *list = (struct slice){ open, (size_t)(ahead.p - open) - 1 };
    return true;
  }
  return false;
}

void cuda_choose(const struct source *s, char *copy) {
  struct blanking b = { .s = s, .copy = copy };
  struct lexer l = lexer_of((struct slice){ s->text, s->size });
  while (choose_next(&l, &b.list))
    choose_walk(s, b.list, &b, choose_blank);
}

// ---- the check ----------------------------------------------------------------------

struct check {
  const struct kernel *k;
  struct slice list;
  struct text *out;
};

static void choose_check(void *data, const struct directive *d, struct slice text,
                         bool kept) {
  struct check *c = data;
  (void)text;
  text_printf(c->out, "%.*s", (int)(d->end - d->offset), c->list.data + d->offset);
  if (!kept && line_kind(d->word) != LINE_ENDIF)
    text_printf(
        c->out,
        "#error the kernel '%s' is read without these parameters: define the macro in "
        "this file, before the kernel\n",
        c->k->main.name);
}

void cuda_choose_check(const struct source *s, const struct kernel *k, struct text *out) {
  struct check c = { .k = k, .out = out };
  struct lexer l = { s->text + cxx_of(k)->start, s->text + k->main.body_at, false };
  if (choose_next(&l, &c.list))
    choose_walk(s, c.list, &c, choose_check);
}
