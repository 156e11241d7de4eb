// SPDX-License-Identifier: Apache-2.0
// preprocess.c: runs the unit's compiler with -E -dD over the feed.
#include <string.h>

#include "front/lang/language.h"
#include "unit.h"

static bool preprocess_begins(const char *s, const char *prefix) {
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

// Options whose value may stand in the next argument.
static const char *const valued[] = { "-I",       "-D",           "-U",
                                      "-include", "-imacros",     "-isystem",
                                      "-iquote",  "-idirafter",   "-isysroot",
                                      "-iprefix", "-iwithprefix", "--sysroot",
                                      NULL };
// Flags that change the contents of headers and predefined macros.
static const char *const seen[] = { "-fopenmp",
                                    "-ffast-math",
                                    "-funsigned-char",
                                    "-fsigned-char",
                                    "-fshort-",
                                    "-ffreestanding",
                                    "-fhosted",
                                    "-fms-extensions",
                                    "-fgnu89-inline",
                                    "-fno-math-errno",
                                    "-ffinite-math-only",
                                    "-fPIC",
                                    "-fpic",
                                    "-fPIE",
                                    "-fpie",
                                    NULL };

bool preprocess_among(const char *arg, const char *const *prefixes) {
  for (; *prefixes; prefixes++)
    if (preprocess_begins(arg, *prefixes))
      return true;
  return false;
}

// True for -DNAME=… of a param: variants define it themselves.
static bool defines_param(const struct kernel *kernels, unsigned n, const char *value) {
  return feed_param(kernels, n, (struct slice){ value, strcspn(value, "=(") }) != NULL;
}

// Appends the user's arguments that the preprocessor needs. MACHINE: -m and -f arguments
// too, which this compiler may not know.
static void preprocess_add_options(const struct compile_options *o,
                                   const struct kernel *kernels, unsigned n, bool machine,
                                   const char ***argv, unsigned *argc) {
  for (const char *const *a = o->args; a && *a; a++) {
    bool with_value = slice_in(slice_of(*a), valued);
    if (with_value && !a[1])
      break;
    bool macro = preprocess_begins(*a, "-D") || preprocess_begins(*a, "-U");
    if (macro && defines_param(kernels, n, with_value ? a[1] : *a + 2)) {
      a += with_value;
      continue;
    }
    if (preprocess_among(*a, valued) || preprocess_begins(*a, "-std=") ||
        preprocess_begins(*a, "--std=") || preprocess_begins(*a, "-O") ||
        strcmp(*a, "-ansi") == 0 || strcmp(*a, "-pthread") == 0 ||
        strcmp(*a, "-nostdinc") == 0 ||
        (machine && (preprocess_begins(*a, "-m") || preprocess_among(*a, seen)))) {
      *GROW(*argv, *argc) = *a;
      if (with_value)
        *GROW(*argv, *argc) = *++a;
    }
  }
}

// Returns the word after -x for the feed at PATH.
static const char *preprocess_language(const char *path) {
  return strcmp(strrchr(path, '.'), ".cpp") == 0 ? "c++" : "c";
}

// Returns the command up to the name of the file, which ends with NULL.
static const char *const *preprocess_command(const char *compiler, const char *path,
                                             const struct compile_options *o,
                                             const struct kernel *kernels, unsigned n,
                                             bool machine) {
  const char **argv = NULL;
  unsigned argc = 0;
  bool clang = strcmp(compiler, "clang") == 0;
  *GROW(argv, argc) = clang ? o->clang : compiler;
  *GROW(argv, argc) = "-E";
  *GROW(argv, argc) = "-dD";
  *GROW(argv, argc) = "-w";
  if (clang)
    *GROW(argv, argc) = "-Qunused-arguments";
  preprocess_add_options(o, kernels, n, machine, &argv, &argc);
  *GROW(argv, argc) = "-x";
  *GROW(argv, argc) = preprocess_language(path);
  *GROW(argv, argc) = path;
  *GROW(argv, argc) = NULL;
  return argv;
}

int preprocess_run(const char *const *command, const char *macros, const struct text *in,
                   struct text *out, struct text *errors) {
  const char **argv = NULL, *path = NULL;
  unsigned argc = 0;
  for (; *command; path = *command++) {
    bool included = macros && preprocess_begins(*command, "-include");
    if (included)
      command += strcmp(*command, "-include") == 0 && command[1];
    else
      *GROW(argv, argc) = *command;
  }
  if (macros) { // before "-x c file"
    argc -= 3;
    const char *rest[] = { "-imacros", macros, "-x", argv[argc + 1], path };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
      *GROW(argv, argc) = rest[i];
  }
  *GROW(argv, argc) = NULL;
  file_write(path, in->data, in->size);
  *out = *errors = (struct text){ 0 };
  return run_command(argv, out, errors);
}

// Returns the command by which the user's own compiler preprocesses the file at PATH, to
// OUTPUT unless that is NULL; NULL: the compiler is not known.
static const char *const *preprocess_by_compiler(const char *path, const char *output,
                                                 const struct compile_options *o) {
  if (!o->compiler)
    return NULL;
  const char **argv = NULL;
  unsigned argc = 0;
  for (const char *const *c = o->compiler; *c; c++)
    *GROW(argv, argc) = *c;
  for (const char *const *a = o->args; a && *a; a++)
    *GROW(argv, argc) = *a;
  const char *const rest[] = { "-E", "-w", "-x", preprocess_language(path), path };
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
    *GROW(argv, argc) = rest[i];
  if (output) {
    *GROW(argv, argc) = "-o";
    *GROW(argv, argc) = output;
  }
  *GROW(argv, argc) = NULL;
  return argv;
}

// Lets the user's own compiler report the error. False: it reports none.
static bool told_by_compiler(const char *path, const struct compile_options *o) {
  const char *const *argv = preprocess_by_compiler(path, "/dev/null", o);
  int status = argv ? run_command(argv, NULL, NULL) : 0;
  return status != 0 && status != 127;
}

static const char *preprocess_feed(const struct language *l) {
  return temp_path(l && l->cplusplus ? "autotune_feed.cpp" : "autotune_feed.c");
}

bool preprocess_text(const struct text *in, bool own, const struct compile_options *o,
                     struct text *out) {
  const char *path = preprocess_feed(o->language);
  const char *const *argv = own ? preprocess_by_compiler(path, NULL, o)
                                : preprocess_command("clang", path, o, NULL, 0, true);
  struct text errors = { 0 };
  *out = (struct text){ 0 };
  file_write(path, in->data, in->size);
  return argv && run_command(argv, out, &errors) == 0;
}

char *preprocess(const struct source *s, const struct feed *f,
                 const struct kernel *kernels, unsigned n, const char *compiler,
                 const struct compile_options *o, size_t *size) {
  const struct language *l = n ? kernels[0].language : o->language;
  const char *path = preprocess_feed(l);
  struct text out = { 0 }, errors = { 0 }, again;
  int status = headers_run(s, f, kernels, n,
                           preprocess_command(compiler, path, o, kernels, n, true), &out,
                           &errors);
  if (status != 0 && status != 127) // perhaps only the build's own compiler knows a flag
    status = headers_run(s, f, kernels, n,
                         preprocess_command(compiler, path, o, kernels, n, false), &out,
                         &again);
  if (status != 0) {
    if (!told_by_compiler(path, o))
      fwrite(errors.data ? errors.data : "", 1, errors.size, stderr);
    return NULL;
  }
  *size = out.size;
  return out.data ? out.data : arena_copy("", 0);
}

const char **preprocess_flags(const struct compile_options *o, unsigned *n) {
  // Flags that concern the whole program or how errors are reported, and are left out for
  // one function's code.
  static const char *const left_out[] = { "-fsanitize",
                                          "-fno-sanitize",
                                          "-fprofile",
                                          "-fplugin",
                                          "-flto",
                                          "-fno-lto",
                                          "-fpie",
                                          "-fPIE",
                                          "-fpic",
                                          "-fPIC",
                                          "-fno-pic",
                                          "-fno-pie",
                                          "-fno-PIC",
                                          "-fno-PIE",
                                          "-fdiagnostics",
                                          "-fcolor",
                                          "-fno-diagnostics",
                                          "-fno-color",
                                          "-fdebug-prefix",
                                          "-ffile-prefix",
                                          "-fmacro-prefix",
                                          "-fsyntax-only",
                                          "-fdump",
                                          "-fcoverage",
                                          "-ftest-coverage",
                                          "-finstrument",
                                          "-fstack-usage",
                                          "-fcallgraph-info",
                                          "-fmodules",
                                          "-fvisibility",
                                          "-fsplit-stack",
                                          "-fwhole-program",
                                          "-fuse-ld",
                                          "-mcmodel",
                                          "-fverbose-asm",
                                          "-fsave-optimization",
                                          "-fmax-errors",
                                          "-ferror-limit",
                                          NULL };
  const char **flags = NULL;
  *n = 0;
  for (const char *const *a = o->args; a && *a; a++) {
    bool with_value = slice_in(slice_of(*a), valued);
    if (with_value) {
      if (!*++a)
        break;
      continue;
    }
    bool wanted = preprocess_begins(*a, "-std=") || preprocess_begins(*a, "-m") ||
        preprocess_begins(*a, "-f") || preprocess_begins(*a, "-O") ||
        strcmp(*a, "-ansi") == 0 || strcmp(*a, "-pthread") == 0;
    if (wanted && !preprocess_among(*a, left_out))
      *GROW(flags, *n) = *a;
  }
  return flags;
}
