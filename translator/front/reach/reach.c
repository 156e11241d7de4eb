// SPDX-License-Identifier: Apache-2.0
// reach.c: finds the parts of its file and headers that a kernel reaches, from the
// identifiers in its text. Too much is harmless, too little does not compile: a local
// name that is also a global's adds the global.
#include <string.h>

#include "unit.h"

static bool slice_has(struct slice s, const char *word) {
  return memmem(s.data, s.size, word, strlen(word)) != NULL;
}

static const struct function *own_function(const struct kernel *k, struct slice name) {
  if (slice_is(name, k->main.name))
    return &k->main;
  for (unsigned i = 0; i < k->n_alternatives; i++)
    if (slice_is(name, k->alternatives[i].name))
      return &k->alternatives[i];
  return NULL;
}

// True if the kernel NAME was a statement.
static bool reach_is_statement(const struct source *s, struct slice name) {
  for (unsigned i = 0; i < s->n_outlined; i++)
    if (slice_is(name, s->outlined[i].name))
      return true;
  return false;
}

// The ways of kernels into the units of others.
enum reached {
  REACHED_NOT, // NAME is no kernel
  REACHED_STUB,
  REACHED_COPY, // was a statement: a part of the function around it
  REACHED_NEVER // the same, but its params have values in its own units only
};
static enum reached reach_other(const struct expansion *x, struct slice name) {
  for (unsigned i = 0; i < x->n_kernels; i++) {
    const struct kernel *k = &x->kernels[i];
    if (!slice_is(name, k->main.name))
      continue;
    if (!reach_is_statement(x->source, name))
      return REACHED_STUB;
    for (unsigned j = 0; j < k->n_params; j++)
      if (k->params[j].named)
        return REACHED_NEVER;
    return REACHED_COPY;
  }
  return REACHED_NOT;
}

// True if L, after `static` in a body, is at a variable that keeps a state between calls.
static bool keeps_state(struct lexer l) {
  bool constant = false;
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END;) {
    if (slice_is(t.text, "const"))
      constant = true;
    else if (slice_is(t.text, "*"))
      constant = false;
    else if (slice_is(t.text, "=") || slice_is(t.text, ";") || slice_is(t.text, "["))
      break;
  }
  return !constant;
}

// True if a copy of function F does the same as F: F has no state of its own, no
// attribute such as `weak` that concerns linking, and no statement that has params.
static bool reach_copyable(const struct expansion *x, const struct item *f) {
  static const char *const attributes[] = { "weak",       "alias", "ifunc", "constructor",
                                            "destructor", "naked", NULL };
  struct slice head = { f->text.data, (size_t)(f->body - f->text.data) };
  for (const char *const *a = attributes; *a; a++)
    if (slice_has(head, *a))
      return false;
  if (slice_is(f->names[0].name, "main"))
    return false;
  struct lexer l = lexer_of(f->text);
  l.p = f->body;
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD &&
        ((slice_is(t.text, "static") && keeps_state(l)) ||
         reach_other(x, t.text) == REACHED_NEVER || expand_thread_local(x, t.text)))
      return false;
  return true;
}

// True if the type in ITEM's specifiers is complete at the kernel's end. In doubt false.
static bool type_is_complete(const struct reach *r, const struct item *item,
                             unsigned depth) {
  const struct expansion *x = r->x;
  const struct item *type;
  struct lexer l = lexer_of(item->specifiers);
  if (item->integer || item->real || item->vector)
    return true;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (slice_is(t.text, "{"))
      return true;
    if (!slice_is(t.text, "struct") && !slice_is(t.text, "union"))
      continue;
    struct lexer behind = l;
    struct slice tag = lex(&behind).text;
    for (const struct name *n = NULL;
         (type = items_named(&x->items, NAME_TAG, tag, &n)) != NULL;)
      if (type->text.data < item->text.data &&
          memchr(type->specifiers.data, '{', type->specifiers.size))
        return true;
  }
  for (const struct name *n = NULL; item->type_name.size &&
       (type = items_named(&x->items, NAME_ORDINARY, item->type_name, &n)) != NULL;)
    if (type->is_typedef && type->n_names == 1 && depth < 20)
      return !type->names[0].unsized &&
          (type->names[0].indirect || type_is_complete(r, type, depth + 1));
  return false;
}

// True if `sizeof` of variable D of ITEM compiles after the kernel. An array's size may
// come later.
static bool is_sized(const struct reach *r, const struct item *item,
                     const struct declarator *d) {
  if (d->unsized)
    return d->value.size != 0;
  return !item->is_extern || d->indirect || type_is_complete(r, item, 0);
}

static void add_symbol(struct reach *r, const struct item *item,
                       const struct declarator *d) {
  bool sized = !d->function && is_sized(r, item, d);
  for (unsigned i = 0; i < r->n_symbols; i++)
    if (slice_is(d->name, r->symbols[i].name)) {
      r->symbols[i].function |= d->function;
      r->symbols[i].sized |= sized;
      return;
    }
  *GROW(r->symbols, r->n_symbols) =
      (struct symbol){ arena_copy(d->name.data, d->name.size), d->function, sized,
                       .own = item->is_static && !d->function };
}

enum how reach_function(const struct reach *r, struct slice name) {
  const struct expansion *x = r->x;
  const struct item *definition = NULL, *i;
  bool user = false;
  if (own_function(r->k, name))
    return HOW_OWN;
  for (const struct name *n = NULL;
       (i = items_named(&x->items, NAME_ORDINARY, name, &n)) != NULL;) {
    user |= !i->system;
    definition = i->body ? i : definition;
  }
  if (!definition)
    return user ? HOW_EXTERN : HOW_TEXT;
  if (definition->system)
    return HOW_TEXT;
  enum reached kernel = reach_other(x, name);
  bool copied = kernel == REACHED_NOT || kernel == REACHED_COPY;
  return copied && reach_copyable(x, definition) ? HOW_STATIC : HOW_EXTERN;
}

// Returns how the variables that ITEM declares get into the unit.
static enum how variable_how(const struct reach *r, const struct item *item) {
  unsigned declarations = 0;
  for (unsigned i = 0; i < item->n_names; i++)
    if (!item->names[i].constant || !item->names[i].value.size ||
        slice_has(item->specifiers, "volatile"))
      return HOW_EXTERN;
  for (const struct name *n = NULL; (n = names_find(&r->x->items.names, NAME_ORDINARY,
                                                    item->names[0].name, n)) != NULL;)
    declarations++;
  return item->is_static || declarations == 1 ? HOW_STATIC : HOW_EXTERN;
}

static void reach_piece(struct reach *r, const struct piece *p) {
  for (unsigned i = 0; i < r->n_raws; i++)
    if (r->raws[i].piece == p)
      return;
  const struct source *s = r->x->source;
  *GROW(r->raws, r->n_raws) = (struct raw){
    .text = { s->text + p->start, p->end - p->start }, .order = p->order, .piece = p
  };
}

static bool is_local(const struct reach *r, struct slice name) {
  for (unsigned i = 0; i < r->k->n_args; i++)
    if (r->k->args[i].name && slice_is(name, r->k->args[i].name))
      return true;
  return false;
}

static void reach_item(struct reach *r, unsigned index, struct slice name) {
  const struct item *item = &r->x->items.list[index];
  const struct declarator *d = NULL;
  for (unsigned i = 0; i < item->n_names; i++)
    if (slices_same(item->names[i].name, name))
      d = &item->names[i];
  enum how how = HOW_TEXT;
  if (item->is_typedef || !item->n_names)
    how = HOW_TEXT;
  else if (d ? d->function : item->names[0].function)
    how = reach_function(r, d ? d->name : item->names[0].name);
  else
    how = variable_how(r, item);
  if (item->piece && item->piece->usable && how != HOW_OWN && how != HOW_EXTERN) {
    reach_piece(r, item->piece);
    how = HOW_PIECE;
  }
  if (how == HOW_EXTERN && d && !item->system && !is_local(r, name))
    add_symbol(r, item, d);
  if (r->how[index] != HOW_NOT)
    return;
  r->how[index] = (unsigned char)how;
  if (how != HOW_PIECE)
    *GROW(r->queue, r->n_queue) = index;
}

// True if ITEM is declared before the text being scanned: an identifier cannot refer to a
// variable declared after it.
static bool is_before(const struct reach *r, const struct item *item) {
  return (size_t)(item->text.data - r->x->text.data) <= r->order;
}

// True if NAME, which is followed by a '(' if CALLED, may be the function that is
// declared under this name: such a declaration comes before, or the call declares it.
// Otherwise NAME is a member or a local variable.
static bool is_function(const struct reach *r, struct slice name, bool called) {
  bool before = called;
  for (const struct name *n = NULL;
       (n = names_find(&r->x->items.names, NAME_ORDINARY, name, n)) != NULL;)
    before = before || is_before(r, &r->x->items.list[n->index]);
  return before;
}

static bool reach_ordinary(struct reach *r, struct slice name, bool called) {
  bool found = false, function = is_function(r, name, called);
  for (const struct name *n = NULL;
       (n = names_find(&r->x->items.names, NAME_ORDINARY, name, n)) != NULL;) {
    const struct item *item = &r->x->items.list[n->index];
    bool visible = !item->n_names || item->is_typedef ||
        (item->names[0].function ? function : is_before(r, item));
    if (visible) {
      reach_item(r, n->index, name);
      found = true;
    }
  }
  return found;
}

// Reaches tag NAME. KIND: `struct`, `union` or `enum`.
static void reach_tag(struct reach *r, struct slice name, struct slice kind) {
  for (const struct name *n = NULL;
       (n = names_find(&r->x->items.names, NAME_TAG, name, n)) != NULL;)
    reach_item(r, n->index, (struct slice){ 0 });
  for (unsigned i = 0; i < r->n_tags; i++)
    if (slices_same(r->tags[i].name, name))
      return;
  if (!slice_is(kind, "enum"))
    *GROW(r->tags, r->n_tags) = (struct tag){ name, slice_is(kind, "union") };
}

// Reaches an identifier that is pasted from a param, `micro_ ## MR`: one name for each
// value.
static void reach_pasted(struct reach *r, struct slice name) {
  for (unsigned i = 0; i < r->k->n_params; i++) {
    const struct param *p = &r->k->params[i];
    const char *at = NULL;
    if (p->named && p->macro)
      at = memmem(name.data, name.size, p->macro, strlen(p->macro));
    if (!at || strlen(p->macro) == name.size)
      continue;
    size_t front = (size_t)(at - name.data), size = strlen(p->macro);
    for (unsigned j = 0; j < p->n_values; j++)
      reach_ordinary(
          r,
          slice_of(arena_printf("%.*s%s%.*s", (int)front, name.data, p->values[j].define,
                                (int)(name.size - front - size), at + size)),
          true);
  }
}

static void reach_scan(struct reach *r, struct slice text, struct raw *raw);

// Adds NAME's definition to the macros of RAW, and scans it.
static const struct macro *reach_macro(struct reach *r, struct slice name,
                                       struct raw *raw) {
  const struct macro *m = expand_macro(r->x, name, raw->order);
  if (!m || m->builtin || feed_param(r->x->kernels, r->x->n_kernels, name))
    return NULL;
  if (m->piece && m->piece->usable && m->piece != raw->piece) {
    reach_piece(r, m->piece);
    return m;
  }
  unsigned index = (unsigned)(m - r->x->macros);
  for (unsigned i = 0; i < raw->n_macros; i++)
    if (raw->macros[i] == index)
      return m;
  *GROW(raw->macros, raw->n_macros) = index;
  reach_scan(r, slice_after(m->text, m->name), raw);
  return m;
}

// Reaches what the parentheses after an attribute name, and moves L past them.
static void reach_attribute(struct reach *r, struct lexer *l, struct raw *raw) {
  struct lexer ahead = *l;
  const char *start = l->p;
  if (!slice_is(lex(&ahead).text, "(") || !cut_skip_group(&ahead))
    return;
  reach_scan(r, (struct slice){ start, (size_t)(ahead.p - start) }, raw);
  *l = ahead;
}

// Reaches the identifiers of TEXT. RAW: TEXT is preprocessed again, as part of it.
static void reach_scan(struct reach *r, struct slice text, struct raw *raw) {
  struct lexer l = lexer_of(text);
  struct slice previous = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    struct lexer after = l, rest;
    if (!raw && t.first && slice_is(t.text, "#") &&
        lex_directive(&after, &rest) != LINE_PRAGMA) {
      l = after;
      continue;
    }
    if (t.kind != TOKEN_WORD)
      continue;
    const struct macro *m = raw ? reach_macro(r, t.text, raw) : NULL;
    bool tag = word_of_c(previous) & WORD_TAG;
    if (tag && (m || word_of_c(t.text) & WORD_ATTRIBUTE)) {
      reach_attribute(r, &l, raw);
      t.text = previous; // the tag is still to come
    } else if (tag)
      reach_tag(r, t.text, previous);
    else if ((!m || m->function) && !slice_is(previous, ".") &&
             !slice_is(previous, "->") &&
             !reach_ordinary(r, t.text, slice_is(lex(&after).text, "(")) && !raw)
      reach_pasted(r, t.text);
  }
}

// Scans the part of the item that goes into the unit.
static void scan_item(struct reach *r, unsigned index) {
  const struct item *item = &r->x->items.list[index];
  struct slice head = item->text;
  if (item->body)
    head.size = (size_t)(item->body - head.data);
  switch ((enum how)r->how[index]) {
  case HOW_TEXT:
  case HOW_STATIC:
    reach_scan(r, item->text, NULL);
    break;
  case HOW_OWN: // its body too, where macros have been expanded
    reach_scan(r, item->text, NULL);
    break;
  case HOW_EXTERN:
    if (item->names[0].function) {
      reach_scan(r, head, NULL);
      break;
    }
    reach_scan(r, item->specifiers, NULL);
    for (unsigned i = 0; i < item->n_names; i++) {
      reach_scan(r, item->names[i].text, NULL);
      if (item->names[i].unsized)
        reach_scan(r, item->names[i].value, NULL);
    }
    break;
  default:
    break;
  }
}

// Diagnoses uses of thread-local variables, which have no single address, and static
// variables with a state, of which each variant would have its own.
static void check_function(const struct source *s, const struct reach *r,
                           const struct function *f) {
  struct lexer l = lexer_of((struct slice){ s->text + f->body_at, f->end - f->body_at });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    size_t at = (size_t)(t.text.data - s->text);
    struct lexer behind = l;
    struct slice word = { NULL, 0 };
    if (t.first && slice_is(t.text, "#"))
      word = lex(&behind).text;
    if (slice_is(word, "pragma")) // `static` of schedule(static) declares no variable
      l = (struct lexer){ lex_line_end(l.p, l.end), l.end, true };
    if (slice_is(word, "include"))
      diag_error(s, at, 1, "include it before the kernel, as a function or a macro",
                 "the text of kernel '%s' cannot come from another file", f->name);
    if (t.kind != TOKEN_WORD)
      continue;
    if (expand_thread_local(r->x, t.text) && !is_local(r, t.text))
      diag_error(s, at, t.text.size, "pass it as an argument, or its address",
                 "kernel '%s' uses the thread-local variable '%.*s'", f->name,
                 (int)t.text.size, t.text.data);
    if (slice_is(t.text, "static") && keeps_state(l))
      diag_warning(
          s, at, t.text.size, "move it to file scope, where all variants share it",
          "each variant of '%s' has a copy of its own of this variable", f->name);
  }
}

static bool reach_declares(const struct item *item, const char *name) {
  for (unsigned i = 0; i < item->n_names; i++)
    if (slice_is(item->names[i].name, name))
      return true;
  return false;
}

// Finds the objects that nothing outside of what the kernel reaches refers to.
static void reach_own_symbols(struct reach *r) {
  const struct items *items = &r->x->items;
  for (unsigned i = 0; i < items->n && r->n_symbols > 0; i++) {
    const struct item *item = &items->list[i];
    struct lexer l = lexer_of(item->text);
    if (item->system || (r->how[i] != HOW_NOT && r->how[i] != HOW_EXTERN))
      continue;
    for (struct token t = declare_lex(&l); t.kind != TOKEN_END; t = declare_lex(&l))
      for (unsigned s = 0; s < r->n_symbols && t.kind == TOKEN_WORD; s++)
        if (slice_is(t.text, r->symbols[s].name) &&
            !reach_declares(item, r->symbols[s].name))
          r->symbols[s].own = false;
  }
}

struct reach *reach_kernel(const struct source *s, const struct kernel *k,
                           const struct expansion *x, struct slice more) {
  struct reach *r = arena_alloc(sizeof *r);
  *r = (struct reach){ .x = x, .k = k, .how = arena_alloc(x->items.n + 1) };
  for (unsigned i = 0; i <= k->n_alternatives; i++) {
    const struct function *f = i ? &k->alternatives[i - 1] : &k->main;
    const struct item *item = expand_function(x, f);
    *GROW(r->raws, r->n_raws) =
        (struct raw){ .text = { s->text + f->start, f->end - f->start },
                      .order = item ? (size_t)(item->text.data - x->text.data) : 0 };
    if (item)
      reach_ordinary(r, slice_of(f->name), true);
    if (!more.size) // with MORE it has been checked before
      check_function(s, r, f);
  }
  if (more.size)
    *GROW(r->raws, r->n_raws) = (struct raw){ .text = more, .order = r->raws[0].order };
  for (unsigned i = 0, j = 0; i < r->n_queue || j < r->n_raws;) {
    if (i < r->n_queue) {
      r->order = (size_t)(x->items.list[r->queue[i]].text.data - x->text.data);
      scan_item(r, r->queue[i++]);
    } else { // `raws` may move while this one is scanned
      struct raw raw = r->raws[j];
      r->order = raw.order;
      reach_scan(r, raw.text, &raw);
      r->raws[j++] = raw;
    }
  }
  reach_own_symbols(r);
  return r;
}
