// SPDX-License-Identifier: Apache-2.0
// text.c: points as text, for people and for the store.
#include <string.h>

#include "space.h"

// Returns "NAME=VALUE" and the separator for each parameter in ORDER; malloc'ed.
static char *text_join(const struct autotune_kernel *k, const choice *point,
                       const unsigned *order, unsigned n, char separator) {
  size_t size = 1;
  for (unsigned i = 0; i < n; i++) {
    const struct autotune_param *p = &k->params[order[i]];
    size += strlen(p->name) + strlen(p->values[point[order[i]]].text) + 2;
  }
  char *text = sys_malloc(size), *at = text;
  for (unsigned i = 0; text && i < n; i++) {
    const struct autotune_param *p = &k->params[order[i]];
    at = stpcpy(stpcpy(stpcpy(at, p->name), "="), p->values[point[order[i]]].text);
    *at++ = separator;
  }
  if (text)
    *at = '\0';
  return text;
}

char *space_describe(const struct space *s, const choice *point) {
  const struct autotune_kernel *k = s->kernel;
  unsigned order[MAX_PARAMS], n = 0;
  for (unsigned p = 0; p < k->n_params; p++)
    if (space_matters(k, point, p))
      order[n++] = p;
  char *text = text_join(k, point, order, n, ' ');
  size_t size = text ? strlen(text) : 0;
  if (size > 0)
    text[size - 1] = '\0';
  return text;
}

char *space_values(const struct autotune_kernel *k, const choice *point) {
  unsigned order[MAX_PARAMS];
  for (unsigned n = 0; n < k->n_params; n++) { // insertion sort: a dozen parameters
    unsigned i = n;
    for (; i > 0 && strcmp(k->params[order[i - 1]].name, k->params[n].name) > 0; i--)
      order[i] = order[i - 1];
    order[i] = n;
  }
  return text_join(k, point, order, k->n_params, '\n');
}
