/* SPDX-License-Identifier: Apache-2.0 */
/* scop.h: nests as sets of isl, and text for what isl computes. For this folder alone.
 */
#ifndef AUTOTUNE_SCOP_H
#define AUTOTUNE_SCOP_H

#include <isl/ctx.h>
#include <isl/schedule_type.h>
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
  bool adds; /* the same, or `x = x + e` */
};
struct forward { /* from FIRST to LAST, statements of a block, NAME stands for ELEMENT */
  struct slice name;
  TSNode first, last; /* `name = element;` and `element = …;` */
  const struct access *element;
  bool sets; /* FIRST sets the element, and is a statement of the nest */
};
struct scop {
  struct model *m;
  struct body all;   /* a loop, or several next to each other */
  struct iter *last; /* the last of these */
  struct statement list[SCOP_STATEMENTS];
  unsigned n;
  struct forward *forwards;
  unsigned n_forwards;
  TSNode *declared; /* declarations between loops */
  unsigned n_declared;
  struct access *more; /* of the elements that such variables stand for */
  unsigned n_more;
  const struct array **buffers; /* arrays in place of which the text has buffers */
  const unsigned *near;         /* as in struct tile_buffer; NULL: the last subscripts */
  unsigned n_buffers;
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
  /* Those that remain if elements that picks update may be updated in another order. */
  isl_union_map *needed;
  const bool *picks; /* of each access: it is a pick's; NULL: there are none (picks.c) */
  const char *integers; /* picks are of integers if this holds, in C */
  isl_set *facts;       /* about the params */
};
/* Reads ALL, loops of which LAST is the last one. The caller ends it with scop_free. */
struct scop *scop_read(struct model *m, struct body all, struct iter *last);
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
enum which { /* a set of bits; 0: all accesses */
             WRITES = 1,
             OTHERS = 2, /* no sums */
             READS = 4,
             UNPICKED = 16, /* no picks */
             SURE = 8       /* those that happen in each run of their statement */
};
/* Returns the accesses that WHICH selects, of all integers that the loops may count. */
isl_union_map *scop_accesses(struct scop *s, unsigned which);
/* True if X, a write, happens in each run of its statement, or one of the same element in
 * the other branch of its `if`. */
bool scop_is_sure(struct scop *s, const struct access *x);
/* True if X's own statement has certainly written its element before. */
bool scop_wrote_before(struct scop *s, const struct access *x);
/* Returns what X, an access of a statement, touches. */
isl_union_map *scop_touches(struct scop *s, const struct access *x);
/* Returns the iterations of ST, without the bounds of those loops for which WITHOUT is
 * true. */
isl_set *scop_iterations(struct scop *s, const struct statement *st, const bool *without);
/* Returns the place in S->m->arrays of A: the elements of A are isl's "A0[…]". */
unsigned scop_array(const struct scop *s, const struct array *a);

/* ---- forward.c ------------------------------------------------------------------- */

/* Adds to S the places where the variable NAME stands for an element of an array. False:
 * it is used elsewhere, too. Whether other accesses use the element is not known yet. */
bool forward_replace(struct scop *s, struct slice name);
/* Returns the place with N, a use of a variable that stands for an element, or NULL. */
const struct forward *forward_at(const struct scop *s, TSNode n);
/* Appends the text of N from FROM to TO, with elements in place of such variables, and of
 * buffers in place of those of their arrays. */
void forward_text(const struct scop *s, size_t from, size_t to, TSNode n, struct text *t);
/* Appends the element that X accesses. */
void forward_write(const struct scop *s, const struct access *x, struct text *t);
/* Returns the type of A's elements; empty: unknown. */
struct slice forward_type(const struct model *m, const struct array *a);
/* Returns why elements of arrays with buffers cannot be written so, and sets *AT to one;
 * NULL: they can. */
const char *forward_why_not(const struct scop *s, TSNode *at);

/* ---- picks.c --------------------------------------------------------------------- */

/* Finds the picks among S's accesses. */
void picks_find(struct scop *s);
/* From now on all of them keep their order. */
void picks_forget(struct scop *s);

/* ---- pieces.c -------------------------------------------------------------------- */

/* Returns the map from the iterations of S to pieces of them, tuples with names of their
 * own, which isl may order as if they were statements. NULL: they need no division. */
isl_union_map *pieces_of(struct scop *s);

/* ---- tile.c ---------------------------------------------------------------------- */

/* A coordinate for each loop, and one before, between and after them. */
enum { MOST_COORDINATES = 2 * AFFINE_DEPTH + 2 };
struct inner {
  isl_union_map *order; /* or NULL */
  unsigned count;       /* of its coordinates */
  bool vector, sum;     /* as in code_of */
  unsigned inner;       /* the coordinate of the schedule that is innermost */
  int score;
};

/* Returns the best order in a tile of a band of N loops: for vectors if that is possible.
 * SCHEDULE has points of COUNT coordinates, and at most MOST_COORDINATES. */
struct inner inner_best(const struct scop *s, isl_union_map *schedule, unsigned n,
                        unsigned count);

/* ---- contract.c ------------------------------------------------------------------ */

struct contract {
  const struct array **list; /* arrays that can have buffers */
  unsigned n;
  isl_set *stores; /* the params with which others read what is in them; or NULL */
  /* Of each array: from iterations that write an element to those that read it. */
  isl_union_map **flow;
  unsigned n_flow;
};
/* Finds the arrays of which a tile of the loop that is GROUP's first coordinate needs no
 * element that another one writes. GROUP has points of COUNT coordinates; FACTS: about
 * its params. The caller frees it with contract_free. */
struct contract contract_find(struct scop *s, isl_union_map *group, unsigned count,
                              isl_set *facts);
void contract_free(struct contract *c);
/* Returns the accesses of S, to arrays that C has, or to others. */
isl_union_map *contract_accesses(const struct scop *s, const struct contract *c,
                                 bool others);
/* Sets P's buffers for C's arrays, and the code with them. TILE: the iterations of a
 * tile. IN: their order, which it does not free. */
void contract_write(struct scop *s, const struct contract *c, isl_union_set *tile,
                    const struct inner *in, const isl_set *facts, struct affine_part *p);

/* ---- schedule.c ------------------------------------------------------------------ */

enum { MOST_OUTER = AFFINE_DEPTH - 2 }; /* loops around tiles */
enum { MOST_CODE = 60000 }; /* bytes of one part: more is no use to compilers */

struct finder {
  struct scop *s;
  struct affine *a;
  unsigned tiled;
  isl_union_map *pieces; /* isl's statements are pieces of S's; NULL: they are S's */
  isl_union_set *at;     /* the iterations at the values of the loops around; NULL: all */
  isl_set *facts;        /* S's, and what is known of the values of these loops */
  unsigned outer;        /* so many of them */
  /* Arrays for whose sake loops next to each other become one. */
  struct contract keeps;
};
/* F's order is refused for the reason WHY. The first reason is kept. */
void finder_fails(struct finder *f, const char *why);
/* Begins a loop around the parts that come next. ORDER, which it frees, maps iterations
 * to values of its variable. */
void finder_open(struct finder *f, __isl_take isl_union_map *order);
/* Ends that loop. AROUND: *F before it. */
void finder_close(struct finder *f, const struct finder *around);
/* Adds the parts that NODE runs. */
void finder_visit(struct finder *f, isl_schedule_node *node);
/* Returns isl's schedule of F's iterations, or NULL. */
isl_schedule *finder_compute(const struct finder *f);
/* Returns the points in the boxes of the N loops LOOP, of COUNT coordinates. */
isl_set *points_boxes(isl_ctx *ctx, const unsigned *loop, unsigned n, unsigned count);
/* Returns how many equalities HULL has. */
unsigned hull_equalities(__isl_take isl_basic_set *hull);

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
  bool near[MOST_PACKED];     /* it moves by one along the columns */
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

/* ---- early.c --------------------------------------------------------------------- */

/* Sets P's early iterations, if it has some. TILE: the order in one tile, points of COUNT
 * coordinates. Returns that of the others. */
isl_union_map *early_find(struct scop *s, struct affine_part *p,
                          __isl_take isl_union_map *tile, unsigned count);

/* ---- orders.c -------------------------------------------------------------------- */

/* Sets *SYMBOLS and *LAST as in struct affine. */
void affine_symbols(const struct scop *s, const char **symbols, const char **last);

/* ---- fused.c --------------------------------------------------------------------- */

struct fused {             /* a child of a sequence */
  isl_union_map *schedule; /* points of COUNT coordinates */
  unsigned count;
  unsigned
      parallel;   /* no iteration depends on one with another value of it; COUNT: none */
  unsigned group; /* children with the same number can be one loop */
};
/* Sets the groups of the N children LIST, in the order in which they can run. Children
 * are in one if that is possible and one of FLOW, N_FLOW maps, leads from one to the
 * other, at the same value of the loop alone. Returns how many there are. */
unsigned fused_group(const struct scop *s, struct fused *list, unsigned n,
                     isl_union_map *const *flow, unsigned n_flow);
/* Returns the order of the children of GROUP as one loop, as points of *COUNT
 * coordinates, of which that loop is the first one. *COUNT 0: they are too many. */
isl_union_map *fused_schedule(const struct scop *s, const struct fused *list, unsigned n,
                              unsigned group, unsigned *count);

/* ---- chain.c, buffers.c, joined.c ------------------------------------------------ */

struct link {        /* a nest of a chain */
  unsigned first, n; /* its statements */
  unsigned loops;    /* that are around all of them */
  bool result;       /* it writes an array that is not local */
  bool apart;        /* it runs before all tiles */
  bool needed;
  bool kept[AFFINE_DEPTH];    /* what depends on an iteration has its value of the loop */
  isl_set *box[AFFINE_DEPTH]; /* that loop's values in a tile; NULL: all */
};
struct linker {
  struct scop *s;
  struct chain *c;
  struct link *list;
  unsigned n;
  isl_union_map *reads, *writes;
};

/* Returns the iterations of ST, of L, in a tile. */
isl_set *link_iterations(const struct linker *k, const struct link *l,
                         const struct statement *st);
/* Returns the values of coordinate AT in ALL, and all between them; NULL: no bounds. */
isl_set *link_hull(__isl_take isl_union_set *all, unsigned at);
/* True if BOX, values of one coordinate in a tile, is further up in a later tile of the
 * outermost loop, or the same; not FIRST: if it is the same. */
bool link_slides(const isl_set *box, bool first);
/* Returns an element of A, for its type. */
const char *buffer_element(const struct array *a);
/* Sets B to the buffer in place of A for what a tile of TILED loops touches: the box
 * around ELEMENTS, and around those of WITHIN in subscripts in which ELEMENTS have no
 * bounds. Either may be NULL. FACTS: about the params. False: the box has no bounds. */
bool buffer_set(const struct scop *s, const struct array *a, unsigned tiled,
                const isl_set *facts, isl_union_set *elements, isl_union_set *within,
                struct tile_buffer *b);
/* Adds the buffer of each array of K->s->buffers to K->c. */
void buffers_find(struct linker *k);
/* Returns what L's nest runs: in a TILE, or all of it. */
isl_union_set *linker_runs(const struct linker *k, const struct link *l, bool tile);
/* Sets the text of K->c. Afterwards K->s has no buffers. (joined.c) */
void linker_write(struct linker *k);

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
