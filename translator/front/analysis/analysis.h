/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h: proves facts about a function's loops, arrays and variables.
 *
 *   poly.c      integer polynomials in names: bounds and subscripts
 *   solve.c     decides whether a system of inequalities has an integer solution
 *   usage.c     finds where names are declared and changed
 *   live.c      decides whether a variable is read before it is written
 *   nest.c      reads a `for` in OpenMP's canonical form, and the loop in it
 *   read.c      reads an expression of the source as a polynomial
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
 *   section.c   the array sections that a function reads and writes
 *   rows.c      the same where pointers lead to rows
 *
 * The first six do not use the others: directives on loops (front/loops) need no more.
 * From view.c on the files work on a struct model, which scan.c makes of a function.
 *
 * Each answer is safe: code that is not understood depends on everything and has no
 * sections. */
#ifndef AUTOTUNE_ANALYSIS_H
#define AUTOTUNE_ANALYSIS_H

#include "front/front.h"

struct expansion;

/* ---- poly.c ---------------------------------------------------------------------- */

/* A product of at most eight atoms. Each byte holds an atom's number + 1, sorted; 0 is
 * the product 1. An atom is an operand that is not split further: a name, or a loop's
 * iteration. */
typedef uint64_t monomial;
struct poly {
  struct term {
    monomial m;
    int64_t c; /* the coefficient */
  } *terms;
  unsigned n;
  bool known; /* false: not a polynomial, or one that is too large */
};
extern const struct poly poly_unknown;
struct poly poly_int(int64_t c);
struct poly poly_atom(unsigned atom);
struct poly poly_add(struct poly a, struct poly b, int64_t times); /* a + times * b */
struct poly poly_mul(struct poly a, struct poly b);
bool poly_same(struct poly a, struct poly b);
bool poly_is_int(struct poly p, int64_t *c);
bool poly_has(struct poly p, unsigned atom);
/* Splits P: P = coefficient * ATOM + *REST. Returns the coefficient; unknown if ATOM is
 * multiplied by itself. */
struct poly poly_coefficient(struct poly p, unsigned atom, struct poly *rest);
/* The same, but ATOM may be multiplied by itself: then the coefficient contains it
 * too. */
struct poly poly_lower(struct poly p, unsigned atom, struct poly *rest);
struct poly poly_replace(struct poly p, unsigned atom, struct poly by);
/* Returns P with DELTA added to the number of each atom for which MOVED is set. */
struct poly poly_rename(struct poly p, const bool *moved, unsigned n, unsigned delta);
/* Divides P by BY: P = quotient * BY + *REST, with integer coefficients. Returns the
 * quotient. */
struct poly poly_divide(struct poly p, struct poly by, struct poly *rest);

/* ---- solve.c --------------------------------------------------------------------- */

struct system {
  struct fact {
    struct poly p;
    bool equal; /* p == 0; otherwise p >= 0 */
  } *facts;
  unsigned n;
};
void system_add(struct system *s, struct poly p, bool equal);
/* False if no integers fulfil S. True also if that cannot be decided. */
bool system_feasible(const struct system *s);
/* True if P >= 0 wherever S holds. False also if that cannot be decided. */
bool system_implies(const struct system *s, struct poly p);

/* ---- usage.c --------------------------------------------------------------------- */

/* A function, and the places where names are declared and changed in it. */
struct usage {
  const struct source *s;
  const struct function *f;
  struct declared {
    struct slice name;
    TSNode node; /* the declarator, a child of the declaration or parameter */
  } *declared;
  unsigned n_declared;
  struct change {
    struct slice name;
    TSNode node; /* the assignment, `++`, `--`, `&x` or `*x` */
    enum { PART_WHOLE, PART_MEMBER, PART_ELEMENT } part; /* x, x.y, x[…] or x[…].y */
    enum { BY_ASSIGNMENT, BY_ADDRESS, BY_POINTER } how;  /* =, ++, --; &x; *x */
    bool counter; /* the change is the initialiser of a `for`: i = … */
  } *changes;
  unsigned n_changes;
};
/* Collects F's names from the tree below FROM, which may hold more than F. */
struct usage usage_of(const struct source *s, const struct function *f, TSNode from);
/* True if NODE may change NAME or a part of it. */
bool usage_changes(const struct usage *u, TSNode node, struct slice name);
bool usage_declares(const struct usage *u, TSNode node, struct slice name);
/* Returns how often NODE declares NAME. Sets *FIRST to the first declarator, or null. */
unsigned usage_declarators(const struct usage *u, TSNode node, struct slice name,
                           TSNode *first);
/* Returns the type with which NODE declares NAME, without stars and brackets; empty: NODE
 * has no declaration of NAME, or several with different types. */
struct slice usage_type(const struct usage *u, TSNode node, struct slice name);
/* True if NAME is declared as a pointer or an array somewhere. */
bool usage_is_pointer(const struct usage *u, struct slice name);
/* True if DECLARATION declares variables that outlive the function and are not
 * constant. */
bool usage_keeps(const struct source *s, TSNode declaration);
/* Returns the declarator directly in D, which is `a[n]`, `*a`, `(*a)[n]` or `a = 1`;
 * null: D has another form. */
TSNode declarator_inner(TSNode d);
/* Returns the part of the declarator of FUNCTION, a definition, that has its arguments;
 * null: there is none. */
TSNode declarator_of_function(TSNode function);
/* Returns the identifier that D declares; null: D is not a declarator. */
TSNode declarator_name(TSNode d);

/* ---- writes.c -------------------------------------------------------------------- */

struct unit;
/* Warns of what K writes and no section of it names, as far as the text shows it for
 * certain. UNIT: one of K's. */
void writes_check(const struct source *s, const struct kernel *k,
                  const struct expansion *x, const struct unit *unit);

/* ---- live.c ---------------------------------------------------------------------- */

/* True if the value that NAME has before NODE may be read in NODE. */
bool live_reads_first(const struct usage *u, TSNode node, struct slice name);
/* True if the value that LOOP leaves in NAME may be read after LOOP, also by a later
 * iteration of a loop around it. */
bool live_read_after(const struct usage *u, TSNode loop, struct slice name);
/* True if each iteration of LOOP may have its own NAME, a variable of the function that
 * is declared outside of LOOP. */
bool live_may_be_private(const struct usage *u, TSNode loop, struct slice name);
/* Returns the variables that are assigned first by loops in BODY, and of which each run
 * of BODY may have its own copy: neither BODY nor the code after NEST, which contains it,
 * reads an earlier value. */
struct slice *live_counters(const struct usage *u, TSNode nest, TSNode body, unsigned *n);
/* True if NAME is one of the variables that live_counters returns. */
bool live_is_counter(const struct usage *u, TSNode nest, TSNode body, struct slice name);

/* ---- nest.c ---------------------------------------------------------------------- */

enum relation { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, NOT_EQUAL };

/* A loop of the source. */
struct dim {
  unsigned id;       /* assigned by the caller */
  struct dim *outer; /* the next loop around it in the nest, or NULL */
  TSNode node;
  size_t offset;          /* of the `for` */
  struct slice header;    /* "for (…)", as written */
  struct slice var, type; /* type empty: the variable is declared outside of the loop */
  struct slice low, bound, step;
  enum relation relation; /* the comparison of VAR with BOUND */
  bool down, pointer;
  bool unit_step; /* step is 1 */
  bool safe;      /* its bounds can be evaluated even if the loop is never reached */
  uint64_t needs; /* ids, as bits, of the loops around it that its bounds mention */
  bool affected;  /* a directive reorders its iterations or shares them among threads */
};
#define BIT(id) (UINT64_C(1) << (id))

/* Fills D from LOOP. Returns false if LOOP is not in canonical form; *WHY is the reason,
 * *AT the place. */
bool dim_parse(const struct usage *u, TSNode loop, struct dim *d, const char **why,
               TSNode *at);
/* Returns the loops around D that its bounds mention, as bits of their ids. */
uint64_t dim_needs(const struct dim *d);
/* Returns the loop (or block with `fuse` on it) that is the whole body of LOOP; null: the
 * body is something else. */
TSNode nest_inner(const struct usage *u, TSNode loop);
/* Returns the directives of F that stand on LOOP, in source order; *N is their number. */
const struct loop_directive **directives_on(const struct function *f, TSNode loop,
                                            unsigned *n);
/* True if ORDER, of N loops, is the order of the source. */
bool order_is_identity(const unsigned *order, unsigned n);
/* True if our own pragmas and `#line` are the only preprocessor lines between FROM and
 * TO. */
bool only_ours(const struct source *s, size_t from, size_t to);

/* ---- read.c ---------------------------------------------------------------------- */

/* Tells poly_read how to split expressions. */
struct reading {
  const struct source *s;
  /* Returns the value of E, which is not an integer, sum, difference, product or
   * bracket. */
  struct poly (*leaf)(const struct reading *r, TSNode e, unsigned depth);
  /* True if an unsigned number in E may wrap around. NULL: wrapping does not matter. */
  bool (*wraps)(const struct reading *r, TSNode e);
  void *of; /* data of the reader */
};
/* Returns E as a polynomial. DEPTH is 0 for a whole expression; a LEAF that reads a part
 * of its expression passes its own DEPTH. */
struct poly poly_read(const struct reading *r, TSNode e, unsigned depth);
/* Splits E, such as A[i][j]. Returns what is subscripted, here A. Stores at most MAX
 * subscripts in INDEX, the last one first; *N is their full number. */
TSNode subscripts_read(TSNode e, TSNode *index, unsigned max, unsigned *n);

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

/* ---- scan.c ---------------------------------------------------------------------- */

/* Limit for one function. Where two iterations are compared, the second has atoms of its
 * own after these. */
#define MAX_ATOMS 100
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
/* Returns '+' or '*' if N is `A[i] += e` and E does not read A; otherwise 0. */
char sum_of_element(const struct model *m, TSNode n);

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
  } *list;
  unsigned n, levels;
  const char *why; /* not NULL: everything may depend on everything, for this reason … */
  TSNode at;       /* … seen here */
};
/* Returns the vectors of the N loops of CHAIN, each nested directly in the one before,
 * for one iteration of the loops around them. */
struct vectors depend(struct model *m, struct iter *const *chain, unsigned n);

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
const char *section_reach(const struct model *m, const struct access *x,
                          struct poly index, bool both, struct ends *r);
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
/* If K is to be verified but has no sections and returns nothing, gives it those that can
 * be proven: all of them or none. */
void sections_adopt(const struct source *s, struct kernel *k, const struct expansion *x);

#endif
