/* SPDX-License-Identifier: Apache-2.0 */
/* mutate.h: damages a file, for tests of what reads it. */
#ifndef MUTATE_H
#define MUTATE_H

#include <string.h>

#include "model/space.h"

/* Stores a changed copy of the SIZE bytes of FROM in TO, which has room for twice as
 * many and a page. Returns the new size. */
static inline size_t mutate(const unsigned char *from, size_t size, unsigned char *to,
                            uint64_t *rng) {
  size_t page = size < 4096 ? 1 + size / 4 : 4096, pages = size / page;
  memcpy(to, from, size);
  switch (rng_next(rng) % 8) {
  case 0: // cut off
    return rng_next(rng) % size;
  case 1: // a page where another belongs
    memcpy(to + rng_next(rng) % pages * page, from + rng_next(rng) % pages * page, page);
    return size;
  case 2: // a hole
    memset(to + rng_next(rng) % pages * page, 0, page);
    return size;
  case 3: // bytes after the end
    memset(to + size, (int)rng_next(rng), page);
    return size + 1 + rng_next(rng) % page;
  case 4: // heads of pages, which hold the structure of a database
    to[rng_next(rng) % pages * page + rng_next(rng) % (page < 100 ? page : 100)] =
        (unsigned char)rng_next(rng);
    return size;
  default:
    for (uint64_t n = 1 + rng_next(rng) % 16; n > 0; n--)
      to[rng_next(rng) % size] ^= (unsigned char)(1u << rng_next(rng) % 8);
    return size;
  }
}

#endif
