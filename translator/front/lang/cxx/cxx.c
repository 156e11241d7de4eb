// SPDX-License-Identifier: Apache-2.0
// cxx.c: C++ as a language: the head of a kernel, the passes. What is not supported is a
// warning at the pragma, and the kernel stays as written.
#include "cxx.h"

#include <ctype.h>
#include <string.h>

#include "front/analysis/analysis.h"
#include "front/emit/emit.h"
#include "front/lang/language.h"
#include "front/statement/statement.h"

const TSLanguage *tree_sitter_cuda(void); // its grammar contains C++'s

// ---- syntax --------------------------------------------------------------------------

static void cxx_skip_template(struct lexer *l) {
  struct lexer ahead = *l;
  if (slice_is(lex(&ahead).text, "template") && cut_skip_angles(&ahead))
    *l = ahead;
}

static bool cxx_goes_on_after(struct slice before) {
  return slice_is(before, ">") || (before.size && *before.data == '"'); // extern "C"
}

// ---- the head of a kernel -----------------------------------------------------------

// Returns the function's declarator, which may be that of a pointer's target.
static TSNode cxx_declarator(TSNode function) {
  TSNode n = node_field(function, "declarator");
  while (!ts_node_is_null(n) && !node_is(n, "function_declarator"))
    n = ts_node_named_child(n, 0);
  return n;
}

static bool cxx_find_name(const struct source *s, struct function *f,
                          TSNode *declarator) {
  TSNode n = *declarator = cxx_declarator(f->node);
  TSNode name = ts_node_is_null(n) ? n : ts_node_named_child(n, 0);
  if (!ts_node_is_null(name) &&
      (node_is(name, "identifier") || node_is(name, "field_identifier"))) {
    struct slice word = source_slice(s, name);
    f->name = arena_copy(word.data, word.size);
    f->name_at = ts_node_start_byte(name);
    return true;
  }
  if (ts_node_is_null(name))
    return cxx_refuse(s, f->node, "write its name and parentheses without a macro",
                      "its header is not of the form `type name(arguments)`");
  if (node_is(name, "template_function"))
    return cxx_refuse(
        s, name,
        "put the pragma on the template itself: each instantiation is tuned alone",
        "it is a specialisation");
  if (node_is(name, "qualified_identifier"))
    return cxx_refuse(s, name, "define it within its namespace or class",
                      "it is defined outside of its namespace or class");
  return cxx_refuse(s, name, "call a free function from it, and put the pragma there",
                    "it is an operator or a destructor");
}

// Returns the names of the classes around N: "A::B".
static struct slice cxx_classes(const struct source *s, TSNode n) {
  const char *path = "";
  TSNode list;
  while (node_inside(n, "field_declaration_list", &list)) {
    n = ts_node_parent(list);
    struct slice name = source_slice(s, node_field(n, "name"));
    path = arena_printf("%.*s%s%s", (int)name.size, name.data, *path ? "::" : "", path);
  }
  return slice_of(path);
}

// Sets the result of K, written in HEAD or, after `auto`, in TAIL.
static void cxx_read_result(struct slice head, struct slice tail, struct kernel *k) {
  struct text out = { 0 };
  struct lexer l = lexer_of(head);
  text_add(&out, "", 0);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (word_of_cplusplus(t.text) & WORD_ATTRIBUTE) {
      skip_brackets(&l);
    } else if (slice_is(t.text, "[")) {
      l.p = t.text.data;
      skip_brackets(&l);
    } else if (slice_is(t.text, "static")) {
      k->is_static = true;
    } else if (t.kind != TOKEN_STRING && !slice_is(t.text, "extern") &&
               !slice_is(t.text, "inline") && !slice_is(t.text, "__inline") &&
               !slice_is(t.text, "__inline__")) {
      bool joined = slice_is(t.text, ":") || (out.size && out.data[out.size - 1] == ':');
      text_printf(&out, "%s%.*s", out.size && !joined ? " " : "", (int)t.text.size,
                  t.text.data);
    }
  }
  struct slice result = { out.data, out.size };
  const char *arrow = memmem(tail.data, tail.size, "->", 2);
  if (slice_is(result, "auto") && arrow)
    result = slice_trim(
        (struct slice){ arrow + 2, (size_t)(tail.data + tail.size - arrow) - 2 });
  k->result = result;
  k->returns = !slice_is(result, "void");
}

// Diagnoses what a kernel's head may not have.
static bool cxx_check_head(const struct source *s, const struct function *f,
                           TSNode declarator, const struct kernel *k) {
  struct slice head = { s->text + f->start, f->name_at - f->start };
  TSNode name = ts_node_named_child(declarator, 0), template;
  if (lex_mentions(head, slice_of("constexpr")) ||
      lex_mentions(head, slice_of("consteval")))
    return cxx_refuse(s, name, "leave `constexpr` out", "it is constexpr");
  if (cxx_in_class(f->node) && !k->is_static)
    return cxx_refuse(s, name, "let it be static, or a free function",
                      "it is a member function that is not static");
  if (cxx_in_class(f->node) && node_inside(f->node, "template_declaration", &template))
    return cxx_refuse(s, name, "let it be a free function",
                      "it is a template in a class, or a member of one");
  if (memchr(k->result.data, '&', k->result.size) ||
      lex_mentions(k->result, slice_of("auto")))
    return cxx_refuse(s, name, "return a value of a named type, or nothing",
                      "it returns a reference or `auto`");
  for (unsigned i = 0; i < k->n_args; i++)
    if (memmem(k->args[i].text.data, k->args[i].text.size, "&&", 2))
      return cxx_refuse(
          s, name, "pass it by value or as `&`",
          arena_printf("its argument '%s' is an rvalue reference", k->args[i].name));
  return true;
}

static bool cxx_signature_read(const struct source *s, struct function *f,
                               struct kernel *k) {
  TSNode declarator;
  k->own = arena_alloc(sizeof(struct cxx_kernel));
  cxx_of(k)->start = f->start;
  f->start = ts_node_start_byte(f->node);
  if (!cxx_find_name(s, f, &declarator))
    return false;
  size_t tail = ts_node_end_byte(node_child(declarator, "parameter_list"));
  cxx_read_result((struct slice){ s->text + f->start, f->name_at - f->start },
                  (struct slice){ s->text + tail, f->body_at - tail }, k);
  cxx_of(k)->namespaces = cxx_namespaces(s, f->node);
  cxx_kernel_of(k)->classes = cxx_classes(s, f->node);
  return cxx_read_template(s, f, cxx_of(k)) && cxx_read_params(s, declarator, k) &&
      cxx_check_head(s, f, declarator, k);
}

// ---- passes --------------------------------------------------------------------------

static bool cxx_same_scope(const struct kernel *a, const struct kernel *b) {
  return slices_same(cxx_of(a)->namespaces, cxx_of(b)->namespaces) &&
      slices_same(cxx_kernel_of(a)->classes, cxx_kernel_of(b)->classes);
}

const char *cxx_scope(const struct kernel *k) {
  struct slice spaces = cxx_of(k)->namespaces, classes = cxx_kernel_of(k)->classes;
  return arena_printf("%.*s%s%.*s%s", (int)spaces.size, spaces.data,
                      spaces.size ? "::" : "", (int)classes.size, classes.data,
                      classes.size ? "::" : "");
}

static bool cxx_refuse_baking(const struct translation *t) {
  const struct pragma *p = &t->pragmas[0];
  diag_error(t->s, p->offset, p->end - p->offset,
             "ship wisdom, and run with AUTOTUNE_MODE=locked",
             "kernels of C++ cannot be baked");
  return false;
}

// True if the build's standard is older than the generated text, which is C++11.
static bool is_old_standard(const struct compile_options *o) {
  bool old = false;
  for (const char *const *a = o->args; a && *a; a++)
    if (strncmp(*a, "-std=", 5) == 0 || strcmp(*a, "-ansi") == 0)
      old = strstr(*a, "++98") || strstr(*a, "++03") || strcmp(*a, "-ansi") == 0;
  return old;
}

struct cxx_builds {
  const struct translation *t;
  const char **compilers;
  struct expansion **expansions;
  unsigned n;
};

static struct expansion *cxx_expansion(struct cxx_builds *b, const struct kernel *k,
                                       const char *compiler) {
  for (unsigned i = 0; i < b->n; i++)
    if (strcmp(b->compilers[i], compiler) == 0)
      return b->expansions[i];
  const struct translation *t = b->t;
  struct expansion *x = expand_file(t->s, t->kernels, t->n_kernels, compiler, t->o);
  const struct pragma *p = k->main.pragma;
  unsigned n = b->n;
  if (!x)
    diag_error(t->s, p->offset, p->end - p->offset, NULL,
               "'%s' cannot preprocess this file", compiler);
  *GROW(b->compilers, b->n) = compiler;
  *GROW(b->expansions, n) = x;
  return x;
}

// Sets *U to the unit of R for COMPILER, which gets all headers of the system if it does
// not compile otherwise. Returns an error; NULL: there is none.
static const char *cxx_unit(struct cxx_reach *r, const char *named, const char *compiler,
                            const struct compile_options *o, struct unit *u) {
  bool template = cxx_of(r->k)->n_params > 0, tried = strcmp(compiler, "clang") == 0;
  const char *error = NULL;
  for (unsigned i = 0; i < 2 && (i == 0 || error); i++) {
    r->whole = i > 0 || !tried;
    *u = cxx_unit_build(r, o);
    u->compiler = named;
    if (!template)
      cxx_unit_enter(r, u);
    const char *again = tried ? cxx_trial(r->k, u, o) : NULL;
    error = again && error ? error : again; // the first says more
  }
  if (template)
    cxx_unit_enter(r, u);
  return error;
}

// Returns the units of K, and sets *REACH. NULL: K stays as written.
static struct unit *cxx_units(struct cxx_builds *b, struct kernel *k,
                              struct cxx_reach **reach) {
  const struct translation *t = b->t;
  const struct pragma *p = k->main.pragma;
  struct unit *units = arena_alloc(k->n_compilers * sizeof *units);
  if (is_old_standard(t->o)) {
    diag_untuned(t->s, p->offset, p->end - p->offset, "build with -std=c++11 or later",
                 "'%s' is not tuned: the standard of this build is older than C++11",
                 k->main.name);
    return NULL;
  }
  for (unsigned i = 0; i < k->n_compilers; i++) {
    const char *compiler = k->compilers[i];
    if (t->o->run && !slice_in(slice_of(compiler), t->o->run))
      compiler = "clang"; // `autotune check` runs no program that only a source names
    const struct expansion *x = cxx_expansion(b, k, compiler);
    if (!x || !expand_function(x, &k->main)) {
      k->left_out = x != NULL;
      return NULL;
    }
    if (i == 0) {
      adopt_headers(k, x);
      adopt_options(k, t->o);
    }
    struct cxx_reach *r = cxx_reach(t->s, k, x);
    *reach = i ? *reach : r;
    if (r->refused)
      return NULL;
    if (i == 0) {
      reschedule_find(t->s, k, x);
      chain_find(t->s, k, x);
    }
    const char *error = cxx_unit(r, k->compilers[i], compiler, t->o, &units[i]);
    if (!error && constants_any(k) && kept_recurses(&units[i], k->main.name)) {
      constants_drop(k);
      error = cxx_unit(r, k->compilers[i], compiler, t->o, &units[i]);
    }
    k->openmp |= units[i].openmp;
    if (error) {
      diag_untuned(t->s, p->offset, p->end - p->offset, NULL,
                   "'%s' is not tuned: what it uses does not compile on its own: %s",
                   k->main.name, error);
      return NULL;
    }
    if (i == 0) {
      short_check(t->s, k, x);
      unwritten_check(t->s, k, x);
      carried_check(t->s, k, x);
      names_check_used(t->s, k, (struct slice){ units[i].text.data, units[i].text.size });
    }
  }
  return units;
}

// True if K was a statement, and is a template now: only its call shows whether it
// compiles.
static bool cxx_is_deduced(const struct source *s, const struct kernel *k) {
  bool outlined = false;
  for (unsigned i = 0; i < s->n_outlined; i++)
    outlined = outlined || strcmp(s->outlined[i].name, k->main.name) == 0;
  return outlined && cxx_of(k)->n_params > 0;
}

// Sets `refused` of such kernels if the file does not compile with them.
static void cxx_try_deduced(struct cxx_builds *b) {
  const struct translation *t = b->t;
  const char *error = NULL;
  bool tried = false;
  for (unsigned i = 0; i < t->n_kernels; i++) {
    struct kernel *k = &t->kernels[i];
    const struct pragma *p = k->main.pragma;
    if (!cxx_is_deduced(t->s, k))
      continue;
    const struct expansion *x = cxx_expansion(b, k, "clang");
    if (!tried && x)
      error = cxx_trial_file(t->kernels, t->n_kernels, x, t->o);
    tried = true;
    k->refused = error != NULL;
    if (error)
      diag_untuned(t->s, p->offset, p->end - p->offset, "put the loop into a function",
                   "'%s' is not tuned: as a function it does not compile: %s",
                   k->main.name, error);
  }
}

static bool cxx_translate(struct translation *t, struct text *out) {
  struct cxx_builds b = { .t = t };
  if (t->o->baking)
    return cxx_refuse_baking(t);
  if (diag_errors() != t->errors)
    return false;
  struct unit **units = arena_alloc((t->n_kernels + 1) * sizeof *units);
  struct cxx_reach **reaches = arena_alloc((t->n_kernels + 1) * sizeof *reaches);
  for (unsigned i = 0; i < t->n_kernels; i++)
    adopt_options(&t->kernels[i], t->o);
  cxx_try_deduced(&b);
  for (unsigned i = 0; i < t->n_kernels; i++) {
    struct kernel *k = &t->kernels[i];
    if (!k->key_given)
      classify_key(k);
    constants_check(t->s, k);
    units[i] = k->refused ? NULL : cxx_units(&b, k, &reaches[i]);
    k->refused = !units[i] && !k->left_out;
  }
  if (out && diag_errors() == t->errors)
    cxx_emit(t->s, t->pragmas, t->n_pragmas, t->kernels, t->n_kernels,
             b.n ? b.expansions[0] : NULL, reaches, units, t->o, out);
  return diag_errors() == t->errors;
}

static const char *const cxx_suffixes[] = { ".cpp", ".cc",  ".cxx", ".C",
                                            ".cp",  ".c++", ".CPP", NULL };
static const char *const cxx_headers[] = { ".hpp", ".hh", ".hxx", ".H", NULL };
static const char *const cxx_options[] = { "c++", NULL };

const struct language language_cxx = {
  .name = "C++",
  .suffixes = cxx_suffixes,
  .headers = cxx_headers,
  .options = cxx_options,
  .compiler = "clang",
  .cplusplus = true,
  .plain = &language_c,
  .late_keys = true,
  .grammar = tree_sitter_cuda,
  .skip_head = cxx_skip_template,
  .goes_on_after = cxx_goes_on_after,
  .signature_read = cxx_signature_read,
  .signature_same = cxx_signature_same,
  .scope = cxx_scope,
  .same_scope = cxx_same_scope,
  .flags_check = values_check_flags,
  .loops_check = loops_check,
  .outline = statements_outline,
  .instances = cxx_instances,
  .translate = cxx_translate,
};
