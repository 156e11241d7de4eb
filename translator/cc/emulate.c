// SPDX-License-Identifier: Apache-2.0
// emulate.c: `autotune cc --emulate COMPILER ARGS…`: turns the command line of nvcc,
// or of a C++ compiler, into one of Clang's that makes a program for the CPU.
#include <string.h>

#include "cc.h"
#include "front/lang/language.h"

// True for an option of any compiler that means nothing on the CPU.
static bool emulate_drops(const char *word) {
  static const char *const names[] = { "lcuda", "lcudadevrt", NULL };
  static const char *const beginnings[] = { "lcudart", "lnvrtc", "cuda-",
                                            "offload-arch=", NULL };
  if (word[0] != '-' || word[1] == '\0')
    return false;
  word += 1 + (word[1] == '-');
  for (const char *const *b = beginnings; *b; b++)
    if (strncmp(word, *b, strlen(*b)) == 0)
      return true;
  return slice_in(slice_of(word), names);
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

// Adds the toolkit's folders after the emulator's: its C++ libraries (CCCL), which are in
// a folder of their own from 13 on, and headers that the emulator has none of, such as
// cuComplex.h.
static void emulate_add_toolkit(struct words *w, const char *const *compiler) {
  const char *include =
      language_of("x.cu")->toolkit(&(struct compile_options){ .compiler = compiler });
  if (!include)
    return;
  const char *libraries = arena_printf("%s/cccl", include);
  if (path_is_file(arena_printf("%s/thrust/version.h", libraries))) {
    words_add(w, "-isystem");
    words_add(w, libraries);
  }
  words_add(w, "-idirafter");
  words_add(w, include);
}

// Returns the folder of `-I FOLDER` if it has a toolkit's headers: before the emulator's
// they would be found in place of those. *N is the number of words.
static const char *emulate_toolkit_folder(const char *word, const char *next,
                                          unsigned *n) {
  const char *folder = strcmp(word, "-I") == 0 ? next
      : strncmp(word, "-I", 2) == 0            ? word + 2
                                               : NULL;
  *n = folder == next ? 2 : 1;
  return folder && path_is_file(arena_printf("%s/cuda_runtime.h", folder)) &&
          path_is_file(arena_printf("%s/driver_types.h", folder))
      ? folder
      : NULL;
}

char **cc_emulate_command(int *argc, char **argv, const char *clang) {
  struct words w = { 0 };
  bool all_cuda = false, by_name = true;
  bool is_nvcc = strstr(path_name(argv[0]), "nvcc") != NULL;
  words_add(&w, clang);
  words_add(&w, "--driver-mode=g++");
  words_add(&w, "-isystem"); // launches in the emulator's own headers are not rewritten
  words_add(&w, arena_printf("%s/autotune-emulate", cc_include_folder()));
  emulate_add_toolkit(&w, (const char *const[]){ argv[0], NULL });
  words_add(&w, "-DAUTOTUNE_EMULATE");
  words_add(&w, "-Wno-unknown-warning-option");
  words_add(&w, "-Wno-pass-failed"); // Clang warns of each loop that it does not unroll
  words_add(&w, "-Wno-unused-command-line-argument"); // `-x none` at the end
  for (int i = 1; i < *argc; i++) {
    const char *word = argv[i], *next = i + 1 < *argc ? argv[i + 1] : NULL;
    unsigned n;
    if (is_language(word, next, &n)) {
      all_cuda = true;
      i += (int)n - 1;
      continue;
    }
    const char *folder = emulate_toolkit_folder(word, next, &n);
    if (folder) { // it may have other headers of the user's
      words_add(&w, "-idirafter");
      words_add(&w, folder);
      i += (int)n - 1;
      continue;
    }
    by_name = by_name && strncmp(word, "-x", 2) != 0 && strncmp(word, "--x", 3) != 0;
    if (emulate_drops(word))
      continue;
    n = is_nvcc && word[0] == '-' ? cc_nvcc_emulate(word, next, &w) : 0;
    if (n > 0) {
      i += (int)n - 1;
    } else if (ends_in(word, ".cu") ||
               (all_cuda && word[0] != '-' && strcmp(argv[i - 1], "-o") != 0)) {
      emulate_add_file(&w, "c++", word);
    } else if (is_nvcc && by_name && ends_in(word, ".c")) {
      emulate_add_file(&w, "c", word); // a C++ compiler would compile it as C++
    } else {
      words_add(&w, word);
    }
  }
  *argc = (int)w.n;
  return (char **)(uintptr_t)words_end(&w);
}
