// SPDX-License-Identifier: Apache-2.0
// replay.c: the text that makes a kernel again without the program that it is from, for
// calls that were captured: the kernel as written, then invoke, describe and the
// constraint as in the translated file, then a table of them under the name by which the
// runtime finds a variant. It needs no header; the structures of autotune_abi.h are
// declared once more, under other names.
#include <string.h>

#include "front/reach/unit.h"

static const char structures[] =
    "#line 1 \"<autotune>\"\n"
    "#define autotune_fn autotune_replay_fn\n"
    "#define autotune_value autotune_replay_value\n"
    "#define autotune_machine autotune_replay_machine\n"
    "#define autotune_span autotune_replay_span\n"
    "#define autotune_call autotune_replay_call\n"
    "#define autotune_replay autotune_replay_table\n"
    "typedef __SIZE_TYPE__ size_t;\n"
    "typedef void (*autotune_fn)(void);\n"
    "struct autotune_value { const char *text, *define; long long i; double d; };\n"
    "struct autotune_machine { long long l1d, l2, l3, line, vector, cores, threads; };\n"
    "struct autotune_span { void *base; size_t bytes; };\n"
    "struct autotune_call { struct autotune_span *spans; double flops, bytes; };\n"
    "typedef int autotune_replay_holds(const struct autotune_value *const *, void *const *,\n"
    "                                  const struct autotune_machine *);\n"
    "typedef void autotune_replay_leaves(double *, void *const *, const struct autotune_machine *);\n"
    "struct autotune_replay {\n"
    "  autotune_fn original;\n"
    "  void (*invoke)(autotune_fn, void *const *, void *);\n"
    "  void (*describe)(void *const *, struct autotune_call *);\n"
    "  autotune_replay_holds *const *holds;\n"
    "  double (*footprint)(const struct autotune_value *const *, void *const *,\n"
    "                      const struct autotune_machine *);\n"
    "  autotune_replay_leaves *const *leaves;\n"
    "};\n";

const char *replay_refused(const struct symbol *symbols, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (symbols[i].function)
      return arena_printf("it needs the function '%s', which is in the program alone",
                          symbols[i].name);
    else if (!symbols[i].sized)
      return arena_printf("the size of '%s' is not known", symbols[i].name);
  return NULL;
}

static void replay_table(const struct emission *e) {
  const char *name = e->k->main.name;
  text_printf(e->out,
              "static autotune_replay_holds *const autotune_replay_conditions[] = { ");
  for (unsigned i = 0; i < e->n_factors; i++)
    text_printf(e->out, "autotune_holds_%s_%u, ", name, i);
  text_printf(e->out,
              "0 };\n"
              "static autotune_replay_leaves *const autotune_replay_parts[] = { ");
  for (unsigned i = 0; i < e->n_factors; i++)
    if (e->factors[i].n_leaves)
      text_printf(e->out, "autotune_leaves_%s_%u, ", name, i);
    else
      text_printf(e->out, "0, ");
  text_printf(e->out,
              "0 };\n"
              "static const struct autotune_replay autotune_replay = {\n"
              "  (autotune_fn)%s, autotune_invoke_%s, autotune_describe_%s,\n"
              "  autotune_replay_conditions, %s%s, autotune_replay_parts\n};\n"
              "extern const struct autotune_replay *const autotune_entry\n"
              "  __attribute__((__visibility__(\"default\"), __used__));\n"
              "const struct autotune_replay *const autotune_entry = &autotune_replay;\n",
              name, name, name, footprint_applies(e->k) ? "autotune_footprint_" : "0",
              footprint_applies(e->k) ? name : "");
}

struct text replay_text(const struct emission *e, const struct unit *u) {
  struct text out = u->text;
  struct emission own = *e;
  own.out = &out;
  text_printf(&out, "\n");
  emit_hide_macros(&own, true);
  text_printf(&out, "%stypedef __typeof__(%s) autotune_type_%s;\n", structures,
              e->k->main.name, e->k->main.name);
  emit_arguments(&own);
  emit_functions(&own);
  replay_table(&own);
  return out;
}
