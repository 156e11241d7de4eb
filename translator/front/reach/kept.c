// SPDX-License-Identifier: Apache-2.0
// kept.c: arguments of a kernel in C that nothing in it can change. It reads the
// preprocessed text, in which macros hide nothing.
#include <string.h>

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

// ---- recursion ----------------------------------------------------------------------

struct recursion {
  const char *name;
  unsigned depth, spaces; // brackets of bodies; of namespaces and extern "C"
  struct slice before;
  bool system, space, linkage;
};

// Looks at the directive in REST. True: it is a macro of the program that mentions the
// kernel.
static bool recursion_directive(struct recursion *r, enum line kind, struct lexer rest) {
  static const char ours[] = "AUTOTUNE_";
  struct slice line = { rest.p, (size_t)(rest.end - rest.p) }, macro = lex(&rest).text;
  if (macro.size > sizeof ours && memcmp(macro.data, ours, sizeof ours - 1) == 0)
    return false;
  if (memmem(line.data, line.size, "<autotune>", strlen("<autotune>")))
    r->system = false;
  r->system |= memmem(line.data, line.size, "<system>", strlen("<system>")) != NULL;
  return kind == LINE_DEFINE && !r->system && lex_mentions(line, slice_of(r->name));
}

// True if T mentions the kernel other than to declare it.
static bool recursion_mentions(const struct recursion *r, struct token t) {
  static const char *const calls[] = { "(", ",", "=", ":", "{", "return", NULL };
  return t.kind == TOKEN_WORD && slice_is(t.text, r->name) &&
      (r->depth > 0 || kept_is_any(r->before, calls));
}

static void recursion_follow(struct recursion *r, struct token t) {
  bool opens = slice_is(t.text, "{"), closes = slice_is(t.text, "}");
  if (opens && r->depth == 0 && (r->space || r->linkage))
    r->spaces++;
  else if (opens)
    r->depth++;
  else if (closes && r->depth > 0)
    r->depth--;
  else if (closes && r->spaces > 0)
    r->spaces--;
  r->linkage = t.kind == TOKEN_STRING && slice_is(r->before, "extern");
  r->space = (r->space || slice_is(t.text, "namespace")) && !opens && !closes &&
      !slice_is(t.text, ";");
  r->before = t.text;
}

bool kept_recurses(const struct unit *unit, const char *name) {
  static const char entry[] = "1 \"<autotune>\"\n";
  struct recursion r = { .name = name, .before = slice_of(";") };
  const char *text = unit->text.data, *end = text;
  for (const char *p = text; (p = strstr(p, entry)); p++)
    end = p;
  struct lexer l = lexer_of((struct slice){ text, (size_t)(end - text) });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct lexer rest;
    if (t.first && slice_is(t.text, "#")) {
      enum line kind = lex_directive(&l, &rest);
      if (recursion_directive(&r, kind, rest))
        return true;
      continue;
    }
    if (r.system)
      continue;
    if (recursion_mentions(&r, t))
      return true;
    recursion_follow(&r, t);
  }
  return false;
}
