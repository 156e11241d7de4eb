// SPDX-License-Identifier: Apache-2.0
// emit_launch.c: the functions that stand in the place of launches. They take the
// kernel's own parameters, so that arguments are converted, and those of templates
// deduced, as in the launch.
#include <string.h>

#include "emit.h"
#include "items.h"

#define WORD(s) (int)(s).size, (s).data

// The kernel's parameters with their default arguments.
static void emit_launch_parameters(const struct emission *e) {
  for (unsigned i = 0; i < e->k->n_args; i++) {
    text_printf(e->out, ", ");
    emit_parameter(e, i);
    if (e->k->args[i].initial.size)
      text_printf(e->out, " = %.*s", WORD(e->k->args[i].initial));
  }
}

static void call_class(const struct emission *e) {
  text_printf(e->out, "autotune_of_%s", e->k->main.name);
  cuda_emit_instance(e);
  text_printf(e->out, "::");
}

static void open_launcher(const struct emission *e, const char *result,
                          const char *prefix) {
  if (e->k->cuda->template_head.size)
    text_printf(e->out, "%.*s\n", WORD(e->k->cuda->template_head));
  text_printf(
      e->out,
      "static inline __attribute__((__unused__)) %s %s%s(dim3 autotune_g, dim3 autotune_b",
      result, prefix, e->k->main.name);
}

void cuda_emit_packed(const struct emission *e) {
  const char *name = e->k->main.name;
  text_printf(e->out, "static int autotune_packed_%s(", name);
  text_printf(e->out,
              "const struct autotune_launch *autotune_l, void *const *autotune_a)\n{\n"
              "  if (autotune_try_%s(",
              name);
  emit_unpacked(e);
  text_printf(e->out,
              "%sautotune_l, autotune_a) == 0)\n    return 0;\n"
              "  return autotune_run_%s(autotune_l, autotune_a);\n}\n",
              e->k->n_args ? ",\n    " : "", name);
}

void cuda_emit_launchers(const struct emission *e) {
  const char *name = e->k->main.name;
  text_printf(e->out, "extern \"C++\" {\n");
  open_launcher(e, "void", "autotune_launch_");
  text_printf(e->out, ", size_t autotune_n, cudaStream_t autotune_s");
  emit_launch_parameters(e);
  text_printf(e->out, ")\n{\n  void *const autotune_a[] = { ");
  for (unsigned i = 0; i < e->k->n_args; i++)
    text_printf(e->out, "(void *)&%s, ", e->k->args[i].name);
  text_printf(
      e->out,
      "nullptr };\n  const struct autotune_launch autotune_l = "
      "::autotune::asked(autotune_g, autotune_b, autotune_n, autotune_s);\n  (void)");
  call_class(e);
  text_printf(e->out, "autotune_packed_%s(&autotune_l, autotune_a);\n}\n", name);
  open_launcher(e, "cudaError_t", "autotune_launchv_");
  text_printf(
      e->out,
      ", void **autotune_a,\n  size_t autotune_n = 0, cudaStream_t autotune_s = nullptr)\n"
      "{\n  const struct autotune_launch autotune_l = "
      "::autotune::asked(autotune_g, autotune_b, autotune_n, autotune_s);\n"
      "  return (cudaError_t)");
  call_class(e);
  text_printf(e->out, "autotune_packed_%s(&autotune_l, autotune_a);\n}\n}\n", name);
}

bool cuda_emit_declaration(struct slice declaration, const struct kernel *k,
                           struct text *out) {
  struct lexer l = lexer_of(declaration);
  struct token t = items_lex(&l);
  struct slice head = { t.text.data, 0 };
  bool global = false;
  if (slice_is(t.text, "template") && items_skip_angles(&l))
    head.size = (size_t)(l.p - head.data);
  while (t.kind != TOKEN_END && !slice_is(t.text, k->main.name)) {
    global = global || slice_is(t.text, "__global__");
    t = items_lex(&l);
  }
  const char *open = l.p;
  const char *close = skip_brackets(&l);
  struct slice inside = slice_trim((struct slice){ open, (size_t)(close - open) });
  if (!global || inside.size < 2 || *inside.data != '(')
    return false;
  inside = slice_trim((struct slice){ inside.data + 1, inside.size - 2 });
  bool none = !inside.size || slice_is(inside, "void");
  text_printf(
      out,
      "extern \"C++\" {\n%.*s\n"
      "static inline __attribute__((__unused__)) void autotune_launch_%s(dim3, dim3, size_t, "
      "cudaStream_t%s%.*s);\n}\n",
      WORD(head), k->main.name, none ? "" : ", ", none ? 0 : (int)inside.size,
      inside.data);
  return true;
}
