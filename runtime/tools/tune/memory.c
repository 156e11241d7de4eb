// SPDX-License-Identifier: Apache-2.0
// memory.c: maps the memory of a captured call at the addresses that it had in the
// program, so that pointers in it and in the arguments are valid.
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "keep/capture/capture.h"
#include "tune.h"

enum { PAGE = 4096 };

static uint64_t page_of(uint64_t address) {
  return address & ~(uint64_t)(PAGE - 1);
}

static uint64_t pages_end(const struct capture_block *b) {
  return page_of(b->address + b->size + PAGE - 1);
}

// Maps blocks that share pages together.
int replay_map(const struct capture *c) {
  for (unsigned i = 0, next; i < c->n_blocks; i = next) {
    uint64_t start = page_of(c->blocks[i].address), end = pages_end(&c->blocks[i]);
    for (next = i + 1; next < c->n_blocks && page_of(c->blocks[next].address) <= end;
         next++)
      end = pages_end(&c->blocks[next]);
    void *wanted = (void *)(uintptr_t)start;
    void *got = mmap(wanted, end - start, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                     -1, 0);
    if (got == MAP_FAILED)
      return errno == EEXIST ? REPLAY_MOVE : 1;
    if (got != wanted) // an old kernel ignores the flag
      return REPLAY_MOVE;
  }
  const char *bytes = c->bytes;
  for (unsigned i = 0; i < c->n_blocks; i++) {
    memcpy((void *)(uintptr_t)c->blocks[i].address, bytes, c->blocks[i].size);
    bytes += c->blocks[i].size;
  }
  return 0;
}
