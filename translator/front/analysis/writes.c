// SPDX-License-Identifier: Apache-2.0
// writes.c: warns of memory that a kernel writes and none of its sections names, where
// the text shows it for certain: an object of the file, or what a pointer argument leads
// to. Functions of the file that the kernel calls are looked into as well.
//
// What macros write, what stands under an #if, and what other pointers lead to is not
// known here. The runtime finds that (runtime/run/cpu/changes.c).
#include <string.h>

#include "analysis.h"
#include "autotune_abi.h"
#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

struct writes {
  const struct source *s;
  const struct kernel *k;
  const struct expansion *x;
  const struct unit *unit;
  size_t order; // of the kernel, in the compiler's output
  TSNode *functions;
  unsigned n_functions;
  const char **told;
  unsigned n_told;
};

// An expression that is written: `p->rows[i]` has the words p and rows.
struct path {
  struct slice name;
  struct text text;    // without subscripts: "p->rows"
  unsigned n_members;  // words after the name
  unsigned subscripts; // of the name itself
  unsigned stars;      // before the name itself
  bool element;        // of the last member, or of what it points to
  bool arrow;          // the name, or a member, is followed as a pointer
  bool decays;         // the name or the last member is passed as an address
};

// ---- paths --------------------------------------------------------------------------

static bool writes_member(const struct source *s, TSNode e, struct path *p);

// Reads E, an operand of what is written. False: it has another form.
static bool writes_path(const struct source *s, TSNode e, struct path *p) {
  if (node_is(e, "identifier")) {
    p->name = source_slice(s, e);
    text_add(&p->text, p->name.data, p->name.size);
    return true;
  }
  if (node_is(e, "parenthesized_expression"))
    return writes_path(s, ts_node_named_child(e, 0), p);
  if (node_is(e, "field_expression"))
    return writes_member(s, e, p);
  if (node_is(e, "subscript_expression")) {
    if (!writes_path(s, node_field(e, "argument"), p))
      return false;
    p->subscripts += p->n_members == 0;
    p->element = p->n_members > 0;
    return true;
  }
  if (!node_is(e, "pointer_expression") ||
      !slice_is(source_slice(s, node_field(e, "operator")), "*") ||
      !writes_path(s, node_field(e, "argument"), p))
    return false;
  p->stars += p->n_members == 0;
  p->element |= p->n_members > 0;
  return true;
}

static bool writes_member(const struct source *s, TSNode e, struct path *p) {
  struct slice member = source_slice(s, node_field(e, "field")),
               how = source_slice(s, node_field(e, "operator"));
  if (!writes_path(s, node_field(e, "argument"), p) || p->element)
    return false; // members of elements that a member leads to: not certain
  if (p->stars == 1 && !p->n_members && !p->subscripts && slice_is(how, ".")) {
    p->stars = 0; // (*p).rows
    how = slice_of("->");
  }
  p->arrow |= slice_is(how, "->");
  p->n_members++;
  text_printf(&p->text, "%.*s%.*s", (int)how.size, how.data, (int)member.size,
              member.data);
  return true;
}

// Reads E, the address that a function such as memset writes to.
static bool writes_address(const struct source *s, TSNode e, struct path *p) {
  while (node_is(e, "cast_expression") || node_is(e, "binary_expression"))
    e = node_field(e, node_is(e, "cast_expression") ? "value" : "left");
  if (node_is(e, "pointer_expression") &&
      slice_is(source_slice(s, node_field(e, "operator")), "&"))
    return writes_path(s, node_field(e, "argument"), p);
  p->decays = true;
  return writes_path(s, e, p);
}

// ---- sections -----------------------------------------------------------------------

// Returns the text of a section's base as struct path has it: "p->rows" of
// `(*p).rows[0]`.
static const char *writes_base(struct slice base) {
  struct text t = { 0 };
  struct lexer l = lexer_of(base);
  unsigned depth = 0;
  for (struct token k; (k = lex(&l)).kind != TOKEN_END;) {
    depth -= slice_is(k.text, "]") && depth > 0;
    if (depth == 0 && k.kind == TOKEN_WORD)
      text_printf(&t, "%s%.*s", t.size ? " " : "", (int)k.text.size, k.text.data);
    depth += slice_is(k.text, "[");
  }
  return t.size ? t.data : "";
}

// Returns what the sections say that name what P writes, or a part of it, or all that it
// is part of; 0: there are none.
static unsigned writes_named(const struct kernel *k, const struct path *p) {
  unsigned access = 0;
  const char *words = writes_base((struct slice){ p->text.data, p->text.size });
  for (unsigned i = 0; i < k->n_sections; i++) {
    const char *base = writes_base(k->sections[i].base);
    size_t n = strlen(base) < strlen(words) ? strlen(base) : strlen(words);
    bool whole = (base[n] == '\0' || base[n] == ' ') &&
        (words[n] == '\0' || words[n] == ' ');
    if (strncmp(base, words, n) == 0 && whole)
      access |= k->sections[i].access;
  }
  return access;
}

// ---- what is written ----------------------------------------------------------------

// Returns the declarator of NAME, a variable of the file that may be written; NULL: it is
// none.
static const struct declarator *writes_variable(const struct writes *w,
                                                struct slice name) {
  const struct declarator *found = NULL;
  const struct item *item;
  if (expand_macro(w->x, name, w->order) || expand_thread_local(w->x, name))
    return NULL;
  for (const struct name *n = NULL;
       (item = items_named(&w->x->items, NAME_ORDINARY, name, &n)) != NULL;)
    for (unsigned i = 0; i < item->n_names; i++) {
      const struct declarator *d = &item->names[i];
      if (!slices_same(d->name, name))
        continue;
      if (item->system || item->is_typedef || item->is_const || d->function ||
          d->constant)
        return NULL;
      found = found && !d->text.size ? found : d;
    }
  return found;
}

static bool writes_is_own(const struct writes *w, struct slice name) {
  for (unsigned i = 0; i < w->unit->n_symbols; i++)
    if (slice_is(name, w->unit->symbols[i].name) && w->unit->symbols[i].own)
      return true;
  return false;
}

// Returns the section that names all of variable D: "hist[0:256]".
static const char *writes_whole(const struct declarator *d, unsigned *brackets) {
  struct text t = { 0 };
  struct lexer l = lexer_of(d->text);
  const char *open = NULL;
  unsigned depth = 0;
  *brackets = 0;
  text_add(&t, d->name.data, d->name.size);
  for (struct token k; (k = lex(&l)).kind != TOKEN_END;) {
    if (slice_is(k.text, "[") && depth++ == 0) {
      open = k.text.data + 1;
      ++*brackets;
    } else if (slice_is(k.text, "]") && --depth == 0) {
      struct slice size =
          slice_trim((struct slice){ open, (size_t)(k.text.data - open) });
      if (!size.size)
        size = slice_of("N");
      text_printf(&t, "[0:%.*s]", (int)size.size, size.data);
    }
  }
  return t.data;
}

// Returns the section to add where P is written, a variable of the file; NULL: it is not
// certain that the variable itself, or what a member of it leads to, is written.
static const char *writes_object(const struct writes *w, const struct path *p) {
  const struct declarator *d = writes_variable(w, p->name);
  unsigned brackets = 0;
  if (!d || writes_is_own(w, p->name) || p->arrow || p->stars)
    return NULL;
  const char *whole = writes_whole(d, &brackets);
  if (p->subscripts > brackets ||
      (p->decays && !p->n_members && p->subscripts >= brackets))
    return NULL; // a pointer
  if (!p->n_members)
    return whole;
  if (p->element || p->decays)
    return p->subscripts ? NULL : arena_printf("%s[0:N]", p->text.data);
  return p->subscripts ? whole : p->text.data;
}

// True if F assigns another address to its argument NAME.
static bool writes_reassigns(const struct usage *u, struct slice name) {
  for (unsigned i = 0; i < u->n_changes; i++) {
    const struct change *c = &u->changes[i];
    if (slices_same(c->name, name) && c->how != BY_POINTER && c->part == PART_WHOLE &&
        !node_is(c->node, "update_expression"))
      return true;
  }
  return false;
}

// Returns how many subscripts of argument NAME lead to the memory it points to, and not
// further by a pointer there: 1 for `double **rows`, 2 for `double (*rows)[8]`.
static unsigned writes_reach(const struct writes *w, struct slice name) {
  struct ctype t;
  unsigned n = 0;
  if (type_of_expression(w->x, w->k, name, &t))
    for (n = 1; n < t.n && t.derived[n] == DERIVED_ARRAY; n++)
      ;
  return n;
}

// Returns the section to add where P is written, with argument A of the kernel as its
// name; NULL: as above.
static const char *writes_argument(const struct writes *w, const struct kernel_arg *a,
                                   const struct usage *u, const struct path *p) {
  unsigned steps = p->subscripts + p->stars;
  bool follows = steps || p->arrow || p->decays;
  if (!a->pointer || !follows || lex_mentions(a->specifiers, slice_of("const")) ||
      writes_reassigns(u, p->name) || (steps > 1 && steps > writes_reach(w, p->name)) ||
      (steps && p->arrow))
    return NULL; // or it lies behind pointers in what the argument points to
  if (p->n_members && p->subscripts)
    return p->element || p->decays
        ? NULL
        : arena_printf("%.*s[0:N]", (int)p->name.size, p->name.data);
  if (p->n_members ? p->element || p->decays : !p->stars)
    return arena_printf("%s[0:N]", p->text.data);
  return p->n_members ? p->text.data : arena_printf("*%s", p->text.data);
}

// INPUT: a section names it, but as an input.
static void writes_tell(struct writes *w, TSNode at, const struct path *p,
                        const char *section, bool input) {
  uint32_t from = ts_node_start_byte(at), to = ts_node_end_byte(at);
  struct slice shown = p->subscripts ? p->name : slice_of(p->text.data);
  for (unsigned i = 0; i < w->n_told; i++)
    if (strcmp(w->told[i], section) == 0)
      return;
  *GROW(w->told, w->n_told) = section;
  if (input)
    diag_warning(w->s, from, to - from, "write inout(…), or out(…), in place of in(…)",
                 "'%s' writes '%.*s', which is declared as an input", w->k->main.name,
                 (int)shown.size, shown.data);
  else
    diag_warning(
        w->s, from, to - from,
        arena_printf("add inout(%s), or scratch(%s) if nobody reads it after the "
                     "call",
                     section, section),
        "'%s' also writes '%.*s', which no section names", w->k->main.name,
        (int)shown.size, shown.data);
}

// ---- the walk -----------------------------------------------------------------------

// U: of the function; OWN: its arguments are the kernel's.
static void writes_target(struct writes *w, const struct usage *u, TSNode function,
                          bool own, TSNode at, const struct path *p) {
  TSNode first;
  unsigned declared = usage_declarators(u, function, p->name, &first);
  int arg = own ? kernel_arg(w->k, p->name) : -1;
  const char *section = NULL;
  if (declared == 1 && arg >= 0)
    section = writes_argument(w, &w->k->args[arg], u, p);
  else if (declared == 0)
    section = writes_object(w, p);
  unsigned access = section ? writes_named(w->k, p) : AUTOTUNE_OUT;
  if (access == 0 || access == AUTOTUNE_IN)
    writes_tell(w, at, p, section, access);
}

static void writes_queue(struct writes *w, struct slice name) {
  TSNode root = ts_tree_root_node(w->s->tree);
  for (uint32_t i = 0; i < ts_node_named_child_count(root); i++) {
    TSNode f = ts_node_named_child(root, i);
    TSNode d = node_is(f, "function_definition")
        ? declarator_name(node_field(f, "declarator"))
        : (TSNode){ 0 };
    if (ts_node_is_null(d) || !slices_same(source_slice(w->s, d), name))
      continue;
    for (unsigned j = 0; j < w->n_functions; j++)
      if (ts_node_eq(w->functions[j], f))
        return;
    *GROW(w->functions, w->n_functions) = f;
  }
}

static bool writes_fills(struct slice name) {
  static const char *const names[] = { "memcpy", "memset", "memmove", NULL };
  return slice_in(name, names);
}

static void writes_walk(struct writes *w, const struct usage *u, TSNode function,
                        bool own, TSNode n) {
  static const char *const uncertain[] = { "preproc_if", "preproc_ifdef",
                                           "sizeof_expression", NULL };
  struct path p = { 0 };
  bool written = false;
  if (node_is_any(n, uncertain))
    return;
  if (node_is(n, "assignment_expression") || node_is(n, "update_expression")) {
    bool update = node_is(n, "update_expression");
    written = writes_path(w->s, node_field(n, update ? "argument" : "left"), &p);
  } else if (node_is(n, "call_expression")) {
    struct slice name = source_slice(w->s, node_field(n, "function"));
    TSNode first = ts_node_named_child(node_field(n, "arguments"), 0);
    if (writes_fills(name))
      written = !ts_node_is_null(first) && writes_address(w->s, first, &p);
    else if (!usage_declares(u, function, name))
      writes_queue(w, name);
  }
  if (written)
    writes_target(w, u, function, own, n, &p);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    writes_walk(w, u, function, own, ts_node_named_child(n, i));
}

void writes_check(const struct source *s, const struct kernel *k,
                  const struct expansion *x, const struct unit *unit) {
  const struct item *item = expand_function(x, &k->main);
  struct writes w = { .s = s, .k = k, .x = x, .unit = unit };
  bool named = false;
  for (unsigned i = 0; i < k->n_sections; i++)
    named |= k->sections[i].access != AUTOTUNE_SCRATCH;
  if (!named || k->inferred || !item || k->verify == AUTOTUNE_VERIFY_OFF)
    return;
  w.order = (size_t)(item->text.data - x->text.data);
  *GROW(w.functions, w.n_functions) = k->main.node;
  for (unsigned i = 0; i < w.n_functions; i++) {
    struct usage u = usage_of(s, &k->main, w.functions[i]);
    writes_walk(&w, &u, w.functions[i], i == 0, node_field(w.functions[i], "body"));
  }
}
