// SPDX-License-Identifier: Apache-2.0
// reach.c: finds the parts of its file and the user's headers that a kernel reaches, from
// identifiers alone. Too much is harmless if it compiles on a device, so host functions
// and variables are never included.
#include <string.h>

#include "front/reach/unit.h"
#include "items.h"

enum { MAX_MACRO_DEPTH = 8 };

// ---- kinds of items -----------------------------------------------------------------

const struct item *reach_next_item(const struct cuda_reach *r, struct slice name,
                                   const struct name **n) {
  return items_named(&r->items, NAME_ORDINARY, name, n);
}

bool reach_mentions(const struct cuda_reach *r, struct slice text, const char *word,
                    unsigned depth) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (t.kind != TOKEN_WORD)
      continue;
    if (slice_is(t.text, word))
      return true;
    const struct item *i;
    for (const struct name *n = NULL;
         depth < MAX_MACRO_DEPTH && (i = reach_next_item(r, t.text, &n)) != NULL;) {
      if (i->kind == ITEM_DEFINE &&
          reach_mentions(r, slice_after(i->text, i->names[0].name), word, depth + 1))
        return true;
    }
  }
  return false;
}

static bool head_has(const struct cuda_reach *r, const struct item *i, const char *word) {
  return reach_mentions(r, item_head(i), word, 0);
}

bool reach_is_variable(const struct item *i) {
  static const char *const others[] = { "using",         "typedef",  "namespace",
                                        "static_assert", "template", NULL };
  struct lexer l = lexer_of(i->text), rest;
  struct token first = lex(&l);
  for (; first.first && slice_is(first.text, "#"); first = lex(&l))
    lex_directive(&l, &rest);
  return !slice_in(first.text, others) && i->kind == ITEM_CODE && !i->function &&
      i->n_names > 0;
}

static bool has_initialiser(const struct item *i) {
  return i->head_end < i->text.data + i->text.size;
}

// True for a variable that is copied with its value: a constant with an initialiser.
static bool is_copied(const struct cuda_reach *r, const struct item *i) {
  if (head_has(r, i, "constexpr"))
    return true;
  if (i->type || !head_has(r, i, "const") || !has_initialiser(i))
    return false;
  struct slice head = item_head(i);
  const char *star = memchr(head.data, '*', head.size);
  return !star || head_has(r, i, "__device__") || head_has(r, i, "__constant__");
}

static bool goes_by_address(const struct cuda_reach *r, const struct item *i) {
  return reach_is_variable(i) && !is_copied(r, i) && !head_has(r, i, "__shared__") &&
      (head_has(r, i, "__device__") || head_has(r, i, "__constant__") ||
       head_has(r, i, "__managed__"));
}

// True if I, `using T = S<int>;`, names a class that only the host can have.
static bool names_host_class(const struct cuda_reach *r, const struct item *i) {
  struct lexer l = lexer_of(i->text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    const struct item *named = NULL;
    for (const struct name *n = NULL;
         t.kind == TOKEN_WORD && (named = reach_next_item(r, t.text, &n)) != NULL;) {
      members_leave_out(r, &r->items.list[n->index]);
      if (named->host)
        return true;
    }
  }
  return false;
}

// True if I may be in code for a device. Types and templates may, except classes of which
// that is known.
bool reach_for_device(const struct cuda_reach *r, const struct item *i) {
  members_leave_out(r, &r->items.list[i - r->items.list]);
  if (i->host)
    return false;
  if (i->kind == ITEM_DEFINE || i->kind == ITEM_UNDEF)
    return !feed_param(r->kernels, r->n_kernels, i->names[0].name);
  if (i->kind != ITEM_CODE)
    return false;
  if (i->function)
    return !head_has(r, i, "__global__") &&
        (head_has(r, i, "__device__") || head_has(r, i, "constexpr"));
  if (!reach_is_variable(i) || i->type)
    return i->type || !names_host_class(r, i);
  return is_copied(r, i) || goes_by_address(r, i) || head_has(r, i, "__shared__");
}

// ---- variables used by address ------------------------------------------------------

static bool is_variable_word(struct slice word) {
  static const char *const dropped[] = { "__device__", "__constant__", "__managed__",
                                         "static",     "extern",       "inline",
                                         NULL };
  return slice_in(word, dropped);
}

// Returns "a::b::NAME", the variable's name at file scope of the program.
static const char *reach_qualified(const struct cuda_reach *r, const struct item *i,
                                   struct slice name) {
  const char *spaces = items_namespaces(&r->items, i);
  return arena_printf("%s%s::%.*s", *spaces ? "::" : "", spaces, (int)name.size,
                      name.data);
}

// Returns TEXT without words like `static` and without attributes and their parentheses.
static struct slice reach_specifiers(const struct cuda_reach *r, struct slice text) {
  struct text out = { 0 };
  text_add(&out, "", 0);
  struct lexer l = lexer_of(text), rest;
  const char *end = NULL;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; end = l.p) {
    struct slice word = t.text;
    if (t.first &&
        slice_is(word, "#")) { // `__constant__ #ifdef A double #else float #endif x;`
      lex_directive(&l, &rest);
      text_printf(&out, "\n%.*s\n", (int)(l.p - word.data), word.data);
      continue;
    }
    bool macro = t.kind == TOKEN_WORD && !is_variable_word(word) &&
        (reach_mentions(r, word, "__device__", 0) ||
         reach_mentions(r, word, "__constant__", 0) ||
         reach_mentions(r, word, "__managed__", 0));
    if (!is_variable_word(word) && !macro && t.kind != TOKEN_STRING) // extern "C"
      text_printf(&out, "%s%.*s", out.size && end != word.data ? " " : "", (int)word.size,
                  word.data);
  }
  return (struct slice){ out.data, out.size };
}

// Returns the beginning of NAME's declarator in HEAD: after the last word, angle bracket
// or brace that is not part of the name.
static const char *declarator_start(struct slice head, struct slice name) {
  struct lexer l = lexer_of(head);
  const char *start = head.data;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END && t.text.data < name.data;) {
    if (t.kind == TOKEN_WORD || slice_is(t.text, "}") || slice_is(t.text, ">") ||
        slice_is(t.text, ">>"))
      start = t.text.data + t.text.size;
    if (slice_is(t.text, "const") || slice_is(t.text, "volatile"))
      start = l.p;
  }
  return start;
}

// Returns the end of the declarator that continues at P: after its brackets.
static const char *declarator_end(const char *p, const char *end) {
  struct lexer l = { p, end, false };
  for (;;) {
    struct lexer ahead = l;
    struct slice t = lex(&ahead).text;
    if (!slice_is(t, "[") && !slice_is(t, ")"))
      return l.p;
    if (slice_is(t, "["))
      cut_skip_group(&ahead);
    l = ahead;
  }
}

static void cuda_reach_scan(struct cuda_reach *r, struct slice text);

static void add_variable(struct cuda_reach *r, const struct item *i, struct slice name) {
  struct slice text = i->text;
  const char *first = i->names[0].name.data;
  const char *shared = declarator_start(
      (struct slice){ text.data, (size_t)(first - text.data) + 1 }, i->names[0].name);
  const char *own = shared;
  bool again = false;
  if (name.data != first) // after the last comma before it
    for (own = name.data; own > text.data && own[-1] != ','; own--)
      ;
  const char *behind = name.data + name.size;
  const char *end = declarator_end(behind, text.data + text.size);
  for (unsigned n = 0; n < r->n_variables; n++)
    if (slices_same(r->variables[n].name, name)) {
      if (r->variables[n].item == (unsigned)(i - r->items.list))
        return;
      r->variables[n].again = again = true;
    }
  struct variable v = {
    .name = name,
    .item = (unsigned)(i - r->items.list),
    .specifiers =
        reach_specifiers(r, (struct slice){ text.data, (size_t)(shared - text.data) }),
    .before = slice_trim((struct slice){ own, (size_t)(name.data - own) }),
    .behind = slice_trim((struct slice){ behind, (size_t)(end - behind) }),
    .qualified = reach_qualified(r, i, name),
    .constant = head_has(r, i, "__constant__"),
    .again = again
  };
  *GROW(r->variables, r->n_variables) = v;
  cuda_reach_scan(r, v.specifiers);
  cuda_reach_scan(r, v.before);
  cuda_reach_scan(r, v.behind);
}

// ---- the closure --------------------------------------------------------------------

static void reach_mark(struct cuda_reach *r, unsigned n);

void reach_see_word(struct cuda_reach *r, struct slice word) {
  if (!names_put(&r->seen, word))
    return;
  const struct item *i;
  for (const struct name *n = NULL; (i = reach_next_item(r, word, &n)) != NULL;)
    if (reach_for_device(r, i)) {
      struct slice name = n->text;
      reach_mark(r, n->index);
      if (goes_by_address(r, i) && (!i->type || name.data >= i->head_end))
        add_variable(r, i, name);
    }
}

// Reaches the name of a member: only a macro can give it a meaning outside of its class.
static void see_member(struct cuda_reach *r, struct slice word) {
  if (!names_put(&r->macros, word))
    return;
  const struct item *i;
  for (const struct name *n = NULL; (i = reach_next_item(r, word, &n)) != NULL;)
    if (i->kind == ITEM_DEFINE && reach_for_device(r, i))
      reach_mark(r, n->index);
}

static void cuda_reach_scan(struct cuda_reach *r, struct slice text) {
  struct lexer l = lexer_of(text);
  struct slice previous = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    if (t.kind != TOKEN_WORD)
      continue;
    if (slice_is(previous, ".") || slice_is(previous, "->"))
      see_member(r, t.text);
    else
      reach_see_word(r, t.text);
  }
}

// Marks the scopes and `#if`s around item N, which are needed too, and scans the
// conditions of these `#if`s.
static void mark_around(struct cuda_reach *r, int scope, int chain) {
  for (; scope >= 0; scope = r->items.list[scope].scope) {
    struct item *open = &r->items.list[scope];
    if (open->reached)
      break;
    open->reached = true;
    mark_around(r, -1, open->chain);
  }
  for (; chain >= 0; chain = r->items.list[chain].chain) {
    struct item *opener = &r->items.list[chain];
    if (opener->reached)
      break;
    opener->reached = true;
    cuda_reach_scan(r, opener->text);
    for (unsigned n = (unsigned)chain + 1; n < r->items.n; n++) {
      const struct item *i = &r->items.list[n];
      if ((i->kind == ITEM_ELSE || i->kind == ITEM_ENDIF) && i->opener == chain)
        cuda_reach_scan(r, i->text);
      if (i->kind == ITEM_ENDIF && i->opener == chain)
        break;
    }
  }
}

static void reach_mark(struct cuda_reach *r, unsigned n) {
  struct item *i = &r->items.list[n];
  if (i->reached)
    return;
  i->reached = true;
  mark_around(r, i->scope, i->chain);
  r->pastes |= i->kind == ITEM_DEFINE && memmem(i->text.data, i->text.size, "##", 2);
  if (i->kind == ITEM_DEFINE)
    cuda_reach_scan(r, slice_after(i->text, i->names[0].name));
  else if (i->kind == ITEM_CODE && (i->type || !goes_by_address(r, i)))
    cuda_reach_scan(r, i->text);
  // else add_variable scans the rest of the declaration
}

// True if a type of I's parameters is reached: operators have no name, so their types
// decide.
static bool has_seen_type(const struct cuda_reach *r, const struct item *i) {
  struct lexer l = lexer_of(item_head(i));
  bool within = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    within = within || slice_is(t.text, "(");
    if (within && t.kind == TOKEN_WORD && !slice_is(t.text, "const") &&
        names_has(&r->seen, t.text))
      return true;
  }
  return false;
}

// True if NAME, the last word of `using namespace a::b;`, names a namespace in the unit.
static bool is_namespace(struct cuda_reach *r, struct slice name) {
  struct names only = { 0 };
  names_put(&only, name);
  for (unsigned n = 0; n < r->items.n; n++) {
    const struct item *i = &r->items.list[n];
    if (!i->reached)
      continue;
    for (unsigned k = 0; i->kind == ITEM_OPEN && k < i->n_names; k++)
      if (slices_same(i->names[k].name, name))
        return true;
    if (i->kind == ITEM_INCLUDE && toolkit_opens(r->toolkit, i, &only))
      return true;
  }
  return false;
}

// True for `BINARY(plus, +)`, a macro that defines a device function or a constant.
static bool is_made_by_macro(const struct cuda_reach *r, const struct item *i) {
  const struct item *macro;
  bool made = false;
  if (!i->function || i->n_names != 1 || i->names[0].name.data != i->text.data)
    return false;
  for (const struct name *n = NULL;
       (macro = reach_next_item(r, i->names[0].name, &n)) != NULL;)
    made = made || macro->kind == ITEM_DEFINE;
  return made;
}

// True for a pragma that changes how the text after it is read.
static bool is_kept_pragma(const struct item *i) {
  static const char *const kept[] = {
    "pack",          "push_macro", "pop_macro", "nv_diag_suppress", "nv_diag_default",
    "nv_diagnostic", NULL
  };
  struct lexer l = lexer_of(i->text);
  lex(&l);
  if (!slice_is(lex(&l).text, "pragma"))
    return false;
  struct slice word = lex(&l).text;
  return slice_in(word, kept);
}

// True for a NAME that is two words seen, or more, put together: macros with `##` make
// such.
static bool is_pasted(const struct cuda_reach *r, struct slice name) {
  for (size_t n = 1; n < name.size; n++) {
    struct slice left = { name.data, n }, right = { name.data + n, name.size - n };
    bool number = strspn(right.data, "0123456789") >= right.size;
    if (names_has(&r->seen, left) &&
        (number || names_has(&r->seen, right) || is_pasted(r, right)))
      return true;
  }
  return false;
}

static bool is_pasted_item(const struct cuda_reach *r, const struct item *i) {
  bool found = false;
  for (unsigned n = 0; r->pastes && n < i->n_names && reach_for_device(r, i); n++)
    found = found || is_pasted(r, i->names[n].name);
  return found;
}

static bool is_for_all(struct cuda_reach *r, const struct item *i) {
  if ((i->kind == ITEM_DEFINE || i->function) && is_pasted_item(r, i))
    return true;
  if (i->kind == ITEM_OTHER)
    return is_kept_pragma(i);
  if (i->kind == ITEM_INCLUDE)
    return toolkit_declares(r->toolkit, i, &r->seen);
  if (i->kind != ITEM_CODE || !reach_for_device(r, i))
    return false;
  if (is_made_by_macro(r, i))
    return true;
  if (i->operator_function)
    return has_seen_type(r, i);
  if (!i->using_namespace)
    return false;
  struct lexer l = lexer_of(i->text);
  struct slice last = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD)
      last = t.text;
  return is_namespace(r, last);
}

static void find_own(struct cuda_reach *r, const struct source *s) {
  for (unsigned j = 0; j <= r->k->n_alternatives; j++) {
    const struct function *f = j ? &r->k->alternatives[j - 1] : &r->k->main;
    for (unsigned n = 0; n < r->items.n; n++) {
      struct item *i = &r->items.list[n];
      if (i->kind == ITEM_CODE && i->s == s && i->start <= f->name_at &&
          f->name_at < i->end) {
        i->own = f;
        reach_mark(r, n);
      }
    }
  }
}

// True for `unsigned int` and the like, as TYPE of a template's parameter.
static bool is_number(struct slice type) {
  struct lexer l = lexer_of(type);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (!word_of_cplusplus(t.text) && !slice_is(t.text, "size_t"))
      return false;
  return true;
}

struct cuda_reach *cuda_reach(const struct source *s, const struct kernel *kernels,
                              unsigned n_kernels, const struct kernel *k,
                              struct items *items, const struct compile_options *o) {
  struct cuda_reach *r = arena_alloc(sizeof *r);
  *r = (struct cuda_reach){ .kernels = kernels, .n_kernels = n_kernels, .k = k };
  r->items = *items;
  for (unsigned n = 0; n < items->n; n++) {
    items->list[n].reached = false; // set for the previous kernel
    items->list[n].own = NULL;
  }
  r->toolkit = arena_alloc(sizeof *r->toolkit);
  *r->toolkit = (struct toolkit){ .folder = toolkit_include(o) };
  find_own(r, s);
  bool types = false;
  for (unsigned i = 0; i < cxx_of(k)->n_params; i++) {
    const struct template_param *p = &cxx_of(k)->params[i];
    types = types || p->type;
    r->functions = r->functions || (!p->type && !is_number(p->type_text));
  }
  if (cxx_of(k)->n_params)
    reach_instances(r, s);
  if (types || r->functions)
    reach_template_arguments(r, s);
  for (bool more = true; more;) {
    more = false;
    for (unsigned n = 0; n < r->items.n; n++)
      if (!r->items.list[n].reached && is_for_all(r, &r->items.list[n])) {
        reach_mark(r, n);
        more = true;
      }
  }
  return r;
}
