/* SPDX-License-Identifier: Apache-2.0 */
/* language.h: what the translator must know of a language in which files are written.
 *
 *   language.c    the table of languages, and which of them a file is in
 *   translate.c   the passes over a file, in their order
 *   c/            C
 *   cuda/         CUDA C++: __global__ functions, their launches
 *
 * pragma/ and kernel/ read the same pragmas in each language and ask struct language for
 * the rest. To add a language, write a folder with its instance, and add it to the table.
 * A pointer is NULL where a language has no such thing, unless it says otherwise. */
#ifndef AUTOTUNE_LANGUAGE_H
#define AUTOTUNE_LANGUAGE_H

#include "front/kernel/kernel.h"

/* What the passes hand on. */
struct translation {
  struct source *s;
  const struct compile_options *o;
  struct pragma *pragmas;
  unsigned n_pragmas;
  struct kernel *kernels;
  unsigned n_kernels;
  unsigned errors; /* that had been diagnosed before */
};

struct language {
  const char *name;            /* for messages: "C" */
  const char *const *suffixes; /* of its files: ".c"; NULL-terminated */
  const char *compiler;        /* makes the variants of a kernel that names no compiler */
  bool device; /* its kernels run in blocks of threads on a device, and are launched */

  /* ---- syntax (source.c, kernel/function.c) ---- */
  const TSLanguage *(*grammar)(void); /* never NULL */
  /* Returns the end of an attribute that the grammar does not know, whose first word is
   * WORD, with PREVIOUS before it and L after it. NULL: it is none. */
  const char *(*attribute_end)(struct slice previous, struct slice word, struct lexer l);
  /* Moves L past what may stand before a declaration: `template <…>`. */
  void (*skip_head)(struct lexer *l);
  /* True if a declaration may go on after the token BEFORE, besides keywords of C. */
  bool (*goes_on_after)(struct slice before);

  /* ---- meaning (kernel/) ---- */
  /* As those of kernel.h; never NULL. */
  bool (*signature_read)(const struct source *s, struct function *f, struct kernel *k);
  bool (*signature_same)(const struct source *s, const struct kernel *k,
                         const struct kernel *alternative);
  /* True if A and B, kernels of one name, are in the same scope. NULL: all are. */
  bool (*same_scope)(const struct kernel *a, const struct kernel *b);
  /* Clauses that only this language has; ends with a NULL name. */
  const struct clause_reader *clauses;
  void (*clauses_check)(const struct source *s,
                        struct kernel *k); /* after all are read */
  bool (*clauses_use)(const struct kernel *k,
                      const struct param *p); /* these mention P */
  /* False: V, of flags(…), is nothing for its compiler; diagnosed. */
  bool (*flags_check)(const struct source *s, const struct value *v);
  /* Diagnoses directives in F that mean nothing in this language. False: there are. */
  bool (*directives_check)(const struct source *s, const struct pragma *pragmas,
                           unsigned n, const struct function *f);
  /* As loops_check. NULL: loops stay as they are written, and are not analysed. */
  void (*loops_check)(const struct source *s, struct kernel *k, struct function *f);
  /* Checks the N kernels of a file together, once all is read without errors. */
  void (*kernels_check)(const struct source *s, struct kernel *kernels, unsigned n);

  /* ---- the way out (emit/, translate.c) ---- */
  /* Completes the kernels of T with what the build gives them, and writes the translated
   * file to OUT, unless that is NULL. Never NULL. False: errors, all diagnosed. */
  bool (*translate)(struct translation *t, struct text *out);
  /* `autotune check`: prints what only this language's kernels have. */
  void (*print)(const struct source *s, const struct kernel *k);
};

extern const struct language language_c, language_cuda;

/* The language of the file at PATH, by its name; C where no suffix tells. */
const struct language *language_of(const char *path);

/* The passes in their order. S is the text to translate, which is not always that of the
 * file at S->path: headers with kernels are inline in it, between linemarkers
 * (source_where). A file without pragmas comes out as it is. False: errors, all
 * diagnosed.
 */
bool translate_source(struct source *s, const struct compile_options *o,
                      struct text *out);
/* The same without writing: the kernels, with the types and defaults that the build gives
 * them. *N is 0 where there were errors. */
const struct kernel *translate_kernels(struct source *s, const struct compile_options *o,
                                       unsigned *n);

#endif
