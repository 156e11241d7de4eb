/* SPDX-License-Identifier: Apache-2.0 */
/* backend.c: which backend makes variants for a compiler. The first that is applicable
 * does. */
#include <stdlib.h>

#include "compile.h"

static const struct backend *const backends[] = { &backend_clang, &backend_nvrtc,
                                                  &backend_external };

const struct backend *backend_find(const char *compiler) {
  for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
    if (backends[i]->applicable(compiler))
      return backends[i];
  return NULL;
}

void object_free(struct object *o) {
  free(o->data);
  free(o->message);
  *o = (struct object){ 0 };
}
