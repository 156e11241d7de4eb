// SPDX-License-Identifier: Apache-2.0
// args.c: reads the arguments of a clause: `a`, `{b, c}`, `name: d`.
#include <string.h>

#include "pragma.h"

struct slice *slice_split(struct slice s, unsigned *n) {
  struct slice *parts = NULL;
  struct lexer l = lexer_of(s);
  const char *begin = s.data;
  int depth = 0;
  *n = 0;
  if (slice_trim(s).size == 0)
    return NULL;
  for (;;) {
    struct token t = lex(&l);
    if (t.kind == TOKEN_END || (depth == 0 && slice_is(t.text, ","))) {
      const char *end = t.kind == TOKEN_END ? s.data + s.size : t.text.data;
      *GROW(parts, *n) = slice_trim((struct slice){ begin, (size_t)(end - begin) });
      if (t.kind == TOKEN_END)
        return parts;
      begin = end + 1;
    }
    depth += lex_bracket(t.text);
  }
}

// Splits `label: text` at the first ':' that is outside of brackets and belongs to no
// `?`.
static void split_label(struct argument *a) {
  struct lexer l = lexer_of(a->text);
  int depth = 0;
  for (;;) {
    struct token t = lex(&l);
    if (t.kind == TOKEN_END || slice_is(t.text, "?"))
      return;
    if (depth == 0 && slice_is(t.text, ":")) {
      const char *end = a->text.data + a->text.size;
      a->label = slice_trim(
          (struct slice){ a->text.data, (size_t)(t.text.data - a->text.data) });
      a->text =
          slice_trim((struct slice){ t.text.data + 1, (size_t)(end - t.text.data - 1) });
      return;
    }
    depth += lex_bracket(t.text);
  }
}

// True if the brace that opens TEXT is closed by its last character.
static bool braces_all(struct slice text) {
  struct lexer l = lexer_of(text);
  int depth = 0;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    depth += lex_bracket(t.text);
    if (depth == 0)
      return t.text.data + t.text.size == text.data + text.size;
  }
  return false;
}

static void read_set(const struct source *s, const struct pragma *p, struct argument *a) {
  struct slice inside = { a->text.data + 1, a->text.size - 2 };
  a->set = slice_split(inside, &a->n_set);
  a->is_set = true;
  if (a->n_set == 0)
    diag_error(s, a->offset, a->text.size, "write at least one candidate, as in {8, 16}",
               "empty set");
  for (unsigned i = 0; i < a->n_set; i++)
    if (a->set[i].size == 0)
      diag_error(s, pragma_offset(p, a->set[i]), 1, NULL, "a candidate is missing here");
}

static void read_argument(const struct source *s, const struct pragma *p,
                          struct clause *c, const struct clause_rule *rule,
                          struct slice text) {
  struct argument *a = GROW(c->args, c->n_args);
  *a = (struct argument){ .text = text };
  if (rule->flags & CLAUSE_LABELS)
    split_label(a);
  a->offset = pragma_offset(p, a->text);
  if (a->text.size == 0) {
    diag_error(s, a->offset, 1, NULL, "an argument of '%s' is missing here", c->name);
    return;
  }
  if (!strchr("{[", *a->text.data))
    return;
  if (*a->text.data == '[' || !braces_all(a->text))
    diag_error(
        s, a->offset, a->text.size,
        rule->flags & CLAUSE_OWN
            ? "write a set for each argument, with commas between: {8, 16}, {32, 64}"
            : "write values, or a set of values in braces: {8, 16}",
        "this is neither a value nor a set of values");
  else if (rule->flags & CLAUSE_SETS)
    read_set(s, p, a);
  else
    diag_error(s, a->offset, a->text.size, "write it without braces", "'%s' takes no set",
               c->name);
}

void pragma_arguments(const struct source *s, const struct pragma *p, struct clause *c,
                      const struct clause_rule *rule) {
  unsigned n = 0;
  struct slice whole = slice_trim(c->body);
  struct slice *parts = &whole;
  if (rule->flags & CLAUSE_WHOLE)
    n = whole.size > 0;
  else
    parts = slice_split(c->body, &n);
  if (n == 0 && rule->args == ARGS_MUST)
    diag_error(s, c->offset, c->size, NULL, "'%s' has no argument", c->name);
  if (n > 1 && (rule->flags & CLAUSE_ONE))
    diag_error(s, pragma_offset(p, parts[1]), parts[1].size, NULL,
               "'%s' takes one argument, not %u", c->name, n);
  for (unsigned i = 0; i < n; i++)
    read_argument(s, p, c, rule, parts[i]);
}
