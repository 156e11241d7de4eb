// SPDX-License-Identifier: Apache-2.0
// syntax.c: checks that the expressions in clauses are expressions of C, and that they
// change nothing. Else the compiler would report them in generated text, or, as for
// `c[0,n]`, accept something that was not meant.
#include <string.h>

#include "front/lang/language.h"
#include "kernel.h"

static const char before[] = "int x = (", after[] = ");";

// True if a word of EXPR may be a macro, whose text is not known here, or if EXPR has an
// operator that grammars do not know: `a ?: b`, of GNU C.
static bool syntax_may_hide(const struct source *s, const struct kernel *k,
                            struct slice expr) {
  struct lexer l = lexer_of(expr);
  bool question = false, system;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if ((t.kind == TOKEN_WORD && kernel_arg(k, t.text) < 0 &&
         kernel_param(k, t.text) < 0 && !is_keyword(t.text) &&
         name_defined(s, t.text, &system)) ||
        slice_is(t.text, "{") || (question && slice_is(t.text, ":")))
      return true;
    question = slice_is(t.text, "?");
  }
  return false;
}

static bool syntax_ends_operand(struct token t) {
  return t.kind == TOKEN_NUMBER || (t.kind == TOKEN_WORD && !is_keyword(t.text)) ||
      slice_is(t.text, ")") || slice_is(t.text, "]");
}

// Reports the place at which EXPR stops being an expression.
static void syntax_say_where(const struct source *s, const struct pragma *p,
                             struct slice expr, const char *what) {
  struct lexer l = lexer_of(expr);
  struct token last = { 0 };
  const char *hint = NULL;
  struct slice at = { expr.data, 0 };
  for (struct token t = lex(&l); t.kind != TOKEN_END && !hint; t = lex(&l)) {
    bool no_operator = last.text.size && syntax_ends_operand(last) &&
        (t.kind == TOKEN_NUMBER || (t.kind == TOKEN_WORD && !is_keyword(t.text)));
    if (slice_is(t.text, ";"))
      hint = "arguments are separated by commas";
    else if (no_operator)
      hint = "write a comma or an operator before it";
    at = t.text;
    last = t;
  }
  bool ends = !hint && last.kind == TOKEN_PUNCTUATOR && !syntax_ends_operand(last);
  if (ends)
    hint = "something is missing after it";
  if (slice_is(at, ";"))
    diag_fix(s, pragma_offset(p, at), 1, ",");
  diag_error(s, pragma_offset(p, hint ? at : expr), hint ? at.size : expr.size, hint,
             "%s must be an expression of C", what);
}

// Returns the first node of the tree at ROOT that changes a variable or discards a value,
// or a null node. Code in braces is left out.
static TSNode syntax_effect(TSNode root) {
  static const char *const effects[] = { "assignment_expression", "update_expression",
                                         "comma_expression", NULL };
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  TSNode found = { 0 };
  bool more = true;
  while (more && ts_node_is_null(found)) {
    TSNode n = ts_tree_cursor_current_node(&cursor);
    if (node_is_any(n, effects))
      found = n;
    more = cursor_next(&cursor, !node_is(n, "compound_statement"));
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

static void syntax_say_effect(const struct source *s, const struct pragma *p,
                              struct slice part, TSNode effect, const char *what) {
  size_t at = pragma_offset(p, part);
  if (node_is(effect, "comma_expression"))
    diag_error(s, at, part.size,
               p->kind == PRAGMA_LOOP ? "a set of values has braces: {8, 16}" : NULL,
               "the value before this comma is not used");
  else {
    struct lexer l = lexer_of(part);
    struct token t = lex(&l);
    while (t.kind != TOKEN_END && !slice_is(t.text, "="))
      t = lex(&l);
    if (t.kind != TOKEN_END)
      diag_fix(s, pragma_offset(p, t.text), 1, "==");
    diag_error(s, at, part.size,
               node_is(effect, "assignment_expression") ? "write == to compare" : NULL,
               "%s must not change a variable", what);
  }
}

bool syntax_check(const struct source *s, const struct kernel *k, const struct pragma *p,
                  struct slice expr, const char *what) {
  if (expr.size == 0)
    return true;
  const char *text = arena_printf("%s%.*s%s", before, (int)expr.size, expr.data, after);
  struct source *e = source_of(s->path, text, strlen(text));
  source_parse(e, s->language);
  TSNode root = ts_tree_root_node(e->tree);
  if (ts_node_has_error(root)) {
    if (syntax_may_hide(s, k, expr))
      return true;
    syntax_say_where(s, p, expr, what);
    return false;
  }
  TSNode effect = syntax_effect(root);
  if (ts_node_is_null(effect))
    return true;
  size_t start = ts_node_start_byte(effect) - (sizeof before - 1),
         end = ts_node_end_byte(effect) - (sizeof before - 1);
  if (end > expr.size || start >= end)
    return true;
  syntax_say_effect(s, p, (struct slice){ expr.data + start, end - start }, effect, what);
  return false;
}
