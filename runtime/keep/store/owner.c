// SPDX-License-Identifier: Apache-2.0
// owner.c: the process that a pending trial belongs to. While the process lives, the
// trial has not failed; if the process is gone, the trial killed it.
//
// A process is identified by its number, its start time, the boot of the machine (since
// numbers are used again) and the namespace of its number. It cannot be known here if a
// process in another container or on another machine, which may share the folder, is
// alive.
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tables.h"

// Seconds for which a trial of another machine is taken to be running; clocks may differ
// by some.
enum { FAR_AWAY = 120 };

// Reads a file of /proc, which comes as a whole.
static void owner_read_text(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
  text[n > 0 ? n : 0] = '\0';
  if (fd >= 0)
    close(fd);
}

// Returns field 22 of /proc/PID/stat, in clock ticks since boot. Fields are counted from
// the last ')', since the name of a process may hold any character. 0: there is no such
// process, or it has ended and its parent has not noticed yet.
static unsigned long long owner_start_time(long pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  owner_read_text(path, text, sizeof text);
  char *p = strrchr(text, ')');
  if (p && strlen(p) > 2 && (p[2] == 'Z' || p[2] == 'X'))
    return 0;
  for (int field = 2; p && field < 22; field++)
    p = strchr(p + 1, ' ');
  return p ? strtoull(p + 1, NULL, 10) : 0;
}

// Writes "BOOT pid:[4026531836]", the scope in which a process number is unique.
static void owner_place(char *text, size_t size) {
  char boot[64], names[64];
  ssize_t n = readlink("/proc/self/ns/pid", names, sizeof names - 1);
  names[n > 0 ? n : 0] = '\0';
  owner_read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  boot[strcspn(boot, "\n")] = '\0';
  snprintf(text, size, "%s %s", boot, names);
}

void store_owner(char *text, size_t size) {
  char here[160];
  owner_place(here, sizeof here);
  snprintf(text, size, "%ld %llu %s", (long)getpid(), owner_start_time(getpid()), here);
}

bool store_owner_lives(const struct record *r) {
  char here[160], *end;
  long pid = strtol(r->message, &end, 10);
  unsigned long long start = strtoull(end, &end, 10);
  owner_place(here, sizeof here);
  if (pid <= 0 || start == 0 || *end != ' ')
    return false;
  if (strcmp(end + 1, here) != 0)
    return fabs(sys_unix() - r->when) < FAR_AWAY;
  return owner_start_time(pid) == start;
}

// A tuning on another machine is taken to be running for as long as its budget lasts.
bool progress_lives(const struct progress *c) {
  struct record r = { .message = c->owner,
                      .when = c->until > c->when ? c->until : c->when };
  if (sys_unix() < r.when)
    r.when = sys_unix();
  return c->phase != PHASE_ENDED && store_owner_lives(&r);
}
