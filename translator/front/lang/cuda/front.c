// SPDX-License-Identifier: Apache-2.0
// front.c: checks the kernels of a .cu file for errors that only C++ and CUDA allow.
#include <string.h>

#include "front/reach/unit.h"
#include "items.h"

// ---- loop directives ----------------------------------------------------------------

bool cuda_directives_check(const struct source *s, const struct pragma *pragmas,
                           unsigned n, const struct function *f) {
  bool fine = true;
  for (unsigned i = 0; i < n; i++) {
    const struct pragma *p = &pragmas[i];
    if (p->kind != PRAGMA_LOOP || p->offset < f->body_at || p->offset > f->end ||
        p->directive == DIR_UNROLL)
      continue;
    diag_error(s, p->offset, p->end - p->offset,
               "only 'unroll' is; for the others write the loop with params, as in "
               "`for (int i = 0; i < TILE; i++)`",
               "'%s' is not understood in a CUDA kernel", directive_name(p->directive));
    fine = false;
  }
  return fine;
}

// nvcc expands no macros in `#pragma unroll`, but in _Pragma it does. Repeating the same
// definitions is allowed.
void cuda_unroll(const struct kernel *k, const struct loop_directive *d,
                 struct text *out) {
  const struct dir_arg *factor = NULL;
  for (unsigned i = 0; i < d->n_clauses; i++)
    if (strcmp(d->clauses[i].name, "partial") == 0 && d->clauses[i].n_args)
      factor = &d->clauses[i].args[0];
  if (d->present >= 0)
    text_printf(out, "#if %s\n", k->params[d->present].macro);
  if (factor)
    text_printf(out,
                "#define AUTOTUNE_PRAGMA(x) _Pragma(#x)\n"
                "#define AUTOTUNE_UNROLL(n) AUTOTUNE_PRAGMA(unroll n)\n");
  if (factor && factor->param >= 0)
    text_printf(out, "AUTOTUNE_UNROLL(%s)", k->params[factor->param].macro);
  else if (factor)
    text_printf(out, "AUTOTUNE_UNROLL(%.*s)", (int)factor->text.size, factor->text.data);
  else
    text_printf(out, "#pragma unroll");
  if (d->present >= 0)
    text_printf(out, "\n#endif");
}

static void check_unroll(const struct source *s, const struct kernel *k,
                         const struct loop_directive *d) {
  bool full = false, partial = false;
  for (unsigned i = 0; i < d->n_clauses; i++) {
    const struct dir_clause *c = &d->clauses[i];
    full = full || strcmp(c->name, "full") == 0;
    partial = partial || strcmp(c->name, "partial") == 0;
    for (unsigned j = 0; j < c->n_args; j++) {
      const struct param *p = c->args[j].param >= 0 ? &k->params[c->args[j].param] : NULL;
      long long number = 1;
      bool fits = !p || p->kind == VALUE_INT;
      for (unsigned v = 0; p && fits && v < p->n_values; v++)
        fits = p->values[v].i > 0;
      if (!p && read_integer(c->args[j].text, &number))
        fits = number > 0;
      if (!fits)
        diag_error(s, pragma_offset(d->pragma, c->args[j].text), c->args[j].text.size,
                   NULL, "a loop is unrolled by a positive number");
    }
  }
  if (full && partial)
    diag_error(s, d->pragma->offset, d->pragma->end - d->pragma->offset, NULL,
               "'full' and 'partial' exclude each other");
}

// ---- names of kernels and params elsewhere in the file ------------------------------

// The places of the names of kernels and params, in the order of the file.
struct mentions {
  TSNode *list;
  unsigned n;
};

// Finds all mentions in one walk over the tree, because the tree is large.
static struct mentions mentions_of(const struct source *s, const struct kernel *all,
                                   unsigned n) {
  struct names names = { 0 };
  struct mentions found = { 0 };
  for (unsigned i = 0; i < n; i++) {
    names_put(&names, slice_of(all[i].main.name));
    for (unsigned j = 0; j < all[i].n_params; j++)
      if (all[i].params[j].named)
        names_put(&names, slice_of(all[i].params[j].name));
  }
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(s->tree));
  for (bool more = true; more && names.n; more = cursor_next(&cursor, true)) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    if ((node_is(node, "identifier") || node_is(node, "type_identifier")) &&
        names_has(&names, source_slice(s, node)))
      *GROW(found.list, found.n) = node;
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

// True if N declares its name and a param's macro would replace that: a template's
// parameter, or a constant of the file.
static bool front_is_declared(TSNode n) {
  TSNode parent = ts_node_parent(n);
  if (ts_node_is_null(parent))
    return false;
  return node_is(parent, "parameter_declaration") ||
      node_is(parent, "optional_parameter_declaration") ||
      node_is(parent, "type_parameter_declaration") || node_is(parent, "enumerator") ||
      node_is(parent, "declaration") || node_is(parent, "alias_declaration") ||
      (strstr(ts_node_type(parent), "declarator") &&
       ts_node_eq(ts_node_named_child(parent, 0), n));
}

static void check_hidden(const struct source *s, const struct kernel *k,
                         const struct param *param, const struct mentions *m) {
  for (unsigned i = 0; i < m->n; i++) {
    TSNode n = m->list[i];
    size_t at = ts_node_start_byte(n);
    if (!slice_is(source_slice(s, n), param->name) ||
        (at > k->main.body_at && at < k->main.end) || !front_is_declared(n))
      continue; // names.c diagnoses those within the kernel
    diag_error(
        s, at, strlen(param->name),
        node_is(ts_node_parent(n), "init_declarator")
            ? arena_printf("write '#define %s …' in its place, or give the param another "
                           "name",
                           param->name)
            : "give the param another name",
        "the param '%s' replaces this name too", param->name);
    break;
  }
}

// ---- one name, several kernels ------------------------------------------------------

static unsigned count_params(TSNode declarator) {
  unsigned count = 0;
  for (uint32_t i = 0; i < ts_node_named_child_count(declarator); i++) {
    TSNode list = ts_node_named_child(declarator, i);
    uint32_t n = node_is(list, "parameter_list") ? ts_node_named_child_count(list) : 0;
    for (uint32_t j = 0; j < n; j++)
      count += strstr(ts_node_type(ts_node_named_child(list, j)),
                      "parameter_declaration") != NULL;
  }
  return count;
}

static bool is_kernels_own(const struct kernel *k, size_t at) {
  for (unsigned i = 0; i <= k->n_alternatives; i++)
    if (at == (i ? k->alternatives[i - 1].name_at : k->main.name_at))
      return true;
  return false;
}

// Adds the overload of K at DECLARATOR. False: it cannot be told from K, or has a pragma
// too.
static bool front_overload(const struct source *s, struct kernel *k, TSNode declarator,
                           bool defined, TSNode node, const struct kernel *all,
                           unsigned n) {
  struct overload o = { .defined = defined };
  size_t at = ts_node_start_byte(declarator);
  for (unsigned i = 0; i < n; i++)
    if (all[i].main.name_at == at)
      return false;
  struct cuda_kernel *own = o.as.own = arena_alloc(sizeof *own);
  *own = (struct cuda_kernel){ .block_param = -1 };
  o.as.main.node = node;
  o.end = ts_node_end_byte(node);
  if (!cxx_read_template(s, &o.as.main, &own->cxx) ||
      !cxx_read_params(s, declarator, &o.as))
    return false;
  *GROW(cuda_of(k)->overloads, cuda_of(k)->n_overloads) = o;
  return true;
}

// Diagnoses DECLARATOR, of a __global__ function of K's name, if it declares another
// function than K. In other namespaces that is allowed.
static void check_other(const struct source *s, struct kernel *k, TSNode declarator,
                        TSNode name, const struct kernel *all, unsigned n) {
  TSNode definition = { 0 }, instantiation, declaration;
  size_t at = ts_node_start_byte(name);
  bool specialised = node_is(name, "template_function");
  bool defined = node_inside(declarator, "function_definition", &definition);
  if (is_kernels_own(k, at) ||
      (specialised && node_inside(name, "template_instantiation", &instantiation)))
    return;
  struct slice spaces = cxx_namespaces(s, declarator), own = cxx_of(k)->namespaces;
  if (spaces.size != own.size || memcmp(spaces.data, own.data, own.size) != 0) {
    *GROW(cuda_of(k)->elsewhere, cuda_of(k)->n_elsewhere) = spaces;
    return;
  }
  if (specialised && defined)
    diag_error(s, at, ts_node_end_byte(name) - at, "let it be a kernel of another name",
               "the kernel '%s' is specialised here, so its variants would be wrong",
               k->main.name);
  else if (!specialised && (defined || count_params(declarator) != k->n_args) &&
           !front_overload(s, k, declarator, defined,
                           defined ? definition
                               : node_inside(declarator, "declaration", &declaration)
                               ? declaration
                               : declarator,
                           all, n))
    diag_error(
        s, at, strlen(k->main.name),
        "give one of them another name; what an #if decides goes into one kernel's body",
        "there is a kernel '%s' with a pragma: it cannot be told which of the two is launched",
        k->main.name);
}

static bool is_global(const struct source *s, TSNode declarator) {
  TSNode around = ts_node_parent(declarator);
  struct lexer l = { s->text + ts_node_start_byte(around),
                     s->text + ts_node_start_byte(declarator), false };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (slice_is(t.text, "__global__"))
      return true;
  return false;
}

// Returns the declarator of the function whose name is NAME, `k` or `k<float>`; null:
// NAME is not a function's name.
static TSNode front_declarator_of(TSNode *name) {
  TSNode n = ts_node_parent(*name), none = { 0 };
  if (!ts_node_is_null(n) && node_is(n, "template_function")) {
    *name = n;
    n = ts_node_parent(n);
  }
  bool declares = !ts_node_is_null(n) && node_is(n, "function_declarator") &&
      ts_node_eq(ts_node_named_child(n, 0), *name);
  return declares ? n : none;
}

static void check_others(const struct source *s, struct kernel *k,
                         const struct mentions *m, const struct kernel *all, unsigned n) {
  for (unsigned i = 0; i < m->n; i++) {
    TSNode name = m->list[i];
    if (!slice_is(source_slice(s, name), k->main.name))
      continue;
    TSNode declarator = front_declarator_of(&name);
    if (!ts_node_is_null(declarator) && is_global(s, declarator))
      check_other(s, k, declarator, name, all, n);
  }
}

void cuda_kernels_check(const struct source *s, struct kernel *all, unsigned n) {
  unsigned errors = diag_errors();
  struct mentions m = mentions_of(s, all, n);
  for (unsigned i = 0; i < n && diag_errors() == errors; i++) {
    struct kernel *k = &all[i];
    for (unsigned j = 0; j <= k->n_alternatives; j++) {
      const struct function *f = j ? &k->alternatives[j - 1] : &k->main;
      for (unsigned d = 0; d < f->n_directives; d++)
        check_unroll(s, k, &f->directives[d]);
    }
    for (unsigned j = 0; j < k->n_params; j++)
      if (k->params[j].named)
        check_hidden(s, k, &k->params[j], &m);
    check_others(s, k, &m, all, n);
    if (!k->key_given)
      classify_key(k);
  }
}
