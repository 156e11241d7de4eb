// SPDX-License-Identifier: Apache-2.0
// roof.c: measures the machine's peak and bandwidths for the roofline (Williams,
// Waterman, Patterson 2009): the best of a few short runs, each thread on its own data.
#include <pthread.h>
#include <stdlib.h>

#include "roof.h"
#include "base/base.h"

enum { MOST_THREADS = 256, ROUNDS = 12, FMA_TURNS = 1 << 20, SUMS = 12 };

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

#if defined(__x86_64__)
PEAK(peak_avx512, vector8, __attribute__((target("avx512f"))))
PEAK(peak_fma, vector4, __attribute__((target("avx2,fma"))))
#endif
PEAK(peak_plain, vector2, )

static double roof_peak(unsigned turns, unsigned *lanes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return *lanes = 8, peak_avx512(turns);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return *lanes = 4, peak_fma(turns);
#endif
  return *lanes = 2, peak_plain(turns);
}

static double roof_triad(double *restrict a, const double *restrict b,
                         const double *restrict c, size_t n, unsigned passes) {
  for (unsigned p = 0; p < passes; p++) {
    for (size_t i = 0; i < n; i++)
      a[i] = b[i] + 0.5 * c[i];
    __asm__ volatile("" : : "r"(a) : "memory");
  }
  return a[n / 2];
}

// ---- threads ------------------------------------------------------------------------

enum task { TASK_PEAK, TASK_MEMORY, TASK_CACHE, TASKS };
struct crew {
  pthread_mutex_t gate; // held until all threads have started, or one could not
  bool all_here;
  pthread_barrier_t barrier;
  size_t n[TASKS]; // doubles in each of a thread's three arrays
  unsigned passes[TASKS];
  double best[TASKS]; // seconds of the fastest round
  unsigned lanes;
  double *blocks[MOST_THREADS];
};
struct member {
  struct crew *crew;
  unsigned index;
  pthread_t thread;
  volatile double sum; // the result of a task; stored so that it is computed
};

static void run_task(struct member *m, enum task t) {
  struct crew *c = m->crew;
  double *a = c->blocks[m->index];
  unsigned lanes = 2;
  if (t == TASK_PEAK)
    m->sum = roof_peak(FMA_TURNS, &lanes);
  else
    m->sum = roof_triad(a, a + c->n[TASK_MEMORY], a + 2 * c->n[TASK_MEMORY], c->n[t],
                        c->passes[t]);
  if (t == TASK_PEAK && m->index == 0)
    c->lanes = lanes;
}

static void *roof_work(void *data) {
  struct member *m = data;
  struct crew *c = m->crew;
  pthread_mutex_lock(&c->gate);
  pthread_mutex_unlock(&c->gate);
  if (!c->all_here)
    return NULL;
  for (size_t i = 0; i < 3 * c->n[TASK_MEMORY]; i++)
    c->blocks[m->index][i] = 1;
  for (int t = 0; t < TASKS; t++)
    for (int round = 0; round < ROUNDS; round++) {
      pthread_barrier_wait(&c->barrier);
      double begin = sys_now();
      run_task(m, t);
      pthread_barrier_wait(&c->barrier);
      double seconds = sys_now() - begin;
      if (m->index == 0 && (round == 0 || seconds < c->best[t]))
        c->best[t] = seconds;
    }
  return NULL;
}

// Chooses arrays that no cache holds, and arrays that fit half of a thread's L2.
static void choose_sizes(struct crew *c, unsigned threads) {
  const struct autotune_machine *m = &machine_get()->numbers;
  double l2 = m->l2 > 0 ? (double)m->l2 : 256 << 10, l3 = m->l3 > 0 ? (double)m->l3 : 0;
  double all = 4 * l3 < 64e6 ? 64e6 : 4 * l3 > 400e6 ? 400e6 : 4 * l3;
  c->n[TASK_MEMORY] = (size_t)(all / threads / 3 / sizeof(double));
  c->n[TASK_CACHE] = (size_t)(l2 / 2 / 3 / sizeof(double));
  if (c->n[TASK_CACHE] > c->n[TASK_MEMORY])
    c->n[TASK_CACHE] = c->n[TASK_MEMORY];
  c->passes[TASK_MEMORY] = 1;
  c->passes[TASK_CACHE] = (unsigned)(2e6 / (double)c->n[TASK_CACHE]) + 1;
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

bool roof_measure(unsigned threads, struct roof *out) {
  struct crew crew = { .gate = PTHREAD_MUTEX_INITIALIZER, .lanes = 2 };
  struct member members[MOST_THREADS];
  if (threads == 0 || threads > MOST_THREADS ||
      pthread_barrier_init(&crew.barrier, NULL, threads) != 0)
    return false;
  choose_sizes(&crew, threads);
  bool good = true;
  for (unsigned i = 0; i < threads && good; i++) {
    members[i] = (struct member){ .crew = &crew, .index = i };
    crew.blocks[i] = sys_malloc(3 * crew.n[TASK_MEMORY] * sizeof(double));
    good = crew.blocks[i] != NULL;
  }
  good = good && run_all(&crew, members, threads);
  if (good) {
    double bytes = 3.0 * sizeof(double) * threads;
    out->flops = 2.0 * SUMS * FMA_TURNS * crew.lanes * threads / crew.best[TASK_PEAK];
    out->memory = bytes * (double)crew.n[TASK_MEMORY] / crew.best[TASK_MEMORY];
    out->cache = bytes * (double)crew.n[TASK_CACHE] * crew.passes[TASK_CACHE] /
        crew.best[TASK_CACHE];
  }
  for (unsigned i = 0; i < threads; i++)
    free(crew.blocks[i]);
  pthread_barrier_destroy(&crew.barrier);
  return good;
}
