// SPDX-License-Identifier: Apache-2.0
// launches.c: finds every launch of a file.
#include <string.h>

#include "front/include.h"
#include "launches.h"

static struct slice inside_of(const struct source *s, TSNode brackets) {
  size_t start = ts_node_start_byte(brackets) + 1, end = ts_node_end_byte(brackets) - 1;
  return slice_trim((struct slice){ s->text + start, end > start ? end - start : 0 });
}

void launch_refuse(const struct finder *f, TSNode n, const char *hint,
                   const char *message, const struct kernel *k) {
  size_t start = ts_node_start_byte(n);
  diag_error(f->s, start, ts_node_end_byte(n) - start, hint, message, k->main.name);
}

// ---- names --------------------------------------------------------------------------

bool callee_of(const struct source *s, TSNode n, struct callee *c) {
  size_t start = ts_node_start_byte(n), end = ts_node_end_byte(n);
  *c = (struct callee){ .name = source_slice(s, n) };
  while (node_is(n, "qualified_identifier") && ts_node_named_child_count(n) > 0)
    n = ts_node_named_child(n, ts_node_named_child_count(n) - 1);
  if (node_is(n, "template_function")) {
    TSNode list = node_child(n, "template_argument_list");
    c->template_args = inside_of(s, list);
    end = ts_node_start_byte(list);
    n = ts_node_named_child(n, 0);
  }
  if (node_is(n, "template_type")) // as an argument of a template, where the grammar may
                                   // take a name for a type
    n = ts_node_named_child(n, 0);
  if (!node_is(n, "identifier") && !node_is(n, "type_identifier"))
    return false;
  c->last = source_slice(s, n);
  c->name = slice_trim((struct slice){ s->text + start, end - start });
  return true;
}

static void find_aliases(struct finder *f) {
  struct lexer l = lexer_of((struct slice){ f->s->parsed, f->s->size });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!slice_is(t.text, "namespace"))
      continue;
    struct lexer ahead = l;
    struct slice name = lex(&ahead).text;
    const char *end = slice_is(lex(&ahead).text, "=")
        ? memchr(ahead.p, ';', (size_t)(ahead.end - ahead.p))
        : NULL;
    if (end)
      *GROW(f->aliases, f->n_aliases) =
          (struct alias){ name, { ahead.p, (size_t)(end - ahead.p) } };
  }
}

// Returns the namespace that NAME is an alias of; NAME itself if it is no alias.
static struct slice launches_unaliased(const struct finder *f, struct slice name) {
  for (unsigned i = 0; i < f->n_aliases; i++)
    if (slices_same(f->aliases[i].name, name))
      return f->aliases[i].means;
  return name;
}

// Returns the next word of L, between its `::`; size 0: there is none.
static struct slice launches_next_word(struct lexer *l) {
  for (struct token t; (t = lex(l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD)
      return t.text;
  return (struct slice){ 0 };
}

// True if the namespaces WRITTEN before a name are some of those AROUND a kernel, in
// their order. (An inline namespace, and the namespace that the launch itself stands in,
// may be left out.)
static bool spaces_fit(const struct finder *f, struct slice around,
                       struct slice written) {
  struct lexer l = lexer_of(written), spaces = lexer_of(around);
  for (struct slice word; (word = launches_next_word(&l)).size;) {
    struct lexer words = lexer_of(launches_unaliased(f, word));
    while ((word = launches_next_word(&words)).size) {
      struct slice space;
      do
        space = launches_next_word(&spaces);
      while (space.size && !slices_same(space, word));
      if (!space.size)
        return false;
    }
  }
  return true;
}

static struct slice written_spaces(const struct callee *c) {
  return (struct slice){ c->name.data, (size_t)(c->last.data - c->name.data) };
}

int kernel_meant(const struct finder *f, const struct callee *c) {
  if (!names_has(&f->names, c->last))
    return CALLED_NONE;
  for (unsigned i = 0; i < f->n_kernels; i++)
    if (slice_is(c->last, f->kernels[i].main.name) &&
        spaces_fit(f, cxx_of(&f->kernels[i])->namespaces, written_spaces(c)))
      return (int)i;
  return CALLED_NONE;
}

// Kernels of one name with their namespaces; KERNEL is CALLED_NONE for kernels without a
// pragma.
struct candidates {
  struct candidate {
    struct slice spaces;
    int kernel;
  } *list;
  unsigned n;
};

static void add_candidate(struct candidates *all, struct slice spaces, int kernel) {
  for (unsigned i = 0; i < all->n; i++)
    if (slices_same(all->list[i].spaces, spaces)) {
      all->list[i].kernel = kernel >= 0 ? kernel : all->list[i].kernel;
      return;
    }
  *GROW(all->list, all->n) = (struct candidate){ spaces, kernel };
}

static struct candidates candidates_of(const struct finder *f, const struct callee *c) {
  struct candidates all = { 0 };
  for (unsigned i = 0; i < f->n_kernels; i++) {
    const struct cuda_kernel *k = cuda_of(&f->kernels[i]);
    if (!slice_is(c->last, f->kernels[i].main.name))
      continue;
    if (spaces_fit(f, k->cxx.namespaces, written_spaces(c)))
      add_candidate(&all, k->cxx.namespaces, (int)i);
    for (unsigned j = 0; j < k->n_elsewhere; j++)
      if (spaces_fit(f, k->elsewhere[j], written_spaces(c)))
        add_candidate(&all, k->elsewhere[j], CALLED_NONE);
  }
  return all;
}

static bool has_space(const struct candidates *all, struct slice word) {
  for (unsigned i = 0; i < all->n; i++) {
    struct lexer l = lexer_of(all->list[i].spaces);
    for (struct slice space; (space = launches_next_word(&l)).size;)
      if (slices_same(space, word))
        return true;
  }
  return false;
}

// True if a `using` of the file brings NAME, or all names of a namespace that one of ALL
// is in.
static bool is_used(const struct finder *f, struct slice name,
                    const struct candidates *all) {
  struct lexer l = lexer_of((struct slice){ f->s->parsed, f->s->size });
  bool within = false, directive = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    directive = within && (directive || slice_is(t.text, "namespace"));
    if (within &&
        (slices_same(t.text, name) ||
         (directive && t.kind == TOKEN_WORD &&
          has_space(all, launches_unaliased(f, t.text)))))
      return true;
    within = slice_is(t.text, "using") ||
        (within && !slice_is(t.text, ";") && !slice_is(t.text, "="));
  }
  return false;
}

// Returns "a::b" for WRITTEN `A :: b ::`, where A is an alias.
static const char *plain_spaces(const struct finder *f, struct slice written) {
  const char *plain = "";
  struct lexer l = lexer_of(written);
  for (struct slice word; (word = launches_next_word(&l)).size;) {
    struct lexer words = lexer_of(launches_unaliased(f, word));
    while ((word = launches_next_word(&words)).size)
      plain =
          arena_printf("%s%s%.*s", plain, *plain ? "::" : "", (int)word.size, word.data);
  }
  return plain;
}

// Looks C up from the namespace around N outwards.
static int launches_look_up(const struct finder *f, const struct callee *c, TSNode n,
                            const struct candidates *all) {
  struct slice written = written_spaces(c), around = cxx_namespaces(f->s, n);
  const char *plain = plain_spaces(f, written);
  if (!*plain && !written.size && is_used(f, c->last, all))
    return CALLED_UNCLEAR;
  if (written.size && written.data[0] == ':')
    around.size = 0;
  for (;;) {
    struct slice full = slice_of(arena_printf("%.*s%s%s", (int)around.size, around.data,
                                              around.size && *plain ? "::" : "", plain));
    for (unsigned i = 0; i < all->n; i++)
      if (slices_same(all->list[i].spaces, full))
        return all->list[i].kernel;
    if (!around.size)
      return CALLED_UNCLEAR;
    while (around.size && around.data[around.size - 1] != ':')
      around.size--;
    around.size -= around.size ? 2 : 0;
  }
}

int kernel_called(const struct finder *f, const struct callee *c, TSNode n) {
  if (!names_has(&f->names, c->last))
    return CALLED_NONE;
  struct candidates all = candidates_of(f, c);
  return all.n == 0 ? CALLED_NONE
      : all.n == 1  ? all.list[0].kernel
                    : launches_look_up(f, c, n, &all);
}

// ---- launches -----------------------------------------------------------------------

const char *launch_unparsed_hint(struct slice text) {
  struct directive d;
  size_t at = 0;
  return directive_next(text, &at, &d)
      ? "an #if is in it: write the whole launch in each of its branches"
      : "is a macro in it, or around it, that hides a part of the syntax?";
}

bool launch_on_device(const struct source *s, TSNode n) {
  TSNode function;
  if (!node_inside(n, "function_definition", &function))
    return false;
  TSNode declarator = node_child(function, "function_declarator");
  size_t start = ts_node_start_byte(function);
  size_t end = ts_node_is_null(declarator) ? start : ts_node_start_byte(declarator);
  struct lexer l = { s->text + start, s->text + end, false };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (slice_is(t.text, "__global__") || slice_is(t.text, "__device__"))
      return true;
  return false;
}

// Lets a launch find its kernel by its address. False: it cannot.
static bool launch_by_address(struct finder *f, struct launch *l) {
  const struct kernel *k = &f->kernels[l->kernel];
  size_t size = strlen(k->main.name);
  struct slice word = { l->callee.data + l->callee.size - size, size };
  struct callee c = { .name = l->callee, .last = word };
  if (l->runtime
          ? !pointers_address(f, k, &c)
          : !pointers_launch(f, l->callee.data, word, l->kernel, f->s->text + f->s->size))
    return false;
  if (l->runtime)
    pointers_runtime(f, l->word);
  l->kernel = CALLED_NONE;
  *GROW(f->all, f->n) = *l;
  return true;
}

static void add_launch(struct finder *f, TSNode call, struct launch l) {
  const struct kernel *k = l.kernel >= 0 ? &f->kernels[l.kernel] : NULL;
  l.start = ts_node_start_byte(call);
  l.end = ts_node_end_byte(call);
  if (k && (l.runtime ? cuda_of(k)->n_overloads > 0 : ts_node_has_error(call)) &&
      launch_by_address(f, &l))
    return;
  if (k && ts_node_has_error(call))
    launch_refuse(
        f, call,
        launch_unparsed_hint((struct slice){ f->s->text + l.start, l.end - l.start }),
        "this launch of '%s' could not be parsed", k);
  else if (k && launch_on_device(f->s, call)) {
    diag_warning(
        f->s, l.start, l.end - l.start, "launches from the host are",
        "this launch of '%s' is not tuned: a launch from the device runs it as written",
        k->main.name);
    cuda_of(k)->untuned = true;
    l.kernel = CALLED_NONE;
  } else if (k && l.n_config < 2)
    launch_refuse(f, call, "write <<<grid, block>>>", "this launch of '%s' has no block",
                  k);
  *GROW(f->all, f->n) = l;
}

// Like kernel_called, but diagnoses an unclear name.
static int kernel_launched(const struct finder *f, const struct callee *c, TSNode call) {
  int k = kernel_called(f, c, call);
  if (k != CALLED_UNCLEAR)
    return k;
  k = kernel_meant(f, c);
  launch_refuse(f, call, "write its namespace in full, as in ::a::b::k",
                "it cannot be told which '%s' this launches", &f->kernels[k]);
  return CALLED_NONE;
}

static void add_chevrons(struct finder *f, TSNode call, TSNode config) {
  struct callee c;
  struct launch l = { .kernel = CALLED_NONE };
  if (callee_of(f->s, ts_node_child(call, 0), &c))
    l.kernel = kernel_launched(f, &c, call);
  l.callee = c.name;
  l.template_args = c.template_args;
  for (uint32_t i = 0; i < ts_node_named_child_count(config) && l.n_config < 4; i++)
    if (!node_is(ts_node_named_child(config, i), "comment"))
      l.config[l.n_config++] = source_slice(f->s, ts_node_named_child(config, i));
  l.args = inside_of(f->s, node_child(call, "argument_list"));
  add_launch(f, call, l);
}

// Returns the node within casts: of `(void *)k`, `reinterpret_cast<void *>(k)`, `&k`.
static TSNode without_casts(const struct source *s, TSNode n) {
  for (;;) {
    uint32_t count = ts_node_named_child_count(n);
    if (count &&
        (node_is(n, "parenthesized_expression") || node_is(n, "cast_expression") ||
         node_is(n, "pointer_expression"))) {
      n = ts_node_named_child(n, count - 1);
      continue;
    }
    if (!node_is(n, "call_expression") ||
        !node_is(ts_node_child(n, 0), "template_function"))
      return n;
    struct slice name = source_slice(s, ts_node_named_child(ts_node_child(n, 0), 0));
    TSNode args = node_child(n, "argument_list");
    if (name.size < 5 || memcmp(name.data + name.size - 5, "_cast", 5) != 0 ||
        ts_node_named_child_count(args) != 1)
      return n;
    n = ts_node_named_child(args, 0);
  }
}

// Sets ARGS to the arguments of CALL without comments; returns their number.
static unsigned arguments_of(TSNode call, TSNode *args, unsigned max) {
  TSNode list = node_child(call, "argument_list");
  unsigned n = 0;
  for (uint32_t i = 0; i < ts_node_named_child_count(list) && n < max; i++)
    if (!node_is(ts_node_named_child(list, i), "comment"))
      args[n++] = ts_node_named_child(list, i);
  return n;
}

// Adds cudaLaunchKernel(k, grid, block, args, shared, stream).
static void add_runtime(struct finder *f, TSNode call) {
  static const unsigned order[] = { 1, 2, 4, 5 };
  TSNode args[6];
  struct callee c;
  struct launch l = { .runtime = true,
                      .kernel = CALLED_NONE,
                      .word = called(f->s, call) };
  unsigned n = arguments_of(call, args, 6);
  if (n < 4)
    return;
  if (callee_of(f->s, without_casts(f->s, args[0]), &c))
    l.kernel = kernel_launched(f, &c, call);
  else
    c = (struct callee){ .name = source_slice(f->s, args[0]) };
  l.callee = c.name;
  l.template_args = c.template_args;
  for (unsigned i = 0; i < 4 && order[i] < n; i++)
    l.config[l.n_config++] = source_slice(f->s, args[order[i]]);
  l.args = source_slice(f->s, args[3]);
  add_launch(f, call, l);
}

struct slice called(const struct source *s, TSNode call) {
  struct callee c;
  return callee_of(s, ts_node_child(call, 0), &c) ? c.last : (struct slice){ "", 0 };
}

static void launches_visit(struct finder *f, TSNode n) {
  TSNode config, list;
  if (node_is(n, "identifier") ||
      (node_is(n, "type_identifier") && names_has(&f->names, source_slice(f->s, n)) &&
       node_inside(n, "template_argument_list", &list))) {
    if (names_has(&f->names, source_slice(f->s, n)))
      mention_check(f, n);
  } else if (node_is(n, "call_expression")) {
    config = node_child(n, "kernel_call_syntax");
    if (!ts_node_is_null(config))
      add_chevrons(f, n, config);
    else if (slice_is(called(f->s, n), "cudaLaunchKernel"))
      add_runtime(f, n);
  }
}

// Warns if K is not launched in its file: launches in other files are not rewritten.
static void check_launched(const struct finder *f, const struct kernel *k) {
  const struct source *s = f->s;
  const char *path;
  source_where(s, k->main.name_at, &path, NULL);
  if (cuda_of(k)->addressed && !f->by_pointer)
    diag_warning(
        s, k->main.name_at, strlen(k->main.name),
        "launch it by its name, or through a pointer in this file; a node of a graph "
        "runs it as written",
        "the address of the kernel '%s' is taken: launches through it elsewhere are "
        "not tuned",
        k->main.name);
  else if (cuda_of(k)->n_launches == 0 && !cuda_of(k)->addressed &&
           !cuda_of(k)->untuned && strcmp(path, s->path) == 0)
    diag_warning(
        s, k->main.name_at, strlen(k->main.name),
        "launch it from a function here that the others call, or define it in a header",
        "the kernel '%s' is launched nowhere in this file: launches in others are not "
        "tuned",
        k->main.name);
}

struct launches cuda_launches(const struct source *s, const struct kernel *kernels,
                              unsigned n_kernels) {
  struct finder f = { .s = s, .kernels = kernels, .n_kernels = n_kernels };
  for (unsigned i = 0; i < n_kernels; i++)
    names_put(&f.names, slice_of(kernels[i].main.name));
  find_aliases(&f);
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(s->tree));
  for (bool more = true; more; more = cursor_next(&cursor, true))
    launches_visit(&f, ts_tree_cursor_current_node(&cursor));
  ts_tree_cursor_delete(&cursor);
  if (n_kernels)
    mentions_check_text(&f);
  pointers_find(&f);
  for (unsigned i = 0; i < f.n; i++)
    if (f.all[i].kernel >= 0) {
      struct cuda_kernel *k = cuda_of(&kernels[f.all[i].kernel]);
      *GROW(k->launches, k->n_launches) = f.all[i];
    }
  for (unsigned i = 0; i < n_kernels && diag_errors() == 0;
       i++) // after errors the list of launches may not be complete
    check_launched(&f, &kernels[i]);
  return (struct launches){ f.all, f.n, f.rewrites, f.n_rewrites };
}
