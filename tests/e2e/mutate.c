// SPDX-License-Identifier: Apache-2.0
// mutate.c: `mutate FILE SEED` damages a file.
#include <stdio.h>
#include <stdlib.h>

#include "unit/mutate.h"

enum { MOST = 64 << 20 };

int main(int argc, char **argv) {
  FILE *f = argc == 3 ? fopen(argv[1], "r+b") : NULL;
  unsigned char *from = malloc(MOST), *to = malloc(2 * (size_t)MOST + 4096);
  if (!f || !from || !to)
    return 2;
  size_t size = fread(from, 1, MOST, f);
  fclose(f);
  uint64_t rng = strtoull(argv[2], NULL, 0);
  if (size == 0 || !(f = fopen(argv[1], "wb")))
    return 2;
  size = mutate(from, size, to, &rng);
  bool written = fwrite(to, 1, size, f) == size;
  return fclose(f) == 0 && written ? 0 : 2;
}
