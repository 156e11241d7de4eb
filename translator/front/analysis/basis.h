/* SPDX-License-Identifier: Apache-2.0 */
/* basis.h: polynomials, names and loops of the source. This is all of the analysis that
 * directives on loops (front/loops) need.
 *
 *   poly.c      integer polynomials in names: bounds and subscripts
 *   solve.c     decides whether a system of inequalities has an integer solution
 *   usage.c     finds where names are declared and changed
 *   live.c      decides whether a variable is read before it is written
 *   nest.c      reads a `for` in OpenMP's canonical form, and the loop in it
 *   focus.c     the parts of a body, of which each has a nest of its own
 *   places.c    which memory a piece of a function reads and writes
 *   between.c   declarations between two loops that can move into the inner one
 *   read.c      reads an expression of the source as a polynomial */
#ifndef AUTOTUNE_ANALYSIS_BASIS_H
#define AUTOTUNE_ANALYSIS_BASIS_H

#include "front/front.h"

/* ---- poly.c ---------------------------------------------------------------------- */

/* A product of at most eight atoms. Each byte holds an atom's number + 1, sorted; 0 is
 * the product 1. An atom is an operand that is not split further: a name, or a loop's
 * iteration. */
typedef uint64_t monomial;
/* Limit for one function. Where two iterations are compared, the second has atoms of its
 * own after these. */
#define MAX_ATOMS 100
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
  const struct focus *focus; /* only this part of a body is looked at; NULL: all of it */
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

/* Statements of one block, next to each other; or one statement. */
struct body {
  TSNode first, last;
};
/* Returns the statement after N, one of B; null: N is the last one. */
TSNode body_next(struct body b, TSNode n);
bool body_covers(struct body b, TSNode n);

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
struct slice *live_counters(const struct usage *u, TSNode nest, struct body body,
                            unsigned *n);
/* True if NAME is one of the variables that live_counters returns. */
bool live_is_counter(const struct usage *u, TSNode nest, struct body body,
                     struct slice name);

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

/* Memory: what is reached from a variable by following its value DEPTH times. */
struct memory_place {
  struct slice name;
  int depth;    /* 0: the variable itself, or where a pointer points */
  bool pointer; /* or an array */
  bool global;  /* not declared in the function */
  bool rows;    /* a `T **`, and all steps are subscripts and stars */
};
struct memory_places {
  struct memory_place *list;
  unsigned n;
};
/* Adds what E, an expression, reads besides the function's own numbers. False: it is not
 * known. */
bool places_read(const struct usage *u, TSNode e, struct memory_places *all);
/* Adds what N writes, likewise. Calls of functions but those of math.h are not known. */
bool places_written(const struct usage *u, TSNode n, struct memory_places *all);
/* True if one of ALL and one of OTHERS may be the same memory. Two different arguments,
 * or variables of the file, are taken to be different memory. */
bool places_meet(const struct memory_places *all, const struct memory_places *others);
/* True if no name in E has effects, as a volatile variable and a macro with a call do,
 * and no pointer leads to a variable in it. */
bool places_plain(const struct usage *u, TSNode e);

/* Returns the loop that only declarations stand before in the body of LOOP, which can
 * move into the body of that loop. Stores their text. Null: the body is something else,
 * or they cannot move. No directive stands on the loop or in it. */
TSNode nest_after_declarations(const struct usage *u, TSNode loop,
                               struct slice *declarations);
/* Returns the directives of F that stand on LOOP, in source order; *N is their number. */
const struct loop_directive **directives_on(const struct function *f, TSNode loop,
                                            unsigned *n);
/* True if ORDER, of N loops, is the order of the source. */
bool order_is_identity(const unsigned *order, unsigned n);
/* Reads "(2,1,3)" or "2,1,3" into ORDER, of at most MAX. False: not a permutation. */
bool order_read(const char *text, unsigned *order, unsigned max, unsigned *n);
/* True if our own pragmas and `#line` are the only preprocessor lines between FROM and
 * TO. */
bool only_ours(const struct source *s, size_t from, size_t to);

/* ---- focus.c --------------------------------------------------------------------- */

/* One part of a body of several statements, which the innermost of perfectly nested loops
 * has. A part is a `for`, or statements next to each other that are none. While a focus
 * is in `usage.focus`, the loops around BODY are a nest of this part alone, as if the
 * others were not there:
 *
 *   struct focus *parts;
 *   unsigned n = focus_parts(&u, loop, &parts, &why, &at);
 *   for (unsigned i = 0; i < n; i++) {
 *     u.focus = &parts[i];
 *     ...                       // nest_inner(&u, loop), depend(), live_read_after(), …
 *     u.focus = parts[i].outer;
 *   }
 *
 * nest_inner, nest_after_declarations, nest_body, directives_of, depend and the functions
 * of live.c look through it. Other code asks focus_holds about the nodes that it meets.
 * All nodes are of the tree that U is of: that of a model is of its view. */
struct focus {
  TSNode loop;        /* the outermost loop of the nest, on which `fission` stands */
  TSNode body;        /* the block that is divided */
  TSNode first, last; /* the part: statements of BODY */
  unsigned at, n;     /* its place among the parts, and their number */
  const struct focus *outer; /* of the nest of which BODY is the body; or NULL */
};
/* Sets *PARTS to the parts, in order, of the body of the loops that begin with LOOP, each
 * with U's focus as its outer one. Returns their number, at least 2; or 0, if these loops
 * cannot be divided: *WHY is the reason, *AT the place. */
unsigned focus_parts(const struct usage *u, TSNode loop, struct focus **parts,
                     const char **why, TSNode *at);
/* Returns the focus on the part, of a loop of U's function with `fission`, that begins at
 * the statement N; NULL: N begins no part. */
const struct focus *focus_of(const struct usage *u, TSNode n);
/* False if N is in a part that U does not look at. */
bool focus_holds(const struct usage *u, TSNode n);
/* Returns the first statement of LOOP's body that U looks at, and sets *LAST to the last
 * one, its sibling: both are the body, or those of a part. */
TSNode nest_body(const struct usage *u, TSNode loop, TSNode *last);
/* The same as directives_on for U's function; but the directives on a part are those of
 * the outermost loop of the part's nest. */
const struct loop_directive **directives_of(const struct usage *u, TSNode loop,
                                            unsigned *n);
/* Returns the loop from which D counts loops. */
TSNode directive_loop(const struct usage *u, const struct loop_directive *d);
/* Returns the `fission` among LOOP's directives, or NULL. */
const struct loop_directive *fission_of(const struct usage *u, TSNode loop);

/* The nests that the directives of a function are for, in the order of the source. A loop
 * with `fission` is one, and each of its parts is one. */
struct nest_root {
  TSNode loop; /* or a block, for `fuse` */
  const struct focus *focus;
  const struct loop_directive *fission; /* on LOOP; or NULL */
};
struct nest_root *nest_roots(const struct usage *u, unsigned *n);

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

#endif
