/* SPDX-License-Identifier: Apache-2.0 */
/* static.h: what is known of a variant before it runs: from its machine code, and from
 * the sizes of what it touches against those of the caches. */
#ifndef AUTOTUNE_STATIC_H
#define AUTOTUNE_STATIC_H

#include "jit.h"
#include "base/base.h"

/* Indices into struct features. They are kept in the store: new ones go to the end.
 * The main loop is the innermost one that does the most arithmetic, those deeper in the
 * nest weighing more; where the code has no loop, all of it. */
enum feature {
  FEATURE_BYTES, /* of code */
  FEATURE_INSTRUCTIONS,
  FEATURE_LOADS,
  FEATURE_STORES,
  FEATURE_BRANCHES,
  FEATURE_CALLS,
  FEATURE_LOOPS,
  FEATURE_DEPTH,
  FEATURE_VECTOR_FRACTION, /* of the instructions in innermost loops, by depth */
  FEATURE_STACK,           /* loads and stores of the frame in innermost loops */
  FEATURE_MAIN_SIZE,       /* instructions of the main loop: its unrolling shows */
  FEATURE_MAIN_BITS,       /* its widest vectors; 0: scalar */
  FEATURE_MAIN_SPILLS,     /* its loads and stores of the frame */
  FEATURE_MAIN_FLOATS,     /* floating-point instructions in it */
  FEATURE_MAIN_FUSED,      /* share of these that multiply and add */
  FEATURE_MAIN_LOADS,      /* loads for each arithmetic instruction in it */
  FEATURE_MAIN_STORES,
  FEATURE_CALL_L1,
  FEATURE_CALL_L2,
  FEATURE_CALL_L3, /* log2 of the sections' bytes ÷ the cache's */
  FEATURE_TILE_L1,
  FEATURE_TILE_L2,
  FEATURE_TILE_L3, /* the same of what a tile touches */
  /* Of CUDA variants, which have none of the above but CALL and TILE: struct gpu_facts.
   */
  FEATURE_REGISTERS,
  FEATURE_SPILLED,
  FEATURE_SHARED,
  FEATURE_OCCUPANCY,
  FEATURE_WAVES,
  FEATURE_TAIL,
  FEATURES
};
_Static_assert((int)FEATURES <= (int)MAX_FEATURES, "the enum and the array");
extern const char *const feature_names[FEATURES];

/* All unknown. */
void features_clear(struct features *f);
/* CODE: as jit_api.disassemble yields it. False: no memory, and nothing is set. */
bool features_of_code(const struct jit_instruction *code, size_t n, struct features *f);
/* CALL: bytes of the call's sections, TILE: what the loops in a tile touch; 0: not known.
 */
void features_of_memory(double call, double tile, const struct autotune_machine *m,
                        struct features *f);
/* Takes over what is known in FROM. */
void features_add(struct features *f, const struct features *from);
/* "412 bytes, 512-bit vectors, no spills"; of a CUDA variant "64 registers, no spills,
 * 16384 bytes shared, occupancy 50 %, 2.1 waves, 45 % of the last empty"; malloc'ed;
 * NULL: nothing is known, or no memory. */
char *features_describe(const struct features *f);

#endif
