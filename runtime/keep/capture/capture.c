// SPDX-License-Identifier: Apache-2.0
// capture.c: writes a call to a file, in the program, before the call is made.
//
// Memory is written to the file directly. If a section is longer than its mapping, the
// write fails with EFAULT and the program goes on. Checksums are taken from the bytes in
// the file. The file gets its name as soon as it is whole; the result of the call follows
// in one small write with a checksum of its own.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "capture.h"
#include "base/descriptor.h"
#include "keep/store/tables.h"
#include "model/kernel.h"

enum { STEP = 1 << 16, CAPTURE_GAP = 256 };

// A capture that is being made: its file, and what is needed when the call has returned.
struct capturing {
  const struct autotune_kernel *kernel;
  int fd;
  struct descriptor own; // the same, while the call runs
  double began;
  char *temporary, *path;
  struct memories memory;
  struct autotune_span *spans;
  struct capture_block *blocks;
  const struct autotune_layout **layouts; // NULL for each section, if the kernel has none
  unsigned n_blocks;
  size_t gap; // bytes between blocks that become one
  uint64_t bytes;
  struct stream description;
  char why[256]; // the reason for which the call cannot be captured
};

uint64_t capture_result_sum(const struct capture_result *r) {
  return XXH3_64bits(r, offsetof(struct capture_result, sum));
}

uint64_t capture_outputs(const struct memories *m, const void *result) {
  uint64_t h = 0;
  if (memories_returned(m, result))
    return 0;
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    if (m->kernel->sections[i].access & AUTOTUNE_OUT)
      h = memory_hash(&m->list[i], h);
  return h;
}

uint64_t capture_returned(const struct autotune_kernel *k, const void *result) {
  if (k->ret_size == 0 || kernel_returns_pointer(k))
    return 0;
  return XXH3_64bits(result, k->ret_size);
}

struct autotune_span capture_span(const struct memory *m) {
  return m->n && !m->returned
      ? (struct autotune_span){ m->pieces[0].base, m->pieces[0].bytes }
      : (struct autotune_span){ NULL, 0 };
}

#define REFUSE(c, ...)                               \
  do {                                               \
    snprintf((c)->why, sizeof(c)->why, __VA_ARGS__); \
    return false;                                    \
  } while (0)

// ---- which memory -------------------------------------------------------------------

static int capture_by_address(const void *a, const void *b) {
  const struct capture_block *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

static void add_block(struct capturing *c, const void *base, size_t bytes) {
  if (base && bytes > 0)
    c->blocks[c->n_blocks++] = (struct capture_block){ (uintptr_t)base, bytes, 0 };
}

// Adds the pieces of M. Room for them is made by capture_make_room.
static void capture_add_memory(struct capturing *c, const struct memory *m) {
  for (unsigned i = 0; i < m->n && !m->returned; i++)
    add_block(c, m->pieces[i].base, m->pieces[i].bytes);
}

// Sorts the blocks and joins those that overlap, touch, or lie near each other: what is
// between them lies in one of their pages, so it can be read.
static void join_blocks(struct capturing *c) {
  unsigned n = 0;
  qsort(c->blocks, c->n_blocks, sizeof *c->blocks, capture_by_address);
  for (unsigned i = 0; i < c->n_blocks; i++) {
    struct capture_block b = c->blocks[i], *last = n ? &c->blocks[n - 1] : NULL;
    if (!last || b.address > last->address + last->size + c->gap)
      c->blocks[n++] = b;
    else if (b.address + b.size > last->address + last->size)
      last->size = b.address + b.size - last->address;
  }
  c->n_blocks = n;
  for (unsigned i = 0; i < n; i++)
    c->bytes += c->blocks[i].size;
}

static bool is_within(const struct capturing *c, uintptr_t p) {
  for (unsigned i = 0; i < c->n_blocks; i++)
    if (p >= c->blocks[i].address && p <= c->blocks[i].address + c->blocks[i].size)
      return true;
  return p == 0;
}

// True if argument A is the base of a section, which may be empty in this call.
static bool capture_is_declared(const struct autotune_kernel *k,
                                const struct autotune_arg *a) {
  size_t n = strlen(a->name);
  for (unsigned i = 0; n > 0 && i < k->n_sections; i++)
    if (strncmp(k->sections[i].name, a->name, n) == 0 &&
        (k->sections[i].name[n] == '[' || k->sections[i].name[n] == '\0'))
      return true;
  return false;
}

// Makes room for all blocks. Neighbours are joined across gaps only where there are rows.
static bool capture_make_room(struct capturing *c) {
  const struct memories *m = &c->memory;
  size_t n = c->kernel->n_symbols + m->tables.n + 1;
  for (unsigned i = 0; i < c->kernel->n_sections; i++)
    n += m->list[i].n;
  c->gap = m->tables.n ? CAPTURE_GAP : 0;
  c->blocks = sys_calloc(n, sizeof *c->blocks);
  if (!c->blocks)
    REFUSE(c, "no memory");
  return true;
}

static bool find_memory(struct capturing *c, void *const *args) {
  const struct autotune_kernel *k = c->kernel;
  if (!memories_describe(&c->memory, k, args, c->why, sizeof c->why) ||
      !capture_make_room(c))
    return false;
  for (unsigned i = 0; i < k->n_sections; i++) {
    capture_add_memory(c, &c->memory.list[i]);
    c->spans[i] = capture_span(&c->memory.list[i]);
  }
  capture_add_memory(c, &c->memory.tables);
  for (unsigned i = 0; i < k->n_symbols; i++)
    add_block(c, k->symbols[i].address, k->symbols[i].size);
  join_blocks(c);
  for (unsigned i = 0; i < k->n_args; i++)
    if (k->args[i].kind == AUTOTUNE_ARG_POINTER && !capture_is_declared(k, &k->args[i]) &&
        !is_within(c, *(const uintptr_t *)args[i]))
      REFUSE(c, "'%s' points to memory outside of all sections", k->args[i].name);
  if (c->n_blocks > CAPTURE_MOST_BLOCKS)
    REFUSE(c, "its sections have more than %d pieces of memory",
           (int)CAPTURE_MOST_BLOCKS);
  uint64_t limit = options_get()->capture_limit;
  if (c->bytes > limit)
    REFUSE(c,
           "its memory is %" PRIu64 " bytes, more than AUTOTUNE_CAPTURE_LIMIT (%" PRIu64
           ")",
           c->bytes, limit);
  return true;
}

// ---- the file -----------------------------------------------------------------------

static bool capture_describe(struct capturing *c, const long long *key,
                             void *const *args) {
  const struct machine *m = machine_identity();
  struct capture call = {
    .kernel = kernel_copy(c->kernel),
    .key = (long long *)(uintptr_t)key,
    .args = (void **)(uintptr_t)args,
    .spans = c->spans,
    .rows = kernel_rows(c->kernel) != NULL,
    .version = "autotune " AUTOTUNE_VERSION,
    .cpu = m->cpu,
    .isa = m->isa,
    .machine = m->name,
    .threads = (unsigned)m->numbers.threads,
  };
  if (!call.kernel.layouts)
    call.kernel.layouts = c->layouts;
  c->description.version = CAPTURE_VERSION;
  capture_tables(&c->description, &call);
  if (c->description.failed)
    REFUSE(c, "no memory");
  return true;
}

// Opens a temporary file; its later name is AUTOTUNE_CAPTURE/KERNEL-HASH.capture.
static bool capture_open_file(struct capturing *c, uint64_t unit, const long long *key) {
  char *message = NULL, *prefix = NULL, *wanted = folder_absolute(options_get()->capture);
  char *folder = wanted ? folder_check(wanted, &message) : NULL;
  uint64_t hash = XXH3_64bits_withSeed(key, c->kernel->n_keys * sizeof *key, unit);
  free(wanted);
  if (folder) {
    c->path =
        sys_printf("%s/%.80s-%016" PRIx64 ".capture", folder, c->kernel->name, hash);
    prefix = sys_printf("%s/.%016" PRIx64, folder, hash);
  }
  free(folder);
  if (c->path && prefix)
    c->fd = descriptor_raise(folder_temporary(prefix, &c->temporary));
  free(prefix);
  if (c->fd < 0)
    snprintf(c->why, sizeof c->why, "%s",
             message       ? message
                 : c->path ? strerror(errno)
                           : "no memory");
  free(message);
  return c->fd >= 0;
}

// Computes the checksum of what is in the file. False: it cannot be read back.
static bool hash_written(const struct capturing *c, off_t at, uint64_t size,
                         uint64_t *sum) {
  char *bytes = sys_malloc(STEP);
  XXH3_state_t *h = bytes ? XXH3_createState() : NULL;
  bool good = h != NULL;
  if (h)
    XXH3_64bits_reset(h);
  while (good && size > 0) {
    ssize_t got = pread(c->fd, bytes, size < STEP ? size : STEP, at);
    good = got > 0 || (got < 0 && errno == EINTR);
    if (got <= 0)
      continue;
    XXH3_64bits_update(h, bytes, (size_t)got);
    at += got;
    size -= (uint64_t)got;
  }
  if (good)
    *sum = XXH3_64bits_digest(h);
  XXH3_freeState(h);
  free(bytes);
  return good;
}

static bool capture_write_blocks(struct capturing *c, off_t at) {
  for (unsigned i = 0; i < c->n_blocks; i++) {
    struct capture_block *b = &c->blocks[i];
    if (sys_write_all(c->fd, (const void *)(uintptr_t)b->address, b->size) != 0) {
      if (errno == EFAULT)
        REFUSE(c, "a section goes beyond the program's memory");
      REFUSE(c, "%s", strerror(errno));
    }
    if (!hash_written(c, at, b->size, &b->sum))
      REFUSE(c, "what was written cannot be read");
    at += (off_t)b->size;
  }
  return true;
}

static bool capture_write_file(struct capturing *c) {
  const struct stream *d = &c->description;
  size_t table = c->n_blocks * sizeof *c->blocks;
  struct capture_result none = { 0 };
  struct capture_head head = {
    .magic = CAPTURE_MAGIC,
    .version = CAPTURE_VERSION,
    .n_blocks = c->n_blocks,
    .description_size = d->size,
    .description_sum = XXH3_64bits(d->data, d->size),
  };
  off_t behind = (off_t)(sizeof head + sizeof none + d->size);
  none.sum = ~capture_result_sum(&none);
  if (sys_write_all(c->fd, &head, sizeof head) != 0 ||
      sys_write_all(c->fd, &none, sizeof none) != 0 ||
      sys_write_all(c->fd, d->data, d->size) != 0 ||
      sys_write_all(c->fd, c->blocks, table) != 0)
    REFUSE(c, "%s", strerror(errno));
  if (!capture_write_blocks(c, behind + (off_t)table))
    return false;
  head.blocks_sum = XXH3_64bits(c->blocks, table);
  head.sum = XXH3_64bits(&head, offsetof(struct capture_head, sum));
  if (pwrite(c->fd, c->blocks, table, behind) != (ssize_t)table ||
      pwrite(c->fd, &head, sizeof head, 0) != (ssize_t)sizeof head ||
      sys_rename(c->temporary, c->path) != 0)
    REFUSE(c, "%s", strerror(errno));
  return true;
}

// ---- a call -------------------------------------------------------------------------

static void capturing_free(struct capturing *c) {
  if (c->fd >= 0)
    close(c->fd);
  free(c->temporary);
  free(c->path);
  if (c->memory.list)
    memories_free(&c->memory);
  free(c->spans);
  free(c->blocks);
  free(c->layouts);
  free(c->description.data);
  free(c);
}

static struct capturing *capturing_new(const struct autotune_kernel *k) {
  struct capturing *c = sys_calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->kernel = k;
  c->fd = -1;
  c->spans = sys_calloc(k->n_sections + 1, sizeof *c->spans);
  c->layouts = sys_calloc(k->n_sections + 1, sizeof *c->layouts);
  if (c->spans && c->layouts)
    return c;
  capturing_free(c);
  return NULL;
}

bool capture_begin(const struct autotune_kernel *k, uint64_t unit, const long long *key,
                   void *const *args, struct autotune_call_state *state) {
  struct blocked_signals blocked_signals;
  if (!k->replay) {
    log_once(AUTOTUNE_WARN, k->name, "%s: not captured: %s", k->name,
             k->not_captured ? k->not_captured : "it was translated by another version");
    return false;
  }
  struct capturing *c = capturing_new(k);
  sys_block_signals(&blocked_signals);
  bool good = c && find_memory(c, args) && capture_describe(c, key, args) &&
      capture_open_file(c, unit, key) && capture_write_file(c);
  if (c && !good && c->fd >= 0)
    unlink(c->temporary);
  if (good)
    log_message(AUTOTUNE_INFO, "%s: captured in %s (%" PRIu64 " bytes of memory)",
                k->name, c->path, c->bytes);
  else
    log_message(AUTOTUNE_WARN, "%s: not captured: %s", k->name, c ? c->why : "no memory");
  sys_unblock_signals(&blocked_signals);
  if (c && !good)
    capturing_free(c);
  state->capture = good ? c : NULL;
  if (good) {
    descriptor_keep(&c->own, c->fd);
    c->began = sys_now();
  }
  return good;
}

void capture_end(struct autotune_call_state *state) {
  struct capturing *c = state->capture;
  struct blocked_signals blocked_signals;
  int error = errno;
  struct capture_result r = { .seconds = sys_now() - c->began };
  state->capture = NULL;
  c->fd = descriptor_get(&c->own);
  sys_block_signals(&blocked_signals);
  r.outputs = capture_outputs(&c->memory, state->result);
  r.ret = capture_returned(c->kernel, state->result);
  r.sum = capture_result_sum(&r);
  if (pwrite(c->fd, &r, sizeof r, sizeof(struct capture_head)) != (ssize_t)sizeof r)
    log_message(AUTOTUNE_WARN, "%s: what the captured call wrote is not known: %s",
                c->kernel->name, strerror(errno));
  sys_unblock_signals(&blocked_signals);
  capturing_free(c);
  errno = error;
}
