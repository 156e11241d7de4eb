// SPDX-License-Identifier: Apache-2.0
// target.c: this processor as a target: C kernels, tried by workers in a sandbox.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cold.h"
#include "compile/compile.h"
#include "compile/static.h"
#include "model/constants.h"
#include "model/identity.h"
#include "module.h"
#include "openmp.h"
#include "sandbox.h"

static bool cpu_applicable(const struct autotune_kernel *k) {
  return !kernel_is_launched(k);
}

// ---- what is here -------------------------------------------------------------------

static void cpu_identify(const struct autotune_kernel *k, const long long *key,
                         struct target_identity *out) {
  const struct machine *m = machine_identity();
  bool one_compiler = k->n_units == 1 && strcmp(k->units[0].compiler, "clang") == 0;
  (void)key;
  *out =
      (struct target_identity){ .cpu = m->cpu,
                                .device = DEVICE_PROCESSOR,
                                .isa = m->isa,
                                .threads = (unsigned)m->numbers.threads,
                                .toolchain = one_compiler ? identity_toolchain() : NULL };
}

static const struct autotune_machine *cpu_machine(const struct autotune_kernel *k,
                                                  const long long *key) {
  (void)k, (void)key;
  return &machine_get()->numbers;
}

// In a region of gcc's OpenMP runtime, which does not know LLVM's, the threads of
// variants would be as many again for each thread of the region.
static bool cpu_may_fork(const struct autotune_kernel *k) {
  return !k->openmp || !openmp_in_parallel() || openmp_is_llvms();
}

static unsigned cpu_team(bool *nests) {
  return openmp_team(nests);
}

// ---- calls --------------------------------------------------------------------------

static bool cpu_load(const struct autotune_kernel *k, const long long *key,
                     const char *path, const char *values, struct variant_code *out,
                     char **message) {
  void *handle = NULL;
  (void)values;
  out->function = module_load(path, k->symbols, k->n_symbols, &handle, message);
  out->loaded = handle;
  if (!out->function)
    return false;
  if (constants_fit(k, module_constants(handle), key, &out->constants, message))
    return true;
  dlclose(handle);
  return false;
}

static void cpu_unload(struct target_code *code) {
  dlclose(code);
}

// ---- trials -------------------------------------------------------------------------

static struct worker_pool *pool_of(const struct executor *e) {
  return (struct worker_pool *)(uintptr_t)e;
}

static bool cpu_prepare(const struct autotune_kernel *k, char **message) {
  const char *otherwise = "the compiler library cannot be loaded";
  bool ready = jit_open(message) != NULL;
  if (ready && k->openmp) {
    otherwise = "the OpenMP runtime cannot be loaded";
    ready = openmp_open(message) == 0;
  }
  if (!ready && !*message)
    *message = sys_strdup(otherwise);
  return ready;
}

static struct executor *cpu_start(const struct autotune_kernel *k,
                                  const struct call *call,
                                  const struct executor_wish *wish, char **message) {
  char *none = NULL;
  const struct jit_api *jit = wish->prepared ? jit_open(&none) : NULL;
  free(none);
  return (struct executor *)worker_start_wished(k, call->args, jit, wish, message);
}

static void cpu_call(const struct executor *e, double *flops, double *bytes,
                     bool *verified) {
  worker_call(pool_of(e), flops, bytes, verified);
}

static double cpu_touched(const struct executor *e) {
  return worker_touched(pool_of(e));
}

static double cpu_cold(const struct executor *e) {
  return worker_cold(pool_of(e));
}

static void cpu_covered(const struct executor *e, char *text, size_t size) {
  worker_covered(pool_of(e), text, size);
}

static int cpu_reference(struct executor *e, const struct trial_plan *plan,
                         struct trial *out) {
  return worker_reference(pool_of(e), plan, out);
}

static int cpu_rounding(struct executor *e, const struct trial_plan *plan,
                        double seconds) {
  return worker_rounding(pool_of(e), plan, seconds);
}

static int cpu_written(struct executor *e, const void *object, size_t size,
                       const struct trial_plan *plan, struct trial *out) {
  return worker_written(pool_of(e), object, size, plan, out);
}

static int cpu_try(struct executor *e, uint64_t ticket, const void *object, size_t size,
                   const struct trial_plan *plan, struct trial *out) {
  return worker_try(pool_of(e), ticket, object, size, plan, out);
}

// True if the variant makes integers of floating-point numbers.
static bool cpu_converts(const struct autotune_kernel *k, const void *object,
                         size_t size) {
  struct jit_instruction *code = NULL;
  char *message = NULL;
  size_t n = 0;
  const struct jit_api *jit = jit_open(&message);
  bool known = jit && jit->disassemble(object, size, &code, &n, &message) == 0;
  bool converts = !known;
  for (size_t i = 0; known && i < n; i++)
    converts |= (code[i].flags & JIT_TO_INTEGER) != 0;
  for (unsigned u = 0; u < k->n_units; u++) // these may be calls
    converts |= strstr(k->units[u].text, "lrint") || strstr(k->units[u].text, "lround");
  free(code);
  free(message);
  return converts;
}

static int cpu_imagine(struct executor *e, uint64_t ticket, const void *object,
                       size_t size, const struct imagined *what, struct trial *out) {
  struct worker_pool *pool = pool_of(e);
  struct imagined w = *what;
  w.wish.indices = cpu_converts(worker_kernel(pool), object, size);
  return worker_imagine(pool, ticket, object, size, &w, out);
}

static int cpu_strict(struct executor *e, const struct strict_pair *pair,
                      const struct trial_plan *plan, struct trial *out) {
  return worker_strict(pool_of(e), pair, plan, out);
}

static bool cpu_link(const void *object, size_t size, const char *path, char **why) {
  *why = NULL;
  const struct jit_api *jit = sys_fails(SYS_JIT) ? NULL : jit_open(why);
  return jit && jit->link_shared(object, size, path, why) == 0;
}

static void cpu_look(const void *object, size_t size, struct features *out) {
  struct jit_instruction *code = NULL;
  char *message = NULL;
  size_t n = 0;
  const struct jit_api *jit = jit_open(&message);
  if (jit && jit->disassemble(object, size, &code, &n, &message) == 0)
    features_of_code(code, n, out);
  free(code);
  free(message);
}

static void cpu_own(const struct autotune_kernel *k, const struct call *call) {
  cold_own_pages(k, call->args);
}

static double cpu_cost(const struct executor *e) {
  return worker_cost(pool_of(e));
}

static void cpu_stop(struct executor *e) {
  worker_stop(pool_of(e));
}

const struct target target_cpu = {
  .name = "cpu",
  .place = "in the sandbox",
  .on_host = true,
  .synchronous = true,
  .applicable = cpu_applicable,
  .identify = cpu_identify,
  .machine = cpu_machine,
  .may_fork = cpu_may_fork,
  .team = cpu_team,
  .takes_loaded = true,
  .before_fork = openmp_before_fork,
  .own = cpu_own,
  .load = cpu_load,
  .unload = cpu_unload,
  .prepare = cpu_prepare,
  .start = cpu_start,
  .call = cpu_call,
  .cold = cpu_cold,
  .touched = cpu_touched,
  .covered = cpu_covered,
  .reference = cpu_reference,
  .rounding = cpu_rounding,
  .written = cpu_written,
  .times_written = true,
  .try = cpu_try,
  .imagine = cpu_imagine,
  .strict = cpu_strict,
  .link = cpu_link,
  .look = cpu_look,
  .cost = cpu_cost,
  .stop = cpu_stop,
};
