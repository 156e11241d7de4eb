// SPDX-License-Identifier: Apache-2.0
// prepare.c: arguments that the host makes for each variant: prepare(NAME = expression).
// Only the program has the user's functions, and the tuner may not call the driver. So
// the program makes all values before the tuner is forked: of each argument one for each
// combination of its parameters' values that some variant has.
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "model/space.h"

enum {
  COMBINATIONS = 4096,
  BYTES = 64 << 20,       // of one argument's values
  STEPS = 4 * 1000 * 1000 // of all searches for variants: some tenths of a second
};

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

// True if a variant for CALL has VALUES for P's parameters; also where *STEPS, which are
// counted down, do not suffice to tell. ROOM: for parameters of a copy of the kernel.
static bool prepare_exists(const struct autotune_kernel *k,
                           const struct autotune_prepared *p,
                           const struct autotune_value *const *values,
                           const struct call *call, const struct autotune_machine *m,
                           struct autotune_param *room, uint64_t *steps) {
  struct autotune_kernel one = kernel_copy(k);
  struct space s;
  if (*steps == 0)
    return true;
  memcpy(room, k->params, k->n_params * sizeof *room);
  for (unsigned i = 0; i < p->n_params; i++) {
    struct autotune_param *param = &room[p->params[i]];
    param->values = values[p->params[i]];
    param->n_values = 1;
    param->original = 0;
  }
  one.params = room;
  space_init(&s, &one, call, m);
  return space_any(&s, steps);
}

void gpu_prepared_drop(struct gpu_prepared_set *s, unsigned v, const char *why) {
  s->made[v] = false;
  free(s->why[v]);
  s->why[v] = sys_strdup(why);
}

// The length of P's text as written, which macros follow, or MOST if it is longer.
static int prepare_written(const struct autotune_prepared *p, size_t most) {
  size_t n = strcspn(p->text, "\n");
  return (int)(n < most ? n : most);
}

// (The type may be one of the user's. Where the launch passes zeros too, the kernel does
// not use it on this device.)
bool gpu_prepared_failed(const struct autotune_kernel *k,
                         const struct autotune_prepared *p, void *const *args,
                         const void *out, char *why, size_t size) {
  if (k->args[p->arg].size != GPU_MAP || !gpu_map_is_empty(out) ||
      gpu_map_is_empty(args[p->arg]))
    return false;
  snprintf(why, size, "prepare(%.*s) made no tensor map: all its bytes are 0",
           prepare_written(p, 100), p->text);
  return true;
}

static bool prepare_set(const struct autotune_kernel *k,
                        const struct autotune_prepared *p, const struct call *call,
                        struct gpu_prepared_set *s, uint64_t *steps) {
  const struct autotune_machine *m = gpu_machine(k, call->key);
  const struct autotune_value *values[MAX_PARAMS];
  char why[200];
  struct autotune_param *room = sys_calloc(k->n_params + 1, sizeof *room);
  s->made = sys_calloc(s->n, sizeof *s->made);
  s->why = sys_calloc(s->n, sizeof *s->why);
  s->values = sys_calloc(s->n, s->size);
  for (unsigned i = 0; i < k->n_params; i++)
    values[i] = k->params[i].values;
  bool good = room && s->made && s->why && s->values;
  for (unsigned v = 0; good && v < s->n; v++) {
    prepare_values(k, p, v, values);
    unsigned char *at = s->values + v * s->size;
    s->made[v] = prepare_exists(k, p, values, call, m, room, steps);
    if (s->made[v])
      p->make(values, call->args, m, at);
    if (s->made[v] && gpu_prepared_failed(k, p, call->args, at, why, sizeof why))
      gpu_prepared_drop(s, v, why);
  }
  free(room);
  return good;
}

// ---- the launch's own value ---------------------------------------------------------

bool gpu_prepared_compares(const struct autotune_kernel *k,
                           const struct autotune_prepared *p) {
  bool known = p->compared;
  for (unsigned i = 0; i < p->n_params; i++)
    known = known && k->params[p->params[i]].original < k->params[p->params[i]].n_values;
  return known;
}

void gpu_prepared_default(const struct autotune_kernel *k,
                          const struct autotune_prepared *p, void *const *args,
                          const struct autotune_machine *machine, void *out) {
  const struct autotune_value *values[MAX_PARAMS];
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct autotune_param *param = &k->params[i];
    values[i] = param->values + (param->original < param->n_values ? param->original : 0);
  }
  p->make(values, args, machine, out);
}

void gpu_prepared_differs(const struct autotune_kernel *k,
                          const struct autotune_prepared *p, char *why, size_t size) {
  snprintf(why, size,
           "the launch's own %.40s is not what prepare(%.*s) makes for the default's "
           "params",
           k->args[p->arg].name, prepare_written(p, 100), p->text);
}

// False, and WHY: the launch's own value differs from that for the default's params.
static bool prepare_agrees(const struct autotune_kernel *k,
                           const struct autotune_prepared *p, const struct call *call,
                           char *why, size_t size) {
  size_t bytes = k->args[p->arg].size;
  void *own = gpu_prepared_compares(k, p) ? sys_malloc(bytes) : NULL;
  if (own)
    gpu_prepared_default(k, p, call->args, gpu_machine(k, call->key), own);
  bool agrees = !own || memcmp(own, call->args[p->arg], bytes) == 0;
  if (!agrees)
    gpu_prepared_differs(k, p, why, size);
  free(own);
  return agrees;
}

// ---- all of them --------------------------------------------------------------------

int gpu_prepare(const struct autotune_kernel *k, const struct call *call,
                struct gpu_prepared **out, char *why, size_t size) {
  unsigned n;
  uint64_t steps = STEPS;
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
      snprintf(why, size, "the params in prepare(%.*s) have more than %d combinations",
               prepare_written(&list[i], 80), list[i].text, COMBINATIONS);
    good = good && prepare_set(k, &list[i], call, s, &steps);
    good = good && prepare_agrees(k, &list[i], call, why, size);
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
    for (unsigned v = 0; p->sets[i].why && v < p->sets[i].n; v++)
      free(p->sets[i].why[v]);
    free(p->sets[i].why);
    free(p->sets[i].made);
    free(p->sets[i].values);
  }
  free(p);
}

bool gpu_prepared_take(const struct gpu_prepared *p, const struct gpu_call *c,
                       const choice *point, unsigned char *out, char *why, size_t size) {
  memset(out, 0, c->prepared_bytes);
  for (unsigned i = 0; i < p->n; i++) {
    const struct gpu_prepared_set *s = &p->sets[i];
    unsigned index = 0, scale = 1;
    for (unsigned j = 0; j < p->list[i].n_params; j++) {
      unsigned param = p->list[i].params[j];
      index += point[param] * scale;
      scale *= s->kernel->params[param].n_values;
    }
    if (index >= s->n || !s->made[index]) {
      snprintf(why, size, "%s",
               index < s->n && s->why[index] ? s->why[index]
                                             : "its arguments were not made");
      return false;
    }
    memcpy(out + c->prepared[i].offset, s->values + index * s->size, s->size);
  }
  return true;
}

// Maps are aligned as their type is.
size_t gpu_prepared_place(size_t *bytes, size_t size) {
  size_t each = size == GPU_MAP ? GPU_MAP : 16, at = (*bytes + each - 1) / each * each;
  *bytes = at + size;
  return at;
}
