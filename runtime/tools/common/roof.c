// SPDX-License-Identifier: Apache-2.0
// roof.c: measures the machine's peak and bandwidths for the roofline (Williams,
// Waterman, Patterson 2009): the best of many short runs, each thread on its own data.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "roof.h"
#include "base/base.h"

enum { MOST_THREADS = 256, LEAST_ROUNDS = 3, FMA_TURNS = 1 << 19, SUMS = 12 };
static const double TASK_SECONDS = 0.15, MOST_SECONDS = 0.6; // of the rounds of one task
static const double MOST_BYTES = 1.5e9;                      // of all arrays

typedef double vector8 __attribute__((vector_size(64)));
typedef double vector4 __attribute__((vector_size(32)));
typedef double vector2 __attribute__((vector_size(16)));

// Twelve independent sums: enough for a latency of four on each of two or three units.
#define PEAK(name, vector, isa)                                                         \
  isa static double name(unsigned turns) {                                              \
    vector x = (vector){ 0 } + 0.999999, y = (vector){ 0 } + 1e-6, a = y, b = x,        \
           c = x + y, d = x - y, e = a + y, f = b + y, g = c + y, h = d + y, i = e + y, \
           j = f + y, k = g + y, l = h + y;                                             \
    for (; turns; turns--) {                                                            \
      a = a * x + y, b = b * x + y, c = c * x + y, d = d * x + y;                       \
      e = e * x + y, f = f * x + y, g = g * x + y, h = h * x + y;                       \
      i = i * x + y, j = j * x + y, k = k * x + y, l = l * x + y;                       \
      __asm__ volatile("" ::: "memory");                                                \
    }                                                                                   \
    vector s = a + b + c + d + e + f + g + h + i + j + k + l;                           \
    return s[0] + s[1];                                                                 \
  }

// a[i] = b[i] + s * c[i], and a sum of N doubles in eight independent parts. Which of
// them moves more bytes in a second differs: caches may load twice for each store, and a
// store to memory reads the line first. N is a multiple of UNIT.
enum { UNIT = 64 };
#define STREAMS(triad, sum, vector, isa)                                         \
  isa static void triad(double *a, const double *b, const double *c, size_t n) { \
    vector *restrict x = (vector *)(void *)a;                                    \
    const vector *y = (const vector *)(const void *)b,                           \
                 *z = (const vector *)(const void *)c, s = (vector){ 0 } + 0.5;  \
    for (size_t i = 0; i < n * sizeof *a / sizeof s; i += 4) {                   \
      x[i] = y[i] + s * z[i], x[i + 1] = y[i + 1] + s * z[i + 1];                \
      x[i + 2] = y[i + 2] + s * z[i + 2], x[i + 3] = y[i + 3] + s * z[i + 3];    \
    }                                                                            \
  }                                                                              \
  isa static double sum(const double *a, size_t n) {                             \
    const vector *x = (const vector *)(const void *)a;                           \
    vector p = (vector){ 0 }, q = p, r = p, s = p, t = p, u = p, v = p, w = p;   \
    for (size_t i = 0; i < n * sizeof *a / sizeof p; i += 8) {                   \
      p += x[i], q += x[i + 1], r += x[i + 2], s += x[i + 3];                    \
      t += x[i + 4], u += x[i + 5], v += x[i + 6], w += x[i + 7];                \
    }                                                                            \
    vector all = p + q + r + s + t + u + v + w;                                  \
    return all[0] + all[1];                                                      \
  }

// The code for one instruction set.
struct unit {
  unsigned lanes;
  double (*peak)(unsigned turns);
  void (*triad)(double *a, const double *b, const double *c, size_t n);
  double (*sum)(const double *a, size_t n);
};
#if defined(__x86_64__)
#define AVX512 __attribute__((target("avx512f")))
#define AVX2 __attribute__((target("avx2,fma")))
PEAK(peak_avx512, vector8, AVX512)
STREAMS(triad_avx512, sum_avx512, vector8, AVX512)
PEAK(peak_fma, vector4, AVX2)
STREAMS(triad_fma, sum_fma, vector4, AVX2)
#endif
PEAK(peak_plain, vector2, )
STREAMS(triad_plain, sum_plain, vector2, )

static struct unit roof_unit(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return (struct unit){ 8, peak_avx512, triad_avx512, sum_avx512 };
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return (struct unit){ 4, peak_fma, triad_fma, sum_fma };
#endif
  return (struct unit){ 2, peak_plain, triad_plain, sum_plain };
}

// ---- threads ------------------------------------------------------------------------

// The tasks: the peak; then for each level the triad and the sum.
enum { TASK_PEAK, TASK_STREAMS, TASKS = TASK_STREAMS + 2 * ROOF_LEVELS };
struct crew {
  pthread_mutex_t gate; // held until all threads have started, or one could not
  bool all_here;
  pthread_barrier_t barrier;
  struct unit unit;
  size_t n[ROOF_LEVELS]; // doubles in each of a thread's three arrays; 0: no such level
  size_t most;           // the largest of them
  unsigned passes[ROOF_LEVELS];
  bool goes_on[TASKS]; // false: the task has ended; written by member 0, read after the
                       // barrier
  double best[TASKS];  // seconds of the fastest round
  char *blocks[MOST_THREADS];
};
struct member {
  struct crew *crew;
  unsigned index;
  pthread_t thread;
  volatile double sum; // the result of a task; stored so that it is computed
};

enum { ALIGNMENT = 4096 };

static double *roof_array(const struct member *m) {
  uintptr_t at = (uintptr_t)m->crew->blocks[m->index];
  return (double *)(void *)(m->crew->blocks[m->index] + (-at & (ALIGNMENT - 1)));
}

static void run_task(struct member *m, int t) {
  struct crew *c = m->crew;
  enum roof_level level = (enum roof_level)((t - TASK_STREAMS) / 2);
  double *a = roof_array(m), sum = 0;
  if (t == TASK_PEAK) {
    m->sum = c->unit.peak(FMA_TURNS);
    return;
  }
  size_t n = c->n[level];
  for (unsigned p = 0; p < c->passes[level]; p++) {
    if ((t - TASK_STREAMS) % 2)
      sum += c->unit.sum(a, 3 * n);
    else
      c->unit.triad(a, a + n, a + 2 * n, n);
    __asm__ volatile("" : : "r"(a) : "memory");
  }
  m->sum = sum;
}

// Runs rounds of task T, all threads at the same time, until its time is over. On a busy
// machine more rounds make it likelier that one of them was not disturbed.
static void roof_rounds(struct member *m, int t) {
  struct crew *c = m->crew;
  double start = sys_now();
  for (unsigned round = 0;; round++) {
    double spent = sys_now() - start;
    if (m->index == 0)
      c->goes_on[t] = spent < (round < LEAST_ROUNDS ? MOST_SECONDS : TASK_SECONDS);
    pthread_barrier_wait(&c->barrier);
    if (!c->goes_on[t])
      return;
    double begin = sys_now();
    run_task(m, t);
    pthread_barrier_wait(&c->barrier);
    double seconds = sys_now() - begin;
    if (m->index == 0 && (round == 0 || seconds < c->best[t]))
      c->best[t] = seconds;
  }
}

static void *roof_work(void *data) {
  struct member *m = data;
  struct crew *c = m->crew;
  pthread_mutex_lock(&c->gate);
  pthread_mutex_unlock(&c->gate);
  if (!c->all_here)
    return NULL;
  for (size_t i = 0; i < 3 * c->most; i++)
    roof_array(m)[i] = 1;
  for (int t = 0; t < TASKS; t++)
    if (t < TASK_STREAMS || c->n[(t - TASK_STREAMS) / 2])
      roof_rounds(m, t);
  return NULL;
}

static size_t roof_whole(double bytes) {
  size_t n = (size_t)(bytes / 3 / sizeof(double));
  return n < UNIT ? UNIT : n / UNIT * UNIT;
}

// Chooses arrays that only the level holds: half of a cache, but no more of the L3 than
// eight times a thread's L2, as cores may have parts of it; and arrays that no cache
// holds, if there is memory for them.
static void choose_sizes(struct crew *c, unsigned threads) {
  const struct autotune_machine *m = &machine_get()->numbers;
  double l1 = m->l1d > 0 ? (double)m->l1d : 32 << 10,
         l2 = m->l2 > 0 ? (double)m->l2 : 256 << 10, l3 = m->l3 > 0 ? (double)m->l3 : 0,
         most = 0.25 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  double third = l3 / 2 / threads > 8 * l2 ? 8 * l2 : l3 / 2 / threads;
  double all = 2 * l3 < 64e6 ? 64e6 : 2 * l3;
  most = most > MOST_BYTES || most <= 0 ? MOST_BYTES : most;
  c->n[ROOF_L1] = roof_whole(l1 / 2);
  c->n[ROOF_L2] = roof_whole(l2 / 2);
  c->n[ROOF_L3] = third >= 2 * l2 ? roof_whole(third) : 0;
  c->n[ROOF_MEMORY] = roof_whole((all > most ? most : all) / threads);
  for (int i = 0; i < ROOF_LEVELS; i++) {
    c->most = c->n[i] > c->most ? c->n[i] : c->most;
    c->passes[i] = c->n[i] ? (unsigned)(5e5 / (double)c->n[i]) + 1 : 0;
  }
}

// Runs all tasks on N threads, this one included. False: a thread could not be started.
static bool run_all(struct crew *c, struct member *members, unsigned n) {
  unsigned started = 1;
  pthread_mutex_lock(&c->gate);
  while (started < n &&
         pthread_create(&members[started].thread, NULL, roof_work, &members[started]) ==
             0)
    started++;
  c->all_here = started == n;
  pthread_mutex_unlock(&c->gate);
  roof_work(&members[0]);
  for (unsigned i = 1; i < started; i++)
    pthread_join(members[i].thread, NULL);
  return c->all_here;
}

// Computes the rates from the times of C. Data in a nearer cache move no more slowly.
static void roof_rates(const struct crew *c, unsigned threads, struct roof *out) {
  double beyond = 0;
  out->flops = 2.0 * SUMS * FMA_TURNS * c->unit.lanes * threads / c->best[TASK_PEAK];
  for (int i = ROOF_LEVELS - 1; i >= 0; i--) {
    const double *best = &c->best[TASK_STREAMS + 2 * i];
    double bytes = 3.0 * sizeof(double) * (double)c->n[i] * c->passes[i] * threads;
    if (c->n[i]) {
      double rate = bytes / (best[0] < best[1] ? best[0] : best[1]);
      beyond = rate > beyond ? rate : beyond;
    }
    out->bytes[i] = c->n[i] ? beyond : 0;
  }
}

bool roof_measure(unsigned threads, struct roof *out) {
  struct crew crew = { .gate = PTHREAD_MUTEX_INITIALIZER, .unit = roof_unit() };
  struct member members[MOST_THREADS];
  if (threads == 0 || threads > MOST_THREADS ||
      pthread_barrier_init(&crew.barrier, NULL, threads) != 0)
    return false;
  choose_sizes(&crew, threads);
  size_t bytes = 3 * crew.most * sizeof(double);
  bool good = true;
  for (unsigned i = 0; i < threads && good; i++) {
    members[i] = (struct member){ .crew = &crew, .index = i };
    crew.blocks[i] = sys_malloc(bytes + ALIGNMENT);
    good = crew.blocks[i] != NULL;
    if (good) // with fewer, larger pages the rates are higher, as kernels may have them
      madvise(roof_array(&members[i]), bytes / ALIGNMENT * ALIGNMENT, MADV_HUGEPAGE);
  }
  good = good && run_all(&crew, members, threads);
  if (good)
    roof_rates(&crew, threads, out);
  for (unsigned i = 0; i < threads; i++)
    free(crew.blocks[i]);
  pthread_barrier_destroy(&crew.barrier);
  return good;
}
