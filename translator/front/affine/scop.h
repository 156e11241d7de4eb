/* SPDX-License-Identifier: Apache-2.0 */
/* scop.h: a nest as sets of isl, and text for what isl computes. For this folder alone.
 */
#ifndef AUTOTUNE_SCOP_H
#define AUTOTUNE_SCOP_H

#include <isl/ctx.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "affine.h"

enum { SCOP_STATEMENTS = 24 };

/* Statements next to each other that hold no loop. */
struct statement {
  struct body body;
  struct iter *chain[AFFINE_DEPTH]; /* the loops around it, outermost first */
  unsigned n;
  unsigned at[AFFINE_DEPTH + 1]; /* its place in the body of each, from the function on */
  struct slice *own;             /* variables that each run of it has for itself */
  unsigned n_own;
  /* It is `x += e` or `x -= e`, in which nothing else is the element x; or NULL. */
  const struct access *sum;
};
struct forward { /* from FIRST to LAST, statements of a block, NAME stands for ELEMENT */
  struct slice name;
  TSNode first, last; /* `name = element;` and `element = …;` */
  const struct access *element;
};
struct scop {
  struct model *m;
  struct iter *root; /* the outermost loop */
  struct statement list[SCOP_STATEMENTS];
  unsigned n;
  struct forward *forwards;
  unsigned n_forwards;
  struct access *more; /* of the elements that such variables stand for */
  unsigned n_more;
  monomial *symbols; /* products of values that do not change: isl's params */
  unsigned n_symbols;
  const char *why; /* not NULL: the nest is no scop, for this reason … */
  TSNode at;       /* … seen here */
  /* isl's. Each is NULL after an error. */
  isl_ctx *ctx;
  isl_union_set *domain;
  isl_union_map *order;       /* the order of the source */
  isl_union_map *accesses;    /* all of them */
  isl_union_map *dependences; /* from the earlier iteration to the later one */
  /* Those that remain if the additions of a sum may be reordered. */
  isl_union_map *without_sums;
  isl_set *facts; /* about the params */
};
/* Reads the nest of ROOT. The caller ends it with scop_free. */
struct scop *scop_read(struct model *m, struct iter *root);
void scop_free(struct scop *s);
/* Refuses the nest, for the reason WHY, seen at AT. The first reason is kept. */
void scop_refuse(struct scop *s, TSNode at, const char *why);
/* Returns the statement with N, or NULL. */
struct statement *scop_statement(struct scop *s, TSNode n);
/* Returns the access I of the nest's function, or of what its variables stand for. */
const struct access *scop_access(const struct scop *s, unsigned i);

/* ---- sets.c ---------------------------------------------------------------------- */

/* Sets isl's part of S, and the sums among its statements. */
void scop_build(struct scop *s);
/* Returns the name of the param for the symbol I: of isl, and of a variable in C. */
const char *scop_symbol(unsigned i);
/* Returns the iterations of ST in which X and Y, accesses of it, are the same element. */
isl_union_set *scop_meeting(struct scop *s, const struct statement *st,
                            const struct access *x, const struct access *y);

/* ---- forward.c ------------------------------------------------------------------- */

/* Adds to S the places where the variable NAME stands for an element of an array. False:
 * it is used elsewhere, too. Whether other accesses use the element is not known yet. */
bool forward_replace(struct scop *s, struct slice name);
/* Returns the place with N, a use of a variable that stands for an element, or NULL. */
const struct forward *forward_at(const struct scop *s, TSNode n);
/* Appends the text of N from FROM to TO, with elements in place of such variables. */
void forward_text(const struct scop *s, size_t from, size_t to, TSNode n, struct text *t);

/* ---- schedule.c ------------------------------------------------------------------ */

/* Returns the points in the boxes of the N loops LOOP, of COUNT coordinates. */
isl_set *points_boxes(isl_ctx *ctx, const unsigned *loop, unsigned n, unsigned count);

/* ---- tile.c ---------------------------------------------------------------------- */

/* A coordinate for each loop, and one before, between and after them. */
enum { MOST_COORDINATES = 2 * AFFINE_DEPTH + 2 };
struct inner {
  isl_union_map *order; /* or NULL */
  unsigned count;       /* of its coordinates */
  bool vector, sum;     /* as in code_of */
  int score;
};

/* Returns the best order in a tile of a band of N loops: for vectors if that is possible.
 * SCHEDULE has points of COUNT coordinates, and at most MOST_COORDINATES. */
struct inner inner_best(const struct scop *s, isl_union_map *schedule, unsigned n,
                        unsigned count);

/* ---- blocks.c -------------------------------------------------------------------- */

enum { ROWS, COLUMNS, TERMS, ROLES };
enum { MOST_PACKED = 8, MOST_UPDATES = 6 };

struct blocked { /* a statement that can run in blocks of elements */
  const struct statement *st;
  isl_map *map;               /* from its iterations to points */
  unsigned coordinate[ROLES]; /* of each role */
  unsigned loop[ROLES];       /* its loop, in the statement's chain … */
  const char *offset[ROLES];  /* … whose value is the coordinate plus this, as C */
  /* The accesses of the element that it updates, and those of which copies are read. */
  const struct access *updates[MOST_UPDATES], *packed[MOST_PACKED];
  unsigned n_updates, n_packed;
  unsigned copy[MOST_PACKED]; /* the first of PACKED that is the same element */
  isl_set *area;              /* the rows and columns of the box */
  /* As C: bounds of the rows, and of the columns of the row whose coordinate has its
   * value; and when there are any. */
  const char *first[2], *last[2], *some;
};
/* True if the variable of ROLE is its loop's value. Otherwise it counts down from a value
 * that does not change; that of COLUMNS does not. */
bool blocked_is_plain(const struct blocked *k, unsigned role);
/* Appends the text that runs K's statement in a tile, whose ends are autotune_low and
 * autotune_high. */
void blocked_write(const struct scop *s, const struct blocked *k, struct text *out);

/* ---- registers.c ----------------------------------------------------------------- */

/* Sets P's blocks, if tiles of it can run in blocks. SCHEDULE has points of COUNT
 * coordinates. */
void registers_find(struct scop *s, struct affine_part *p, isl_union_map *schedule,
                    unsigned count);

/* ---- code.c ---------------------------------------------------------------------- */

/* Returns the loops that run S's iterations in the order SCHEDULE, which maps them to
 * points of COUNT coordinates, as text in C. VECTOR: iterations of the innermost loops do
 * not depend on each other. SUM: they may, where all add to one element. NULL: isl
 * failed.
 */
char *code_of(const struct scop *s, __isl_take isl_union_map *schedule,
              __isl_take isl_set *context, unsigned count, bool vector, bool sum);
/* Returns the name of the loop that is the coordinate I. */
const char *code_iterator(unsigned i);
/* Returns the condition on params in which SET is not empty, in C, or NULL: isl failed.
 * It holds the facts of S. */
const char *code_condition(const struct scop *s, __isl_take isl_set *set);
/* Sets *FIRST and *LAST to the bounds of coordinate AT in the points POINTS, as
 * expressions in their params. False: it has none. */
bool code_bounds(__isl_take isl_set *points, unsigned at, const char **first,
                 const char **last);
/* Returns P as an expression of C. LOOPS: the values of ST's loops. */
const char *code_poly(const struct scop *s, const struct statement *st, struct poly p,
                      const char *const *loops);

#endif
