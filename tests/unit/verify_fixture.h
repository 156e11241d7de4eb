/* SPDX-License-Identifier: Apache-2.0 */
/* verify_fixture.h: compares arrays of numbers as the sandbox compares a section. */
#ifndef VERIFY_FIXTURE_H
#define VERIFY_FIXTURE_H

#include <string.h>

#include "run/outputs.h"

/* True if GOT, elements E, agrees with REFERENCE. Else MESSAGE: "element 2 is 3 instead
 * of 4". */
static bool fixture_compare(enum autotune_element e, struct tolerance t,
                            const void *reference, const void *got, size_t bytes,
                            char *message, size_t size) {
  struct layout_plain plain;
  struct output o = { .layout = layout_plain(e, verify_element_size(e), &plain),
                      .element = e };
  if (output_compare(&o, t, "x", reference, got, bytes, NULL, message, size))
    return true;
  memmove(message, message + strlen("x: "), strlen(message) - strlen("x: ") + 1);
  return false;
}

#endif
