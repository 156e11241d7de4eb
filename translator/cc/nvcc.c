// SPDX-License-Identifier: Apache-2.0
// nvcc.c: reads the command line of nvcc. Its table gives each option's long name (two
// dashes) and short name (one dash). A value follows after `=` or as the next word, for
// single letters also in the same word; commas separate several values.
#include <string.h>

#include "cc.h"
#include "front/lang/language.h"

enum form { ALONE, VALUE, LETTER /* a VALUE that may follow in the same word: -DX */ };

// AS is the name of the option in gcc's table, which the other files here look for. CLANG
// is what --emulate makes of it: "-D" is followed by the value, "-Xlinker " precedes each
// part of the value, NULL leaves the option out, "!" refuses it.
static const struct nvcc_option {
  const char *brief, *full;
  enum form form;
  enum cc_class class;
  const char *as, *clang;
} options[] = {
  { "o", "output-file", VALUE, CC_OUTPUT, "-o", "-o" },
  { "x", "x", VALUE, CC_LANGUAGE, "-x", "-x" },
  { "c", "compile", ALONE, CC_MODE, "-c", "-c" },
  { "dc", "device-c", ALONE, CC_MODE, "-c", "-c" },
  { "dw", "device-w", ALONE, CC_MODE, "-c", "-c" },
  { "ptx", "ptx", ALONE, CC_MODE, "-S", "!" },
  { "cubin", "cubin", ALONE, CC_MODE, "-S", "!" },
  { "fatbin", "fatbin", ALONE, CC_MODE, "-S", "!" },
  { "cuda", "cuda", ALONE, CC_MODE, "-S", "!" },
  { "optix-ir", "optix-ir", ALONE, CC_MODE, "-S", "!" },
  { "ltoir", "ltoir", ALONE, CC_MODE, "-S", "!" },
  { "E", "preprocess", ALONE, CC_MODE, "-E", "-E" },
  { "fdevice-syntax-only", "fdevice-syntax-only", ALONE, CC_MODE, "-fsyntax-only",
    "-fsyntax-only" },

  { "D", "define-macro", LETTER, CC_PREPROCESS, "-D", "-D" },
  { "U", "undefine-macro", LETTER, CC_PREPROCESS, "-U", "-U" },
  { "I", "include-path", LETTER, CC_PREPROCESS, "-I", "-I" },
  { "isystem", "system-include", VALUE, CC_PREPROCESS, "-isystem", "-isystem " },
  { "include", "pre-include", VALUE, CC_PREPROCESS, "-include", "-include " },

  { "std", "std", VALUE, CC_CODE, NULL, "-std=" },
  { "O", "optimize", LETTER, CC_CODE, NULL, "-O" },
  { "Xcompiler", "compiler-options", VALUE, CC_CODE, "-Xcompiler", " " },
  { "arch", "gpu-architecture", VALUE, CC_CODE, NULL, NULL },
  { "code", "gpu-code", VALUE, CC_CODE, NULL, NULL },
  { "gencode", "generate-code", VALUE, CC_CODE, NULL, NULL },
  { "maxrregcount", "maxrregcount", VALUE, CC_CODE, NULL, NULL },
  { "use_fast_math", "use_fast_math", ALONE, CC_CODE, NULL, NULL },
  { "ftz", "ftz", VALUE, CC_CODE, NULL, NULL },
  { "prec-div", "prec-div", VALUE, CC_CODE, NULL, NULL },
  { "prec-sqrt", "prec-sqrt", VALUE, CC_CODE, NULL, NULL },
  { "fmad", "fmad", VALUE, CC_CODE, NULL, NULL },
  { "extra-device-vectorization", "extra-device-vectorization", ALONE, CC_CODE, NULL,
    NULL },
  { "restrict", "restrict", ALONE, CC_CODE, NULL, NULL },
  { "rdc", "relocatable-device-code", VALUE, CC_CODE, NULL, NULL },
  { "dlto", "dlink-time-opt", ALONE, CC_CODE, NULL, NULL },
  { "default-stream", "default-stream", VALUE, CC_CODE, NULL, NULL },
  { "expt-relaxed-constexpr", "expt-relaxed-constexpr", ALONE, CC_CODE, NULL, NULL },
  { "extended-lambda", "extended-lambda", ALONE, CC_CODE, NULL, NULL },
  { "expt-extended-lambda", "expt-extended-lambda", ALONE, CC_CODE, NULL, NULL },
  { "ccbin", "compiler-bindir", VALUE, CC_CODE, NULL, NULL },
  { "m", "machine", LETTER, CC_CODE, NULL, "-m" },
  { "Ofc", "Ofast-compile", VALUE, CC_CODE, NULL, NULL },

  { "MD", "generate-dependencies-with-compile", ALONE, CC_DEPEND, "-MD", "-MD" },
  { "MMD", "generate-nonsystem-dependencies-with-compile", ALONE, CC_DEPEND, "-MMD",
    "-MMD" },
  { "MF", "dependency-output", VALUE, CC_DEPEND, "-MF", "-MF" },
  { "MT", "dependency-target-name", VALUE, CC_TARGET, "-MT", "-MT" },
  { "MP", "generate-dependency-targets", ALONE, CC_TARGET, "-MP", "-MP" },

  { "L", "library-path", LETTER, CC_LINK, "-L", "-L" },
  { "l", "library", LETTER, CC_LINK, "-l", "-l" },
  { "Xlinker", "linker-options", VALUE, CC_LINK, "-Xlinker", "-Xlinker " },
  { "shared", "shared", ALONE, CC_LINK, "-shared", "-shared" },
  { "cudart", "cudart", VALUE, CC_LINK, NULL, NULL },
  { "cudadevrt", "cudadevrt", VALUE, CC_LINK, NULL, NULL },
  { "dlink", "device-link", ALONE, CC_LINK, "-r",
    "!" }, // libautotune is for the host's code
  { "lib", "lib", ALONE, CC_LINK, "-r", "-lib" },
  { "r", "relocatable-link", ALONE, CC_LINK, "-r", "-r" },
  { "link", "link", ALONE, CC_LINK, NULL, NULL },
  { "run", "run", ALONE, CC_LINK, NULL, "-run" },
  { "run-args", "run-args", VALUE, CC_LINK, NULL, "-run-args=" },

  { "lineinfo", "generate-line-info", ALONE, CC_OTHER, NULL,
    NULL }, // these begin with the name of a LETTER option
  { "lto", "lto", ALONE, CC_OTHER, NULL, NULL },
  { "objtemp", "objdir-as-tempdir", ALONE, CC_OTHER, NULL, NULL },
  { "g", "debug", ALONE, CC_OTHER, NULL, "-g" },
  { "G", "device-debug", ALONE, CC_OTHER, NULL, NULL },
  { "res-usage", "resource-usage", ALONE, CC_OTHER, NULL, NULL },
  { "src-in-ptx", "source-in-ptx", ALONE, CC_OTHER, NULL, NULL },
  { "allow-unsupported-compiler", "allow-unsupported-compiler", ALONE, CC_OTHER, NULL,
    NULL },
  { "forward-unknown-opts", "forward-unknown-opts", ALONE, CC_OTHER, NULL, NULL },
  { "forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", ALONE,
    CC_OTHER, NULL, NULL },
  { "forward-unknown-to-host-linker", "forward-unknown-to-host-linker", ALONE, CC_OTHER,
    NULL, NULL },
  { "optf", "options-file", VALUE, CC_OTHER, NULL, "@" },
  { "keep", "keep", ALONE, CC_TEMPS, NULL, NULL },
  { "save-temps", "save-temps", ALONE, CC_TEMPS, NULL, "-save-temps" },
  { "keep-dir", "keep-dir", VALUE, CC_TEMPS, NULL, NULL },
  { "Xptxas", "ptxas-options", VALUE, CC_CODE, NULL, NULL },
  { "Xfatbin", "fatbin-options", VALUE, CC_OTHER, NULL, NULL },
  { "Xnvlink", "nvlink-options", VALUE, CC_OTHER, NULL, NULL },
  { "Xarchive", "archive-options", VALUE, CC_OTHER, NULL, NULL },
  { "odir", "output-directory", VALUE, CC_OTHER, NULL, NULL },
  { "arbin", "archiver-binary", VALUE, CC_OTHER, NULL, NULL },
  { "ldir", "libdevice-directory", VALUE, CC_OTHER, NULL, NULL },
  { "target-dir", "target-directory", VALUE, CC_OTHER, NULL, NULL },
  { "opt-info", "optimization-info", VALUE, CC_OTHER, NULL, NULL },
  { "dopt", "dopt", VALUE, CC_OTHER, NULL, NULL },
  { "ftemplate-backtrace-limit", "ftemplate-backtrace-limit", VALUE, CC_OTHER, NULL,
    "-ftemplate-backtrace-limit=" },
  { "ftemplate-depth", "ftemplate-depth", VALUE, CC_OTHER, NULL, "-ftemplate-depth=" },
  { "static-global-template-stub", "static-global-template-stub", VALUE, CC_OTHER, NULL,
    NULL },
  { "device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", VALUE,
    CC_OTHER, NULL, NULL },
  { "t", "threads", LETTER, CC_OTHER, NULL, NULL },
  { "split-compile", "split-compile", VALUE, CC_OTHER, NULL, NULL },
  { "split-compile-extended", "split-compile-extended", VALUE, CC_OTHER, NULL, NULL },
  { "fdevice-time-trace", "fdevice-time-trace", VALUE, CC_OTHER, NULL, NULL },
  { "time", "time", VALUE, CC_OTHER, NULL, NULL },
  { "idp", "input-drive-prefix", VALUE, CC_OTHER, NULL, NULL },
  { "ddp", "dependency-drive-prefix", VALUE, CC_OTHER, NULL, NULL },
  { "dp", "drive-prefix", VALUE, CC_OTHER, NULL, NULL },
  { "e", "entries", VALUE, CC_OTHER, NULL, NULL },
  { "Werror", "Werror", VALUE, CC_OTHER, NULL, NULL },
  { "diag-error", "diag-error", VALUE, CC_OTHER, NULL, NULL },
  { "diag-suppress", "diag-suppress", VALUE, CC_OTHER, NULL, NULL },
  { "diag-warn", "diag-warn", VALUE, CC_OTHER, NULL, NULL },
  { "hls", "host-linker-script", VALUE, CC_OTHER, NULL, NULL },
  { "brief-diag", "brief-diagnostics", VALUE, CC_OTHER, NULL, NULL },
  { "jtd", "jump-table-density", VALUE, CC_OTHER, NULL, NULL },
  { "device-stack-protector", "device-stack-protector", VALUE, CC_OTHER, NULL, NULL },
  { "compress-mode", "compress-mode", VALUE, CC_OTHER, NULL, NULL },
  { "frandom-seed", "frandom-seed", VALUE, CC_OTHER, NULL, "-frandom-seed=" },
  { "sanitize", "sanitize", VALUE, CC_OTHER, NULL, NULL },

  { "M", "generate-dependencies", ALONE, CC_HAND_ON, NULL, "-M" },
  { "MM", "generate-nonsystem-dependencies", ALONE, CC_HAND_ON, NULL, "-MM" },
  { "dryrun", "dryrun", ALONE, CC_HAND_ON, NULL, "-###" },
  { "clean", "clean-targets", ALONE, CC_HAND_ON, NULL, NULL },
  { "code-ls", "list-gpu-code", ALONE, CC_HAND_ON, NULL, NULL },
  { "arch-ls", "list-gpu-arch", ALONE, CC_HAND_ON, NULL, NULL },
  { "h", "help", ALONE, CC_HAND_ON, NULL, "--help" },
  { "V", "version", ALONE, CC_HAND_ON, NULL, "--version" },
};

// Returns the option that WORD begins with. *VALUE is the rest of WORD after its name, or
// NULL.
static const struct nvcc_option *nvcc_option_find(const char *word, const char **value) {
  const char *name = word + 1 + (word[1] == '-');
  size_t n = strcspn(name, "=");
  *value = name[n] ? name + n + 1 : NULL;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const struct nvcc_option *o = &options[i];
    bool same = (strlen(o->brief) == n && strncmp(o->brief, name, n) == 0) ||
        (strlen(o->full) == n && strncmp(o->full, name, n) == 0);
    if (same && (o->form != ALONE || !*value))
      return o;
  }
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    size_t length = strlen(options[i].brief);
    if (options[i].form != LETTER || word[1] == '-' ||
        strncmp(options[i].brief, name, length) != 0)
      continue;
    *value = name + length;
    return &options[i];
  }
  return NULL;
}

bool cc_nvcc_option(const char *word, const char *next, struct cc_arg *a) {
  const char *value;
  const struct nvcc_option *o = nvcc_option_find(word, &value);
  if (!o)
    return false; // for the host's compiler, after --forward-unknown-to-host-compiler
  bool takes = o->form != ALONE && !value;
  a->class = takes && !next ? CC_HAND_ON : o->class; // the value is missing
  a->option = o->as ? o->as : arena_printf("-%s", o->brief);
  a->value = value ? value : takes && next ? next : "";
  if (takes && next)
    a->words[1] = next;
  return true;
}

// Adds the parts of VALUE, split at commas, each after the word OPTION, or JOINED to it.
static void add_each(struct words *w, const char *option, const char *value,
                     bool joined) {
  while (true) {
    size_t n = strcspn(value, ",");
    if (!joined)
      words_add(w, option);
    words_add(w, arena_printf("%s%.*s", joined ? option : "", (int)n, value));
    if (!value[n])
      return;
    value += n + 1;
  }
}

unsigned cc_nvcc_emulate(const char *word, const char *next, struct words *w) {
  const char *value;
  const struct nvcc_option *o = nvcc_option_find(word, &value);
  if (!o)
    return 0;
  bool takes = o->form != ALONE && !value && next;
  value = value ? value : takes ? next : "";
  size_t blank = o->clang ? strcspn(o->clang, " ") : 0;
  if (o->clang && strcmp(o->clang, "!") == 0)
    fatal("--emulate: -%s makes code for a GPU, and here there is none", o->brief);
  else if (o->clang && o->clang[blank])
    add_each(w, arena_copy(o->clang, blank), value, blank == 0);
  else if (o->clang)
    words_add(w, arena_printf("%s%s", o->clang, value));
  return 1 + takes;
}

// ---- arguments for other programs ---------------------------------------------------

static void add_preprocess(struct words *w, const struct cc_arg *a) {
  add_each(w, a->option, a->value, strlen(a->option) == 2);
}

// True if WORD of the host's compiler defines macros that code for a device sees too.
static bool host_defines(const char *word) {
  return word[0] == '-' && word[1] &&
      (strchr("DUIO", word[1]) || strncmp(word, "-fopenmp", 8) == 0 ||
       strcmp(word, "-fno-openmp") == 0);
}

// Adds the words of -Xcompiler A,B; unless ALL is set, only those that define macros.
static void add_host(struct words *w, const char *value, bool all) {
  struct words host = { 0 };
  add_each(&host, "", value, true);
  for (unsigned i = 0; i < host.n; i++) {
    const char *word = host.list[i];
    if (all || host_defines(word))
      words_add(w, word);
  }
}

void cc_nvcc_translator_args(const struct cc_command *c, const struct language *l,
                             struct words *w) {
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct cc_arg *a = &c->args[i];
    if (a->class == CC_PREPROCESS)
      add_preprocess(w, a);
    else if (a->class == CC_CODE && strcmp(a->option, "-Xcompiler") == 0)
      add_host(w, a->value, !l->nvcc);
    else if (a->class == CC_CODE && l->nvcc)
      words_add(w, *a->value ? arena_printf("%s=%s", a->option, a->value) : a->option);
  }
}

void cc_nvcc_to_host(struct words *w, const char *word) {
  words_add(w, "-Xcompiler");
  words_add(w, word);
}
