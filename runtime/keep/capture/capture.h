/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h: one real call in a file, and the same call made again from it.
 *
 *   capture.c  in the program: writes a call before it is made, and afterwards what came
 * of it stream.c   numbers, texts and arrays as bytes, both ways tables.c   the kernel's
 * tables and the call, by those means read.c     reads and checks a file; believes
 * nothing in it replay.c   the program autotune: code as it was, the call made, compared,
 * tuned; memory.c   there too: memory as it was
 *
 * A file, all numbers as the machine has them:
 *
 *   struct capture_head
 *   struct capture_result    written behind the call; a wrong checksum: the call did not
 * return description              the kernel's tables, the key, the arguments, the
 * machine struct capture_block[]   which memory was where their bytes              one
 * after another
 *
 * Blocks are the sections of the call and the kernel's global variables, sorted, those
 * that touch joined. A file holds code, and whoever replays it runs that code: it is a
 * program. It is checked so that no damage goes unseen, not so that a hostile one does no
 * harm. */
#ifndef AUTOTUNE_CAPTURE_H
#define AUTOTUNE_CAPTURE_H

#include "base/base.h"

#define CAPTURE_MAGIC "AUTOTUNECAPTURE"                   /* and its NUL */
enum { CAPTURE_VERSION = 2, CAPTURE_MOST_BLOCKS = 4096 }; /* 1 is read, too */

struct capture_head {
  char magic[16];
  uint32_t version, n_blocks;
  uint64_t description_size, description_sum, blocks_sum;
  uint64_t sum; /* of all before it, as everywhere here: XXH3 */
};
struct capture_result {
  uint64_t outputs, ret; /* hashes: of `out` and `inout` sections in their order, of what
                            was returned */
  double seconds;        /* that the call took */
  uint64_t sum;
};
struct capture_block {
  uint64_t address, size, sum;
};

/* A call. In a program only while it is written; read from a file, all texts and tables
 * are its own. */
struct capture {
  struct autotune_kernel kernel; /* read: without functions, until replay.c has some */
  long long *key;
  void **args;
  struct autotune_span *spans; /* of the sections */
  const char *version;         /* of libautotune */
  const char *cpu, *isa, *machine;
  unsigned threads;
  struct capture_block *blocks;
  unsigned n_blocks;
  const char *bytes; /* read: those of the blocks, in the caller's memory */
  bool has_result;
  struct capture_result result;
  struct chunk *chunks; /* read: what it is made of */
};

/* ---- capture.c ------------------------------------------------------------------- */

/* Writes the call as it is before it is made; KEY is its key, UNIT the kernel's identity.
 * True: it is to be made with the default variant, and capture_end called behind it. */
bool capture_begin(const struct autotune_kernel *k, uint64_t unit, const long long *key,
                   void *const *args, struct autotune_call_state *state);
/* Notes what came of the call. */
void capture_end(struct autotune_call_state *state);

/* Of what the call wrote. */
uint64_t capture_outputs(const struct autotune_kernel *k,
                         const struct autotune_span *spans);
uint64_t capture_result_sum(const struct capture_result *r);

/* ---- stream.c -------------------------------------------------------------------- */

struct chunk {
  struct chunk *next;
};
struct stream {
  bool reading, failed; /* failed: too little, too much, or no memory */
  uint32_t version;     /* of the file's format */
  char *data;
  size_t size, at, capacity; /* writing: malloc'ed */
  struct chunk *chunks;      /* reading: what was allocated */
};
void stream_bytes(struct stream *s, void *bytes, size_t n);
void stream_number(struct stream *s, uint64_t *n);
void stream_unsigned(struct stream *s, unsigned *n);
void stream_double(struct stream *s, double *d);
/* NULL is a text, too. */
void stream_text(struct stream *s, const char **text);
/* Memory of the stream's, zero, fit for vectors; NULL: no memory, and failed. */
void *stream_new(struct stream *s, size_t n, size_t size);
/* Elements of SIZE bytes at ARRAY, as many as *N: reading makes room for them, each of
 * which must take LEAST bytes of the stream at least. The array, to be filled or only
 * looked at. */
void *stream_array(struct stream *s, const void *array, unsigned *n, size_t size,
                   size_t least);
void stream_free(struct chunk *chunks);

/* ---- tables.c -------------------------------------------------------------------- */

/* All of C but its blocks and its result, both ways. */
void capture_tables(struct stream *s, struct capture *c);

/* ---- read.c ---------------------------------------------------------------------- */

/* The call in the SIZE bytes at DATA, which must stay. NULL and *MESSAGE (malloc'ed, or
 * NULL without memory) where something is wrong with them. */
struct capture *capture_read(const void *data, size_t size, char **message);
void capture_free(struct capture *c);

#endif
