/* SPDX-License-Identifier: Apache-2.0 */
/* module.c: the winner as a shared object. dlopen leaves 0 in the slots of names that the
 * process does not show; they are bound here, and those of the site's own symbols in any
 * case, because another part of the program may show a different thing under the same
 * name. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/compile.h"
#include "compile/resolve.h"
#include "base/base.h"
#include "module.h"
#include "sandbox.h"

#if defined(__x86_64__)
enum {
  RELOC_SLOT = R_X86_64_JUMP_SLOT,
  RELOC_GOT = R_X86_64_GLOB_DAT,
  RELOC_WORD = R_X86_64_64
};
#elif defined(__aarch64__)
enum {
  RELOC_SLOT = R_AARCH64_JUMP_SLOT,
  RELOC_GOT = R_AARCH64_GLOB_DAT,
  RELOC_WORD = R_AARCH64_ABS64
};
#else
#error "no relocations are known for this architecture"
#endif

static struct {
  atomic_int holder;  /* process that loads, 0: none. A fork in another thread leaves the
                         parent's  number in the child, which then takes over */
  atomic_uint opened; /* numbers the names of memory files */
  atomic_bool abandoned;
} modules;

void module_abandon(bool yes) {
  atomic_store(&modules.abandoned, yes);
}

bool module_abandoned(void) {
  return atomic_load(&modules.abandoned);
}

static void module_lock(void) {
  int self = (int)getpid(), holder = 0;
  while (!atomic_compare_exchange_weak(&modules.holder, &holder, self)) {
    if (holder == self) {
      sched_yield();
      holder = 0;
    }
  }
}

static void module_unlock(void) {
  atomic_store(&modules.holder, 0);
}

/* ---- relocations ----------------------------------------------------------------- */

struct relocations {
  const Elf64_Sym *symbols;
  const char *names;
  const Elf64_Rela *tables[2]; /* DT_RELA, DT_JMPREL */
  size_t n[2];
  uintptr_t base;
};

/* Returns the address of a dynamic entry. A C library may have relocated it already or
 * not. */
static const void *module_at(const struct link_map *map, Elf64_Addr address) {
  return (const void *)(address < map->l_addr ? map->l_addr + address : address);
}

static bool read_map(const struct link_map *map, struct relocations *r) {
  *r = (struct relocations){ 0 };
  r->base = map->l_addr;
  for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    switch (d->d_tag) {
    case DT_SYMTAB:
      r->symbols = module_at(map, d->d_un.d_ptr);
      break;
    case DT_STRTAB:
      r->names = module_at(map, d->d_un.d_ptr);
      break;
    case DT_RELA:
      r->tables[0] = module_at(map, d->d_un.d_ptr);
      break;
    case DT_RELASZ:
      r->n[0] = d->d_un.d_val / sizeof(Elf64_Rela);
      break;
    case DT_JMPREL:
      r->tables[1] = module_at(map, d->d_un.d_ptr);
      break;
    case DT_PLTRELSZ:
      r->n[1] = d->d_un.d_val / sizeof(Elf64_Rela);
      break;
    default:
      break;
    }
  }
  return r->symbols && r->names;
}

static bool read_dynamic(void *handle, struct relocations *r) {
  struct link_map *map;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && read_map(map, r);
}

struct slot {
  uintptr_t *where;
  const char *name;
  uintptr_t addend;
};

/* Calls VISIT for each slot that refers to a name of another object, until it returns
 * false. */
static bool each_slot(const struct relocations *r,
                      bool (*visit)(struct slot s, void *data), void *data) {
  for (int t = 0; t < 2; t++) {
    for (size_t i = 0; r->tables[t] && i < r->n[t]; i++) {
      const Elf64_Rela *rela = &r->tables[t][i];
      unsigned type = (unsigned)ELF64_R_TYPE(rela->r_info);
      const Elf64_Sym *symbol = &r->symbols[ELF64_R_SYM(rela->r_info)];
      if (ELF64_R_SYM(rela->r_info) == 0 || symbol->st_shndx != SHN_UNDEF ||
          (type != RELOC_SLOT && type != RELOC_GOT && type != RELOC_WORD))
        continue;
      struct slot s = { (uintptr_t *)(r->base + rela->r_offset),
                        r->names + symbol->st_name,
                        type == RELOC_WORD ? (uintptr_t)rela->r_addend : 0 };
      if (!visit(s, data))
        return false;
    }
  }
  return true;
}

/* ---- binding --------------------------------------------------------------------- */

struct binding {
  const struct autotune_symbol *symbols;
  size_t n;
  char **message;
  bool openmp; /* functions of OpenMP's runtime may allocate */
};

static bool is_openmp(const char *name) {
  return strncmp(name, "__kmpc_", 7) == 0 || strncmp(name, "omp_", 4) == 0 ||
      strncmp(name, "GOMP_", 5) == 0;
}

/* True if NAME is a weak name that is never needed. */
static bool module_optional(const char *name) {
  return strcmp(name, "_GLOBAL_OFFSET_TABLE_") == 0 ||
      strcmp(name, "__gmon_start__") == 0;
}

static bool bind_slot(struct slot s, void *data) {
  const struct binding *b = data;
  const void *address = resolve_site(b->symbols, b->n, s.name);
  if (!address) {
    if (*s.where != s.addend || module_optional(s.name))
      return true; /* dlopen found it */
    address = resolve_process(s.name);
    if (!address && is_openmp(s.name) && openmp_open(b->message) == 0)
      address = resolve_process(s.name);
    if (!address) {
      if (!*b->message)
        *b->message = sys_printf("undefined symbol '%s'", s.name);
      return false;
    }
  }
  *s.where = (uintptr_t)address + s.addend;
  return true;
}

static bool is_bound(struct slot s, void *data) {
  const struct binding *b = data;
  const void *address = resolve_site(b->symbols, b->n, s.name);
  return !address || *s.where == (uintptr_t)address + s.addend;
}

static bool is_harmless(struct slot s, void *data) {
  const struct binding *b = data;
  for (size_t i = 0; i < b->n; i++)
    if (b->symbols[i].size > 0 && strcmp(b->symbols[i].name, s.name) == 0)
      return true; /* an object */
  return module_optional(s.name) || resolve_is_harmless(s.name, b->openmp);
}

bool module_calls(autotune_fn code, const struct autotune_symbol *symbols, size_t n,
                  bool openmp) {
  struct binding b = { .symbols = symbols, .n = n, .openmp = openmp };
  struct relocations r;
  struct link_map *map = NULL;
  Dl_info info;
  bool found = dladdr1((const void *)code, &info, (void **)&map, RTLD_DL_LINKMAP) != 0;
  return !found || !map || !read_map(map, &r) || !each_slot(&r, is_harmless, &b);
}

struct redirection {
  const char *name;
  uintptr_t function;
  bool done, failed;
};

/* The page of a slot may have been made read-only after the loader filled it. */
static bool redirect_slot(struct slot s, void *data) {
  struct redirection *r = data;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *base = (void *)((uintptr_t)s.where & -page);
  if (strcmp(s.name, r->name) != 0)
    return true;
  bool writable = sandbox_writes(s.where, sizeof *s.where);
  r->failed |= !writable && mprotect(base, page, PROT_READ | PROT_WRITE) != 0;
  if (!r->failed)
    *s.where = r->function + s.addend;
  r->failed |= !writable && mprotect(base, page, PROT_READ) != 0;
  r->done |= !r->failed;
  return !r->failed;
}

bool module_redirect(const struct link_map *map, const char *name, autotune_fn function) {
  struct redirection redirection = { .name = name, .function = (uintptr_t)function };
  struct relocations r;
  return read_map(map, &r) && each_slot(&r, redirect_slot, &redirection) &&
      redirection.done;
}

/* ---- opening --------------------------------------------------------------------- */

static const char descriptors[] = "/proc/self/fd/";

/* Spells FILE, a descriptor's number, differently each time: dlopen takes the same name
 * for the same file, but a descriptor's number is reused. */
static void unique_name(const char *file, char *name, size_t size) {
  unsigned number = atomic_fetch_add(&modules.opened, 1);
  char *end = stpcpy(name, descriptors);
  for (int bit = 0; bit < 32 && number >> bit; bit++)
    end = stpcpy(end, number >> bit & 1 ? "./" : "/");
  snprintf(end, size - (size_t)(end - name), "%s", file);
}

static int module_has_name(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  return strcmp(info->dlpi_name, data) == 0;
}

/* Opens PATH. *FRESH: it was not open before, under any name. To find that out, looking
 * at the names costs less than dlopen with RTLD_NOLOAD, which reads the file. */
static void *module_open_file(const char *path, bool *fresh) {
  char name[128];
  size_t n = sizeof descriptors - 1;
  if (strncmp(path, descriptors, n) == 0) {
    unique_name(path + n, name, sizeof name);
    path = name;
  }
  struct link_map *map;
  bool known = dl_iterate_phdr(module_has_name, (void *)(uintptr_t)path) != 0;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *fresh = handle && !known && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 &&
      strcmp(map->l_name, path) == 0;
  return handle;
}

/* Opens a copy of the code, for a site whose symbols are elsewhere (for example two
 * libraries that were built from the same source). */
static void *open_copy(const char *path) {
  bool fresh;
  int from = sys_open(path, O_RDONLY, 0), to = memfd_create("autotune", MFD_CLOEXEC);
  void *handle = NULL;
  struct stat info;
  if (from >= 0 && to >= 0 && fstat(from, &info) == 0) {
    off_t done = 0;
    char block[16384];
    for (ssize_t got; (got = pread(from, block, sizeof block, done)) > 0; done += got)
      if (sys_write_all(to, block, (size_t)got) != 0)
        break;
    char name[64];
    snprintf(name, sizeof name, "%s%d", descriptors, to);
    handle = done == info.st_size ? module_open_file(name, &fresh) : NULL;
  }
  if (from >= 0)
    close(from);
  if (to >= 0)
    close(to);
  return handle;
}

/* Opens PATH and binds it. NULL on failure, and perhaps *MESSAGE. */
static void *open_bound(const char *path, struct binding *b) {
  struct relocations r;
  bool fresh;
  void *handle = module_open_file(path, &fresh);
  if (handle && !fresh) {
    if (!module_abandoned() && read_dynamic(handle, &r) && each_slot(&r, is_bound, b))
      return handle;
    dlclose(handle);
    handle = open_copy(path);
  }
  // While this waited for the loader, the library with the symbols may have been closed.
  if (handle && !module_abandoned() && read_dynamic(handle, &r) &&
      each_slot(&r, bind_slot, b))
    return handle;
  if (handle)
    dlclose(handle);
  return NULL;
}

const long long *module_constants(void *handle) {
  return dlsym(handle, "autotune_constants");
}

autotune_fn module_load(const char *path, const struct autotune_symbol *symbols, size_t n,
                        void **handle, char **message) {
  *message = NULL;
  struct binding b = { .symbols = symbols, .n = n, .message = message };
  module_lock();
  dlerror(); /* forget old ones */
  *handle = open_bound(path, &b);
  module_unlock();
  const autotune_fn *entry = NULL;
  if (*handle) {
    *(void **)&entry = dlsym(*handle, "autotune_entry");
    if (entry && *entry)
      return *entry;
    dlclose(*handle);
    *handle = NULL;
    *message = sys_strdup("the object has no autotune_entry");
    return NULL;
  }
  if (!*message) {
    const char *error = dlerror();
    *message = sys_strdup(error ? error : "the object cannot be bound");
  }
  return NULL;
}
