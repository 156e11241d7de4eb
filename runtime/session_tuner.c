// SPDX-License-Identifier: Apache-2.0
// session_tuner.c: the tuner's side of a session: what it does to itself after the fork, and how it talks
// to the program.
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session.h"

static struct {
  atomic_bool inside;
  volatile sig_atomic_t stopping;
} tuner;

struct line { int socket; struct page *page; bool beside; double last; };

bool session_inside(void) {
  return atomic_load_explicit(&tuner.inside, memory_order_relaxed);
}

bool session_stopping(void) {
  return tuner.stopping != 0;
}

// A program that does not wait may not read for long: it can do without the news, but not without the
// outcome.
static void send_packet(const struct line *l, const struct packet *p) {
  int flags = MSG_NOSIGNAL | (l->beside && p->kind != PACKET_OUTCOME ? MSG_DONTWAIT : 0);
  ssize_t sent;
  while ((sent = send(l->socket, p, sizeof *p, flags)) < 0 && errno == EINTR && !tuner.stopping)
    ;
  if (sent > 0 && l->page)
    atomic_fetch_add(&l->page->news, 1);
}

static void stop(int signal) {
  (void)signal;
  tuner.stopping = 1;
}

static void forward_log(enum autotune_level level, const char *message, void *data) {
  struct packet p = { .kind = PACKET_LOG, .level = level };
  snprintf(p.text, sizeof p.text, "%s", message);
  send_packet(data, &p);
}

static void report(void *data, const struct progress *progress) {
  struct line *l = data;
  double now = sys_now();
  // Not more than ten a second, unless the program must be told to be more patient.
  if (now - l->last < 0.1 && progress->silence <= 30)
    return;
  l->last = now;
  send_packet(l, &(struct packet){ .kind = PACKET_PROGRESS, .progress = *progress });
}

void tuner_main(const struct autotune_kernel *k, const struct identity *id, void *const *args,
                const struct plan *plan, struct page *page, int fds[2], pid_t parent) {
  static const int ends[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
  struct sigaction end = { .sa_handler = stop }, ignore = { .sa_handler = SIG_IGN };
  struct packet p = { .kind = PACKET_OUTCOME };
  atomic_store(&tuner.inside, true);
  sandbox_signals();
  sandbox_no_core();
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    sigaction(ends[i], &end, NULL);
  sigaction(SIGPIPE, &ignore, NULL);
  sigaction(SIGXFSZ, &ignore, NULL);
  if (!sandbox_follow(parent, SIGTERM) || sandbox_descriptors(fds, 2) != 0)
    _exit(1);
  struct line l = { .socket = fds[0], .page = page, .beside = plan->beside };
  autotune_set_log(forward_log, &l);
  p.rc = tune_run(k, id, args, plan, fds[1], report, &l, &p.outcome);
  send_packet(&l, &p);
  _exit(0);
}
