// SPDX-License-Identifier: Apache-2.0
// view.c: replaces the macros in a function, except those that stand for an integer:
// these keep their names in bounds and sections. The result must equal the output of the
// compiler's preprocessor, token by token. The variables of the file that the function
// mentions stand before it.
#include <string.h>

#include "analysis.h"
#include "front/lang/language.h"
#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

enum { MAX_NESTED = 60, MAX_VIEW = 1 << 20 };

struct replacer {
  const struct expansion *x;
  size_t order; // of the function in the preprocessor's output
  bool numbers; // macros that stand for an integer are replaced too
  bool failed;
  const struct kernel *k; // whose stand-ins are put in; NULL: none are
};
struct hidden {
  struct slice name;
  const struct hidden *outer;
}; // while the macro is being replaced

static void replace_all(struct replacer *r, struct slice in, const struct hidden *h,
                        struct text *out);

static struct lexer definition_of(const struct macro *m) {
  return lexer_of(slice_after(m->text, m->name));
}

// Returns the integer that M stands for; empty: something else.
static struct slice integer_of(const struct macro *m) {
  long long number;
  struct lexer l = definition_of(m);
  struct token value = lex(&l);
  bool bracket = slice_is(value.text, "(");
  value = bracket ? lex(&l) : value;
  bool fine = !m->function && value.kind == TOKEN_NUMBER &&
      read_integer(value.text, &number) && (!bracket || slice_is(lex(&l).text, ")")) &&
      lex(&l).kind == TOKEN_END;
  return fine ? value.text : (struct slice){ 0 };
}

// True if M stands for a number, such as __FLT_MAX__.
static bool view_is_number(const struct macro *m) {
  struct lexer l = definition_of(m);
  return !m->function && lex(&l).kind == TOKEN_NUMBER && lex(&l).kind == TOKEN_END;
}

static bool view_is_hidden(const struct hidden *h, struct slice name) {
  for (; h; h = h->outer)
    if (slices_same(h->name, name))
      return true;
  return false;
}

// Returns the names between the parentheses of a definition, or the arguments of its use.
// Requires L after the '('.
static struct slice *read_list(struct lexer *l, unsigned *n) {
  struct slice *list = NULL;
  const char *from = l->p;
  unsigned depth = 0;
  *n = 0;
  for (struct token t; (t = lex(l)).kind != TOKEN_END;) {
    char p = t.kind == TOKEN_PUNCTUATOR && t.text.size == 1 ? *t.text.data : 0;
    bool end = p == ')' && depth == 0;
    if (end || (p == ',' && depth == 0)) {
      *GROW(list, *n) = slice_trim((struct slice){ from, (size_t)(t.text.data - from) });
      from = l->p;
    }
    if (end)
      return list;
    depth += p == '(';
    depth -= p == ')';
  }
  return NULL;
}

// Reads `##` if it comes next.
static bool take_paste(struct lexer *l) {
  struct lexer ahead = *l;
  struct slice first = lex(&ahead).text;
  if (slice_is(first, "#") && ahead.p < ahead.end && *ahead.p == '#')
    first = (struct slice){ first.data, first.size + lex(&ahead).text.size };
  if (!slice_is(first, "##"))
    return false;
  *l = ahead;
  return true;
}

// Writes BODY, the definition of a macro, with ARGS for its parameters NAMES.
static void view_substitute(struct replacer *r, struct lexer body,
                            const struct slice *names, const struct slice *args,
                            unsigned n, const struct hidden *h, struct text *out) {
  bool pasted = false;
  for (struct token t; (t = lex(&body)).kind != TOKEN_END;) {
    unsigned i = 0;
    bool paste = take_paste(&body);
    while (i < n && !slices_same(names[i], t.text))
      i++;
    r->failed |= *t.text.data == '#';
    struct slice text = i < n ? args[i] : t.text;
    if (i < n && !pasted && !paste)
      replace_all(r, text, h, out);
    else
      text_printf(out, "%s%.*s", pasted ? "" : " ", (int)text.size, text.data);
    pasted = paste;
  }
}

// Replaces the use of a macro whose name L has just read. False: NAME is no such use and
// stays as it is.
static bool view_replace(struct replacer *r, struct lexer *l, struct slice name,
                         const struct hidden *h, struct text *out) {
  const struct macro *m = expand_macro(r->x, name, r->order);
  struct hidden mine = { name, h };
  struct slice *names = NULL, *args = NULL;
  struct text body = { 0 };
  unsigned n = 0, given = 0, depth = 0;
  bool hidden = m && (view_is_hidden(h, name) || (m->builtin && !view_is_number(m)));
  if (!m || hidden || (!r->numbers && integer_of(m).size))
    return false;
  struct lexer definition = definition_of(m), ahead = *l;
  if (m->function) {
    if (!slice_is(lex(&ahead).text, "("))
      return false;
    lex(&definition);
    names = read_list(&definition, &n);
    args = read_list(&ahead, &given);
    *l = ahead;
  }
  for (const struct hidden *o = h; o; o = o->outer)
    depth++;
  r->failed |= n != given || depth > MAX_NESTED || out->size > MAX_VIEW;
  if (r->failed)
    return true;
  view_substitute(r, definition, names, args, n, h, &body);
  replace_all(r, (struct slice){ body.data, body.size }, &mine, out);
  return true;
}

static void replace_all(struct replacer *r, struct slice in, const struct hidden *h,
                        struct text *out) {
  struct lexer l = lexer_of(in);
  for (struct token t; !r->failed && (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind != TOKEN_WORD || !view_replace(r, &l, t.text, h, out))
      text_printf(out, " %.*s", (int)t.text.size, t.text.data);
}

// ---- the function -------------------------------------------------------------------

static void put_span(struct view *v, const struct text *out, size_t from, bool written) {
  *GROW(v->spans, v->n_spans) = (struct span){ out->size, from, written };
}

// Replaces what L has read as T, after BEFORE, if that is a macro or a form of C++.
// FIRST and LAST as of plainer_reference; NULL: L is in the body.
static bool view_use(struct replacer *r, struct lexer *l, struct slice before,
                     struct token t, struct text *first, struct text *last,
                     struct text *use) {
  if (t.kind == TOKEN_WORD && view_replace(r, l, t.text, NULL, use))
    return true;
  if (!r->x->cplusplus)
    return false;
  return t.kind == TOKEN_WORD ? plainer_take(l, before, t.text, r->k, use)
      : first                 ? plainer_reference(l, r->k, t.text, use, first, last)
                              : false;
}

// Appends F, which stands in TEXT, a copy of its file, with macros replaced.
static void put_function(struct replacer *r, const char *text, const struct function *f,
                         struct view *v, struct text *out) {
  struct lexer l = { text + f->start, text + f->end, true };
  const char *at = l.p, *body = text + f->body_at;
  struct slice before = { 0 };
  struct text first = { 0 }, last = { 0 };
  put_span(v, out, f->start, true);
  for (struct token t; !r->failed && (t = lex(&l)).kind != TOKEN_END; before = t.text) {
    struct text use = { 0 };
    bool head = t.text.data < body;
    if (t.first && slice_is(t.text, "#")) {
      l = (struct lexer){ lex_line_end(l.p, l.end), l.end, true };
      continue;
    }
    if (t.text.data == body && first.size)
      text_printf(&use, "{%s", first.data);
    else if (!view_use(r, &l, before, t, head ? &first : NULL, &last, &use))
      continue;
    text_add(out, at, (size_t)(t.text.data - at));
    put_span(v, out, (size_t)(t.text.data - text), false);
    text_add(out, use.data ? use.data : "", use.size);
    text_add(out, " ", 1);
    at = l.p;
    put_span(v, out, (size_t)(at - text), true);
  }
  text_add(out, at, (size_t)(text + f->end - 1 - at));
  text_add(out, last.data ? last.data : "", last.size);
  text_add(out, text + f->end - 1, 1);
}

// True if TEXT with all macros replaced equals the preprocessor's output.
static bool view_is_true(const struct replacer *r, struct slice text,
                         struct slice expanded) {
  struct replacer all = { r->x, r->order, .numbers = true };
  struct text full = { 0 };
  struct lexer l = lexer_of(text), x = lexer_of(expanded);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.first && slice_is(t.text, "#"))
      l = (struct lexer){ lex_line_end(l.p, l.end), l.end, true };
    else if (t.kind != TOKEN_WORD || !view_replace(&all, &l, t.text, NULL, &full))
      text_printf(&full, " %.*s", (int)t.text.size, t.text.data);
  l = lexer_of((struct slice){ full.data, full.size });
  for (;;) {
    struct token a = lex(&l), b = declare_lex(&x);
    if (a.kind == TOKEN_END || b.kind == TOKEN_END || !slices_same(a.text, b.text))
      return a.kind == b.kind && a.kind == TOKEN_END && !all.failed;
  }
}

// ---- context of the function --------------------------------------------------------

static void put_declaration(const struct item *i, struct text *out) {
  for (unsigned n = 0; n < i->n_names; n++)
    if (!i->names[n].function && i->names[n].text.size) // of C++ only what C reads
      text_printf(out, "%.*s %.*s;\n", (int)i->specifiers.size, i->specifiers.data,
                  (int)i->names[n].text.size, i->names[n].text.data);
}

// Adds the declarations of the file's variables that TEXT mentions.
static void put_globals(const struct expansion *x, struct slice text, struct text *out) {
  bool *seen = arena_alloc(x->items.n + 1);
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    const struct name *n = NULL;
    const struct item *i;
    while (t.kind == TOKEN_WORD &&
           (i = items_named(&x->items, NAME_ORDINARY, t.text, &n)) != NULL) {
      if (!seen[n->index] && !i->is_typedef && !i->body)
        put_declaration(i, out);
      seen[n->index] = true;
    }
  }
}

static TSNode last_function(const struct source *s) {
  TSNode root = ts_tree_root_node(s->tree), found = { 0 };
  for (uint32_t i = 0; i < ts_node_named_child_count(root); i++)
    if (node_is(ts_node_named_child(root, i), "function_definition"))
      found = ts_node_named_child(root, i);
  return found;
}

// Sets OUT and the spans of V to F, which stands in TEXT, a copy of its file. Returns
// false if ITEM, F as the preprocessor leaves it, is something else.
static bool view_try(const struct expansion *x, const struct item *item, const char *text,
                     const struct kernel *k, const struct function *f, struct view *v,
                     struct text *out) {
  struct replacer r = { .x = x,
                        .order = (size_t)(item->text.data - x->text.data),
                        .k = k };
  const char *name = item->names[0].name.data;
  *v = (struct view){ 0 };
  *out = (struct text){ 0 };
  put_function(&r, text, f, v, out);
  return !r.failed &&
      view_is_true(
          &r, (struct slice){ text + f->name_at, f->end - f->name_at },
          (struct slice){ name, (size_t)(item->text.data + item->text.size - name) });
}

struct view *view_of(const struct source *s, const struct expansion *x,
                     const struct kernel *k, const struct function *f) {
  struct view *v = arena_alloc(sizeof *v);
  const struct item *item = expand_function(x, f);
  struct text out, all = { 0 };
  if (!item || !item->n_names)
    return NULL;
  // in the parsed text, one branch is left of each #if whose branches open braces
  if (!view_try(x, item, s->text, k, f, v, &out) &&
      !view_try(x, item, s->parsed, k, f, v, &out))
    return NULL;
  put_globals(x, (struct slice){ out.data, out.size }, &all);
  for (unsigned i = 0; i < v->n_spans; i++)
    v->spans[i].at += all.size;
  size_t start = all.size;
  text_add(&all, out.data, out.size);
  v->source = source_of(s->path, all.data, all.size);
  // C++ is followed as far as the grammar of C reads it, whose nodes are known here.
  source_parse(v->source, s->language->plain ? s->language->plain : s->language);
  v->function = *f;
  v->function.node = last_function(v->source);
  v->function.n_directives = 0; // the directives stand on loops of the source
  v->function.start = start;
  v->function.end = all.size;
  v->function.body_at = ts_node_is_null(v->function.node)
      ? start
      : ts_node_start_byte(node_field(v->function.node, "body"));
  return ts_node_is_null(v->function.node) ? NULL : v;
}

size_t view_offset(const struct view *v, size_t at, bool *written) {
  unsigned i = v->n_spans - 1;
  while (i > 0 && v->spans[i].at > at)
    i--;
  *written = v->spans[i].written;
  return *written && at >= v->spans[i].at ? v->spans[i].from + (at - v->spans[i].at)
                                          : v->spans[i].from;
}

struct slice view_number(const struct expansion *x, const struct function *f,
                         struct slice name) {
  const struct item *item = expand_function(x, f);
  size_t order = item ? (size_t)(item->text.data - x->text.data) : 0;
  const struct macro *m = item ? expand_macro(x, name, order) : NULL;
  return m ? integer_of(m) : (struct slice){ 0 };
}
