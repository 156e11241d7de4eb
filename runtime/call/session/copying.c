// SPDX-License-Identifier: Apache-2.0
// copying.c: how long a fork of the program takes. The kernel copies the page tables of
// all private memory meanwhile: some 10 to 25 ns for each page that is in use.
//
// The first fork is estimated from the number of pages, later ones from the last two: the
// faster counts, because a busy machine only makes a fork slower.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "packet.h"
#include "session.h"

// Seconds. Where a copy of a page cannot be measured, it counts as PAGE_UNMEASURED.
const double SESSION_PAGE_UNMEASURED = 5e-6;
static const double at_least = 150e-6, a_page = 20e-9, least_page = 100e-9,
                    most_page = 120e-6;
static struct {
  _Atomic double seconds, pages; // of the better one of the last two forks; 0: none yet
  _Atomic double took, last;     // seconds of the last fork, and for each page
} copying;

double session_pages(void) {
  char text[128], *at = text;
  long field[3] = { 0 };
  int fd = sys_open("/proc/self/statm", O_RDONLY, 0);
  ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  for (int i = 0; i < 3; i++) // size, resident, shared
    field[i] = strtol(at, &at, 10);
  return field[1] > field[2] ? (double)(field[1] - field[2]) : 0;
}

// Tests do not set this clock, so waiting for it comes to an end. Returns seconds.
static double copying_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The pages of a private mapping of a file are copied in the same way as those of a
// forked process. The fastest of some passes counts: another program may have had the
// processor in the others.
static double copying_measure(void) {
  enum { PASSES = 4, PAGES = 8 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PASSES * PAGES * page;
  int fd = memfd_create("autotune-pages", MFD_CLOEXEC);
  char *memory = fd >= 0 && ftruncate(fd, (off_t)size) == 0
      ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0)
      : MAP_FAILED;
  double least = most_page;
  if (fd >= 0)
    close(fd);
  if (memory == MAP_FAILED)
    return SESSION_PAGE_UNMEASURED;
  for (size_t i = 0; i < size; i += page)
    (void)*(volatile char *)(memory + i);
  for (size_t pass = 0; pass < PASSES; pass++) {
    volatile char *at = memory + pass * PAGES * page;
    double begun = copying_clock();
    for (size_t i = 0; i < PAGES; i++)
      at[i * page] = 1;
    least = fmin(least, (copying_clock() - begun) / PAGES);
  }
  munmap(memory, size);
  return least >= least_page
      ? least
      : SESSION_PAGE_UNMEASURED; // mlockall: they were copied before
}

// What runs beside the program's thread while it is measured.
struct neighbour {
  atomic_bool runs;
  double latest; // when it ends, if it is not killed
};

// It has the program's thread-local variables, so it must not set errno.
static int neighbour_run(void *data) {
  struct neighbour *n = data;
  atomic_store(&n->runs, true);
  while (copying_clock() < n->latest)
    ;
  return 0;
}

// Measures the copies while another processor runs with the same memory, as it does where
// the program has threads. For each page it is interrupted and told. On a virtual machine
// that takes six times as long as the copy.
static double copying_measure_beside(void) {
  enum { STACK = 64 << 10 };
  double begun = copying_clock(), awaited = begun + 2e-3,
         seconds = SESSION_PAGE_UNMEASURED;
  struct neighbour n = { .latest = begun + 50e-3 };
  char *stack = sys_mmap(STACK, false);
  pid_t pid = stack ? clone(neighbour_run, stack + STACK, CLONE_VM | CLONE_FILES, &n)
                    : -1;
  while (pid > 0 && !atomic_load(&n.runs) && copying_clock() < awaited)
    ;
  if (atomic_load(&n.runs))
    seconds = copying_measure();
  if (pid > 0)
    kill(pid, SIGKILL);
  while (pid > 0 && waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
    ;
  if (stack)
    munmap(stack, STACK);
  return seconds;
}

// True if there may be a neighbour, and it finds another processor than the calling
// thread's.
static bool copying_has_room(void) {
  cpu_set_t allowed;
  return detach_shares() && sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
      CPU_COUNT(&allowed) > 1;
}

double session_page_seconds(bool threads) {
  static _Atomic double alone, beside;
  threads = threads && machine_threads() > 1;
  _Atomic double *known = threads ? &beside : &alone;
  double seconds = atomic_load(known);
  if (seconds > 0)
    return seconds;
  // The neighbour must not run the program's signal handlers. In this thread none may
  // jump out of here while the neighbour runs.
  struct blocked_signals raised;
  sigset_t all, before;
  int error = errno, cancels;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels);
  sys_block_signals(&raised);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (threads)
    seconds =
        fmax(copying_has_room() ? copying_measure_beside() : SESSION_PAGE_UNMEASURED,
             atomic_load(&alone));
  else
    seconds = copying_measure();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sys_unblock_signals(&raised);
  pthread_setcancelstate(cancels, NULL);
  errno = error;
  atomic_store(known, seconds);
  return seconds;
}

double session_fork_expected(double pages, double seconds, double last_pages) {
  double estimate = at_least + pages * a_page;
  if (last_pages <= 0)
    return estimate;
  return seconds * (pages > last_pages ? pages / last_pages : 1);
}

double session_fork_seconds(double pages) {
  return session_fork_expected(pages, atomic_load(&copying.seconds),
                               atomic_load(&copying.pages));
}

double session_fork_took(void) {
  return atomic_load(&copying.took);
}

void session_forked(double seconds) {
  double pages = session_pages(), before = atomic_load(&copying.last);
  atomic_store(&copying.took, seconds);
  if (pages <= 0)
    return;
  atomic_store(&copying.last, seconds / pages);
  double better = before > 0 && before < seconds / pages ? before * pages : seconds;
  double first = session_fork_expected(pages, 0, 0);
  // The first one may have waited for a processor.
  atomic_store(&copying.seconds, before > 0 || better < first ? better : first);
  atomic_store(&copying.pages, pages);
}
