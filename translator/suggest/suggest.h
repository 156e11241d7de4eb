/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h: what can be proven of a function's loops and arrays, and what that allows.
 *
 *   poly.c      integer polynomials in names: bounds and subscripts
 *   solve.c     has a system of inequalities an integer solution? Fourier and Motzkin's
 * elimination view.c      a function without its macros scan.c      a function becomes
 * loops, arrays, accesses, scalars type.c      how large the integers of an expression
 * are value.c     an expression of the source as a polynomial; ranges of loops split.c
 * A[i * n + j] becomes A[i][j] where 0 <= j < n can be proven depend.c    direction
 * vectors of what depends on what live.c      variables that each iteration may have for
 * itself section.c   what a function reads and writes, as array sections plan.c
 * directives that the dependences allow, with sets for this machine patch.c     lines put
 * into a file, as a unified diff
 *
 * All of it errs on one side: what is not understood depends on everything, and has no
 * sections. */
#ifndef AUTOTUNE_SUGGEST_H
#define AUTOTUNE_SUGGEST_H

#include "autotune_abi.h"
#include "front/loops/loops.h"

struct expansion;

/* ---- poly.c ---------------------------------------------------------------------- */

/* A product of at most eight atoms, one a byte (its number + 1), sorted; 0 is 1. */
typedef uint64_t monomial;
struct poly {
  struct term {
    monomial m;
    int64_t c;
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
    bool equal;
  } *facts;
  unsigned n;
}; /* p >= 0, p == 0 */
void system_add(struct system *s, struct poly p, bool equal);
/* False: no integers fulfil S. True where that cannot be told. */
bool system_feasible(const struct system *s);
/* Is P >= 0 wherever S holds? */
bool system_implies(const struct system *s, struct poly p);

/* ---- view.c ---------------------------------------------------------------------- */

/* A function with its macros replaced, but for those that stand for an integer. */
struct view {
  struct source
      *source; /* with the variables of the file that it mentions in front of it */
  struct function function; /* in SOURCE; without directives */
  struct span {
    size_t at, from;
    bool written;
  } *spans;
  unsigned n_spans; /* from AT on it is what stands
at FROM in the file; not WRITTEN: what a macro there makes */
};
/* NULL: what the preprocessor makes of F is something else. */
struct view *view_of(const struct source *s, const struct expansion *x,
                     const struct function *f);
/* Where AT stands in the file; *WRITTEN: it stands there as it is. */
size_t view_offset(const struct view *v, size_t at, bool *written);
/* The integer that NAME stands for as a macro, in F; empty: something else. */
struct slice view_number(const struct expansion *x, const struct function *f,
                         struct slice name);

/* ---- scan.c ---------------------------------------------------------------------- */

/* Of one function; the second of two iterations has its own after those. */
#define MAX_ATOMS 100

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
#define MAX_SUBSCRIPTS 4
struct array {
  struct slice name;
  int arg; /* of the kernel, or -1 */
  bool local, global;
  TSNode home;   /* the block that declares a local one */
  unsigned rank; /* subscripts that lead to a number; 0: not known */
  struct slice bounds[MAX_SUBSCRIPTS]; /* as declared; empty: none */
  bool restricted;
  bool read, written;
  TSNode handed; /* where it is given to something that is not followed; or null */
  struct poly strides[MAX_SUBSCRIPTS];
  unsigned n_strides; /* split.c: from the innermost subscript on */
  const char *why;
  TSNode at; /* it cannot be reasoned about: the reason; NULL: it can */
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
struct mention {
  struct slice name;
  TSNode node;
};
struct model {
  struct builder b; /* its source is the view's */
  const struct source *source;
  const struct view *view;         /* NULL: there are no macros */
  const struct function *function; /* in SOURCE */
  struct kernel *k;
  const struct expansion
      *x; /* what stands behind typedefs and macros; NULL: it is not known */
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
  struct mention *declared, *changed;
  unsigned n_declared, n_changed; /* names, and where */
  bool calls;                     /* functions, of math.h or others */
  unsigned in_variable;           /* the value of one is being looked at */
  bool jumps;                     /* break, return, goto: an access may be skipped */
  struct note {
    TSNode at;
    const char *text;
  } *refusals;
  unsigned n_refusals; /* not understood */
};
/* F of K, whose args are known. X may be NULL where no macro is used. Never NULL. */
struct model *scan_function(const struct source *s, struct kernel *k, struct function *f,
                            const struct expansion *x);
/* Where NODE begins in SOURCE; *WRITTEN, unless NULL: and not in what a macro makes. */
size_t model_offset(const struct model *m, TSNode node, bool *written);
void model_refuse(struct model *m, TSNode at, const char *why);
struct iter *model_iter(const struct model *m, TSNode loop); /* NULL: it has none */
/* What holds wherever the body of LOOP runs: the ranges of it and of the loops around it.
 */
void model_facts(const struct iter *loop, struct system *s);
bool model_declares(const struct model *m, TSNode node, struct slice name);
/* The type that NODE gives NAME wherever it declares it, without stars and brackets;
 * empty: none, or several. */
struct slice model_type_of(const struct model *m, TSNode node, struct slice name);
/* NODE declares NAME once, by *TYPE. */
bool model_declared(const struct model *m, TSNode node, struct slice name, TSNode *type);
/* Does what the declaration NODE declares outlast the function? What is constant does not
 * count. */
bool model_keeps(const struct model *m, TSNode node);
bool node_within(TSNode node, TSNode outer);

/* ---- type.c ---------------------------------------------------------------------- */

struct integer_type {
  unsigned size;
  bool is_unsigned, known;
}; /* in bytes */
struct integer_type model_type(const struct model *m, struct slice type);
/* The bytes of the smallest unsigned number in E, less than 4 counting as 4; 0: there is
 * none. */
unsigned model_unsigned(const struct model *m, TSNode e, const struct iter *scope);

/* ---- value.c --------------------------------------------------------------------- */

/* Fills in M's mentions, from NODE downwards. */
void model_index(struct model *m, TSNode node);
/* Of the function's variable or argument NAME; empty: it has none, or several are called
 * so. */
struct slice declared_type(const struct model *m, struct slice name);
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
  unsigned n;
  unsigned levels;
  const char *why;
  TSNode at; /* not known: everything may depend on everything */
};
/* Of the N loops of CHAIN, each right in the one before, for one iteration of those
 * around them. */
struct vectors depend(struct model *m, struct iter *const *chain, unsigned n);

/* ---- live.c ---------------------------------------------------------------------- */

/* May each iteration of LOOP have its own NAME, which is declared outside of it? */
bool live_may_be_private(const struct model *m, TSNode loop, struct slice name);

/* ---- section.c ------------------------------------------------------------------- */

struct sections {
  struct section *list;
  unsigned n;
  const char
      *assumed; /* conditions under which anything is touched at all: "n > 0"; or NULL */
  TSNode row;   /* a subscript that may leave its row, as far as can be proven; or null */
  const char *why;
  TSNode at; /* the first that cannot be proven: then the list is not complete */
};
/* GUARDED: lengths are 0 where the loops do not run. */
struct sections sections_infer(struct model *m, bool guarded);
/* A polynomial in names of the source, as C. */
const char *poly_text(const struct model *m, struct poly p);
/* Gives K, without out and inout, the sections that can be proven of it: all, or none. */
void sections_adopt(const struct source *s, struct kernel *k, const struct expansion *x);

/* ---- plan.c ---------------------------------------------------------------------- */

struct insertion {
  size_t offset;
  const char *text;
}; /* lines, in front of the line of OFFSET */
struct plan {
  struct insertion *list;
  unsigned n;
  bool threads; /* the param of that name is used */
  struct note *notes;
  unsigned n_notes;
};
/* THREADS: a name for the param that says how many there are. */
struct plan plan_function(struct model *m, const char *threads);
const struct autotune_machine *plan_machine(void);

/* ---- patch.c --------------------------------------------------------------------- */

/* TEXT with the lines of LIST, which is sorted, put in; the same as a unified diff. */
void patch_apply(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out);
void patch_write(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out);

#endif
