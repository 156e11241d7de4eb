/* SPDX-License-Identifier: Apache-2.0 */
/* affine.h: gives the iterations of whole nests a new order, by the isl library.
 *
 *   scop.h      what follows, for this folder
 *   scop.c      the statements of a nest, the loops around each, and its variables
 *   sets.c      iterations, what they access and which depend on which, as isl's sets
 *   forward.c   variables that stand for an element of an array
 *   pieces.c    iterations of one statement that need orders of their own
 *   orders.c    the best one of several orders
 *   schedule.c  an order in which they can run in tiles
 *   tile.c      the order in a tile
 *   picks.c     updates that need not keep their order
 *   early.c     iterations that need nothing of their tile
 *   registers.c tiles that can run in blocks of sums, which stay in registers
 *   blocks.c    such a tile, as text
 *   code.c      loops of that order, as text
 *   chain.c     which iterations of earlier nests a tile of a later one needs
 *   buffers.c   the elements of arrays that a tile keeps for itself
 *   joined.c    the loops of both, as text
 *   fused.c     parallel loops of several statements as one
 *   contract.c  arrays of which a tile of such a loop needs a buffer alone
 *
 * The terms are isl's (S. Verdoolaege, "isl: An Integer Set Library for the Polyhedral
 * Model", ICMS 2010). A nest is a scop ("static control part"): loops whose bounds, and
 * accesses whose subscripts, are affine in loops and in values that do not change. A
 * schedule maps iterations to points in time. A band is several loops next to each other;
 * if it is permutable, no iteration depends on one that is later in any of these loops,
 * so that they can be tiled (A. Bondhugula et al., "A Practical Automatic Polyhedral
 * Parallelizer and Locality Optimizer", PLDI 2008; Pluto). */
#ifndef AUTOTUNE_AFFINE_H
#define AUTOTUNE_AFFINE_H

#include "front/analysis/analysis.h"

enum { AFFINE_DEPTH = 6, CHAIN_NESTS = 24 };
/* The last value of the outermost loop is a variable of its own, so that a call can run
 * less. */
#define AFFINE_LAST "autotune_last"

/* Iterations that run before all others of a tile: those at which one more loop has
 * values from FIRST to LAST, if SOME holds. They can be cut into tiles, too. */
struct affine_early {
  unsigned loop;
  const char *first, *last, *some;
  const char *code, *block, *blocked; /* as in struct affine_part */
};
struct tile_buffer {                  /* in place of an array */
  const char *element;                /* one of its elements, for its type */
  unsigned n;                         /* subscripts */
  unsigned near;                      /* the one of which neighbours are side by side */
  const char *origin[MAX_SUBSCRIPTS]; /* the first one in a tile */
  /* The most that differ in a tile, in the params and in SIZE, "autotune_size0", … */
  const char *most[MAX_SUBSCRIPTS];
  bool constant; /* in SIZE alone */
  bool slides;   /* only its first subscript changes from tile to tile in LOW0, upwards */
};
/* A part of the new order. Parts run one after the other. A part with OUTER_FIRST only
 * begins a loop, which runs all parts up to the one with ENDS one after the other. Its
 * variable is "autotune_outer0"; in a loop in it, "autotune_outer1". */
struct affine_part {
  const char *outer_first, *outer_last; /* its first and its last value, or NULL */
  const char *outer_some; /* it runs something at the value of its variable, as C */
  unsigned outer;         /* its number */
  bool ends;
  unsigned n;     /* loops that are tiled; 0: none, CODE is all of it … */
  unsigned plain; /* … and has so many loops in each other */
  /* From the outermost one on: the loop, its first and its last value, as expressions in
   * the params and in LOW and HIGH of the loops before it: "autotune_low0". */
  unsigned loop[AFFINE_DEPTH];
  const char *first[AFFINE_DEPTH], *last[AFFINE_DEPTH];
  /* True: tiles whose numbers in the first two loops have the same sum may run at the
   * same time; the second loop's values are from SECOND_FIRST to SECOND_LAST in all of
   * them. False: all tiles of the first loop may. */
  bool wave;
  const char *second_first, *second_last;
  const char *code; /* runs one tile: LOW <= loop < HIGH */
  /* Runs one tile in which BLOCKED holds, in blocks of autotune_rows by autotune_columns
   * sums, two constants; NULL: there is no such tile. */
  const char *block, *blocked;
  const char *fits; /* what BLOCK copies fits on the stack if this holds, too */
  unsigned piece;   /* it does in a tile of so many iterations along each loop */
  /* NULL: there are none. Otherwise CODE runs the others: those at which that loop is not
   * from "autotune_early0" to the one before "autotune_early1". */
  struct affine_early *early;
  /* Runs one tile if STORES does not hold, with buffers in place of some arrays, of which
   * nothing else reads what it would write; NULL: there are none. */
  const char *local, *stores;
  struct tile_buffer *buffers;
  unsigned n_buffers;
};
struct affine {
  struct affine_part *parts;
  unsigned n;
  unsigned depth;        /* the most loops that a part can tile */
  unsigned outer;        /* the most loops around parts, one in the other */
  const char *symbols;   /* declarations of the params but AFFINE_LAST, as C */
  const char *condition; /* it is right in calls in which this holds; NULL: in all */
  const char *last;      /* the value of AFFINE_LAST as the source has it, as C */
  const char *why;       /* not NULL: there is no such order, for this reason … */
  TSNode at;             /* … seen here, in the model's text */
};
/* Finds an order for the nest of ROOT, of which TILED loops, at most, are tiled. BLOCKS:
 * one in which some tiles can run in blocks, if there is one. Never NULL. */
struct affine *affine_of(struct model *m, struct iter *root, unsigned tiled, bool blocks);

/* True if some tiles can run in blocks. */
bool affine_has_blocks(const struct affine *a);
/* True if some tiles have buffers in place of arrays. */
bool affine_has_buffers(const struct affine *a);
/* Nests of a block that run tile by tile: for each tile of the last nest, what it needs
 * of the others is computed in that tile. */
struct chain {
  unsigned n; /* loops that are tiled, the outermost ones of each nest with results */
  /* Their first and last values, in the params. A tile is LOW <= loop < HIGH. */
  const char *first[AFFINE_DEPTH], *last[AFFINE_DEPTH];
  struct chain_part {         /* nests that run before all tiles, as they are */
    const char *first, *last; /* of the outermost loop; NULL: threads cannot share it */
    const char *code;         /* runs LOW <= that loop < HIGH, with the number 0 */
  } *apart;
  unsigned n_apart;
  struct chain_part *whole; /* all nests, without tiles */
  unsigned n_whole;
  struct tile_buffer *buffers;
  unsigned n_buffers;
  const char *code; /* runs one tile */
  /* The same after the tile before in the outermost loop, of which the buffers keep what
   * is needed again; NULL: they cannot. DONE I, "autotune_done0", … is the first
   * iteration that no tile has run of the Ith nest that tiles need, DONE[I] the last one
   * in a tile.
   */
  const char *slid;
  const char *done[CHAIN_NESTS];
  unsigned n_done;
  const char *symbols; /* as in struct affine, and the rest */
  const char *condition, *last_value;
  const char *why;
  TSNode at;
};
/* Finds how NESTS, loops of which LAST is the last one, run in tiles of TILED loops if
 * nothing reads the N arrays LOCAL afterwards. Never NULL. */
struct chain *chain_of(struct model *m, struct body nests, struct iter *last,
                       unsigned tiled, struct array **local, unsigned n);

/* Macros that the text uses. */
extern const char code_prologue[];

#endif
