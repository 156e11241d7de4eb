// SPDX-License-Identifier: Apache-2.0
// returned.c: the memory that runs of a kernel allocate and return. Nobody but us can
// free it.
#include <malloc.h>
#include <stdint.h>
#include <string.h>

#include "sandbox.h"

size_t returned_allocated(const struct image *m) {
#if __GLIBC_PREREQ(2, 33)
  if (memory_is_returned(m->kernel)) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
  }
#endif
  (void)m;
  return 0;
}

void *returned_to_free(const struct image *m, size_t allocated) {
  char *result = NULL;
  size_t size = 0; // of its chunk, which stands before it
  if (!allocated || memories_returned(&m->memory, m->ret))
    return NULL;
  memcpy(&result, m->ret, sizeof result);
  if ((uintptr_t)result % CHANGES_PAGE < sizeof size || (uintptr_t)result % 16 != 0)
    return NULL;
  memcpy(&size, result - sizeof size, sizeof size);
  return (size & ~(size_t)7) == allocated ? result : NULL;
}
