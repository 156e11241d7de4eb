// SPDX-License-Identifier: Apache-2.0
// kept.c: arguments of a kernel in C that nothing in it can change. It reads the
// preprocessed text, in which macros hide nothing.
#include "front/kernel/kernel.h"
#include "unit.h"

struct tokens {
  struct token *list;
  unsigned n;
};

static bool kept_is_any(struct slice text, const char *const *words) {
  for (; *words; words++)
    if (slice_is(text, *words))
      return true;
  return false;
}

static const char *const kept_steps[] = { "++", "--", NULL };

static bool kept_assigns(struct slice text) {
  static const char *const assignments[] = { "=",  "+=",  "-=",  "*=", "/=", "%=",
                                             "&=", "<<=", ">>=", "|=", "^=", NULL };
  return kept_is_any(text, assignments) || kept_is_any(text, kept_steps);
}

// True if the token at AT may take an address: after `)`, which may end a type, `&` may.
static bool kept_is_address(const struct tokens *t, unsigned at) {
  const struct token *before = at ? &t->list[at - 1] : NULL;
  bool operand = before &&
      (before->kind == TOKEN_NUMBER || before->kind == TOKEN_CHARACTER ||
       (before->kind == TOKEN_WORD && !slice_is(before->text, "return")) ||
       slice_is(before->text, "]"));
  return slice_is(t->list[at].text, "&") && !operand;
}

// True if the name at AT, or that name in parentheses, is changed, or may be elsewhere:
// its address is taken, or it is an operand of `asm`.
static bool kept_is_changed(const struct tokens *t, unsigned at) {
  unsigned from = at, to = at + 1;
  for (;; from--, to++) {
    const struct token *before = from ? &t->list[from - 1] : NULL;
    bool changes = to < t->n && kept_assigns(t->list[to].text);
    if (changes || !before || before->kind == TOKEN_STRING ||
        kept_is_any(before->text, kept_steps) || kept_is_address(t, from - 1))
      return true;
    if (!slice_is(before->text, "(") || to == t->n || !slice_is(t->list[to].text, ")"))
      return false;
  }
}

// True if the pragma in REST gives each thread a NAME of its own.
static bool kept_is_private(struct lexer rest, struct slice name) {
  static const char *const clauses[] = { "private", "lastprivate", "reduction",
                                         "linear",  "map",         NULL };
  bool mentioned = false, own = false;
  for (struct token t; (t = lex(&rest)).kind != TOKEN_END;) {
    mentioned = mentioned || slices_same(t.text, name);
    own = own || kept_is_any(t.text, clauses);
  }
  return mentioned && own;
}

static bool kept_member(const struct tokens *t, unsigned at) {
  static const char *const members[] = { ".", "->", NULL };
  return at > 0 && kept_is_any(t->list[at - 1].text, members);
}

static bool kept_holds(struct slice body, struct slice name) {
  struct tokens t = { 0 };
  struct lexer l = lexer_of(body);
  for (struct token k; (k = lex(&l)).kind != TOKEN_END;) {
    struct lexer rest;
    if (!k.first || !slice_is(k.text, "#"))
      *GROW(t.list, t.n) = k;
    else if (lex_directive(&l, &rest) == LINE_PRAGMA && kept_is_private(rest, name))
      return false;
  }
  for (unsigned i = 0; i < t.n; i++)
    if (slices_same(t.list[i].text, name) && !kept_member(&t, i) &&
        kept_is_changed(&t, i))
      return false;
  return true;
}

void kept_find(struct kernel *k, const struct expansion *x) {
  const struct item *item = expand_function(x, &k->main);
  if (!item || !item->body)
    return;
  const char *end = item->text.data + item->text.size;
  struct slice body = { item->body, (size_t)(end - item->body) };
  for (unsigned i = 0; i < k->n_keys && i < 64; i++)
    if (kept_holds(body, slice_trim(k->keys[i])))
      k->kept |= (uint64_t)1 << i;
}
