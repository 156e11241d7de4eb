/* SPDX-License-Identifier: Apache-2.0 */
/* backend.c: the table of backends. The first one that is applicable to a compiler makes
 * its variants. */
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
