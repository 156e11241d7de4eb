// SPDX-License-Identifier: Apache-2.0
// openmp_memory.c: keeps the memory of LLVM's OpenMP runtime apart from the program's
// heap, so that what a kernel writes on the heap can be compared (changes.c).
//
// The runtime begins anew in each worker, and allocates its threads, teams and locks with
// the C library's allocator. It writes to them in each region. Where they lay among the
// program's blocks, their bytes would look like output of the kernel. So the zygote binds
// the runtime's own calls of malloc and free to functions of this file, which hand out
// memory that the program did not have at the call. The program's calls are left alone.
//
// Threads are started before the memory is looked at: the C library allocates on the heap
// for each of them, and gives it the stack of one that the program had before the fork.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base.h"
#include "module.h"
#include "openmp.h"
#include "openmp_memory.h"

enum { ALIGNMENT = 64, CLASSES = 40, MOST_THREADS = 1 << 10 };
static const size_t room = 64 << 20; // bytes; only what is used is backed by memory

struct block { // right before the memory that it describes
  size_t size;
};
struct freed { // in a freed block
  struct freed *next;
};

static struct {
  char *base;       // of the room; NULL: there is none
  atomic_bool used; // blocks are allocated here, and not on the program's heap
  atomic_flag busy; // guards the rest
  size_t end;       // of the blocks
  struct freed *freed[CLASSES]; // by the binary logarithm of their size
} apart = { .busy = ATOMIC_FLAG_INIT };

// ---- an allocator -------------------------------------------------------------------

// Returns the place of SIZE more bytes at the end of the blocks; NULL: they do not fit.
static struct block *apart_grow(size_t size, size_t alignment) {
  size_t at = (apart.end + sizeof(struct block) + alignment - 1) & -alignment;
  if (at > room || size > room - at)
    return NULL;
  apart.end = at + size;
  return (struct block *)(void *)(apart.base + at) - 1;
}

// Returns SIZE bytes of the room; NULL: they do not fit, or it is not used.
static void *apart_new(size_t size, size_t alignment) {
  unsigned class = size <= ALIGNMENT ? 6 : 64 - (unsigned)__builtin_clzl(size - 1);
  if (size > room || !atomic_load(&apart.used))
    return NULL;
  while (atomic_flag_test_and_set(&apart.busy))
    sched_yield();
  struct freed *known = alignment <= ALIGNMENT ? apart.freed[class] : NULL;
  struct block *b = NULL;
  if (known)
    apart.freed[class] = known->next;
  else if ((b = apart_grow(1ul << class, alignment < ALIGNMENT ? ALIGNMENT : alignment)))
    b->size = 1ul << class;
  atomic_flag_clear(&apart.busy);
  return known ? (void *)known : b ? b + 1 : NULL;
}

static void apart_forget(void *p) {
  const struct block *b = (struct block *)p - 1;
  struct freed *f = p, **list = &apart.freed[__builtin_ctzl(b->size)];
  while (atomic_flag_test_and_set(&apart.busy))
    sched_yield();
  f->next = *list;
  *list = f;
  atomic_flag_clear(&apart.busy);
}

static bool apart_holds(const void *p) {
  const char *at = p;
  return at >= apart.base && at < apart.base + room;
}

static void *apart_malloc(size_t size) {
  void *p = apart_new(size, ALIGNMENT);
  return p ? p : malloc(size);
}

static void *apart_calloc(size_t n, size_t size) {
  size_t bytes;
  void *p = __builtin_mul_overflow(n, size, &bytes) ? NULL : apart_new(bytes, ALIGNMENT);
  return p ? memset(p, 0, bytes) : calloc(n, size);
}

static void apart_free(void *p) {
  if (apart_holds(p))
    apart_forget(p);
  else
    free(p);
}

static void *apart_realloc(void *p, size_t size) {
  if (!apart_holds(p))
    return p ? realloc(p, size) : apart_malloc(size);
  size_t old = ((struct block *)p - 1)->size;
  void *new = apart_malloc(size);
  if (new)
    memcpy(new, p, old < size ? old : size);
  if (new)
    apart_forget(p);
  return new;
}

static int apart_align(void **p, size_t alignment, size_t size) {
  *p = apart_new(size, alignment);
  return *p ? 0 : posix_memalign(p, alignment, size);
}

static void *apart_aligned(size_t alignment, size_t size) {
  void *p = NULL;
  return apart_align(&p, alignment, size) == 0 ? p : NULL;
}

// ---- the runtime's calls ------------------------------------------------------------

// Those that free come first: they are right for all memory.
static const struct {
  const char *name;
  autotune_fn function;
} calls[] = {
  { "free", (autotune_fn)apart_free },
  { "realloc", (autotune_fn)apart_realloc },
  { "calloc", (autotune_fn)apart_calloc },
  { "posix_memalign", (autotune_fn)apart_align },
  { "aligned_alloc", (autotune_fn)apart_aligned },
  { "memalign", (autotune_fn)apart_aligned },
  { "malloc", (autotune_fn)apart_malloc },
};

// True if the process has gcc's OpenMP runtime as well: it allocates, too. (LLVM also
// ships its own under that name.)
static bool apart_has_another(void) {
  void *gomp = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  bool another = gomp && !dlsym(gomp, "__kmpc_fork_call");
  if (gomp)
    dlclose(gomp);
  return another;
}

// Returns the library with LLVM's runtime. NULL: there is none, or it is a part of the
// program, whose calls of malloc are the program's own.
static const struct link_map *apart_library(void) {
  const void *region = openmp_llvms_region();
  struct link_map *map = NULL;
  Dl_info info;
  if (!region || !dladdr1(region, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
    return NULL;
  const char *slash = strrchr(map->l_name, '/'), *name = slash ? slash + 1 : map->l_name;
  bool known = strncmp(name, "libomp", 6) == 0 || strncmp(name, "libiomp", 7) == 0 ||
      strncmp(name, "libgomp", 7) == 0;
  return known && !apart_has_another() ? map : NULL;
}

bool openmp_memory_part(void) {
  const struct link_map *library = apart_library();
  size_t n = sizeof calls / sizeof *calls;
  bool bound = false;
  if (!library || !openmp_has_regions() || sys_fails(SYS_MMAP))
    return false;
  // No access yet: so it is a mapping of its own, and none that the program had.
  void *base =
      mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return false;
  apart.base = base;
  for (size_t i = 0; i < n; i++) // the last one is malloc
    bound = module_redirect(library, calls[i].name, calls[i].function);
  return bound;
}

void openmp_memory_use(bool yes) {
  if (yes && apart.base && mprotect(apart.base, room, PROT_READ | PROT_WRITE) != 0)
    return;
  atomic_store(&apart.used, yes && apart.base);
}

// ---- threads ------------------------------------------------------------------------

struct stacks {
  pthread_t self; // the thread that starts the region
  atomic_uint n;
  struct {
    void *base;
    size_t size;
  } list[MOST_THREADS];
};

static void apart_note_stack(void *data) {
  struct stacks *s = data;
  pthread_attr_t attributes;
  if (pthread_equal(pthread_self(), s->self) ||
      pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  unsigned i = atomic_fetch_add(&s->n, 1);
  if (i < MOST_THREADS)
    pthread_attr_getstack(&attributes, &s->list[i].base, &s->list[i].size);
  pthread_attr_destroy(&attributes);
}

static void *apart_wait(void *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

// True if so many threads can be started now. They have stacks of their own: the C
// library would give them those of threads that the program had before the fork.
static bool apart_may_have(unsigned threads) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static pthread_t list[MOST_THREADS];
  const size_t stack = 256 << 10, bytes = threads * stack;
  unsigned n = 0;
  pthread_attr_t attributes;
  char *stacks = threads <= MOST_THREADS ? sys_mmap(bytes, false) : NULL;
  if (!stacks || pthread_attr_init(&attributes) != 0)
    return false;
  pthread_mutex_lock(&lock);
  while (n < threads && !sys_fails(SYS_THREAD) &&
         pthread_attr_setstack(&attributes, stacks + n * stack, stack) == 0 &&
         pthread_create(&list[n], &attributes, apart_wait, &lock) == 0)
    n++;
  pthread_mutex_unlock(&lock);
  for (unsigned i = 0; i < n; i++)
    pthread_join(list[i], NULL);
  pthread_attr_destroy(&attributes);
  munmap(stacks, bytes);
  return n == threads;
}

// True if the runtime can start THREADS more threads. It ends the process where it has no
// memory for a stack, or where there may be no more threads.
static bool apart_has_room(unsigned threads) {
  size_t (*ask)(void) = (size_t (*)(void))dlsym(RTLD_DEFAULT, "kmp_get_stacksize_s");
  size_t size = ask ? ask() : 0, bytes;
  if (size == 0 || __builtin_mul_overflow(size, threads, &bytes) ||
      !apart_may_have(threads))
    return false;
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p != MAP_FAILED && munmap(p, bytes) == 0;
}

void openmp_memory_warm(unsigned least, void (*see)(void *base, size_t size, void *data),
                        void *data) {
  static struct stacks s;
  static bool asked, fits; // if there may be a thread for each processor
  unsigned machine = machine_threads(), next = openmp_threads(),
           needed = least < next ? next : least;
  if (machine > needed && !asked) {
    asked = true;
    fits = apart_has_room(machine - needed);
  }
  s.self = pthread_self();
  atomic_store(&s.n, 0);
  openmp_run(apart_note_stack, &s, machine > needed && fits ? machine : needed);
  unsigned n = atomic_load(&s.n);
  for (unsigned i = 0; i < n && i < MOST_THREADS; i++)
    see(s.list[i].base, s.list[i].size, data);
}
