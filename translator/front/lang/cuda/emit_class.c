// SPDX-License-Identifier: Apache-2.0
// emit_class.c: a class for each kernel, whose static members are what the runtime calls
// and reads. Of a template every instance has its own, made when it is first launched.
#include <string.h>

#include "autotune_abi.h"
#include "emit.h"

#define WORD(s) (int)(s).size, (s).data

static void open_template(const struct emission *e) {
  const struct cuda_kernel *c = e->k->cuda;
  for (unsigned i = 0; i < c->n_params;
       i++) { // without defaults: a declaration in front may have them
    struct slice text = c->params[i].text;
    if (c->params[i].initial.size)
      text.size = (size_t)(c->params[i].initial.data - text.data);
    while (text.size && strchr("= \t\n", text.data[text.size - 1]))
      text.size--;
    text_printf(e->out, "%s%.*s", i ? ", " : "template <", WORD(text));
  }
  text_printf(e->out, c->n_params ? ">\n" : "");
}

void cuda_emit_instance(const struct emission *e) {
  const struct cuda_kernel *c = e->k->cuda;
  for (unsigned i = 0; i < c->n_params; i++)
    text_printf(e->out, "%s%s%s", i ? ", " : "<", c->params[i].name,
                i + 1 == c->n_params ? ">" : "");
}

// ---- block, grid, shared ------------------------------------------------------------

static bool emit_class_mentions(const struct dims *d, const char *word) {
  for (unsigned i = 0; i < d->n; i++) {
    struct lexer l = lexer_of(d->of[i]);
    for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
      if (slice_is(t.text, word))
        return true;
  }
  return false;
}

static bool emit_class_mention(const struct cuda_kernel *c, const char *word,
                               bool of_block) {
  struct dims shared = { { c->shared }, c->shared.size ? 1 : 0 };
  return (of_block && emit_class_mentions(&c->block, word)) ||
      emit_class_mentions(&c->grid, word) || emit_class_mentions(&shared, word);
}

// `if (!::autotune::set_size(autotune_o->WHAT.x, EXPR, LIMIT)) return 0;`
static void set_size(const struct emission *e, const char *what, unsigned i,
                     struct slice expr, const char *limit) {
  text_printf(e->out, "  if (!::autotune::set_size(autotune_o->%s.%c, (long long)(", what,
              "xyz"[i]);
  emit_numbered(e, expr);
  text_printf(e->out, "), %s))\n    return 0;\n", limit);
}

static void emit_class_block(const struct emission *e) {
  const struct cuda_kernel *c = e->k->cuda;
  if (c->block_param >= 0)
    text_printf(e->out,
                "  autotune_o->block = ::autotune::read_size(autotune_v[%d]->text);\n",
                c->block_param);
  for (unsigned i = 0; i < 3 && c->block.n; i++)
    set_size(e, "block", i, i < c->block.n ? c->block.of[i] : slice_of("1"), "1024");
}

static void emit_class_grid(const struct emission *e) {
  static const char *const limits[] = { "2147483647", "65535", "65535" };
  const struct cuda_kernel *c = e->k->cuda;
  bool own = c->block_param >= 0 || c->block.n;
  for (unsigned i = 0; i < 3; i++) {
    char d = "xyz"[i];
    if (i < c->grid.n)
      set_size(e, "grid", i, c->grid.of[i], limits[i]);
    else if (own)
      text_printf(e->out,
                  "  if (!::autotune::fit(autotune_o->grid.%c, autotune_l->grid.%c, "
                  "autotune_l->block.%c, autotune_o->block.%c,\n      %s, %s))\n"
                  "    return 0;\n",
                  d, d, d, d, c->ceil ? "true" : "false", limits[i]);
  }
}

static void emit_class_geometry(const struct emission *e) {
  const struct cuda_kernel *c = e->k->cuda;
  const char *name = e->k->main.name;
  emit_open_typed(
      e, "int", arena_printf("autotune_shape_%s", name),
      ",\n  const struct autotune_launch *autotune_l, struct autotune_launch *autotune_o");
  text_printf(e->out, "  *autotune_o = *autotune_l;\n");
  if (emit_class_mention(c, "gridDim", true))
    text_printf(e->out, "  const struct autotune_dim3 gridDim = autotune_l->grid;\n");
  emit_class_block(e);
  if (emit_class_mention(c, "blockDim", false))
    text_printf(e->out, "  const struct autotune_dim3 blockDim = autotune_o->block;\n");
  emit_class_grid(e);
  if (c->shared.size) {
    text_printf(e->out, "  const long long autotune_shared = (long long)(");
    emit_numbered(e, c->shared);
    text_printf(e->out,
                ");\n  if (autotune_shared < 0)\n    return 0;\n"
                "  autotune_o->shared = (size_t)autotune_shared;\n");
  }
  text_printf(e->out, "  return 1;\n");
  emit_close_typed(e);
  text_printf(
      e->out,
      "static int autotune_geometry_%s(const struct autotune_value *const *autotune_v,\n"
      "  void *const *autotune_a, const struct autotune_machine *autotune_m,\n"
      "  const struct autotune_launch *autotune_l, struct autotune_launch *autotune_o)\n"
      "{\n  (void)autotune_a;\n  return autotune_shape_%s(",
      name, name);
  emit_unpacked(e);
  text_printf(e->out, "%sautotune_v, autotune_m, autotune_l, autotune_o);\n}\n",
              e->k->n_args ? ",\n    " : "");
}

// ---- the default variant, variables of the device -----------------------------------

static void emit_class_launch(const struct emission *e) {
  const char *name = e->k->main.name;
  text_printf(e->out, "static void autotune_signature_%s(", name);
  emit_parameters(e, "");
  text_printf(e->out,
              ");\nstatic int autotune_run_%s(const struct autotune_launch *autotune_l, "
              "void *const *autotune_a)\n{\n  return ::autotune::launch("
              "static_cast<decltype(&autotune_signature_%s)>(&%s",
              name, name, name);
  cuda_emit_instance(e);
  text_printf(e->out,
              "), autotune_l, autotune_a);\n}\nstatic void autotune_never_%s() {}\n",
              name);
}

static void emit_class_locators(const struct emission *e) {
  for (unsigned i = 0; i < e->cuda->n_symbols; i++)
    text_printf(
        e->out,
        "static int autotune_locate_%s_%u(void **autotune_a, size_t *autotune_n)\n"
        "{\n  return ::autotune::locate(%s, autotune_a, autotune_n);\n}\n",
        e->k->main.name, i, e->cuda->symbols[i].qualified);
}

static void emit_class_symbols(const struct emission *e) {
  const struct cuda_unit *u = e->cuda;
  const char *name = e->k->main.name;
  if (!u->n_symbols)
    return;
  text_printf(e->out,
              "  static const struct autotune_gpu_symbol autotune_symbols_%s[] = {\n",
              name);
  for (unsigned i = 0; i < u->n_symbols; i++)
    text_printf(e->out, "    { \"%s\", autotune_locate_%s_%u, %d },\n",
                u->symbols[i].name, name, i, !u->symbols[i].constant);
  text_printf(e->out,
              "  };\n  autotune_g.n_symbols = %u;\n"
              "  autotune_g.symbols = autotune_symbols_%s;\n",
              u->n_symbols, name);
}

// ---- keys ---------------------------------------------------------------------------

static const char *const dimensions = "xyz";

// Integer arguments, as C++ knows them, and the threads that were asked for; or as the
// pragma says. The device's ordinal comes last.
static void key_names(const struct emission *e) {
  const struct kernel *k = e->k;
  text_printf(e->out,
              "  static const char *autotune_names[%u];\n  unsigned autotune_n = 0;\n",
              (k->key_given ? k->n_keys : k->n_args + 3) + 1);
  for (unsigned i = 0; k->key_given && i < k->n_keys; i++) {
    text_printf(e->out, "  autotune_names[autotune_n++] = ");
    text_literal(e->out, k->keys[i].data, k->keys[i].size);
    text_printf(e->out, ";\n");
  }
  for (unsigned i = 0; !k->key_given && i < k->n_args; i++)
    text_printf(
        e->out,
        "  ::autotune::add_key_name<decltype(autotune_arg_%s_%u)>(autotune_names, "
        "autotune_n, \"%s\");\n",
        k->main.name, i, k->args[i].name);
  for (unsigned i = 0; !k->key_given && i < 3; i++)
    text_printf(e->out, "  autotune_names[autotune_n++] = \"threads.%c\";\n",
                dimensions[i]);
  text_printf(e->out,
              "  autotune_names[autotune_n++] = \"device\";\n"
              "  autotune_k.n_keys = autotune_n;\n  autotune_k.keys = autotune_names;\n");
}

static void emit_class_key_values(const struct emission *e) {
  const struct kernel *k = e->k;
  text_printf(e->out, "  long long autotune_key[%u], *autotune_n = autotune_key;\n",
              (k->key_given ? k->n_keys : k->n_args + 3) + 1);
  for (unsigned i = 0; k->key_given && i < k->n_keys; i++)
    text_printf(e->out, "  *autotune_n++ = (long long)(%.*s);\n", WORD(k->keys[i]));
  for (unsigned i = 0; !k->key_given && i < k->n_args; i++)
    text_printf(e->out, "  ::autotune::add_key(autotune_n, %s);\n", k->args[i].name);
  for (unsigned i = 0; !k->key_given && i < 3; i++)
    text_printf(e->out,
                "  *autotune_n++ = ::autotune::threads(autotune_l->grid.%c, "
                "autotune_l->block.%c);\n",
                dimensions[i], dimensions[i]);
  text_printf(e->out, "  *autotune_n++ = ::autotune::device();\n");
}

// ---- the tables ---------------------------------------------------------------------

static void emit_class_gpu(const struct emission *e) {
  const struct kernel *k = e->k;
  const char *name = k->main.name;
  unsigned flags = k->cuda->flags | (e->o->emulate ? AUTOTUNE_GPU_EMULATED : 0u);
  text_printf(e->out,
              "  autotune_g.flags = %uu;\n  autotune_g.launch = autotune_run_%s;\n"
              "  autotune_g.geometry = autotune_geometry_%s;\n"
              "  autotune_g.instance = autotune_i.lines();\n",
              flags, name, name);
  emit_class_symbols(e);
  if (!k->n_args)
    return;
  text_printf(e->out,
              "  static unsigned autotune_written[%u];\n"
              "  static autotune_element autotune_elements[%u];\n",
              k->n_args, k->n_args);
  for (unsigned i = 0; i < k->n_args; i++)
    text_printf(
        e->out,
        "  ::autotune::add_written<decltype(autotune_arg_%s_%u)>(autotune_written, "
        "autotune_elements, autotune_g.n_written, %u);\n",
        name, i, i);
  text_printf(e->out,
              "  autotune_g.written = autotune_written;\n"
              "  autotune_g.elements = autotune_elements;\n");
}

static void emit_class_instance(const struct emission *e) {
  const struct cuda_kernel *c = e->k->cuda;
  bool alone = c->n_elsewhere == 0 || c->namespaces.size == 0; // else it is told apart
  text_printf(e->out, "  static ::autotune::instance autotune_i(\"%.*s%s%s\");\n",
              alone ? 0 : (int)c->namespaces.size, c->namespaces.data,
              alone ? "" : "::", e->k->main.name);
  for (unsigned i = 0; i < c->n_params; i++)
    text_printf(e->out,
                c->params[i].type ? "  autotune_i.type<%s>();\n"
                                  : "  autotune_i.value(%s);\n",
                c->params[i].name);
  text_printf(e->out, "  autotune_i.end();\n");
}

static void emit_class_make(const struct emission *e) {
  const char *name = e->k->main.name, *path;
  unsigned line = source_where(e->s, e->k->main.start, &path, NULL);
  text_printf(e->out, "static const struct autotune_kernel *autotune_make_%s()\n{\n",
              name);
  emit_class_instance(e);
  emit_instance_tables(e);
  text_printf(e->out,
              "  static struct autotune_gpu autotune_g;\n"
              "  static struct autotune_kernel autotune_k;\n"
              "  autotune_k.abi = AUTOTUNE_ABI;\n  autotune_k.name = autotune_i.name();\n"
              "  autotune_k.file = ");
  emit_string(e->out, path);
  text_printf(e->out,
              ";\n  autotune_k.line = %u;\n"
              "  autotune_k.original = autotune_never_%s;\n"
              "  autotune_k.describe = autotune_describe_%s;\n",
              line, name, name);
  key_names(e);
  emit_arrays(e);
  emit_options(e);
  text_printf(
      e->out,
      "  autotune_k.not_captured = \"calls of CUDA kernels are not captured\";\n");
  emit_class_gpu(e);
  text_printf(e->out, "  autotune_k.gpu = &autotune_g;\n  return &autotune_k;\n}\n");
}

// The launch by the runtime; 0: done.
static void emit_class_attempt(const struct emission *e) {
  const char *name = e->k->main.name;
  text_printf(e->out,
              "static struct autotune_site *autotune_site_%s()\n{\n"
              "  static ::autotune::site autotune_s(autotune_make_%s());\n"
              "  return &autotune_s.s;\n}\nstatic int autotune_try_%s(",
              name, name, name);
  emit_parameters(e, "const struct autotune_launch *autotune_l, void *const *autotune_a");
  text_printf(e->out, ")\n{\n");
  emit_class_key_values(e);
  text_printf(
      e->out,
      "  return ::autotune::launch_kernel(autotune_site_%s(), autotune_key, autotune_a, "
      "autotune_l);\n}\n",
      name);
}

// Each file has a class of its own. nvcc 13 takes no unnamed namespace within another.
void cuda_emit_class(const struct emission *e) {
  text_printf(e->out, "extern \"C++\" {\n%s", e->cuda->unnamed ? "" : "namespace {\n");
  emit_common_tables(e);
  open_template(e);
  text_printf(e->out, "struct autotune_of_%s {\n", e->k->main.name);
  emit_arguments(e);
  emit_functions(e);
  emit_class_geometry(e);
  emit_class_launch(e);
  emit_class_locators(e);
  emit_class_make(e);
  emit_class_attempt(e);
  cuda_emit_packed(e);
  text_printf(e->out, e->cuda->unnamed ? "};\n}\n" : "};\n}\n}\n");
}
