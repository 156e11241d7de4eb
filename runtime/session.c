// SPDX-License-Identifier: Apache-2.0
// session.c: one tuning, as the program sees it: a child process, a socket, and patience that ends.
//
// The result comes over the socket, so nothing depends on the child's exit status, which a handler or a
// wait() loop of the program's may take, or SIGCHLD being ignored may lose. The child is ended through a
// pidfd, which cannot name another process by mistake.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

// Seconds for the tuner to say its first word, and to end after its last; how many may crash.
enum { FIRST_WORD = 20, LAST_BREATH = 10, CRASHES = 2 };

enum packet_kind { PACKET_PROGRESS, PACKET_LOG, PACKET_OUTCOME };
struct packet {             // tuner to program
  enum packet_kind kind;
  enum autotune_level level;
  int rc;
  union { struct progress progress; struct outcome outcome; char text[4096]; };
};

// What a fork of the program's must know. The descriptors are those of a session in this process, or -1.
static struct {
  atomic_bool inside;
  volatile sig_atomic_t stopping;
  atomic_int socket, memory, pidfd;
  atomic_uint memfds;       // loaded so far, for names that are never the same
  _Atomic uint64_t *compiling; // shared with the tuner; NULL: no memory
  uint64_t suspects[COMPILING]; // what the last tuners were compiling when they crashed
  unsigned n_suspects;
} session = { .socket = -1, .memory = -1, .pidfd = -1 };

bool session_inside(void) {
  return atomic_load_explicit(&session.inside, memory_order_relaxed);
}

bool session_stopping(void) {
  return session.stopping != 0;
}

_Atomic uint64_t *session_compiling(void) {
  return session.compiling;
}

bool session_suspects(uint64_t variant) {
  for (unsigned i = 0; i < session.n_suspects; i++)
    if (session.suspects[i] == variant)
      return true;
  return false;
}

static void close_one(atomic_int *fd) {
  int n = atomic_exchange(fd, -1);
  if (n >= 0)
    close(n);
}

void session_forget(void) {
  if (session_inside())
    return; // the fork of a zygote or worker: they see to their descriptors themselves
  close_one(&session.socket);
  close_one(&session.memory);
  close_one(&session.pidfd);
}

// ---- the tuner's side --------------------------------------------------------------------------------

struct tuner { int socket; double last; };

static void send_packet(int socket, const struct packet *p) {
  while (send(socket, p, sizeof *p, MSG_NOSIGNAL) < 0 && errno == EINTR && !session.stopping)
    ;
}

static void stop(int signal) {
  (void)signal;
  session.stopping = 1;
}

static void forward_log(enum autotune_level level, const char *message, void *data) {
  struct tuner *t = data;
  struct packet p = { .kind = PACKET_LOG, .level = level };
  snprintf(p.text, sizeof p.text, "%s", message);
  send_packet(t->socket, &p);
}

static void report(void *data, const struct progress *progress) {
  struct tuner *t = data;
  double now = sys_now();
  // Not more than ten a second, unless the program must be told to be more patient.
  if (now - t->last < 0.1 && progress->silence <= 30)
    return;
  t->last = now;
  send_packet(t->socket, &(struct packet){ .kind = PACKET_PROGRESS, .progress = *progress });
}

__attribute__((noreturn)) static void tuner_main(const struct autotune_kernel *k,
                                                 const struct identity *id, void *const *args,
                                                 int fds[2], pid_t parent) {
  struct sigaction end = { .sa_handler = stop }, ignore = { .sa_handler = SIG_IGN };
  struct packet p = { .kind = PACKET_OUTCOME };
  atomic_store(&session.inside, true);
  sandbox_signals();
  sandbox_no_core();
  sigaction(SIGTERM, &end, NULL);
  sigaction(SIGINT, &end, NULL);
  sigaction(SIGHUP, &end, NULL);
  sigaction(SIGQUIT, &end, NULL);
  sigaction(SIGPIPE, &ignore, NULL);
  sigaction(SIGXFSZ, &ignore, NULL);
  if (!sandbox_follow(parent, SIGTERM) || sandbox_descriptors(fds, 2) != 0)
    _exit(1);
  struct tuner t = { .socket = fds[0] };
  autotune_set_log(forward_log, &t);
  p.rc = tune_run(k, id, args, fds[1], report, &t, &p.outcome);
  send_packet(t.socket, &p);
  _exit(0);
}

// ---- the program's side ---------------------------------------------------------------------------------

struct child { pid_t pid; int pidfd, socket, status; };

static void kill_child(const struct child *c) {
  if (c->pidfd >= 0)
    syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0);
  else if (waitpid(c->pid, NULL, WNOHANG) == 0) // still ours, so the number is
    kill(c->pid, SIGKILL);
}

// Waits until the child is gone, at most SECONDS; leaves no zombie.
static bool reap(struct child *c, double seconds) {
  double end = sys_now() + seconds;
  for (;;) {
    int status;
    pid_t got = waitpid(c->pid, &status, WNOHANG);
    if (got == c->pid)
      c->status = status; // else somebody else took it
    if (got == c->pid || (got < 0 && errno == ECHILD))
      return true;
    if (sys_now() >= end)
      return false;
    struct pollfd p = { c->pidfd, POLLIN, 0 };
    poll(&p, c->pidfd >= 0, 5);
  }
}

static void show(const struct autotune_kernel *k, const struct progress *p) {
  char line[160];
  int n = snprintf(line, sizeof line, "autotune: %s: %u of %u variants, %.0f s left", k->name,
                   p->done, p->total, p->left > 0 ? p->left : 0);
  if (p->original > 0 && p->best > 0 && n > 0 && (size_t)n < sizeof line)
    snprintf(line + n, sizeof line - (size_t)n, ", best %.3g ms (%.2f x)", p->best * 1e3,
             p->original / p->best);
  log_progress(line);
}

// Listens until the outcome is there. 0, or -1: the tuner is gone or hangs (OUT->why).
static int listen_to(const struct autotune_kernel *k, const struct child *c, struct outcome *out) {
  double end = sys_now() + FIRST_WORD;
  struct packet *p = sys_malloc(sizeof *p);
  int rc = -1;
  snprintf(out->why, sizeof out->why, "default: the tuning process ended unexpectedly");
  for (bool over = p == NULL; !over;) {
    // The socket alone does not tell of the end where a fork of the program's holds a copy.
    struct pollfd ready[2] = { { c->socket, POLLIN, 0 }, { c->pidfd, POLLIN, 0 } };
    double left = end - sys_now();
    int got = poll(ready, 2, left > 0 ? (int)(left * 1000) + 1 : 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      snprintf(out->why, sizeof out->why, "default: the tuning process did not answer");
      break;
    }
    if (recv(c->socket, p, sizeof *p, MSG_DONTWAIT) != (ssize_t)sizeof *p)
      break;
    switch (p->kind) {
    case PACKET_LOG:
      p->text[sizeof p->text - 1] = '\0';
      log_message(p->level, "%s", p->text);
      break;
    case PACKET_PROGRESS:
      end = sys_now() + p->progress.silence;
      show(k, &p->progress);
      break;
    case PACKET_OUTCOME:
      *out = p->outcome;
      rc = p->rc;
      over = true;
    }
  }
  free(p);
  return rc;
}

// A path that opens FD and that dlopen has never seen: it goes by names.
static void name_memory(int fd, struct outcome *out) {
  unsigned n = atomic_fetch_add(&session.memfds, 1);
  size_t at = (size_t)snprintf(out->path, sizeof out->path, "/proc/self/fd/");
  for (; n > 0 && at + 16 < sizeof out->path; n--, at += 2)
    memcpy(out->path + at, "./", 2);
  if (n > 0)
    out->winner = false; // thousands of winners without a store
  snprintf(out->path + at, sizeof out->path - at, "%d", fd);
}

static int memory_file(void) {
  int fd = sys_fails(SYS_OPEN) ? -1 : memfd_create("autotune-winner", MFD_CLOEXEC);
  int high = fd >= 0 && fd <= 2 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : fd;
  if (high != fd)
    close(fd);
  return high;
}

static int fork_tuner(const struct autotune_kernel *k, const struct identity *id,
                      void *const *args, int pair[2], int memory, struct child *c) {
  sigset_t all, before;
  pid_t self = getpid();
  openmp_before_fork();
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // no handler of the program's in the child
  c->pid = sys_fork();
  if (c->pid == 0)
    tuner_main(k, id, args, (int[2]){ pair[1], memory }, self);
  int error = errno;
  c->pidfd = c->pid > 0 ? (int)syscall(SYS_pidfd_open, c->pid, 0) : -1;
  c->socket = pair[0];
  atomic_store(&session.socket, c->socket);
  atomic_store(&session.memory, memory);
  atomic_store(&session.pidfd, c->pidfd);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(pair[1]);
  errno = error;
  return c->pid > 0 ? 0 : -1;
}

// Ended by a fault of its own, such as the compiler's, and not by somebody's wish?
static bool has_crashed(const struct child *c) {
  static const int faults[] = { SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (WIFSIGNALED(c->status) && WTERMSIG(c->status) == faults[i])
      return true;
  return false;
}

// One tuner. *CRASHED: another may do better, because this one's last variants are known to be bad.
static int run(const struct autotune_kernel *k, const struct identity *id, void *const *args,
               int memory, struct outcome *out, bool *crashed) {
  int pair[2], rc = -1;
  struct child c = { .pid = -1 };
  *crashed = false;
  if (sandbox_socketpair(pair) != 0) {
    snprintf(out->why, sizeof out->why, "default: no socket: %s", strerror(errno));
    return -1;
  }
  if (fork_tuner(k, id, args, pair, memory, &c) != 0) {
    snprintf(out->why, sizeof out->why, "default: no process can be forked: %s",
             strerror(errno));
  } else {
    rc = listen_to(k, &c, out);
    log_progress(NULL);
    bool ended = reap(&c, rc == 0 ? LAST_BREATH : 0.1);
    *crashed = rc != 0 && ended && has_crashed(&c);
    if (!ended) {
      kill_child(&c);
      reap(&c, LAST_BREATH);
    }
  }
  close_one(&session.socket);
  close_one(&session.pidfd);
  atomic_store(&session.memory, -1); // stays open here, but not in a child of the program's
  return rc;
}

// Makes suspects of what was being compiled, and forgets the rest.
static void suspect(void) {
  for (unsigned i = 0; session.compiling && i < COMPILING; i++) {
    uint64_t variant = atomic_exchange(&session.compiling[i], 0);
    if (variant && session.n_suspects < COMPILING)
      session.suspects[session.n_suspects++] = variant;
  }
}

static int run_again(const struct autotune_kernel *k, const struct identity *id,
                     void *const *args, int memory, struct outcome *out) {
  const char *cache = options_get()->cache;
  bool remembers = !cache || *cache, crashed;
  session.n_suspects = 0;
  int rc = run(k, id, args, memory, out, &crashed);
  for (int i = 0; crashed && i < CRASHES; i++) {
    suspect();
    if (!remembers && session.n_suspects == 0)
      break; // it would only crash again
    log_message(AUTOTUNE_INFO, "%s: the tuning process crashed; it goes on without the variants "
                "it was at", k->name);
    rc = run(k, id, args, memory, out, &crashed);
  }
  return rc;
}

int session_run(const struct autotune_kernel *k, const struct identity *id, void *const *args,
                struct outcome *out) {
  int cancel, memory = memory_file();
  *out = (struct outcome){ .fd = -1 };
  if (memory < 0) {
    snprintf(out->why, sizeof out->why, "default: no memory file: %s", strerror(errno));
    return -1;
  }
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  session.compiling = sys_mmap(COMPILING * sizeof *session.compiling, true);
  int rc = run_again(k, id, args, memory, out);
  if (session.compiling)
    munmap(session.compiling, COMPILING * sizeof *session.compiling);
  session.compiling = NULL;
  pthread_setcancelstate(cancel, NULL);
  out->fd = -1;
  if (rc == 0 && out->winner && out->path[0] == '\0') {
    out->fd = memory;
    name_memory(memory, out);
  } else {
    close(memory);
  }
  return rc;
}
