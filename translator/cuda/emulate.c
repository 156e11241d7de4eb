// SPDX-License-Identifier: Apache-2.0
// emulate.c: translated CUDA C++ as C++ for the CPU. All of it but two things is made by macros and templates of
// the emulator's headers (emulator/include):
//
//   k<T><<<g, b>>>(x)               ::autotune_emulate::launch(k<T>, g, b)(x)
//   extern __shared__ float t[];    AUTOTUNE_EMULATE_DYNAMIC(t, float);
//
// Every line stays where it was, but that cuda_runtime.h comes first, as nvcc has it.
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

struct edit { size_t offset, size; const char *text; };   // SIZE bytes at OFFSET become TEXT
struct generic { struct slice name; unsigned n; };        // a __global__ template, and its parameters
struct emulation {
  struct source *s;                 // with blanks for what the grammar does not know
  struct edit *edits; unsigned n_edits;
  struct generic *generics; unsigned n_generics;
};

static void edit(struct emulation *e, size_t offset, size_t size, const char *text)
{
  *GROW(e->edits, e->n_edits) = (struct edit){ offset, size, text };
}

// ---- extern __shared__ ----

static size_t at(const struct emulation *e, struct slice s)
{
  return (size_t)(s.data - e->s->text);
}

// `__align__(16)`, which the grammar takes for a declarator, becomes blanks in TEXT.
static void blank_group(char *text, const char *from, struct lexer *l)
{
  struct lexer ahead = *l;
  if (!slice_is(lex(&ahead).text, "("))
    return;
  skip_brackets(l);
  for (char *p = text; from < l->p; from++, p++)
    if (*p != '\n')
      *p = ' ';
}

static char *without_attributes(const char *text, size_t size)
{
  char *copy = arena_copy(text, size);
  struct lexer l = lexer_of((struct slice){ text, size });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (slice_is(t.text, "__align__") || slice_is(t.text, "alignas") || slice_is(t.text, "__launch_bounds__"))
      blank_group(copy + (t.text.data - text), t.text.data, &l);
  return copy;
}

static bool ends_declarator(struct token t)
{
  static const char *const ends[] = { "[", ";", "{", "(", "=", ")", "}" };
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
    if (slice_is(t.text, ends[i]))
      return true;
  return t.kind == TOKEN_END || t.kind == TOKEN_STRING;
}

// FIRST, which is `extern`, was read. If it begins a declaration of one array in dynamic shared memory, that is
// rewritten.
static void rewrite_shared(struct emulation *e, struct slice first, struct lexer l)
{
  struct text out = { 0 }, type = { 0 };
  struct slice name = { "", 0 };
  struct token t;
  bool shared = false;
  text_add(&type, "", 0);
  while (!ends_declarator(t = lex(&l))) {
    if (slice_is(t.text, "__shared__")) {
      shared = true;
      continue;
    }
    text_printf(&type, "%.*s ", (int)name.size, name.data);
    name = t.text;
  }
  if (!shared || !slice_is(t.text, "[") || !slice_is(lex(&l).text, "]") ||
      !slice_is((t = lex(&l)).text, ";"))
    return;
  struct slice words = slice_trim((struct slice){ type.data, type.size });
  text_printf(&out, "AUTOTUNE_EMULATE_DYNAMIC(%.*s, %.*s);", (int)name.size, name.data, (int)words.size,
              words.data);
  size_t start = at(e, first), end = at(e, t.text) + 1;
  for (size_t i = start; i < end; i++)
    if (e->s->text[i] == '\n')
      text_add(&out, "\n", 1);
  edit(e, start, end - start, out.data);
}

static void find_shared(struct emulation *e)
{
  struct lexer l = lexer_of((struct slice){ e->s->text, e->s->size });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (slice_is(t.text, "extern"))
      rewrite_shared(e, t.text, l);
}

// ---- launches ----

static TSNode child_of(TSNode n, const char *type)
{
  for (uint32_t i = 0; i < ts_node_child_count(n); i++)
    if (node_is(ts_node_child(n, i), type))
      return ts_node_child(n, i);
  return (TSNode){ 0 };
}

static void find_generics(struct emulation *e, TSNode n)
{
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    find_generics(e, ts_node_named_child(n, i));
  if (!node_is(n, "template_declaration"))
    return;
  struct slice text = source_slice(e->s, n);
  TSNode list = ts_node_child_by_field_name(n, "parameters", 10);
  struct lexer l = lexer_of(text);
  bool global = false;
  for (struct token t, last = { 0 }; (t = lex(&l)).kind != TOKEN_END; last = t) {
    global |= slice_is(t.text, "__global__");
    if (slice_is(t.text, "{") || slice_is(t.text, ";"))
      return;
    if (global && slice_is(t.text, "(")) {
      *GROW(e->generics, e->n_generics) = (struct generic){ last.text, ts_node_named_child_count(list) };
      return;
    }
  }
}

// Are template arguments of the kernel at CALLEE left to be deduced?
static bool deduces(const struct emulation *e, TSNode callee)
{
  unsigned given = 0;
  TSNode name = callee;
  while (node_is(name, "qualified_identifier") && ts_node_named_child_count(name))
    name = ts_node_named_child(name, ts_node_named_child_count(name) - 1);
  if (node_is(name, "template_function")) {
    given = ts_node_named_child_count(child_of(name, "template_argument_list"));
    name = ts_node_named_child(name, 0);
  }
  struct slice text = source_slice(e->s, name);
  for (unsigned i = 0; i < e->n_generics; i++)
    if (e->generics[i].name.size == text.size && !memcmp(e->generics[i].name.data, text.data, text.size))
      return given < e->generics[i].n;
  return false;
}

static void find_launches(struct emulation *e, TSNode n)
{
  TSNode config;
  if (node_is(n, "call_expression") && !ts_node_is_null(config = child_of(n, "kernel_call_syntax"))) {
    TSNode callee = ts_node_child(n, 0);
    size_t start = ts_node_start_byte(callee), open = ts_node_start_byte(config), close = ts_node_end_byte(config);
    bool lambda = deduces(e, callee);
    edit(e, start, 0, lambda ? "::autotune_emulate::launch([](auto... autotune_a) { "
                             : "::autotune_emulate::launch(");
    edit(e, open, 3, lambda ? "(autotune_a...); }, " : ", ");
    edit(e, close - 3, 3, ")");
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    find_launches(e, ts_node_named_child(n, i));
}

// ---- the whole ----

static int by_offset(const void *a, const void *b)
{
  const struct edit *x = a, *y = b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

// Requires text that emit.c made, or a file without kernels of ours; leaves no chevrons.
void cuda_emulate(const char *path, const struct text *in, struct text *out)
{
  char *known = without_attributes(in->data, in->size);
  struct emulation e = { .s = source_of(path, known, in->size) };
  size_t done = 0;
  e.s->cuda = true;
  source_parse(e.s);
  TSNode root = ts_tree_root_node(e.s->tree);
  find_shared(&e);
  find_generics(&e, root);
  find_launches(&e, root);
  text_printf(out, "#include <cuda_runtime.h>\n#line 1 \"%s\"\n", path);
  qsort(e.edits, e.n_edits, sizeof *e.edits, by_offset);
  for (unsigned i = 0; i < e.n_edits; i++) {
    text_add(out, in->data + done, e.edits[i].offset - done);
    text_add(out, e.edits[i].text, strlen(e.edits[i].text));
    done = e.edits[i].offset + e.edits[i].size;
  }
  text_add(out, in->data + done, in->size - done);
}
