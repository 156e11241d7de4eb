// SPDX-License-Identifier: Apache-2.0
// mentions.c: finds mentions of annotated kernels that are not launches, and launches
// that the tree does not show. A launch that is not found would never be tuned, so such a
// mention is an error.
#include <string.h>

#include "launches.h"

// True if L, after a word, is at `<<<` or `<…><<<`.
static bool chevrons_follow(struct lexer l) {
  int depth = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (depth == 0 && slice_is(t.text, "<<"))
      return slice_is(lex(&l).text, "<");
    if (depth == 0 && !slice_is(t.text, "<"))
      return false;
    if (slice_is(t.text, ";") || slice_is(t.text, "{"))
      return false;
    depth += slice_is(t.text, "<");
    depth -= slice_is(t.text, ">") ? 1 : slice_is(t.text, ">>") ? 2 : 0;
    if (depth < 0)
      return false;
  }
  return false;
}

// Returns the whole qualified name around N: `ns::N<float>`.
static TSNode whole_name(TSNode n) {
  TSNode parent = ts_node_parent(n);
  while (!ts_node_is_null(parent) &&
         (node_is(parent, "qualified_identifier") ||
          ((node_is(parent, "template_function") || node_is(parent, "template_type")) &&
           ts_node_eq(ts_node_named_child(parent, 0), n)))) {
    n = parent;
    parent = ts_node_parent(n);
  }
  return n;
}

static bool is_declarator(TSNode parent, TSNode n) {
  uint32_t last = ts_node_named_child_count(parent) - 1;
  return (strstr(ts_node_type(parent), "declarator") &&
          ts_node_eq(ts_node_named_child(parent, 0), n)) ||
      (node_is(parent, "pointer_declarator") && // `*__restrict__ n`
       ts_node_eq(ts_node_named_child(parent, last), n)) ||
      node_is(parent, "parameter_declaration") ||
      node_is(parent, "optional_parameter_declaration") ||
      node_is(parent, "enumerator") || node_is(parent, "lambda_capture_initializer") ||
      (node_is(parent, "declaration") && !ts_node_eq(ts_node_child(parent, 0), n));
}

// True if ROOT, a function, declares a variable of that name.
static bool mentions_declares(const struct source *s, TSNode root, struct slice name) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  bool found = false;
  for (bool more = true; more && !found; more = cursor_next(&cursor, true)) {
    TSNode n = ts_tree_cursor_current_node(&cursor);
    struct slice word = source_slice(s, n);
    found = node_is(n, "identifier") && word.size == name.size &&
        memcmp(word.data, name.data, name.size) == 0 && !ts_node_eq(n, root) &&
        is_declarator(ts_node_parent(n), n) &&
        !node_is(ts_node_parent(n), "function_declarator");
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

// True if any class of the file has a member variable of that name.
static bool has_field(const struct source *s, struct slice name) {
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(s->tree));
  bool found = false;
  for (bool more = true; more && !found; more = cursor_next(&cursor, true)) {
    TSNode n = ts_tree_cursor_current_node(&cursor), declaration;
    struct slice word = source_slice(s, n);
    found = node_is(n, "field_identifier") && word.size == name.size &&
        memcmp(word.data, name.data, name.size) == 0 &&
        node_inside(n, "field_declaration", &declaration);
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

static bool mentions_is_member(TSNode function) {
  TSNode class, declarator = node_child(function, "function_declarator");
  return node_inside(function, "field_declaration_list", &class) ||
      (!ts_node_is_null(declarator) &&
       node_is(ts_node_named_child(declarator, 0), "qualified_identifier"));
}

// True if N names another object with the kernel's name: a variable, an argument, a
// member.
static bool mentions_is_hidden(const struct source *s, TSNode n) {
  TSNode around = n;
  struct slice name = source_slice(s, n);
  while (node_inside(around, "function_definition", &around))
    if (mentions_declares(s, around, name) ||
        (mentions_is_member(around) && has_field(s, name)))
      return true;
  return false;
}

static bool mentions_begins(struct slice word, const char *prefix) {
  size_t n = strlen(prefix);
  return word.size >= n && memcmp(word.data, prefix, n) == 0;
}

// Returns the call with N among its arguments, through casts only; null: none.
static TSNode call_with(const struct source *s, TSNode n) {
  TSNode list;
  for (;;) {
    if (!node_inside(n, "argument_list", &list))
      return list;
    TSNode call = ts_node_parent(list);
    struct slice name = ts_node_is_null(call) ? (struct slice){ "", 0 } : called(s, call);
    if (name.size < 5 || memcmp(name.data + name.size - 5, "_cast", 5) != 0)
      return call;
    n = call;
  }
}

static void check_use(struct finder *f, TSNode n, const struct kernel *k,
                      const struct callee *c) {
  TSNode call = call_with(f->s, n), list;
  struct slice name = { "", 0 };
  if (!ts_node_is_null(call) && node_is(call, "call_expression"))
    name = called(f->s, call);
  if (mentions_begins(name, "cudaFunc") || mentions_begins(name, "cudaOccupancy") ||
      slice_is(name, "cudaLaunchKernel"))
    return; // its attributes, and launches that add_runtime has found
  const char *hint =
      arena_printf("launch it by its name: %s<<<grid, block>>>(…)", k->main.name);
  bool full = !(cxx_of(k)->n_params && node_inside(n, "template_argument_list", &list));
  if (slice_is(name, "cudaLaunchKernelEx") && full && pointers_address(f, k, c)) {
    pointers_runtime(f, name);
    return;
  }
  if (mentions_begins(name, "cudaLaunch")) {
    diag_warning(f->s, ts_node_start_byte(call), name.size,
                 "launches by <<<…>>>, cudaLaunchKernel and cudaLaunchKernelEx are",
                 "this launch of '%s' is not tuned: '%.*s' runs it as written",
                 k->main.name, (int)name.size, name.data);
    cuda_of(k)->untuned = true;
    return;
  }
  if (full && pointers_address(f, k, c))
    return;
  if (name.size)
    diag_error(f->s, ts_node_start_byte(n), ts_node_end_byte(n) - ts_node_start_byte(n),
               hint,
               "the kernel '%s' is passed to '%.*s': launches from there cannot be tuned",
               k->main.name, (int)name.size, name.data);
  else
    launch_refuse(f, n, hint,
                  "the address of the kernel '%s' is taken: launches through "
                  "it cannot be tuned",
                  k);
}

void mention_check(struct finder *f, TSNode identifier) {
  TSNode n = whole_name(identifier), parent = ts_node_parent(n);
  struct callee c;
  if (!callee_of(f->s, n, &c) || ts_node_is_null(parent))
    return;
  int k = kernel_called(f, &c, identifier);
  if (k == CALLED_UNCLEAR)
    k = kernel_meant(f, &c);
  const char *end = f->s->text + f->s->size,
             *behind = f->s->text + ts_node_end_byte(identifier);
  if (k >= 0 && chevrons_follow((struct lexer){ behind, end, false }))
    return; // a launch, even if the tree shows none: mentions_check_text
  bool call = node_is(parent, "call_expression") &&
      ts_node_eq(ts_node_child(parent, 0), n);
  if (k < 0 || call || is_declarator(parent, n) || mentions_is_hidden(f->s, identifier))
    return;
  static const char *const harmless[] = { "using_declaration",  "decltype",
                                          "sizeof_expression",  "preproc_defined",
                                          "preproc_params",     "friend_declaration",
                                          "alignof_expression", NULL };
  if (slice_in(slice_of(ts_node_type(parent)), harmless))
    return;
  check_use(f, n, &f->kernels[k], &c);
}

// ---- launches that the tree does not show -------------------------------------------

// Returns the kernel that WORD names. NAME is the beginning of WORD's namespaces; the
// name ends where WORD does.
static int kernel_word_at(const struct finder *f, const char *name, struct slice word) {
  size_t size = (size_t)(word.data + word.size - name);
  return kernel_meant(f, &(struct callee){ .name = { name, size }, .last = word });
}

// Lets the launch of kernel K in the body of MACRO, which L goes on with after its WORD,
// find the kernel by its address. RUNTIME: the function of the runtime that launches it;
// or empty. False: it cannot.
static bool macro_by_pointer(struct finder *f, struct slice macro, struct slice word,
                             int k, struct lexer l, struct slice runtime) {
  struct callee c = { .name = word, .last = word };
  if (chevrons_follow(l))
    return pointers_launch(f, word.data, word, k, l.end);
  if (cxx_of(&f->kernels[k])->n_params ||
      (runtime.size && !slice_is(runtime, "cudaLaunchKernel")))
    return false;
  if (runtime.size)
    pointers_runtime(f, runtime);
  else
    names_put(&f->alias_macros, macro);
  return pointers_address(f, &f->kernels[k], &c);
}

// Diagnoses a kernel in the body of a `#define`, where nothing can be rewritten: another
// name for a kernel, or a launch.
static void check_macro(struct finder *f, struct lexer line) {
  struct slice macro = lex(&line).text, params = { line.p, 0 };
  if (line.p < line.end && *line.p == '(')
    params.size = (size_t)(skip_brackets(&line) - params.data);
  const char *body = line.p;
  struct slice runtime = { 0 };
  for (struct token t; (t = lex(&line)).kind != TOKEN_END;) {
    int k = t.kind == TOKEN_WORD ? kernel_word_at(f, t.text.data, t.text) : -1;
    runtime = mentions_begins(t.text, "cudaLaunch") ? t.text : runtime;
    struct lexer rest = line;
    bool alone = slice_trim((struct slice){ body, (size_t)(line.end - body) }).size ==
        t.text.size;
    if (k < 0 ||
        !(chevrons_follow(line) || runtime.size ||
          (alone && lex(&rest).kind == TOKEN_END)))
      continue;
    bool own = false;
    struct lexer p = lexer_of(params);
    for (struct token q; (q = lex(&p)).kind != TOKEN_END;)
      own = own || slice_is(q.text, f->kernels[k].main.name);
    if (own || macro_by_pointer(f, macro, t.text, k, line, runtime))
      continue;
    diag_error(
        f->s, (size_t)(t.text.data - f->s->text), t.text.size,
        "let the macro be a function, or write the launch out",
        "the macro '%.*s' launches the kernel '%s': a launch in a #define cannot be tuned",
        (int)macro.size, macro.data, f->kernels[k].main.name);
    return;
  }
}

// True if the name at AT is in a launch that the tree shows, also if that is of another
// kernel.
static bool mentions_covered(const struct finder *f, size_t at) {
  for (unsigned i = 0; i < f->n; i++) {
    const struct launch *l = &f->all[i];
    const char *p = f->s->text + at;
    if ((l->kernel >= 0 && at >= l->start && at < l->end) ||
        (p >= l->callee.data && p < l->callee.data + l->callee.size))
      return true;
  }
  return false;
}

static struct slice statement_at(const char *p, const char *end) {
  const char *semicolon = memchr(p, ';', (size_t)(end - p));
  return (struct slice){ p, (size_t)((semicolon ? semicolon : end) - p) };
}

// Diagnoses launches in text that the grammar could not parse, and in macros.
void mentions_check_text(struct finder *f) {
  const char *end = f->s->text + f->s->size;
  struct lexer l = { f->s->text, end, true }, line;
  const char *name = NULL; // the beginning of `a::b::k`
  unsigned colons = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (t.first && slice_is(t.text, "#")) {
      if (lex_directive(&l, &line) == LINE_DEFINE)
        check_macro(f, line);
      continue;
    }
    size_t at = (size_t)(t.text.data - f->s->text);
    if (t.kind != TOKEN_WORD) {
      colons = slice_is(t.text, ":") ? colons + 1 : 0;
      continue;
    }
    name = name && colons == 2 ? name : t.text.data;
    colons = 0;
    int k = kernel_word_at(f, name, t.text);
    if (k >= 0 && chevrons_follow(l) && !mentions_covered(f, at) &&
        !pointers_launch(f, name, t.text, k, end))
      diag_error(f->s, at, t.text.size,
                 launch_unparsed_hint(statement_at(t.text.data, end)),
                 "this launch of '%s' could not be parsed", f->kernels[k].main.name);
  }
}
