/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h: proves facts about a function's loops, arrays and variables.
 *
 *   basis.h     polynomials, names and loops: poly.c, solve.c, usage.c, live.c, nest.c,
 *               read.c
 *   writes.c    what a kernel writes and no section of it names
 *   view.c      replaces the macros in a function
 *   plainer.c   forms of C++ as C says them
 *   constant.c  enumerators and constants of the file
 *   scan.c      collects a function's loops, arrays, accesses and assignments
 *   arrays.c    the arrays that declarations make
 *   alias.c     variables that point to a row
 *   member.c    members of structs that arguments are or point to
 *   sums.c      assignments whose order does not matter
 *   type.c      the sizes of the integers in an expression
 *   value.c     expressions in terms of loops and arguments; ranges of loops
 *   split.c     turns A[i * n + j] into A[i][j] if 0 <= j < n can be proven
 *   depend.c    direction vectors: which iterations depend on which
 *   fission.c   whether a body's parts may have loops of their own
 *   trial.h     directives against which iterations depend on each other: carried.c,
 *               order.c, reorder.c, trial.c
 *   unwritten.c outputs that the kernel never writes
 *   section.c   the array sections that a function reads and writes
 *   show.c      polynomials and conditions as text
 *   met.c       conditions that hold whenever the loops around them run
 *   short.c     declared sections that leave out a part of what is written
 *   rows.c      the same where pointers lead to rows
 *
 * From view.c on the files work on a struct model, which scan.c makes of a function.
 *
 * Each answer is safe: code that is not understood depends on everything and has no
 * sections. */
#ifndef AUTOTUNE_ANALYSIS_H
#define AUTOTUNE_ANALYSIS_H

#include "front/analysis/basis.h"

struct expansion;

/* ---- writes.c -------------------------------------------------------------------- */

struct unit;
/* Warns of what K writes and no section of it names, as far as the text shows it for
 * certain. UNIT: one of K's. */
void writes_check(const struct source *s, const struct kernel *k,
                  const struct expansion *x, const struct unit *unit);

/* ---- view.c ---------------------------------------------------------------------- */

/* A function with its macros replaced, except those that stand for an integer. */
struct view {
  struct source *source;    /* the file's variables that it mentions stand before F */
  struct function function; /* in SOURCE; without directives */
  struct span {             /* SOURCE from AT on corresponds to the file from FROM on */
    size_t at, from;
    bool written; /* false: a macro at FROM produced the text */
  } *spans;
  unsigned n_spans;
};
/* F is a function of K. Returns NULL if the replaced text differs from what the
 * preprocessor makes of F. */
struct view *view_of(const struct source *s, const struct expansion *x,
                     const struct kernel *k, const struct function *f);
/* Returns the offset in the file of AT, an offset in the view. *WRITTEN: the text is the
 * file's own, not made by a macro. */
size_t view_offset(const struct view *v, size_t at, bool *written);
/* Returns the integer that NAME stands for as a macro in F; empty: it is no such
 * macro. */
struct slice view_number(const struct expansion *x, const struct function *f,
                         struct slice name);

/* ---- plainer.c ------------------------------------------------------------------- */

/* If WORD, read from L after BEFORE, begins a form of C++ that C says in another way, or
 * is a parameter of the template K, appends that to OUT and moves L after the form.
 * Otherwise returns false. */
bool plainer_take(struct lexer *l, struct slice before, struct slice word,
                  const struct kernel *k, struct text *out);
/* If PAREN, read from L, begins `(&x)` of K's argument `T (&x)`, to which nothing else
 * leads, appends what makes it an argument of C, and moves L after it: x itself where the
 * kernel does not change x; otherwise a pointer to a copy, with FIRST and LAST as the
 * first and last statements. The same for `&x` of `T &x`, if PAREN is that `&`: other
 * arguments may lead to x, and the pointer's name says so. Otherwise returns false. */
#define PLAINER_ALIAS "autotune_at_"
bool plainer_reference(struct lexer *l, const struct kernel *k, struct slice paren,
                       struct text *out, struct text *first, struct text *last);

/* ---- constant.c ------------------------------------------------------------------ */

/* Sets *VALUE to the integer that NAME stands for, an enumerator or a constant variable
 * at file scope, and *TYPE to the words of its type unless that is NULL. False: it is
 * neither, its value is not in sight, or several scopes declare the name. */
bool constant_of(const struct expansion *x, struct slice name, long long *value,
                 struct slice *type);

/* Sets *VALUE to that of TEXT, an expression of numbers and such names. False: it is not
 * known, or no `int`. */
bool constant_value(const struct expansion *x, struct slice text, long long *value);

/* ---- scan.c ---------------------------------------------------------------------- */

#define MAX_SUBSCRIPTS 4

struct iter { /* a loop whose iterations can be analysed */
  struct iter *outer;
  TSNode node;
  struct dim dim;
  unsigned atom;     /* grows by one from iteration to iteration */
  struct poly value; /* of its variable, in terms of ATOM and the loops around it */
  struct poly from;  /* the first value of ATOM */
  struct poly to;    /* the last value of ATOM; unknown if the step is not 1 */
  struct poly left;  /* >= 0 as long as the loop runs */
  bool conditional;  /* the loop may be skipped */
};
struct array {
  struct slice name;
  int arg;            /* index of the kernel's argument, or -1 */
  bool local, global; /* declared in the function; at file scope */
  bool member;        /* of a struct: NAME is `p.x` or `p->x` */
  TSNode home;   /* the block that declares a local array; otherwise its declaration */
  unsigned rank; /* number of subscripts that an element takes; 0: unknown */
  struct slice bounds[MAX_SUBSCRIPTS]; /* as declared; empty: not declared */
  bool restricted;
  bool rows; /* pointers lead to the rows: `double **a`. These are taken to be apart */
  bool read, written;
  TSNode handed; /* where it is passed to code that is not analysed; or null */
  /* set by split.c: from the innermost subscript on */
  struct poly strides[MAX_SUBSCRIPTS];
  unsigned n_strides;
  const char *why; /* the reason why the array cannot be analysed; NULL: it can */
  TSNode at;       /* the place that shows this */
};
struct access {
  struct array *array;
  TSNode node;
  TSNode again;      /* the other x of `x = x + e`, which is one access; or null */
  struct iter *loop; /* the innermost loop around the access, or NULL */
  bool read, write, conditional;
  char sum; /* '+', '*': `A[i] += e`, which may run in any order; or 0 */
  struct poly index[MAX_SUBSCRIPTS];
  unsigned n;
  struct poly first; /* the first subscript as written */
  const char *why;   /* not NULL: an index is not affine, for this reason */
};
struct scalar { /* an assignment to a variable that is not an array */
  struct slice name;
  TSNode node;
  char op; /* '=', or the '+', '-', '*' of `s += e` and the like */
};
struct note {
  TSNode at;
  const char *text;
};
struct model {
  struct usage u; /* of the view if there is one */
  const struct source *source;
  const struct view *view;         /* NULL: the function uses no macros */
  const struct function *function; /* in SOURCE */
  struct kernel *k;
  const struct expansion *x; /* meaning of typedefs and macros; NULL: unknown */
  struct slice atoms[MAX_ATOMS];
  bool is_loop[MAX_ATOMS];
  bool is_natural[MAX_ATOMS],
      is_positive[MAX_ATOMS]; /* it stands for a number >= 0, > 0 */
  unsigned n_atoms;
  struct iter **iters;
  unsigned n_iters;
  struct note *unranged; /* the other loops, and why their iterations are not known */
  unsigned n_unranged;
  struct array **arrays;
  unsigned n_arrays;
  struct access *accesses;
  unsigned n_accesses;
  struct scalar *scalars;
  unsigned n_scalars;
  bool calls;            /* the function calls functions, of math.h or others */
  unsigned in_variable;  /* > 0 while the value of a variable is read */
  bool jumps;            /* it has break, return or goto: an access may be skipped */
  struct note *refusals; /* code that could not be analysed */
  unsigned n_refusals;
  struct poly *assumed; /* each is >= 0 in the calls of which anything is proven */
  unsigned n_assumed;
};
/* Analyses F of K; K's args must be set. X may be NULL if F uses no macro. Never returns
 * NULL. */
struct model *scan_function(const struct source *s, struct kernel *k, struct function *f,
                            const struct expansion *x);
/* True for functions of math.h that only compute. */
bool model_is_pure(struct slice name);
struct slice model_text(const struct model *m, TSNode node);
/* Returns the offset of NODE in SOURCE. *WRITTEN (unless NULL): the text is not made by a
 * macro. */
size_t model_offset(const struct model *m, TSNode node, bool *written);
void model_refuse(struct model *m, TSNode at, const char *why);
struct iter *model_iter(const struct model *m, TSNode loop); /* NULL: not analysed */
/* Adds the facts that hold wherever the body of LOOP runs: the ranges of LOOP and of the
 * loops around it, and the signs of numbers with names. Their values are no facts: a
 * proof is to hold as well when somebody changes them. LOOP may be NULL. */
void model_facts(const struct model *m, const struct iter *loop, struct system *s);

/* ---- arrays.c -------------------------------------------------------------------- */

/* Reads D, a declarator such as `A[n][m]`, `*A`, `(*A)[m]`, into A. Returns false if D
 * declares no array. */
bool array_read(const struct model *m, TSNode d, struct array *a);
/* Adds a copy of A and returns it. If M has another array of the same name, neither can
 * be analysed. */
struct array *array_add(struct model *m, struct array a);
/* Adds the arrays among the arguments of the function NODE. */
void array_read_arguments(struct model *m, TSNode node);
/* Returns the array of that name that was added last, or NULL. */
struct array *array_find(const struct model *m, struct slice name);
/* Adds the array that NAME is in a declaration of the file, and returns it; NULL: no
 * array. */
struct array *array_find_global(struct model *m, struct slice name);
/* Marks A as impossible to analyse, for the reason WHY, seen at AT. */
void array_refuse(struct array *a, TSNode at, const char *why);

/* ---- alias.c --------------------------------------------------------------------- */

/* Returns the only value of NAME, a variable of the function that points to a row of an
 * argument: `a[j]`; null: it is none. */
TSNode alias_value(const struct model *m, struct slice name);
/* Returns the array to a row of which the variable AT points, a use of it in the loop
 * SCOPE, and stores the subscripts of that row in ROW; NULL: it is not known. */
struct array *alias_array(struct model *m, TSNode at, struct iter *scope,
                          struct poly *row);

/* ---- member.c -------------------------------------------------------------------- */

struct ctype;
/* Sets *OUT to the struct that WORDS name; of C++ only one like C's, which no operator of
 * the program takes. False: they name something else. */
bool member_struct(const struct expansion *x, struct slice words, struct ctype *out);
/* Sets *TYPE and *PATH, the text without blanks, of N, a member of an argument that does
 * not change. False: it is none. */
bool member_read(const struct model *m, TSNode n, struct ctype *type, struct slice *path);
/* Returns the array of numbers that such a member is or points to; NULL: none. */
struct array *member_array(struct model *m, TSNode n);
/* Returns the condition under which ATOM, of M, can be read: the pointers on the way to
 * it that a call may not follow, "g && g->p"; NULL: each call reads it anyway. */
const char *member_condition(const struct model *m, struct slice atom);

/* ---- sums.c ---------------------------------------------------------------------- */

/* Returns '+', '-' or '*' if the assignment N is `s += e` or `s = s + e`, E does not read
 * S, and no rounding makes the order of the additions matter; otherwise '='. */
char sum_of_variable(const struct model *m, TSNode n);
/* Returns '+' or '*' if N is `A[i] += e`, `A[i] = A[i] + e` or `A[i] = e + A[i]`, and E,
 * which is stored in *ADDED, does not read A; otherwise 0. */
char sum_of_element(const struct model *m, TSNode n, TSNode *added);

/* ---- type.c ---------------------------------------------------------------------- */

struct integer_type {
  unsigned size; /* in bytes */
  bool is_unsigned, known;
};
struct integer_type model_type(const struct model *m, struct slice type);
/* Returns the size in bytes of the smallest unsigned number in E, at least 4; 0: E has no
 * unsigned number. */
unsigned model_unsigned(const struct model *m, TSNode e, const struct iter *scope);

/* ---- value.c --------------------------------------------------------------------- */

/* Sets *VALUE to the integer that NAME, no variable of the function, stands for: a macro,
 * an enumerator or a constant. False: none. */
bool model_number(const struct model *m, struct slice name, long long *value);
/* Returns P with the numbers for which macros and constants stand in this build. */
struct poly value_known(const struct model *m, struct poly p);
/* Returns the type of the function's variable or argument NAME; empty: it has no such
 * variable, or several. */
struct slice declared_type(const struct model *m, struct slice name);
/* Returns E, which stands in the loop SCOPE, in terms of loops and of values that do not
 * change. */
struct poly value_of_expression(struct model *m, TSNode e, struct iter *scope);
/* Fills value, from, to and left of I. Returns NULL, or the reason why that is
 * impossible. */
const char *value_range(struct model *m, struct iter *i);

/* ---- split.c --------------------------------------------------------------------- */

void split_arrays(struct model *m);
/* Splits other subscripts, too, if that is right in calls in which each of M's ASSUMED,
 * to which it adds, is >= 0. */
void split_assume(struct model *m);

/* ---- depend.c -------------------------------------------------------------------- */

#define MAX_LEVELS 6
struct vectors {
  struct vector {
    /* 1: a later iteration, -1: an earlier one, 0: the same */
    signed char at[MAX_LEVELS];
    bool sum; /* the two iterations may be exchanged, but not run at the same time */
    const struct array *array; /* in which they meet */
  } *list;
  unsigned n, levels;
  const char *why; /* not NULL: everything may depend on everything, for this reason … */
  TSNode at;       /* … seen here */
};
/* Returns the vectors of the N loops of CHAIN, each nested directly in the one before,
 * for one iteration of the loops around them. */
struct vectors depend(struct model *m, struct iter *const *chain, unsigned n);
/* True if Y may touch an element in an iteration of the N loops CHAIN, and X the same one
 * in a later iteration. depend_why_not must be NULL for both. */
bool depend_goes_back(struct model *m, struct iter *const *chain, unsigned n,
                      const struct access *x, const struct access *y);
/* Returns the reason why X's subscripts do not determine the element in iterations of
 * INNER and the loops around it; NULL: they do. */
const char *depend_why_not(const struct access *x, const struct iter *inner);
/* True if an access in IN writes A. */
bool depend_is_written(const struct model *m, const struct array *a, TSNode in);

/* ---- fission.c ------------------------------------------------------------------- */

/* Returns NULL if the N loops CHAIN may be divided into the N_PARTS nests PARTS, of
 * focus_parts; otherwise the reason, and sets *AT to its place. */
const char *fission_why_not(struct model *m, struct iter *const *chain, unsigned n,
                            const struct focus *parts, unsigned n_parts, TSNode *at);

/* ---- carried.c ------------------------------------------------------------------- */

/* Warns of directives of K that run iterations at the same time, or in another order,
 * although these certainly depend on each other. */
void carried_check(const struct source *s, struct kernel *k, const struct expansion *x);

/* ---- section.c ------------------------------------------------------------------- */

struct ends { /* what one access touches of one subscript */
  const struct access *x;
  struct system facts;
  struct poly low, last; /* the first and last value, in names of the source */
  struct poly *guards;
  unsigned n_guards; /* these are touched if each of these is >= 0 … */
  bool certain;      /* … and this is true */
};
/* Fills R for the value INDEX in X. BOTH: the guards are of both ends, otherwise of the
 * last one. Returns NULL, or the reason why an end is unknown. */
const char *section_reach(struct model *m, const struct access *x, struct poly index,
                          bool both, struct ends *r);
/* True if all conditions around X hold whenever its loops run. */
bool condition_is_met(struct model *m, const struct access *x);
/* True if a condition around X compares the variable of a loop: it may keep X within the
 * array, whose end is then before the end of the loop. */
bool section_is_kept_in(const struct model *m, const struct access *x);

/* ---- rows.c ---------------------------------------------------------------------- */

/* Adds to X the dimensions of A, an array with rows. Adds to ASSUMED what must be >= 0
 * for all of them to be touched. Returns NULL, or the reason why that is impossible, and
 * sets *AT to its place. *BEYOND: as in struct sections. */
struct section;
const char *rows_section(struct model *m, const struct array *a, struct section *x,
                         struct ends *assumed, TSNode *at, TSNode *beyond);

/* ---- sections -------------------------------------------------------------------- */

struct sections {
  struct section *list;
  unsigned n;
  /* the condition under which anything is touched: "n > 0"; or NULL */
  const char *assumed;
  TSNode row;      /* a subscript that could not be proven to stay in its row; or null */
  TSNode beyond;   /* what reads an end of a section if a condition lets it; or null */
  const char *why; /* not NULL: LIST is incomplete for this reason … */
  TSNode at;       /* … seen here */
};
/* Returns the sections that the function reads and writes. GUARDED: lengths are 0 if the
 * loops do not run. */
struct sections sections_infer(struct model *m, bool guarded);
/* Returns the condition that each of the N polynomials LIST is >= 0, as a C expression in
 * names of the source that is right whatever their types are; NULL: there is none. */
const char *conditions_text(const struct model *m, const struct poly *list, unsigned n);
enum poly_use {             /* of a polynomial's text, in names of integers of any type */
                POLY_PLAIN, /* people read it */
                POLY_VALUE, /* as long long it is the polynomial's value */
                POLY_COMPARED /* it is one of two numbers that are compared */
};
/* Returns P as a C expression in names of the source. */
const char *poly_text(const struct model *m, struct poly p, enum poly_use use);
/* Returns how A and B are written in a comparison: plainly if their types are no matter.
 */
enum poly_use poly_compared(const struct model *m, struct poly a, struct poly b);
/* Warns of outputs of K whose sections are certainly less than what K writes.
 * (short.c) */
void short_check(const struct source *s, struct kernel *k, const struct expansion *x);
/* Returns the array that X is of: c of `c[0:n]` and of `*c`. */
struct slice section_array(const struct section *x);
/* Warns of outputs that K never writes. (unwritten.c) */
void unwritten_check(const struct source *s, struct kernel *k, const struct expansion *x);
/* If K is to be verified but has no sections and returns nothing, gives it those that can
 * be proven: all of them or none. */
void sections_adopt(const struct source *s, struct kernel *k, const struct expansion *x);

#endif
