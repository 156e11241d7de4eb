// SPDX-License-Identifier: Apache-2.0
// statement.c: finds the kernels of a file that are statements, and rewrites the file so
// that each is a function.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "front/emit/emit.h"
#include "front/lang/language.h"
#include "statement.h"

void statement_refuse(struct statement *st, const char *hint, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  size_t at = st->p->offset, size = st->p->end - at;
  if (st->fine && st->leaves)
    diag_left(st->s, at, "%s%s", st->cplusplus ? "this is not tuned: " : "", text);
  else if (st->fine && st->cplusplus)
    diag_untuned(st->s, at, size, hint, "this is not tuned: %s", text);
  else if (st->fine)
    diag_error(st->s, at, size, hint, "%s", text);
  st->fine = false;
}

unsigned statement_line(const struct statement *st, TSNode node) {
  return source_where(st->s, ts_node_start_byte(node), NULL, NULL);
}

struct slice statement_text(const struct statement *st, TSNode node) {
  return ts_node_is_null(node) ? (struct slice){ "", 0 } : source_slice(st->s, node);
}

size_t statement_end(const struct statement *st) {
  return ts_node_end_byte(st->node);
}

// ---- which pragmas ------------------------------------------------------------------

// The statements of a file, while it is read.
struct statements {
  struct source *s;
  const struct pragma *pragmas;
  unsigned n_pragmas;
  const struct compile_options *o;
  const struct expansion *x;
  struct edits edits;
  struct site { /* in the text as it was */
    const char *name;
    size_t at, end;
    size_t call; /* from AT, in the new text */
    const struct statement *st;
  } *sites;
  unsigned n_sites;
  size_t end;       /* of the last statement */
  unsigned refused; /* statements that stay as written */
  bool fine;
};

// Returns the function whose body AT is in; null: none.
static TSNode statement_function(const struct source *s, size_t at) {
  TSNode n = ts_node_descendant_for_byte_range(ts_tree_root_node(s->tree), (uint32_t)at,
                                               (uint32_t)at + 1);
  while (!ts_node_is_null(n) && !node_is(n, "function_definition"))
    n = ts_node_parent(n);
  TSNode body = ts_node_is_null(n) ? n : node_field(n, "body");
  return !ts_node_is_null(body) && at > ts_node_start_byte(body) ? n : (TSNode){ 0 };
}

// True if FUNCTION, or the template that it is, begins at AT.
static bool statement_begins(TSNode function, size_t at) {
  TSNode n = function;
  do {
    if (ts_node_start_byte(n) == at)
      return true;
    n = ts_node_parent(n);
  } while (node_is(n, "template_declaration") || node_is(n, "linkage_specification"));
  return false;
}

// True if FUNCTION is a kernel or an alternative.
static bool statement_in_kernel(const struct statements *all, TSNode function) {
  for (unsigned i = 0; i < all->n_pragmas; i++) {
    const struct pragma *p = &all->pragmas[i];
    if (p->kind != PRAGMA_LOOP && p->end <= ts_node_start_byte(function) &&
        statement_begins(function, after_gap(all->s, p->end, all->s->size)))
      return true;
  }
  return false;
}

// Returns the `for` or block that begins at AT; null: something else does.
static TSNode statement_at(TSNode function, size_t at) {
  TSNode n = ts_node_descendant_for_byte_range(function, (uint32_t)at, (uint32_t)at + 1);
  for (; !ts_node_is_null(n) && ts_node_start_byte(n) == at; n = ts_node_parent(n))
    if (node_is(n, "for_statement") || node_is(n, "for_range_loop") ||
        node_is(n, "compound_statement"))
      return n;
  return (TSNode){ 0 };
}

// True if a function begins at AT: after declarations that the grammar cannot read, it
// may lie in what the grammar takes for the body of another one.
static bool statement_is_function(TSNode function, size_t at) {
  TSNode n = ts_node_descendant_for_byte_range(function, (uint32_t)at, (uint32_t)at + 1);
  for (; !ts_node_is_null(n) && ts_node_start_byte(n) == at; n = ts_node_parent(n))
    if (node_is(n, "function_definition"))
      return true;
  return false;
}

// True if a directive `fuse` stands in the gap after P, so that its block is a nest.
static bool statement_fuses(const struct statements *all, const struct pragma *p,
                            size_t at) {
  for (; p < all->pragmas + all->n_pragmas && p->offset < at; p++)
    if (p->kind == PRAGMA_LOOP && (directive_groups(p->directive) & GROUP_BLOCK))
      return true;
  return false;
}

static const char *statement_function_name(const struct source *s, TSNode function) {
  TSNode d = declarator_of_function(function);
  struct slice name = { 0 };
  struct text out = { 0 };
  bool hidden = !ts_node_is_null(d) && naming_hides(s, d, &name);
  if (s->language->cplusplus && !hidden)
    return ts_node_is_null(d) ? "function" : scope_name(s, d);
  struct lexer l = lexer_of(name); // NAME(scale) is NAME_scale
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD)
      text_printf(&out, "%s%.*s", out.size ? "_" : "", (int)t.text.size, t.text.data);
  return out.size ? out.data : "function";
}

// Returns the hash of the tokens of TEXT that are the compiler's: neither blanks,
// comments nor `#pragma autotune` count.
static unsigned statement_hash(struct slice text) {
  uint64_t hash = UINT64_C(14695981039346656037);
  struct lexer l = lexer_of(text), rest;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct lexer ahead = l;
    if (t.first && slice_is(t.text, "#") && lex_directive(&ahead, &rest) == LINE_PRAGMA &&
        slice_is(lex(&rest).text, "autotune")) {
      l = ahead;
      continue;
    }
    for (size_t i = 0; i <= t.text.size; i++) {
      hash ^= i < t.text.size ? (unsigned char)t.text.data[i] : ' ';
      hash *= UINT64_C(1099511628211);
    }
  }
  return (unsigned)((hash ^ hash >> 24 ^ hash >> 48) & 0xffffff);
}

// Returns a name for ST that edits elsewhere do not change: the function's, the hash of
// the statement, and its number among equal ones.
static const char *statement_name(const struct statements *all,
                                  const struct statement *st) {
  struct slice text = { st->s->text + st->from, statement_end(st) - st->from };
  const char *base = arena_printf("%s_%06x", st->of, statement_hash(text)), *name = base;
  for (unsigned number = 2, i = 0; i < all->n_sites; i++)
    if (strcmp(all->sites[i].name, name) == 0) {
      name = arena_printf("%s_%u", base, number++);
      i = 0;
    }
  return name;
}

// ---- one statement ------------------------------------------------------------------

// Diagnoses a kernel within ST.
static void statement_check_nested(struct statement *st) {
  for (unsigned i = 0; i < st->n_pragmas; i++) {
    const struct pragma *q = &st->pragmas[i];
    if (q->kind != PRAGMA_LOOP && q->offset > st->p->offset &&
        q->offset < statement_end(st)) {
      diag_error(st->s, q->offset, q->end - q->offset,
                 st->p->kind == PRAGMA_LOOP && q->offset < ts_node_start_byte(st->node)
                     ? "put 'kernel' above the directives of its loop"
                     : "a kernel holds no other one",
                 "this is inside a kernel already");
      st->fine = false;
    }
  }
}

// Reads the words of macros in FUNCTION but outside of ST.
static void statement_words_after(struct statement *st) {
  const char *text = st->s->text;
  size_t start = ts_node_start_byte(st->function), end = ts_node_end_byte(st->function);
  macros_words(st, (struct slice){ text + start, st->from - start }, &st->after);
  macros_words(st, (struct slice){ text + statement_end(st), end - statement_end(st) },
               &st->after);
}

// Returns the offset before ST's function, the macros that its declaration begins with,
// and the pragmas that belong to it.
static size_t statement_insertion(const struct statement *st) {
  const struct source *s = st->s;
  size_t run = SIZE_MAX,
         start = ts_node_start_byte(st->cplusplus ? scope_outermost(st->function)
                                                  : st->function);
  start = st->begin < start ? st->begin : start;
  struct lexer l = lexer_of((struct slice){ s->text, start }), rest;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    bool pragma = t.first && slice_is(t.text, "#") &&
        lex_directive(&l, &rest) == LINE_PRAGMA;
    run = !pragma ? SIZE_MAX : run == SIZE_MAX ? (size_t)(t.text.data - s->text) : run;
  }
  return run == SIZE_MAX ? start : run;
}

// True if a `#line` stands at AT, or comes with the call of a statement there.
static bool statement_resumes(const struct statements *all, size_t at) {
  for (unsigned i = 0; i < all->n_pragmas; i++)
    if (all->pragmas[i].offset == at)
      return true;
  for (unsigned i = 0; i < all->edits.n; i++)
    if (all->edits.list[i].start == at && all->edits.list[i].end == at)
      return true;
  return false;
}

// Adds a `#line` after each part of an #if that ST is in. Where ST is left out, so are
// its own ones.
static void statement_resume(struct statements *all, const struct statement *st) {
  struct source *s = all->s;
  const struct slice text = { s->text, ts_node_end_byte(st->function) };
  struct directive d;
  unsigned depth = 0;
  for (size_t at = statement_end(st); directive_next(text, &at, &d);) {
    enum line kind = line_kind(d.word);
    bool around = line_is_conditional(kind) && kind != LINE_IF && depth == 0;
    depth += kind == LINE_IF;
    depth -= kind == LINE_ENDIF && depth > 0;
    struct text line = { 0 };
    if (!around || statement_resumes(all, d.end))
      continue;
    source_resume(s, d.end, &line);
    edits_add(&all->edits, d.end, d.end, line);
  }
}

// Removes the pragmas of ST after its first one.
static void statement_blank(struct statements *all, const struct statement *st) {
  for (unsigned i = 0; i < all->n_pragmas; i++)
    if (all->pragmas[i].offset > st->p->offset &&
        all->pragmas[i].offset < statement_end(st))
      edits_blank(&all->edits, &all->pragmas[i], 1);
}

// Adds the edits that make a function of ST.
static void statement_edit(struct statements *all, const struct statement *st) {
  struct text function = { 0 }, call = { 0 }, end = { 0 };
  struct site site = { st->name, st->p->offset, statement_end(st), 0, NULL };
  size_t before = statement_insertion(st);
  statement_write_function(st, before, &function);
  edits_add(&all->edits, before, before, function);
  statement_write_call(st, &call, &site.call);
  edits_add(&all->edits, st->p->offset, st->p->end, call);
  statement_blank(all, st);
  text_printf(&end, "}}");
  edits_add(&all->edits, site.end, site.end, end);
  statement_resume(all, st);
  struct statement *kept = arena_alloc(sizeof *kept);
  *kept = *st;
  site.st = kept;
  *GROW(all->sites, all->n_sites) = site;
}

// Leaves ST as written.
static void statement_leave(struct statements *all, const struct statement *st) {
  edits_blank(&all->edits, st->p, 1);
  statement_blank(all, st);
  all->refused++;
}

static void statement_take(struct statements *all, const struct pragma *p, TSNode node,
                           TSNode function) {
  struct statement st = { .s = all->s,
                          .x = all->x,
                          .pragmas = all->pragmas,
                          .n_pragmas = all->n_pragmas,
                          .p = p,
                          .node = node,
                          .function = function,
                          .from = p->kind == PRAGMA_LOOP ? p->offset : p->end,
                          .of = statement_function_name(all->s, function),
                          .cplusplus = all->s->language->cplusplus,
                          .usings = "",
                          .words = "",
                          .leaves = all->o->leaves,
                          .fine = true };
  bool stays = st.cplusplus || st.leaves;
  st.f = (struct function){ .node = function,
                            .name = st.of,
                            .start = ts_node_start_byte(function),
                            .end = ts_node_end_byte(function),
                            .body_at = ts_node_start_byte(node_field(function, "body")) };
  st.usage = usage_of(all->s, &st.f, function);
  st.fine = st.cplusplus || statement_parsed(all->s, node);
  st.name = statement_name(all, &st);
  statement_check_nested(&st);
  bool nested = !st.fine;
  if (ts_node_is_null(declarator_of_function(function)))
    statement_refuse(&st, "write its arguments without a macro",
                     "a macro makes the head of the function around this");
  if (st.cplusplus && ts_node_has_error(node))
    statement_refuse(&st, "is a macro in it that hides a part of the syntax?",
                     "it could not be parsed");
  if (st.fine && st.cplusplus)
    scope_read(&st);
  if (st.fine)
    jumps_check(&st);
  if (st.fine) {
    made_read(&st);
    statement_words_after(&st);
    captures_find(&st);
  }
  if (st.fine)
    statement_edit(all, &st);
  else if (stays && !nested)
    statement_leave(all, &st);
  all->end = statement_end(&st);
  all->fine = all->fine && (st.fine || (stays && !nested));
}

static void statement_no_statement(struct statements *all, const struct pragma *p,
                                   size_t at) {
  struct lexer l = { all->s->text + at, all->s->text + all->s->size, false };
  struct slice word = lex(&l).text;
  bool loop = slice_is(word, "while") || slice_is(word, "do");
  diag_error(all->s, p->offset, p->end - p->offset,
             slice_is(word, "#") ? "an #if is between: put the pragma after it"
                 : loop          ? "put the loop in braces: { while (…) … }"
                                 : "put it before a 'for', a '{', or a function",
             "'kernel' is followed by neither a 'for' loop nor a block");
  all->fine = false;
}

// Diagnoses a kernel before a loop or block in a function that could not be parsed.
static void statement_hidden(struct statements *all, const struct pragma *p) {
  const struct source *s = all->s;
  size_t at = after_gap(s, p->end, s->size);
  struct lexer l = lexer_of((struct slice){ s->text, p->offset }),
               next = { s->text + at, s->text + s->size, false };
  unsigned depth = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    depth += slice_is(t.text, "{") ? 1u : slice_is(t.text, "}") ? -1u : 0;
  struct slice word = lex(&next).text;
  if (p->kind != PRAGMA_KERNEL || depth == 0 ||
      (!slice_is(word, "for") && !slice_is(word, "{")))
    return;
  const char *hint = "is a macro or an #if in it that hides a part of the syntax?",
             *why = "the function around this pragma could not be parsed";
  all->fine = all->fine && s->language->cplusplus;
  if (!s->language->cplusplus) {
    diag_error(s, p->offset, p->end - p->offset, hint, "%s", why);
    return;
  }
  diag_untuned(s, p->offset, p->end - p->offset, hint, "this is not tuned: %s", why);
  edits_blank(&all->edits, p, 1);
  all->refused++;
}

// Makes a function of the statement after P, if P is in a function that is no kernel.
static void statement_try(struct statements *all, const struct pragma *p) {
  struct source *s = all->s;
  TSNode function = statement_function(s, p->offset);
  if (ts_node_is_null(function))
    statement_hidden(all, p);
  if (ts_node_is_null(function) || p->offset < all->end || p->kind == PRAGMA_ALTERNATIVE)
    return;
  if (statement_in_kernel(all, function)) {
    if (p->kind == PRAGMA_KERNEL) {
      diag_error(s, p->offset, p->end - p->offset, "a kernel holds no other one",
                 "this is inside a kernel already");
      all->fine = false;
    }
    return;
  }
  size_t at = after_gap(s, p->end, ts_node_end_byte(function));
  TSNode node = statement_at(function, at);
  if (statement_is_function(function, at))
    return;
  bool block = p->kind == PRAGMA_KERNEL || statement_fuses(all, p, at);
  if (ts_node_is_null(node) || (!block && node_is(node, "compound_statement"))) {
    if (p->kind == PRAGMA_KERNEL)
      statement_no_statement(all, p, at);
    return; // other directives: kernel_all diagnoses that they are in no kernel
  }
  if (!all->x) {
    s->marked = true;
    all->x = expand_file(s, NULL, 0, "clang", all->o);
    s->marked = false;
  }
  if (!all->x) {
    diag_error(
        s, p->offset, p->end - p->offset,
        "put -I and -D of the build after `--` in `autotune check` and `translate`",
        "'%s' cannot preprocess this file", all->o->clang);
    all->fine = false;
    all->end = s->size;
    return;
  }
  statement_take(all, p, node, function);
}

// ---- the file -----------------------------------------------------------------------

// Returns where the text after the edit at AT of S stands in the new text.
static size_t statement_moved(const struct edits *e, size_t at) {
  size_t moved = at;
  for (unsigned i = 0; i < e->n && e->list[i].start < at; i++)
    moved += e->list[i].text.size - (e->list[i].end - e->list[i].start);
  return moved;
}

bool statements_outline(struct source *s, const struct pragma *pragmas, unsigned n,
                        const struct compile_options *o, bool *changed) {
  struct statements all = {
    .s = s, .pragmas = pragmas, .n_pragmas = n, .o = o, .edits = { .s = s }, .fine = true
  };
  struct text out = { 0 }, none = { 0 };
  *changed = false;
  for (unsigned i = 0; i < n; i++)
    statement_try(&all, &pragmas[i]);
  if ((!all.n_sites && !all.refused) || !all.fine)
    return all.fine;
  edits_apply(&all.edits, &none, &out);
  struct outlined *list = arena_alloc((all.n_sites + 1) * sizeof *list);
  for (unsigned i = 0; i < all.n_sites; i++) {
    const struct site *site = &all.sites[i];
    list[i] =
        (struct outlined){ .name = site->name,
                           .call = statement_moved(&all.edits, site->at) + site->call,
                           .end = statement_moved(&all.edits, site->end),
                           .words = site->st->words };
    views_tell(site->st, &list[i]);
  }
  struct source *written = arena_alloc(sizeof *written);
  *written = *s;
  *s = *source_of(s->path, out.data, out.size);
  s->written = written;
  s->outlined = list;
  s->n_outlined = all.n_sites;
  *changed = true;
  return true;
}
