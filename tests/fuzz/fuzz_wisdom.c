// SPDX-License-Identifier: Apache-2.0
// fuzz_wisdom.c: lines of wisdom. An accepted line must be printed and read back the
// same.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "keep/wisdom/wisdom.h"

static void read_line(const char *line, size_t size) {
  struct wisdom_entry e, back;
  char why[200];
  if (!wisdom_parse(line, size, &e, why, sizeof why))
    return;
  char *printed = wisdom_print(&e);
  if (!printed || !wisdom_parse(printed, strlen(printed), &back, why, sizeof why))
    abort();
  char *again = wisdom_print(&back);
  if (!again || strcmp(printed, again) != 0 || wisdom_compare(&e, &back) != 0)
    abort();
  free(again);
  free(printed);
  free(back.block);
  free(e.block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *line = (const char *)data, *end = line + size;
  while (line < end) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    stop = stop ? stop : end;
    read_line(line, (size_t)(stop - line));
    line = stop + 1;
  }
  return 0;
}
