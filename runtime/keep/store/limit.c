// SPDX-License-Identifier: Apache-2.0
// limit.c: the size of the folder, and its limit: compiled winners that were not used for
// the longest time are removed.
//
// The time of a file's last change is when it was last used: objects_used sets it. What
// was used a few minutes ago stays, since a process may be about to open it. A winner
// whose file is gone is compiled again when it is needed. Rows are never removed.
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tables.h"

enum {
  IN_USE = 600,      // seconds since its last use in which an object is not removed
  STEP = 60,         // seconds by which the time of the last use may be too old
  CANDIDATES = 65536 // objects that one call looks at
};

bool object_of_name(const char *name, uint64_t *hash) {
  if (strlen(name) != 19 || strspn(name, "0123456789abcdef") != 16 ||
      strcmp(name + 16, ".so") != 0)
    return false;
  *hash = strtoull(name, NULL, 16);
  return true;
}

void objects_used(const char *path) {
  const struct timespec now[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };
  struct stat st;
  if (lstat(path, &st) == 0 && sys_unix() - (double)st.st_mtime > STEP)
    utimensat(AT_FDCWD, path, now, AT_SYMLINK_NOFOLLOW);
}

// ---- all files ----------------------------------------------------------------------

static void visit_files(const char *path, bool objects,
                        void (*see)(const struct folder_entry *e, void *data),
                        void *data) {
  DIR *d = opendir(path);
  for (struct dirent *e; d && (e = readdir(d));) {
    struct folder_entry file = { .name = e->d_name };
    struct stat st;
    if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
      continue;
    file.object = objects && object_of_name(e->d_name, &file.hash);
    file.bytes = (uint64_t)st.st_size;
    file.used = (double)st.st_mtime;
    see(&file, data);
  }
  if (d)
    closedir(d);
}

void folder_visit(const char *folder,
                  void (*see)(const struct folder_entry *e, void *data), void *data) {
  char *objects = sys_printf("%s/objects", folder);
  visit_files(folder, false, see, data);
  if (objects)
    visit_files(objects, true, see, data);
  free(objects);
}

// ---- the limit ----------------------------------------------------------------------

struct limited {
  uint64_t bytes; // of all files
  double before;  // what was used since then stays
  struct limit_object {
    uint64_t hash, bytes;
    double used;
  } *objects;
  unsigned n, room;
};

static void limit_see(const struct folder_entry *e, void *data) {
  struct limited *l = data;
  l->bytes += e->bytes;
  if (!e->object || e->used > l->before || l->n == CANDIDATES)
    return;
  if (l->n == l->room) {
    unsigned room = l->room ? 2 * l->room : 64;
    void *more = sys_realloc(l->objects, room * sizeof *l->objects);
    if (!more)
      return;
    l->objects = more;
    l->room = room;
  }
  l->objects[l->n++] = (struct limit_object){ e->hash, e->bytes, e->used };
}

static int limit_compare(const void *a, const void *b) {
  const struct limit_object *x = a, *y = b;
  return (x->used > y->used) - (x->used < y->used);
}

// Removes O's file, unless it was used since BEFORE: another process may have just found
// it.
static bool limit_remove(const char *folder, const struct limit_object *o,
                         double before) {
  char *path = object_path(folder, o->hash);
  struct stat st;
  bool gone = path && lstat(path, &st) == 0 && (double)st.st_mtime <= before &&
      unlink(path) == 0;
  free(path);
  return gone;
}

unsigned objects_limit(const char *folder, uint64_t most) {
  struct limited l = { .before = sys_unix() - IN_USE };
  unsigned removed = 0;
  if (!most)
    return 0;
  folder_visit(folder, limit_see, &l);
  if (l.bytes > most && l.n)
    qsort(l.objects, l.n, sizeof *l.objects, limit_compare);
  // Below the limit by a tenth, so that not each new object makes work.
  uint64_t goal = l.bytes > most ? most - most / 10 : UINT64_MAX;
  for (unsigned i = 0; i < l.n && l.bytes > goal; i++)
    if (limit_remove(folder, &l.objects[i], l.before)) {
      l.bytes -= l.objects[i].bytes;
      removed++;
    }
  free(l.objects);
  if (removed)
    log_message(AUTOTUNE_INFO,
                "%u compiled winner%s removed from %s, which is to take %llu bytes at "
                "most (AUTOTUNE_MAXSIZE)",
                removed, removed == 1 ? " was" : "s were", folder,
                (unsigned long long)most);
  return removed;
}
