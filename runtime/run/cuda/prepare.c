// SPDX-License-Identifier: Apache-2.0
// prepare.c: arguments that the host makes for each variant: prepare(NAME = expression).
// Only the program has the user's functions, and the tuner may not call the driver. So
// the program makes all values before the tuner is forked: of each argument one for each
// combination of its parameters' values that some variant has.
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "model/space.h"

enum { COMBINATIONS = 4096, BYTES = 64 << 20 /* of one argument's values */ };

// Sets VALUES, one for each parameter of K, for combination INDEX of P's parameters, and
// leaves the others.
static void prepare_values(const struct autotune_kernel *k,
                           const struct autotune_prepared *p, unsigned index,
                           const struct autotune_value **values) {
  for (unsigned i = 0; i < p->n_params; i++) {
    const struct autotune_param *param = &k->params[p->params[i]];
    values[p->params[i]] = &param->values[index % param->n_values];
    index /= param->n_values;
  }
}

// Returns the number of P's combinations; 0: too many.
static unsigned prepare_count(const struct autotune_kernel *k,
                              const struct autotune_prepared *p) {
  unsigned n = 1;
  for (unsigned i = 0; i < p->n_params && n > 0; i++) {
    unsigned more = k->params[p->params[i]].n_values;
    n = more > 0 && n <= COMBINATIONS / more ? n * more : 0;
  }
  return n;
}

// True if a variant for CALL has VALUES for P's parameters. ONE: a copy of the kernel
// with parameters of its own, in ROOM.
static bool prepare_exists(const struct autotune_kernel *k,
                           const struct autotune_prepared *p,
                           const struct autotune_value *const *values,
                           const struct call *call, const struct autotune_machine *m,
                           struct autotune_param *room) {
  struct autotune_kernel one = kernel_copy(k);
  struct space s;
  memcpy(room, k->params, k->n_params * sizeof *room);
  for (unsigned i = 0; i < p->n_params; i++) {
    struct autotune_param *param = &room[p->params[i]];
    param->values = values[p->params[i]];
    param->n_values = 1;
    param->original = 0;
  }
  one.params = room;
  space_init(&s, &one, call, m);
  return space_count(&s, 1) > 0;
}

static bool prepare_set(const struct autotune_kernel *k,
                        const struct autotune_prepared *p, const struct call *call,
                        struct gpu_prepared_set *s) {
  const struct autotune_machine *m = gpu_machine(k, call->key);
  const struct autotune_value *values[MAX_PARAMS];
  struct autotune_param *room = sys_calloc(k->n_params + 1, sizeof *room);
  s->made = sys_calloc(s->n, sizeof *s->made);
  s->values = sys_calloc(s->n, s->size);
  for (unsigned i = 0; i < k->n_params; i++)
    values[i] = k->params[i].values;
  bool good = room && s->made && s->values;
  for (unsigned v = 0; good && v < s->n; v++) {
    prepare_values(k, p, v, values);
    s->made[v] = prepare_exists(k, p, values, call, m, room);
    if (s->made[v])
      p->make(values, call->args, m, s->values + v * s->size);
  }
  free(room);
  return good;
}

int gpu_prepare(const struct autotune_kernel *k, const struct call *call,
                struct gpu_prepared **out, char *why, size_t size) {
  unsigned n;
  const struct autotune_prepared *list = kernel_prepared(k, &n);
  *out = NULL;
  if (n == 0)
    return 0;
  struct gpu_prepared *all = n <= GPU_PREPARED ? sys_calloc(1, sizeof *all) : NULL;
  bool good = all && k->n_params <= MAX_PARAMS;
  snprintf(why, size,
           n > GPU_PREPARED ? "more than %d arguments are prepared" : "no memory",
           GPU_PREPARED);
  for (unsigned i = 0; good && i < n; i++) {
    struct gpu_prepared_set *s = &all->sets[i];
    *s = (struct gpu_prepared_set){ .kernel = k,
                                    .size = k->args[list[i].arg].size,
                                    .n = prepare_count(k, &list[i]) };
    good = s->n > 0 && s->size <= BYTES / s->n;
    if (!good)
      snprintf(why, size, "the params in prepare(%.80s) have more than %d combinations",
               list[i].text, COMBINATIONS);
    good = good && prepare_set(k, &list[i], call, s);
    all->n = i + 1;
  }
  if (!good) {
    gpu_prepared_free(all);
    return -1;
  }
  all->list = list;
  *out = all;
  return 0;
}

void gpu_prepared_free(struct gpu_prepared *p) {
  for (unsigned i = 0; p && i < p->n; i++) {
    free(p->sets[i].made);
    free(p->sets[i].values);
  }
  free(p);
}

bool gpu_prepared_take(const struct gpu_prepared *p, const struct gpu_call *c,
                       const choice *point, unsigned char *out) {
  memset(out, 0, c->prepared_bytes);
  for (unsigned i = 0; i < p->n; i++) {
    const struct gpu_prepared_set *s = &p->sets[i];
    unsigned index = 0, scale = 1;
    for (unsigned j = 0; j < p->list[i].n_params; j++) {
      unsigned param = p->list[i].params[j];
      index += point[param] * scale;
      scale *= s->kernel->params[param].n_values;
    }
    if (index >= s->n || !s->made[index])
      return false;
    memcpy(out + c->prepared[i].offset, s->values + index * s->size, s->size);
  }
  return true;
}
