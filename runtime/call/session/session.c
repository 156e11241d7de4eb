// SPDX-License-Identifier: Apache-2.0
// session.c: one tuning, as the program sees it: a process, a socket, and a time limit
// for silence.
//
// The result comes over the socket, so nothing depends on the process's exit status,
// which a handler or a wait() loop of the program may take, and which is lost if SIGCHLD
// is ignored. A background tuner is not a child of the program (detach.c). It is ended
// through a pidfd, which cannot refer to another process by mistake.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/descriptor.h"
#include "base/shortage.h"
#include "keep/store/store.h"
#include "packet.h"
#include "base/role.h"
#include "run/cpu/module.h"
#include "run/cpu/openmp.h"
#include "run/target.h"

// Seconds until the tuner's first message, and from its last message to its end; how many
// tuners of a session may crash.
enum { FIRST_WORD = 20, LAST_BREATH = 10, CRASHES = 2 };

// One session in this process. Fields that a fork of the program reads are atomic.
static struct {
  struct descriptor socket, memory, pidfd; // memory: the file for the winner
  _Atomic(struct shared_memory *) shared;
  struct shared_memory *last;   // of the session before, or NULL
  _Atomic(pthread_t) forker;    // the thread that is forking a tuner
  atomic_uint memfds;           // memory files loaded so far, for unique names
  uint64_t suspects[COMPILING]; // variants that the last tuners were compiling when they
                                // crashed
  unsigned n_suspects;
  pid_t pid;
  bool orphaned;  // this process is a child of the session's process
  int status;     // as from waitpid
  unsigned looks; // so far, for news
  unsigned read;  // news that have been read
  double end;     // sys_now; a tuner that is silent until then counts as hanging
  const struct autotune_kernel *kernel; // NULL: there is no session
  bool background;                      // the program does not wait for it
  struct session_listener listener;
  union packet {
    struct progress_report progress;
    struct packet_log log;
    struct packet_outcome end;
    struct outcome provisional;
    unsigned arm;
    unsigned char request[4096];
  } *packet; // the last one received
} session = { .socket = DESCRIPTOR_NONE,
              .memory = DESCRIPTOR_NONE,
              .pidfd = DESCRIPTOR_NONE };

static const struct message_kind session_kinds[] = {
  [PACKET_PROGRESS] = { .size = sizeof(struct progress_report) },
  [PACKET_LOG] = { .size = sizeof(struct packet_log) },
  [PACKET_PROVISIONAL] = { .size = sizeof(struct outcome) },
  [PACKET_VARIANT] = { .size = sizeof(unsigned), .descriptor = true },
  [PACKET_ASK] = { .size = MESSAGE_ANY, .descriptor = true },
  [PACKET_ANSWER] = { .size = MESSAGE_ANY, .descriptor = true },
  [PACKET_OUTCOME] = { .size = sizeof(struct packet_outcome) },
};
const struct protocol session_protocol = { PACKET_OUTCOME + 1, session_kinds };

struct shared_memory *session_shared_memory(void) {
  return atomic_load(&session.shared);
}

void session_forget(void) {
  // A tuner, zygote or worker closes its descriptors itself.
  if (role_inside() || pthread_equal(atomic_load(&session.forker), pthread_self()))
    return;
  descriptor_close(&session.socket);
  descriptor_close(&session.memory);
  descriptor_close(&session.pidfd);
  atomic_store(&session.shared, NULL);
  module_abandon(false);
  session.kernel = NULL;
  session.orphaned = true;
}

// ---- the process --------------------------------------------------------------------

static void kill_tuner(void) {
  int pidfd = descriptor_get(&session.pidfd);
  if (pidfd >= 0)
    syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
  else if (!session.background && !detach_reap(&session.status)) // so the pid is valid
    kill(session.pid, SIGKILL);
}

// Waits at most SECONDS until the tuner has ended; leaves no zombie.
static bool session_reap(double seconds) {
  double end = sys_now() + seconds;
  while (!detach_reap(&session.status)) {
    if (sys_now() >= end)
      return false;
    struct pollfd p = { descriptor_get(&session.pidfd), POLLIN, 0 };
    poll(&p, p.fd >= 0, 5);
  }
  return true;
}

// True if the tuner crashed, for example in the compiler, and was not asked to end.
static bool has_crashed(void) {
  static const int faults[] = { SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (WIFSIGNALED(session.status) && WTERMSIG(session.status) == faults[i])
      return true;
  return false;
}

static int fork_tuner(const struct tuner_job *job, int socket) {
  sigset_t all, before;
  int pidfd = -1;
  store_linger(false);
  log_share();
  if (target_of(job->kernel)->before_fork)
    target_of(job->kernel)->before_fork();
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all,
                  &before); // no signal handler of the program may run in the child
  atomic_store(&session.forker, pthread_self());
  session.pid = detach_tuner(job, &pidfd);
  int error = errno;
  if (session.pid > 0)
    session_forked(detach_copying());
  atomic_store(&session.forker, (pthread_t)0);
  descriptor_keep(&session.pidfd, descriptor_raise(pidfd));
  descriptor_keep(&session.socket, socket);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return session.pid > 0 ? 0 : -1;
}

// True if the program should wait until the tuner has copied what both share: several
// threads may write it, and a copy that one of them makes takes long. On most machines
// that is one or two microseconds for a page.
static bool session_owns(const struct tuner_job *job) {
  return job->plan->background && job->shared && target_of(job->kernel)->own &&
      (job->kernel->openmp || sys_threads() > 1) &&
      session_page_seconds(true) >= SESSION_PAGE_UNMEASURED;
}

// Waits until the tuner has copied what both share. Then the old pages are the program's
// alone, and it makes them writable again. A thread is not cancelled meanwhile.
static void session_own(const struct tuner_job *job) {
  const double most = 0.1;  // seconds
  const long often = 50000; // nanoseconds
  const struct channel c = { .socket = descriptor_get(&session.socket) };
  double end = sys_now() + most;
  int cancels;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels);
  while (!atomic_load(&job->shared->owned) && sys_now() < end && !channel_is_closed(&c))
    nanosleep(&(struct timespec){ .tv_nsec = often }, NULL);
  if (atomic_load(&job->shared->owned))
    target_of(job->kernel)->own(job->kernel, job->call);
  pthread_setcancelstate(cancels, NULL);
}

// ---- beginning and end --------------------------------------------------------------

// Adds the variants that were being compiled to the suspects.
static void session_suspect(void) {
  struct shared_memory *shared = session_shared_memory();
  for (unsigned i = 0; shared && i < COMPILING; i++) {
    uint64_t variant = atomic_load(&shared->compiling[i]);
    if (variant && session.n_suspects < COMPILING)
      session.suspects[session.n_suspects++] = variant;
  }
}

// Ends the session and releases everything but the memory file.
static void end_session(void) {
  struct shared_memory *shared = atomic_exchange(&session.shared, NULL);
  if (session.last) // a handler of ^C in another thread may still use this session's
    munmap(session.last, sizeof *session.last);
  session.last = shared;
  descriptor_close(&session.socket);
  descriptor_close(&session.pidfd);
  targets_close();
  free(session.packet);
  session.packet = NULL;
  session.kernel = NULL;
}

static void give_up(int fds[], unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (fds[i] >= 0)
      close(fds[i]);
}

// Allocates what a session needs. On failure returns -1 and OUT->why, and releases all of
// it.
static int session_prepare(int pair[2], int *memory, struct outcome *out) {
  *memory = channel_file("autotune-winner", NULL, 0);
  const char *what = *memory < 0 ? "no memory file" : NULL;
  if (!what && channel_pair(pair) != 0)
    what = "no socket";
  if (session.orphaned)
    targets_forget();
  session.orphaned = false;
  session.packet = what ? NULL : sys_malloc(sizeof *session.packet);
  if (session.packet)
    return 0;
  snprintf(out->why, sizeof out->why, "default: %s: %s", what ? what : "no memory",
           strerror(errno));
  if (!what)
    give_up(pair, 2);
  give_up(memory, 1);
  return -1;
}

int session_start(const struct autotune_kernel *k, const struct identity *id,
                  const struct call *call, const struct plan *plan,
                  const struct session_listener *l, struct outcome *out) {
  int pair[2], memory;
  *out = (struct outcome){ .fd = -1 };
  char why[256];
  const struct target *target = target_of(k);
  if (!target->on_host && plan->background)
    log_once(AUTOTUNE_INFO, "background",
             "CUDA kernels are tuned in the background by another process on the "
             "device; what the program does there lengthens the measured times");
  if (session_prepare(pair, &memory, out) != 0)
    return -1;
  if (target->open && target->open(k, call, plan->background, why, sizeof why) != 0) {
    snprintf(out->why, sizeof out->why, "default: this call cannot be tuned: %s", why);
    give_up((int[]){ pair[0], pair[1], memory }, 3);
    end_session();
    return -1;
  }
  if (!plan->retry)
    session.n_suspects = 0;
  session.status = 0;
  session.read = 0;
  session.background = plan->background;
  session.listener = l ? *l : (struct session_listener){ .data = NULL };
  atomic_store(&session.shared, sys_mmap(sizeof(struct shared_memory), true));
  struct tuner_job job = { .kernel = k,
                           .id = id,
                           .call = call,
                           .plan = plan,
                           .suspects = session.suspects,
                           .n_suspects = session.n_suspects,
                           .shared = session_shared_memory(),
                           .socket = pair[1],
                           .memory = memory,
                           .program = plan->background
                               ? (int)syscall(SYS_pidfd_open, getpid(), 0)
                               : -1 };
  job.owns = session_owns(&job);
  int rc = fork_tuner(&job, pair[0]), error = errno;
  give_up((int[]){ pair[1], job.program }, 2);
  if (rc == 0) {
    if (job.owns)
      session_own(&job);
    descriptor_keep(&session.memory, memory);
    session.kernel = k;
    notice_begin(k->name, !session.background);
    session.end = sys_now() + FIRST_WORD;
    return 0;
  }
  snprintf(out->why, sizeof out->why, "default: no process can be forked: %s",
           strerror(error));
  end_session();
  close(memory);
  return -1;
}

// Makes a path that opens FD and that dlopen has never seen, since it compares names.
static void name_memory(int fd, struct outcome *out) {
  unsigned n = atomic_fetch_add(&session.memfds, 1);
  size_t at = (size_t)snprintf(out->path, sizeof out->path, "/proc/self/fd/");
  for (; n > 0 && at + 16 < sizeof out->path; n--, at += 2)
    memcpy(out->path + at, "./", 2);
  if (n > 0)
    out->winner = false; // only after thousands of winners without a store
  snprintf(out->path + at, sizeof out->path - at, "%d", fd);
}

// A tuner that the program waited for has ended when this returns. *CRASHED: it crashed.
static void session_bury(int rc, bool *crashed) {
  bool ended = session_reap(rc == 0 ? LAST_BREATH : 0.1);
  *crashed = rc != 0 && ended && has_crashed();
  if (!ended) {
    kill_tuner();
    session_reap(LAST_BREATH);
  }
}

// Returns TEXT, of at least 80 bytes: that memory was short since the session began, if
// the tuner has noted what was before.
static const char *session_shortage(char *text, size_t size) {
  struct shared_memory *shared = session_shared_memory();
  unsigned long long killed = shared ? atomic_load(&shared->killed) : 0;
  if (!killed)
    return "";
  shortage_since(killed - 1);
  return shortage_text(text, size);
}

// Sets OUT to a result without a winner: the program has closed what the session needs.
static void session_lost(struct outcome *out) {
  *out = (struct outcome){ .fd = -1, .cost = out->cost };
  snprintf(out->why, sizeof out->why,
           "default: the program closed descriptors that its tuning needed");
}

// Ends the session. RC is the tuner's result; GONE: it exited without a result; otherwise
// it was cancelled.
static enum session_state session_finish(int rc, bool gone, struct outcome *out) {
  int memory = descriptor_take(&session.memory);
  unsigned suspects = session.n_suspects;
  bool crashed = false;
  log_progress(NULL);
  if (!session.background)
    session_bury(rc, &crashed);
  else if (rc != 0 && !gone)
    kill_tuner(); // not a child of this process, so there is nothing to wait for
  if (crashed || (session.background && gone))
    session_suspect();
  struct shared_memory *shared = session_shared_memory();
  if (rc != 0 && shared)
    out->cost = atomic_load(&shared->cost);
  if (session.background && gone) // its exit status is not known; without suspects the
                                  // next tuner would crash again
    crashed = session.n_suspects > suspects;
  end_session();
  out->fd = -1;
  if (rc == 0 && out->winner && out->path[0] == '\0' && memory < 0) {
    session_lost(out);
  } else if (rc == 0 && out->winner && out->path[0] == '\0') {
    out->fd = memory;
    name_memory(memory, out);
  } else if (memory >= 0) {
    close(memory);
  }
  return crashed ? SESSION_CRASHED : SESSION_ENDED;
}

// ---- listening ----------------------------------------------------------------------

// Lets the target's half in the program answer M.
static void session_answer(const struct channel *c, const struct message *question) {
  double begun = sys_now();
  struct message m = { .kind = PACKET_ANSWER, .serial = question->serial, .fd = -1 };
  const struct target *t = target_of(session.kernel);
  void *answer = NULL;
  if (t->serve)
    answer = t->serve(question->data, question->size, question->fd, &m.size, &m.fd);
  m.data = answer;
  if (answer) // if the tuner has ended, session_wait notices it
    (void)channel_send(c, &m, true);
  if (m.fd >= 0)
    close(m.fd);
  free(answer);
  session.end += sys_now() - begun; // the tuner could not send anything meanwhile
}

// Handles M. True if it was the outcome.
static bool session_obey(const struct channel *c, const struct message *m,
                         struct outcome *out) {
  union packet *p = session.packet;
  switch ((enum packet_kind)m->kind) {
  case PACKET_LOG:
    p->log.text[sizeof p->log.text - 1] = '\0';
    log_message(p->log.level, "%s", p->log.text);
    break;
  case PACKET_PROGRESS:
    session.end = sys_now() + p->progress.silence;
    notice_show(&p->progress);
    break;
  case PACKET_PROVISIONAL:
    if (session.listener.provisional)
      session.listener.provisional(&p->provisional, session.listener.data);
    break;
  case PACKET_VARIANT:
    if (session.listener.variant)
      session.listener.variant(session.kernel, p->arm, m->fd, session.listener.data);
    break;
  case PACKET_ASK:
    session_answer(c, m);
    break;
  case PACKET_OUTCOME:
    *out = p->end.outcome;
    return true;
  case PACKET_ANSWER:
    break;
  }
  if (m->fd >= 0)
    close(m->fd);
  return false;
}

enum session_state session_wait(double seconds, struct outcome *out) {
  double until = seconds < 0 ? 1e300 : sys_now() + seconds;
  while (session.kernel && !module_abandoned()) {
    // The socket alone does not show the tuner's end if a fork of the program holds a
    // copy.
    const struct channel c = { descriptor_get(&session.socket),
                               descriptor_get(&session.pidfd), &session_protocol, NULL };
    double left = (until < session.end ? until : session.end) - sys_now();
    struct message m;
    enum channel_result e = c.socket < 0
        ? CHANNEL_CLOSED
        : channel_receive(&c, &m, session.packet, sizeof *session.packet,
                          left > 1       ? 1
                              : left > 0 ? left
                                         : 0);
    bool gone = e == CHANNEL_CLOSED || e == CHANNEL_WATCHED;
    if (e == CHANNEL_MESSAGE) {
      session.read++;
      if (session_obey(&c, &m, out))
        return session_finish(session.packet->end.rc, false, out);
    } else if (gone && descriptor_get(&session.socket) < 0) {
      out->cost = 0;
      session_lost(out);
      return session_finish(-1, false, out);
    } else if (gone || sys_now() >= session.end) {
      *out = (struct outcome){ .fd = -1 };
      char text[128] = "";
      snprintf(out->why, sizeof out->why, "default: the tuning process %s%s",
               gone ? "ended unexpectedly" : "did not answer",
               gone ? session_shortage(text, sizeof text) : "");
      return session_finish(-1, gone, out);
    } else if (sys_now() >= until) {
      return SESSION_RUNS;
    }
  }
  return session.kernel ? SESSION_RUNS : SESSION_NONE;
}

bool session_has_news(void) {
  struct shared_memory *shared = session_shared_memory();
  return session.kernel &&
      (!shared ||
       atomic_load_explicit(&shared->news, memory_order_relaxed) != session.read ||
       (++session.looks % 64 == 0 &&
        sys_now() >= session.end)); // reading the clock costs most
}

void session_cancel(void) {
  if (!session.kernel)
    return;
  int pidfd = descriptor_get(&session.pidfd); // SIGTERM lets it finish what it is writing
  if (session.background && pidfd >= 0)
    syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0);
  else if (!session.background)
    kill_tuner();
  if (!session.background)
    session_reap(LAST_BREATH);
  descriptor_close(&session.memory);
  end_session();
}

int session_run(const struct autotune_kernel *k, const struct identity *id,
                const struct call *call, const struct plan *plan,
                const struct session_listener *l, struct outcome *out) {
  const char *cache = options_get()->cache;
  bool remembers = !cache || *cache;
  struct plan p = *plan;
  enum session_state state = SESSION_NONE;
  int cancel;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  for (int i = 0; i <= CRASHES && session_start(k, id, call, &p, l, out) == 0; i++) {
    interrupt_begin();
    state = session_wait(-1, out);
    interrupt_end();
    if (state != SESSION_CRASHED || (!remembers && session.n_suspects == 0))
      break; // otherwise it would only crash again
    if (session.last && atomic_load(&session.last->hurry))
      break; // ^C has asked for the end, perhaps just before the crash
    if (i < CRASHES)
      log_message(AUTOTUNE_INFO,
                  "%s: the tuning process crashed; it goes on without the variants "
                  "it was at",
                  k->name);
    p.retry = true;
  }
  pthread_setcancelstate(cancel, NULL);
  return state == SESSION_ENDED && out->tuned ? 0 : -1;
}
