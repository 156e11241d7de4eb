// SPDX-License-Identifier: Apache-2.0
// emulate.c: `autotune cc --emulate COMPILER ARGS…`: turns the command line of nvcc,
// or of a C++ compiler, into one of Clang's that makes a program for the CPU.
#include <string.h>

#include "cc.h"

enum what {
  DROP,        // a flag of nvcc's that means nothing on the CPU
  DROP_VALUE,  // the same with a value: in the next word, or after '='
  DROP_PREFIX, // all words that begin with the name
  SPELL,       // becomes WORD
  SPELL_VALUE, // becomes WORD and the value in one word
  PASS_VALUES, // becomes the value, split at commas, with WORD (unless "") before each
               // part
  REFUSE
};
// The options of nvcc; each is accepted with one dash or two.
struct rule {
  const char *name;
  enum what what;
  const char *word;
};
static const struct rule any_compiler[] = {
  { "lcudart", DROP_PREFIX, NULL }, { "lcuda", DROP, NULL },
  { "lcudadevrt", DROP, NULL },     { "lnvrtc", DROP_PREFIX, NULL },
  { "cuda-", DROP_PREFIX, NULL },   { "offload-arch=", DROP_PREFIX, NULL },
};
static const struct rule nvcc[] = {
  { "arch", DROP_VALUE, NULL },
  { "gpu-architecture", DROP_VALUE, NULL },
  { "code", DROP_VALUE, NULL },
  { "gpu-code", DROP_VALUE, NULL },
  { "gencode", DROP_VALUE, NULL },
  { "generate-code", DROP_VALUE, NULL },
  { "maxrregcount", DROP_VALUE, NULL },
  { "ccbin", DROP_VALUE, NULL },
  { "compiler-bindir", DROP_VALUE, NULL },
  { "allow-unsupported-compiler", DROP, NULL },
  { "Xptxas", DROP_VALUE, NULL },
  { "ptxas-options", DROP_VALUE, NULL },
  { "Xnvlink", DROP_VALUE, NULL },
  { "nvlink-options", DROP_VALUE, NULL },
  { "Xfatbin", DROP_VALUE, NULL },
  { "fatbin-options", DROP_VALUE, NULL },
  { "rdc", DROP_VALUE, NULL },
  { "relocatable-device-code", DROP_VALUE, NULL },
  { "cudart", DROP_VALUE, NULL },
  { "cudadevrt", DROP_VALUE, NULL },
  { "default-stream", DROP_VALUE, NULL },
  { "t", DROP_VALUE, NULL },
  { "threads", DROP_VALUE, NULL },
  { "split-compile", DROP_VALUE, NULL },
  { "diag-suppress", DROP_VALUE, NULL },
  { "diag-warn", DROP_VALUE, NULL },
  { "diag-error", DROP_VALUE, NULL },
  { "Werror", DROP_VALUE, NULL },
  { "ftz", DROP_VALUE, NULL },
  { "prec-div", DROP_VALUE, NULL },
  { "prec-sqrt", DROP_VALUE, NULL },
  { "fmad", DROP_VALUE, NULL },
  { "use_fast_math", DROP, NULL },
  { "lineinfo", DROP, NULL },
  { "generate-line-info", DROP, NULL },
  { "G", DROP, NULL },
  { "device-debug", DROP, NULL },
  { "expt-", DROP_PREFIX, NULL },
  { "extended-lambda", DROP, NULL },
  { "res-usage", DROP, NULL },
  { "resource-usage", DROP, NULL },
  { "keep", DROP, NULL },
  { "dlto", DROP, NULL },
  { "extra-device-vectorization", DROP, NULL },
  { "restrict", DROP, NULL },
  { "source-in-ptx", DROP, NULL },
  { "forward-unknown-", DROP_PREFIX, NULL },

  { "dc", SPELL, "-c" },
  { "device-c", SPELL, "-c" },
  { "compile", SPELL, "-c" },
  { "shared", SPELL, "-shared" },
  { "debug", SPELL, "-g" },
  { "preprocess", SPELL, "-E" },
  { "output-file", PASS_VALUES, "-o" },
  { "std", SPELL_VALUE, "-std=" },
  { "optimize", SPELL_VALUE, "-O" },
  { "define-macro", SPELL_VALUE, "-D" },
  { "undefine-macro", SPELL_VALUE, "-U" },
  { "include-path", SPELL_VALUE, "-I" },
  { "library-path", SPELL_VALUE, "-L" },
  { "library", SPELL_VALUE, "-l" },
  { "pre-include", PASS_VALUES, "-include" },
  { "options-file", SPELL_VALUE, "@" },
  { "optf", SPELL_VALUE, "@" },
  { "Xcompiler", PASS_VALUES, "" },
  { "compiler-options", PASS_VALUES, "" },
  { "Xlinker", PASS_VALUES, "-Xlinker" },
  { "linker-options", PASS_VALUES, "-Xlinker" },

  { "ptx", REFUSE, NULL },
  { "cubin", REFUSE, NULL },
  { "fatbin", REFUSE, NULL },
  { "dlink", REFUSE, NULL },
  { "device-link", REFUSE, NULL },
};

// True if WORD, without its dashes, matches R: alone, or with a value after '='.
static bool emulate_fits(const struct rule *r, const char *word) {
  size_t n = strlen(r->name);
  if (strncmp(word, r->name, n) != 0)
    return false;
  bool valued = r->what == DROP_VALUE || r->what == SPELL_VALUE || r->what == PASS_VALUES;
  return r->what == DROP_PREFIX || word[n] == '\0' || (valued && word[n] == '=');
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct rule *emulate_rule_of(const char *word, bool is_nvcc) {
  if (word[0] != '-' || word[1] == '\0')
    return NULL;
  word += 1 + (word[1] == '-');
  for (size_t i = 0; i < COUNT(any_compiler); i++)
    if (emulate_fits(&any_compiler[i], word))
      return &any_compiler[i];
  for (size_t i = 0; is_nvcc && i < COUNT(nvcc); i++)
    if (emulate_fits(&nvcc[i], word))
      return &nvcc[i];
  return NULL;
}

static void emulate_add_values(struct words *w, const char *before, const char *values) {
  while (*values) {
    size_t n = strcspn(values, ",");
    if (*before)
      words_add(w, before);
    words_add(w, arena_copy(values, n));
    values += n + (values[n] == ',');
  }
}

static void emulate_apply(const struct rule *r, const char *value, struct words *w) {
  switch (r->what) {
  case DROP:
  case DROP_VALUE:
  case DROP_PREFIX:
    break;
  case SPELL:
    words_add(w, r->word);
    break;
  case SPELL_VALUE:
    words_add(w, arena_printf("%s%s", r->word, value));
    break;
  case PASS_VALUES:
    emulate_add_values(w, r->word, value);
    break;
  case REFUSE:
    fatal("--emulate: -%s makes code for a GPU, and here there is none", r->name);
  }
}

static bool ends_in(const char *word, const char *suffix) {
  const char *dot = strrchr(word, '.');
  return word[0] != '-' && dot && strcmp(dot, suffix) == 0;
}

static void emulate_add_file(struct words *w, const char *language, const char *file) {
  words_add(w, "-x");
  words_add(w, language);
  words_add(w, file);
  words_add(w, "-x");
  words_add(w, "none");
}

// True for `-x cu`, which is dropped: files named .cu need none. *N is the number of
// words. Other languages are kept.
static bool is_language(const char *word, const char *next, unsigned *n) {
  bool joined = strcmp(word, "-xcu") == 0 || strcmp(word, "-xcuda") == 0 ||
      strcmp(word, "--x=cu") == 0;
  bool two = (strcmp(word, "-x") == 0 || strcmp(word, "--x") == 0) && next &&
      (strcmp(next, "cu") == 0 || strcmp(next, "cuda") == 0);
  *n = joined ? 1 : two ? 2 : 0;
  return joined || two;
}

char **cc_emulate_command(int *argc, char **argv, const char *clang) {
  struct words w = { 0 };
  const char *slash = strrchr(argv[0], '/');
  bool all_cuda = false, by_name = true,
       is_nvcc = strstr(slash ? slash : argv[0], "nvcc") != NULL;
  words_add(&w, clang);
  words_add(&w, "--driver-mode=g++");
  words_add(&w, "-isystem"); // launches in the emulator's own headers are not rewritten
  words_add(&w, arena_printf("%s/autotune-emulate", cc_include_folder()));
  words_add(&w, "-DAUTOTUNE_EMULATE");
  words_add(&w, "-Wno-unknown-warning-option");
  words_add(&w, "-Wno-pass-failed"); // Clang warns of each loop that it does not unroll
  words_add(&w, "-Wno-unused-command-line-argument"); // `-x none` at the end
  for (int i = 1; i < *argc; i++) {
    const char *word = argv[i], *next = i + 1 < *argc ? argv[i + 1] : NULL,
               *equals = strchr(word, '=');
    const struct rule *r = emulate_rule_of(word, is_nvcc);
    unsigned n;
    if (is_language(word, next, &n)) {
      all_cuda = true;
      i += (int)n - 1;
    } else if (r) {
      bool valued = r->what == DROP_VALUE || r->what == SPELL_VALUE ||
          r->what == PASS_VALUES;
      bool behind = valued && !equals && next;
      emulate_apply(r, behind ? next : equals ? equals + 1 : "", &w);
      i += behind;
    } else if (ends_in(word, ".cu") ||
               (all_cuda && word[0] != '-' && strcmp(argv[i - 1], "-o") != 0)) {
      emulate_add_file(&w, "c++", word);
    } else if (is_nvcc && by_name && ends_in(word, ".c")) {
      emulate_add_file(&w, "c", word); // a C++ compiler would compile it as C++
    } else {
      by_name = by_name && strncmp(word, "-x", 2) != 0 && strncmp(word, "--x", 3) != 0;
      words_add(&w, word);
    }
  }
  *argc = (int)w.n;
  return (char **)(uintptr_t)words_end(&w);
}
