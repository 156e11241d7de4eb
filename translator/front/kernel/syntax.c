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

// Returns what C calls T, an operator or the first half of one, which NEXT follows
// directly; NULL: T is one of C.
static const char *syntax_operator(struct token t, struct token next) {
  static const struct {
    const char *written, *more, *meant;
  } others[] = {
    { "and", "", "&&" }, { "or", "", "||" }, { "not", "", "!" }, { "<", ">", "!=" },
    { "=", "<", "<=" },  { "=", ">", ">=" }, { "mod", "", "%" }, { "div", "", "/" },
  };
  bool adjacent = t.text.data + t.text.size == next.text.data;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (slice_is(t.text, others[i].written) &&
        (!*others[i].more || (adjacent && slice_is(next.text, others[i].more))))
      return others[i].meant;
  return NULL;
}

// Reports the place at which EXPR stops being an expression.
static void syntax_say_where(const struct source *s, const struct pragma *p,
                             struct slice expr, const char *what) {
  struct lexer l = lexer_of(expr);
  struct token last = { 0 };
  const char *hint = NULL;
  struct slice at = { expr.data, 0 };
  for (struct token t = lex(&l); t.kind != TOKEN_END && !hint; t = lex(&l)) {
    struct lexer ahead = l;
    struct token next = lex(&ahead);
    const char *meant = syntax_operator(t, next);
    bool no_operator = last.text.size && syntax_ends_operand(last) &&
        (t.kind == TOKEN_NUMBER || (t.kind == TOKEN_WORD && !is_keyword(t.text)));
    if (slice_is(t.text, ";"))
      hint = "arguments are separated by commas";
    else if (meant)
      hint = arena_printf("write %s", meant);
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

static bool syntax_compares(TSNode n, const char *text) {
  return node_is(n, "binary_expression") &&
      strchr("<>", text[ts_node_start_byte(node_field(n, "operator"))]) &&
      ts_node_end_byte(node_field(n, "operator")) <=
      ts_node_start_byte(node_field(n, "operator")) +
          (text[ts_node_start_byte(node_field(n, "operator")) + 1] == '=' ? 2 : 1);
}

// True if N, of TEXT, is `a < b < c`.
static bool syntax_compares_twice(TSNode n, const char *text) {
  return syntax_compares(n, text) && syntax_compares(node_field(n, "left"), text);
}

// True if N, of TEXT, is `*8` or `*n`, where n is no pointer of K.
static bool syntax_follows_number(const struct kernel *k, TSNode n, const char *text) {
  TSNode a = node_is(n, "pointer_expression") ? node_field(n, "argument") : (TSNode){ 0 };
  if (ts_node_is_null(a) || text[ts_node_start_byte(n)] != '*')
    return false;
  uint32_t from = ts_node_start_byte(a);
  struct slice name = { text + from, ts_node_end_byte(a) - from };
  int arg = kernel_arg(k, name);
  return node_is(a, "number_literal") || (arg >= 0 && k->args[arg].integer) ||
      kernel_param(k, name) >= 0;
}

// Returns the first node of the tree of TEXT at ROOT that changes a variable, discards a
// value, or has a meaning in C that nobody wants; or a null node. Code in braces is left
// out.
static TSNode syntax_effect(const struct kernel *k, TSNode root, const char *text) {
  static const char *const effects[] = { "assignment_expression", "update_expression",
                                         "comma_expression", NULL };
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  TSNode found = { 0 };
  bool more = true;
  while (more && ts_node_is_null(found)) {
    TSNode n = ts_tree_cursor_current_node(&cursor);
    if (node_is_any(n, effects) || syntax_compares_twice(n, text) ||
        syntax_follows_number(k, n, text))
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
               p->kind == PRAGMA_LOOP ? "a set of values has braces: {8, 16}"
                   : strncmp(what, "a con", 5) == 0 ? "write && between two conditions"
                                                    : NULL,
               "the value before this comma is not used");
  else if (node_is(effect, "binary_expression"))
    diag_error(s, at, part.size, "write two comparisons with && between them",
               "this compares the result of a comparison");
  else if (node_is(effect, "pointer_expression"))
    diag_error(s, at, part.size, "C has no operator **: write a product",
               "%s follows a number as a pointer", what);
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

// Returns what E, of TEXT, is for certain, if that is no integer: "a pointer", "a
// string"; NULL: it is one, or that is not known.
static const char *syntax_kind(const struct kernel *k, TSNode e, const char *text) {
  static const char *const arithmetic = "+-*/";
  uint32_t from = ts_node_start_byte(e);
  struct slice t = { text + from, ts_node_end_byte(e) - from };
  double d;
  int arg = node_is(e, "identifier") ? kernel_arg(k, t) : -1;
  if (arg >= 0) {
    const struct kernel_arg *a = &k->args[arg];
    bool pointer = a->pointer && // by a macro it may be none
        (memchr(a->text.data, '*', a->text.size) ||
         memchr(a->text.data, '[', a->text.size));
    return pointer ? "a pointer" : a->real ? "a floating-point number" : NULL;
  }
  if (node_is(e, "string_literal"))
    return "a string";
  if (node_is(e, "number_literal"))
    return read_real(t, &d) ? "a floating-point number" : NULL;
  if (node_is(e, "parenthesized_expression"))
    return syntax_kind(k, ts_node_named_child(e, 0), text);
  if (!node_is(e, "binary_expression") ||
      !strchr(arithmetic, text[ts_node_start_byte(node_field(e, "operator"))]))
    return NULL;
  const char *left = syntax_kind(k, node_field(e, "left"), text),
             *right = syntax_kind(k, node_field(e, "right"), text);
  if ((left && strcmp(left, "a floating-point number") == 0) || !right)
    return left && strcmp(left, "a pointer") == 0 ? NULL : left; // p - q is an integer
  return strcmp(right, "a pointer") == 0 ? NULL : right;
}

bool syntax_check_integer(const struct source *s, const struct kernel *k,
                          const struct pragma *p, struct slice expr, const char *what) {
  const char *text = arena_printf("%s%.*s%s", before, (int)expr.size, expr.data, after);
  struct source *e = source_of(s->path, text, strlen(text));
  if (expr.size == 0)
    return true;
  source_parse(e, s->language);
  TSNode init =
      node_child(ts_node_named_child(ts_tree_root_node(e->tree), 0), "init_declarator");
  const char *kind =
      ts_node_is_null(init) ? NULL : syntax_kind(k, node_field(init, "value"), text);
  if (kind)
    diag_error(s, pragma_offset(p, expr), expr.size, NULL,
               "%s is an integer, but '%.*s' is %s", what, (int)expr.size, expr.data,
               kind);
  return !kind;
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
  TSNode effect = syntax_effect(k, root, text);
  if (ts_node_is_null(effect))
    return true;
  size_t start = ts_node_start_byte(effect) - (sizeof before - 1),
         end = ts_node_end_byte(effect) - (sizeof before - 1);
  if (end > expr.size || start >= end)
    return true;
  syntax_say_effect(s, p, (struct slice){ expr.data + start, end - start }, effect, what);
  return false;
}
