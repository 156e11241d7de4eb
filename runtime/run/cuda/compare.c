// SPDX-License-Identifier: Apache-2.0
// compare.c: compares outputs on the device, by a kernel that NVRTC compiles once per
// process. The same kernel counts numbers by size and hashes. Without NVRTC the host does
// the same work in chunks.
#include <float.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "compare.cu.h"
#include "compile/nvrtc.h"
#include "run.h"

enum task { TASK_COMPARE, TASK_COUNT, TASK_HASH };
enum { CHUNK = 4 << 20, THREADS = 256, BLOCKS_PER_SM = 8, EMULATED_THREADS = 32 };

// The result of the kernel. compare.cu.h has the same struct.
struct finding {
  unsigned long long first; // index of the first element that differs
  unsigned long long count; // the number of those; in counts, of numbers
  double worst;             // the largest difference
  unsigned long long hash;
  unsigned long long nearest; // the element that agrees and is closest to what is
                              // allowed; 0: no element that agrees differs
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

static gpu_result compare_ask(struct gpu_run *r, enum task task, gpu_pointer a,
                              gpu_pointer b, size_t bytes, enum autotune_element e,
                              struct tolerance t, struct finding *out) {
  struct gpu_compare *c = r->compare;
  int what = task, element = e;
  double rtol = t.exact ? -1 : t.rtol, atol = t.atol;
  unsigned long long size = bytes;
  void *args[] = { &what, &a, &b, &size, &element, &rtol, &atol, &c->out, &c->counts };
  bool emulated = r->api->emulated;
  unsigned threads = emulated ? EMULATED_THREADS : THREADS;
  unsigned blocks = emulated ? 1 : (unsigned)r->info->numbers.sms * BLOCKS_PER_SM;
  *c->here = (struct finding){ .first = ~0ull };
  gpu_result error = r->api->copy_from_host(c->out, c->here, sizeof *c->here, r->stream);
  if (error == 0)
    error = r->api->launch(c->function, blocks, 1, 1, threads, 1, 1, 0, r->stream, args,
                           NULL);
  if (error == 0)
    error = r->api->copy_to_host(c->here, c->out, sizeof *c->here, r->stream);
  if (error == 0)
    error = gpu_await(r, 0);
  *out = *c->here;
  return error;
}

// Counts on the device, into r->compare->counted.
static gpu_result compare_count(struct gpu_run *r, gpu_pointer a, gpu_pointer before,
                                size_t bytes, enum autotune_element e,
                                struct finding *out) {
  struct gpu_compare *c = r->compare;
  *c->counted = (struct verify_counts){ 0 };
  for (unsigned i = 0; i < VERIFY_SIZES; i++)
    c->counted->least[i] = DBL_MAX;
  gpu_result error =
      r->api->copy_from_host(c->counts, c->counted, sizeof *c->counted, r->stream);
  if (error == 0)
    error = compare_ask(r, TASK_COUNT, a, before, bytes, e,
                        (struct tolerance){ .off = true }, out);
  if (error == 0)
    error = r->api->copy_to_host(c->counted, c->counts, sizeof *c->counted, r->stream);
  return error ? error : gpu_await(r, 0);
}

// ---- on the host --------------------------------------------------------------------

struct chunks {
  struct gpu_run *r;
  char *memory; // two chunks
};

static bool chunks_begin(struct chunks *c, struct gpu_run *r) {
  *c = (struct chunks){ .r = r, .memory = sys_malloc(2 * CHUNK) };
  return c->memory != NULL;
}

// Copies BYTES at FROM, which may be on the host, to a half of the chunks.
static gpu_result compare_fetch(const struct chunks *c, unsigned half, gpu_pointer from,
                                size_t bytes) {
  gpu_result e =
      c->r->api->copy_to_host(c->memory + half * CHUNK, from, bytes, c->r->stream);
  return e ? e : gpu_await(c->r, 0);
}

static gpu_result fetch_half(const struct chunks *c, unsigned half,
                             const struct gpu_buffer *b, size_t at, size_t bytes) {
  if (!b->host)
    return compare_fetch(c, half, b->at + at, bytes);
  memcpy(c->memory + half * CHUNK, (const char *)(uintptr_t)b->at + at, bytes);
  return 0;
}

static gpu_result compare_here(struct gpu_run *r, enum autotune_element e,
                               struct tolerance t, const struct gpu_buffer *expected,
                               gpu_pointer got, struct finding *out,
                               struct deviation *most) {
  size_t each = verify_element_size(e), size;
  struct chunks c;
  gpu_result error = 0;
  *out = (struct finding){ .first = ~0ull };
  if (!chunks_begin(&c, r))
    return GPU_OUT_OF_MEMORY;
  for (size_t at = 0; at < expected->bytes && error == 0 && out->first == ~0ull;
       at += size) {
    size = expected->bytes - at < CHUNK ? expected->bytes - at : CHUNK;
    error = fetch_half(&c, 0, expected, at, size);
    if (error == 0)
      error = compare_fetch(&c, 1, got + at, size);
    size_t i = error ? SIZE_MAX
                     : verify_difference(e, t, c.memory, c.memory + CHUNK,
                                         size / each * each, at / each, most);
    if (i != SIZE_MAX)
      *out = (struct finding){ .first = at / each + i };
  }
  free(c.memory);
  return error;
}

// Sets the elements of GOT that equal those of BEFORE to NaN, so that they do not count.
static void drop_unchanged(char *got, const char *before, size_t each, size_t bytes) {
  for (size_t at = 0; at + each <= bytes; at += each)
    if (memcmp(got + at, before + at, each) == 0)
      memset(got + at, 0xff, each);
}

static gpu_result count_here(struct gpu_run *r, enum autotune_element e,
                             const struct gpu_buffer *b, const struct gpu_buffer *before,
                             struct verify_counts *out) {
  struct chunks c;
  gpu_result error = 0;
  size_t size;
  if (!chunks_begin(&c, r))
    return GPU_OUT_OF_MEMORY;
  for (size_t at = 0; at < b->bytes && error == 0; at += size) {
    size = b->bytes - at < CHUNK ? b->bytes - at : CHUNK;
    error = fetch_half(&c, 0, b, at, size);
    if (error == 0 && before && (error = fetch_half(&c, 1, before, at, size)) == 0)
      drop_unchanged(c.memory, c.memory + CHUNK, verify_element_size(e), size);
    if (error == 0)
      verify_count(e, c.memory, size, out);
  }
  free(c.memory);
  return error;
}

static gpu_result hash_here(struct gpu_run *r, gpu_pointer p, size_t bytes,
                            struct finding *out) {
  struct chunks c;
  gpu_result error = 0;
  size_t size;
  *out = (struct finding){ 0 };
  if (!chunks_begin(&c, r))
    return GPU_OUT_OF_MEMORY;
  for (size_t at = 0; at < bytes && error == 0; at += size) {
    size = bytes - at < CHUNK ? bytes - at : CHUNK;
    error = compare_fetch(&c, 0, p + at, size);
    out->hash = error ? 0 : XXH3_64bits_withSeed(c.memory, size, out->hash);
  }
  free(c.memory);
  return error;
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
                       const struct gpu_buffer *expected, gpu_pointer got, bool *same,
                       struct deviation *most, char *message, size_t size) {
  size_t tail = expected->bytes % verify_element_size(e);
  struct gpu_buffer whole = *expected;
  struct finding f;
  whole.bytes -= tail;
  gpu_result error = r->compare
      ? compare_ask(r, TASK_COMPARE, whole.at, got, whole.bytes, e, t, &f)
      : compare_here(r, e, t, &whole, got, &f, most);
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
  return gpu_compare(r, AUTOTUNE_BYTES, (struct tolerance){ .exact = true }, &rest,
                     got + whole.bytes, same, NULL, message, size);
}

gpu_result gpu_scale(struct gpu_run *r, enum autotune_element e,
                     const struct gpu_buffer *b, const struct gpu_buffer *before,
                     double *out, unsigned long long *count) {
  struct finding f;
  gpu_pointer other = before ? before->at : 0;
  struct verify_counts *here = r->compare ? NULL : sys_calloc(1, sizeof *here);
  const struct verify_counts *c = r->compare ? r->compare->counted : here;
  if (!c)
    return GPU_OUT_OF_MEMORY;
  gpu_result error = r->compare ? compare_count(r, b->at, other, b->bytes, e, &f)
                                : count_here(r, e, b, before, here);
  *count = 0;
  for (unsigned i = 0; i < VERIFY_SIZES && error == 0; i++)
    *count += c->n[i];
  *out = error == 0 ? verify_scale(c, false) : 0;
  free(here);
  return error;
}

gpu_result gpu_hash(struct gpu_run *r, gpu_pointer p, size_t bytes, uint64_t *out) {
  struct finding f;
  gpu_result error = r->compare ? compare_ask(r, TASK_HASH, p, 0, bytes, AUTOTUNE_BYTES,
                                              (struct tolerance){ .off = true }, &f)
                                : hash_here(r, p, bytes, &f);
  *out = f.hash;
  return error;
}
