/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c: compiles ahead on threads of low priority, so that the variant being timed has
 * the machine. A compilation cannot be stopped: one that takes too long is reported as
 * failed, its thread is abandoned, and another thread replaces it. If there is no thread,
 * pool_take compiles in the calling thread. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "compile.h"
#include "base/base.h"
#include "model/constants.h"
#include "model/variant.h"

#define COMPILE_LIMIT 30.0 /* seconds until a compilation is given up */
#define FREE_LIMIT 5.0     /* seconds that pool_free waits */
enum { NICE = 10, STACK = 64 << 20, MAX_LOST = 4 /* threads left to themselves */ };

struct job {
  struct job *next;
  struct compiled result;
  uint64_t mark;
  double begun;               /* sys_now, while it runs */
  bool lost;                  /* abandoned: its result is not used */
  bool strict;                /* with the flags of strict builds */
  const char *body;           /* in the place of the kernel's; NULL: the kernel's */
  char defines[POOL_DEFINES]; /* before the text */
};
struct queue {
  struct job *first, **last;
};

struct pool {
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  const struct autotune_kernel *kernel;
  char *constants; /* pool_constants; NULL: none */
  struct queue queued, ended;
  struct job *running;     /* jobs whose results are still used */
  _Atomic uint64_t *marks; /* pool_watch */
  unsigned n_marks;
  unsigned threads; /* threads that take jobs */
  unsigned alive;   /* existing threads, abandoned ones too */
  unsigned lost, pending;
  bool paused, stop, freed; /* freed: the last thread frees the pool */
};

static void pool_push(struct queue *q, struct job *j) {
  j->next = NULL;
  *q->last = j;
  q->last = &j->next;
}

static struct job *pool_pop(struct queue *q) {
  struct job *j = q->first;
  if (j && !(q->first = j->next))
    q->last = &q->first;
  return j;
}

static void job_free(struct job *j) {
  object_free(&j->result.object);
  free(j->result.point);
  free(j);
}

/* ---- one compilation ------------------------------------------------------------- */

/* Returns the word that now holds MARK, or NULL. */
static _Atomic uint64_t *set_mark(struct pool *p, uint64_t mark) {
  for (unsigned i = 0; i < p->n_marks; i++) {
    uint64_t none = 0;
    if (atomic_compare_exchange_strong(&p->marks[i], &none, mark))
      return &p->marks[i];
  }
  return NULL;
}

/* Returns the text of J after CONSTANTS and its defines; malloc'ed, or NULL. */
static char *pool_text(const struct pool *p, const struct job *j, const char *constants) {
  const char *defines = j->defines;
  char *text = variant_text_with(p->kernel, j->result.point, j->body);
  if (!text || (!*constants && !*defines))
    return text;
  char *all = sys_printf("%s%s%s", constants, defines, text);
  free(text);
  return all;
}

static void pool_compile_with(const struct pool *p, struct job *j,
                              const char *constants) {
  const struct autotune_kernel *k = p->kernel;
  struct compiled *c = &j->result;
  const char *compiler = variant_compiler(k, c->point);
  const struct backend *backend = backend_find(compiler);
  char *text = pool_text(p, j, constants);
  char **flags = j->strict ? variant_strict_flags(k, c->point)
                           : variant_flags(k, c->point);
  c->status = -1;
  if (!backend)
    c->object.message = sys_printf("error: nothing compiles for '%s'", compiler);
  else if (!text || !flags)
    c->object.message = sys_printf(variant_unit(k, c->point) ? "out of memory"
                                                             : "error: no unit for '%s'",
                                   compiler);
  else
    c->status = backend->compile(compiler, text, (const char *const *)flags, &c->object);
  free(text);
  free(flags);
}

/* A kernel may change an argument by ways that the translator does not see. So one that
 * is not accepted with constants is compiled without them. */
static void pool_compile(const struct pool *p, struct job *j) {
  struct compiled *c = &j->result;
  bool constants = p->constants && c->point && !j->body && !j->strict;
  pool_compile_with(p, j, constants ? p->constants : "");
  if (!constants || c->status == 0)
    return;
  double seconds = c->object.seconds;
  object_free(&c->object);
  pool_compile_with(p, j, "");
  c->object.seconds += seconds;
  c->object.plain = true;
}

static void compile_marked(struct pool *p, struct job *j) {
  _Atomic uint64_t *mark = set_mark(p, j->mark);
  pool_compile(p, j);
  if (mark)
    atomic_store(mark, 0);
}

/* ---- threads --------------------------------------------------------------------- */

/* Blocks the program's handlers in the new thread, but not signals of crashes, which
 * Clang's handler must get. */
static void block_signals(sigset_t *before) {
  static const int synchronous[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP };
  sigset_t set;
  sigfillset(&set);
  for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
    sigdelset(&set, synchronous[i]);
  pthread_sigmask(SIG_SETMASK, &set, before);
}

static void lower_priority(void) {
  struct sched_param none = { 0 };
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
  setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE); /* Linux: of the thread */
}

static void pool_destroy(struct pool *p) {
  for (struct job *j; (j = pool_pop(&p->queued)) || (j = pool_pop(&p->ended));)
    job_free(j);
  pthread_cond_destroy(&p->work);
  pthread_cond_destroy(&p->done);
  pthread_mutex_destroy(&p->lock);
  free(p->constants);
  free(p);
}

static void unlink_running(struct pool *p, const struct job *j) {
  for (struct job **at = &p->running; *at; at = &(*at)->next)
    if (*at == j) {
      *at = j->next;
      return;
    }
}

/* Runs the job outside the lock. False: the job and this thread were abandoned. */
static bool pool_run(struct pool *p, struct job *j) {
  j->begun = sys_now();
  j->next = p->running;
  p->running = j;
  pthread_mutex_unlock(&p->lock);
  compile_marked(p, j);
  pthread_mutex_lock(&p->lock);
  if (j->lost) {
    job_free(j);
    return false;
  }
  unlink_running(p, j);
  pool_push(&p->ended, j);
  pthread_cond_broadcast(&p->done);
  return true;
}

static void *pool_thread(void *data) {
  struct pool *p = data;
  lower_priority();
  pthread_mutex_lock(&p->lock);
  bool wanted = true;
  while (wanted && !p->stop) {
    struct job *j = p->paused ? NULL : pool_pop(&p->queued);
    if (j)
      wanted = pool_run(p, j);
    else
      pthread_cond_wait(&p->work, &p->lock);
  }
  if (wanted)
    p->threads--; /* otherwise the thread was abandoned and no longer counts */
  bool last = --p->alive == 0 && p->freed;
  pthread_cond_broadcast(&p->done);
  pthread_mutex_unlock(&p->lock);
  if (last)
    pool_destroy(p);
  return NULL;
}

/* Requires the lock, or that no thread exists yet. Threads are detached, because one may
 * be abandoned. */
static bool add_thread(struct pool *p) {
  pthread_attr_t attributes;
  sigset_t before;
  pthread_t id;
  if (sys_fails(SYS_THREAD) || pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, STACK); /* Clang recurses deeply */
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  block_signals(&before);
  bool made = pthread_create(&id, &attributes, pool_thread, p) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (made) {
    p->threads++;
    p->alive++;
  }
  return made;
}

/* Copies POINT, which may be NULL, to *OUT. False: no memory. */
static bool pool_copy(const struct pool *p, const choice *point, choice **out) {
  size_t n = p->kernel->n_params * sizeof *point;
  *out = point ? sys_malloc(n) : NULL;
  if (*out)
    memcpy(*out, point, n);
  return *out || !point;
}

/* Reports jobs that have run too long, and replaces their threads. */
static void give_up_overdue(struct pool *p) {
  for (struct job *j = p->running, *next; j; j = next) {
    next = j->next;
    struct job *failed;
    if (sys_now() - j->begun < COMPILE_LIMIT || !(failed = sys_calloc(1, sizeof *failed)))
      continue;
    failed->result = (struct compiled){ NULL, j->result.ticket, { 0 }, -1 };
    if (!pool_copy(p, j->result.point, &failed->result.point)) {
      free(failed);
      continue;
    }
    failed->result.object.message =
        sys_printf("error: compiling took more than %.0f s", COMPILE_LIMIT);
    failed->result.object.seconds = sys_now() - j->begun;
    unlink_running(p, j);
    j->lost = true;
    pool_push(&p->ended, failed);
    p->threads--;
    if (p->lost++ < MAX_LOST)
      add_thread(p);
  }
}

/* ---- interface ------------------------------------------------------------------- */

struct pool *pool_new(const struct autotune_kernel *k, unsigned threads) {
  struct pool *p = sys_calloc(1, sizeof *p);
  if (!p)
    return NULL;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->work, NULL);
  pthread_cond_init(&p->done, &attributes);
  pthread_condattr_destroy(&attributes);
  p->kernel = k;
  p->queued.last = &p->queued.first;
  p->ended.last = &p->ended.first;
  pthread_mutex_lock(&p->lock);
  for (unsigned i = 0; i < threads && add_thread(p); i++)
    ;
  pthread_mutex_unlock(&p->lock);
  return p;
}

void pool_watch(struct pool *p, _Atomic uint64_t *marks, unsigned n) {
  pthread_mutex_lock(&p->lock);
  p->marks = marks;
  p->n_marks = marks ? n : 0;
  pthread_mutex_unlock(&p->lock);
}

void pool_constants(struct pool *p, const long long *key, uint64_t parts) {
  p->constants = constants_lines(p->kernel, key, parts);
}

static int pool_queue(struct pool *p, const choice *point, const char *body,
                      uint64_t ticket, uint64_t mark, bool strict, const char *defines) {
  struct job *j = sys_calloc(1, sizeof *j);
  if (!j || !pool_copy(p, point, &j->result.point)) {
    free(j);
    return -1;
  }
  j->result.ticket = ticket;
  j->mark = mark;
  j->strict = strict;
  j->body = body;
  snprintf(j->defines, sizeof j->defines, "%s", defines);
  pthread_mutex_lock(&p->lock);
  pool_push(&p->queued, j);
  p->pending++;
  pthread_cond_signal(&p->work);
  pthread_mutex_unlock(&p->lock);
  return 0;
}

int pool_submit(struct pool *p, const choice *point, uint64_t ticket, uint64_t mark) {
  return pool_queue(p, point, NULL, ticket, mark, false, "");
}

int pool_submit_body(struct pool *p, const choice *point, const char *body, bool strict,
                     uint64_t ticket, uint64_t mark) {
  return pool_queue(p, point, body, ticket, mark, strict, "");
}

int pool_submit_defines(struct pool *p, const choice *point, uint64_t ticket,
                        uint64_t mark, const char *defines) {
  return pool_queue(p, point, NULL, ticket, mark, false, defines);
}

static void wait_until(struct pool *p, double deadline) {
  struct timespec t = { (time_t)deadline,
                        (long)((deadline - (double)(time_t)deadline) * 1e9) };
  pthread_cond_timedwait(&p->done, &p->lock, &t);
}

static double pool_real_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Compiles in the calling thread, because there is no other. If the threads were
 * abandoned, reports failure instead: the caller could hang as they do. */
static void run_here(struct pool *p, struct job *j) {
  if (p->lost > 0) {
    j->result.status = -1;
    j->result.object.message =
        sys_strdup("error: not compiled, because others take too long");
    return;
  }
  pthread_mutex_unlock(&p->lock);
  compile_marked(p, j);
  pthread_mutex_lock(&p->lock);
}

bool pool_take(struct pool *p, struct compiled *out, double seconds) {
  double deadline = pool_real_now() + (seconds > 0 ? seconds : 0);
  pthread_mutex_lock(&p->lock);
  struct job *j;
  for (;;) {
    give_up_overdue(p);
    j = pool_pop(&p->ended);
    if (!j && p->threads == 0 && !p->paused && (j = pool_pop(&p->queued)))
      run_here(p, j);
    double now = pool_real_now();
    if (j || p->pending == 0 || now >= deadline)
      break;
    wait_until(p,
               deadline < now + 0.5 ? deadline
                                    : now + 0.5); /* then look for overdue jobs again */
  }
  if (j)
    p->pending--;
  pthread_mutex_unlock(&p->lock);
  if (!j)
    return false;
  *out = j->result;
  free(j);
  return true;
}

unsigned pool_pending(struct pool *p) {
  pthread_mutex_lock(&p->lock);
  unsigned n = p->pending;
  pthread_mutex_unlock(&p->lock);
  return n;
}

void pool_pause(struct pool *p, bool paused) {
  pthread_mutex_lock(&p->lock);
  p->paused = paused;
  pthread_cond_broadcast(&p->work);
  pthread_mutex_unlock(&p->lock);
}

void pool_free(struct pool *p) {
  if (!p)
    return;
  double deadline = pool_real_now() + FREE_LIMIT;
  pthread_mutex_lock(&p->lock);
  p->stop = true;
  for (struct job *j; (j = pool_pop(&p->queued));)
    job_free(j);
  pthread_cond_broadcast(&p->work);
  while (p->threads > 0 && pool_real_now() < deadline)
    wait_until(p, deadline);
  bool last = p->alive == 0;
  p->freed = true;
  pthread_mutex_unlock(&p->lock);
  if (last)
    pool_destroy(p);
}
