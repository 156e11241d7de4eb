// SPDX-License-Identifier: Apache-2.0
// expand.c: cuts the preprocessed file into declarations, and reads what stands between
// them: linemarkers, macro definitions, pragmas.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/lang/language.h"
#include "unit.h"

// The file and line that the output is at.
struct place {
  const char *at; // the line after the linemarker
  struct slice path;
  unsigned line;
  bool system, builtin, ours; // ours: it may refer to lines of the source
};

struct reader {
  struct expansion *x;
  struct cutter cutter;
  struct place place;
  struct context context; // now in force
  struct context *stack;  // of #pragma GCC push_options
  unsigned n_stack;
  struct slice *packs; // of #pragma pack(push)
  unsigned n_packs;
  bool changed;      // changed since contexts[n - 1]
  const char *begin; // of the current declaration, or NULL
  size_t first_line; // offset in the source where it begins
  size_t last;       // offset of the last line that was found
};

const struct macro *expand_macro(const struct expansion *x, struct slice name,
                                 size_t order) {
  for (const struct name *n = NULL;
       (n = names_find(&x->items.names, NAME_MACRO, name, n)) != NULL;) {
    const struct macro *m = &x->macros[n->index];
    if (m->order < order)
      return m->undefined ? NULL : m;
  }
  return NULL;
}

// Returns the offset of the source's line that stands at AT in the output; SIZE_MAX: the
// line is from another file. Of lines with the same number in the same file the next one
// counts: the output has them in their order.
static size_t source_offset(struct reader *c, const char *at) {
  if (!c->place.ours)
    return SIZE_MAX;
  unsigned line = c->place.line;
  for (const char *p = c->place.at; p < at && (p = memchr(p, '\n', (size_t)(at - p)));
       p++)
    line++;
  const struct source *s = c->x->source;
  size_t found = SIZE_MAX;
  for (unsigned i = s->n_origins + 1;
       i-- > 0;) { // the beginning of the source counts as an origin
    struct origin start = { 0, s->path, 1 };
    const struct origin *o = i ? &s->origins[i - 1] : &start;
    unsigned first = source_line(s, o->offset, NULL);
    // The line of a `#line` holds nothing else.
    unsigned end = i < s->n_origins ? source_line(s, s->origins[i].offset, NULL) - 1
                                    : s->n_lines + 1;
    if (line >= o->line && first + (line - o->line) < end &&
        slice_is(c->place.path, o->path)) {
      size_t offset = s->lines[first + (line - o->line) - 1];
      if (found == SIZE_MAX || offset >= c->last)
        found = offset;
    }
  }
  c->last = found == SIZE_MAX ? c->last : found;
  return found;
}

static void read_linemarker(struct reader *c, const char *p, const char *end) {
  struct place *place = &c->place;
  char *rest;
  place->line = (unsigned)strtoul(p, &rest, 10);
  const char *open = memchr(rest, '"', (size_t)(end - rest));
  const char *close = open ? memrchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
  if (close) {
    place->path = (struct slice){ open + 1, (size_t)(close - open - 1) };
    if (memchr(open, '\\',
               (size_t)(close - open))) // clang writes the bytes of an é in octal
      place->path = slice_of(slice_unquoted(place->path));
    place->system = memchr(close, '3', (size_t)(end - close)) != NULL;
    place->builtin = memmem(open, (size_t)(close - open), "<built-in>", 10) != NULL;
  }
  const struct source *s = c->x->source;
  place->ours = slice_is(place->path, s->path);
  for (unsigned i = 0; i < s->n_origins && !place->ours; i++)
    place->ours = slice_is(place->path, s->origins[i].path);
  place->at = end + 1;
}

static void read_macro(struct reader *c, struct slice line, struct lexer l,
                       bool undefined) {
  struct token t = lex(&l);
  struct macro m = { t.text,
                     line,
                     (size_t)(line.data - c->x->text.data),
                     undefined,
                     c->place.builtin,
                     l.p < l.end && *l.p == '(',
                     c->place.ours,
                     NULL };
  size_t last = c->last;
  size_t at = c->x->feed.n_chains ? source_offset(c, line.data) : SIZE_MAX;
  c->last = last; // lines that the feed adds have the number of the next line
  for (unsigned i = 0; i < c->x->feed.n_chains && at != SIZE_MAX; i++) {
    struct piece *h = &c->x->feed.chains[i];
    if (h->start <= at && at < h->end) {
      m.piece = h;
      h->order = h->order < m.order ? h->order : m.order;
    }
  }
  names_add(&c->x->items.names, NAME_MACRO, t.text, c->x->n_macros);
  *GROW(c->x->macros, c->x->n_macros) = m;
}

// Reads #pragma pack(push, 1), pack(pop), pack(2), pack().
static void read_pack(struct reader *c, struct lexer l) {
  struct slice value = { 0 };
  bool pop = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    pop |= slice_is(t.text, "pop");
    if (slice_is(t.text, "push"))
      *GROW(c->packs, c->n_packs) = c->context.pack;
    if (t.kind == TOKEN_NUMBER)
      value = t.text;
    if (slice_is(t.text, "push") && !value.size)
      value = c->context.pack;
  }
  if (pop && c->n_packs)
    value = c->packs[--c->n_packs];
  c->context.pack = value;
  c->changed = true;
}

static void read_gcc_pragma(struct reader *c, struct slice line, struct lexer l) {
  struct slice word = lex(&l).text;
  if (slice_is(word, "push_options")) {
    *GROW(c->stack, c->n_stack) = c->context;
  } else if (slice_is(word, "pop_options") && c->n_stack) {
    struct slice pack = c->context.pack;
    c->context = c->stack[--c->n_stack];
    c->context.pack = pack;
  } else if (slice_is(word, "target") || slice_is(word, "optimize")) {
    struct slice *options = NULL;
    unsigned n = 0;
    while (n < c->context.n_options) {
      struct slice keep = c->context.options[n];
      *GROW(options, n) = keep;
    }
    *GROW(options, n) = line;
    c->context.options = options;
    c->context.n_options = n;
  } else {
    return;
  }
  c->changed = true;
}

static void expand_read_pragma(struct reader *c, struct slice line, struct lexer l) {
  struct slice word = lex(&l).text;
  struct expansion *x = c->x;
  if (slice_is(word, "pack")) {
    read_pack(c, l);
  } else if (slice_is(word, "GCC")) {
    read_gcc_pragma(c, line, l);
  } else if (slice_is(word, "omp")) {
    struct slice what = lex(&l).text;
    if (slice_is(what, "threadprivate"))
      for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
        if (t.kind == TOKEN_WORD)
          *GROW(x->threads, x->n_threads) = t.text;
    if (slice_is(what, "declare") && slice_is(lex(&l).text, "simd") && !c->begin)
      c->begin = line.data; // the pragma belongs to the function below it
  } else if (!c->place.system && !c->begin &&
             (slice_is(word, "STDC") || slice_is(word, "float_control") ||
              (slice_is(word, "clang") && slice_is(lex(&l).text, "fp")))) {
    *GROW(x->sticky, x->n_sticky) = line;
  }
}

// Reads the directive whose `#` is at AT, with L after it; moves L to the end of its
// line.
static void expand_read_directive(struct reader *c, const char *at, struct lexer *l) {
  struct lexer rest = *l, after;
  struct token t = lex(&rest);
  enum line kind = lex_directive(l, &after);
  struct slice line = { at, (size_t)(l->p - at) };
  rest.end = l->p;
  if (t.kind == TOKEN_NUMBER || slice_is(t.text, "line"))
    read_linemarker(c, t.kind == TOKEN_NUMBER ? t.text.data : rest.p, l->p);
  else if (kind == LINE_DEFINE || kind == LINE_UNDEF)
    read_macro(c, line, after, kind == LINE_UNDEF);
  else if (kind == LINE_PRAGMA)
    expand_read_pragma(c, line, after);
}

static unsigned current_context(struct reader *c) {
  struct expansion *x = c->x;
  if (c->changed || !x->n_contexts)
    *GROW(x->contexts, x->n_contexts) = c->context;
  c->changed = false;
  return x->n_contexts - 1;
}

// Returns the piece that goes into the unit unpreprocessed instead of this declaration,
// or NULL.
static struct piece *piece_of(struct reader *c, const struct item *item, size_t order) {
  struct feed *f = &c->x->feed;
  for (unsigned i = 0; i < f->n_chains && item->end; i++) {
    struct piece *h = &f->chains[i];
    if (h->start <= item->start && item->end <= h->end) {
      h->order = h->order < order ? h->order : order;
      for (unsigned j = 0; j < item->n_names; j++) // a variable must not exist twice
        h->usable &= item->is_typedef || item->names[j].function ||
            item->names[j].constant;
      return h;
    }
    if (item->start < h->start && h->end <= item->end) {
      struct piece *own = arena_alloc(sizeof *own);
      const char *text = c->x->source->text + item->start;
      bool whole = !memmem(text, item->end - item->start, "include",
                           7); // so no part of it is in another file
      *own = (struct piece){ item->start, item->end, order, whole };
      h->usable = false;
      return own;
    }
  }
  return NULL;
}

// Adds the names of ITEM, of C++, and finds its body.
static void expand_names(struct expansion *x, struct item *item) {
  for (unsigned i = 0; i < item->n_names; i++)
    names_add(&x->items.names, NAME_ORDINARY, item->names[i].name, x->items.n);
  if (item->function && item->head_end < item->text.data + item->text.size &&
      *item->head_end == '{')
    item->body = item->head_end;
  item->specifiers = item->text;
}

// Adds the scope that opens or closes at T. False: T does neither.
static bool expand_scope(struct reader *c, struct token t) {
  struct expansion *x = c->x;
  struct item scope = { .kind = ITEM_CLOSE, .text = t.text };
  if (!slice_is(t.text, "}") && !cut_scope(&c->cutter, t, &scope))
    return false;
  scope.system = c->place.system;
  *GROW(x->items.list, x->items.n) = scope;
  return true;
}

// True if TEXT has a character that declarations of C do not have, outside of the values
// that it gives to variables.
static bool expand_is_cplusplus(struct slice text) {
  struct lexer l = lexer_of(text);
  bool value = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (value && lex_bracket(t.text) > 0) {
      cut_skip_group(&l);
      continue;
    }
    value = (value || slice_is(t.text, "=")) && !slice_is(t.text, ",");
    if (!value && t.kind == TOKEN_PUNCTUATOR && strchr("<&:{", *t.text.data))
      return true;
  }
  return false;
}

// Reads the declarators of I, of C++, if it declares variables or a typedef as C does.
static void expand_read_plain(struct item *i) {
  struct item plain = { .text = i->text };
  if (i->function || i->type || i->operator_function || i->using_namespace ||
      i->kind != ITEM_CODE || !i->n_names || expand_is_cplusplus(i->text))
    return;
  declare_item(NULL, &plain, 0);
  if (plain.n_names != i->n_names || plain.names[0].function)
    return;
  for (unsigned n = 0; n < i->n_names; n++)
    if (!slices_same(plain.names[n].name, i->names[n].name))
      return;
  i->names = plain.names;
  i->specifiers = plain.specifiers;
  i->type_name = plain.type_name;
  i->is_typedef = plain.is_typedef;
  i->is_const = plain.is_const;
  i->integer = plain.integer;
  i->real = plain.real;
  i->vector = plain.vector;
}

// Adds ITEM, which begins with the pragma at BEGIN if one belongs to it.
static void expand_add(struct reader *c, struct item item) {
  struct expansion *x = c->x;
  const char *end = item.text.data + item.text.size;
  item.text = (struct slice){ c->begin, (size_t)(end - c->begin) };
  item.system = c->place.system;
  item.context = current_context(c);
  size_t last = source_offset(c, end);
  if (c->first_line != SIZE_MAX && last != SIZE_MAX && c->first_line <= last) {
    const struct source *s = x->source;
    unsigned line = source_line(s, last, NULL);
    item.start = c->first_line;
    item.end = line < s->n_lines ? s->lines[line] : s->size;
  }
  if (x->cplusplus) {
    expand_names(x, &item);
    expand_read_plain(&item);
  } else
    declare_item(x, &item, x->items.n);
  item.piece = piece_of(c, &item, (size_t)(c->begin - x->text.data));
  *GROW(x->items.list, x->items.n) = item;
}

// Reads the directives within TEXT, a declaration.
static void expand_read_within(struct reader *c, struct slice text) {
  struct lexer l = lexer_of(text);
  if (!memmem(text.data, text.size, "\n#", 2))
    return;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.first && slice_is(t.text, "#"))
      expand_read_directive(c, t.text.data, &l);
}

static void expand_cut(struct expansion *x) {
  struct reader c = { .x = x,
                      .cutter = { .l = lexer_of(x->text), .cplusplus = x->cplusplus } };
  for (struct token t; (t = lex(&c.cutter.l)).kind != TOKEN_END;) {
    bool directive = t.first && slice_is(t.text, "#"), within = c.begin != NULL;
    if (directive)
      expand_read_directive(&c, t.text.data, &c.cutter.l);
    else if (!c.begin && !slice_is(t.text, ";"))
      c.begin = t.text.data;
    if (c.begin && !within)
      c.first_line = source_offset(&c, c.begin);
    if (directive || !c.begin)
      continue;
    if (!x->cplusplus || !expand_scope(&c, t)) {
      struct item item = cut_declaration(&c.cutter, t);
      expand_read_within(&c, item.text);
      if (c.cutter.complete)
        expand_add(&c, item);
    }
    c.begin = NULL;
  }
  if (x->cplusplus)
    items_nest(&x->items);
}

// Returns the item of C++ that F is in: its definition, or its class.
static const struct item *expand_around(const struct expansion *x,
                                        const struct function *f) {
  for (unsigned k = 0; k < x->items.n; k++) {
    const struct item *i = &x->items.list[k];
    if (i->kind == ITEM_CODE && (i->body || i->type) && i->start <= f->name_at &&
        f->name_at < i->end && lex_mentions(i->text, slice_of(f->name)))
      return i;
  }
  return NULL;
}

const struct item *expand_function(const struct expansion *x, const struct function *f) {
  if (x->cplusplus)
    return expand_around(x, f);
  const struct item *i;
  for (const struct name *n = NULL;
       (i = items_named(&x->items, NAME_ORDINARY, slice_of(f->name), &n)) != NULL;)
    if (i->body && i->end && i->start <= f->name_at && f->name_at < i->end)
      return i;
  return NULL;
}

const struct item *expand_defined_at(const struct expansion *x,
                                     const struct function *f) {
  for (unsigned k = 0; k < x->items.n; k++) {
    const struct item *i = &x->items.list[k];
    if (i->body && i->n_names && i->end && i->start <= f->name_at && f->name_at < i->end)
      return i;
  }
  return NULL;
}

bool expand_thread_local(const struct expansion *x, struct slice name) {
  for (unsigned i = 0; i < x->n_threads; i++)
    if (slices_same(x->threads[i], name))
      return true;
  const struct item *i;
  for (const struct name *n = NULL;
       (i = items_named(&x->items, NAME_ORDINARY, name, &n)) != NULL;)
    if (i->is_thread)
      return true;
  return false;
}

struct expansion *expand_file(const struct source *s, const struct kernel *kernels,
                              unsigned n, const char *compiler,
                              const struct compile_options *o) {
  struct expansion *x = arena_alloc(sizeof *x);
  *x = (struct expansion){ .source = s,
                           .kernels = kernels,
                           .n_kernels = n,
                           .compiler = compiler,
                           .cplusplus = s->language && s->language->cplusplus };
  x->feed = feed_make(s, kernels, n);
  x->text.data = preprocess(s, &x->feed, kernels, n, compiler, o, &x->text.size);
  if (!x->text.data)
    return NULL;
  expand_cut(x);
  return x;
}
