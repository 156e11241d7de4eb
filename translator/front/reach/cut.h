/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h: cuts text into items: declarations, and lines of the preprocessor. Text is cut
 * by tokens alone: no grammar knows everything that headers contain, and a macro that no
 * grammar understands spoils one declaration, not the file.
 *
 *   cut.c     one declaration: where it ends, and in C++ the names that it declares
 *   items.c   a file of C++ as written, before the preprocessor
 *   expand.c  C after the preprocessor (unit.h); declare.c reads its declarations */
#ifndef AUTOTUNE_CUT_H
#define AUTOTUNE_CUT_H

#include "names.h"

enum item_kind {
  ITEM_CODE, /* a declaration at file or namespace scope */
  ITEM_OPEN, /* `namespace a {`, `extern "C" {` */
  ITEM_CLOSE,
  ITEM_IF,
  ITEM_ELSE,
  ITEM_ENDIF,
  ITEM_DEFINE,
  ITEM_UNDEF,
  ITEM_INCLUDE, /* an #include that was not replaced by its header */
  ITEM_OTHER    /* #pragma, #error, linemarkers */
};

struct declarator {
  struct slice name;
  /* The rest is read by declare_item. */
  struct slice text;  /* everything except the initialiser */
  struct slice value; /* the initialiser, after '=' */
  bool function;
  bool indirect; /* pointer, array or function */
  bool constant; /* const at its top level */
  bool unsized;  /* `name[]`, whose size the initialiser gives */
};

struct item {
  enum item_kind kind;
  struct slice text;
  const char *body;     /* '{' of a function's definition, else NULL */
  const char *head_end; /* the beginning of its body or initialiser, or the end of TEXT */
  struct slice
      untyped; /* `(a, n)` of the definition `int f(a, n) int n; { … }`; or empty */
  struct declarator *names;
  unsigned n_names;  /* the names it declares; none for an unnamed namespace */
  size_t start, end; /* its place in the source; of preprocessed text whole lines, and END
                        0: it is not in the source */
  /* Of C++, set by cut.c. */
  bool function, type, operator_function, using_namespace;
  /* Of files as written, set by items.c. */
  const struct source *s;
  int scope, chain; /* index of the ITEM_OPEN and the ITEM_IF around it; -1: none */
  int opener;       /* of ITEM_CLOSE, ITEM_ELSE and ITEM_ENDIF */
  bool reached;     /* it goes into the unit; of IF and OPEN: an item inside does */
  bool host;        /* of CUDA: a class that only the host can have; set by members.c */
  const struct function *own; /* the kernel or alternative that it defines, or NULL */
  /* Of preprocessed C, set by declare.c and expand.c. */
  struct slice specifiers,
      type_name; /* type_name: a typedef's name among the specifiers; empty: none */
  bool is_typedef, is_static, is_extern, is_inline, is_thread, is_const;
  bool integer, real, vector; /* by its specifiers' keywords */
  bool implicit;              /* `f(a) { … }`: it has no type, so it returns an int */
  bool system;                /* from a system header */
  unsigned context;    /* the pragmas in force at the item: index in expansion.contexts */
  struct piece *piece; /* the piece that it is part of, which goes into the unit
                          unpreprocessed; or NULL */
};
struct items {
  struct item *list;
  unsigned n;
  struct names names; /* of the items in the list */
};
/* Returns the next item that declares NAME in SPACE, and sets *N, which is NULL at first.
 * NULL: no more. (items.c) */
const struct item *items_named(const struct items *items, enum name_space space,
                               struct slice name, const struct name **n);

/* ---- cut.c ----------------------------------------------------------------------- */

struct cutter {
  struct lexer l;
  bool cplusplus;  /* C++ as written; otherwise preprocessed C */
  bool complete;   /* false: the text ended within the last declaration */
  unsigned closed; /* #endifs in the last declaration whose #if is before it */
};
/* Reads the declaration whose first token is T, which has been read, to its `;` or the
 * end of its body. */
struct item cut_declaration(struct cutter *c, struct token t);
/* Moves L past the angle brackets that open at its next token. False: none open there. */
bool cut_skip_angles(struct lexer *l);
/* Moves L past the bracket that closes the one just read. False: the text ended first. */
bool cut_skip_group(struct lexer *l);
/* Reads `namespace a::b {`, `inline namespace {` or `extern "C" {`, whose first token is
 * T, up to its brace, and sets OPEN's names. False: T begins none of them. (items.c) */
bool cut_scope(struct cutter *c, struct token t, struct item *open);

/* ---- items.c --------------------------------------------------------------------- */

/* Cuts the text of S, without regard to headers. items_complete sets scope, chain and
 * opener, and the table of names, in which the first item of a name is the newest. */
struct items items_cut(const struct source *s);
void items_complete(struct items *items);
void items_nest(struct items *items); /* sets scope, chain and opener alone */
const char *items_namespaces(const struct items *items,
                             const struct item *i); /* the namespaces around I: "a::b" */
struct slice item_head(const struct item *i);

#endif
