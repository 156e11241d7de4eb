// SPDX-License-Identifier: Apache-2.0
// args.c: reads the command line of gcc and clang, as far as `autotune cc` needs it.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc.h"
#include "front/lang/language.h"

enum form {
  ALONE,    // -c
  JOINED,   // -std=c17; -g, which may have a value in the same word
  SEPARATE, // -include FILE
  EITHER    // -DX and -D X
};

// The longest name that matches is used. An option that is missing here stands alone.
static const struct option {
  const char *name;
  enum form form;
  enum cc_class class;
} options[] = {
  { "-o", EITHER, CC_OUTPUT },
  { "--output=", JOINED, CC_OUTPUT },
  { "-c", ALONE, CC_MODE },
  { "-S", ALONE, CC_MODE },
  { "-E", ALONE, CC_MODE },
  { "-fsyntax-only", ALONE, CC_MODE },
  { "-x", EITHER, CC_LANGUAGE },
  { "--language=", JOINED, CC_LANGUAGE },

  { "-D", EITHER, CC_PREPROCESS },
  { "-U", EITHER, CC_PREPROCESS },
  { "-I", EITHER, CC_PREPROCESS },
  { "-F", EITHER, CC_PREPROCESS },
  { "-A", EITHER, CC_PREPROCESS },
  { "-iquote", EITHER, CC_PREPROCESS },
  { "-isystem", EITHER, CC_PREPROCESS },
  { "-idirafter", EITHER, CC_PREPROCESS },
  { "-include", EITHER, CC_PREPROCESS },
  { "-imacros", EITHER, CC_PREPROCESS },
  { "-iprefix", EITHER, CC_PREPROCESS },
  { "-iwithprefix", EITHER, CC_PREPROCESS },
  { "-iwithprefixbefore", EITHER, CC_PREPROCESS },
  { "-include-pch", SEPARATE, CC_PREPROCESS },
  { "-imultilib", SEPARATE, CC_PREPROCESS },
  { "-ivfsoverlay", SEPARATE, CC_PREPROCESS },
  { "-nostdinc", ALONE, CC_PREPROCESS },
  { "-undef", ALONE, CC_PREPROCESS },
  { "-Wp,", JOINED, CC_PREPROCESS },
  { "-Xpreprocessor", SEPARATE, CC_PREPROCESS },
  { "-trigraphs", ALONE, CC_PREPROCESS },

  { "-std=", JOINED, CC_CODE },
  { "--std=", JOINED, CC_CODE },
  { "-ansi", ALONE, CC_CODE },
  { "-f", JOINED, CC_CODE },
  { "-m", JOINED, CC_CODE },
  { "-O", JOINED, CC_CODE },
  { "-mllvm", SEPARATE, CC_OTHER },
  { "-pthread", ALONE, CC_CODE },
  { "--param", SEPARATE, CC_OTHER },
  { "--sysroot", SEPARATE, CC_CODE },
  { "--sysroot=", JOINED, CC_CODE },
  { "-isysroot", EITHER, CC_CODE },
  { "-target", SEPARATE, CC_CODE },
  { "--target=", JOINED, CC_CODE },
  { "--gcc-toolchain=", JOINED, CC_CODE },
  { "-traditional-cpp", ALONE, CC_CODE },
  { "-fopenmp", ALONE, CC_OPENMP },
  { "-fopenmp=", JOINED, CC_OPENMP },
  { "-fno-openmp", ALONE, CC_OPENMP },

  { "-MD", ALONE, CC_DEPEND },
  { "-MMD", ALONE, CC_DEPEND },
  { "-MF", EITHER, CC_DEPEND },
  { "-Wp,-MD,", JOINED, CC_DEPEND },
  { "-Wp,-MMD,", JOINED, CC_DEPEND },
  { "-MT", EITHER, CC_TARGET },
  { "-MQ", EITHER, CC_TARGET },
  { "-MP", ALONE, CC_TARGET },
  { "-Wp,-MT,", JOINED, CC_TARGET },
  { "-Wp,-MQ,", JOINED, CC_TARGET },
  { "-Wp,-MP", ALONE, CC_TARGET },
  { "-save-temps", JOINED, CC_TEMPS },
  { "--save-temps", JOINED, CC_TEMPS },

  { "-L", EITHER, CC_LINK },
  { "-l", EITHER, CC_LINK },
  { "-Wl,", JOINED, CC_LINK },
  { "-Xlinker", SEPARATE, CC_LINK },
  { "-T", EITHER, CC_LINK },
  { "-u", EITHER, CC_LINK },
  { "-z", EITHER, CC_LINK },
  { "-e", EITHER, CC_LINK },
  { "-s", ALONE, CC_LINK },
  { "-r", ALONE, CC_LINK },
  { "-shared", ALONE, CC_LINK },
  { "-static", ALONE, CC_LINK },
  { "-static-pie", ALONE, CC_LINK },
  { "-static-libgcc", ALONE, CC_LINK },
  { "-static-libasan", ALONE, CC_LINK },
  { "-rdynamic", ALONE, CC_LINK },
  { "-pie", ALONE, CC_LINK },
  { "-no-pie", ALONE, CC_LINK },
  { "-nostdlib", ALONE, CC_LINK },
  { "-nodefaultlibs", ALONE, CC_LINK },
  { "-nostartfiles", ALONE, CC_LINK },
  { "-nolibc", ALONE, CC_LINK },
  { "-fuse-ld=", JOINED, CC_LINK },
  { "--ld-path=", JOINED, CC_LINK },
  { "-symbolic", ALONE, CC_LINK },
  { "-framework", SEPARATE, CC_LINK },
  { "-rpath", SEPARATE, CC_LINK },
  { "-emit-llvm", ALONE, CC_OTHER },

  { "-B", EITHER, CC_OTHER },
  { "-specs=", JOINED, CC_OTHER },
  { "-G", EITHER, CC_OTHER },
  { "-arch", SEPARATE, CC_OTHER },
  { "-wrapper", SEPARATE, CC_OTHER },
  { "-aux-info", SEPARATE, CC_OTHER },
  { "-dumpbase", SEPARATE, CC_OTHER },
  { "-dumpbase-ext", SEPARATE, CC_OTHER },
  { "-dumpdir", SEPARATE, CC_OTHER },
  { "-Xclang", SEPARATE, CC_OTHER },
  { "-Xassembler", SEPARATE, CC_OTHER },
  { "-serialize-diagnostics", SEPARATE, CC_OTHER },
  { "--serialize-diagnostics", SEPARATE, CC_OTHER },
  { "-MJ", EITHER, CC_OTHER },
  { "-Xcuda-ptxas", SEPARATE, CC_OTHER },
  { "-Xcuda-fatbinary", SEPARATE, CC_OTHER },
  { "-Xarch_device", SEPARATE, CC_OTHER },
  { "-Xoffload-linker", SEPARATE, CC_LINK },
  { "-Xarch_host", SEPARATE, CC_OTHER },
  { "-Xopenmp-target", SEPARATE, CC_OTHER },

  { "-M", ALONE, CC_HAND_ON },
  { "-MM", ALONE, CC_HAND_ON },
  { "-###", ALONE, CC_HAND_ON },
  { "--version", ALONE, CC_HAND_ON },
  { "--help", JOINED, CC_HAND_ON },
  { "-print-", JOINED, CC_HAND_ON },
  { "--print-", JOINED, CC_HAND_ON },
  { "-dumpversion", ALONE, CC_HAND_ON },
  { "-dumpmachine", ALONE, CC_HAND_ON },
  { "-dumpspecs", ALONE, CC_HAND_ON },
  { "-dumpfullversion", ALONE, CC_HAND_ON },
  { "-cc1", ALONE, CC_HAND_ON },
};

void words_add(struct words *w, const char *word) {
  *GROW(w->list, w->n) = word;
}

void words_add_arg(struct words *w, const struct cc_arg *a) {
  for (int i = 0; i < 2 && a->words[i]; i++)
    words_add(w, a->words[i]);
}

const char *const *words_end(struct words *w) {
  words_add(w, NULL);
  w->n--;
  return w->list;
}

// ---- @files -------------------------------------------------------------------------

// Returns one word as libiberty's buildargv does: blanks end it, quotes and backslashes
// are removed.
static const char *response_word(const char **at, const char *end) {
  struct text word = { 0 };
  char quote = 0;
  const char *p = *at;
  text_add(&word, "", 0);
  for (; p < end && (quote || !isspace((unsigned char)*p)); p++) {
    if (*p == '\\' && p + 1 < end)
      text_add(&word, ++p, 1);
    else if (quote && *p == quote)
      quote = 0;
    else if (!quote && (*p == '\'' || *p == '"'))
      quote = *p;
    else
      text_add(&word, p, 1);
  }
  *at = p;
  return word.data;
}

static void add_expanded(struct words *out, const char *word, unsigned depth);

// Adds the words of the file at PATH. False: it cannot be read.
static bool args_add_file(struct words *out, const char *path, unsigned depth) {
  struct source *s = depth < 16 ? source_read(path) : NULL;
  if (!s)
    return false;
  const char *p = s->text, *end = p + s->size;
  while (true) {
    while (p < end && isspace((unsigned char)*p))
      p++;
    if (p == end)
      return true;
    add_expanded(out, response_word(&p, end), depth + 1);
  }
}

// Adds WORD, or for @FILE the words in it. An @FILE that cannot be read is added as it
// is, as gcc does.
static void add_expanded(struct words *out, const char *word, unsigned depth) {
  if (word[0] != '@' || !word[1] || !args_add_file(out, word + 1, depth))
    words_add(out, word);
}

// Handles nvcc's `--options-file FILE` and `-optf=FILE`. False: WORD is another option.
static bool add_options_file(struct words *out, const char *word, const char *next,
                             bool *took_next) {
  static const char *const names[] = { "--options-file", "-optf", NULL };
  for (const char *const *n = names; *n; n++) {
    size_t size = strlen(*n);
    if (strncmp(word, *n, size) != 0 || (word[size] && word[size] != '='))
      continue;
    *took_next = !word[size] && next;
    const char *path = word[size] ? word + size + 1 : next;
    return path && args_add_file(out, path, 0);
  }
  return false;
}

// ---- the compiler -------------------------------------------------------------------

// True if WORD is a program that runs the compiler named by the next word.
static bool is_launcher(const char *word) {
  static const char *const names[] = { "ccache",     "sccache", "distcc", "icecc",
                                       "buildcache", "gomacc",  "recc",   "nice",
                                       "time",       NULL };
  return slice_in(slice_of(path_name(word)), names);
}

static void args_read_compiler(struct cc_command *c, int argc, char **argv) {
  int i = 0;
  // The word after `ccache` is a compiler unless it is an option, or a file to compile
  // where ccache itself is linked to gcc's name: such a file has a suffix.
  while (i + 1 < argc && is_launcher(argv[i]) && argv[i + 1][0] != '-' &&
         argv[i + 1][0] != '@')
    words_add(&c->compiler, argv[i++]);
  words_add(&c->compiler, argv[i]);
  words_end(&c->compiler);
  const char *name = path_name(argv[i]);
  c->clang = strstr(name, "clang") || strcmp(name, "icx") == 0;
  c->nvcc = strncmp(name, "nvcc", 4) == 0;
  c->musl = strstr(name, "musl") != NULL;
  c->cplusplus = strstr(name, "++") || strcmp(name, "icpx") == 0;
}

// ---- arguments ----------------------------------------------------------------------

static bool args_fits(const struct option *o, const char *word) {
  size_t n = strlen(o->name);
  if (strncmp(o->name, word, n) != 0)
    return false;
  return o->form == JOINED || o->form == EITHER || word[n] == '\0';
}

static const struct option *args_option_find(const char *word) {
  const struct option *best = NULL;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (args_fits(&options[i], word) &&
        (!best || strlen(options[i].name) > strlen(best->name)))
      best = &options[i];
  return best;
}

static void args_read_args(struct cc_command *c, const struct words *words) {
  bool only_inputs = false;
  c->dashes = UINT32_MAX;
  for (unsigned i = c->compiler.n; i < words->n; i++) {
    const char *word = words->list[i];
    struct cc_arg a = {
      .class = CC_OTHER, .option = word, .value = "", .words = { word, NULL }
    };
    const struct option *o;
    if (only_inputs || word[0] != '-' || word[1] == '\0') {
      a = (struct cc_arg){ CC_INPUT, "", word, { word, NULL } };
    } else if (strcmp(word, "--") == 0) {
      only_inputs = true;
      c->dashes = c->n_args;
    } else if (c->nvcc) {
      if (cc_nvcc_option(word, i + 1 < words->n ? words->list[i + 1] : NULL, &a))
        i += a.words[1] != NULL;
    } else if ((o = args_option_find(word)) != NULL) {
      bool next = o->form == SEPARATE || (o->form == EITHER && !word[strlen(o->name)]);
      a.class = next && i + 1 == words->n ? CC_HAND_ON : o->class; // the value is missing
      a.option = o->name;
      a.value = word + strlen(o->name);
      if (next && i + 1 < words->n)
        a.value = a.words[1] = words->list[++i];
    }
    *GROW(c->args, c->n_args) = a;
  }
  if (c->dashes == UINT32_MAX)
    c->dashes = c->n_args;
}

// ---- meaning of the arguments -------------------------------------------------------

// Returns the language of the kernels that the source at PATH may hold, where -x says
// LANGUAGE (or NULL). NULL: it can hold none.
static const struct language *args_written_in(const struct cc_command *c,
                                              const char *path, const char *language) {
  const struct language *own = language_of(path);
  if (c->emulate && own && own->emulate)
    return own;
  if (language)
    own = language_named(language);
  else if (language_is_header(path)) // it is to be precompiled
    return NULL;
  else if (own && c->cplusplus) // g++ compiles .c files as C++
    own = language_as_cplusplus(own);
  return own;
}

// The kind of a file that can hold no kernels.
static enum cc_kind args_other_kind(const char *path, const char *language) {
  if (language)
    return CC_OTHER_SOURCE;
  const char *dot = strrchr(path_name(path), '.');
  static const char *const sources[] = { ".i",  ".s",   ".S",   ".sx",  ".ii", ".h",
                                         ".hh", ".hpp", ".H",   ".m",   ".mm", ".mi",
                                         ".f",  ".f90", ".F",   ".F90", ".d",  ".go",
                                         ".bc", ".ll",  ".asm", NULL };
  if (dot && slice_in(slice_of(dot), sources))
    return CC_OTHER_SOURCE;
  return strcmp(path, "-") == 0 ? CC_OTHER_SOURCE : CC_BINARY;
}

// -E beats -fsyntax-only beats -S beats -c, wherever they stand.
static void args_read_mode(struct cc_command *c, const char *option) {
  enum cc_mode m = strcmp(option, "-c") == 0 ? CC_MODE_COMPILE
      : strcmp(option, "-S") == 0            ? CC_MODE_ASSEMBLE
      : strcmp(option, "-E") == 0            ? CC_MODE_PREPROCESS
                                             : CC_MODE_SYNTAX;
  static const unsigned char rank[] = { [CC_MODE_LINK] = 0,
                                        [CC_MODE_COMPILE] = 1,
                                        [CC_MODE_ASSEMBLE] = 2,
                                        [CC_MODE_SYNTAX] = 3,
                                        [CC_MODE_PREPROCESS] = 4 };
  if (rank[m] > rank[c->mode])
    c->mode = m;
}

static void read_depend(struct cc_command *c, const struct cc_arg *a) {
  if (strcmp(a->option, "-MF") == 0) {
    c->depend_file = a->value;
    return;
  }
  c->depend = true;
  c->depend_user |= strstr(a->option, "-MMD") != NULL;
  if (*a->value) { // -Wp,-MD,FILE[,…]
    size_t n = strcspn(a->value, ",");
    c->depend_file = arena_copy(a->value, n);
    c->depend_raw = true;
  }
}

static void read_input(struct cc_command *c, unsigned arg, const char *language) {
  const char *path = c->args[arg].value;
  const struct language *written_in = args_written_in(c, path, language);
  enum cc_kind kind = written_in ? CC_KERNELS : args_other_kind(path, language);
  *GROW(c->inputs, c->n_inputs) =
      (struct cc_input){ arg, path, language, kind, written_in };
  c->n_sources += kind != CC_BINARY;
}

static void read_link(struct cc_command *c, const char *option) {
  c->is_static |= strcmp(option, "-static") == 0 || strcmp(option, "-static-pie") == 0;
  c->relocatable |= strcmp(option, "-r") == 0;
}

// True if this option makes compilers warn about linemarkers.
static bool is_pedantic(const char *word) {
  static const char *const all[] = { "-pedantic",
                                     "--pedantic",
                                     "-pedantic-errors",
                                     "--pedantic-errors",
                                     "-Wpedantic",
                                     "-Werror=pedantic",
                                     "-Wgnu",
                                     "-Weverything",
                                     NULL };
  return slice_in(slice_of(word), all);
}

struct cc_command *cc_command_read(int argc, char **argv, bool emulate) {
  struct cc_command *c = arena_alloc(sizeof *c);
  c->emulate = emulate;
  c->original = argv;
  args_read_compiler(c, argc, argv);
  struct words words = { 0 };
  for (int i = 0; i < argc; i++) {
    bool took_next = false;
    if (!c->nvcc)
      add_expanded(&words, argv[i], 0);
    else if (!add_options_file(&words, argv[i], argv[i + 1], &took_next))
      words_add(&words, argv[i]);
    i += took_next;
  }
  args_read_args(c, &words);
  const char *language = NULL;
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct cc_arg *a = &c->args[i];
    switch (a->class) {
    case CC_INPUT:
      read_input(c, i, language);
      break;
    case CC_LANGUAGE:
      language = strcmp(a->value, "none") == 0 ? NULL : a->value;
      break;
    case CC_MODE:
      args_read_mode(c, a->option);
      break;
    case CC_OUTPUT:
      c->output = a->value;
      break;
    case CC_OPENMP:
      c->openmp = strcmp(a->option, "-fno-openmp") != 0;
      break;
    case CC_DEPEND:
      read_depend(c, a);
      break;
    case CC_TARGET:
      c->target |= strcmp(a->option, "-MP") != 0;
      break;
    case CC_LINK:
      read_link(c, a->option);
      break;
    case CC_HAND_ON:
      c->hand_on = true;
      break;
    default:
      c->pedantic |= is_pedantic(a->words[0]);
      break;
    }
  }
  return c;
}
