/* SPDX-License-Identifier: Apache-2.0 */
/* variant.c: the text and the flags of a point of the space. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kernel.h"
#include "variant.h"

/* Beginnings of those flags of the build that do not affect speed, or that would produce
 * something else than plain position-independent code whose entry is visible. */
static const char *const not_for_variants[] = { "-O0",
                                                "-O1",
                                                "-Og",
                                                "-Os",
                                                "-Oz",
                                                "-g",
                                                "-p",
                                                "-flto",
                                                "-fno-lto",
                                                "-fwhole-program",
                                                "-fsanitize",
                                                "-fno-sanitize",
                                                "-fprofile",
                                                "-fcoverage",
                                                "-ftest-coverage",
                                                "--coverage",
                                                "-fauto-profile",
                                                "-finstrument-functions",
                                                "-fpie",
                                                "-fPIE",
                                                "-fpic",
                                                "-fPIC",
                                                "-fno-pic",
                                                "-fno-PIC",
                                                "-fno-pie",
                                                "-fno-PIE",
                                                "-fplugin",
                                                "-fpass-plugin",
                                                "-fvisibility",
                                                "-fdiagnostics",
                                                "-fno-diagnostics",
                                                "-fcolor",
                                                "-fno-color",
                                                "-fmessage-length",
                                                "-ffile-prefix-map",
                                                "-fmacro-prefix-map",
                                                "-fdebug",
                                                "-frandom-seed",
                                                "-fdump",
                                                "-fsyntax-only",
                                                "-fopt-info",
                                                "-fsave-optimization-record",
                                                "-fstack-usage",
                                                "-save-temps",
                                                "-M",
                                                "-D",
                                                "-U",
                                                "-I",
                                                "-W",
                                                "-w",
                                                "-l",
                                                "-L",
                                                "-static",
                                                "-shared",
                                                "-include",
                                                "-o",
                                                NULL };

/* The same for flags whose next word belongs to them. */
static const char *const pairs[] = { "-mllvm",
                                     "-include",
                                     "-imacros",
                                     "-isystem",
                                     "-iquote",
                                     "-idirafter",
                                     "-o",
                                     "-x",
                                     "-D",
                                     "-U",
                                     "-I",
                                     "-L",
                                     "-l",
                                     "-MF",
                                     "-MT",
                                     "-MQ",
                                     "-Xlinker",
                                     "-Xassembler",
                                     "-Xpreprocessor",
                                     NULL };

/* Flags of every variant. Without semantic interposition, -fPIC does not prevent
 * inlining. */
static const char *const first[] = { "-O3", "-fno-semantic-interposition", NULL };
static const char native[] = "-march=native";
/* The last flags of a strict build, whatever the build's own flags allow. */
static const char *const strict[] = { "-O2", "-fno-fast-math",
                                      "-fno-unsafe-math-optimizations",
                                      "-ffp-contract=off", NULL };

static bool variant_begins(const char *s, const char *prefix) {
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool variant_wanted(const char *flag) {
  if (strcmp(flag, "-O") == 0 || strcmp(flag, "-c") == 0 || strcmp(flag, "-S") == 0 ||
      strcmp(flag, "-E") == 0)
    return false;
  for (const char *const *p = not_for_variants; *p; p++)
    if (variant_begins(flag, *p) && strcmp(flag, "-pthread") != 0)
      return false;
  return true;
}

static bool is_pair(const char *flag) {
  for (const char *const *p = pairs; *p; p++)
    if (strcmp(flag, *p) == 0)
      return true;
  return false;
}

static bool variant_names_architecture(const char *const *flags) {
  for (; flags && *flags; flags++)
    if (variant_begins(*flags, "-march=") || variant_begins(*flags, "-mcpu="))
      return true;
  return false;
}

const char *variant_compiler(const struct autotune_kernel *k, const choice *point) {
  for (unsigned i = 0; point && i < k->n_params; i++)
    if (k->params[i].kind == AUTOTUNE_COMPILER)
      return k->params[i].values[point[i]].text;
  return k->n_units > 0 ? k->units[0].compiler : "clang";
}

const struct autotune_unit *variant_unit(const struct autotune_kernel *k,
                                         const choice *point) {
  const char *compiler = variant_compiler(k, point);
  for (unsigned i = 0; i < k->n_units; i++)
    if (strcmp(k->units[i].compiler, compiler) == 0)
      return &k->units[i];
  return NULL;
}

/* Returns what P's macro is in the kernel as written; NULL: that is not known. Sets
 * without a name are of directives, which change no result, and of the block, whose macro
 * only bounds the threads. */
static const char *variant_original(const struct autotune_param *p) {
  if (p->original < p->n_values)
    return p->values[p->original].define;
  if (strcmp(p->name, p->macro) == 0)
    return NULL;
  return p->kind == AUTOTUNE_TUPLE ? "1024" : p->values[0].define;
}

bool variant_has_written(const struct autotune_kernel *k) {
  bool known = kernel_is_launched(k) && kernel_instance(k);
  for (unsigned i = 0; known && i < k->n_params; i++)
    known = !k->params[i].macro || variant_original(&k->params[i]);
  return k->replay || known;
}

/* The units of a kernel differ only in what compilers' headers make of its file. */
bool variant_has_parts(const struct autotune_kernel *k) {
  return k->n_units > 0 && strstr(k->units[0].text, "AUTOTUNE_PARTS") != NULL;
}

/* Returns what the macro of parameter I is for POINT; NULL: it is not defined. */
static const char *variant_define(const struct autotune_kernel *k, const choice *point,
                                  unsigned i) {
  const struct autotune_param *p = &k->params[i];
  return !p->macro ? NULL : point ? p->values[point[i]].define : variant_original(p);
}

/* Writes `#define MACRO value` for each parameter, for a CUDA kernel the arguments that
 * its template was instantiated with, then the unit. */
char *variant_text(const struct autotune_kernel *k, const choice *point) {
  const struct autotune_unit *unit = variant_unit(k, point);
  if (!unit || (!point && !variant_has_written(k)))
    return NULL;
  if (!point && k->replay)
    return sys_strdup(k->replay);
  const char *instance = kernel_instance(k) ? kernel_instance(k) : "";
  size_t size = strlen(unit->text) + strlen(instance) + 1;
  for (unsigned i = 0; i < k->n_params; i++) {
    const char *define = variant_define(k, point, i);
    if (define)
      size += strlen("#define  \n") + strlen(k->params[i].macro) + strlen(define);
  }
  char *text = sys_malloc(size), *end = text;
  if (!text)
    return NULL;
  for (unsigned i = 0; i < k->n_params; i++) {
    const char *define = variant_define(k, point, i);
    if (!define)
      continue;
    end = stpcpy(end, "#define ");
    end = stpcpy(end, k->params[i].macro);
    end = stpcpy(end, " ");
    end = stpcpy(end, define);
    end = stpcpy(end, "\n");
  }
  end = stpcpy(end, instance);
  strcpy(end, unit->text);
  return text;
}

/* A list of flags and their bytes: measured first (DATA NULL), then written. */
struct flag_list {
  char **list;
  char *data;
  size_t n, bytes;
};

static void variant_add(struct flag_list *f, const char *flag, size_t size) {
  if (f->data) {
    f->list[f->n] = f->data + f->bytes;
    memcpy(f->data + f->bytes, flag, size);
    f->data[f->bytes + size] = 0;
  }
  f->n++;
  f->bytes += size + 1;
}

static void add_words(struct flag_list *f, const char *text) {
  while (*(text += strspn(text, " \t\n"))) {
    size_t size = strcspn(text, " \t\n");
    variant_add(f, text, size);
    text += size;
  }
}

static void add_chosen(struct flag_list *f, const struct autotune_kernel *k,
                       const choice *point) {
  for (unsigned i = 0; point && i < k->n_params; i++)
    if (k->params[i].kind == AUTOTUNE_FLAGS)
      add_words(f, k->params[i].values[point[i]].text);
}

/* Adds the flags for NVRTC: those that the translator left of the build's flags, and the
 * chosen ones. */
static void add_device(struct flag_list *f, const struct autotune_kernel *k,
                       const choice *point, const char *const *build) {
  for (; build && *build; build++)
    variant_add(f, *build, strlen(*build));
  add_chosen(f, k, point);
}

static void add_common(struct flag_list *f, const struct autotune_kernel *k,
                       const char *const *build) {
  for (const char *const *p = first; *p; p++)
    variant_add(f, *p, strlen(*p));
  if (!variant_names_architecture(build))
    variant_add(f, native, strlen(native));
  for (const char *const *p = build; p && *p; p++)
    if (is_pair(*p))
      p += p[1] != NULL;
    else if (variant_wanted(*p))
      variant_add(f, *p, strlen(*p));
  if (k->openmp)
    variant_add(f, "-fopenmp", strlen("-fopenmp"));
}

static void add_all(struct flag_list *f, const struct autotune_kernel *k,
                    const choice *point, const char *const *build) {
  add_common(f, k, build);
  add_chosen(f, k, point); /* -fno-openmp among them counts */
  variant_add(f, "-fPIC", strlen("-fPIC"));
}

static void add_strict(struct flag_list *f, const struct autotune_kernel *k,
                       const choice *point, const char *const *build) {
  (void)point;
  add_common(f, k, build);
  for (const char *const *p = strict; *p; p++)
    variant_add(f, *p, strlen(*p));
  variant_add(f, "-fPIC", strlen("-fPIC"));
}

typedef void add_flags_fn(struct flag_list *f, const struct autotune_kernel *k,
                          const choice *point, const char *const *build);

/* Returns the flags, ended by NULL; one block, for free(). */
static char **variant_list(const struct autotune_kernel *k, const choice *point,
                           add_flags_fn *add_flags) {
  const struct autotune_unit *unit = variant_unit(k, point);
  if (!unit)
    return NULL;
  struct flag_list f = { NULL, NULL, 0, 0 };
  add_flags(&f, k, point, unit->flags);
  size_t n = f.n;
  f.list = sys_malloc((n + 1) * sizeof *f.list + f.bytes);
  if (!f.list)
    return NULL;
  f.data = (char *)(f.list + n + 1);
  f.n = f.bytes = 0;
  add_flags(&f, k, point, unit->flags);
  f.list[n] = NULL;
  return f.list;
}

char **variant_flags(const struct autotune_kernel *k, const choice *point) {
  return variant_list(k, point, kernel_is_launched(k) ? add_device : add_all);
}

char **variant_strict_flags(const struct autotune_kernel *k, const choice *point) {
  return variant_list(k, point, add_strict);
}
