// SPDX-License-Identifier: Apache-2.0
// share.c: copies a call's memory and the default's outputs into a helper. Memory that
// the driver exports is opened, copied and closed again, so that no variant runs while
// the program's own memory is mapped. All other memory (variables, memory of pools,
// copies on the host) goes through a memory file.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run.h"

enum { ALIGNMENT = 256, LAZY_PEER_ACCESS = 1 /* CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS */ };

// Returns the place of the I-th name of C, or NULL.
static const char **share_name(struct gpu_call *c, unsigned i) {
  if (i < c->n_allocations)
    return &c->allocations[i].name;
  i -= c->n_allocations;
  if (i < c->n_regions)
    return &c->regions[i].name;
  i -= c->n_regions;
  return i < c->n_symbols ? &c->symbols[i].name : NULL;
}

// ---- in the program -----------------------------------------------------------------

struct sender {
  struct gpu_run *r;
  struct gpu_shared *out;
  bool snapshot;
  char *names;
  char *file; // the mapped file; NULL: only its size is computed
};

// Sends all names in one block. False: no memory.
static bool share_gather(struct sender *s) {
  struct gpu_call *c = &s->r->call;
  const char **name;
  char *end;
  for (unsigned i = 0; (name = share_name(c, i)); i++)
    s->out->names_bytes += strlen(*name) + 1;
  s->names = end = sys_malloc(s->out->names_bytes + 1);
  for (unsigned i = 0; end && (name = share_name(c, i)); i++)
    end = stpcpy(end, *name) + 1;
  return end != NULL;
}

// Exports B to the helper, or copies it into the file.
static gpu_result send_memory(struct sender *s, struct gpu_memory *m,
                              const struct gpu_buffer *b, bool exportable) {
  const struct gpu_api *api = s->r->api;
  if (b->bytes == 0)
    return 0;
  if (!s->file) {
    m->exported = exportable && !s->snapshot && !b->host &&
        api->ipc_export(&m->handle, b->at) == 0;
    m->offset = s->out->file_bytes;
    if (!m->exported)
      s->out->file_bytes += (b->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return 0;
  }
  if (m->exported)
    return 0;
  if (b->host) {
    memcpy(s->file + m->offset, (const void *)(uintptr_t)b->at, b->bytes);
    return 0;
  }
  gpu_result e = api->copy_to_host(s->file + m->offset, b->at, b->bytes, s->r->stream);
  return e ? e : gpu_await(s->r, 0);
}

static gpu_result send_all(struct sender *s) {
  const struct gpu_call *c = &s->r->call;
  gpu_result e = 0;
  for (unsigned i = 0; i < c->n_allocations && e == 0; i++) {
    const struct gpu_buffer b = { .at = c->allocations[i].base,
                                  .bytes = c->allocations[i].bytes };
    e = send_memory(s, &s->out->allocations[i], &b, true);
  }
  for (unsigned i = 0; i < c->n_symbols && e == 0; i++) {
    const struct gpu_buffer b = { .at = c->symbols[i].address,
                                  .bytes = c->symbols[i].bytes };
    e = send_memory(s, &s->out->symbols[i], &b, false);
  }
  for (unsigned i = 0; i < c->n_regions && e == 0; i++)
    e = send_memory(s, &s->out->references[i], &s->r->pieces[i].expected, true);
  const void *code = gpu_compare_code(s->r, &s->out->compare_bytes);
  const struct gpu_buffer compare = { .at = (gpu_pointer)(uintptr_t)code,
                                      .bytes = s->out->compare_bytes,
                                      .host = true };
  const struct gpu_buffer names = { .at = (gpu_pointer)(uintptr_t)s->names,
                                    .bytes = s->out->names_bytes,
                                    .host = true };
  if (e == 0)
    e = send_memory(s, &s->out->names, &names, false);
  return e ? e : send_memory(s, &s->out->compare, &compare, false);
}

// Creates the memory file. Refuses a file larger than the host's free memory: the system
// would allow it, and would kill a process when the file is written.
static int make_file(size_t size, char **mapped) {
  bool room = size <= gpu_host_room();
  errno = ENOMEM;
  int fd = !room || sys_fails(SYS_OPEN) ? -1 : memfd_create("autotune-gpu", MFD_CLOEXEC);
  if (fd < 0)
    return -1;
  void *p = MAP_FAILED;
  if (!sys_fails(SYS_MMAP) && ftruncate(fd, (off_t)size) == 0)
    p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p != MAP_FAILED) {
    *mapped = p;
    return fd;
  }
  close(fd);
  return -1;
}

static void share_tolerance(const struct piece *p, struct tolerance *t, double *scale) {
  *t = p->tolerance;
  t->atols = NULL; // what was measured goes another way (rounding.c)
  t->undetermined = NULL;
  *scale = p->scale;
}

int gpu_run_share(struct gpu_run *r, bool snapshot, struct gpu_shared *out, int *fd,
                  char *why, size_t size) {
  struct sender s = { .r = r, .out = out, .snapshot = snapshot };
  struct gpu_scope scope;
  char text[200];
  *fd = -1;
  memset(out, 0, sizeof *out);
  out->call = r->call;
  for (unsigned i = 0; i < r->call.n_regions; i++)
    share_tolerance(&r->pieces[i], &out->tolerances[i], &out->scales[i]);
  for (unsigned i = 0; i < r->n_fences; i++)
    out->fences_off[i] = r->fences[i].off;
  for (unsigned i = 0; i < r->n_rests; i++)
    out->rests_off[i] = r->rests[i].off;
  gpu_enter(r, &scope);
  errno = ENOMEM;
  gpu_result e = share_gather(&s) ? send_all(&s) : GPU_OUT_OF_MEMORY;
  if (e == 0 && out->file_bytes > 0) {
    *fd = make_file(out->file_bytes, &s.file);
    e = *fd < 0 ? GPU_OUT_OF_MEMORY : send_all(&s);
  }
  gpu_leave(r, &scope);
  if (s.file)
    munmap(s.file, out->file_bytes);
  free(s.names);
  if (e == 0)
    return 0;
  snprintf(why, size, "the helper cannot be given the memory: %s",
           *fd < 0 ? strerror(errno) : gpu_error(r->api, e, text, sizeof text));
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
  return -1;
}

// ---- in the helper ------------------------------------------------------------------

struct receiver {
  struct gpu_run *r;
  const struct gpu_shared *shared;
  const char *file;
  bool *no_ipc;
  char *why;
  size_t size;
};

static bool share_fill(struct receiver *v, const struct gpu_memory *m,
                       const struct gpu_buffer *to) {
  struct gpu_run *r = v->r;
  gpu_pointer from = 0;
  char text[200];
  if (!m->exported) {
    const struct gpu_buffer b = { .at = (gpu_pointer)(uintptr_t)(v->file + m->offset),
                                  .bytes = to->bytes,
                                  .host = true };
    gpu_result e = gpu_buffer_load(r->api, &b, to->at, r->stream);
    return gpu_run_wait(r, v->why, v->size) && e == 0;
  }
  gpu_result e = r->api->ipc_open(&from, m->handle, LAZY_PEER_ACCESS);
  if (e != 0) {
    *v->no_ipc = true;
    snprintf(v->why, v->size, "the program's memory cannot be opened: %s",
             gpu_error(r->api, e, text, sizeof text));
    return false;
  }
  e = gpu_buffer_save(r->api, to, from, r->stream);
  bool done = gpu_run_wait(r, v->why, v->size) && e == 0;
  r->api->ipc_close(from);
  return done;
}

// True if M is exported, or lies within the file.
static bool is_sane(const struct gpu_shared *s, const struct gpu_memory *m,
                    size_t bytes) {
  return m->exported ||
      (m->offset <= s->file_bytes && bytes <= s->file_bytes - m->offset);
}

static bool share_receive(struct receiver *v, const struct gpu_memory *m, size_t bytes,
                          bool on_device, struct gpu_buffer *to) {
  if (bytes == 0)
    return true;
  if (!is_sane(v->shared, m, bytes)) {
    snprintf(v->why, v->size, "the file is too short");
    return false;
  }
  return gpu_buffer_make(v->r->api, to, bytes, on_device, v->why, v->size) &&
      share_fill(v, m, to);
}

// Makes the call's names, which are addresses of the program, point to the helper's copy.
static bool receive_names(struct receiver *v) {
  const struct gpu_shared *s = v->shared;
  size_t at = 0, bytes = s->names_bytes;
  const char **name;
  char *all = is_sane(s, &s->names, bytes) ? sys_malloc(bytes + 1) : NULL;
  if (!all) {
    snprintf(v->why, v->size, "the names of its memory cannot be read");
    return false;
  }
  if (bytes > 0)
    memcpy(all, v->file + s->names.offset, bytes);
  all[bytes] = '\0';
  for (unsigned i = 0; (name = share_name(&v->r->call, i)); i++) {
    *name = all + at;
    at += strlen(all + at) + (at < bytes);
    at = at < bytes ? at : bytes;
  }
  v->r->names = all;
  return true;
}

static bool receive_copies(struct receiver *v) {
  const struct gpu_shared *s = v->shared;
  const struct gpu_call *c = &s->call;
  for (unsigned i = 0; i < c->n_allocations; i++)
    if (!share_receive(v, &s->allocations[i], c->allocations[i].bytes, true,
                       &v->r->copies[i]))
      return false;
  for (unsigned i = 0; i < c->n_symbols; i++)
    if (!share_receive(v, &s->symbols[i], c->symbols[i].bytes, true,
                       &v->r->copies[GPU_REGIONS + i]))
      return false;
  return true;
}

// Replaces an address in memory. False: it cannot be read or written.
static bool translate_word(struct gpu_run *r, gpu_pointer at, gpu_pointer by) {
  gpu_pointer p;
  gpu_result e = r->api->copy_to_host(&p, at, sizeof p, r->stream);
  if (e == 0)
    e = r->api->stream_synchronize(r->stream);
  p += by;
  if (e == 0)
    e = r->api->copy_from_host(at, &p, sizeof p, r->stream);
  return e == 0 && r->api->stream_synchronize(r->stream) == 0;
}

// Replaces all addresses by those of the copies.
static bool share_translate(struct gpu_run *r) {
  struct gpu_call *c = &r->call;
  for (unsigned i = 0; i < c->n_pointers; i++) {
    unsigned in = c->pointers[i].in, a = c->pointers[i].allocation;
    gpu_pointer p, by = r->copies[a].at - c->allocations[a].base;
    if (in) {
      if (!translate_word(r, r->copies[in - 1].at + c->pointers[i].offset, by))
        return false;
      continue;
    }
    unsigned char *at = c->bytes + c->pointers[i].offset;
    if (c->pointers[i].map) {
      if (gpu_map_replace(r->api, at, c->pointers[i].map + by) != 0)
        return false;
      continue;
    }
    memcpy(&p, at, sizeof p);
    p += by;
    memcpy(at, &p, sizeof p);
  }
  for (unsigned i = 0; i < c->n_regions; i++) {
    struct gpu_region *x = &c->regions[i];
    if (x->parent >= GPU_SYMBOL)
      x->base = r->copies[GPU_REGIONS + x->parent - GPU_SYMBOL].at;
    else
      x->base += r->copies[x->parent].at - c->allocations[x->parent].base;
  }
  for (unsigned i = 0; i < c->n_symbols; i++)
    c->symbols[i].address = r->copies[GPU_REGIONS + i].at;
  for (unsigned i = 0; i < c->n_allocations; i++) {
    r->origins[i] = c->allocations[i].base;
    c->allocations[i].base = r->copies[i].at;
  }
  return true;
}

// Returns the index of the allocation that P was in, in the program; -1: in none.
static int share_allocation(const struct gpu_run *r, gpu_pointer p) {
  for (unsigned i = 0; i < r->call.n_allocations; i++)
    if (p >= r->origins[i] && p - r->origins[i] < r->call.allocations[i].bytes)
      return (int)i;
  return -1;
}

static bool share_holds(void *data, gpu_pointer p) {
  return share_allocation(data, p) >= 0;
}

static gpu_pointer share_translated(const struct gpu_run *r, gpu_pointer p) {
  int i = share_allocation(r, p);
  return i < 0 ? p : p - r->origins[i] + r->call.allocations[i].base;
}

bool gpu_translate(struct gpu_run *r, unsigned arg, unsigned char *bytes) {
  gpu_pointer p = 0;
  size_t inside = SIZE_MAX; // where the address of a tensor map is
  if (!r->copied)
    return true;
  if (r->call.maps[arg] != GPU_NO_MAP && r->api->map_replace)
    p = gpu_map_address(r->api, bytes, share_holds, r, &inside);
  if (p && gpu_map_replace(r->api, bytes, share_translated(r, p)) != 0)
    return false;
  if (p && r->call.maps[arg] == GPU_IS_MAP)
    return true;
  for (unsigned at = 0; at + sizeof p <= r->call.sizes[arg]; at += sizeof p) {
    if (at == inside)
      continue;
    memcpy(&p, bytes + at, sizeof p);
    p = share_translated(r, p);
    memcpy(bytes + at, &p, sizeof p);
  }
  return true;
}

static bool receive_references(struct receiver *v) {
  struct gpu_run *r = v->r;
  for (unsigned i = 0; i < r->call.n_regions; i++) {
    struct piece *p = &r->pieces[i];
    p->tolerance = v->shared->tolerances[i];
    p->scale = v->shared->scales[i];
    if (p->expected.bytes == 0)
      continue;
    const struct gpu_memory *m = &v->shared->references[i];
    if (!is_sane(v->shared, m, p->expected.bytes) || !share_fill(v, m, &p->expected))
      return false;
  }
  for (unsigned i = 0; i < r->n_fences; i++)
    r->fences[i].off = v->shared->fences_off[i];
  for (unsigned i = 0; i < r->n_rests; i++)
    r->rests[i].off = v->shared->rests_off[i];
  return true;
}

struct gpu_run *gpu_run_open(const struct gpu_api *api, const struct gpu_shared *s,
                             const void *file, bool *no_ipc, char *why, size_t size) {
  struct gpu_run *r = gpu_run_begin(api, &s->call, why, size);
  struct receiver v = {
    .r = r, .shared = s, .file = file, .no_ipc = no_ipc, .why = why, .size = size
  };
  struct gpu_scope scope;
  *no_ipc = false;
  if (!r)
    return NULL;
  r->copied = true;
  gpu_enter(r, &scope);
  if (is_sane(s, &s->compare, s->compare_bytes) && s->compare_bytes > 0)
    gpu_compare_adopt(r, v.file + s->compare.offset, s->compare_bytes);
  bool ready = receive_names(&v) && receive_copies(&v);
  if (ready && !share_translate(r)) {
    snprintf(why, size, "addresses in memory cannot be translated");
    ready = false;
  }
  ready = ready && gpu_run_prepare(r, why, size) && receive_references(&v);
  gpu_leave(r, &scope);
  if (ready)
    return r;
  gpu_run_free(r);
  return NULL;
}
