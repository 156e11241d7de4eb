// SPDX-License-Identifier: Apache-2.0
// launches.c: every launch of a file, and each other mention of an annotated kernel: a launch that nobody sees would
// never be tuned.
#include <string.h>

#include "cuda.h"

struct finder {
  const struct source *s;
  const struct kernel *kernels; unsigned n_kernels;
  struct launch *all; unsigned n;
};

// ---- names ----

// `ns::k<float, 16>` taken apart.
struct callee {
  struct slice name;          // "ns::k", as written
  struct slice last;          // "k"
  struct slice template_args; // "float, 16"
};

static TSNode child_of(TSNode n, const char *type)
{
  for (uint32_t i = 0; i < ts_node_child_count(n); i++)
    if (node_is(ts_node_child(n, i), type))
      return ts_node_child(n, i);
  return (TSNode){ 0 };
}

static struct slice inside_of(const struct source *s, TSNode brackets)
{
  size_t start = ts_node_start_byte(brackets) + 1, end = ts_node_end_byte(brackets) - 1;
  return slice_trim((struct slice){ s->text + start, end > start ? end - start : 0 });
}

static bool callee_of(const struct source *s, TSNode n, struct callee *c)
{
  size_t start = ts_node_start_byte(n), end = ts_node_end_byte(n);
  *c = (struct callee){ 0 };
  while (node_is(n, "qualified_identifier")) {
    uint32_t count = ts_node_named_child_count(n);
    if (count == 0)
      return false;
    n = ts_node_named_child(n, count - 1);
  }
  if (node_is(n, "template_function")) {
    TSNode list = child_of(n, "template_argument_list");
    c->template_args = inside_of(s, list);
    end = ts_node_start_byte(list);
    n = ts_node_named_child(n, 0);
  }
  c->last = source_slice(s, n);
  c->name = slice_trim((struct slice){ s->text + start, end - start });
  return node_is(n, "identifier");
}

// Is WHOLE "a::b::k" or shorter, seen from its end: "b::k", "k"? A leading :: is of no matter.
static bool names_kernel(struct slice name, const struct kernel *k)
{
  struct slice spaces = k->cuda->namespaces;
  const char *whole = spaces.size ? arena_printf("::%.*s::%s", (int)spaces.size, spaces.data, k->main.name)
                                  : arena_printf("::%s", k->main.name);
  struct text plain = { 0 };
  text_add(&plain, "", 0);
  struct lexer l = lexer_of(name);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    text_add(&plain, t.text.data, t.text.size);
  const char *p = plain.data;
  size_t n = strlen(whole);
  if (strncmp(p, "::", 2) == 0)
    return strcmp(p, whole) == 0;
  return plain.size + 2 <= n && strcmp(whole + n - plain.size, p) == 0 &&
         memcmp(whole + n - plain.size - 2, "::", 2) == 0;
}

static int kernel_named(const struct finder *f, struct slice name)
{
  for (unsigned i = 0; i < f->n_kernels; i++)
    if (names_kernel(name, &f->kernels[i]))
      return (int)i;
  return -1;
}

// ---- k<<<…>>>(…) ----

static void add_chevrons(struct finder *f, TSNode call, TSNode config)
{
  struct callee c;
  struct launch l = { .start = ts_node_start_byte(call), .end = ts_node_end_byte(call), .kernel = -1 };
  TSNode args = child_of(call, "argument_list");
  if (callee_of(f->s, ts_node_child(call, 0), &c))
    l.kernel = kernel_named(f, c.name);
  else
    c.name = source_slice(f->s, ts_node_child(call, 0));
  l.callee = c.name;
  l.template_args = c.template_args;
  for (uint32_t i = 0; i < ts_node_named_child_count(config) && l.n_config < 4; i++)
    if (!node_is(ts_node_named_child(config, i), "comment"))
      l.config[l.n_config++] = source_slice(f->s, ts_node_named_child(config, i));
  l.args = inside_of(f->s, args);
  *GROW(f->all, f->n) = l;
}

static void find(struct finder *f, TSNode n)
{
  TSNode config;
  if (node_is(n, "call_expression") && !ts_node_is_null(config = child_of(n, "kernel_call_syntax")))
    add_chevrons(f, n, config);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    find(f, ts_node_named_child(n, i));
}

struct launch *cuda_launches(const struct source *s, const struct kernel *kernels, unsigned n_kernels,
                             unsigned *n)
{
  struct finder f = { .s = s, .kernels = kernels, .n_kernels = n_kernels };
  find(&f, ts_tree_root_node(s->tree));
  *n = f.n;
  return f.all;
}
