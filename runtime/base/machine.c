// SPDX-License-Identifier: Apache-2.0
// machine.c: the machine that results depend on and constraints may refer to.
//
// The CPU's name comes from its own instruction (microseconds). Caches and cores come
// from hwloc, reduced to these, and only when they are needed.
#include <dlfcn.h>
#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "base.h"

enum { MASK_BYTES = 1024 }; // 8192 processors

static struct {
  pthread_once_t identity_once, machine_once;
  struct machine identity, machine;
  union {
    cpu_set_t set;
    unsigned char bytes[MASK_BYTES];
  } allowed;
  int n_allowed;
} here = { .identity_once = PTHREAD_ONCE_INIT, .machine_once = PTHREAD_ONCE_INIT };

// Adds the processors of all places that gcc's OpenMP runtime has: it may have bound this
// thread to the first of them already, in a constructor of its own.
static void add_places(void) {
  int (*count)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_num_places");
  int (*size)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "omp_get_place_num_procs");
  void (*list)(int, int *) =
      (void (*)(int, int *))dlsym(RTLD_DEFAULT, "omp_get_place_proc_ids");
  bool other = dlsym(RTLD_DEFAULT, "__kmpc_fork_call") != NULL; // it binds later
  for (int i = 0; count && size && list && !other && i < count(); i++) {
    int ids[MASK_BYTES], n = size(i);
    if (n <= 0 || n > MASK_BYTES)
      continue;
    list(i, ids);
    for (int j = 0; j < n; j++)
      if (ids[j] >= 0 && ids[j] < MASK_BYTES * 8)
        CPU_SET_S((size_t)ids[j], sizeof here.allowed, &here.allowed.set);
  }
}

// Runs before main: an OpenMP runtime may bind the first thread to one core later, while
// the process may use more.
__attribute__((constructor)) static void read_affinity(void) {
  if (sched_getaffinity(0, sizeof here.allowed, &here.allowed.set) != 0)
    return;
  if (CPU_COUNT_S(sizeof here.allowed, &here.allowed.set) == 1)
    add_places();
  here.n_allowed = CPU_COUNT_S(sizeof here.allowed, &here.allowed.set);
}

void machine_spread_all(void) {
  if (here.n_allowed > 0)
    sched_setaffinity(0, sizeof here.allowed, &here.allowed.set);
}

void machine_spread(unsigned place) {
  union {
    cpu_set_t set;
    unsigned char bytes[MASK_BYTES];
  } own;
  int others[MASK_BYTES * 8], n = 0;
  if (sched_getaffinity(0, sizeof own, &own.set) != 0 ||
      CPU_COUNT_S(sizeof own, &own.set) >= here.n_allowed)
    return;
  for (int i = 0; i < MASK_BYTES * 8; i++)
    if (CPU_ISSET_S(i, sizeof here.allowed, &here.allowed.set) &&
        !CPU_ISSET_S(i, sizeof own, &own.set))
      others[n++] = i;
  memset(&own, 0, sizeof own);
  CPU_SET_S(others[place % (unsigned)n], sizeof own, &own.set);
  sched_setaffinity(0, sizeof own, &own.set);
}

// ---- the CPU ------------------------------------------------------------------------

// Appends the words of TEXT to OUT of SIZE, separated by single blanks.
static void machine_squeeze(char *out, size_t size, const char *text) {
  size_t n = strlen(out);
  for (; *text && n + 1 < size; text++)
    if (*text != ' ' || (n > 0 && out[n - 1] != ' '))
      out[n++] = *text == '\n' ? ' ' : *text;
  while (n > 0 && out[n - 1] == ' ')
    n--;
  out[n] = '\0';
}

#if defined(__x86_64__) || defined(__i386__)

static uint64_t x86_xcr0(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

struct cpu_features {
  uint32_t leaf1c, leaf1d, leaf7b, leaf7c, leaf7d, leaf71a, ext_c, ext_d;
  uint64_t xcr0;
};

// The registers of a leaf, in the order of the instruction's. On a virtual machine each
// use of the instruction takes some microseconds.
struct x86_leaf {
  unsigned a, b, c, d;
};

// All is 0 if LEAF is not among the first MOST.
static struct x86_leaf x86_leaf(unsigned leaf, unsigned part, unsigned most) {
  struct x86_leaf l = { 0 };
  if (leaf <= most)
    __cpuid_count(leaf, part, l.a, l.b, l.c, l.d);
  return l;
}

static struct cpu_features x86_features(unsigned most, unsigned most_extended,
                                        struct x86_leaf one) {
  struct x86_leaf seven = x86_leaf(7, 0, most), more = { 0 };
  struct x86_leaf extended = x86_leaf(0x80000001, 0, most_extended);
  if (seven.a >= 1)
    more = x86_leaf(7, 1, most);
  return (struct cpu_features){ .leaf1c = one.c,
                                .leaf1d = one.d,
                                .leaf7b = seven.b,
                                .leaf7c = seven.c,
                                .leaf7d = seven.d,
                                .leaf71a = more.a,
                                .ext_c = extended.c,
                                .ext_d = extended.d,
                                .xcr0 = one.c & bit_OSXSAVE ? x86_xcr0() : 0 };
}

static void x86_identity(struct machine *m, struct x86_leaf zero, struct x86_leaf one,
                         unsigned most_extended) {
  char vendor[13] = "", brand[49] = "";
  memcpy(vendor, &zero.b, 4);
  memcpy(vendor + 4, &zero.d, 4);
  memcpy(vendor + 8, &zero.c, 4);
  for (unsigned i = 0; i < 3; i++) {
    struct x86_leaf words = x86_leaf(0x80000002 + i, 0, most_extended);
    memcpy(brand + 16 * i, &words, sizeof words);
  }
  machine_squeeze(m->name, sizeof m->name, brand[0] ? brand : vendor);
  unsigned family = one.a >> 8 & 15, model = one.a >> 4 & 15;
  if (family == 6 || family == 15)
    model |= one.a >> 12 & 0xf0;
  if (family == 15)
    family += one.a >> 20 & 255;
  snprintf(m->cpu, sizeof m->cpu, "%s %.64s family %u model %u stepping %u", vendor,
           m->name, family, model, one.a & 15);
  m->numbers.line = (one.b >> 8 & 255) * 8;
}

static void cpu_identity(struct machine *m) {
  struct x86_leaf zero = x86_leaf(0, 0, 0), one = x86_leaf(1, 0, zero.a);
  unsigned most_extended = x86_leaf(0x80000000, 0, 0x80000000).a;
  struct cpu_features f = x86_features(zero.a, most_extended, one);
  bool avx = (f.leaf1c & bit_AVX) && (f.xcr0 & 6) == 6;
  bool avx2 = avx && (f.leaf7b & bit_AVX2) && (f.leaf1c & bit_FMA) &&
      (f.leaf7b & bit_BMI2);
  bool avx512 = avx2 && (f.leaf7b & bit_AVX512F) && (f.xcr0 & 0xe6) == 0xe6;
  bool v4 = avx512 && (f.leaf7b & bit_AVX512BW) && (f.leaf7b & bit_AVX512DQ) &&
      (f.leaf7b & bit_AVX512VL) && (f.leaf7b & bit_AVX512CD);
  bool v2 = f.leaf1c & bit_SSE4_2;
  x86_identity(m, zero, one, most_extended);
  m->numbers.vector = avx512 ? 64 : avx ? 32 : 16;
  // A register file is usable only if the OS saves it, so XCR0 is hashed too.
  snprintf(m->isa, sizeof m->isa, "x86-64%s %016llx",
           v4 ? "-v4"
               : avx2 ? "-v3"
               : v2   ? "-v2"
                      : "",
           (unsigned long long)XXH3_64bits(&f, sizeof f));
}

#else

// Reads the first processor's block of /proc/cpuinfo, without lines that differ between
// cores or boots.
static void cpu_identity(struct machine *m) {
  char text[4096] = "", *rest = text;
  int fd = sys_open("/proc/cpuinfo", O_RDONLY, 0);
  if (fd >= 0) {
    int n = sys_read_all(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
  }
  char *end = strstr(text, "\n\n");
  if (end)
    end[1] = '\0';
  XXH3_state_t *state = XXH3_createState();
  if (state)
    XXH3_64bits_reset(state);
  for (char *line; (line = strsep(&rest, "\n"));) {
    if (strncmp(line, "processor", 9) == 0 || strcasestr(line, "mhz") ||
        strcasestr(line, "bogo"))
      continue;
    if (state)
      XXH3_64bits_update(state, line, strlen(line));
    if (strncmp(line, "CPU ", 4) == 0 || strncmp(line, "model name", 10) == 0 ||
        strncmp(line, "uarch", 5) == 0) {
      machine_squeeze(m->cpu, sizeof m->cpu, line);
      machine_squeeze(m->cpu, sizeof m->cpu, " ");
    }
  }
  snprintf(m->isa, sizeof m->isa, "native %016llx",
           state ? (unsigned long long)XXH3_64bits_digest(state) : 0ull);
  XXH3_freeState(state);
  snprintf(m->name, sizeof m->name, "%s", m->cpu);
#if defined(__aarch64__)
  m->numbers.vector = 16;
#ifdef PR_SVE_GET_VL
  int sve = prctl(PR_SVE_GET_VL);
  if (sve > 0)
    m->numbers.vector = sve & PR_SVE_VL_LEN_MASK;
#endif
#endif
}

#endif

unsigned machine_threads(void) {
  long online = here.n_allowed > 0 ? here.n_allowed : sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

static void read_identity(void) {
  struct machine *m = &here.identity;
  cpu_identity(m);
  m->numbers.threads = machine_threads();
  if (m->numbers.line <= 0) {
    long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    m->numbers.line = line > 0 ? line : 0;
  }
}

const struct machine *machine_identity(void) {
  pthread_once(&here.identity_once, read_identity);
  return &here.identity;
}

// ---- caches and cores ---------------------------------------------------------------

static hwloc_topology_t load_topology(const char *synthetic) {
  hwloc_topology_t t;
  if (hwloc_topology_init(&t) != 0)
    return NULL;
  hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(t, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_cache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_flags(t,
                           HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                               HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                               HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
  // The x86 component would bind this thread to every core; /sys has the same facts.
  hwloc_topology_set_components(t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if ((synthetic && hwloc_topology_set_synthetic(t, synthetic) != 0) ||
      hwloc_topology_load(t) != 0) {
    hwloc_topology_destroy(t);
    return NULL;
  }
  return t;
}

// Reads the caches above PU; unified ones count as data caches.
static void read_caches(struct autotune_machine *m, hwloc_obj_t pu) {
  for (hwloc_obj_t o = pu; o; o = o->parent) {
    if (!hwloc_obj_type_is_dcache(o->type))
      continue;
    long long size = (long long)o->attr->cache.size;
    if (o->attr->cache.depth == 1)
      m->l1d = size;
    else if (o->attr->cache.depth == 2)
      m->l2 = size;
    else if (o->attr->cache.depth == 3)
      m->l3 = size;
    if (m->line <= 0)
      m->line = o->attr->cache.linesize;
  }
}

static void read_topology(struct autotune_machine *m, hwloc_topology_t t,
                          const unsigned char *mask) {
  bool first = true;
  long long cores = 0, threads = 0;
  int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU);
  hwloc_obj_t last_core = NULL;
  for (int i = 0; i < n; i++) {
    hwloc_obj_t pu = hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, (unsigned)i);
    unsigned cpu = pu->os_index;
    if (mask &&
        (cpu >= 8 * MASK_BYTES || !CPU_ISSET_S(cpu, MASK_BYTES, (const cpu_set_t *)mask)))
      continue;
    if (first)
      read_caches(m, pu);
    first = false;
    threads++;
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, pu);
    cores += !core || core != last_core; // in logical order siblings are adjacent
    last_core = core;
  }
  m->cores = cores;
  if (!mask)
    m->threads = threads;
}

int machine_read_synthetic(const char *description, struct autotune_machine *out) {
  hwloc_topology_t t = load_topology(description);
  if (!t)
    return -1;
  memset(out, 0, sizeof *out);
  read_topology(out, t, NULL);
  hwloc_topology_destroy(t);
  return 0;
}

static long long or_sysconf(long long value, int name) {
  long known = value > 0 ? 0 : sysconf(name);
  return value > 0 ? value : known > 0 ? known : 0;
}

static void read_machine(void) {
  here.machine = *machine_identity();
  struct autotune_machine *m = &here.machine.numbers;
  hwloc_topology_t t = load_topology(NULL);
  if (t) {
    read_topology(m, t, here.n_allowed > 0 ? here.allowed.bytes : NULL);
    hwloc_topology_destroy(t);
  }
  m->l1d = or_sysconf(m->l1d, _SC_LEVEL1_DCACHE_SIZE);
  m->l2 = or_sysconf(m->l2, _SC_LEVEL2_CACHE_SIZE);
  m->l3 = or_sysconf(m->l3, _SC_LEVEL3_CACHE_SIZE);
  if (m->cores <= 0 || m->cores > m->threads)
    m->cores = m->threads;
}

const char *machine_text(char *text, size_t size) {
  const struct autotune_machine *m = &machine_get()->numbers;
  snprintf(text, size, "l1d=%lld l2=%lld l3=%lld cores=%lld line=%lld vector=%lld",
           m->l1d, m->l2, m->l3, m->cores, m->line, m->vector);
  return text;
}

const struct machine *machine_get(void) {
  pthread_once(&here.machine_once, read_machine);
  return &here.machine;
}
