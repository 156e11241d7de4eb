/* SPDX-License-Identifier: Apache-2.0 */
/* trial.h: the first iterations of a nest, of which some certainly use the same element.
 *
 *   order.c    the order in which directives make the iterations run
 *   trial.c    accesses in single iterations
 *   reorder.c  iterations that read another value in the new order
 *   carried.c  iterations that may not run at the same time; the warnings */
#ifndef AUTOTUNE_ANALYSIS_TRIAL_H
#define AUTOTUNE_ANALYSIS_TRIAL_H

#include "analysis.h"

/* ---- order.c --------------------------------------------------------------------- */

enum { MAX_STEPS = 16, MAX_PARTS = 8 };

struct step {     /* a loop of the nest that the directives make */
  unsigned loop;  /* the loop of the source that it comes from: a place in struct order */
  int64_t size;   /* it runs over blocks of so many iterations of that */
  int64_t modulo; /* not 0: and only over the remainders */
  bool down;      /* from the last one to the first */
  bool grid;      /* over tiles */
  const struct loop_directive *pragma; /* of OpenMP, which is for it; or NULL */
  unsigned collapse;                   /* and for so many loops from it on */
};
struct order {
  TSNode loops[MAX_LEVELS];       /* of the source, outermost first … */
  struct iter *iters[MAX_LEVELS]; /* … and in the model; or NULL */
  unsigned n_loops;
  struct iter *parts[MAX_PARTS]; /* loops that `fuse` joins, in place of the first loop */
  unsigned n_parts;
  unsigned outer;               /* so many loops are outside of all directives so far */
  struct step steps[MAX_STEPS]; /* outermost first */
  unsigned n;
  struct step points[MAX_LEVELS]; /* of unroll_and_jam, inside of these */
  unsigned n_points;
  const struct loop_directive *innermost; /* a `simd` for the last step; or NULL */
  const struct loop_directive *last;      /* the directive that made it */
  bool known;
};
/* Fills LIST, of MAX, with the order after each directive of the nest of ROOT, the
 * nearest first. U: of the file's function. PICK: which values of sets are taken, from 0
 * on. Blocks get at most LONGEST iterations. Returns their number; 0: it is not known. */
unsigned order_of(struct model *m, const struct usage *u, TSNode root, unsigned pick,
                  int64_t longest, struct order *list, unsigned max);
/* Sets *LOOPS to those of the nest of ROOT, also those after declarations. */
void order_loops(struct model *m, const struct usage *u, TSNode root,
                 struct order *loops);
/* Sets *LOOPS, of a nest with `fission`, to the order in which its parts run. */
void order_divide(const struct loop_directive *fission, struct order *loops);
/* Returns the model's loop for LOOP of the file, or NULL. */
struct iter *order_iter(const struct model *m, TSNode loop);
/* Returns the place of the step that D is for; O->n: none. */
unsigned order_place(const struct order *o, const struct loop_directive *d);
/* Returns the number of step S in the iterations AT. */
int64_t order_value(const struct step *s, const unsigned *at);
/* Compares the iterations P and Q by the steps from FROM to TO. */
int order_compare_steps(const struct order *o, unsigned from, unsigned to,
                        const unsigned *p, const unsigned *q);
/* Compares the iterations P and Q by all steps. */
int order_compare(const struct order *o, const unsigned *p, const unsigned *q);
/* Returns the order that the permutation D names, "(2,1)"; of a set that with number
 * PICK. *CHOICES: how many there are. */
const char *order_permutation(const struct model *m, const struct loop_directive *d,
                              unsigned pick, unsigned *choices);
/* Sets *NUMBER to the argument of D's clause NAME: of a set the largest, or the smallest
 * above 1. False: there is none, or it is not known. */
bool order_clause_number(const struct model *m, const struct loop_directive *d,
                         const char *name, bool most, long long *number);

/* ---- trial.c --------------------------------------------------------------------- */

enum { MOST_POINTS = 81, MOST_LOOPS = 12 };

/* An access in one iteration of each loop around it. */
struct point {
  unsigned at[MOST_LOOPS]; /* iterations of these, counted from the first one */
  struct poly index[MAX_SUBSCRIPTS];
  struct system reached; /* facts: the loops get there */
};
struct points {
  const struct access *x;
  struct iter *chain[MOST_LOOPS]; /* the loops around it, from the nest's outermost on */
  unsigned n_chain;
  unsigned depth; /* how many of these are loops of the nest */
  unsigned part;  /* of the loops that `fuse` joins, or of a body that is divided */
  size_t read_at, written_at; /* places of both in the text, in the order in which they
                                 happen in a run of the body */
  struct point list[MOST_POINTS];
  unsigned n;
};
struct trial { /* of one nest */
  const struct source *s;
  struct model *m;
  const struct function *f;
  struct usage u;      /* of F */
  TSNode root;         /* what the outermost directive stands on */
  struct focus *parts; /* those of a nest with `fission` */
  unsigned n_parts;
  struct iter *loop;
  struct order loops;                 /* without directives */
  const struct loop_directive **nest; /* all its directives */
  unsigned n_nest;
  struct points *all; /* of accesses that certainly happen */
  unsigned n;
  unsigned tried; /* iterations of each loop */
  unsigned block; /* iterations that a block has at most */
};
/* Fills T from `root` on for the nest of ROOT. False: nothing is known of it. */
bool trial_begin(struct trial *t, const struct nest_root *root);
/* True if N, of the model, is in the nest. */
bool trial_holds(const struct trial *t, TSNode n);
/* True if P and Q are the same element. */
bool trial_same(const struct points *a, const struct point *p, const struct points *b,
                const struct point *q);
/* True if a call reaches all of P, Q and R; R may be NULL. */
bool trial_reaches(const struct trial *t, const struct point *p, const struct point *q,
                   const struct point *r);
/* Compares when P and Q happen in one iteration of their FROM outermost loops. READ: the
 * reads count, not the writes. */
int trial_compare(unsigned from, const struct points *a, const struct point *p,
                  bool read_p, const struct points *b, const struct point *q,
                  bool read_q);

/* ---- reorder.c ------------------------------------------------------------------- */

struct conflict { /* two accesses that the directive D brings into another order */
  const struct points *a, *b; /* NULL: there is no conflict */
  const struct loop_directive *d;
};
/* Returns the first conflict in the last of the N orders LIST, each after one more
 * directive. */
struct conflict reorder_find(const struct trial *t, const struct order *list, unsigned n);

#endif
