// SPDX-License-Identifier: Apache-2.0
// load.c: turns a cubin into a function that can be launched as requested, or says why
// not.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "run/target.h"

// CUfunction_attribute and CUdevice_attribute, by their documented numbers.
enum {
  FUNCTION_MAX_THREADS = 0,
  FUNCTION_SHARED = 1,
  FUNCTION_LOCAL = 3,
  FUNCTION_REGISTERS = 4,
  FUNCTION_MAX_DYNAMIC = 8,
  DEVICE_THREADS_PER_SM = 39,
  PLAIN_SHARED = 48 * 1024 /* bytes of shared memory that need no permission */
};

bool gpu_variant_fits(const struct gpu_call *c, size_t written, size_t size,
                      size_t prepared, struct gpu_answer *out) {
  if (written <= size && prepared <= size - written &&
      (prepared == 0 || prepared == c->prepared_bytes))
    return true;
  *out = (struct gpu_answer){ .status = STATUS_LOAD };
  snprintf(out->message, sizeof out->message,
           "%zu bytes of arguments in its file of %zu bytes, and not %zu", prepared, size,
           c->prepared_bytes);
  return false;
}

struct loaded *gpu_loaded(struct gpu_run *r, uint64_t ticket) {
  for (unsigned i = 0; i < r->n_loaded; i++)
    if (r->loaded[i].ticket == ticket)
      return &r->loaded[i];
  return NULL;
}

static unsigned long long load_volume(const struct autotune_dim3 *d) {
  return (unsigned long long)d->x * d->y * d->z;
}

static int load_attribute(const struct gpu_run *r, int what, gpu_function f) {
  int value = 0;
  return r->api->function_attribute(&value, what, f) == 0 ? value : 0;
}

// Sets the waves: how often all multiprocessors are filled, and the fraction of the last
// wave that is empty.
static void set_waves(const struct gpu_run *r, const struct autotune_launch *l,
                      struct gpu_facts *f) {
  double at_once = (double)f->blocks * (double)r->info->numbers.sms;
  f->waves = at_once > 0 ? (double)load_volume(&l->grid) / at_once : 0;
  f->tail = ceil(f->waves) - f->waves;
}

static bool set_facts(struct gpu_run *r, struct loaded *l, struct gpu_answer *a) {
  struct gpu_facts *f = &l->facts;
  unsigned long long threads = load_volume(&l->launch.block);
  int most = load_attribute(r, FUNCTION_MAX_THREADS, l->function), on_sm = 0;
  f->registers = load_attribute(r, FUNCTION_REGISTERS, l->function);
  f->spilled = load_attribute(r, FUNCTION_LOCAL, l->function);
  f->static_shared = load_attribute(r, FUNCTION_SHARED, l->function);
  a->facts = *f;
  a->status = STATUS_LOAD;
  if (most > 0 && threads > (unsigned long long)most) {
    snprintf(a->message, sizeof a->message,
             "blocks of %llu threads, and with %d registers each %d fit", threads,
             f->registers, most);
    return false;
  }
  if (l->launch.shared + (size_t)f->static_shared > PLAIN_SHARED &&
      !gpu_good(
          r,
          r->api->function_set(l->function, FUNCTION_MAX_DYNAMIC, (int)l->launch.shared),
          "shared memory", a))
    return false;
  if (!gpu_good(
          r, r->api->occupancy(&f->blocks, l->function, (int)threads, l->launch.shared),
          "occupancy", a))
    return false;
  gpu_device device = 0;
  if (r->api->device_get(&device, r->call.device) != 0 ||
      r->api->device_attribute(&on_sm, DEVICE_THREADS_PER_SM, device) != 0)
    on_sm = 0;
  long long warp = r->info->numbers.warp > 0 ? r->info->numbers.warp : 32;
  long long warps = ((long long)threads + warp - 1) / warp;
  f->occupancy = on_sm > 0 ? (double)(f->blocks * warps * warp) / on_sm : 0;
  set_waves(r, &l->launch, f);
  a->facts = *f;
  if (f->blocks == 0) {
    snprintf(
        a->message, sizeof a->message,
        "no block fits on a multiprocessor (%llu threads, %d registers, %zu bytes of "
        "shared memory)",
        threads, f->registers, l->launch.shared + (size_t)f->static_shared);
    return false;
  }
  a->status = STATUS_OK;
  return true;
}

// Sets the unit's pointers to the program's variables. The compiler may have removed a
// pointer that is not used.
static bool set_symbols(struct gpu_run *r, const struct loaded *l, struct gpu_answer *a) {
  bool good = true;
  for (unsigned i = 0; good && i < r->call.n_symbols; i++) {
    char *name = sys_printf("autotune_symbol_%s", r->call.symbols[i].name);
    gpu_pointer at = 0;
    size_t bytes = 0;
    gpu_result e = name ? r->api->module_global(&at, &bytes, l->module, name)
                        : GPU_OUT_OF_MEMORY;
    if (e == 0 && bytes >= sizeof at)
      e = r->api->copy_from_host(at, &r->call.symbols[i].address, sizeof at, r->stream);
    good = e == GPU_NOT_FOUND || gpu_good(r, e, name ? name : "loading", a);
    free(name);
  }
  return good && gpu_good(r, gpu_await(r, 0), "loading", a);
}

// Sets L's arguments: those of the call, and in place of some what the host has made for
// V. They follow the list of their addresses.
static bool load_prepared(struct gpu_run *r, struct loaded *l,
                          const struct gpu_variant *v, struct gpu_answer *a) {
  const struct gpu_call *c = &r->call;
  size_t list = c->n_args * sizeof *l->args;
  if (!v->prepared)
    return true;
  l->args = sys_malloc(list + c->prepared_bytes + 1);
  bool good = l->args || gpu_good(r, GPU_OUT_OF_MEMORY, "its arguments", a);
  if (l->args) {
    memcpy(l->args, r->args, list);
    memcpy((char *)l->args + list, v->prepared, c->prepared_bytes);
  }
  for (unsigned i = 0; good && i < c->n_prepared; i++) {
    unsigned char *at = (unsigned char *)l->args + list + c->prepared[i].offset;
    l->args[c->prepared[i].arg] = at;
    good = gpu_translate(r, c->prepared[i].arg, at);
    if (!good) {
      a->status = STATUS_LOAD;
      snprintf(a->message, sizeof a->message,
               "a tensor map that was made for it cannot be changed");
    }
  }
  return good;
}

void gpu_unload(struct gpu_run *r, struct loaded *l) {
  free(l->args);
  if (l->module && !r->lost)
    r->api->module_unload(l->module);
  *l = r->loaded[--r->n_loaded];
}

struct loaded *gpu_load(struct gpu_run *r, const struct gpu_variant *v,
                        struct gpu_answer *a) {
  struct loaded *more = sys_realloc(r->loaded, (r->n_loaded + 1) * sizeof *more);
  if (!more) {
    a->status = STATUS_LOAD;
    snprintf(a->message, sizeof a->message, "no memory");
    return NULL;
  }
  r->loaded = more;
  struct loaded *l = &more[r->n_loaded++];
  *l = (struct loaded){ .ticket = v->ticket, .launch = v->launch };
  gpu_result e = r->api->module_load(&l->module, v->cubin);
  if (e == 0)
    e = r->api->module_function(&l->function, l->module, "autotune_entry");
  if (gpu_good(r, e, "loading", a) && set_symbols(r, l, a) && set_facts(r, l, a) &&
      load_prepared(r, l, v, a))
    return l;
  gpu_unload(r, l);
  return NULL;
}
