/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h: what can be proven of a function's loops, arrays and variables.
 *
 *   poly.c      integer polynomials in names: bounds and subscripts
 *   solve.c     whether a system of inequalities has an integer solution
 *   usage.c     where names are declared and changed
 *   live.c      whether a variable's value is read before it is written
 *   nest.c      a `for` in OpenMP's canonical form, and the loop in it
 *   read.c      an expression of the source as a polynomial
 *   view.c      a function with its macros replaced
 *   scan.c      a function becomes loops, arrays, accesses and assignments
 *   arrays.c    the arrays that declarations make
 *   sums.c      assignments whose order does not matter
 *   type.c      how large the integers of an expression are
 *   value.c     expressions in terms of loops and arguments; ranges of loops
 *   split.c     A[i * n + j] becomes A[i][j] where 0 <= j < n can be proven
 *   depend.c    direction vectors: which iterations depend on which
 *   section.c   what a function reads and writes, as array sections
 *
 * The first six know nothing of the others: directives on loops (front/loops) need no
 * more. From view.c on all is about a struct model, which scan.c makes of a function.
 *
 * Each answer is safe: what is not understood depends on everything and has no sections.
 */
#ifndef AUTOTUNE_ANALYSIS_H
#define AUTOTUNE_ANALYSIS_H

#include "front/front.h"

struct expansion;

/* ---- poly.c ---------------------------------------------------------------------- */

/* A product of at most eight atoms, one a byte (its number + 1), sorted; 0 is 1. An atom
 * is what an expression is not taken apart further into: a name, a loop's iteration. */
typedef uint64_t monomial;
struct poly {
  struct term {
    monomial m;
    int64_t c; /* the coefficient */
  } *terms;
  unsigned n;
  bool known; /* false: not a polynomial, or too large a one */
};
extern const struct poly poly_unknown;
struct poly poly_int(int64_t c);
struct poly poly_atom(unsigned atom);
struct poly poly_add(struct poly a, struct poly b, int64_t times); /* a + times * b */
struct poly poly_mul(struct poly a, struct poly b);
bool poly_same(struct poly a, struct poly b);
bool poly_is_int(struct poly p, int64_t *c);
bool poly_has(struct poly p, unsigned atom);
/* P = coefficient * ATOM + *REST; unknown where ATOM is in a product with itself. */
struct poly poly_coefficient(struct poly p, unsigned atom, struct poly *rest);
/* The same where ATOM may be in a product with itself: then it is in the coefficient too.
 */
struct poly poly_lower(struct poly p, unsigned atom, struct poly *rest);
struct poly poly_replace(struct poly p, unsigned atom, struct poly by);
/* P with DELTA added to the number of each atom that MOVED says. */
struct poly poly_rename(struct poly p, const bool *moved, unsigned n, unsigned delta);
/* P = quotient * BY + *REST, with integer coefficients. */
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
/* False: no integers fulfil S. True also where that cannot be told. */
bool system_feasible(const struct system *s);
/* True if P >= 0 wherever S holds; false also where that cannot be told. */
bool system_implies(const struct system *s, struct poly p);

/* ---- usage.c --------------------------------------------------------------------- */

/* A function, and where names are declared and changed in it. */
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
    bool counter; /* it is the initialiser of a `for`: i = … */
  } *changes;
  unsigned n_changes;
};
/* F's names in the tree from FROM downwards, which may hold more than F. */
struct usage usage_of(const struct source *s, const struct function *f, TSNode from);
/* True if NODE may change NAME or a part of it. */
bool usage_changes(const struct usage *u, TSNode node, struct slice name);
bool usage_declares(const struct usage *u, TSNode node, struct slice name);
/* How often NODE declares NAME; the first declarator in *FIRST, or null. */
unsigned usage_declarators(const struct usage *u, TSNode node, struct slice name,
                           TSNode *first);
/* The type that NODE gives NAME wherever it declares it, without stars and brackets;
 * empty: none, or several. */
struct slice usage_type(const struct usage *u, TSNode node, struct slice name);
/* True if NAME is declared as a pointer or an array somewhere. */
bool usage_is_pointer(const struct usage *u, struct slice name);
/* True if what DECLARATION declares outlasts the function and is not constant. */
bool usage_keeps(const struct source *s, TSNode declaration);
/* The declarator right in D, of `a[n]`, `*a`, `(*a)[n]`, `a = 1`; null: D is none of
 * these. */
TSNode declarator_inner(TSNode d);
/* The identifier that D declares; null: D is no declarator. */
TSNode declarator_name(TSNode d);

/* ---- live.c ---------------------------------------------------------------------- */

/* True if the value that NAME has before NODE may be read in NODE. */
bool live_reads_first(const struct usage *u, TSNode node, struct slice name);
/* True if the value that LOOP leaves in NAME may be read after LOOP, also by a later
 * iteration of a loop around it. */
bool live_read_after(const struct usage *u, TSNode loop, struct slice name);
/* True if each iteration of LOOP may have its own NAME, a variable of the function that
 * is declared outside of LOOP. */
bool live_may_be_private(const struct usage *u, TSNode loop, struct slice name);
/* The variables that loops in BODY begin by assigning, and of which each run of BODY may
 * have its own: neither it nor what comes after NEST, which holds it, reads an earlier
 * value. */
struct slice *live_counters(const struct usage *u, TSNode nest, TSNode body, unsigned *n);
/* True if NAME is one of these. */
bool live_is_counter(const struct usage *u, TSNode nest, TSNode body, struct slice name);

/* ---- nest.c ---------------------------------------------------------------------- */

enum relation { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, NOT_EQUAL };

/* A loop of the source. */
struct dim {
  unsigned id;       /* given by the caller */
  struct dim *outer; /* the loop right around it in the nest, or NULL */
  TSNode node;
  size_t offset;          /* of the `for` */
  struct slice header;    /* "for (…)", as written */
  struct slice var, type; /* type empty: the variable is declared outside of the loop */
  struct slice low, bound, step;
  enum relation relation; /* of the variable to BOUND */
  bool down, pointer;
  bool unit_step; /* step is 1 */
  bool safe;      /* its bounds can be evaluated where the loop might never be reached */
  uint64_t needs; /* ids of the loops around it that its bounds mention */
  bool affected; /* a directive changes the order of its iterations, or shares them out */
};
#define BIT(id) (UINT64_C(1) << (id))

/* Fills D from LOOP. False: LOOP is not in canonical form, for the reason *WHY, at *AT.
 */
bool dim_parse(const struct usage *u, TSNode loop, struct dim *d, const char **why,
               TSNode *at);
/* The loops around D that its bounds mention, as bits of their ids. */
uint64_t dim_needs(const struct dim *d);
/* The loop (or block with `fuse` on it) that is all there is in LOOP; null: there is
 * none. */
TSNode nest_inner(const struct usage *u, TSNode loop);
/* The directives of F that stand on LOOP, in source order. */
const struct loop_directive **directives_on(const struct function *f, TSNode loop,
                                            unsigned *n);
/* True if ORDER, of N loops, is that of the source. */
bool order_is_identity(const unsigned *order, unsigned n);
/* True if no line of the preprocessor but our own pragmas stands between FROM and TO. */
bool only_ours(const struct source *s, size_t from, size_t to);

/* ---- read.c ---------------------------------------------------------------------- */

/* How poly_read takes expressions apart. */
struct reading {
  const struct source *s;
  /* The value of E, which is no integer, sum, difference, product or bracket. */
  struct poly (*leaf)(const struct reading *r, TSNode e, unsigned depth);
  /* True if an unsigned number in E may wrap around; NULL: that does not matter. */
  bool (*wraps)(const struct reading *r, TSNode e);
  void *of; /* the reader's own */
};
/* E as a polynomial. DEPTH is 0 at the root of an expression; a leaf that reads a part of
 * itself hands on its own. */
struct poly poly_read(const struct reading *r, TSNode e, unsigned depth);
/* What the subscripts of A[i][j] stand on, here A; the subscripts in INDEX, the last
 * first, as many as fit into MAX. *N: how many there are. */
TSNode subscripts_read(TSNode e, TSNode *index, unsigned max, unsigned *n);

/* ---- view.c ---------------------------------------------------------------------- */

/* A function with its macros replaced, but for those that stand for an integer. */
struct view {
  struct source *source;    /* before F stand the file's variables that it mentions */
  struct function function; /* in SOURCE; without directives */
  struct span {             /* from AT on, SOURCE is the text at FROM of the file */
    size_t at, from;
    bool written; /* false: it is what a macro there makes */
  } *spans;
  unsigned n_spans;
};
/* NULL: the preprocessor makes something else of F. */
struct view *view_of(const struct source *s, const struct expansion *x,
                     const struct function *f);
/* Where AT stands in the file; *WRITTEN: it stands there as it is. */
size_t view_offset(const struct view *v, size_t at, bool *written);
/* The integer that NAME stands for as a macro, in F; empty: it stands for none. */
struct slice view_number(const struct expansion *x, const struct function *f,
                         struct slice name);

/* ---- scan.c ---------------------------------------------------------------------- */

/* Of one function; the second of two iterations has its own after those. */
#define MAX_ATOMS 100
#define MAX_SUBSCRIPTS 4

struct iter { /* a loop whose iterations can be reasoned about */
  struct iter *outer;
  TSNode node;
  struct dim dim;
  unsigned atom;     /* grows by one from iteration to iteration */
  struct poly value; /* of its variable, in terms of ATOM and the loops around it */
  struct poly from;  /* ATOM's first value */
  struct poly to;    /* its last; not known: the step is not 1 */
  struct poly left;  /* >= 0 as long as it runs */
  bool conditional;  /* it may be skipped */
};
struct array {
  struct slice name;
  int arg;            /* of the kernel, or -1 */
  bool local, global; /* declared in the function; at file scope */
  TSNode home;        /* the block that declares a local one; else its declaration */
  unsigned rank;      /* subscripts that lead to a number; 0: not known */
  struct slice bounds[MAX_SUBSCRIPTS]; /* as declared; empty: none */
  bool restricted;
  bool read, written;
  TSNode handed; /* where it is given to something that is not followed; or null */
  struct poly strides[MAX_SUBSCRIPTS]; /* split.c: from the innermost subscript on */
  unsigned n_strides;
  const char *why; /* why it cannot be reasoned about; NULL: it can */
  TSNode at;       /* where that is seen */
};
struct access {
  struct array *array;
  TSNode node;
  struct iter *loop; /* around it, innermost; or NULL */
  bool read, write, conditional;
  char sum; /* '+', '*': `A[i] += e`, where the order of such does not matter; or 0 */
  struct poly index[MAX_SUBSCRIPTS];
  unsigned n;
  struct poly first; /* the first subscript as written */
  const char *why;   /* an index is not affine; NULL: all are */
};
struct scalar { /* an assignment to a variable that is no array */
  struct slice name;
  TSNode node;
  char op; /* '=', '+', '-', '*' of `s += e` and the like */
};
struct note {
  TSNode at;
  const char *text;
};
struct model {
  struct usage u; /* of the view, where there is one */
  const struct source *source;
  const struct view *view;         /* NULL: there are no macros */
  const struct function *function; /* in SOURCE */
  struct kernel *k;
  const struct expansion *x; /* what typedefs and macros mean; NULL: it is not known */
  struct slice atoms[MAX_ATOMS];
  bool is_loop[MAX_ATOMS];
  unsigned n_atoms;
  struct iter **iters;
  unsigned n_iters;
  struct array **arrays;
  unsigned n_arrays;
  struct access *accesses;
  unsigned n_accesses;
  struct scalar *scalars;
  unsigned n_scalars;
  bool calls;            /* it calls functions, of math.h or others */
  unsigned in_variable;  /* > 0: the value of a variable is being read */
  bool jumps;            /* break, return, goto: an access may be skipped */
  struct note *refusals; /* what was not understood */
  unsigned n_refusals;
};
/* Reads F of K, whose args are known. X may be NULL where no macro is used. Never NULL.
 */
struct model *scan_function(const struct source *s, struct kernel *k, struct function *f,
                            const struct expansion *x);
struct slice model_text(const struct model *m, TSNode node);
/* Where NODE begins in SOURCE. *WRITTEN (unless NULL): it is not made by a macro. */
size_t model_offset(const struct model *m, TSNode node, bool *written);
void model_refuse(struct model *m, TSNode at, const char *why);
struct iter *model_iter(const struct model *m, TSNode loop); /* NULL: it has none */
/* Adds what holds wherever the body of LOOP runs: the ranges of it and of the loops
 * around it. */
void model_facts(const struct iter *loop, struct system *s);

/* ---- arrays.c -------------------------------------------------------------------- */

/* Reads D, a declarator such as `A[n][m]`, `*A`, `(*A)[m]`, into A. False: it declares no
 * array. */
bool array_read(const struct model *m, TSNode d, struct array *a);
/* Adds a copy of A. Where there is another of its name, neither can be reasoned about. */
struct array *array_add(struct model *m, struct array a);
/* Adds those among the arguments of the function NODE. */
void array_read_arguments(struct model *m, TSNode node);
/* The newest array of that name; NULL: there is none. */
struct array *array_find(const struct model *m, struct slice name);
/* Adds the array that a declaration of the file gives NAME; NULL: there is none. */
struct array *array_find_global(struct model *m, struct slice name);
/* A cannot be reasoned about, for the reason WHY, at AT. */
void array_refuse(struct array *a, TSNode at, const char *why);

/* ---- sums.c ---------------------------------------------------------------------- */

/* '+', '-' or '*' where the assignment N is `s += e` or `s = s + e`, E does not read S,
 * and no rounding makes the order of such matter; else '='. */
char sum_of_variable(const struct model *m, TSNode n);
/* '+' or '*' where N is `A[i] += e` and E does not read A; else 0. */
char sum_of_element(const struct model *m, TSNode n);

/* ---- type.c ---------------------------------------------------------------------- */

struct integer_type {
  unsigned size; /* in bytes */
  bool is_unsigned, known;
};
struct integer_type model_type(const struct model *m, struct slice type);
/* The bytes of the smallest unsigned number in E, less than 4 counting as 4; 0: there is
 * none. */
unsigned model_unsigned(const struct model *m, TSNode e, const struct iter *scope);

/* ---- value.c --------------------------------------------------------------------- */

/* The type of the function's variable or argument NAME; empty: it has none, or several
 * are called so. */
struct slice declared_type(const struct model *m, struct slice name);
/* E, which stands in the loop SCOPE, in terms of loops and of what stays the same. */
struct poly value_of_expression(struct model *m, TSNode e, struct iter *scope);
/* Fills value, from, to and left; NULL, or the reason why it cannot. */
const char *value_range(struct model *m, struct iter *i);

/* ---- split.c --------------------------------------------------------------------- */

void split_arrays(struct model *m);

/* ---- depend.c -------------------------------------------------------------------- */

#define MAX_LEVELS 6
struct vectors {
  struct vector {
    signed char
        at[MAX_LEVELS]; /* 1: a later iteration, -1: an earlier one, 0: the same */
    bool sum;           /* the two may change places, but not run at once */
  } *list;
  unsigned n, levels;
  const char *why; /* not NULL: everything may depend on everything, since … */
  TSNode at;       /* … of this */
};
/* The vectors of the N loops of CHAIN, each right in the one before, for one iteration of
 * those around them. */
struct vectors depend(struct model *m, struct iter *const *chain, unsigned n);

/* ---- section.c ------------------------------------------------------------------- */

struct sections {
  struct section *list;
  unsigned n;
  const char
      *assumed; /* the condition under which anything is touched: "n > 0"; or NULL */
  TSNode row;   /* a subscript that may leave its row, as far as can be proven; or null */
  const char *why; /* not NULL: LIST is not complete, since this cannot be proven … */
  TSNode at;       /* … here */
};
/* GUARDED: lengths are 0 where the loops do not run. */
struct sections sections_infer(struct model *m, bool guarded);
/* P, in names of the source, as C. */
const char *poly_text(const struct model *m, struct poly p);
/* Gives K, without out and inout, the sections that can be proven of it: all, or none. */
void sections_adopt(const struct source *s, struct kernel *k, const struct expansion *x);

#endif
