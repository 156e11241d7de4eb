/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h: one real call in a file, and the same call made again from it.
 *
 *   capture.c  in the program: writes a call before it is made, and its result afterwards
 *   stream.c   numbers and texts as bytes: the same functions read and write
 *   tables.c   the table of what a file says about a call; reads and writes by it
 *   read.c     reads a file and checks it; trusts nothing in it
 *
 * The command `autotune` makes the call again: runtime/tools/tune/replay.c and memory.c.
 *
 * A file, with all numbers in the machine's own byte order and sizes:
 *
 *   struct capture_head
 *   struct capture_result    written after the call; if its checksum is wrong, the call
 *                            did not return
 *   description              the kernel's tables, the key, the arguments, the machine
 *   struct capture_block[]   the address ranges of the memory
 *   their bytes              in the order of the blocks
 *
 * Blocks are the sections of the call, the pointers that lead to rows of sections, and
 * the kernel's global variables. They are sorted, and those that touch are joined. A file
 * holds code, and replaying it runs that code: treat a file as a program. The checks find
 * damage. They do not protect against a hostile file. */
#ifndef AUTOTUNE_CAPTURE_H
#define AUTOTUNE_CAPTURE_H

#include "base/base.h"
#include "model/memory.h"

#define CAPTURE_MAGIC "AUTOTUNECAPTURE" /* with its NUL */
enum {
  CAPTURE_VERSION = 5,
  CAPTURE_MOST_BLOCKS = 1 << 20
}; /* versions 1 to 4 can be read,
      too */

struct capture_head {
  char magic[16];
  uint32_t version, n_blocks;
  uint64_t description_size, description_sum, blocks_sum;
  uint64_t sum; /* XXH3 of all bytes before it, as for every sum here */
};
struct capture_result {
  uint64_t outputs, ret; /* hash of the `out` and `inout` sections in their order; hash of
                            the returned value */
  double seconds;        /* duration of the call */
  uint64_t sum;
};
struct capture_block {
  uint64_t address, size, sum;
};

/* A call. In a program it exists only while it is written, and refers to the program's
 * tables. Read from a file, it owns all its texts and tables. */
struct capture {
  struct autotune_kernel kernel; /* from a file: no functions until replay.c adds them */
  long long *key;
  void **args;
  struct autotune_span *spans; /* the first piece of each section */
  unsigned rows;               /* 1: there are functions for rows */
  const char *version;         /* of libautotune */
  const char *cpu, *isa, *machine;
  unsigned threads;
  struct capture_block *blocks;
  unsigned n_blocks;
  const char *bytes; /* read from a file: the bytes of the blocks, in the buffer given to
                        capture_read */
  bool has_result;
  struct capture_result result;
  struct chunk *chunks; /* read from a file: its memory, freed by capture_free */
};

/* ---- capture.c ------------------------------------------------------------------- */

/* Writes the call to a file before it is made. KEY is the key of the call, UNIT the
 * kernel's identity_unit. True: the caller makes the call with the default variant and
 * then calls capture_end with the same STATE. False: nothing was captured; a warning was
 * logged. */
bool capture_begin(const struct autotune_kernel *k, uint64_t unit, const long long *key,
                   void *const *args, struct autotune_call_state *state);
/* Adds the result of the call to the file and frees what capture_begin allocated. Keeps
 * errno. */
void capture_end(struct autotune_call_state *state);

/* After the call, whose result is at RESULT. Returns the hash of the `out` and `inout`
 * sections. */
uint64_t capture_outputs(const struct memories *m, const void *result);
/* Returns the hash of the result; of a pointer 0. */
uint64_t capture_returned(const struct autotune_kernel *k, const void *result);
/* Returns the first piece of M; no bytes: it has none. */
struct autotune_span capture_span(const struct memory *m);
uint64_t capture_result_sum(const struct capture_result *r);

/* ---- stream.c -------------------------------------------------------------------- */

struct chunk {
  struct chunk *next;
};
struct stream {
  bool reading, failed; /* failed: data is missing or left over, or no memory */
  uint32_t version;     /* of the file's format */
  char *data;
  size_t size, at, capacity; /* writing: malloc'ed; the caller frees it */
  struct chunk *chunks;      /* reading: all that was allocated, freed by stream_free */
};
/* Each function reads into its argument or writes it, as S->reading says. Once S has
 * failed, they move no bytes. */
void stream_bytes(struct stream *s, void *bytes, size_t n);
void stream_unsigned(struct stream *s, unsigned *n);
/* A text may be NULL. */
void stream_text(struct stream *s, const char **text);
/* Returns zeroed memory that the stream owns, aligned for vectors. NULL: no memory, and S
 * has failed. */
void *stream_new(struct stream *s, size_t n, size_t size);
void stream_free(struct chunk *chunks);

/* ---- tables.c -------------------------------------------------------------------- */

/* Reads or writes all of C but its blocks and its result, and checks the tables. */
void capture_tables(struct stream *s, struct capture *c);

/* ---- read.c ---------------------------------------------------------------------- */

/* Returns the call in the SIZE bytes at DATA, which must outlive it; free it with
 * capture_free. NULL: the bytes are damaged; *MESSAGE (malloc'ed, NULL without memory)
 * says how. */
struct capture *capture_read(const void *data, size_t size, char **message);
void capture_free(struct capture *c);

#endif
