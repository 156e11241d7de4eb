// SPDX-License-Identifier: Apache-2.0
// compare.c: compares outputs on the device, by a kernel that NVRTC compiles once per
// process. The same kernel counts numbers by size, nudges them, finds how far they moved,
// and hashes. Without NVRTC the host does the same work (host.c).
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compare.cu.h"
#include "compile/nvrtc.h"
#include "host.h"
#include "run.h"

enum { THREADS = 256, BLOCKS_PER_SM = 8, EMULATED_THREADS = 32 };

// What the kernel does. compare.cu.h has the same words and structs.
enum task_kind {
  TASK_COMPARE,
  TASK_COUNT,
  TASK_HASH,
  TASK_NUDGE,
  TASK_FAR,
  TASK_MOVE,
  TASK_READ // each sector of 32 bytes
};
struct task {
  int what, element;
  unsigned digits, seed; // of a nudge
  gpu_pointer a, b;
  unsigned long long bytes;
  double rtol, atol;
  double limit; // of moves; in comparisons what undetermined elements may differ by
  gpu_pointer atols, undetermined, out, counts;
};

struct gpu_compare {
  gpu_module module;
  gpu_function function;
  gpu_pointer out;               // a struct finding on the device
  struct finding *here;          // pinned
  gpu_pointer counts;            // a struct verify_counts on the device
  struct verify_counts *counted; // pinned
};

// ---- compiling, once a process and kind of device -----------------------------------

static struct {
  pthread_mutex_t lock;
  int cc;      // 0: nothing was compiled yet
  char *cubin; // NULL: it cannot be compiled
  size_t bytes;
} made = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char *compare_compile(int cc, size_t *bytes) {
  const char *why = "";
  const struct nvrtc *n = nvrtc_get(&why);
  char architecture[48], *cubin = NULL;
  const char *options[] = { architecture, "-std=c++17" };
  nvrtc_program p = NULL;
  *bytes = 0;
  snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d", cc);
  if (n && n->create(&p, compare_text, "autotune_compare.cu", 0, NULL, NULL) == 0) {
    why = "its kernel does not compile";
    if (n->compile(p, 2, options) == 0 && n->cubin_size(p, bytes) == 0 &&
        (cubin = sys_malloc(*bytes)) && n->cubin(p, cubin) != 0) {
      free(cubin);
      cubin = NULL;
    }
    n->destroy(&p);
  }
  if (!cubin)
    log_once(AUTOTUNE_INFO, "gpu compare", "outputs are compared on the host: %s", why);
  return cubin;
}

// Returns the cubin for CC, which lives as long as the process; NULL: it cannot be
// compiled.
static const char *cubin_for(int cc) {
  pthread_mutex_lock(&made.lock);
  if (made.cc != cc) {
    free(made.cubin);
    made.cubin = compare_compile(cc, &made.bytes);
    made.cc = cc;
  }
  const char *cubin = made.cubin;
  pthread_mutex_unlock(&made.lock);
  return cubin;
}

const void *gpu_compare_code(struct gpu_run *r, size_t *bytes) {
  const char *cubin = r->compare ? cubin_for(r->info->cc) : NULL;
  *bytes = cubin ? made.bytes : 0;
  return cubin;
}

void gpu_compare_adopt(struct gpu_run *r, const void *code, size_t bytes) {
  char *copy = bytes ? sys_malloc(bytes) : NULL;
  pthread_mutex_lock(&made.lock);
  if (copy && !made.cubin) {
    made.cubin = memcpy(copy, code, bytes);
    made.bytes = bytes;
    made.cc = r->info->cc;
    copy = NULL;
  }
  pthread_mutex_unlock(&made.lock);
  free(copy);
}

struct gpu_compare *gpu_compare_new(struct gpu_run *r) {
  const char *cubin = cubin_for(r->info->cc);
  struct gpu_compare *c = cubin ? sys_calloc(1, sizeof *c) : NULL;
  void *here = NULL, *counted = NULL;
  if (!c)
    return NULL;
  if (r->api->module_load(&c->module, cubin) == 0 &&
      r->api->module_function(&c->function, c->module, "autotune_entry") == 0 &&
      r->api->allocate(&c->out, sizeof(struct finding)) == 0 &&
      r->api->allocate(&c->counts, sizeof *c->counted) == 0 &&
      r->api->host_allocate(&counted, sizeof *c->counted, 0) == 0 &&
      r->api->host_allocate(&here, sizeof(struct finding), 0) == 0) {
    c->here = here;
    c->counted = counted;
    return c;
  }
  if (counted)
    r->api->host_release(counted);
  gpu_compare_free(r, c);
  return NULL;
}

void gpu_compare_free(struct gpu_run *r, struct gpu_compare *c) {
  if (c && !r->stuck) {
    if (c->here)
      r->api->host_release(c->here);
    if (c->counted)
      r->api->host_release(c->counted);
    if (c->counts)
      r->api->release(c->counts);
    if (c->out)
      r->api->release(c->out);
    if (c->module)
      r->api->module_unload(c->module);
  }
  free(c);
}

// ---- on the device ------------------------------------------------------------------

static gpu_result compare_queue(struct gpu_run *r, struct task t) {
  struct gpu_compare *c = r->compare;
  void *args[] = { &t };
  bool emulated = r->api->emulated;
  unsigned threads = emulated ? EMULATED_THREADS : THREADS;
  unsigned blocks = emulated ? 1 : (unsigned)r->info->numbers.sms * BLOCKS_PER_SM;
  t.out = c->out;
  t.counts = c->counts;
  return r->api->launch(c->function, blocks, 1, 1, threads, 1, 1, 0, r->stream, args,
                        NULL);
}

bool gpu_read(struct gpu_run *r, const struct gpu_buffer *b, gpu_result *e) {
  const struct task t = { .what = TASK_READ, .a = b->at, .bytes = b->bytes };
  *e = r->compare ? compare_queue(r, t) : 0;
  return r->compare != NULL;
}

static gpu_result compare_ask(struct gpu_run *r, struct task t, struct finding *out) {
  struct gpu_compare *c = r->compare;
  *c->here = (struct finding){ .first = ~0ull };
  gpu_result error = r->api->copy_from_host(c->out, c->here, sizeof *c->here, r->stream);
  if (error == 0)
    error = compare_queue(r, t);
  if (error == 0)
    error = r->api->copy_to_host(c->here, c->out, sizeof *c->here, r->stream);
  if (error == 0)
    error = gpu_await(r, 0);
  *out = *c->here;
  return error;
}

// Does T, which counts, on the device; the counts are in r->compare->counted.
static gpu_result compare_count(struct gpu_run *r, struct task t, struct finding *out) {
  struct gpu_compare *c = r->compare;
  *c->counted = (struct verify_counts){ 0 };
  for (unsigned i = 0; i < VERIFY_SIZES; i++)
    c->counted->least[i] = DBL_MAX;
  gpu_result error =
      r->api->copy_from_host(c->counts, c->counted, sizeof *c->counted, r->stream);
  if (error == 0)
    error = compare_ask(r, t, out);
  if (error == 0)
    error = r->api->copy_to_host(c->counted, c->counts, sizeof *c->counted, r->stream);
  return error ? error : gpu_await(r, 0);
}

static gpu_result compare_there(struct gpu_run *r, enum autotune_element e,
                                struct tolerance t, const struct gpu_buffer *measured,
                                const struct gpu_buffer *expected, gpu_pointer got,
                                struct finding *out) {
  struct task task = { .what = TASK_COMPARE,
                       .element = (int)e,
                       .a = expected->at,
                       .b = got,
                       .bytes = expected->bytes,
                       .rtol = t.exact ? -1 : t.rtol,
                       .atol = t.atol,
                       .limit = t.furthest };
  if (measured && t.atols)
    task.atols = measured->at;
  if (measured && t.atols && t.undetermined)
    task.undetermined = measured->at + VERIFY_SIZES * sizeof(double);
  return compare_ask(r, task, out);
}

// ---- either -------------------------------------------------------------------------

// Copies element I of EXPECTED and of GOT to WANT and IS.
static gpu_result compare_elements(struct gpu_run *r, enum autotune_element e, size_t i,
                                   const struct gpu_buffer *expected, gpu_pointer got,
                                   char *want, char *is) {
  size_t each = verify_element_size(e), at = i * each;
  gpu_result error = r->api->copy_to_host(is, got + at, each, r->stream);
  if (error == 0 && expected->host)
    memcpy(want, (const char *)(uintptr_t)expected->at + at, each);
  else if (error == 0)
    error = r->api->copy_to_host(want, expected->at + at, each, r->stream);
  return error ? error : gpu_await(r, 0);
}

// Writes "element 17 is 1.5 instead of 1 (3 of 4096 differ, by up to 0.5)" to MESSAGE.
static gpu_result compare_tell(struct gpu_run *r, enum autotune_element e,
                               const struct finding *f, const struct gpu_buffer *expected,
                               gpu_pointer got, char *message, size_t size) {
  size_t each = verify_element_size(e);
  char want[16] = { 0 }, is[16] = { 0 };
  gpu_result error = compare_elements(r, e, f->first, expected, got, want, is);
  verify_tell(e, f->first, want, is, message, size);
  size_t n = strlen(message);
  if (f->count > 1 && f->worst < DBL_MAX && e != AUTOTUNE_BYTES)
    snprintf(message + n, size - n, " (%llu of %zu differ, by up to %.3g)", f->count,
             expected->bytes / each, f->worst);
  else if (f->count > 1)
    snprintf(message + n, size - n, " (%llu of %zu differ)", f->count,
             expected->bytes / each);
  return error;
}

// Notes in MOST the deviation of the element that the device found (`note` in
// compare.cu.h), which is computed here as for C.
static gpu_result compare_note(struct gpu_run *r, enum autotune_element e,
                               struct tolerance t, const struct finding *f,
                               const struct gpu_buffer *expected, gpu_pointer got,
                               struct deviation *most) {
  const unsigned long long last = (1ull << 40) - 1;
  size_t i = last - (f->nearest & last);
  char want[16] = { 0 }, is[16] = { 0 };
  if (f->nearest == 0)
    return 0;
  gpu_result error = compare_elements(r, e, i, expected, got, want, is);
  if (error == 0)
    verify_difference(e, t, want, is, verify_element_size(e), i, most);
  return error;
}

gpu_result gpu_compare(struct gpu_run *r, enum autotune_element e, struct tolerance t,
                       const struct gpu_buffer *measured,
                       const struct gpu_buffer *expected, gpu_pointer got, bool *same,
                       struct deviation *most, char *message, size_t size) {
  size_t tail = expected->bytes % verify_element_size(e);
  struct gpu_buffer whole = *expected;
  struct finding f;
  whole.bytes -= tail;
  gpu_result error = r->compare ? compare_there(r, e, t, measured, &whole, got, &f)
                                : host_compare(r, e, t, &whole, got, &f, most);
  *same = error == 0 && f.first == ~0ull;
  if (error == 0 && !*same)
    return compare_tell(r, e, &f, &whole, got, message, size);
  if (error == 0 && r->compare && most)
    error = compare_note(r, e, t, &f, &whole, got, most);
  if (error || tail == 0)
    return error;
  const struct gpu_buffer rest = { .at = whole.at + whole.bytes,
                                   .bytes = tail,
                                   .host = whole.host };
  return gpu_compare(r, AUTOTUNE_BYTES, (struct tolerance){ .exact = true }, NULL, &rest,
                     got + whole.bytes, same, NULL, message, size);
}

gpu_result gpu_scale(struct gpu_run *r, enum autotune_element e,
                     const struct gpu_buffer *b, const struct gpu_buffer *before,
                     bool zeros, double *out, unsigned long long *count) {
  struct finding f;
  const struct task t = { .what = TASK_COUNT,
                          .element = (int)e,
                          .a = b->at,
                          .b = before ? before->at : 0,
                          .bytes = b->bytes };
  struct verify_counts *here = r->compare ? NULL : sys_calloc(1, sizeof *here);
  const struct verify_counts *c = r->compare ? r->compare->counted : here;
  if (!c)
    return GPU_OUT_OF_MEMORY;
  gpu_result error = r->compare ? compare_count(r, t, &f)
                                : host_count(r, e, b, before, here);
  *count = 0;
  for (unsigned i = 0; i < VERIFY_SIZES && error == 0; i++)
    *count += c->n[i];
  *out = error == 0 ? verify_scale(c, zeros) : 0;
  free(here);
  return error;
}

gpu_result gpu_hash(struct gpu_run *r, gpu_pointer p, size_t bytes, uint64_t *out) {
  struct finding f;
  const struct task t = {
    .what = TASK_HASH, .element = AUTOTUNE_BYTES, .a = p, .bytes = bytes
  };
  gpu_result error = r->compare ? compare_ask(r, t, &f) : host_hash(r, p, bytes, &f);
  *out = f.hash;
  return error;
}

gpu_result gpu_nudge(struct gpu_run *r, enum autotune_element e, gpu_pointer p,
                     size_t bytes, unsigned digits, unsigned seed, size_t *changed) {
  struct finding f;
  const struct task t = { .what = TASK_NUDGE,
                          .element = (int)e,
                          .digits = digits,
                          .seed = seed,
                          .a = p,
                          .bytes = bytes };
  gpu_result error = r->compare ? compare_ask(r, t, &f)
                                : host_nudge(r, e, p, bytes, digits, seed, &f);
  *changed += error == 0 ? f.count : 0;
  return error;
}

gpu_result gpu_far(struct gpu_run *r, enum autotune_element e,
                   const struct gpu_buffer *reference, gpu_pointer other, double limit,
                   size_t *moved, size_t *far) {
  struct finding f;
  const struct task t = { .what = TASK_FAR,
                          .element = (int)e,
                          .a = reference->at,
                          .b = other,
                          .bytes = reference->bytes,
                          .limit = limit };
  gpu_result error = r->compare ? compare_ask(r, t, &f)
                                : host_far(r, e, reference, other, limit, &f);
  *moved = error == 0 ? f.count : 0;
  *far = error == 0 ? f.far : 0;
  return error;
}

gpu_result gpu_move(struct gpu_run *r, enum autotune_element e,
                    const struct gpu_buffer *reference, gpu_pointer other,
                    const struct gpu_buffer *bits, struct verify_noise *n,
                    struct verify_moves *m) {
  struct finding f;
  const struct task t = { .what = TASK_MOVE,
                          .element = (int)e,
                          .a = reference->at,
                          .b = other,
                          .bytes = reference->bytes,
                          .limit = n->limit,
                          .undetermined = bits->at };
  if (!r->compare)
    return host_move(r, e, reference, other, n, m);
  gpu_result error = compare_count(r, t, &f);
  const struct verify_counts *c = r->compare->counted;
  for (unsigned i = 0; i < VERIFY_SIZES && error == 0; i++) {
    unsigned long long all = m->n[i] + c->n[i];
    m->n[i] = all < UINT32_MAX ? (unsigned)all : UINT32_MAX;
    m->most[i] = fmax(m->most[i], c->most[i]);
  }
  n->n_undetermined += error == 0 ? f.far : 0;
  n->furthest = error == 0 ? fmax(n->furthest, f.furthest) : n->furthest;
  return error;
}
