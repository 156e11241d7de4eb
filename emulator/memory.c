/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c: device memory. Each device has one memory file and reserves as many
 * addresses; each offset of the file is mapped at the same offset of the addresses. An
 * allocation ends at the end of its last page (except 256 bytes of alignment), and the
 * page after it is never mapped, so that an access beyond it faults.
 * Another process opens the file through /proc. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator.h"

enum { PAGE = 4096, ALIGN = 256 };
#define ADDRESSES \
  ((size_t)1 << 38) /* reserved for each device; opened handles have as many */

static struct {
  pthread_mutex_t lock;
  struct {
    int fd;
    char *base;
    size_t used;
    bool tried;
  } devices[MAX_DEVICES];
  struct {
    char *base;
  } opened;
  struct allocation *list; /* ascending by base */
  size_t n, room;
} m = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t pages_of(size_t bytes) {
  return (bytes + PAGE - 1) / PAGE * PAGE;
}

static char *memory_reserve(void) {
  void *p = mmap(NULL, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static bool device_open(int device) {
  if (!m.devices[device].tried) {
    m.devices[device].tried = true;
    m.devices[device].fd = memfd_create("autotune-emulate", MFD_CLOEXEC);
    if (m.devices[device].fd >= 0 &&
        ftruncate(m.devices[device].fd, (off_t)ADDRESSES) == 0)
      m.devices[device].base = memory_reserve();
  }
  return m.devices[device].base != NULL;
}

/* ---- the list, under the lock ---------------------------------------------------- */

/* Returns the index of the first allocation with a base above P. */
static size_t memory_above(uintptr_t p) {
  size_t low = 0, high = m.n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (m.list[middle].base <= p)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct allocation *memory_holding(uintptr_t p) {
  size_t i = memory_above(p);
  return i && p - m.list[i - 1].base < m.list[i - 1].bytes ? &m.list[i - 1] : NULL;
}

static bool list_add(const struct allocation *a) {
  if (m.n == m.room) {
    size_t room = m.room ? 2 * m.room : 64;
    struct allocation *more = realloc(m.list, room * sizeof *more);
    if (!more)
      return false;
    m.list = more;
    m.room = room;
  }
  size_t i = memory_above(a->base);
  memmove(&m.list[i + 1], &m.list[i], (m.n++ - i) * sizeof *m.list);
  m.list[i] = *a;
  return true;
}

static void list_remove(struct allocation *a) {
  memmove(a, a + 1, (size_t)(m.list + --m.n - a) * sizeof *a);
}

/* Returns the first place from BASE on for PAGES with a free page after them, or NULL. */
static char *place_find(char *base, size_t pages) {
  char *at = base + PAGE;
  for (size_t i = memory_above((uintptr_t)base); i < m.n; i++) {
    char *next = m.list[i].pages;
    if (!next)
      continue;
    if (next >= base + ADDRESSES || (size_t)(next - at) >= pages + PAGE)
      break;
    at = next + m.list[i].mapped + PAGE;
  }
  return at + pages + PAGE <= base + ADDRESSES ? at : NULL;
}

/* ---- allocations ----------------------------------------------------------------- */

static CUresult device_new(int device, size_t bytes, struct allocation *a) {
  size_t pages = pages_of(bytes);
  if (!device_open(device))
    return CUDA_ERROR_OPERATING_SYSTEM;
  if (pages < bytes || pages > settings_get()->memory - m.devices[device].used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  char *base = m.devices[device].base, *at = place_find(base, pages);
  if (!at)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (mmap(at, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           m.devices[device].fd, at - base) == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  a->pages = at;
  a->mapped = pages;
  a->offset = (size_t)(at - base);
  a->base = (uintptr_t)at + pages - (bytes + ALIGN - 1) / ALIGN * ALIGN;
  m.devices[device].used += pages;
  return CUDA_SUCCESS;
}

static CUresult host_new(size_t bytes, struct allocation *a) {
  a->mapped = pages_of(bytes);
  a->pages =
      mmap(NULL, a->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (a->pages == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  a->base = (uintptr_t)a->pages;
  return CUDA_SUCCESS;
}

static void memory_unmap(const struct allocation *a) {
  if (a->kind == MEMORY_REGISTERED)
    return;
  if (a->kind == MEMORY_HOST) {
    munmap(a->pages, a->mapped);
    return;
  }
  mmap(a->pages, a->mapped, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (a->kind == MEMORY_OPENED)
    return;
  fallocate(m.devices[a->device].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            (off_t)a->offset, (off_t)a->mapped);
  m.devices[a->device].used -= a->mapped;
}

CUresult memory_new(int device, size_t bytes, enum memory_kind kind, uintptr_t *base) {
  struct allocation a = { .bytes = bytes, .kind = kind, .device = device };
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (kind != MEMORY_HOST && fault_due(FAULT_MEMORY))
    return CUDA_ERROR_OUT_OF_MEMORY;
  pthread_mutex_lock(&m.lock);
  CUresult e = kind == MEMORY_HOST ? host_new(bytes, &a) : device_new(device, bytes, &a);
  if (e == CUDA_SUCCESS && !list_add(&a)) {
    memory_unmap(&a);
    e = CUDA_ERROR_OUT_OF_MEMORY;
  }
  pthread_mutex_unlock(&m.lock);
  if (e == CUDA_SUCCESS)
    *base = a.base;
  return e;
}

CUresult memory_free(uintptr_t base, enum memory_kind kind) {
  CUresult e = CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&m.lock);
  struct allocation *a = memory_holding(base);
  bool fits = a && a->base == base &&
      (a->kind == kind || (kind == MEMORY_DEVICE && a->kind == MEMORY_MANAGED));
  if (fits && (a->kind != MEMORY_OPENED || --a->opened == 0)) {
    memory_unmap(a);
    list_remove(a);
  }
  if (fits)
    e = CUDA_SUCCESS;
  pthread_mutex_unlock(&m.lock);
  return e;
}

bool memory_find(uintptr_t p, struct allocation *out) {
  pthread_mutex_lock(&m.lock);
  struct allocation *a = memory_holding(p);
  if (a)
    *out = *a;
  pthread_mutex_unlock(&m.lock);
  return a != NULL;
}

bool memory_on_device(uintptr_t p, size_t bytes) {
  struct allocation a;
  return memory_find(p, &a) && bytes <= a.bytes - (p - a.base);
}

void memory_symbol(const void *p, size_t bytes, int device) {
  struct allocation a = {
    .base = (uintptr_t)p, .bytes = bytes, .kind = MEMORY_SYMBOL, .device = device
  };
  pthread_mutex_lock(&m.lock);
  if (bytes && !memory_holding(a.base))
    list_add(&a);
  pthread_mutex_unlock(&m.lock);
}

CUresult memory_register(uintptr_t p, size_t bytes, int device) {
  struct allocation a = {
    .base = p, .bytes = bytes, .kind = MEMORY_REGISTERED, .device = device
  };
  CUresult e = CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&m.lock);
  size_t next = memory_above(p);
  if (p && bytes && !memory_holding(p) && (next == m.n || m.list[next].base - p >= bytes))
    e = list_add(&a) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  pthread_mutex_unlock(&m.lock);
  return e;
}

void memory_forget(const void *p) {
  pthread_mutex_lock(&m.lock);
  struct allocation *a = memory_holding((uintptr_t)p);
  if (a && a->kind == MEMORY_SYMBOL)
    list_remove(a);
  pthread_mutex_unlock(&m.lock);
}

size_t memory_used(int device) {
  pthread_mutex_lock(&m.lock);
  size_t used = m.devices[device].used;
  pthread_mutex_unlock(&m.lock);
  return used;
}

void memory_reset(int device) {
  pthread_mutex_lock(&m.lock);
  for (size_t i = m.n; i-- > 0;)
    if (m.list[i].device == device && m.list[i].kind != MEMORY_SYMBOL) {
      memory_unmap(&m.list[i]);
      list_remove(&m.list[i]);
    }
  pthread_mutex_unlock(&m.lock);
}

/* ---- other processes ------------------------------------------------------------- */

struct handle {
  char magic[8];
  pid_t pid;
  int fd;
  uint64_t inode, offset, mapped, bytes, within;
};
_Static_assert(sizeof(struct handle) <= sizeof(CUipcMemHandle), "it fits");
static const char handle_magic[8] = { 'a', 't', 'e', 'm', 'u', 'i', 'p', 'c' };

CUresult memory_export(uintptr_t p, CUipcMemHandle *handle) {
  struct allocation a;
  struct stat st;
  if (!memory_find(p, &a) || a.kind != MEMORY_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  int fd = m.devices[a.device].fd;
  if (fstat(fd, &st) != 0)
    return CUDA_ERROR_MAP_FAILED;
  struct handle h = { .pid = getpid(),
                      .fd = fd,
                      .inode = st.st_ino,
                      .offset = a.offset,
                      .mapped = a.mapped,
                      .bytes = a.bytes,
                      .within = a.base - (uintptr_t)a.pages };
  memcpy(h.magic, handle_magic, sizeof h.magic);
  memset(handle, 0, sizeof *handle);
  memcpy(handle, &h, sizeof h);
  return CUDA_SUCCESS;
}

static int file_open(const struct handle *h) {
  char path[64];
  struct stat st;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)h->pid, h->fd);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_ino != h->inode)) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* Returns the allocation that H is mapped at already, or NULL. Each is mapped once. */
static struct allocation *opened_already(const struct handle *h) {
  for (size_t i = 0; i < m.n; i++) {
    struct allocation *a = &m.list[i];
    if (a->kind == MEMORY_OPENED && a->offset == h->offset && a->inode == h->inode)
      return a;
  }
  return NULL;
}

static CUresult opened_new(const struct handle *h, int device, struct allocation *a) {
  if (!m.opened.base && !(m.opened.base = memory_reserve()))
    return CUDA_ERROR_MAP_FAILED;
  char *at = place_find(m.opened.base, h->mapped);
  int fd = at ? file_open(h) : -1;
  if (fd < 0)
    return CUDA_ERROR_MAP_FAILED;
  void *p = mmap(at, h->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                 (off_t)h->offset);
  close(fd);
  if (p == MAP_FAILED)
    return CUDA_ERROR_MAP_FAILED;
  *a = (struct allocation){ .base = (uintptr_t)at + h->within,
                            .bytes = h->bytes,
                            .kind = MEMORY_OPENED,
                            .device = device,
                            .offset = h->offset,
                            .inode = h->inode,
                            .pages = at,
                            .mapped = h->mapped,
                            .opened = 1 };
  return CUDA_SUCCESS;
}

CUresult memory_import(const CUipcMemHandle *handle, int device, uintptr_t *base) {
  struct handle h;
  struct allocation a;
  memcpy(&h, handle, sizeof h);
  if (memcmp(h.magic, handle_magic, sizeof h.magic) != 0 || h.mapped % PAGE ||
      h.within > h.mapped || h.bytes > h.mapped - h.within)
    return CUDA_ERROR_INVALID_VALUE;
  if (h.pid == getpid()) /* as CUDA's driver does */
    return CUDA_ERROR_INVALID_CONTEXT;
  pthread_mutex_lock(&m.lock);
  CUresult e = CUDA_SUCCESS;
  struct allocation *old = opened_already(&h);
  if (old) {
    old->opened++;
    *base = old->base;
  } else if ((e = opened_new(&h, device, &a)) == CUDA_SUCCESS) {
    *base = a.base;
    if (!list_add(&a)) {
      memory_unmap(&a);
      e = CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  pthread_mutex_unlock(&m.lock);
  return e;
}
