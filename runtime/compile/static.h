/* SPDX-License-Identifier: Apache-2.0 */
/* static.h: features of a variant that are known before it runs: from its machine code,
 * and from the sizes of the memory that it accesses relative to the caches. */
#ifndef AUTOTUNE_STATIC_H
#define AUTOTUNE_STATIC_H

#include "jit.h"
#include "base/base.h"

/* Indices into struct features. They are stored, so new ones go to the end. The main loop
 * is the innermost loop with the most arithmetic, weighted by its depth in the nest;
 * without loops it is all of the code. */
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
  FEATURE_MAIN_SIZE,       /* instructions of the main loop, which grow with unrolling */
  FEATURE_MAIN_BITS,       /* its widest vectors; 0: scalar */
  FEATURE_MAIN_SPILLS,     /* its loads and stores of the frame */
  FEATURE_MAIN_FLOATS,     /* floating-point instructions in the main loop */
  FEATURE_MAIN_FUSED,      /* fraction of these that multiply and add */
  FEATURE_MAIN_LOADS,      /* loads per arithmetic instruction in the main loop */
  FEATURE_MAIN_STORES,
  FEATURE_CALL_L1,
  FEATURE_CALL_L2,
  FEATURE_CALL_L3, /* these three: log2 of the bytes of all sections ÷ the cache's */
  FEATURE_TILE_L1,
  FEATURE_TILE_L2,
  FEATURE_TILE_L3, /* these three: the same for the bytes that a tile accesses */
  /* For CUDA variants, which have only CALL and TILE of the above: see struct
   * gpu_facts. */
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

/* Sets all features to unknown. */
void features_clear(struct features *f);
/* Sets the features of CODE, as jit_api.disassemble returns it. False: no memory; nothing
 * is set. */
bool features_of_code(const struct jit_instruction *code, size_t n, struct features *f);
/* Finds the main loop of CODE. False: no memory. */
struct main_loop {
  size_t first, last; /* of its instructions; without loops all code */
  unsigned loops;     /* all that there are */
  unsigned depth;     /* of loops around it, and itself; 0: there is no loop */
  bool computes;      /* innermost loops have floating-point arithmetic */
};
bool code_main_loop(const struct jit_instruction *code, size_t n, struct main_loop *out);
/* Sets the features of memory. CALL: bytes of the call's sections; TILE: bytes that the
 * loops in a tile access; 0: not known. */
void features_of_memory(double call, double tile, const struct autotune_machine *m,
                        struct features *f);
/* Copies the features that FROM knows. */
void features_add(struct features *f, const struct features *from);
/* Returns "412 bytes, 512-bit vectors, no spills"; for a CUDA variant "64 registers, no
 * spills, 16384 bytes shared, occupancy 50 %, 2.1 waves, 45 % of the last empty";
 * malloc'ed; NULL: nothing is known, or no memory. */
char *features_describe(const struct features *f);

#endif
