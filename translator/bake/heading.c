// SPDX-License-Identifier: Apache-2.0
// heading.c: the comment in front of a baked file, which says what holds where, and
// macros that keep generated text out of the user's warnings.
#include <string.h>

#include "bake.h"

void bake_comment(struct text *out, const char *s) {
  for (char last = 0; *s; last = *s++)
    if (last == '*' && *s == '/')
      text_add(out, "|", 1);
    else
      text_add(out, *s == '\n' || *s == '\r' ? " " : s, 1);
}

void bake_wrapped(struct text *out, const char *indent, size_t column, const char *s) {
  for (bool first = true; *s; first = false) {
    size_t n = strcspn(s, " ");
    if (!first && column + 1 + n > 100) {
      text_printf(out, "\n%s", indent);
      column = strlen(indent);
    } else if (!first) {
      text_printf(out, " ");
      column++;
    }
    bake_comment(out, arena_copy(s, n));
    column += n;
    s += n + (s[n] == ' ');
  }
}

static void kernel_lines(const struct kernel *k, struct text *out) {
  const struct baked *b = k->baked;
  if (!b) {
    text_printf(out, " *\n * %s: nothing is known, the default\n", k->main.name);
    return;
  }
  text_printf(out, " *\n * %s: ", k->main.name);
  bake_comment(out, b->where);
  text_printf(out, "\n");
  for (unsigned i = 0; i < b->n_keys; i++) {
    text_printf(out, " *   ");
    bake_wrapped(out, " *     ", 5,
                 arena_printf("%s: %s", b->keys[i].name, b->keys[i].about));
    text_printf(out, "\n");
  }
}

static void build_lines(const struct compile_options *o, struct text *out) {
  unsigned n;
  const char **flags = preprocess_flags(o, &n);
  text_printf(out,
              " *\n * Times hold where it is compiled as its winners were: "
              "-O3, for that processor");
  for (unsigned i = 0; i < n; i++) {
    text_printf(out, "%s", i ? " " : ", with ");
    bake_comment(out, flags[i]);
  }
  text_printf(out,
              ";\n * with -fopenmp where a winner has OpenMP's pragmas. "
              "Elsewhere it is right, and may be slow.\n");
}

static const char switches[] =
    "#if defined(__clang__)\n"
    "#define AUTOTUNE_GENERATED _Pragma(\"clang diagnostic push\") \\\n"
    "  _Pragma(\"clang diagnostic ignored \\\"-Weverything\\\"\")\n"
    "#define AUTOTUNE_AS_WRITTEN _Pragma(\"clang diagnostic pop\")\n"
    "#define AUTOTUNE_UNUSED __attribute__((__unused__))\n"
    "#elif defined(__GNUC__)\n"
    "#define AUTOTUNE_UNUSED __attribute__((__unused__))\n"
    "#define AUTOTUNE_PRAGMA_OF(x) _Pragma(#x)\n"
    "#define AUTOTUNE_QUIET(x) AUTOTUNE_PRAGMA_OF(GCC diagnostic ignored x)\n"
    "#define AUTOTUNE_GENERATED _Pragma(\"GCC diagnostic push\")";

static const char *const quiet[] = {
  "-Wpragmas",
  "-Wunknown-pragmas",
  "-Wpedantic",
  "-Wconversion",
  "-Wsign-conversion",
  "-Wfloat-conversion",
  "-Wsign-compare",
  "-Wtype-limits",
  "-Wparentheses",
  "-Wunused",
  "-Wunused-function",
  "-Wunused-parameter",
  "-Wunused-variable",
  "-Wunused-but-set-variable",
  "-Wunused-but-set-parameter",
  "-Wunused-value",
  "-Wshadow",
  "-Wmissing-prototypes",
  "-Wmissing-declarations",
  "-Wredundant-decls",
  "-Wcast-qual",
  "-Wcast-align",
  "-Wvla",
  "-Wdeclaration-after-statement",
  "-Wmaybe-uninitialized",
  "-Wfloat-equal",
  "-Wdouble-promotion",
  "-Wundef",
  "-Winline",
  "-Wattributes",
  "-Waggregate-return",
  "-Wlogical-op",
  "-Wlong-long",
};

void bake_heading(const struct source *s, const struct kernel *kernels, unsigned n,
                  const struct compile_options *o, struct text *out) {
  text_printf(out, "/* Made by `autotune bake` (%s) from ", AUTOTUNE_VERSION);
  bake_comment(out, s->path);
  text_printf(out, ", which is what to edit.\n");
  for (unsigned i = 0; i < n; i++)
    if (!kernels[i].left_out)
      kernel_lines(&kernels[i], out);
  build_lines(o, out);
  text_printf(out, " */\n%s", switches);
  for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
    text_printf(out, i % 2 ? " AUTOTUNE_QUIET(\"%s\")" : " \\\n  AUTOTUNE_QUIET(\"%s\")",
                quiet[i]);
  text_printf(out,
              "\n#define AUTOTUNE_AS_WRITTEN _Pragma(\"GCC diagnostic pop\")\n#else\n"
              "#define AUTOTUNE_GENERATED\n#define AUTOTUNE_AS_WRITTEN\n"
              "#define AUTOTUNE_UNUSED\n#endif\n");
}
