/* SPDX-License-Identifier: Apache-2.0 */
/* items.h: shared by the files that make the kernel unit of a .cu file.
 *
 *   include.c       puts the user's headers in place of their #include; finds the
 *                   toolkit's headers by the names they declare
 *   reach.c         finds the items that the kernel reaches
 *   instances.c     what the arguments of a template may be
 *   members.c       leaves members out that only the host has
 *   gnu.c           GNU C that NVRTC does not take
 *   body.c          writes one item: kernels become functions, variables pointers
 *   prologue.c      writes the names that <stdint.h> and the like would declare
 *   predefine.c     writes the macros that compilers define by themselves
 *   lacks.c         warns of what NVRTC cannot compile
 *   unit.c          writes the whole unit in its order
 *
 * Files are cut by tokens: a macro that no grammar understands spoils one declaration,
 * not the file. */
#ifndef AUTOTUNE_CUDA_ITEMS_H
#define AUTOTUNE_CUDA_ITEMS_H

#include "cuda.h"
#include "front/reach/cut.h"

/* ---- include.c ------------------------------------------------------------------- */

/* Returns the folder with cuda_runtime.h; NULL: there is no toolkit. */
const char *toolkit_include(const struct compile_options *o);
/* The toolkit's headers that have been cut, by their path. */
struct toolkit {
  const char *folder; /* NULL: there is no toolkit */
  struct header {
    const char *path;
    struct items items;
  } *headers;
  unsigned n_headers;
};
/* Appends the replacement of I in a unit. False: I has none and stays as it is. */
bool toolkit_write(struct toolkit *t, const struct item *i, const struct names *seen,
                   struct text *out);
/* True if the toolkit's header that I includes, or a header included from there, declares
 * one of the words in SEEN. */
bool toolkit_declares(struct toolkit *t, const struct item *i, const struct names *seen);
/* The same for namespaces, which macros may open. */
bool toolkit_opens(struct toolkit *t, const struct item *i, const struct names *spaces);

/* ---- reach.c --------------------------------------------------------------------- */

struct cuda_reach {
  const struct kernel *kernels;
  unsigned n_kernels;
  const struct kernel *k;
  struct items items;  /* the file's; marks in them last until the next kernel */
  struct names seen;   /* identifiers of everything reached */
  struct names macros; /* names after `.` and `->`, which can only mean macros */
  bool functions;      /* the kernel's template has a parameter that may be a function */
  bool pastes;         /* a macro that is reached has `##` */
  struct variable {    /* a variable that the unit uses by address */
    struct slice name;
    unsigned item;
    struct slice specifiers, before, behind; /* "float", "*", "[4][8]" */
    const char *qualified;                   /* "a::b::name" */
    bool again; /* other items declare it too: in another branch of an #if, or as `extern`
                 */
    bool constant;
  } *variables;
  unsigned n_variables;
  struct toolkit *toolkit;
};
struct cuda_reach *cuda_reach(const struct source *s, const struct kernel *kernels,
                              unsigned n_kernels, const struct kernel *k,
                              struct items *items, const struct compile_options *o);
/* True if TEXT holds WORD, directly or through macros of the user's, of which DEPTH have
 * been entered. */
bool reach_mentions(const struct cuda_reach *r, struct slice text, const char *word,
                    unsigned depth);

/* Adds what declares WORD. */
void reach_see_word(struct cuda_reach *r, struct slice word);
/* True if I may be in code for a device. */
bool reach_for_device(const struct cuda_reach *r, const struct item *i);
bool reach_is_variable(const struct item *i);
/* Returns the next item that declares NAME; NULL: no more. *N is NULL at first. */
const struct item *reach_next_item(const struct cuda_reach *r, struct slice name,
                                   const struct name **n);

/* ---- instances.c ----------------------------------------------------------------- */

/* Adds the types named in statements with launches of the kernel, which may be arguments
 * of its template; and the classes of a device that are arguments of any template, with
 * FUNCTIONS its functions too. */
void reach_instances(struct cuda_reach *r, const struct source *s);
void reach_template_arguments(struct cuda_reach *r, const struct source *s);

/* ---- members.c ------------------------------------------------------------------- */

/* Makes members of the class I blank that only the host has, in a copy of its text; sets
 * I's `host`. */
void members_leave_out(const struct cuda_reach *r, struct item *i);

/* ---- gnu.c ----------------------------------------------------------------------- */

/* Text to insert, in the order of the places. */
struct insertions {
  struct insertion {
    const char *at, *text;
  } *list;
  unsigned n;
};
/* Returns what makes closures of the statement expressions in TEXT. */
struct insertions gnu_expressions(struct slice text);

/* ---- body.c ---------------------------------------------------------------------- */

/* Appends the text of the item in the unit, without `#line`. */
void body_write(const struct cuda_reach *r, const struct item *i, struct text *out);
/* Appends, after the kernels, the function that is launched. */
void body_entry(const struct cuda_reach *r, struct text *out);

/* ---- lacks.c --------------------------------------------------------------------- */

/* Warns if the kernel, which is in S, reaches what NVRTC cannot compile. */
void lacks_check(const struct cuda_reach *r, const struct source *s);

/* ---- prologue.c ------------------------------------------------------------------ */

/* Appends the types and constants of the C library's headers that are among the words
 * seen. */
void prologue_write(const struct cuda_reach *r, const struct compile_options *o,
                    struct text *out);
bool prologue_needs_toolkit(const struct cuda_reach *r);
/* True if the user's text declares NAME. */
bool prologue_is_users(const struct cuda_reach *r, const char *name);

/* ---- predefine.c ----------------------------------------------------------------- */

/* Appends definitions of the macros among the words seen that nvcc has by itself, or, not
 * DEFINED, lines that take them back: the toolkit's headers must see NVRTC as it is. */
void predefine_write(const struct cuda_reach *r, const struct compile_options *o,
                     bool defined, struct text *out);

#endif
