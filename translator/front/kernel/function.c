// SPDX-License-Identifier: Apache-2.0
// function.c: finds the function or loop that a pragma stands on. It searches the text
// first, then the tree, to tell code that the grammar could not parse from code that is
// missing.
#include <string.h>

#include "front/lang/language.h"

// Moves L, after an #if, to after its #endif. False: there is more between the two than
// pragmas.
static bool gap_skip_pragmas(struct lexer *l) {
  struct lexer rest;
  for (unsigned depth = 1; depth > 0;) {
    struct token t = lex(l);
    enum line kind = t.kind != TOKEN_END && t.first && slice_is(t.text, "#")
        ? lex_directive(l, &rest)
        : LINE_TEXT;
    if (kind != LINE_PRAGMA && !line_is_conditional(kind))
      return false;
    depth += kind == LINE_IF ? 1u : kind == LINE_ENDIF ? -1u : 0;
  }
  return true;
}

size_t after_gap(const struct source *s, size_t offset, size_t end) {
  struct lexer l = { s->text + offset, s->text + end, true }, rest;
  for (;;) {
    struct token t = lex(&l);
    size_t at = (size_t)(t.text.data - s->text);
    if (t.kind == TOKEN_END || !t.first || !slice_is(t.text, "#"))
      return at;
    enum line kind = lex_directive(&l, &rest);
    if (line_is_conditional(kind) && (kind != LINE_IF || !gap_skip_pragmas(&l)))
      return at;
  }
}

size_t after_branch(const struct source *s, size_t offset, size_t end) {
  size_t at = after_gap(s, offset, end);
  struct lexer l = { s->text + at, s->text + end, true }, rest;
  while (at < end && slice_is(lex(&l).text, "#") &&
         (lex_directive(&l, &rest) == LINE_ENDIF || gap_skip_pragmas(&l))) {
    at = after_gap(s, (size_t)(l.p - s->text), end);
    l = (struct lexer){ s->text + at, s->text + end, true };
  }
  return at;
}

// Finds the smallest node of that type in ROOT that begins exactly at OFFSET. False: not
// found.
static bool function_node_at(TSNode root, size_t offset, const char *type,
                             TSNode *found) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  bool any = false, more = true;
  while (more) {
    TSNode n = ts_tree_cursor_current_node(&cursor);
    if (ts_node_start_byte(n) > offset)
      break;
    if (ts_node_start_byte(n) == offset && node_is(n, type)) {
      *found = n;
      any = true;
    }
    more = cursor_next(&cursor, ts_node_end_byte(n) > offset);
  }
  ts_tree_cursor_delete(&cursor);
  return any;
}

struct branch {
  size_t at;
  int depth;
};

static bool function_unbalanced(const struct source *s, size_t at, const char *message) {
  diag_error(s, at, 1, "let every branch of an #if open and close the same braces", "%s",
             message);
  return false;
}

// Finds the '}' that matches the '{' at OPEN. Returns false after an error message: a
// branch of an #if opens or closes some of the braces, or they are never closed.
static bool braces_match(const struct source *s, size_t open, size_t *end) {
  struct branch *stack = NULL;
  unsigned n = 0;
  int depth = 0;
  struct lexer l = { s->parsed + open, s->parsed + s->size, false }, rest;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    size_t at = (size_t)(t.text.data - s->parsed);
    if (t.first && slice_is(t.text, "#")) {
      enum line kind = lex_directive(&l, &rest);
      bool changes = kind == LINE_ELSE || kind == LINE_ENDIF;
      if (kind == LINE_IF)
        *GROW(stack, n) = (struct branch){ at, depth };
      else if (changes && n == 0)
        return function_unbalanced(
            s, at, "this belongs to an #if that opens before the function");
      else if (changes && stack[n - 1].depth != depth)
        return function_unbalanced(s, stack[n - 1].at,
                                   "a branch of this #if opens a brace that is closed "
                                   "elsewhere, or closes one that is opened elsewhere");
      n -= kind == LINE_ENDIF;
    } else if (slice_is(t.text, "{")) {
      depth++;
    } else if (slice_is(t.text, "}") && --depth == 0) {
      *end = at + 1;
      return n == 0 ||
          function_unbalanced(s, stack[n - 1].at,
                              "this #if is still open where the function ends");
    }
  }
  diag_error(s, open, 1, NULL, "this brace is never closed");
  return false;
}

// Finds the '{' of a definition that begins at OFFSET. False: the definition ends before
// a '{'.
static bool find_body(const struct source *s, size_t offset, size_t *body) {
  struct lexer l = { s->text + offset, s->text + s->size, false }, rest;
  if (s->language->skip_head)
    s->language->skip_head(&l);
  int depth = 0;
  bool called = false;
  *body = s->size;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    char c = t.text.size == 1 ? *t.text.data : 0;
    *body = (size_t)(t.text.data - s->text);
    if (t.first && c == '#')
      lex_directive(&l, &rest);
    else if (c == '(' || c == '[')
      depth++, called = called || c == '(';
    else if (c == ')' || c == ']')
      depth--;
    else if (depth == 0 && c == '{' && called)
      return true;
    else if (depth == 0 && (c == ';' || c == '=' || c == '{' || c == '}'))
      return false;
  }
  return false;
}

// True for `f(a, b) int a; { … }`: at a ';', a type stands after the parentheses.
static bool old_style(const struct source *s, size_t offset, size_t semicolon) {
  struct lexer l = { s->text + offset, s->text + semicolon, false };
  bool closed = false;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (closed && (is_type_word(t.text) || is_attribute(t.text)))
      return is_type_word(t.text);
    closed = closed || slice_is(t.text, ")");
  }
  return false;
}

static const char *pragma_label(const struct pragma *p) {
  return p->kind == PRAGMA_KERNEL ? "kernel" : "alternative";
}

static bool is_in_function(const struct source *s, size_t at) {
  TSNode n = ts_node_descendant_for_byte_range(ts_tree_root_node(s->tree), (uint32_t)at,
                                               (uint32_t)at);
  while (!ts_node_is_null(n) && !node_is(n, "function_definition"))
    n = ts_node_parent(n);
  return !ts_node_is_null(n);
}

static bool no_function(const struct source *s, const struct pragma *p, size_t at) {
  const char *hint = "put the pragma on the line above the function";
  struct lexer l = { s->text + at, s->text + s->size, false };
  struct slice word = lex(&l).text;
  size_t body;
  if (is_in_function(s, p->offset))
    hint = "within a function a kernel is a loop with 'for', or a block { … }";
  else if (slice_is(word, "for"))
    hint = "a loop must be in a function to be a kernel";
  else if (slice_is(word, "#"))
    hint = "an #if is between: put the pragma after it";
  else if (!find_body(s, at, &body) && body < s->size && s->text[body] == ';')
    hint = old_style(s, at, body)
        ? "the types of arguments must be within the parentheses"
        : "this is a declaration: the pragma goes to the definition, with its body";
  diag_error(s, p->offset, p->end - p->offset, hint,
             "'#pragma autotune %s' is not followed by a function definition",
             pragma_label(p));
  return false;
}

static bool definition_at(TSNode root, size_t start, size_t end, TSNode *found) {
  return function_node_at(root, start, "function_definition", found) &&
      ts_node_end_byte(*found) == end;
}

// Finds the definition within [START, END) whose braces open at BODY.
static bool definition_around(TSNode root, size_t start, size_t body, size_t end,
                              TSNode *found) {
  TSNode n = ts_node_descendant_for_byte_range(root, (uint32_t)body, (uint32_t)end);
  while (!ts_node_is_null(n) && !node_is(n, "function_definition"))
    n = ts_node_parent(n);
  *found = n;
  return !ts_node_is_null(n) && ts_node_start_byte(n) >= start &&
      ts_node_end_byte(n) == end;
}

static bool function_find_definition(const struct source *s, TSNode root, size_t start,
                                     size_t body, size_t end, TSNode *found) {
  if (s->language->skip_head) // `template <…>` or `extern "C"` may stand before it
    return definition_around(root, start, body, end, found);
  return definition_at(root, start, end, found);
}

// Returns the last token of the C text before AT, ignoring directives.
static struct slice token_before(const struct source *s, size_t at) {
  struct lexer l = lexer_of((struct slice){ s->text, at }), rest;
  struct slice last = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.first && slice_is(t.text, "#"))
      lex_directive(&l, &rest);
    else
      last = t.text;
  return last;
}

// True if the pragma stands between `static` and the rest of the definition, which
// compilers that skip unknown pragmas accept.
static bool inside_definition(const struct source *s, const struct pragma *p) {
  struct slice before = token_before(s, p->offset);
  bool own = s->language->goes_on_after && s->language->goes_on_after(before);
  if (!is_keyword(before) && !slice_is(before, "*") && !own)
    return false;
  diag_error(
      s, p->offset, p->end - p->offset, "put it on the line above the whole definition",
      "this pragma is within a declaration, after '%.*s'", (int)before.size, before.data);
  return true;
}

bool function_find(const struct source *s, const struct pragma *p, struct function *f) {
  if (inside_definition(s, p))
    return false;
  size_t at = after_gap(s, p->end, s->size), body, end;
  f->pragma = p;
  if (at == s->size || s->text[at] == '#' || !find_body(s, at, &body))
    return no_function(s, p, at);
  if (!braces_match(s, body, &end))
    return false;
  if (!function_find_definition(s, ts_tree_root_node(s->tree), at, body, end, &f->node) &&
      !function_find_definition(s, source_parse_part(s, at, end), at, body, end,
                                &f->node)) {
    diag_error(s, at, body - at, "is a macro in it that hides a part of the syntax?",
               "the function after this pragma could not be parsed");
    return false;
  }
  f->start = at;
  f->end = end;
  f->body_at = body;
  return true;
}

// True if N is an error that a macro such as `FOREACH(i, n) { … }` or `FOREACH(i, n) x +=
// i;` causes: the grammar takes a macro at the beginning of a statement for a call, and
// then misses a ';' or has an extra word. If it misses a whole statement, the ')' ends
// the header of a `for` whose body begins with an #if: that is a real error.
static bool after_macro(const struct source *s, TSNode n) {
  size_t at = ts_node_start_byte(n);
  while (at > 0 && strchr(" \t\r\n", s->parsed[at - 1]))
    at--;
  if (at == 0 || s->parsed[at - 1] != ')')
    return false;
  return ts_node_is_missing(n)
      ? node_is(n, ";") && ts_node_named_child_count(ts_node_parent(n)) > 0
      : ts_node_child_count(n) == 1 && node_is(ts_node_child(n, 0), "identifier");
}

static bool is_error(const struct source *s, TSNode n) {
  return (node_is(n, "ERROR") || ts_node_is_missing(n)) && !after_macro(s, n);
}

// Diagnoses a branch of an #if that begins or ends within LOOP, but not its #if or
// #endif.
static bool statement_whole(const struct source *s, TSNode n) {
  size_t start = ts_node_start_byte(n), end = ts_node_end_byte(n), at = start;
  struct lexer l = { s->text + start, s->text + end, false }, rest;
  int depth = 0;
  for (struct token t = lex(&l); t.kind != TOKEN_END && depth >= 0; t = lex(&l)) {
    if (!t.first || !slice_is(t.text, "#"))
      continue;
    enum line kind = lex_directive(&l, &rest);
    at = depth ? at : (size_t)(t.text.data - s->text);
    depth += kind == LINE_IF ? 1 : kind == LINE_ENDIF ? -1 : 0;
    if (kind == LINE_ELSE && depth == 0)
      depth = -1;
  }
  if (depth)
    diag_error(s, at, 1, "let every branch of an #if open and close the same braces",
               "this begins in one branch of an #if and ends outside of it");
  return depth == 0;
}

bool statement_parsed(const struct source *s, TSNode node) {
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  bool fine = true, more = ts_node_has_error(node);
  while (more && fine) {
    TSNode n = ts_tree_cursor_current_node(&cursor);
    size_t start = ts_node_start_byte(n), end = ts_node_end_byte(n);
    if (is_error(s, n)) {
      size_t next = start + strspn(s->text + start, " \t\r\n");
      diag_error(
          s, start, end - start,
          s->text[next] == '#' ? "put braces around the #if that is the body"
                               : "is a macro in it that hides a part of the syntax?",
          ts_node_is_missing(n) ? "'%s' is missing here" : "this could not be parsed",
          ts_node_type(n));
      fine = false;
    }
    more = cursor_next(&cursor, ts_node_has_error(n));
  }
  ts_tree_cursor_delete(&cursor);
  return fine && statement_whole(s, node);
}

// True if the preprocessor lines between FROM and TO hold a directive `fuse`, which makes
// a loop of a block.
static bool function_fuses(const struct source *s, size_t from, size_t to) {
  struct lexer l = { s->text + from, s->text + to, true };
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    if (slice_is(t.text, "autotune") && slice_is(lex(&l).text, "fuse"))
      return true;
  return false;
}

// Sets *FOUND to the statement at OFFSET in a loop of F with `fission`, which may give it
// loops. False: it is in no such loop.
static bool function_part_at(const struct function *f, size_t offset, TSNode *found) {
  uint32_t at = (uint32_t)offset;
  TSNode n = ts_node_descendant_for_byte_range(f->node, at, at), up;
  while (up = ts_node_parent(n), !ts_node_is_null(up) && ts_node_start_byte(up) == at)
    n = up;
  *found = n;
  bool divided = false;
  for (unsigned i = 0; i < f->n_directives; i++)
    divided = divided ||
        (f->directives[i].kind == DIR_FISSION && node_within(n, f->directives[i].loop));
  return divided && ts_node_start_byte(n) == at && ts_node_is_named(n) &&
      node_is(up, "compound_statement");
}

// Returns a hint for a directive that is followed by the text at AT, which is not a loop.
static const char *no_loop_hint(const struct source *s, size_t at, size_t end) {
  struct lexer l = { s->text + at, s->text + end, false };
  struct token t = lex(&l);
  if (slice_is(t.text, "#"))
    return "an #if is between: put the directive after it";
  if (slice_is(t.text, "while") || slice_is(t.text, "do"))
    return "write the loop as 'for (i = a; i < b; i++)': directives take no other";
  if (t.kind == TOKEN_WORD && slice_is(lex(&l).text, "("))
    return "if a macro makes the loop here, write out its 'for (…)'";
  return "put it on the line above the loop";
}

// True if a pragma of OpenMP stands above the directive P of a loop, and a line of an #if
// between the two.
static bool function_divided(const struct source *s, const struct pragma *p,
                             const struct function *f) {
  struct lexer l = { s->text + f->body_at, s->text + p->offset, true }, rest;
  bool openmp = false, divided = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!t.first || !slice_is(t.text, "#")) {
      openmp = divided = false;
      continue;
    }
    enum line kind = lex_directive(&l, &rest);
    divided = divided || (openmp && line_is_conditional(kind));
    openmp = openmp || (kind == LINE_PRAGMA && slice_is(lex(&rest).text, "omp"));
  }
  return divided;
}

bool loop_find(const struct source *s, const struct pragma *p, const struct function *f,
               TSNode *loop) {
  if (function_divided(s, p, f)) {
    diag_error(
        s, p->offset, p->end - p->offset,
        "put the pragma of OpenMP directly above the directive, outside of the #if",
        "an #if is between the loop's pragma of OpenMP and '%s'",
        directive_name(p->directive));
    return false;
  }
  size_t at = after_gap(s, p->end, f->end);
  struct lexer l = { s->text + at, s->text + f->end, false };
  if (function_node_at(f->node, at, "for_statement", loop))
    return statement_parsed(s, *loop);
  if (((directive_groups(p->directive) & GROUP_BLOCK) || function_fuses(s, p->end, at)) &&
      function_node_at(f->node, at, "compound_statement", loop))
    return statement_parsed(s, *loop);
  if (function_part_at(f, at, loop))
    return statement_parsed(s, *loop);
  if (slice_is(lex(&l).text, "for"))
    diag_error(s, at, 3, "is a macro in it that hides a part of the syntax?",
               "this loop could not be parsed");
  else
    diag_error(s, p->offset, p->end - p->offset, no_loop_hint(s, at, f->end),
               "'%s' is not followed by a 'for'", directive_name(p->directive));
  return false;
}
