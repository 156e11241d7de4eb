/* SPDX-License-Identifier: Apache-2.0 */
/* include.h: paths, directives, and the files that #include finds, without a
 * preprocessor. All parts that look for the user's headers use it: `autotune cc`, the
 * kernel units of CUDA, the check of names in clauses. */
#ifndef AUTOTUNE_INCLUDE_H
#define AUTOTUNE_INCLUDE_H

#include "front/front.h"

/* ---- paths ----------------------------------------------------------------------- */

const char *path_name(const char *path);   /* the part after the last '/' */
const char *path_folder(const char *path); /* the part before it; "": PATH has none */
/* Returns FOLDER/NAME as a compiler writes it. */
char *path_join(const char *folder, struct slice name);
/* True if A and B name the same file, which exists. */
bool path_same(const char *a, const char *b);
bool path_is_file(const char *path); /* a regular file that may be read */
/* Sets *TEXT to the contents of the regular file at PATH, mapped until exit, without a
 * byte order mark. False: it cannot be read; *TEXT is empty. */
bool path_map(const char *path, struct slice *text);

/* ---- directives (directive.c) ------------------------------------------------------ */

struct directive {
  size_t offset, end;      /* of its line, with the newline and continued lines */
  struct slice word, rest; /* "include", "<stdio.h> // …\n" */
};
/* Finds the next directive at or after *AT and moves *AT past it. False: there is
 * none. */
bool directive_next(struct slice text, size_t *at, struct directive *d);

/* ---- includes -------------------------------------------------------------------- */

struct include_folders { /* in the order of the command line */
  const char **quote, **angle;
  unsigned n_quote, n_angle;
};
/* Returns the name in "…" or <…> that REST, the text after `#include`, begins with;
 * empty: a macro names the file. */
struct slice include_name(struct slice rest, bool *quoted);
/* Returns the path of the file that an #include of NAME finds. QUOTED: it is searched in
 * OWN, the folder of the including file (NULL: not there), and in the folders for quoted
 * names first. NULL: it is in none of the folders. */
const char *include_find(const struct include_folders *f, const char *own,
                         struct slice name, bool quoted);
bool include_is_once(const struct directive *d); /* #pragma once */
/* The reason why a header has an effect only once: #pragma once; all of its directives
 * stand within #ifndef X, #define X … #endif. */
enum include_once { ONCE_NOT, ONCE_PRAGMA, ONCE_GUARD };
enum include_once include_once(struct slice text);

#endif
