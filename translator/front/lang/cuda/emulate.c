// SPDX-License-Identifier: Apache-2.0
// emulate.c: turns translated CUDA C++ into C++ for the CPU. It rewrites four
// constructs; macros and templates of the emulator's headers (emulator/include) do the
// rest:
//
//   __cluster_dims__(2, 1, 1)       a call at the beginning of the kernel's body
//   k<T><<<g, b>>>(x)               ::autotune_emulate::launch(k<T>, g, b)(x)
//   (void *)k                       (void *)::autotune_emulate::known(k)
//   extern __shared__ float t[];    AUTOTUNE_EMULATE_DYNAMIC(t, float);
//
// Lines keep their numbers. cuda_runtime.h is included first, as nvcc does.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"
#include "front/include.h"
#include "front/lang/language.h"

struct edit {
  size_t offset, size;
  const char *text;
}; // SIZE bytes at OFFSET become TEXT
struct entry { // a __global__ function
  struct slice name;
  unsigned n_params; // of its template
  bool defaults;     // it has default arguments
};
struct emulation {
  struct source *s; // the text with blanks in place of what the grammar cannot parse
  struct edit *edits;
  unsigned n_edits;
  struct entry *entries;
  unsigned n_entries;
};

static void emulate_edit(struct emulation *e, size_t offset, size_t size,
                         const char *text) {
  *GROW(e->edits, e->n_edits) = (struct edit){ offset, size, text };
}

// ---- extern __shared__ --------------------------------------------------------------

static size_t emulate_at(const struct emulation *e, struct slice s) {
  return (size_t)(s.data - e->s->text);
}

// Replaces `__align__(16)` in TEXT by blanks: the grammar takes it for a declarator.
static void blank_group(char *text, const char *from, struct lexer *l) {
  struct lexer ahead = *l;
  if (!slice_is(lex(&ahead).text, "("))
    return;
  skip_brackets(l);
  for (char *p = text; from < l->p; from++, p++)
    if (*p != '\n')
      *p = ' ';
}

static char *without_attributes(const char *text, size_t size) {
  char *copy = arena_copy(text, size);
  struct lexer l = lexer_of((struct slice){ text, size });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (slice_is(t.text, "__align__") || slice_is(t.text, "alignas") ||
        slice_is(t.text, "__launch_bounds__") || slice_is(t.text, "__cluster_dims__") ||
        slice_is(t.text, "__maxnreg__") || slice_is(t.text, "__attribute__"))
      blank_group(copy + (t.text.data - text), t.text.data, &l);
  return copy;
}

static bool ends_declarator(struct token t) {
  static const char *const ends[] = { "[", ";", "{", "(", "=", ")", "}", NULL };
  return slice_in(t.text, ends) || t.kind == TOKEN_END || t.kind == TOKEN_STRING;
}

// Rewrites a declaration of one array in dynamic shared memory. FIRST, the word `extern`,
// has been read. Other declarations are left alone.
static void rewrite_shared(struct emulation *e, struct slice first, struct lexer l) {
  struct text out = { 0 }, type = { 0 };
  struct slice name = { "", 0 };
  struct token t;
  bool shared = false, word = false;
  text_add(&type, "", 0);
  while (!ends_declarator(t = lex(&l))) {
    if (slice_is(t.text, "__shared__")) {
      shared = true;
      continue;
    }
    text_printf(&type, "%.*s%s", (int)name.size, name.data,
                word && t.kind == TOKEN_WORD ? " " : "");
    word = t.kind == TOKEN_WORD;
    name = t.text;
  }
  if (!shared || !slice_is(t.text, "[") || !slice_is(lex(&l).text, "]") ||
      !slice_is((t = lex(&l)).text, ";"))
    return;
  struct slice words = slice_trim((struct slice){ type.data, type.size });
  text_printf(&out, "AUTOTUNE_EMULATE_DYNAMIC(%.*s, %.*s);", (int)name.size, name.data,
              (int)words.size, words.data);
  size_t start = emulate_at(e, first), end = emulate_at(e, t.text) + 1;
  for (size_t i = start; i < end; i++)
    if (e->s->text[i] == '\n')
      text_add(&out, "\n", 1);
  emulate_edit(e, start, end - start, out.data);
}

static void find_shared(struct emulation *e) {
  struct lexer l = lexer_of((struct slice){ e->s->text, e->s->size });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (slice_is(t.text, "extern"))
      rewrite_shared(e, t.text, l);
}

// ---- launches -----------------------------------------------------------------------

// Requires L after the word `template`. Moves L after the closing `>` and returns the
// number of parameters.
static unsigned template_params(struct lexer *l) {
  unsigned n = 0;
  int depth = 0;
  for (struct token t; (t = lex(l)).kind != TOKEN_END;) {
    depth += slice_is(t.text, "<") - slice_is(t.text, ">") - 2 * slice_is(t.text, ">>");
    n += depth == 1 && (slice_is(t.text, "<") || slice_is(t.text, ","));
    if (depth <= 0)
      break;
  }
  return n;
}

// Requires L after `__global__`. Returns the function's name and moves L to the
// parenthesis that follows. __launch_bounds__ and the like have been blanked.
static struct slice function_name(struct lexer *l) {
  struct slice last = { "", 0 };
  for (struct lexer ahead = *l;; *l = ahead) {
    struct token t = lex(&ahead);
    if (slice_is(t.text, "(") || t.kind == TOKEN_END)
      return last;
    last = t.text;
  }
}

// True if the parameters that begin at L have default arguments.
static bool has_defaults(struct lexer l) {
  struct lexer after = l;
  const char *end = skip_brackets(&after);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END && l.p < end;)
    if (slice_is(t.text, "="))
      return true;
  return false;
}

// Writes the call that says how large the clusters are of each kernel in TEXT, the file
// with its attributes, that has __cluster_dims__ in its head.
static void find_clusters(struct emulation *e, const char *text) {
  struct lexer l = { text, text + e->s->size, true }, rest;
  struct slice group = { "", 0 };
  bool kernel = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    bool body = slice_is(t.text, "{");
    if (t.first && slice_is(t.text, "#")) {
      lex_directive(&l, &rest);
    } else if (slice_is(t.text, "__cluster_dims__")) {
      struct lexer ahead = l;
      const char *from = l.p;
      if (slice_is(lex(&ahead).text, "("))
        group = (struct slice){ from, (size_t)(skip_brackets(&l) - from) };
    } else if (slice_is(t.text, "(")) {
      cut_skip_group(&l); // defaults of parameters may have braces
    } else if (body && kernel && group.size) {
      struct text call = { 0 };
      text_printf(&call, " ::autotune_emulate::clusters%.*s;", (int)group.size,
                  group.data);
      emulate_edit(e, (size_t)(t.text.data - text) + 1, 0, call.data);
    }
    kernel = kernel || slice_is(t.text, "__global__");
    if (body || slice_is(t.text, ";") || slice_is(t.text, "}")) {
      group.size = 0;
      kernel = false;
    }
  }
}

static void find_entries(struct emulation *e) {
  struct lexer l = lexer_of((struct slice){ e->s->text, e->s->size });
  unsigned n_params = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (slice_is(t.text, "template")) {
      n_params = template_params(&l);
    } else if (slice_is(t.text, "__global__")) {
      struct slice name = function_name(&l);
      *GROW(e->entries, e->n_entries) = (struct entry){ name, n_params, has_defaults(l) };
    } else if (slice_is(t.text, ";") || slice_is(t.text, "{") || slice_is(t.text, "}")) {
      n_params = 0;
    }
  }
}

// Returns the name, without its namespaces, of the function that CALLEE (`ns::k<float>`)
// names. *GIVEN is the number of its template arguments.
static struct slice entry_name(const struct emulation *e, TSNode callee,
                               unsigned *given) {
  TSNode name = callee;
  *given = 0;
  while (node_is(name, "qualified_identifier") && ts_node_named_child_count(name))
    name = ts_node_named_child(name, ts_node_named_child_count(name) - 1);
  if (node_is(name, "template_function")) {
    *given = ts_node_named_child_count(node_child(name, "template_argument_list"));
    name = ts_node_named_child(name, 0);
  }
  return source_slice(e->s, name);
}

static bool is_entry(const struct entry *k, struct slice name) {
  return slices_same(k->name, name);
}

static void rewrite_launch(struct emulation *e, TSNode call, TSNode config) {
  TSNode callee = ts_node_child(call, 0);
  size_t open = ts_node_start_byte(config), close = ts_node_end_byte(config);
  unsigned given;
  struct slice name = entry_name(e, callee, &given);
  bool deduce = false; // then the compiler must see a call: namespaces may have functions
                       // of one name
  for (unsigned i = 0; i < e->n_entries; i++)
    deduce = deduce ||
        (is_entry(&e->entries[i], name) &&
         (given < e->entries[i].n_params || e->entries[i].defaults));
  emulate_edit(e, ts_node_start_byte(callee), 0,
               deduce ? "::autotune_emulate::launch([](auto... autotune_a) { "
                      : "::autotune_emulate::launch(");
  emulate_edit(e, open, 3, deduce ? "(autotune_a...); }, " : ", ");
  emulate_edit(e, close - 3, 3, ")");
}

// Rewrites `(void *)k`, the form in which the runtime's C functions take a kernel.
static void rewrite_address(struct emulation *e, TSNode cast) {
  TSNode value = ts_node_child_by_field_name(cast, "value", 5);
  unsigned given;
  struct slice name = ts_node_is_null(value) ? slice_of("")
                                             : entry_name(e, value, &given);
  bool known = false;
  for (unsigned i = 0; i < e->n_entries; i++)
    known = known || is_entry(&e->entries[i], name);
  if (!known)
    return;
  emulate_edit(e, ts_node_start_byte(value), 0, "::autotune_emulate::known(");
  emulate_edit(e, ts_node_end_byte(value), 0, ")");
}

static void find_launches(struct emulation *e, TSNode n) {
  TSNode config;
  if (node_is(n, "call_expression") &&
      !ts_node_is_null(config = node_child(n, "kernel_call_syntax")))
    rewrite_launch(e, n, config);
  else if (node_is(n, "cast_expression"))
    rewrite_address(e, n);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    find_launches(e, ts_node_named_child(n, i));
}

// ---- launches in macros, which the grammar does not parse ---------------------------

static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == ':' || c == '#';
}

static const char *before_blanks(const char *p, const char *begin) {
  while (p > begin && isspace((unsigned char)p[-1]))
    p--;
  return p;
}

// Returns the beginning of the callee that ends at P: `ns::k<T, 16>`, `name##_kernel`.
static const char *callee_start(const char *p, const char *begin) {
  p = before_blanks(p, begin);
  if (p > begin && p[-1] == '>') {
    int depth = 0;
    do
      depth += (p[-1] == '>') - (p[-1] == '<');
    while (--p > begin && depth > 0);
    p = before_blanks(p, begin);
  }
  while (p > begin && in_word(p[-1]))
    p--;
  return p;
}

static const char *emulate_chevrons(struct slice s, const char *from, const char *which) {
  return from ? memmem(from, (size_t)(s.data + s.size - from), which, 3) : NULL;
}

static void rewrite_macro(struct emulation *e, struct slice body) {
  const char *open = body.data, *close;
  while ((open = emulate_chevrons(body, open, "<<<")) &&
         (close = emulate_chevrons(body, open, ">>>"))) {
    emulate_edit(e, (size_t)(callee_start(open, body.data) - e->s->text), 0,
                 "::autotune_emulate::launch(");
    emulate_edit(e, (size_t)(open - e->s->text), 3, ", ");
    emulate_edit(e, (size_t)(close - e->s->text), 3, ")");
    open = close;
  }
}

static void find_macros(struct emulation *e) {
  struct directive d;
  for (size_t from = 0;
       directive_next((struct slice){ e->s->text, e->s->size }, &from, &d);)
    if (slice_is(d.word, "define"))
      rewrite_macro(e, d.rest);
}

// ---- the file -----------------------------------------------------------------------

static int emulate_by_offset(const void *a, const void *b) {
  const struct edit *x = a, *y = b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return x->size < y->size ? -1 : x->size > y->size; // insertions go before replacements
}

static bool emulate_has(struct slice text, const char *word) {
  return memmem(text.data, text.size, word, strlen(word)) != NULL;
}

bool cuda_header_inline(struct slice text, const char *const *kernels, bool emulate) {
  bool launches = emulate_has(text, "<<<");
  if (emulate &&
      (launches || (emulate_has(text, "__shared__") && emulate_has(text, "extern"))))
    return true;
  launches = launches || emulate_has(text, "cudaLaunch");
  while (launches && *kernels && !emulate_has(text, *kernels))
    kernels++;
  return launches && *kernels;
}

// Requires text that emit.c made, or a file without annotated kernels. Leaves no `<<<`.
void cuda_emulate(const char *path, const struct text *in, struct text *out) {
  char *known = without_attributes(in->data, in->size);
  struct emulation e = { .s = source_of(path, known, in->size) };
  size_t done = 0;
  source_parse(e.s, &language_cuda);
  TSNode root = ts_tree_root_node(e.s->tree);
  find_shared(&e);
  find_clusters(&e, in->data);
  find_entries(&e);
  find_launches(&e, root);
  find_macros(&e);
  text_printf(out, "#include <cuda_runtime.h>\n#line 1 ");
  text_literal(out, path, strlen(path));
  text_add(out, "\n", 1);
  if (e.n_edits)
    qsort(e.edits, e.n_edits, sizeof *e.edits, emulate_by_offset);
  for (unsigned i = 0; i < e.n_edits; i++) {
    if (e.edits[i].offset <
        done) // the grammar cannot parse this: the compiler reports the place
      continue;
    text_add(out, in->data + done, e.edits[i].offset - done);
    text_add(out, e.edits[i].text, strlen(e.edits[i].text));
    done = e.edits[i].offset + e.edits[i].size;
  }
  text_add(out, in->data + done, in->size - done);
}
