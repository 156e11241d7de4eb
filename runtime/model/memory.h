/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h: the memory of a call's sections. A section is one piece of memory, or, where
 * pointers lead to its rows, a piece for each row (neighbours are joined). Its bytes are
 * numbered through all pieces, in the order of its indices.
 *
 *   struct memories m;
 *   if (!memories_describe(&m, k, args, message, sizeof message)) …
 *   const struct memory *x = &m.list[i];       // of section i
 *   memory_read(x, buffer);                    // x->bytes bytes
 *   memories_free(&m); */
#ifndef AUTOTUNE_MEMORY_H
#define AUTOTUNE_MEMORY_H

#include "base/base.h"

enum { MEMORY_DIMS = 8, MEMORY_MOST = 1 << 20 }; /* of a section: dimensions, pieces */

struct memory_piece {
  char *base;
  size_t bytes, at; /* at: the bytes of the section before this piece */
  unsigned section;
};
/* The memory of one section. */
struct memory {
  struct memory_piece *pieces;
  unsigned n, capacity;
  size_t bytes;    /* of all pieces */
  bool returned;   /* the one piece begins where the returned pointer leads; before
                      memories_returned its base is the distance from there */
  size_t distance; /* of the piece from there */
  unsigned n_dims; /* of a section with rows: each begins at LOW and has COUNT indices; 0:
                      they are not known */
  long long low[MEMORY_DIMS], count[MEMORY_DIMS];
};
/* The memory of all sections of a call. */
struct memories {
  const struct autotune_kernel *kernel;
  struct memory *list;  /* of each section */
  struct memory tables; /* the pointers that lead to rows */
  double flops, bytes;  /* as in struct autotune_call */
  const char *failed; /* the section that has too many rows, or whose addresses cannot be
                         read */
  bool full, lost;    /* of FAILED: it has too many rows; there is no memory */
  uintptr_t page;     /* the page that was last found readable */
};
/* Sets M to the memory of the call of K with ARGS. False and a message: it is not known.
 * M is to be freed only after true. */
bool memories_describe(struct memories *m, const struct autotune_kernel *k,
                       void *const *args, char *message, size_t size);
void memories_free(struct memories *m);

/* After a call whose result is at RESULT: finds the sections of the result. NULL, or the
 * name of one that cannot be read. */
const char *memories_returned(const struct memories *m, const void *result);
/* True if K has such sections. */
bool memory_is_returned(const struct autotune_kernel *k);
/* True if the pointer that K returned at A is as good as that at B: no pointer is
 * compared by its value unless it leads to memory that M knows. */
bool memory_agrees(const struct memories *m, const void *a, const void *b);

/* Copies the bytes of M to BUFFER, or from it. */
void memory_read(const struct memory *m, char *buffer);
void memory_write(const struct memory *m, const char *buffer);
/* True if M holds what BUFFER does. */
bool memory_equal(const struct memory *m, const char *buffer);
/* True if some byte of A is a byte of B, or if there is no memory to find out. */
bool memory_overlap(const struct memory *a, const struct memory *b);
/* True if A has the same pieces as B. */
bool memory_same(const struct memory *a, const struct memory *b);
/* True if each piece of A lies within a piece of B. */
bool memory_within(const struct memory *a, const struct memory *b);
/* Returns a hash of the bytes. */
uint64_t memory_hash(const struct memory *m, uint64_t seed);
/* Writes into TEXT what the element AT bytes after the beginning of section NAME is
 * called
 * ("x[3][17]"), where elements have EACH bytes. False: M has no rows, or they are of
 * different lengths. */
bool memory_element(const struct memory *m, const char *name, size_t each, size_t at,
                    char *text, size_t size);

#endif
