// SPDX-License-Identifier: Apache-2.0
// log.c: messages to standard error or to the program's callback, and the progress line.
//
// Each message is one write, without stdio, whose locks and buffers belong to the
// program.
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base.h"

enum { TOPICS = 256, LINE = 1024, LONGEST = 1 << 20 };

// Recursive, so that a callback may itself call autotune_set_log.
static struct {
  pthread_once_t once;
  pthread_mutex_t mutex;
  autotune_log_fn *fn;
  void *data;
  bool progress; // the terminal shows a progress line
  // Hashes of the topics of log_once. Shared with forked children (the tuner), so that no
  // two processes warn of the same; private if no shared memory could be mapped.
  _Atomic uint64_t *topics;
  _Atomic uint64_t own[TOPICS];
} logs = { .once = PTHREAD_ONCE_INIT, .mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };

// In the child of a fork: resets a lock that another thread held, since it does not exist
// there.
static void log_after_fork(void) {
  pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  logs.mutex = fresh;
}

static void log_begin(void) {
  void *page = sys_mmap(TOPICS * sizeof *logs.topics, true);
  logs.topics = page ? page : logs.own;
  pthread_atfork(NULL, NULL, log_after_fork);
}

void log_share(void) {
  pthread_once(&logs.once, log_begin);
}

bool log_enabled(enum autotune_level level) {
  return level <= options_get()->log_level;
}

void autotune_set_log(autotune_log_fn *fn, void *data) {
  pthread_once(&logs.once, log_begin);
  pthread_mutex_lock(&logs.mutex);
  logs.fn = fn;
  logs.data = data;
  pthread_mutex_unlock(&logs.mutex);
}

static void log_put(const char *s, size_t size) {
  while (size > 0) {
    ssize_t n = write(STDERR_FILENO, s, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return; // the failure cannot be reported
    s += n;
    size -= (size_t)n;
  }
}

static void log_put_line(enum autotune_level level, const char *message) {
  static const char *const names[] = { "error", "warning", "info", "debug" };
  char small[LINE + 64];
  size_t size = strlen(message) + 64;
  char *line = size <= sizeof small ? small : malloc(size);
  if (!line) {
    line = small;
    size = sizeof small;
  }
  int n = snprintf(line, size, "%sautotune: %s: %s", logs.progress ? "\r\033[K" : "",
                   names[level], message);
  size_t end = (size_t)n < size - 1 ? (size_t)n : size - 2;
  line[end] = '\n';
  log_put(line, end + 1);
  logs.progress = false;
  if (line != small)
    free(line);
}

// Replaces control characters: a stored text or a compiler's message may hold them, and a
// terminal obeys them.
static void log_clean(char *text) {
  for (unsigned char *p = (unsigned char *)text; *p; p++) {
    bool second = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0; // U+0080 to U+009F
    if (second)
      *p++ = '?';
    if (second || (*p < ' ' && *p != '\n' && *p != '\t') || *p == 0x7f)
      *p = '?';
  }
}

static void log_tell(enum autotune_level level, const char *format, va_list args) {
  char small[LINE], *text = small;
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(small, sizeof small, format, args);
  if (n >= LINE && n < LONGEST && (text = malloc((size_t)n + 1)))
    vsnprintf(text, (size_t)n + 1, format, again);
  else
    text = small;
  va_end(again);
  log_clean(text);
  pthread_once(&logs.once, log_begin);
  pthread_mutex_lock(&logs.mutex);
  if (logs.fn)
    logs.fn(level, text, logs.data);
  else
    log_put_line(level, text);
  pthread_mutex_unlock(&logs.mutex);
  if (text != small)
    free(text);
}

void log_message(enum autotune_level level, const char *format, ...) {
  if (!log_enabled(level))
    return;
  int error = errno;
  va_list args;
  va_start(args, format);
  log_tell(level, format, args);
  va_end(args);
  errno = error;
}

// FNV-1a, from H on.
static uint64_t topic_hash(uint64_t h, const char *text) {
  for (; *text; text++)
    h = (h ^ (unsigned char)*text) * 0x100000001b3u;
  return h;
}

// True if TOPIC of NAME is new. If the table is full, a message is repeated rather than
// lost.
static bool topic_is_new(const char *name, const char *topic) {
  pthread_once(&logs.once, log_begin);
  uint64_t h = topic_hash(topic_hash(0xcbf29ce484222325u, name), topic);
  h = h ? h : 1;
  for (unsigned i = 0; i < TOPICS; i++) {
    uint64_t seen = 0;
    if (atomic_compare_exchange_strong(&logs.topics[(h + i) % TOPICS], &seen, h))
      return true;
    if (seen == h)
      return false;
  }
  return true;
}

static void log_tell_once(enum autotune_level level, const char *name, const char *topic,
                          const char *format, va_list args) {
  if (!log_enabled(level))
    return;
  int error = errno;
  if (topic_is_new(name, topic))
    log_tell(level, format, args);
  errno = error;
}

void log_once(enum autotune_level level, const char *topic, const char *format, ...) {
  va_list args;
  va_start(args, format);
  log_tell_once(level, "", topic, format, args);
  va_end(args);
}

void log_once_of(enum autotune_level level, const char *name, const char *topic,
                 const char *format, ...) {
  va_list args;
  va_start(args, format);
  log_tell_once(level, name, topic, format, args);
  va_end(args);
}

static unsigned log_terminal_columns(void) {
  struct winsize w;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 10)
    return w.ws_col;
  return 80;
}

bool log_progress(const char *line) {
  int error = errno;
  bool shown = log_enabled(AUTOTUNE_INFO) && isatty(STDERR_FILENO);
  errno = error;
  if (!shown)
    return false;
  char text[512];
  int n = 0;
  pthread_once(&logs.once, log_begin);
  pthread_mutex_lock(&logs.mutex);
  if (line && !logs.fn) {
    // Leaves the last column free: writing to it makes some terminals wrap.
    n = snprintf(text, sizeof text, "\r\033[K%.*s", (int)log_terminal_columns() - 1,
                 line);
    logs.progress = true;
  } else if (logs.progress) {
    n = snprintf(text, sizeof text, "\r\033[K");
    logs.progress = false;
  }
  if (n > 0)
    log_put(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
  pthread_mutex_unlock(&logs.mutex);
  errno = error;
  return n > 0;
}

bool log_waiting(const char *format, ...) {
  int error = errno;
  bool shown = options_get()->log_level == AUTOTUNE_WARN && isatty(STDERR_FILENO);
  char text[512];
  va_list args;
  va_start(args, format);
  int n = shown ? vsnprintf(text, sizeof text - 1, format, args) : 0;
  va_end(args);
  pthread_once(&logs.once, log_begin);
  pthread_mutex_lock(&logs.mutex);
  if (n > 0 && !logs.fn) {
    log_clean(text);
    size_t size = strlen(text);
    text[size] = '\n';
    log_put(text, size + 1);
  }
  pthread_mutex_unlock(&logs.mutex);
  errno = error;
  return n > 0;
}
