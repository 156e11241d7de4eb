/* SPDX-License-Identifier: Apache-2.0 */
/* items.h: between the files that make a kernel unit of a .cu file.
 *
 *   items.c         a file cut into declarations and lines of the preprocessor
 *   declaration.c   one of these
 *   include.c       the user's headers in place of their #include; the toolkit's, by what
 *                   they declare
 *   word_set.c      sets of words
 *   reach.c         what the kernel reaches of all that
 *   body.c          the text of one item: kernels become functions, variables pointers
 *   prologue.c      what <stdint.h> and the like would declare
 *   unit.c          the order of the text
 *
 * Files are cut by tokens: a macro that no grammar understands spoils one declaration,
 * not the file. */
#ifndef AUTOTUNE_CUDA_ITEMS_H
#define AUTOTUNE_CUDA_ITEMS_H

#include "cuda.h"

enum item_kind {
  ITEM_CODE, /* a declaration at namespace scope */
  ITEM_OPEN, /* `namespace a {`, `extern "C" {` */
  ITEM_CLOSE,
  ITEM_IF,
  ITEM_ELSE,
  ITEM_ENDIF,
  ITEM_DEFINE,
  ITEM_UNDEF,
  ITEM_INCLUDE, /* of what was not put in its place */
  ITEM_OTHER    /* #pragma, #error, linemarkers */
};

struct cuda_item {
  enum item_kind kind;
  const struct source *s;
  size_t start, end;
  struct slice *names;
  unsigned n_names; /* that it declares; namespaces: none for an unnamed one */
  size_t head_end;  /* where a body or an initialiser begins */
  int scope, chain; /* index of the ITEM_OPEN and the ITEM_IF around it; -1: none */
  int opener;       /* of ITEM_CLOSE, ITEM_ELSE and ITEM_ENDIF */
  bool function, type, operator_function, using_namespace;
  bool reached; /* it goes into the unit; IF and OPEN: something inside does */
  const struct function *own; /* it is the kernel's, or one of its alternatives' */
};
struct cuda_items {
  struct cuda_item *list;
  unsigned n;
};

/* ---- items.c --------------------------------------------------------------------- */

/* The text of S in order, as if nothing but it existed: scope, chain and opener are set
 * by items_nest. */
struct cuda_items items_cut(const struct source *s);
void items_nest(struct cuda_items *items);
const char *items_namespaces(const struct cuda_items *items,
                             const struct cuda_item *i); /* around I: "a::b" */
struct slice item_text(const struct cuda_item *i);
struct slice item_head(const struct cuda_item *i);

/* ---- declaration.c --------------------------------------------------------------- */

struct cutter {
  const struct source *s;
  struct lexer l;
  struct cuda_items items;
};
/* Adds the declaration whose first token is T, which was just read. */
void items_declaration(struct cutter *c, struct token t);
size_t items_offset(const struct cutter *c, const char *p); /* of P in the source */
/* Moves L past the angle brackets that open at its next token. False: none do. */
bool items_skip_angles(struct lexer *l);
/* Behind the bracket that closes the one that was just read. */
void items_skip_group(struct lexer *l);

/* ---- word_set.c ------------------------------------------------------------------ */

enum { WORD_BUCKETS = 8192 };
unsigned word_hash(struct slice word); /* below WORD_BUCKETS */
struct word_set {
  struct slice *list;
  unsigned *next;
  unsigned n;
  unsigned *buckets;
};
bool word_set_has(const struct word_set *w, struct slice word);
bool word_set_add(struct word_set *w, struct slice word); /* false: it was there */

/* ---- include.c ------------------------------------------------------------------- */

/* The folder with cuda_runtime.h; NULL: there is no toolkit. */
const char *toolkit_include(const struct compile_options *o);
/* Headers of the toolkit that were cut, by their path. */
struct toolkit {
  const char *folder; /* NULL: there is none */
  struct header {
    const char *path;
    struct cuda_items items;
  } *headers;
  unsigned n_headers;
};
/* Writes what stands for I in a unit, where that is not itself. False: it is. */
bool toolkit_write(const struct toolkit *t, const struct cuda_item *i,
                   const struct word_set *seen, struct text *out);
/* True if the toolkit's header that I includes, or what that includes, declares one of
 * the words that were seen. */
bool toolkit_declares(struct toolkit *t, const struct cuda_item *i,
                      const struct word_set *seen);

/* ---- reach.c --------------------------------------------------------------------- */

struct cuda_reach {
  const struct kernel *kernels;
  unsigned n_kernels;
  const struct kernel *k;
  struct cuda_items
      items; /* those of the file: what is marked in them lasts until the next kernel */
  struct word_set seen;   /* identifiers of all that is reached */
  struct word_set macros; /* names after `.` and `->`, which only macros can mean */
  struct variable {       /* goes by address */
    struct slice name;
    unsigned item;
    struct slice specifiers, before, behind; /* "float", "*", "[4][8]" */
    const char *qualified;                   /* "a::b::name" */
    bool again; /* other items declare it too: in another branch of an #if, or as `extern`
                 */
    bool constant;
  } *variables;
  unsigned n_variables;
  struct entry {
    struct slice name;
    unsigned item, next;
  } *entries; /* of items by name, from 1 */
  unsigned n_entries, *buckets;
  struct toolkit toolkit;
};
struct cuda_reach *cuda_reach(const struct source *s, const struct kernel *kernels,
                              unsigned n_kernels, const struct kernel *k,
                              struct cuda_items *items, const struct compile_options *o);

/* ---- body.c ---------------------------------------------------------------------- */

/* The item as it stands in the unit, without `#line`. */
void body_write(const struct cuda_reach *r, const struct cuda_item *i, struct text *out);
/* Behind the kernels: the function that is launched. */
void body_entry(const struct cuda_reach *r, struct text *out);

/* ---- prologue.c ------------------------------------------------------------------ */

/* Types and constants of the C library's headers that are among SEEN. */
void prologue_write(const struct cuda_reach *r, struct text *out);
bool prologue_needs_toolkit(const struct cuda_reach *r);

#endif
