// SPDX-License-Identifier: Apache-2.0
// expand.c: cuts the preprocessed file into declarations, by tokens alone: no grammar
// knows everything that headers contain, but every declaration ends with ';' or with the
// '}' of a body.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

// The file and line that the output is at.
struct place {
  const char *at; // the line after the linemarker
  struct slice path;
  unsigned line;
  bool system, builtin, ours; // ours: it may refer to lines of the source
};

struct cutter {
  struct expansion *x;
  struct lexer l;
  struct place place;
  struct context context; // now in force
  struct context *stack;  // of #pragma GCC push_options
  unsigned n_stack;
  struct slice *packs; // of #pragma pack(push)
  unsigned n_packs;
  bool changed;             // changed since contexts[n - 1]
  const char *begin, *body; // of the current declaration
  struct slice previous;    // token
  unsigned depth;
  bool assigned, called; // '=' and a parameter list were seen
  size_t first_line;     // offset in the source where it begins
};

const struct macro *expand_macro(const struct expansion *x, struct slice name,
                                 size_t order) {
  for (const struct name *n = NULL;
       (n = names_find(&x->names, NAME_MACRO, name, n)) != NULL;) {
    const struct macro *m = &x->macros[n->index];
    if (m->order < order)
      return m->undefined ? NULL : m;
  }
  return NULL;
}

// Returns the offset of the source's line that stands at AT in the output; SIZE_MAX: the
// line is from another file.
static size_t source_offset(const struct cutter *c, const char *at) {
  if (!c->place.ours)
    return SIZE_MAX;
  unsigned line = c->place.line;
  for (const char *p = c->place.at; p < at && (p = memchr(p, '\n', (size_t)(at - p)));
       p++)
    line++;
  const struct source *s = c->x->source;
  for (unsigned i = s->n_origins + 1;
       i-- > 0;) { // the beginning of the source counts as an origin
    struct origin start = { 0, s->path, 1 };
    const struct origin *o = i ? &s->origins[i - 1] : &start;
    unsigned first = source_line(s, o->offset, NULL);
    unsigned end = i < s->n_origins ? source_line(s, s->origins[i].offset, NULL)
                                    : s->n_lines + 1;
    if (line >= o->line && first + (line - o->line) < end &&
        slice_is(c->place.path, o->path))
      return s->lines[first + (line - o->line) - 1];
  }
  return SIZE_MAX;
}

static void read_linemarker(struct cutter *c, const char *p, const char *end) {
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

static void read_macro(struct cutter *c, struct slice line, struct lexer l,
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
  size_t at = c->x->feed.n_chains ? source_offset(c, line.data) : SIZE_MAX;
  for (unsigned i = 0; i < c->x->feed.n_chains && at != SIZE_MAX; i++) {
    struct piece *h = &c->x->feed.chains[i];
    if (h->start <= at && at < h->end) {
      m.piece = h;
      h->order = h->order < m.order ? h->order : m.order;
    }
  }
  names_add(&c->x->names, NAME_MACRO, t.text, c->x->n_macros);
  *GROW(c->x->macros, c->x->n_macros) = m;
}

// Reads #pragma pack(push, 1), pack(pop), pack(2), pack().
static void read_pack(struct cutter *c, struct lexer l) {
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

static void read_gcc_pragma(struct cutter *c, struct slice line, struct lexer l) {
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

static void expand_read_pragma(struct cutter *c, struct slice line, struct lexer l) {
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

static void expand_read_directive(struct cutter *c, const char *at) {
  const char *end = memchr(at, '\n', (size_t)(c->l.end - at));
  end = end ? end : c->l.end;
  struct slice line = { at, (size_t)(end - at) };
  struct lexer l = lexer_of(line);
  lex(&l);
  struct token t = lex(&l);
  c->l.p = end;
  c->l.first = true;
  if (t.kind == TOKEN_NUMBER || slice_is(t.text, "line"))
    read_linemarker(c, t.kind == TOKEN_NUMBER ? t.text.data : l.p, end);
  else if (slice_is(t.text, "define") || slice_is(t.text, "undef"))
    read_macro(c, line, l, slice_is(t.text, "undef"));
  else if (slice_is(t.text, "pragma"))
    expand_read_pragma(c, line, l);
}

static unsigned current_context(struct cutter *c) {
  struct expansion *x = c->x;
  if (c->changed || !x->n_contexts)
    *GROW(x->contexts, x->n_contexts) = c->context;
  c->changed = false;
  return x->n_contexts - 1;
}

// Returns the piece that goes into the unit unpreprocessed instead of this declaration,
// or NULL.
static struct piece *piece_of(struct cutter *c, const struct item *item, size_t order) {
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

static void end_item(struct cutter *c, const char *end) {
  struct expansion *x = c->x;
  struct item item = { .text = { c->begin, (size_t)(end - c->begin) },
                       .body = c->body,
                       .system = c->place.system,
                       .context = current_context(c) };
  size_t last = source_offset(c, end);
  if (c->first_line != SIZE_MAX && last != SIZE_MAX && c->first_line <= last) {
    const struct source *s = x->source;
    unsigned line = source_line(s, last, NULL);
    item.start = c->first_line;
    item.end = line < s->n_lines ? s->lines[line] : s->size;
  }
  declare_item(x, &item, x->n_items);
  item.piece = piece_of(c, &item, (size_t)(c->begin - x->text.data));
  *GROW(x->items, x->n_items) = item;
  c->begin = c->body = NULL;
  c->assigned = c->called = false;
  c->depth = 0;
  c->previous = (struct slice){ 0 };
}

static void read_token(struct cutter *c, struct token t) {
  bool outer = c->depth == 0;
  if (t.kind != TOKEN_PUNCTUATOR) {
    c->previous = t.text;
    return;
  }
  char p = t.text.size == 1 ? t.text.data[0] : 0;
  c->assigned |= outer && p == '=';
  if (outer && p == '(' && !declare_attribute(c->previous))
    c->called = true;
  bool old = c->begin ==
      t.text.data; // `int f(x) int x; {`: the text before it was read as declarations
  if (outer && p == '{' && ((c->called && !c->assigned) || old))
    c->body = t.text.data;
  if (p == '(' || p == '[' || p == '{')
    c->depth++;
  if ((p == ')' || p == ']' || p == '}') && c->depth)
    c->depth--;
  c->previous = t.text;
  if ((p == ';' && outer) || (p == '}' && c->depth == 0 && c->body))
    end_item(c, t.text.data + 1);
}

static void expand_cut(struct expansion *x) {
  struct cutter c = { .x = x, .l = lexer_of(x->text) };
  for (struct token t; (t = lex(&c.l)).kind != TOKEN_END;) {
    if (t.first && slice_is(t.text, "#")) {
      expand_read_directive(&c, t.text.data);
      if (c.begin == t.text.data)
        c.first_line = source_offset(&c, c.begin);
      continue;
    }
    if (!c.begin && slice_is(t.text, ";"))
      continue;
    if (!c.begin) {
      c.begin = t.text.data;
      c.first_line = source_offset(&c, c.begin);
    }
    read_token(&c, t);
  }
}

const struct item *expand_function(const struct expansion *x, const struct function *f) {
  for (const struct name *n = NULL;
       (n = names_find(&x->names, NAME_ORDINARY, slice_of(f->name), n)) != NULL;) {
    const struct item *i = &x->items[n->index];
    if (i->body && i->end && i->start <= f->name_at && f->name_at < i->end)
      return i;
  }
  return NULL;
}

const struct item *expand_defined_at(const struct expansion *x,
                                     const struct function *f) {
  for (unsigned k = 0; k < x->n_items; k++) {
    const struct item *i = &x->items[k];
    if (i->body && i->n_names && i->end && i->start <= f->name_at && f->name_at < i->end)
      return i;
  }
  return NULL;
}

bool expand_thread_local(const struct expansion *x, struct slice name) {
  for (unsigned i = 0; i < x->n_threads; i++)
    if (x->threads[i].size == name.size &&
        !memcmp(x->threads[i].data, name.data, name.size))
      return true;
  for (const struct name *n = NULL;
       (n = names_find(&x->names, NAME_ORDINARY, name, n)) != NULL;)
    if (x->items[n->index].is_thread)
      return true;
  return false;
}

struct expansion *expand_file(const struct source *s, const struct kernel *kernels,
                              unsigned n, const char *compiler,
                              const struct compile_options *o) {
  struct expansion *x = arena_alloc(sizeof *x);
  *x = (struct expansion){
    .source = s, .kernels = kernels, .n_kernels = n, .compiler = compiler
  };
  x->feed = feed_make(s, kernels, n);
  x->text.data = preprocess(&x->feed, kernels, n, compiler, o, &x->text.size);
  if (!x->text.data)
    return NULL;
  expand_cut(x);
  return x;
}
