// SPDX-License-Identifier: Apache-2.0
// tuner.c: the tuner's side of a session: prepares the process after the fork and sends
// messages to the program.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/role.h"
#include "base/shortage.h"
#include "packet.h"
#include "run/cpu/sandbox.h"
#include "run/target.h"
#include "tune/tune.h"

enum { GRACE = 5 }; // seconds that a short check may go on when the program has ended

struct line {
  struct channel channel;
  struct shared_memory *shared;
  bool background;
  double last;     // sys_now of the last progress
  uint64_t serial; // of the last question
};

static struct line *tuner_line; // for signal handlers and tuner_ask

// A program that does not wait may not read for a long time. It can miss progress but not
// the outcome, so only the outcome waits for room.
static bool tuner_send(struct line *l, const struct message *m) {
  bool sent = channel_send(&l->channel, m, !l->background || m->kind == PACKET_OUTCOME);
  if (sent && l->shared)
    atomic_fetch_add(&l->shared->news, 1);
  return sent;
}

static void tuner_tell(struct line *l, enum packet_kind kind, const void *data,
                       size_t size) {
  tuner_send(l, &(struct message){ .kind = kind, .data = data, .size = size, .fd = -1 });
}

static bool tuner_variant(void *data, unsigned arm, int fd) {
  return tuner_send(data, &(struct message){ PACKET_VARIANT, 0, &arm, sizeof arm, fd });
}

// Implements target_ask_fn.
static bool tuner_ask(void *data, const void *request, size_t size, int fd, void *answer,
                      size_t answer_size, int *got, double seconds) {
  struct line *l = data;
  const struct message question = { PACKET_ASK, ++l->serial, request, size, fd };
  struct message m = { .fd = -1 };
  if (l->background || role_stopping())
    return false;
  enum channel_result e =
      channel_ask(&l->channel, &question, &m, answer, answer_size, seconds);
  bool answered = e == CHANNEL_MESSAGE && m.size == answer_size;
  if (answered && got)
    *got = m.fd;
  else if (e == CHANNEL_MESSAGE && m.fd >= 0)
    close(m.fd);
  return answered;
}

static void tuner_provisional(void *data, const struct outcome *out) {
  tuner_tell(data, PACKET_PROVISIONAL, out, sizeof *out);
}

static void tuner_stop(int signal) {
  (void)signal;
  role_stop();
}

static void forward_log(enum autotune_level level, const char *message, void *data) {
  struct packet_log p = { .level = level };
  snprintf(p.text, sizeof p.text, "%s", message);
  tuner_tell(data, PACKET_LOG, &p, sizeof p);
}

static void tuner_report(void *data, const struct progress_report *progress) {
  struct line *l = data;
  double now = sys_now();
  // At most ten per second, unless the program must extend its time limit.
  if (now - l->last < 0.1 && progress->silence <= 30)
    return;
  l->last = now;
  tuner_tell(l, PACKET_PROGRESS, progress, sizeof *progress);
}

// The program's end of the socket is closed when the program ends or no longer wants a
// result.
static void look_at_socket(int signal) {
  (void)signal;
  if (channel_is_closed(&tuner_line->channel))
    role_end();
}

// Returns how many seconds a tuning goes on when the program has ended.
static unsigned tuner_after(const struct plan *p) {
  return p->outlives ? GRACE : p->after;
}

// Arranges that this process ends with the program, or tuner_after seconds later. A child
// gets a signal; a tuner that is not a child watches the socket and the program's pidfd.
static bool tuner_follow(const struct tuner_job *job) {
  struct sigaction look = { .sa_handler = look_at_socket, .sa_flags = SA_RESTART };
  if (!job->plan->background)
    return sandbox_follow(job->parent, SIGTERM);
  sigaction(SIGIO, &look, NULL);
  int socket = tuner_line->channel.socket;
  fcntl(socket, F_SETOWN, getpid());
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_ASYNC);
  look_at_socket(SIGIO);
  return !role_stopping();
}

static void set_signals(void) {
  static const int ends[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM };
  struct sigaction end = { .sa_handler = tuner_stop }, ignore = { .sa_handler = SIG_IGN };
  sandbox_signals();
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    sigaction(ends[i], &end, NULL);
  sigaction(SIGPIPE, &ignore, NULL);
  sigaction(SIGTTOU, &ignore, NULL); // it may be in no foreground group
  sigaction(SIGXFSZ, &ignore, NULL);
}

void tuner_main(const struct tuner_job *job) {
  struct packet_outcome p = { .rc = -1 };
  int fds[4] = { job->socket, job->memory }, file = target_inherited(job->kernel);
  unsigned n = 2, own = 0;
  bool watches = job->program >= 0;
  if (watches)
    fds[n++] = job->program;
  if (file >= 0)
    fds[own = n++] = file;
  role_take(ROLE_TUNER);
  set_signals();
  if (job->owns) {
    target_of(job->kernel)->own(job->kernel, job->call);
    atomic_store(&job->shared->owned, true);
  }
  if (!job->plan->background)
    setpgid(0, 0); // ^C is for the program (interrupt.c)
  sandbox_no_core();
  shortage_die_first(900); // the program's own memory matters more
  unsigned long long killed = 1 + shortage_begin();
  if (job->shared)
    atomic_store(&job->shared->killed, killed);
  if (sandbox_descriptors(fds, n) != 0)
    _exit(1);
  if (own)
    target_of(job->kernel)->moved(fds[own]);
  struct line l = { .channel = { fds[0], -1, &session_protocol, role_stopping },
                    .shared = job->shared,
                    .background = job->plan->background };
  tuner_line = &l;
  role_watch(watches ? fds[2] : -1, tuner_after(job->plan));
  if (!tuner_follow(job))
    _exit(1);
  autotune_set_log(forward_log, &l);
  const struct tune_host host = { .shared = job->shared,
                                  .suspects = job->suspects,
                                  .n_suspects = job->n_suspects,
                                  .progress = tuner_report,
                                  .provisional = tuner_provisional,
                                  .variant = tuner_variant,
                                  .ask = tuner_ask,
                                  .data = &l };
  p.rc = tune_run(job->kernel, job->id, job->call, job->plan, fds[1], &host, &p.outcome);
  tuner_tell(&l, PACKET_OUTCOME, &p, sizeof p);
  _exit(0);
}
