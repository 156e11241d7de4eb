// SPDX-License-Identifier: Apache-2.0
// entered.c: which winners are in their first call in some process, so that one that ends
// its process is not simply taken again by the next.
//
// A file of the store has one slot for each such call. A slot is written before the call
// and cleared after it: two system calls each time, and no wait for the disk, since what
// a process has written survives its end. Slots are found by trial; when two processes
// meet in one, a note is lost, and nothing else.
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "tables.h"

enum { SLOTS = 256, TRIES = 8, OLD = 30 * 24 * 3600 /* seconds */, CALLS = 20 };
struct entered {
  int64_t problem;
  uint64_t variant;
  double when;     // unix time
  char owner[128]; // the process, as for a pending trial
  uint64_t sum;    // of all before
};

static uint64_t entered_sum(const struct entered *e) {
  return XXH3_64bits(e, offsetof(struct entered, sum));
}

// True if E is a note, and not an empty or damaged slot.
static bool entered_is_note(const struct entered *e) {
  return e->variant != 0 && e->sum == entered_sum(e) &&
      memchr(e->owner, '\0', sizeof e->owner) != NULL;
}

// True if the call may still run, which takes SECONDS. A process in another container or
// on another machine cannot be seen: it has the time of CALLS calls, and some minutes.
static bool entered_lives(const struct entered *e, double seconds) {
  double now = sys_unix(), when = fmin(e->when + CALLS * seconds, fmax(now, e->when));
  const struct record r = { .message = e->owner, .when = when };
  return store_owner_lives(&r);
}

// Opens the file; -1: there is no store, or it cannot be written.
static int entered_open(int flags) {
  char *message = NULL;
  int fd = folder_file(folder_again(&message), "entered", flags);
  free(message);
  return fd;
}

static bool entered_read(int fd, unsigned slot, struct entered *e) {
  return pread(fd, e, sizeof *e, (off_t)(slot * sizeof *e)) == sizeof *e;
}

static bool entered_write(int fd, unsigned slot, const struct entered *e) {
  return !sys_fails(SYS_WRITE) &&
      pwrite(fd, e, sizeof *e, (off_t)(slot * sizeof *e)) == sizeof *e;
}

// Returns a free slot near START; -1: there is none.
static int entered_find(int fd, unsigned start) {
  struct entered e;
  for (unsigned i = 0; i < TRIES; i++) {
    unsigned slot = (start + i) % SLOTS;
    if (!entered_read(fd, slot, &e) || !entered_is_note(&e) || sys_unix() - e.when > OLD)
      return (int)slot;
  }
  return -1;
}

int entered_note(const struct identity *id, uint64_t variant) {
  struct entered e = { .problem = problem_id(id), .variant = variant };
  int fd = e.problem && variant ? entered_open(O_RDWR | O_CREAT) : -1;
  if (fd < 0)
    return -1;
  e.when = sys_unix();
  store_owner(e.owner, sizeof e.owner);
  e.sum = entered_sum(&e);
  int slot = entered_find(fd, (unsigned)(e.sum % SLOTS));
  if (slot >= 0 && !entered_write(fd, (unsigned)slot, &e))
    slot = -1;
  close(fd);
  return slot;
}

void entered_clear(int slot) {
  const struct entered none = { .problem = 0 };
  int fd = slot >= 0 ? entered_open(O_RDWR) : -1;
  if (fd >= 0) {
    entered_write(fd, (unsigned)slot, &none);
    close(fd);
  }
}

// Calls SEE for each note in FD, until it returns false. Reads some at a time, since a
// first call has most memory from the kernel page by page.
static void entered_each(int fd,
                         bool (*see)(const struct entered *e, unsigned slot, void *data),
                         void *data) {
  struct entered some[32];
  for (unsigned first = 0; first < SLOTS; first += 32) {
    ssize_t got = pread(fd, some, sizeof some, (off_t)(first * sizeof *some));
    for (unsigned i = 0; i < 32 && got >= (ssize_t)((i + 1) * sizeof *some); i++)
      if (entered_is_note(&some[i]) && !see(&some[i], first + i, data))
        return;
    if (got < (ssize_t)sizeof some)
      return;
  }
}

struct entered_search {
  int fd;
  int64_t problem;
  uint64_t variant;
  double seconds;
  unsigned found;
};

static bool entered_doubt(const struct entered *e, unsigned slot, void *data) {
  struct entered_search *s = data;
  (void)slot;
  s->found += e->variant == s->variant && !entered_lives(e, 0);
  return s->found == 0;
}

bool entered_doubts(uint64_t variant) {
  struct entered_search s = { .fd = entered_open(O_RDONLY), .variant = variant };
  if (s.fd >= 0) {
    entered_each(s.fd, entered_doubt, &s);
    close(s.fd);
  }
  return s.found > 0;
}

static bool entered_take(const struct entered *e, unsigned slot, void *data) {
  const struct entered none = { .problem = 0 };
  struct entered_search *s = data;
  if (e->problem == s->problem && e->variant == s->variant &&
      !entered_lives(e, s->seconds)) {
    entered_write(s->fd, slot, &none);
    s->found++;
  }
  return true;
}

unsigned entered_ended(const struct identity *id, uint64_t variant, double seconds) {
  struct entered_search s = {
    .fd = -1, .problem = problem_id(id), .variant = variant, .seconds = seconds
  };
  if (s.problem && (s.fd = entered_open(O_RDWR)) >= 0) {
    entered_each(s.fd, entered_take, &s);
    close(s.fd);
  }
  return s.found;
}
