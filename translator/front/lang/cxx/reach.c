// SPDX-License-Identifier: Apache-2.0
// reach.c: finds the parts of the preprocessed file that a kernel of C++ reaches, from
// identifiers alone. Too much is harmless: all of it stands in the file in this order.
#include <string.h>

#include "cxx.h"

#define WORD(s) (int)(s).size, (s).data

static void cxx_see_word(struct cxx_reach *r, struct slice word);

static void cxx_refuse_kernel(struct cxx_reach *r, const char *hint,
                              const char *message) {
  const struct pragma *p = r->k->main.pragma;
  if (!r->refused)
    diag_untuned(r->s, p->offset, p->end - p->offset, hint, "'%s' is not tuned: %s",
                 r->k->main.name, message);
  r->refused = true;
}

bool cxx_contains(const struct item *i, const struct function *f) {
  return i->kind == ITEM_CODE && (i->body || i->type) && i->start <= f->name_at &&
      f->name_at < i->end && lex_mentions(i->text, slice_of(f->name));
}

// ---- kinds of items -----------------------------------------------------------------

static bool cxx_has(struct slice text, const char *word) {
  return lex_mentions(text, slice_of(word));
}

static bool is_variable(const struct item *i) {
  static const char *const others[] = {
    "using", "typedef", "namespace", "static_assert", "template", "concept", NULL
  };
  struct lexer l = lexer_of(i->text);
  struct token t = declare_lex(&l);
  return !slice_in(t.text, others) && !i->function && !i->type && i->n_names > 0;
}

// True for a constant that each copy of the text has alike.
static bool is_constant(const struct item *i) {
  struct slice head = item_head(i);
  const char *star = memrchr(head.data, '*', head.size);
  struct slice last = head;
  if (star)
    last = (struct slice){ star, (size_t)(head.data + head.size - star) };
  return cxx_has(head, "constexpr") ||
      (cxx_has(last, "const") && !cxx_has(head, "volatile") &&
       i->head_end < i->text.data + i->text.size && *i->head_end != ';');
}

// True if function I has a variable that keeps a value between calls.
static bool keeps_value(const struct item *i) {
  struct lexer l = lexer_of(i->text);
  l.p = i->body;
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END;) {
    if (slice_is(t.text, "thread_local"))
      return true;
    if (!slice_is(t.text, "static"))
      continue;
    struct slice rest = { l.p, strcspn(l.p, "=;{") };
    if (!cxx_has(rest, "constexpr") && !cxx_has(rest, "const"))
      return true;
  }
  return false;
}

static const struct item *cxx_next(const struct cxx_reach *r, struct slice name,
                                   const struct name **n) {
  return items_named(&r->x->items, NAME_ORDINARY, name, n);
}

// True if another item of the same scope defines function I.
static bool is_defined(const struct cxx_reach *r, const struct item *i) {
  const struct item *other;
  for (const struct name *n = NULL; (other = cxx_next(r, i->names[0].name, &n)) != NULL;)
    if (other->body && other->kind == ITEM_CODE)
      return true;
  return false;
}

// True for a free function that is no template: its address can be taken.
static bool is_free_function(const struct item *i) {
  struct lexer l = lexer_of(i->text);
  return i->function && !i->operator_function && i->n_names == 1 &&
      !slice_is(declare_lex(&l).text, "template");
}

static enum cxx_how cxx_how(const struct cxx_reach *r, const struct item *i) {
  for (unsigned j = 0; j <= r->k->n_alternatives; j++)
    if (!i->system && cxx_contains(i, j ? &r->k->alternatives[j - 1] : &r->k->main))
      return CXX_OWN;
  if (i->system || i->type || i->kind != ITEM_CODE)
    return CXX_TEXT;
  if (is_free_function(i)) {
    bool kept = i->body && keeps_value(i);
    return kept || (!i->body && !is_defined(r, i)) ? CXX_ADDRESS : CXX_TEXT;
  }
  return is_variable(i) && !is_constant(i) ? CXX_ADDRESS : CXX_TEXT;
}

// ---- what cannot be in a unit -------------------------------------------------------

// True if an exception may leave BODY.
static bool may_throw(struct slice body) {
  struct lexer l = lexer_of(body);
  bool thrown = false, caught = false;
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END;) {
    thrown = thrown || slice_is(t.text, "throw");
    if (slice_is(t.text, "catch")) {
      struct lexer ahead = l;
      lex(&ahead);
      caught = caught || slice_is(lex(&ahead).text, "...") ||
          slice_is(lex(&ahead).text, ".");
    }
  }
  return thrown && !caught;
}

static void cxx_check(struct cxx_reach *r, const struct item *i, enum cxx_how how) {
  struct slice name = i->n_names ? i->names[0].name : (struct slice){ 0 };
  if (i->system)
    return;
  if (i->piece)
    cxx_refuse_kernel(r, "let the #if be within the kernel",
                      "an #if on one of its params is outside of it");
  else if (i->body && may_throw(i->text))
    cxx_refuse_kernel(
        r, "catch it in the kernel, or return an error code",
        arena_printf("an exception may leave it: '%.*s' throws", WORD(name)));
  else if (i->type && cxx_has(i->text, "virtual"))
    cxx_refuse_kernel(
        r, "pass plain data, or make the calls outside of the kernel",
        arena_printf("it uses '%.*s', which has virtual functions", WORD(name)));
  else if (cxx_has(item_head(i), "thread_local"))
    cxx_refuse_kernel(
        r, "pass its address",
        arena_printf("it uses the thread-local variable '%.*s'", WORD(name)));
  else if (how == CXX_ADDRESS && i->n_names > 1 && is_variable(i))
    cxx_refuse_kernel(
        r, "declare each variable apart",
        arena_printf("'%.*s' shares its declaration with other variables", WORD(name)));
}

// Diagnoses a function of the program whose name alone does not tell which one is meant.
static bool is_overloaded(const struct cxx_reach *r, unsigned index) {
  const struct item *i = &r->x->items.list[index], *other;
  for (const struct name *n = NULL; (other = cxx_next(r, i->names[0].name, &n)) != NULL;)
    if (other != i && other->function && other->scope == i->scope && !other->body &&
        !i->body && !slices_same(item_head(other), item_head(i)))
      return true;
  return false;
}

static void cxx_add_symbol(struct cxx_reach *r, unsigned index) {
  const struct item *i = &r->x->items.list[index];
  struct slice name = i->names[0].name;
  const char *spaces = items_namespaces(&r->x->items, i);
  const char *qualified =
      arena_printf("%s%s::%.*s", *spaces ? "::" : "", spaces, WORD(name));
  for (unsigned n = 0; n < r->n_symbols; n++)
    if (strcmp(r->symbols[n].qualified, qualified) == 0)
      return;
  struct text symbol = { 0 };
  for (const char *p = qualified + 2; *p; p++)
    text_add(&symbol, *p == ':' ? "_" : p, 1);
  const struct item *own = expand_function(r->x, &r->k->main);
  if (is_overloaded(r, index))
    cxx_refuse_kernel(r, "define them in this file, or give them names of their own",
                      arena_printf("there are several functions '%.*s' elsewhere in the "
                                   "program",
                                   WORD(name)));
  else if (own && i->text.data > own->text.data)
    cxx_refuse_kernel(
        r, "move its declaration up",
        arena_printf("it uses '%.*s', which is declared after it", WORD(name)));
  *GROW(r->symbols, r->n_symbols) =
      (struct cxx_symbol){ index, name, arena_copy(symbol.data, symbol.size), qualified,
                           i->function };
}

// ---- the closure --------------------------------------------------------------------

static void cxx_scan(struct cxx_reach *r, struct slice text) {
  struct lexer l = lexer_of(text);
  struct slice previous = { 0 };
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END; previous = t.text)
    if (t.kind == TOKEN_WORD && !slice_is(previous, ".") && !slice_is(previous, "->"))
      cxx_see_word(r, t.text);
}

static void cxx_mark(struct cxx_reach *r, unsigned index) {
  const struct item *i = &r->x->items.list[index];
  if (r->how[index] != CXX_NOT)
    return;
  enum cxx_how how = cxx_how(r, i);
  r->how[index] = (unsigned char)how;
  for (int scope = i->scope; scope >= 0 && r->how[scope] == CXX_NOT;
       scope = r->x->items.list[scope].scope)
    r->how[scope] = CXX_TEXT;
  cxx_check(r, i, how);
  if (how == CXX_ADDRESS)
    cxx_add_symbol(r, index);
  cxx_scan(r, how == CXX_ADDRESS ? item_head(i) : i->text);
}

static void cxx_see_word(struct cxx_reach *r, struct slice word) {
  if (word_of_cplusplus(word) || !names_put(&r->seen, word))
    return;
  for (const struct name *n = NULL; cxx_next(r, word, &n) != NULL;)
    cxx_mark(r, n->index);
}

// Reaches the macros of the kernel's text, which is preprocessed again.
static void cxx_see_macros(struct cxx_reach *r, struct slice text, size_t order) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    const struct macro *m = t.kind == TOKEN_WORD ? expand_macro(r->x, t.text, order)
                                                 : NULL;
    if (t.kind == TOKEN_WORD)
      cxx_see_word(r, t.text);
    if (!m || m->builtin || feed_param(r->x->kernels, r->x->n_kernels, t.text))
      continue;
    unsigned index = (unsigned)(m - r->x->macros), n = 0;
    while (n < r->n_macros && r->macros[n] != index)
      n++;
    if (n < r->n_macros)
      continue;
    *GROW(r->macros, r->n_macros) = index;
    cxx_see_macros(r, slice_after(m->text, m->name), order);
  }
}

// True if NAME is a type in the unit.
static bool is_seen_type(const struct cxx_reach *r, struct slice name) {
  const struct item *i;
  for (const struct name *n = NULL;
       names_has(&r->seen, name) && (i = cxx_next(r, name, &n)) != NULL;)
    if (!i->function && !is_variable(i))
      return true;
  return false;
}

// True if a type of I's parameters is reached: operators have no name, so their types
// decide.
static bool cxx_has_seen_type(const struct cxx_reach *r, const struct item *i) {
  struct lexer l = lexer_of(item_head(i));
  bool within = false;
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END;) {
    within = within || slice_is(t.text, "(");
    if (within && t.kind == TOKEN_WORD && is_seen_type(r, t.text))
      return true;
  }
  return false;
}

// True if the namespace that `using namespace a::b;` at INDEX names is in the unit.
static bool is_open(const struct cxx_reach *r, unsigned index) {
  const struct items *items = &r->x->items;
  struct lexer l = lexer_of(items->list[index].text);
  struct slice last = { 0 };
  for (struct token t; (t = declare_lex(&l)).kind != TOKEN_END;)
    last = t.kind == TOKEN_WORD ? t.text : last;
  for (unsigned n = 0; n < index; n++)
    for (unsigned k = 0; items->list[n].kind == ITEM_OPEN && r->how[n] != CXX_NOT &&
         k < items->list[n].n_names;
         k++)
      if (slices_same(items->list[n].names[k].name, last))
        return true;
  return false;
}

// Reaches what has no name that the text could mention. True: it reached something.
static bool cxx_reach_nameless(struct cxx_reach *r) {
  bool more = false;
  for (unsigned n = 0; n < r->x->items.n; n++) {
    const struct item *i = &r->x->items.list[n];
    if (r->how[n] != CXX_NOT || i->kind != ITEM_CODE ||
        !(i->operator_function ? cxx_has_seen_type(r, i)
                               : i->using_namespace && is_open(r, n)))
      continue;
    cxx_mark(r, n);
    more = true;
  }
  return more;
}

// Reaches all inline namespaces, even if nothing in them is reached: only the first
// `inline namespace` of a name makes it inline.
static void cxx_reach_inline(struct cxx_reach *r) {
  for (unsigned n = 0; n < r->x->items.n; n++) {
    const struct item *i = &r->x->items.list[n];
    struct lexer l = lexer_of(i->text);
    if (i->kind != ITEM_OPEN || !slice_is(lex(&l).text, "inline"))
      continue;
    for (int scope = (int)n; scope >= 0; scope = r->x->items.list[scope].scope)
      r->how[scope] = CXX_TEXT;
  }
}

struct cxx_reach *cxx_reach(const struct source *s, const struct kernel *k,
                            const struct expansion *x) {
  struct cxx_reach *r = arena_alloc(sizeof *r);
  *r = (struct cxx_reach){ .s = s, .k = k, .x = x, .how = arena_alloc(x->items.n + 1) };
  for (unsigned j = 0; j <= k->n_alternatives; j++) {
    const struct function *f = j ? &k->alternatives[j - 1] : &k->main;
    const struct item *item = expand_function(x, f);
    if (!item)
      continue;
    cxx_mark(r, (unsigned)(item - x->items.list));
    cxx_see_macros(r, (struct slice){ s->text + f->start, f->end - f->start },
                   (size_t)(item->text.data - x->text.data));
  }
  for (unsigned i = 0; i < s->n_outlined; i++)
    if (strcmp(s->outlined[i].name, k->main.name) == 0)
      cxx_scan(r, slice_of(s->outlined[i].words));
  while (cxx_reach_nameless(r))
    ;
  cxx_reach_inline(r);
  return r;
}
