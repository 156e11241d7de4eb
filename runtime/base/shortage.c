// SPDX-License-Identifier: Apache-2.0
// shortage.c: reads of the kernel whether memory was short (shortage.h).
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shortage.h"

typedef unsigned long long number;

// A version of cgroups.
struct version {
  const char *marks; // the line of /proc/self/cgroup: "0::/path", "4:memory:/path"
  const char *mount, *limit, *events;
};
static const struct version versions[] = {
  { ":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.oom_control" },
  { "0::", "/sys/fs/cgroup", "memory.max", "memory.events" },
};

static struct {
  const char *root;
  number kills;
} shortage;

// What memory is limited by.
struct limit {
  number bytes, kills; // kills: so far
  const char *name;
  bool group; // of the cgroup
};

static bool shortage_read(const char *path, char *text, size_t size) {
  char whole[1024];
  int n = snprintf(whole, sizeof whole, "%s%s", shortage.root ? shortage.root : "", path);
  int fd = n < (int)sizeof whole ? open(whole, O_RDONLY | O_CLOEXEC) : -1;
  ssize_t got = fd >= 0 ? read(fd, text, size - 1) : -1;
  if (fd >= 0)
    close(fd);
  text[got > 0 ? got : 0] = '\0';
  return got > 0;
}

// Reads the number after the word KEY in the file at PATH; "": the number it begins with.
static bool shortage_number(const char *path, const char *key, number *value) {
  char text[16384];
  const char *at = shortage_read(path, text, sizeof text) ? text : NULL;
  size_t n = strlen(key);
  while (at && n > 0 && !(strncmp(at, key, n) == 0 && strchr(" :", at[n]))) {
    at = strchr(at, '\n');
    at += at != NULL;
  }
  at = at && n > 0 ? at + n + 1 + strspn(at + n + 1, " ") : at;
  if (!at || *at < '0' || *at > '9')
    return false; // "max", too
  *value = strtoull(at, NULL, 10);
  return true;
}

// Reads the limit of the group PATH, or the lowest of the groups around it. False: this
// version has no such group.
static bool shortage_group(const struct version *v, char *path, struct limit *out) {
  char file[1024];
  bool found = false;
  for (;;) {
    number bytes;
    snprintf(file, sizeof file, "%s%s/%s", v->mount, path, v->events);
    if (!found) // in a container, PATH may be the one outside of it
      found = shortage_number(file, "oom_kill", &out->kills);
    snprintf(file, sizeof file, "%s%s/%s", v->mount, path, v->limit);
    if (shortage_number(file, "", &bytes) && bytes < out->bytes) {
      out->bytes = bytes;
      out->name = v->limit;
      out->group = true;
    }
    char *slash = strrchr(path, '/');
    if (!slash)
      return found;
    *slash = '\0';
  }
}

static struct limit shortage_limit(void) {
  struct limit l = { .name = "MemTotal" };
  char groups[4096];
  if (shortage_number("/proc/meminfo", "MemTotal", &l.bytes))
    l.bytes *= 1024;
  shortage_number("/proc/vmstat", "oom_kill", &l.kills);
  shortage_read("/proc/self/cgroup", groups, sizeof groups);
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    char path[512];
    const char *at = strstr(groups, versions[i].marks);
    at = at ? at + strlen(versions[i].marks) : "";
    snprintf(path, sizeof path, "%.*s", (int)strcspn(at, "\n"), at);
    if (*at && shortage_group(&versions[i], path, &l))
      break;
  }
  return l;
}

number shortage_begin(void) {
  shortage.kills = shortage_limit().kills;
  return shortage.kills;
}

void shortage_since(number kills) {
  shortage.kills = kills;
}

const char *shortage_text(char *text, size_t size) {
  struct limit l = shortage_limit();
  bool killed = l.kills > shortage.kills;
  shortage.kills = l.kills;
  text[0] = '\0';
  if (killed)
    snprintf(text, size, ": out of memory (%s of the %s: %.0f MiB)", l.name,
             l.group ? "cgroup" : "machine", (double)l.bytes / (1 << 20));
  return text;
}

void shortage_die_first(int score) {
  number now = 0;
  char text[16];
  int n = snprintf(text, sizeof text, "%d", score);
  if (shortage_number("/proc/self/oom_score_adj", "", &now) && now >= (number)score)
    return;
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (write(fd, text, (size_t)n) < 0) {
    // without it the kernel chooses the largest process
  }
  close(fd);
}

void shortage_set_root(const char *root) {
  shortage.root = root;
}
