// SPDX-License-Identifier: Apache-2.0
// copies.c: copies the helpers, types and constants that a kernel uses and that mention a
// param: they differ from winner to winner. Each winner gets copies under other names,
// directly before it, and shares everything else with the file.
//
// A copy has the source's text if its macros mean the same directly before the kernel;
// otherwise it has the preprocessed text. Lines with an `#if` on a param are copied as
// lines.
#include <string.h>

#include "bake.h"
#include "front/include.h"

static bool is_param(const struct kernel *k, struct slice word) {
  int p = kernel_param(k, word);
  return p >= 0 && k->params[p].named && k->params[p].macro;
}

static bool has_name(const struct copies *c, struct slice word) {
  for (unsigned i = 0; i < c->n_names; i++)
    if (slices_same(c->names[i], word))
      return true;
  return false;
}

// True if TEXT mentions a param, or a name that depends on one: it then differs from
// winner to winner.
static bool copies_varies(const struct copies *c, struct slice text) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && (is_param(c->r->k, t.text) || has_name(c, t.text)))
      return true;
  return false;
}

static void copies_add_names(struct copies *c, unsigned item) {
  const struct expansion *x = c->r->x;
  for (unsigned i = 0; i < x->items.names.n; i++) {
    const struct name *n = &x->items.names.list[i];
    struct lexer l = lexer_of(n->text);
    bool word = lex(&l).kind == TOKEN_WORD; // `{`: there is no tag
    if (word && n->space != NAME_MACRO && n->index == item && !has_name(c, n->text))
      *GROW(c->names, c->n_names) = n->text;
  }
}

// Adds the names that the lines of P may declare, also in branches that the build skips.
static void add_names_of_lines(struct copies *c, const struct piece *p) {
  struct lexer l = lexer_of((struct slice){ c->s->text + p->start, p->end - p->start });
  struct slice last = { 0 }, before = { 0 };
  unsigned depth = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (t.first && slice_is(t.text, "#")) {
      l = (struct lexer){ lex_line_end(t.text.data, l.end), l.end, true };
      continue;
    }
    int bracket = lex_bracket(t.text);
    bool ends = bracket > 0 || slice_is(t.text, "=") || slice_is(t.text, ";") ||
        slice_is(t.text, ",");
    bool tag = slice_is(before, "struct") || slice_is(before, "union") ||
        slice_is(before, "enum");
    if (depth == 0 && ends && last.size && (tag || !slice_is(t.text, "{")) &&
        !(word_of_c(last) & (WORD_ATTRIBUTE | WORD_TYPEOF)) && !has_name(c, last))
      *GROW(c->names, c->n_names) = last;
    depth += bracket > 0 || depth ? (unsigned)bracket : 0;
    before = last;
    last = t.kind == TOKEN_WORD && depth == 0 ? t.text : (struct slice){ 0 };
  }
}

static bool may_copy(const struct reach *r, unsigned item) {
  return (r->how[item] == HOW_TEXT || r->how[item] == HOW_STATIC) &&
      !r->x->items.list[item].system;
}

static void copies_find(struct copies *c) {
  const struct expansion *x = c->r->x;
  for (unsigned i = 0; i < x->items.n; i++)
    if (c->r->how[i] == HOW_PIECE)
      add_names_of_lines(c, x->items.list[i].piece);
  for (bool more = true; more;) {
    more = false;
    for (unsigned i = 0; i < x->items.n; i++)
      if (may_copy(c->r, i) && !c->copied[i] && copies_varies(c, x->items.list[i].text)) {
        c->copied[i] = more = true;
        copies_add_names(c, i);
      }
  }
}

// ---- pieces -------------------------------------------------------------------------

// Returns the macros that P defines in any of its branches; *N is their number.
static struct slice *defined_in(const struct copies *c, const struct piece *p,
                                unsigned *n) {
  struct slice *names = NULL;
  struct directive d;
  *n = 0;
  for (size_t at = p->start;
       directive_next((struct slice){ c->s->text, p->end }, &at, &d);)
    if (line_kind(d.word) == LINE_DEFINE)
      *GROW(names, *n) =
          lex(&(struct lexer){ d.rest.data, d.rest.data + d.rest.size, false }).text;
  return names;
}

static void copies_undefine_all(const struct copies *c, const struct piece *p,
                                struct text *out) {
  unsigned n;
  struct slice *names = defined_in(c, p, &n);
  for (unsigned i = 0; i < n; i++)
    if (!is_param(c->r->k, names[i]))
      text_printf(out, "#undef %.*s\n", (int)names[i].size, names[i].data);
}

static bool copies_declares(const struct copies *c, const struct piece *p) {
  for (unsigned i = 0; i < c->r->x->items.n; i++)
    if (c->r->x->items.list[i].piece == p)
      return true;
  return false;
}

static void copies_write_piece(const struct copies *c, const struct piece *p,
                               struct text *out) {
  copies_undefine_all(c, p, out);
  emit_resume(c->s, p->start, out);
  feed_raw(c->s, c->r->x->kernels, c->r->x->n_kernels, p->start, p->end, out);
  text_add(out, "\n", 1);
}

void copies_restore(const struct copies *c, struct text *out) {
  for (unsigned i = 0; i < c->r->n_raws; i++)
    if (c->r->raws[i].piece && !copies_declares(c, c->r->raws[i].piece))
      copies_write_piece(c, c->r->raws[i].piece, out);
}

// ---- reasons not to bake a kernel ---------------------------------------------------

static struct copies *copies_refuse(const struct source *s, const struct kernel *k,
                                    const char *hint, const char *why) {
  diag_warning(s, k->main.name_at, strlen(k->main.name), hint,
               "'%s' is not baked, its calls run the default: %s", k->main.name, why);
  return NULL;
}

static struct copies *copies_check(struct copies *c) {
  const struct reach *r = c->r;
  const struct kernel *k = r->k;
  for (unsigned i = 0; i < k->n_args; i++)
    if (copies_varies(c, k->args[i].text))
      return copies_refuse(
          c->s, k, "pass it as a plain pointer",
          arena_printf("the type of its argument '%s' depends on a parameter of tuning",
                       k->args[i].name ? k->args[i].name : ""));
  if (copies_varies(c, k->result))
    return copies_refuse(c->s, k, NULL,
                         "the type of its result depends on a parameter of tuning");
  for (unsigned i = 0; i < r->n_raws; i++) {
    const struct piece *p = r->raws[i].piece;
    unsigned n = 0;
    if (p)
      defined_in(c, p, &n);
    if (p && n && copies_declares(c, p))
      return copies_refuse(
          c->s, k, "let macros have an #if of their own",
          arena_printf("lines from %u on have both macros and declarations under an "
                       "#if on a parameter of tuning",
                       source_line(c->s, p->start, NULL)));
  }
  return c;
}

struct copies *copies_of(const struct source *s, const struct kernel *k,
                         const struct expansion *x) {
  struct copies *c = arena_alloc(sizeof *c);
  c->s = s;
  c->r = reach_kernel(s, k, x,
                      (struct slice){ " ", 1 }); // not empty: errors were reported before
  c->copied = arena_alloc(x->items.n + 1);
  copies_find(c);
  return copies_check(c);
}

// ---- writing ------------------------------------------------------------------------

void copies_rename(const struct copies *c, const char *prefix, bool define,
                   struct text *out) {
  for (unsigned i = 0; i < c->n_names; i++) {
    struct slice n = c->names[i];
    if (define)
      text_printf(out, "#define %.*s %s_%.*s\n", (int)n.size, n.data, prefix, (int)n.size,
                  n.data);
    else
      text_printf(out, "#undef %.*s\n", (int)n.size, n.data);
  }
}

// True if item INDEX can be copied as lines of the source: the lines hold nothing else,
// and their macros have the same meaning before the kernel.
static bool as_lines(const struct copies *c, unsigned index) {
  const struct expansion *x = c->r->x;
  const struct item *item = &x->items.list[index];
  size_t order = (size_t)(item->text.data - x->text.data);
  bool led = item->text.data !=
      item->specifiers.data; // a pragma stands before it, so `static` cannot be added
  if (!item->end || (led && !item->is_static))
    return false;
  for (unsigned i = 0; i < x->items.n; i++)
    if (i != index && x->items.list[i].end && x->items.list[i].start < item->end &&
        item->start < x->items.list[i].end)
      return false;
  struct lexer l =
      lexer_of((struct slice){ c->s->text + item->start, item->end - item->start });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (slice_is(t.text, "extern") ||
        (t.kind == TOKEN_WORD &&
         expand_macro(x, t.text, order) != expand_macro(x, t.text, c->r->raws[0].order)))
      return false;
  return true;
}

static void copies_write_item(const struct copies *c, unsigned index, struct text *out) {
  const struct item *item = &c->r->x->items.list[index];
  if (!as_lines(c, index)) {
    unit_write_item(c->s, c->r, index, out);
    return;
  }
  if (c->r->how[index] == HOW_STATIC && !item->is_static)
    text_printf(out, "static\n");
  emit_resume(c->s, item->start, out);
  feed_raw(c->s, c->r->x->kernels, c->r->x->n_kernels, item->start, item->end, out);
  text_add(out, "\n", 1);
}

void copies_write(const struct copies *c, struct text *out) {
  const struct expansion *x = c->r->x;
  bool *done = arena_alloc(c->r->n_raws + 1);
  for (unsigned i = 0; i <= x->items.n; i++) {
    size_t order = i < x->items.n ? (size_t)(x->items.list[i].text.data - x->text.data)
                                  : SIZE_MAX;
    for (unsigned j = 0; j < c->r->n_raws; j++)
      if (c->r->raws[j].piece && !done[j] && c->r->raws[j].order <= order) {
        done[j] = true;
        copies_write_piece(c, c->r->raws[j].piece, out);
      }
    if (i < x->items.n && c->copied[i])
      copies_write_item(c, i, out);
  }
}
