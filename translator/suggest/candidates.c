// SPDX-License-Identifier: Apache-2.0
// candidates.c: finds the functions of a file that may be kernels, those of which only
// loops may be, and says why others are left as they are.
#include <string.h>

#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "suggest.h"

// True if a pragma of ours stands on F or in it.
static bool candidates_wrote(const struct candidates *c, const struct function *f) {
  for (unsigned i = 0; i < c->n_pragmas; i++)
    if (after_gap(c->s, c->pragmas[i].end, c->s->size) == plain_start(f->node) ||
        (c->pragmas[i].offset > f->start && c->pragmas[i].offset < f->end))
      return true;
  return false;
}

// True if F may hold directives of OpenMP.
static bool candidates_share(const struct candidates *c, const struct function *f) {
  return lex_mentions((struct slice){ c->s->text + f->start, f->end - f->start },
                      slice_of("omp"));
}

// Returns why a function with the arguments LIST is no kernel; NULL: all have names, or
// there are none.
static const char *candidates_why_arguments(const struct candidates *c, TSNode list) {
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
    TSNode n = ts_node_named_child(list, i);
    bool alone = ts_node_named_child_count(list) == 1 &&
        slice_is(source_slice(c->s, n), "void");
    if (node_is(n, "variadic_parameter"))
      return "a kernel cannot have variable arguments";
    if (node_is(n, "identifier"))
      return "the types of its arguments are not within the parentheses";
    if (!node_is(n, "comment") && !alone &&
        ((!node_is(n, "parameter_declaration") &&
          !node_is(n, "optional_parameter_declaration")) ||
         ts_node_is_null(node_field(n, "declarator"))))
      return "an argument has no name";
  }
  return NULL;
}

// Returns why the function N is no kernel; NULL: it is `type name(arguments) { … }`
// without further syntax.
static const char *candidates_why_not(const struct candidates *c, TSNode n) {
  TSNode d = node_field(n, "declarator");
  TSNode name = node_field(d, "declarator");
  if (plain_is_member(c->s, n))
    return "only its loops can be kernels";
  if (node_is(d, "pointer_declarator"))
    return "it returns a pointer";
  if (!node_is(d, "function_declarator") || !node_is(name, "identifier"))
    return "its head is not of the form 'type name(arguments)'";
  struct slice written;
  if (slice_is(source_slice(c->s, name), "main") || naming_hides(c->s, d, &written))
    return "only its loops can be kernels";
  return candidates_why_arguments(c, node_field(d, "parameters"));
}

// Returns the name of the function N, for messages.
static const char *candidates_name(const struct source *s, TSNode n) {
  TSNode d = declarator_of_function(n);
  struct slice name = { "?", 1 };
  if (!ts_node_is_null(d))
    naming_hides(s, d, &name);
  return arena_copy(name.data, name.size);
}

static void candidates_add(struct candidates *c, TSNode n) {
  struct kernel k = { .choose = -1, .whole = -1, .atol = -1, .language = c->s->language };
  TSNode body = node_field(n, "body");
  *GROW(c->seen, c->n_seen) = n;
  if (!node_holds_loop(body))
    return;
  const char *why = candidates_why_not(c, n), *path;
  source_where(c->s, ts_node_start_byte(n), &path, NULL);
  if (c->how.automatic && strcmp(path, c->s->path) != 0)
    return; // of a header, which other files may include as it is
  k.main = (struct function){ .node = n,
                              .start = ts_node_start_byte(n),
                              .end = ts_node_end_byte(n),
                              .body_at = ts_node_start_byte(body) };
  c->loops = true;
  if (candidates_wrote(c, &k.main))
    *GROW(c->written, c->n_written) = candidates_name(c->s, n);
  bool openmp = candidates_share(c, &k.main);
  if (candidates_wrote(c, &k.main))
    notes_say(c->s, k.main.start, "left as it is: it has pragmas already");
  else if (why || openmp)
    *GROW(c->mixed, c->n_mixed) =
        (struct mixed){ .node = n, .name = candidates_name(c->s, n), .why = why };
  else if (c->s->language->signature_read(c->s, &k.main, &k)) {
    *GROW(k.compilers, k.n_compilers) = "clang";
    *GROW(c->list, c->n) = k;
  }
}

void candidates_find(struct candidates *c, TSNode n) {
  if (node_is(n, "function_definition")) {
    candidates_add(c, n);
    return;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    candidates_find(c, ts_node_named_child(n, i));
}

// True if the tree has a function within [START, END).
static bool candidates_have_seen(const struct candidates *c, size_t start, size_t end) {
  for (unsigned i = 0; i < c->n_seen; i++)
    if (ts_node_start_byte(c->seen[i]) < end && start < ts_node_end_byte(c->seen[i]))
      return true;
  return false;
}

bool candidates_loops(struct slice text) {
  return lex_mentions(text, slice_of("for")) || lex_mentions(text, slice_of("while"));
}

void candidates_say_hidden(struct candidates *c, const struct expansion *x) {
  for (unsigned i = 0; x && i < x->items.n; i++) {
    const struct item *item = &x->items.list[i];
    if (!item->body || !item->n_names || item->end <= item->start ||
        !candidates_loops(item->text) || candidates_have_seen(c, item->start, item->end))
      continue;
    struct slice name = item->names[0].name,
                 text = { c->s->text + item->start, item->end - item->start };
    const char *why = item->untyped.size ? "its head has the style before C89"
        : lex_mentions(text, name)       ? "an #if or a macro hides a part of its syntax"
                                         : "a macro makes its head";
    c->loops = true;
    notes_say(
        c->s, item->start,
        arena_printf("'%.*s' is left as it is: %s", (int)name.size, name.data, why));
  }
}
