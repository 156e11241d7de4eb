/* SPDX-License-Identifier: Apache-2.0 */
/* unit.h: between the files that read C as its compiler sees it, and find what a kernel
 * reaches of it.
 *
 *   feed.c         the file as its preprocessor gets it: params stay identifiers
 *   preprocess.c   runs the unit's compiler with -E -dD
 *   declare.c      one declaration: its specifiers, declarators, tags
 *   expand.c       the whole output, cut into declarations and macro definitions
 *   classify.c     types behind typedefs; defaults of params from headers and -D
 *   flags.c        are flags(…) of the compiler's
 *   reach.c        what a kernel reaches of it
 * emit/unit.c writes that as text. */
#ifndef AUTOTUNE_UNIT_H
#define AUTOTUNE_UNIT_H

#include "front/front.h"

/* ---- feed.c ---------------------------------------------------------------------- */

/* Lines of the file whose meaning depends on a param (`#if MR > 4`): they go into the
 * unit as they are, whenever something in them is reached. Offsets of whole lines. */
struct piece {
  size_t start, end;
  size_t order;
  bool usable;
};

struct feed {
  struct text text;
  struct piece *chains;
  unsigned n_chains; /* #if … #endif on a param, outermost such */
};
struct feed feed_make(const struct source *s, const struct kernel *kernels, unsigned n);
/* What `#define NAME` says where P has its default value, "" where nobody says. */
const char *feed_default(const struct source *s, const struct kernel *k,
                         const struct param *p);
/* [START, END) without `#pragma autotune`, and without definitions of params; lines stay.
 */
void feed_raw(const struct source *s, const struct kernel *kernels, unsigned n,
              size_t start, size_t end, struct text *out);
/* The param of that name in any of the kernels. */
const struct param *feed_param(const struct kernel *kernels, unsigned n,
                               struct slice name);

/* ---- preprocess.c ---------------------------------------------------------------- */

/* NULL: it failed, and said why. */
char *preprocess(const struct feed *f, const struct kernel *kernels, unsigned n,
                 const char *compiler, const struct compile_options *o, size_t *size);
/* The build's own flags that make code, for struct unit. */
const char **preprocess_flags(const struct compile_options *o, unsigned *n);

/* ---- declare.c ------------------------------------------------------------------- */

struct declarator {
  struct slice name;
  struct slice text;  /* all but the initialiser */
  struct slice value; /* the initialiser, after '=' */
  bool function;
  bool indirect; /* pointer, array or function */
  bool constant; /* const at its top level */
  bool unsized;  /* `name[]`, its size known from the initialiser */
};
struct item { /* one declaration at file scope */
  struct slice text;
  const char *body;                   /* '{' of a function's definition, else NULL */
  struct slice specifiers, type_name; /* type_name: of a typedef used; empty: none */
  struct declarator *names;
  unsigned n_names;
  bool is_typedef, is_static, is_extern, is_inline, is_thread, is_const;
  bool integer, real, vector; /* by its specifiers' keywords */
  bool system;                /* from a system header */
  size_t start, end;          /* lines it takes up in the source; END 0: not there */
  unsigned context; /* pragmas that were in force: index of struct expansion's contexts */
  struct piece *piece; /* goes raw into the unit, as part of this */
};
struct expansion;
/* Reads item->text, fills in the rest, and names it in X (which may be NULL). */
void declare_item(struct expansion *x, struct item *item, unsigned index);
struct token declare_lex(struct lexer *l); /* as lex, but skips directives */
/* The word after which `(` belongs to no declarator: __attribute__, __asm__ … */
bool declare_attribute(struct slice word);
/* Behind the group that opens at the lexer's next token; that is not taken unless it
 * opens one. */
void declare_skip_group(struct lexer *l);

/* ---- flags.c --------------------------------------------------------------------- */

/* Diagnoses the flags(…) of K that Clang does not know. */
void flags_check(const struct source *s, const struct kernel *k,
                 const struct compile_options *o);

/* ---- expand.c -------------------------------------------------------------------- */

enum name_space { NAME_ORDINARY, NAME_TAG, NAME_MACRO };
struct name {
  struct slice text;
  enum name_space space;
  unsigned index, next;
};
struct macro {
  struct slice name, text; /* TEXT from '#' to the end of its line */
  size_t order;            /* offset in the compiler's output */
  bool undefined;          /* an #undef */
  bool builtin, function;
  bool ours; /* stands in the source itself */
  struct piece *piece;
};
struct context {
  struct slice pack;
  struct slice *options;
  unsigned n_options;
};

#define NAME_BUCKETS 32768
struct expansion {
  const struct source *source;
  const struct kernel *kernels;
  unsigned n_kernels;
  const char *compiler;
  struct feed feed;
  struct slice text;
  struct item *items;
  unsigned n_items;
  struct macro *macros;
  unsigned n_macros;
  struct context *contexts;
  unsigned n_contexts;
  struct slice *sticky;
  unsigned n_sticky; /* #pragma STDC … of the user's */
  struct name *names;
  unsigned n_names; /* from 1 */
  unsigned buckets[NAME_BUCKETS];
  struct slice *threads;
  unsigned n_threads; /* #pragma omp threadprivate(…) */
};
void expand_name(struct expansion *x, enum name_space space, struct slice text,
                 unsigned index);
/* The newest name so spelled, or the next older one after N; NULL: no more. */
const struct name *expand_find(const struct expansion *x, enum name_space space,
                               struct slice text, const struct name *n);
/* The definition in force at ORDER, or NULL. */
const struct macro *expand_macro(const struct expansion *x, struct slice name,
                                 size_t order);
/* The item that defines function F of the file; NULL: an #if leaves F out. */
const struct item *expand_function(const struct expansion *x, const struct function *f);
/* The same, by where it stands alone: macros may have made another name of F's. */
const struct item *expand_defined_at(const struct expansion *x, const struct function *f);
bool expand_thread_local(const struct expansion *x, struct slice name);

/* ---- classify.c ------------------------------------------------------------------ */

/* "AUTOTUNE_F16" and the like where _Generic cannot tell what ARG points to; else NULL.
 */
const char *classify_element(const struct expansion *x, const struct kernel *k,
                             unsigned arg);
/* The key of a kernel that has none: its integer arguments. */
void classify_key(struct kernel *k);
/* Defaults of params that a header's #define gives, or -DNAME=VALUE. */
void adopt_headers(struct kernel *k, const struct expansion *x);
void adopt_options(struct kernel *k, const struct compile_options *o);

/* ---- reach.c --------------------------------------------------------------------- */

enum how { HOW_NOT, HOW_TEXT, HOW_STATIC, HOW_EXTERN, HOW_OWN, HOW_PIECE };
struct raw { /* text that the variant's compiler preprocesses: a function, a piece */
  struct slice text;
  size_t order;
  const struct piece *piece;
  unsigned *macros;
  unsigned n_macros;
};
struct reach {
  const struct expansion *x;
  const struct kernel *k;
  unsigned char *how; /* enum how of each item */
  struct raw *raws;
  unsigned n_raws;
  struct tag {
    struct slice name;
    bool is_union;
  } *tags;
  unsigned n_tags;
  struct symbol *symbols;
  unsigned n_symbols;
  unsigned *queue;
  unsigned n_queue; /* items to look into */
  size_t order;     /* of the text that is being looked into, in the compiler's output */
};
/* Finds all that K reaches; raws[0] is the kernel, then its alternatives, then MORE,
 * unless it is empty: text that means what it would mean at the kernel. */
struct reach *reach_kernel(const struct source *s, const struct kernel *k,
                           const struct expansion *x, struct slice more);

/* ---- unit.c: item INDEX of what R reaches, as the compiler saw it ---------------- */
void unit_write_item(const struct source *s, const struct reach *r, unsigned index,
                     struct text *out);

/* ---- factors.c ------------------------------------------------------------------- */

struct factor { /* of the constraint: the parts between && */
  struct slice
      text; /* with the factors before it where it could not be evaluated without them */
  bool *looks; /* at which params */
  unsigned n_looks;
  struct step {
    const char *op;
    unsigned index;
    double number;
  } *steps; /* struct autotune_step */
  unsigned n_steps;
  struct slice *leaves;
  unsigned n_leaves;
};
struct factor *factors_of(const struct expansion *x, const struct kernel *k, unsigned *n);

/* ---- loops/footprint.c ----------------------------------------------------------- */

/* True if K has a footprint. */
bool footprint_applies(const struct kernel *k);
/* Appends statements that add it up in autotune_most, where params are spelled
 * autotune_v[I] and arguments by their names. */
void footprint_write(const struct source *s, const struct kernel *k, struct text *out);

#endif
