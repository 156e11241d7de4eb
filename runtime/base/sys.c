// SPDX-License-Identifier: Apache-2.0
// sys.c: memory, files, processes and the clock. A test can make each of these calls
// fail.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base.h"

static const struct {
  const char *name;
  int error;
} points[SYS_POINTS] = {
  [SYS_MALLOC] = { "malloc", ENOMEM }, [SYS_OPEN] = { "open", EMFILE },
  [SYS_WRITE] = { "write", ENOSPC },   [SYS_FSYNC] = { "fsync", EIO },
  [SYS_RENAME] = { "rename", EIO },    [SYS_FORK] = { "fork", EAGAIN },
  [SYS_THREAD] = { "thread", EAGAIN }, [SYS_SQLITE] = { "sqlite", EIO },
  [SYS_JIT] = { "jit", ENOMEM },       [SYS_MMAP] = { "mmap", ENOMEM },
  [SYS_PIPE] = { "pipe", EMFILE },
};

// The faults of AUTOTUNE_FAULT. Every call reads `armed`; the rest is read only if it is
// 2.
static struct {
  pthread_once_t once;
  atomic_int armed; // 0: not read yet, 1: nothing to fail, 2: something may fail
  struct {
    unsigned long at;
    bool later;
    atomic_ulong calls;
  } point[SYS_POINTS];
  _Atomic double clock; // the time that sys_now returns; negative: the real clock
} sys = { .once = PTHREAD_ONCE_INIT, .clock = -1 };

static void parse_fault(const char *word, size_t size) {
  for (int p = 0; p < SYS_POINTS; p++) {
    size_t n = strlen(points[p].name);
    if (size <= n || strncmp(word, points[p].name, n) != 0 || word[n] != ':')
      continue;
    char *end;
    sys.point[p].at = strtoul(word + n + 1, &end, 10);
    sys.point[p].later = *end == '+';
  }
}

static void parse_faults(void) {
  const char *s = secure_getenv("AUTOTUNE_FAULT");
  int armed = s && *s ? 2 : 1;
  while (s && *s) {
    size_t n = strcspn(s, ",");
    parse_fault(s, n);
    s += n + (s[n] == ',');
  }
  atomic_store_explicit(&sys.armed, armed, memory_order_release);
}

bool sys_fails(enum sys_point point) {
  int armed = atomic_load_explicit(&sys.armed, memory_order_acquire);
  if (__builtin_expect(armed == 1, 1))
    return false;
  if (armed == 0) {
    pthread_once(&sys.once, parse_faults);
    return sys_fails(point);
  }
  unsigned long at = sys.point[point].at;
  if (at == 0)
    return false;
  unsigned long call = atomic_fetch_add(&sys.point[point].calls, 1) + 1;
  bool fails = call == at || (call > at && sys.point[point].later);
  if (fails)
    errno = points[point].error;
  return fails;
}

void *sys_malloc(size_t size) {
  return sys_fails(SYS_MALLOC) ? NULL : malloc(size ? size : 1);
}

void *sys_calloc(size_t n, size_t size) {
  return sys_fails(SYS_MALLOC) ? NULL : calloc(n ? n : 1, size ? size : 1);
}

void *sys_realloc(void *p, size_t size) {
  return sys_fails(SYS_MALLOC) ? NULL : realloc(p, size ? size : 1);
}

char *sys_strdup(const char *s) {
  size_t n = strlen(s) + 1;
  char *copy = sys_malloc(n);
  return copy ? memcpy(copy, s, n) : NULL;
}

const char *sys_file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *sys_printf(const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  char *text = n < 0 ? NULL : sys_malloc((size_t)n + 1);
  if (text)
    vsnprintf(text, (size_t)n + 1, format, again);
  va_end(again);
  va_end(args);
  return text;
}

int sys_open(const char *path, int flags, mode_t mode) {
  return sys_fails(SYS_OPEN) ? -1 : open(path, flags | O_CLOEXEC, mode);
}

int sys_write_all(int fd, const void *data, size_t size) {
  if (sys_fails(SYS_WRITE))
    return -1;
  for (const char *p = data; size > 0;) {
    ssize_t n = write(fd, p, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return -1;
    p += n;
    size -= (size_t)n;
  }
  return 0;
}

int sys_read_all(int fd, void *data, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t n = read(fd, (char *)data + done, size - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    if (n == 0)
      break;
    done += (size_t)n;
  }
  return (int)done;
}

int sys_fsync(int fd) {
  return sys_fails(SYS_FSYNC) ? -1 : fsync(fd);
}

int sys_rename(const char *from, const char *to) {
  return sys_fails(SYS_RENAME) ? -1 : rename(from, to);
}

pid_t sys_fork(void) {
  return sys_fails(SYS_FORK) ? -1 : fork();
}

void *sys_mmap(size_t size, bool shared) {
  if (sys_fails(SYS_MMAP))
    return NULL;
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                 (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

void sys_block_signals(struct blocked_signals *h) {
  static const int raised[] = { SIGPIPE, SIGXFSZ };
  sigset_t pending, block;
  sigemptyset(&h->ours);
  sigemptyset(&block);
  sigemptyset(&pending);
  sigpending(&pending); // already pending signals are the program's
  for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) {
    sigaddset(&block, raised[i]);
    if (!sigismember(&pending, raised[i]))
      sigaddset(&h->ours, raised[i]);
  }
  pthread_sigmask(SIG_BLOCK, &block, &h->before);
}

void sys_unblock_signals(const struct blocked_signals *h) {
  const struct timespec now = { 0, 0 };
  int error = errno;
  while (sigtimedwait(&h->ours, NULL, &now) > 0 || errno == EINTR)
    ;
  pthread_sigmask(SIG_SETMASK, &h->before, NULL);
  errno = error;
}

double sys_cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double sys_unix(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

unsigned sys_threads(void) {
  struct stat tasks;
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2
      ? (unsigned)tasks.st_nlink - 2
      : 1;
}

double sys_now(void) {
  double set = atomic_load_explicit(&sys.clock, memory_order_relaxed);
  if (set >= 0)
    return set;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sys_set_clock(double seconds) {
  atomic_store_explicit(&sys.clock, seconds, memory_order_relaxed);
}
