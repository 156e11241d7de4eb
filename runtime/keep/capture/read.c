// SPDX-License-Identifier: Apache-2.0
// read.c: reads a captured call from the bytes of its file, and checks each part by its
// checksum.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "capture.h"

// Addresses at which programs of this machine can have memory: above the first pages, and
// below 47 bits.
static const uint64_t lowest = 1 << 16, highest = UINT64_C(1) << 47;

#define REFUSE(...)                     \
  do {                                  \
    *message = sys_printf(__VA_ARGS__); \
    return false;                       \
  } while (0)

static bool check_head(const struct capture_head *h, size_t size, char **message) {
  if (size < sizeof *h + sizeof(struct capture_result) ||
      memcmp(h->magic, CAPTURE_MAGIC, 16) != 0)
    REFUSE("it is not a captured call");
  if (h->version < 1 || h->version > CAPTURE_VERSION)
    REFUSE("it is of another version of autotune (format %u, not %d)", h->version,
           CAPTURE_VERSION);
  if (h->sum != XXH3_64bits(h, offsetof(struct capture_head, sum)))
    REFUSE("it is damaged (head)");
  return true;
}

static bool check_blocks(const struct capture *c, const char *bytes, size_t size,
                         char **message) {
  uint64_t last = lowest, at = 0;
  for (unsigned i = 0; i < c->n_blocks; i++) {
    const struct capture_block *b = &c->blocks[i];
    if (b->address < last || b->size == 0 || b->size > highest ||
        b->address + b->size > highest)
      REFUSE("it is damaged (blocks)");
    if (b->size > size - at)
      REFUSE("it is cut short");
    if (XXH3_64bits(bytes + at, b->size) != b->sum)
      REFUSE("it is damaged (memory)");
    last = b->address + b->size;
    at += b->size;
  }
  if (at != size)
    REFUSE("there is more in it than there should be");
  return true;
}

static bool read_covered(const struct capture *c, uint64_t address, uint64_t bytes) {
  for (unsigned i = 0; i < c->n_blocks; i++)
    if (address >= c->blocks[i].address && bytes <= c->blocks[i].size &&
        address - c->blocks[i].address <= c->blocks[i].size - bytes)
      return true;
  return bytes == 0;
}

// Checks that the blocks hold all memory that a replay compares and binds.
static bool check_memory(const struct capture *c, char **message) {
  for (unsigned i = 0; i < c->kernel.n_sections; i++)
    if (!read_covered(c, (uintptr_t)c->spans[i].base, c->spans[i].bytes))
      REFUSE("the section '%s' is not in it", c->kernel.sections[i].name);
  for (unsigned i = 0; i < c->kernel.n_symbols; i++)
    if (!read_covered(c, (uintptr_t)c->kernel.symbols[i].address,
                      c->kernel.symbols[i].size))
      REFUSE("the variable '%s' is not in it", c->kernel.symbols[i].name);
  return true;
}

static bool read_all(struct capture *c, const char *data, size_t size, char **message) {
  struct capture_head head;
  struct capture_result result;
  memcpy(&head, data, size < sizeof head ? size : sizeof head);
  if (!check_head(&head, size, message))
    return false;
  memcpy(&result, data + sizeof head, sizeof result);
  size_t at = sizeof head + sizeof result;
  size_t table = (size_t)head.n_blocks * sizeof *c->blocks;
  if (head.n_blocks > CAPTURE_MOST_BLOCKS)
    REFUSE("it is damaged (head)");
  if (head.description_size > size - at || table > size - at - head.description_size)
    REFUSE("it is cut short");
  struct stream s = { .reading = true,
                      .version = head.version,
                      .data = (char *)(uintptr_t)(data + at),
                      .size = head.description_size };
  if (XXH3_64bits(s.data, s.size) != head.description_sum)
    REFUSE("it is damaged (description)");
  capture_tables(&s, c);
  c->n_blocks = head.n_blocks;
  struct capture_block *blocks = stream_new(&s, c->n_blocks, sizeof *blocks);
  c->blocks = blocks;
  c->chunks = s.chunks;
  if (s.failed)
    REFUSE("it is damaged (tables), or there is no memory");
  if (c->kernel.search && value_extern(c->kernel.search))
    c->kernel.search = NULL; // commands come from sources and the environment only
  at += s.size;
  memcpy(blocks, data + at, table);
  if (XXH3_64bits(blocks, table) != head.blocks_sum)
    REFUSE("it is damaged (blocks)");
  c->bytes = data + at + table;
  c->result = result;
  c->has_result = result.sum == capture_result_sum(&result);
  return check_blocks(c, c->bytes, size - at - table, message) &&
      check_memory(c, message);
}

struct capture *capture_read(const void *data, size_t size, char **message) {
  *message = NULL;
  struct capture *c = sys_calloc(1, sizeof *c);
  if (c && read_all(c, data, size, message))
    return c;
  capture_free(c);
  return NULL;
}

void capture_free(struct capture *c) {
  if (c)
    stream_free(c->chunks);
  free(c);
}
