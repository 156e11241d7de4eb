// SPDX-License-Identifier: Apache-2.0
// changes.c: finds the memory that one run of a kernel changes, whether a section names
// it or not.
//
// A child that only sleeps, the keeper, shares all pages with the worker as they were
// before the run. A page that the run writes becomes the worker's own, which
// /proc/self/pagemap tells (bit 56, Linux 4.2). The keeper then returns the old bytes of
// just these pages. No page is protected, so the run is as always.
//
// The regions are the private memory that the program had when it called the kernel: data
// of the program and of its own libraries, the callers' frames, the heap and other
// anonymous memory. Data of run-time libraries is left out. An OpenMP run-time library
// may allocate at any time. For kernels with OpenMP and without sections its memory is
// kept apart from the program's (openmp_memory.c). For those with sections the heap is
// left out except for the pages in which sections begin and end.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tsan.h"
#include "openmp_memory.h"
#include "sandbox.h"

enum { PAGE = CHANGES_PAGE, ENTRIES = CHANGES_ENTRIES };
enum { DESCRIPTOR = 0x900, RSEQ = 64 };      // bytes, as in glibc 2.36
static const size_t worth_sharing = 1 << 20; // bytes of a section
static const uint64_t present = 1ull << 63, of_file = 1ull << 61, own = 1ull << 56;

// ---- regions ------------------------------------------------------------------------

static const char *const run_time_libraries[] = {
  "ld-",         "libc.",       "libc-",   "libm.",     "libpthread", "libdl.",
  "librt.",      "libgomp",     "libomp",  "libiomp",   "libarcher",  "libautotune",
  "libLLVM",     "libclang",    "liblld",  "libstdc++", "libgcc_s",   "libjemalloc",
  "libtcmalloc", "libmimalloc", "libnuma", "libhwloc",  "libsqlite3", "libjansson",
  "libxxhash",   "libz.",       "libzstd", "libxml2",   "libffi",     "libedit",
  "libtinfo",    "libpciaccess"
};

static bool changes_is_run_time(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof run_time_libraries / sizeof *run_time_libraries; i++)
    if (strncmp(name, run_time_libraries[i], strlen(run_time_libraries[i])) == 0)
      return true;
  return false;
}

static char *changes_page_of(const char *at) {
  return (char *)((uintptr_t)at & -(uintptr_t)PAGE);
}

static void changes_add_region(struct changes *c, const char *base, const char *end,
                               enum region_kind kind) {
  if (c->n_regions < MAX_REGIONS && base < end)
    c->regions[c->n_regions++] =
        (struct region){ (char *)(uintptr_t)base, (size_t)(end - base), kind };
}

static void changes_leave_out(struct changes *c, const void *base, size_t size) {
  if (c->n_left_out == MAX_LEFT_OUT)
    c->known = false;
  else if (size > 0)
    c->left_out[c->n_left_out++] = (struct range){ (char *)(uintptr_t)base, size };
}

// Leaves out the addresses of functions that the loader fills in at their first call.
static void changes_leave_out_slots(struct changes *c, const struct dl_phdr_info *info,
                                    const ElfW(Phdr) * dynamic) {
  const ElfW(Dyn) *d = (const void *)(info->dlpi_addr + dynamic->p_vaddr);
  uintptr_t slots = 0, n = 0;
  for (; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_PLTGOT)
      slots = d->d_un.d_ptr;
    else if (d->d_tag == DT_PLTRELSZ)
      n = d->d_un.d_val / sizeof(ElfW(Rela));
  }
  if (slots >= info->dlpi_addr && n)
    changes_leave_out(c, (const void *)slots, (n + 3) * sizeof(void *));
}

// True if the object of INFO holds the function CODE.
static bool changes_holds(const struct dl_phdr_info *info, autotune_fn code) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    uintptr_t base = info->dlpi_addr + h->p_vaddr, at = (uintptr_t)code;
    if (h->p_type == PT_LOAD && at >= base && at < base + h->p_memsz)
      return true;
  }
  return false;
}

// Adds the writable data of one object to the regions, unless it is a run-time library,
// or a variant that the program has loaded: its own data are its workspace.
static int changes_add_object(struct dl_phdr_info *info, size_t size, void *data) {
  const struct image *m = data;
  struct changes *c = m->changes;
  bool run_time = changes_is_run_time(info->dlpi_name) ||
      (m->loaded && changes_holds(info, m->loaded));
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    const char *base = (const char *)(info->dlpi_addr + h->p_vaddr);
    if (h->p_type == PT_DYNAMIC && !run_time)
      changes_leave_out_slots(c, info, h);
    if (h->p_type == PT_TLS && run_time && info->dlpi_tls_data)
      changes_leave_out(c, info->dlpi_tls_data, h->p_memsz);
    if (h->p_type != PT_LOAD || !(h->p_flags & PF_W))
      continue;
    if (!run_time)
      changes_add_region(c, base, base + h->p_memsz, REGION_DATA);
    if (c->n_objects < MAX_OBJECTS)
      c->objects[c->n_objects++] =
          (struct range){ changes_page_of(base),
                          (size_t)(base - changes_page_of(base)) + h->p_memsz };
  }
  return 0;
}

// Returns the first address from AT on that is no data of an object.
static const char *changes_past_objects(const struct changes *c, const char *at) {
  for (unsigned i = 0; i < c->n_objects; i++) {
    const struct range *o = &c->objects[i];
    if (at >= o->base && at < o->base + o->size) {
      at = changes_page_of(o->base + o->size + PAGE - 1);
      i = (unsigned)-1; // another may follow
    }
  }
  return at;
}

// Adds the page at BASE, unless it is the last region that was added.
static void changes_add_page(struct changes *c, const char *base) {
  const struct region *last = c->n_regions ? &c->regions[c->n_regions - 1] : NULL;
  if (!last || last->base != base)
    changes_add_region(c, base, base + PAGE, REGION_HEAP);
}

// Adds the pages in which sections begin and end.
static void changes_add_ends(const struct image *m, const struct mapping *map) {
  for (unsigned i = 0; i < m->n_segments; i++) {
    const struct segment *s = &m->segments[i];
    const char *low = changes_page_of(s->base),
               *high = changes_page_of(s->base + s->size - 1);
    if (s->base < map->base || s->base >= map->end)
      continue;
    changes_add_page(m->changes, low);
    changes_add_page(m->changes, high);
  }
}

struct collecting {
  const struct image *m;
  const char *here; // an address in the stack that this thread uses
};

static void changes_collect(const struct mapping *map, void *data) {
  const struct collecting *w = data;
  struct changes *c = w->m->changes;
  const char *args = (const char *)w->m->args, *base = changes_past_objects(c, map->base);
  int access = PROT_READ | PROT_WRITE;
  if ((map->protection & access) != access || map->shared || map->device || map->file)
    return;
  bool callers = args >= map->base && args < map->end;
  if (callers)
    changes_add_region(c, args, map->end, REGION_STACK); // what lies below is ours
  else if (w->here >= map->base && w->here < map->end)
    return; // a stack of our own
  else if (!w->m->kernel->openmp || c->apart)
    changes_add_region(c, base, map->end, REGION_HEAP);
  else if (!map->heap)
    changes_add_ends(w->m, map);
}

// Leaves out what the C library and the kernel keep of this thread: errno, the thread's
// descriptor, the processor's number, which changes at any time (rseq), and the table of
// its thread-local variables (dtv), which grows after libraries were loaded.
static void changes_leave_out_thread(struct changes *c) {
  const char *thread = __builtin_thread_pointer();
  const ptrdiff_t *rseq = dlsym(RTLD_DEFAULT, "__rseq_offset");
  changes_leave_out(c, &errno, sizeof errno);
#if defined(__x86_64__)
  const size_t *dtv = ((const size_t *const *)thread)[1];
  changes_leave_out(c, thread, DESCRIPTOR); // thread-local variables lie before it
#else
  const size_t *dtv = *(const size_t *const *)thread;
  changes_leave_out(c, thread - DESCRIPTOR, DESCRIPTOR);
#endif
  if (dtv)
    changes_leave_out(c, dtv - 2, (dtv[-2] + 2) * 2 * sizeof *dtv);
  if (rseq)
    changes_leave_out(c, thread + *rseq, RSEQ);
}

// Leaves out the static objects that only the kernel's own calls can read: workspaces.
static void changes_leave_out_own(struct changes *c, const struct autotune_kernel *k) {
  const unsigned bits = 32, n = bits * sizeof k->own_symbols / sizeof *k->own_symbols;
  for (unsigned i = 0; i < k->n_symbols && i < n; i++)
    if (k->own_symbols[i / bits] >> i % bits & 1)
      changes_leave_out(c, k->symbols[i].address, k->symbols[i].size);
}

bool changes_new(struct image *m) {
  char here;
  struct changes *c = sys_mmap(sizeof *c, true); // shared: what is written is not found
  struct collecting w = { .m = m, .here = &here };
  m->changes = c;
  if (!c)
    return false;
  c->pagemap = -1;
  c->known = true;
  c->apart = m->kernel->openmp && !kernel_has_sections(m->kernel) && !tsan_or_asan() &&
      openmp_memory_part();
  dl_iterate_phdr(changes_add_object, m);
  c->known &= sandbox_each_mapping(changes_collect, &w);
  changes_leave_out_thread(c);
  changes_leave_out_own(c, m->kernel);
  changes_leave_out(c, m->ret, m->kernel->ret_size);
  openmp_memory_use(c->apart); // the runtime begins anew as soon as a worker is forked
  return true;
}

void changes_open(const struct image *m) {
  struct changes *c = m->changes;
  int dumpable = prctl(PR_GET_DUMPABLE);
  prctl(PR_SET_DUMPABLE, 1); // else the file belongs to root
  c->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  prctl(PR_SET_DUMPABLE, dumpable);
  c->on = c->pagemap >= 0 && c->known && !tsan_or_asan() &&
      m->kernel->verify != AUTOTUNE_VERIFY_OFF;
}

size_t changes_looked(const struct image *m) {
  size_t bytes = 0;
  for (unsigned i = 0; i < m->changes->n_regions; i++)
    bytes += m->changes->regions[i].size;
  return bytes;
}

// True if an argument points into the SIZE bytes from BASE on.
static bool changes_is_argument(const struct image *m, const char *base, size_t size) {
  const struct autotune_kernel *k = m->kernel;
  for (unsigned i = 0; k->args && i < k->n_args; i++) {
    const char *at = NULL;
    if (k->args[i].size == sizeof at)
      memcpy(&at, m->args[i], sizeof at);
    if (at >= base && at < base + size)
      return true;
  }
  return false;
}

static void changes_leave_out_stack(void *base, size_t size, void *data) {
  const struct image *m = data;
  struct changes *c = m->changes;
  c->taken |= changes_is_argument(m, base, size);
  if (c->n_stacks < MAX_STACKS)
    c->stacks[c->n_stacks++] = (struct range){ base, size };
}

void changes_ready(const struct image *m) {
  struct changes *c = m->changes;
  c->n_stacks = 0;
  c->taken = false;
  if (!c->apart || !c->on)
    return;
  openmp_memory_use(true);
  openmp_memory_warm(c->threads, changes_leave_out_stack, (void *)(uintptr_t)m);
  c->started = sys_threads();
}

// ---- the keeper ---------------------------------------------------------------------

struct request {
  const char *base;
  size_t size;
};

// Returns old bytes until nobody asks any more. Only system calls: other threads may have
// held any lock when this process was made.
static void changes_keep(int socket) {
  struct request q;
  while (read(socket, &q, sizeof q) == sizeof q)
    for (size_t done = 0; done < q.size;) {
      long n =
          syscall(SYS_write, socket, q.base + done, q.size - done); // not a sanitizer's
      if (n <= 0)
        syscall(SYS_exit_group, 1);
      done += (size_t)n;
    }
  syscall(SYS_exit_group, 0);
}

// Large sections are compared in another way, and need not be shared.
static void changes_share(const struct image *m, bool yes) {
  for (unsigned i = 0; i < m->n_segments; i++) {
    uintptr_t low = (uintptr_t)m->segments[i].base, high = low + m->segments[i].size;
    low = (low + PAGE - 1) & -(uintptr_t)PAGE;
    high &= -(uintptr_t)PAGE;
    if (high > low && high - low >= worth_sharing)
      madvise((void *)low, high - low, yes ? MADV_DOFORK : MADV_DONTFORK);
  }
}

void changes_begin(const struct image *m) {
  struct changes *c = m->changes;
  double start = sys_now();
  int pair[2];
  c->keeper = -1;
  c->n = 0;
  c->used = 0;
  c->lost = true;
  if (!c->on || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return;
  changes_share(m, false);
  pid_t keeper = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0); // its end raises no signal
  if (keeper == 0) {
    close(pair[0]);
    changes_keep(pair[1]);
  }
  c->keeper = keeper;
  changes_share(m, true);
  close(pair[1]);
  c->socket = pair[0];
  c->lost = c->keeper < 0 || c->taken;
  c->seconds = sys_now() - start;
}

static bool changes_ask(struct changes *c, const char *base, size_t size) {
  const struct request q = { base, size };
  size_t done = 0;
  if (send(c->socket, &q, sizeof q, MSG_NOSIGNAL) != sizeof q)
    return false;
  while (done < size) {
    ssize_t n = read(c->socket, c->page + done, size - done);
    if (n <= 0)
      return false;
    done += (size_t)n;
  }
  return true;
}

// ---- comparing ----------------------------------------------------------------------

// These access the program's memory byte by byte and hidden from sanitizers, which may
// fence the memory next to an array.
__attribute__((no_sanitize("address"))) void changes_copy(void *to, const void *from,
                                                          size_t size) {
  const volatile char *f = from;
  volatile char *t = to;
  for (size_t i = 0; i < size; i++)
    t[i] = f[i];
}

__attribute__((no_sanitize("address"))) bool changes_equal(const void *a, const void *b,
                                                           size_t size) {
  const volatile char *x = a, *y = b;
  for (size_t i = 0; i < size; i++)
    if (x[i] != y[i])
      return false;
  return true;
}

// True if AT is compared elsewhere, or not at all.
static bool changes_covers(const struct image *m, const char *at) {
  const struct changes *c = m->changes;
  unsigned s = segments_find(m, at);
  if (s < m->n_segments && at >= m->segments[s].base)
    return true;
  for (unsigned i = 0; i < c->n_left_out; i++)
    if (at >= c->left_out[i].base && at < c->left_out[i].base + c->left_out[i].size)
      return true;
  return false;
}

static void changes_add(struct changes *c, char *at, const char *before, size_t size,
                        enum region_kind kind) {
  struct change *last = c->n ? &c->list[c->n - 1] : NULL;
  bool follows = last && last->base + last->size == at && last->kind == kind;
  if (c->used + size > sizeof c->before || (!follows && c->n == MAX_CHANGES)) {
    c->lost = true;
    return;
  }
  if (follows)
    last->size += size;
  else
    c->list[c->n++] = (struct change){ at, size, c->used, kind };
  memcpy(c->before + c->used, before, size);
  c->used += size;
}

// Compares a page of R with the old bytes in c->page, eight by eight: a number that
// changes in one byte is kept as a whole.
static void changes_compare(const struct image *m, char *page, const struct region *r) {
  struct changes *c = m->changes;
  for (size_t i = 0; i < PAGE; i += 8) {
    bool covered[8], whole = true;
    if (changes_equal(page + i, c->page + i, 8))
      continue;
    for (size_t b = 0; b < 8; b++) {
      const char *at = page + i + b;
      covered[b] = at < r->base || at >= r->base + r->size || changes_covers(m, at);
      whole = whole && !covered[b];
    }
    if (whole)
      changes_add(c, page + i, c->page + i, 8, r->kind);
    for (size_t b = 0; !whole && b < 8; b++)
      if (!changes_equal(page + i + b, c->page + i + b, 1) && !covered[b])
        changes_add(c, page + i + b, c->page + i + b, 1, r->kind);
  }
}

// True if the page at BASE belongs to a thread of OpenMP.
static bool changes_is_stack(const struct changes *c, const char *base) {
  for (unsigned i = 0; i < c->n_stacks; i++)
    if (base >= c->stacks[i].base && base < c->stacks[i].base + c->stacks[i].size)
      return true;
  return false;
}

// Compares those of N pages of R from BASE on that the run has made its own.
static void changes_scan(const struct image *m, char *base, size_t n,
                         const struct region *r) {
  struct changes *c = m->changes;
  ssize_t size = (ssize_t)(n * sizeof *c->entries);
  off_t at = (off_t)((uintptr_t)base / PAGE * sizeof *c->entries);
  c->lost |= pread(c->pagemap, c->entries, (size_t)size, at) != size;
  for (size_t i = 0; i < n && !c->lost; i++) {
    if ((c->entries[i] & (present | of_file | own)) != (present | own) ||
        changes_is_stack(c, base + i * PAGE))
      continue;
    if (changes_ask(c, base + i * PAGE, PAGE))
      changes_compare(m, base + i * PAGE, r);
    else
      c->lost = true;
  }
}

// Returns the end of the pages from AT on that lie within one section; AT: it is in none.
static char *changes_past_section(const struct image *m, char *at) {
  unsigned i = segments_find(m, at);
  const struct segment *s = &m->segments[i];
  bool within = i < m->n_segments && at >= s->base && s->base + s->size >= at + PAGE;
  return within ? changes_page_of(s->base + s->size) : at;
}

static void changes_look(const struct image *m, const struct region *r) {
  char *at = changes_page_of(r->base), *end = r->base + r->size;
  while (at < end && !m->changes->lost) {
    char *past = changes_past_section(m, at);
    if (past > at) {
      at = past;
      continue;
    }
    size_t left = (size_t)(end - at + PAGE - 1) / PAGE, n = 1;
    while (n < left && n < ENTRIES &&
           changes_past_section(m, at + n * PAGE) == at + n * PAGE)
      n++;
    changes_scan(m, at, n, r);
    at += n * PAGE;
  }
}

void changes_end(const struct image *m) {
  struct changes *c = m->changes;
  double start = sys_now();
  unsigned threads = c->apart && c->on ? sys_threads() : 0;
  c->grew = threads > c->started;
  if (c->grew)
    c->threads = threads;
  if (c->keeper < 0)
    return;
  for (unsigned i = 0; i < c->n_regions && !c->lost; i++)
    changes_look(m, &c->regions[i]);
  close(c->socket);
  kill(c->keeper, SIGKILL); // a process that the run has forked may hold the socket
  waitpid(c->keeper, NULL, __WALL);
  c->keeper = -1;
  c->seconds += sys_now() - start;
}
