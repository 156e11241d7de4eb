// SPDX-License-Identifier: Apache-2.0
// tuner.c: the tuner's side of a session: what it does to itself after the fork, and how
// it talks to the program.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/role.h"
#include "packet.h"
#include "tune/tune.h"

struct line {
  int socket;
  struct shared_memory *shared;
  bool background;
  double last;
};

static struct {
  int socket;
  struct line *line; // NULL: not a tuner, or not yet
} tuner = { .socket = -1 };

// A program that does not wait may not read for long: it can do without the news, but not
// without the outcome. FD goes with the packet unless it is -1.
static bool send_with(const struct line *l, const struct packet *p, int fd) {
  int flags = l->background && p->kind != PACKET_OUTCOME ? MSG_DONTWAIT : 0;
  bool sent = message_send(l->socket, p, sizeof *p, fd, flags, role_stopping);
  if (sent && l->shared)
    atomic_fetch_add(&l->shared->news, 1);
  return sent;
}

static void send_packet(const struct line *l, const struct packet *p) {
  send_with(l, p, -1);
}

static bool tuner_variant(void *data, unsigned arm, int fd) {
  return send_with(data, &(struct packet){ .kind = PACKET_VARIANT, .arm = arm }, fd);
}

// As target_ask_fn demands.
static bool tuner_ask(const void *request, size_t size, uint64_t serial, int fd,
                      void *answer, size_t answer_size, int *got, double seconds) {
  struct packet p = { .kind = PACKET_REQUEST };
  if (size > sizeof p.request)
    return false;
  memcpy(p.request, request, size);
  double end = sys_now() + seconds;
  if (!tuner.line || tuner.line->background || !send_with(tuner.line, &p, fd))
    return false;
  while (!role_stopping() && sys_now() < end) {
    struct pollfd ready = { tuner.socket, POLLIN, 0 };
    if (poll(&ready, 1, 250) <= 0)
      continue;
    ssize_t n = message_receive(tuner.socket, answer, answer_size, MSG_DONTWAIT, got);
    uint64_t answered = 0;
    if (n == (ssize_t)answer_size)
      memcpy(&answered, answer, sizeof answered); // the first member of all answers
    if (n == 0 || (n < 0 && errno != EAGAIN))
      return false; // the program is gone
    if (n == (ssize_t)answer_size && answered == serial)
      return true; // else one that nobody waited for any more
    if (got && *got >= 0)
      close(*got);
  }
  return false;
}

static void tuner_provisional(void *data, const struct outcome *out) {
  send_packet(data, &(struct packet){ .kind = PACKET_PROVISIONAL, .outcome = *out });
}

static void tuner_stop(int signal) {
  (void)signal;
  role_stop();
}

static void forward_log(enum autotune_level level, const char *message, void *data) {
  struct packet p = { .kind = PACKET_LOG, .level = level };
  snprintf(p.text, sizeof p.text, "%s", message);
  send_packet(data, &p);
}

static void tuner_report(void *data, const struct progress_report *progress) {
  struct line *l = data;
  double now = sys_now();
  // Not more than ten a second, unless the program must be told to be more patient.
  if (now - l->last < 0.1 && progress->silence <= 30)
    return;
  l->last = now;
  send_packet(l, &(struct packet){ .kind = PACKET_PROGRESS, .progress = *progress });
}

// The program's end of the socket is closed when the program ends, or wants no result any
// more.
static void look_at_socket(int signal) {
  struct pollfd p = { tuner.socket, 0, 0 };
  int error = errno;
  (void)signal;
  if (poll(&p, 1, 0) > 0)
    role_stop();
  errno = error;
}

// A child learns of its parent's end by a signal; who is none, by the socket and by
// looking.
static bool tuner_follow(const struct tuner_job *job) {
  struct sigaction look = { .sa_handler = look_at_socket, .sa_flags = SA_RESTART };
  if (!job->plan->background)
    return sandbox_follow(job->parent, SIGTERM);
  sigaction(SIGIO, &look, NULL);
  fcntl(tuner.socket, F_SETOWN, getpid());
  fcntl(tuner.socket, F_SETFL, fcntl(tuner.socket, F_GETFL) | O_ASYNC);
  look_at_socket(SIGIO);
  return !role_stopping();
}

static void set_signals(void) {
  static const int ends[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
  struct sigaction end = { .sa_handler = tuner_stop }, ignore = { .sa_handler = SIG_IGN };
  sandbox_signals();
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    sigaction(ends[i], &end, NULL);
  sigaction(SIGPIPE, &ignore, NULL);
  sigaction(SIGXFSZ, &ignore, NULL);
}

void tuner_main(const struct tuner_job *job) {
  struct packet p = { .kind = PACKET_OUTCOME };
  int fds[4] = { job->socket, job->memory }, file = target_inherited(job->kernel);
  unsigned n = 2, own = 0;
  bool watches = job->program >= 0;
  if (watches)
    fds[n++] = job->program;
  if (file >= 0)
    fds[own = n++] = file;
  role_take(ROLE_TUNER);
  set_signals();
  sandbox_no_core();
  if (sandbox_descriptors(fds, n) != 0)
    _exit(1);
  if (own)
    target_of(job->kernel)->moved(fds[own]);
  tuner.socket = fds[0];
  role_watch(watches ? fds[2] : -1);
  if (!tuner_follow(job))
    _exit(1);
  struct line l = { .socket = fds[0],
                    .shared = job->shared,
                    .background = job->plan->background };
  tuner.line = &l;
  target_set_ask(tuner_ask);
  autotune_set_log(forward_log, &l);
  const struct tune_host host = { .shared = job->shared,
                                  .suspects = job->suspects,
                                  .n_suspects = job->n_suspects,
                                  .progress = tuner_report,
                                  .provisional = tuner_provisional,
                                  .variant = tuner_variant,
                                  .data = &l };
  p.rc = tune_run(job->kernel, job->id, job->call, job->plan, fds[1], &host, &p.outcome);
  send_packet(&l, &p);
  _exit(0);
}

pid_t tuner_fork(const struct tuner_job *job) {
  pid_t pid = sys_fork();
  if (pid == 0)
    tuner_main(job);
  return pid;
}
