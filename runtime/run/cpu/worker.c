// SPDX-License-Identifier: Apache-2.0
// worker.c: the tuner's side of workers. A trial is a message to the worker and an answer
// from it. If no answer comes, the zygote says how the worker ended. A worker lives until
// a variant fails in it. If it is not known what the kernel writes, it lives until the
// next variant.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/role.h"
#include "base/shortage.h"
#include "run/measure.h"
#include "sandbox.h"

// Seconds that a process which only does our work may take before it counts as hanging.
enum { START_GRACE = 60, GRACE = 10 };
static const double slowest_slowdown =
    4; // more than that is no moment, and nothing is corrected by more

struct worker_pool {
  const struct autotune_kernel *kernel;
  struct zygote zygote;    // as the zygote sees it; here for its board
  pid_t pid;               // of the zygote; 0: gone
  struct channel orders;   // to the zygote
  struct channel commands; // to the worker; watches for notices of the zygote
  bool alive;              // there is a worker
  uint64_t serial;         // of the last order or command
  uint64_t last;           // ticket of the last trial
  double flops, bytes, touched, cold;
  bool verified;
  uint64_t *watched; // tickets of variants that were looked at in workers of their own
  size_t n_watched;
  bool grew;                // as in the last answer
  bool needs_workers;       // one for each variant: nothing can be put back
  unsigned sets;            // a bit for each set of made-up data that may be used
  struct coverage coverage; // what variants are compared in
  char why[256];            // the zygote's last complaint
};

// ---- the zygote ---------------------------------------------------------------------

static void end_zygote(struct worker_pool *w) {
  bool dies = w->pid > 0 && kill(w->pid, SIGKILL) == 0; // its worker goes with it
  while (dies && waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
    ; // else, where nobody may be killed, it goes with this process
  w->pid = 0;
  w->alive = false;
}

// Receives a notice of the zygote. False: the zygote is gone, or it was silent and has
// been killed.
static bool take_notice(struct worker_pool *w, struct message *m, struct notice *n,
                        double seconds) {
  if (channel_receive(&w->orders, m, n, sizeof *n, seconds) != CHANNEL_MESSAGE) {
    end_zygote(w);
    return false;
  }
  if (m->kind == NOTICE_FAILED)
    snprintf(w->why, sizeof w->why, "%s", n->message);
  return true;
}

// Makes the zygote carry out ORDER within SECONDS. False: it failed.
static bool worker_order(struct worker_pool *w, enum zygote_message order,
                         double seconds) {
  const struct message question = { .kind = order, .serial = ++w->serial, .fd = -1 };
  struct message m;
  struct notice n;
  struct channel c = w->orders;
  if (order == ORDER_KILL) // must be done even when this process is to stop
    c.stop = NULL;
  if (w->pid <= 0 ||
      channel_ask(&c, &question, &m, &n, sizeof n, seconds) != CHANNEL_MESSAGE) {
    end_zygote(w);
    return false;
  }
  if (m.kind == NOTICE_FAILED)
    snprintf(w->why, sizeof w->why, "%s", n.message);
  if (m.kind == NOTICE_SEALED) {
    w->needs_workers = n.needs_workers;
    w->verified |= n.unnamed;
    w->coverage.watched = n.watched;
    w->coverage.looked = n.looked;
    w->coverage.restless = n.restless;
    if (!n.heap)
      w->coverage.left_out = kernel_has_sections(w->kernel)
          ? "the heap besides sections, because of OpenMP"
          : "the heap, because of OpenMP";
    memcpy(w->coverage.bytes, n.section_bytes, sizeof n.section_bytes);
  }
  return m.kind != NOTICE_FAILED;
}

void worker_end(struct worker_pool *w) {
  if (w->alive)
    worker_order(w, ORDER_KILL, GRACE);
  w->alive = false;
}

static bool ensure_worker(struct worker_pool *w, uint64_t ticket) {
  struct notice n;
  struct message m;
  while (w->pid > 0 && channel_ready(&w->orders, 0) && take_notice(w, &m, &n, 0))
    if (m.kind == NOTICE_DIED) // between two trials
      w->alive = false;
  if (w->alive && (!kernel_has_sections(w->kernel) || w->needs_workers) &&
      ticket != w->last)
    worker_end(w);
  if (!w->alive)
    w->alive = worker_order(w, ORDER_SPAWN, START_GRACE);
  return w->alive;
}

// The zygote's side of the fork.
static void become_zygote(struct worker_pool *w, int tuner_orders, int tuner_commands,
                          pid_t parent) {
  close(tuner_orders);
  close(tuner_commands);
  zygote_main(&w->zygote, parent);
}

static bool cpu_worker_start(struct worker_pool *w) {
  int orders[2] = { -1, -1 }, commands[2] = { -1, -1 };
  pid_t self = getpid();
  w->zygote.board = sys_mmap(sizeof *w->zygote.board, true);
  if (!w->zygote.board || channel_pair(orders) != 0)
    return false;
  w->orders.socket = orders[0];
  if (channel_pair(commands) != 0) {
    close(orders[1]);
    return false;
  }
  w->commands.socket = commands[0];
  w->commands.watch = orders[0];
  w->zygote.orders.socket = orders[1];
  w->zygote.commands.socket = commands[1];
  w->pid = sys_fork();
  if (w->pid == 0)
    become_zygote(w, orders[0], commands[0], self);
  close(orders[1]);
  close(commands[1]);
  return w->pid > 0;
}

struct worker_pool *worker_start_wished(const struct autotune_kernel *k,
                                        void *const *args, const struct jit_api *jit,
                                        const struct executor_wish *wish,
                                        char **message) {
  struct worker_pool *w = sys_calloc(1, sizeof *w);
  struct notice n;
  struct message m = { .kind = NOTICE_FAILED };
  if (!w)
    return NULL;
  w->kernel = k;
  w->orders = (struct channel){ -1, -1, &zygote_protocol, role_stopping };
  w->commands = (struct channel){ -1, -1, &worker_protocol, role_stopping };
  w->zygote = (struct zygote){
    .kernel = k, .args = args, .jit = jit, .team = wish->team, .nests = wish->nests
  };
  w->coverage = (struct coverage){
    .kernel = k,
    .rest = kernel_has_sections(k) ? "memory besides sections"
                                   : "all memory that the default changes",
    .state = true,
  };
  w->zygote.image.loaded = wish->loaded;
  bool begun = cpu_worker_start(w);
  if (!begun)
    snprintf(w->why, sizeof w->why, "no process can be started: %s", strerror(errno));
  else if (!take_notice(w, &m, &n, START_GRACE))
    snprintf(w->why, sizeof w->why, "the sections of the call cannot be read");
  if (begun && m.kind == NOTICE_READY) {
    w->flops = n.flops;
    w->bytes = n.bytes;
    w->touched = n.touched;
    w->cold = n.cold;
    w->verified = n.verified;
    return w;
  }
  *message = sys_strdup(w->why);
  worker_stop(w);
  return NULL;
}

struct worker_pool *worker_start(const struct autotune_kernel *k, void *const *args,
                                 const struct jit_api *jit, char **message) {
  const struct executor_wish wish = { .loaded = NULL };
  return worker_start_wished(k, args, jit, &wish, message);
}

void worker_call(const struct worker_pool *w, double *flops, double *bytes,
                 bool *verified) {
  *flops = w->flops;
  *bytes = w->bytes;
  *verified = w->verified;
}

const struct autotune_kernel *worker_kernel(const struct worker_pool *w) {
  return w->kernel;
}

unsigned *worker_sets(struct worker_pool *w) {
  return &w->sets;
}

double worker_touched(const struct worker_pool *w) {
  return w->touched;
}

double worker_cold(const struct worker_pool *w) {
  return w->cold;
}

void worker_covered(const struct worker_pool *w, char *text, size_t size) {
  covered_text(&w->coverage, text, size);
}

double worker_cost(const struct worker_pool *w) {
  const struct board *board = w->zygote.board;
  return atomic_load(&board->running) + atomic_load(&board->buried);
}

void worker_stop(struct worker_pool *w) {
  if (!w)
    return;
  worker_end(w);
  end_zygote(w);
  if (w->orders.socket >= 0)
    close(w->orders.socket);
  if (w->commands.socket >= 0)
    close(w->commands.socket);
  if (w->zygote.board)
    munmap(w->zygote.board, sizeof *w->zygote.board);
  free(w->watched);
  free(w);
}

// ---- trials -------------------------------------------------------------------------

// Says in OUT how the worker ended.
static void worker_judge(const struct notice *n, const struct trial_plan *plan,
                         struct trial *out) {
  if (n->timed_out) {
    out->status = STATUS_TIMEOUT;
    snprintf(out->message, sizeof out->message, "no end after %.3g s", plan->limit);
  } else if (WIFSIGNALED(n->status)) {
    const char *name = sigabbrev_np(WTERMSIG(n->status));
    char text[128] = "";
    out->status = STATUS_CRASH;
    snprintf(out->message, sizeof out->message, "SIG%s%s", name ? name : "?",
             WTERMSIG(n->status) != SIGKILL          ? ""
                 : *shortage_text(text, sizeof text) ? text
                                                     : " (out of memory?)");
  } else {
    out->status = STATUS_EXIT;
    snprintf(out->message, sizeof out->message, "it called exit(%d)",
             WEXITSTATUS(n->status));
  }
}

// Copies the answer of the worker. A variant may have damaged the worker: trust no
// number.
static int worker_copy_answer(const struct answer *a, struct trial *out) {
  unsigned n = a->n_samples <= MAX_SAMPLES ? a->n_samples : 0;
  out->status = (unsigned)a->status < STATUS_PENDING ? a->status : STATUS_CRASH;
  snprintf(out->message, sizeof out->message, "%.255s", a->message);
  snprintf(out->note, sizeof out->note, "%.159s", a->note);
  snprintf(out->unnamed, sizeof out->unnamed, "%.127s", a->unnamed);
  snprintf(out->deviation, sizeof out->deviation, "%.127s", a->deviation);
  out->deviation_part = a->deviation_part;
  snprintf(out->weak, sizeof out->weak, "%.159s", a->weak);
  out->unwatched = a->unwatched;
  out->verify_seconds = a->verify_seconds;
  out->time_seconds = a->time_seconds;
  out->load_seconds = a->load_seconds;
  out->slowdown = a->slowdown > slowest_slowdown ? slowest_slowdown
      : a->slowdown >= 1 / slowest_slowdown      ? a->slowdown
                                                 : 1;
  return measure_take(out, a->samples, n, a->run_seconds);
}

// True if the answer to the last command has come; it is in A.
static bool take_answer(struct worker_pool *w, struct answer *a) {
  struct message m;
  while (channel_receive(&w->commands, &m, a, sizeof *a, 0) == CHANNEL_MESSAGE)
    if (m.serial == w->serial)
      return true;
  return false;
}

// True if the worker has died; N says how.
static bool worker_died(struct worker_pool *w, struct notice *n) {
  struct message m;
  if (!channel_ready(&w->orders, 0) || !take_notice(w, &m, n, 0) || m.kind != NOTICE_DIED)
    return false;
  w->alive = false;
  return true;
}

// Waits for the answer or for the worker's end. 0; -1: the zygote is lost, or we are to
// stop. *ANSWERED: A is the answer.
static int worker_await_answer(struct worker_pool *w, const struct trial_plan *plan,
                               struct answer *a, bool *answered, struct trial *out) {
  // Each run has its limit, and the zygote sees to it; this is for the case that it
  // cannot.
  double end = sys_now() + plan->budget + 4 * plan->limit + START_GRACE;
  struct message m;
  struct notice n;
  while (!role_stopping() && w->pid > 0) {
    double left = end - sys_now();
    enum channel_result e =
        left > 0 ? channel_receive(&w->commands, &m, a, sizeof *a, left) : CHANNEL_SILENT;
    if (e == CHANNEL_SILENT || e == CHANNEL_STOPPED)
      break;
    *answered = e == CHANNEL_MESSAGE && m.serial == w->serial;
    if (*answered)
      return worker_copy_answer(a, out);
    if (e == CHANNEL_MESSAGE || !worker_died(w, &n))
      continue; // an old answer, or what a damaged worker has sent
    if ((*answered = take_answer(w, a))) // it answered and died then
      return worker_copy_answer(a, out);
    worker_judge(&n, plan, out);
    return 0;
  }
  if (w->pid > 0)
    out->status = role_stopping() ? STATUS_PENDING : STATUS_TIMEOUT;
  end_zygote(w);
  return -1;
}

// Notes that not all was compared after the variant of OUT: nothing besides sections if
// UNSEEN, else not the heap. A winner that the program has loaded is judged by its
// caller.
static void worker_compared_partly(struct worker_pool *w, bool unseen,
                                   struct trial *out) {
  bool sections = kernel_has_sections(w->kernel);
  w->coverage.left_out = !unseen ? "the heap, of variants that may allocate"
      : sections                 ? "memory besides sections, of some variants"
                                 : "what some variants change and the default does not";
  if (sections || w->zygote.image.loaded || !kernel_refuses_unchecked(w->kernel)) {
    w->verified &= sections;
    return;
  }
  out->status = STATUS_WRONG;
  snprintf(out->message, sizeof out->message, "%s, and --auto runs no variant unchecked",
           unseen ? "what it changes could not be looked for"
                  : "it calls functions that may allocate, so the heap cannot be "
                    "compared");
}

int worker_trial(struct worker_pool *w, const struct command *what, const void *object,
                 struct trial *out) {
  const struct command c = *what;
  const uint64_t ticket = c.ticket;
  struct answer *a = sys_calloc(1, sizeof *a); // a worker may die without one
  int fd = -1, rc = -1;
  *out = (struct trial){ .status = STATUS_PENDING };
  bool answered = false, ready = a && ensure_worker(w, ticket);
  if (ready && ticket != 0 && object)
    ready = (fd = channel_file("autotune-object", object, c.object_size)) >= 0;
  if (ready) {
    const struct message m = { WORKER_COMMAND, ++w->serial, &c, sizeof c, fd };
    w->last = ticket;
    if (channel_send(&w->commands, &m, true))
      rc = worker_await_answer(w, &c.plan, a, &answered, out);
    if (answered && out->status == STATUS_OK && (a->partly || a->unseen))
      worker_compared_partly(w, a->unseen, out);
    if (c.reference && !c.repeat && !c.wish.set)
      w->sets = answered ? a->sets : 0;
    w->grew = answered && out->status == STATUS_OK && a->grew;
    if (out->status != STATUS_OK && out->status != STATUS_LOAD)
      worker_end(w); // it may have written anywhere
  }
  if (rc != 0 && out->message[0] == '\0')
    snprintf(out->message, sizeof out->message, "%s",
             w->why[0] ? w->why : "no worker is left");
  if (fd >= 0)
    close(fd);
  free(a);
  return rc;
}

static bool worker_watched(const struct worker_pool *w, uint64_t ticket) {
  for (size_t i = 0; i < w->n_watched; i++)
    if (w->watched[i] == ticket)
      return true;
  return false;
}

// Runs the variant once in a worker of its own, and looks for what it changes.
static int worker_watch(struct worker_pool *w, uint64_t ticket, const void *object,
                        size_t size, const struct trial_plan *plan, struct trial *out) {
  struct trial_plan p = { .objective = plan->objective,
                          .limit = plan->limit,
                          .min_samples = 1,
                          .max_samples = 1,
                          .verify = true,
                          .watch = true };
  struct trial trial;
  worker_end(w);
  int rc = worker_trial(w, &(struct command){ ticket, size, .plan = p }, object, &trial);
  out->verify_seconds += trial.verify_seconds;
  free(trial.samples);
  snprintf(out->note, sizeof out->note, "%s", trial.note);
  if (trial.status != STATUS_OK) {
    out->status = trial.status;
    snprintf(out->message, sizeof out->message, "%s", trial.message);
    snprintf(out->unnamed, sizeof out->unnamed, "%s", trial.unnamed);
  }
  size_t bytes = (w->n_watched + 1) * sizeof *w->watched;
  uint64_t *more = trial.status == STATUS_OK ? sys_realloc(w->watched, bytes) : NULL;
  if (more) {
    w->watched = more;
    w->watched[w->n_watched++] = ticket;
  }
  return rc;
}

int worker_try(struct worker_pool *w, uint64_t ticket, const void *object, size_t size,
               const struct trial_plan *plan, struct trial *out) {
  int rc = worker_trial(w, &(struct command){ ticket, size, .plan = *plan }, object, out);
  if (rc == 0 && out->status == STATUS_OK && out->unwatched && !worker_watched(w, ticket))
    rc = worker_watch(w, ticket, object, size, plan, out);
  return rc;
}

bool worker_can_repeat(const struct worker_pool *w) {
  return w->verified && !w->needs_workers && kernel_has_sections(w->kernel);
}

bool worker_seal(struct worker_pool *w, bool deferred) {
  atomic_store(&w->zygote.board->deferred, deferred);
  return worker_order(w, ORDER_SEAL, START_GRACE);
}

bool worker_grew(const struct worker_pool *w) {
  return w->grew;
}

bool worker_is_lost(const struct worker_pool *w) {
  return w->pid <= 0;
}
