/* SPDX-License-Identifier: Apache-2.0 */
/* language.h: the interface between the translator and the languages of files.
 *
 *   language.c    the table of languages; finds a file's language by its name
 *   translate.c   the passes over a file, in their order
 *   c/            C
 *   cxx/          C++, and the parts of it that CUDA C++ has too
 *   cuda/         CUDA C++: __global__ functions, their launches
 *
 * pragma/ and kernel/ read the same pragmas in each language and ask struct language for
 * the rest. To add a language, write a folder with its instance, and add it to the table.
 * A pointer is NULL if a language does not need it, unless its comment says otherwise. */
#ifndef AUTOTUNE_LANGUAGE_H
#define AUTOTUNE_LANGUAGE_H

#include "front/kernel/kernel.h"

/* The state that one pass hands to the next. */
struct translation {
  struct source *s;
  const struct compile_options *o;
  struct pragma *pragmas;
  unsigned n_pragmas;
  struct kernel *kernels;
  unsigned n_kernels;
  unsigned errors; /* number of errors before the passes began */
};

struct expansion;
struct language {
  const char *name;            /* for messages: "C" */
  const char *const *suffixes; /* of its files: ".c"; the first is for standard input */
  const char *const *headers;  /* of its headers: ".hpp"; NULL: none that tell it */
  const char *const *options;  /* its names after -x; NULL-terminated */
  const char *compiler; /* compiles the variants of a kernel that names no compiler */
  bool device; /* its kernels run in blocks of threads on a device, and are launched */

  bool nvcc;      /* nvcc compiles it, and does not pass it to the host's compiler */
  bool cplusplus; /* it is C++, which cut.c cuts */
  /* Of C++: the language as which functions are analysed where it reads them; NULL: none
   * are. */
  const struct language *plain;
  bool late_keys; /* only the compiler knows which arguments are integers */

  /* ---- syntax (source.c, kernel/function.c) ---- */
  const TSLanguage *(*grammar)(void); /* never NULL */
  /* Returns the end of an attribute that the grammar does not know. WORD is its first
   * word, PREVIOUS is before it and L after it. NULL: WORD begins no attribute. */
  const char *(*attribute_end)(struct slice previous, struct slice word, struct lexer l);
  /* Makes more of COPY, the text for the parser, blank; NULL: nothing. */
  void (*prepare)(const struct source *s, char *copy);
  /* Moves L past the text that may precede a declaration: `template <…>`. */
  void (*skip_head)(struct lexer *l);
  /* True if a declaration may continue after the token BEFORE. Keywords of C are handled
   * by the caller. */
  bool (*goes_on_after)(struct slice before);

  /* ---- meaning (kernel/) ---- */
  /* Like the functions of kernel.h; never NULL. */
  bool (*signature_read)(const struct source *s, struct function *f, struct kernel *k);
  bool (*signature_same)(const struct source *s, const struct kernel *k,
                         const struct kernel *alternative);
  /* Returns what results write before the name of K: "lab::grid::". NULL: nothing. */
  const char *(*scope)(const struct kernel *k);
  /* True if A and B, kernels with the same name, are in the same scope. NULL: they always
   * are. */
  bool (*same_scope)(const struct kernel *a, const struct kernel *b);
  /* Clauses that only this language has; ends with a NULL name. */
  const struct clause_reader *clauses;
  void (*clauses_check)(const struct source *s,
                        struct kernel *k); /* called after all clauses are read */
  bool (*clauses_use)(const struct kernel *k,
                      const struct param *p); /* true if the clauses mention P */
  /* False: the compiler does not know V, a value of flags(…); diagnosed. */
  bool (*flags_check)(const struct source *s, const struct value *v);
  /* Diagnoses directives in F that have no meaning in this language. False if there are
   * any. */
  bool (*directives_check)(const struct source *s, const struct pragma *pragmas,
                           unsigned n, const struct function *f);
  /* Like loops_check. NULL: loops stay as written, and are not analysed. */
  void (*loops_check)(const struct source *s, struct kernel *k, struct function *f);
  /* Checks the N kernels of a file together, after all were read without errors. */
  void (*kernels_check)(const struct source *s, struct kernel *kernels, unsigned n);

  /* Gives functions prototypes, before anything else. As heads_rewrite. NULL: they have
   * prototypes. */
  bool (*heads)(struct source *s, const struct pragma *pragmas, unsigned n,
                bool *changed);
  /* Makes functions of kernels that are statements, before the kernels are read. As
   * statements_outline. NULL: kernels are functions. */
  bool (*outline)(struct source *s, const struct pragma *pragmas, unsigned n,
                  const struct compile_options *o, bool *changed);
  /* Finds for which arguments X, the file of the N KERNELS, instantiates those that are
   * templates, and sets their stand-ins. NULL: there are no templates. */
  void (*instances)(struct kernel *kernels, unsigned n, const struct expansion *x,
                    const struct compile_options *o);
  /* The reason why `autotune suggest` has nothing to say about its files. NULL: it has.
   */
  const char *not_suggested;

  /* ---- the way out (emit/, translate.c) ---- */
  /* Completes the kernels of T with facts from the build (types, defaults), and writes
   * the translated file to OUT unless OUT is NULL. Never NULL. False: errors, all
   * diagnosed. */
  bool (*translate)(struct translation *t, struct text *out);
  /* Prints for `autotune check` the facts that only this language's kernels have. */
  void (*print)(const struct source *s, const struct kernel *k);

  /* ---- `autotune cc` ---- */
  /* True if a header with TEXT must be translated with its source even if it holds no
   * kernel, because it launches one of KERNELS (NULL-terminated names) or, if EMULATE,
   * contains anything that `emulate` rewrites. NULL: false. */
  bool (*header_inline)(struct slice text, const char *const *kernels, bool emulate);
  /* Rewrites IN, the translated text of the file at PATH, for a C++ compiler and the
   * emulator's headers, with kernels of ours or without. Lines keep their numbers. NULL:
   * the language is not emulated. */
  void (*emulate)(const char *path, const struct text *in, struct text *out);
  /* Returns the folder of the headers of the language's toolkit, found by the compiler of
   * O; NULL: not there. NULL: the language has no toolkit. */
  const char *(*toolkit)(const struct compile_options *o);
};

extern const struct language language_c, language_cxx, language_cuda;

/* Returns the language of the file at PATH by its suffix; NULL if no language has that
 * suffix. */
const struct language *language_of(const char *path);
/* Returns the language that `-x OPTION` selects; NULL: one that no kernels are in. */
const struct language *language_named(const char *option);
/* Returns the language of files whose name and options do not tell: C. */
const struct language *language_default(void);
/* Returns the language in which compilers of C++ read a file in L. */
const struct language *language_as_cplusplus(const struct language *l);
/* True if the file at PATH is a header, which compilers make no object of. */
bool language_is_header(const char *path);

/* Runs the passes in their order. S is the text to translate, which may differ from the
 * file at S->path: headers with kernels are inline in S, between linemarkers
 * (source_where). A file without pragmas is copied unchanged. False: errors, all
 * diagnosed. */
bool translate_source(struct source *s, const struct compile_options *o,
                      struct text *out);
/* Returns the kernels of S, as written, and their number in *N. S becomes the text in
 * which those that are loops or blocks are functions. *N is 0 after errors, all
 * diagnosed. */
struct kernel *translate_outlined(struct source *s, const struct compile_options *o,
                                  unsigned *n);
/* Runs the passes without writing. Returns the kernels, with the types and defaults that
 * the build gives them. *N is 0 if there were errors. */
const struct kernel *translate_kernels(struct source *s, const struct compile_options *o,
                                       unsigned *n);

#endif
