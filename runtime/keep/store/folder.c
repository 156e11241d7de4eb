// SPDX-License-Identifier: Apache-2.0
// folder.c: finds the folder of the results, and checks that only this user can write
// there.
//
// Object code is loaded from the folder, so anyone who can write there can run code as
// this user. The folder must be a directory (no link) of this user that nobody else may
// write. Each folder above it must belong to this user or to root, and must be writable
// by its owner alone or be sticky as /tmp is, so that nobody can put another folder in
// its place.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tables.h"

// Ends a function that returns NULL or false, and gives the reason.
#define REFUSE(...)                     \
  do {                                  \
    *message = sys_printf(__VA_ARGS__); \
    return 0;                           \
  } while (0)

// True if nobody but root and this user can replace what is in PATH, a directory without
// links.
static bool parent_is_safe(const char *path, char **message) {
  struct stat st;
  if (lstat(path, &st) != 0)
    REFUSE("%s: %s", path, strerror(errno));
  if (!S_ISDIR(st.st_mode))
    REFUSE("%s is not a directory", path);
  if (st.st_uid != 0 && st.st_uid != geteuid())
    REFUSE("%s belongs to somebody else (user %u)", path, (unsigned)st.st_uid);
  if ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX))
    REFUSE("%s can be written by others (mode %o)", path, st.st_mode & 07777u);
  return true;
}

static bool parents_are_safe(char *path, char **message) {
  for (char *p = path; *p; p++)
    if (*p == '/') {
      char next = p[1];
      p[1] = '\0';
      bool safe = parent_is_safe(path, message);
      p[1] = next;
      if (!safe)
        return false;
    }
  return parent_is_safe(path, message);
}

// Creates PATH and its parents, each with mode 0700.
static int make_folders(char *path) {
  struct stat st;
  if (lstat(path, &st) == 0)
    return 0;
  for (char *p = path + 1;; p++)
    if (*p == '/' || *p == '\0') {
      char end = *p;
      *p = '\0';
      int status = mkdir(path, 0700), error = errno;
      // A parent may exist where no directory can be made (EROFS), and need not be
      // readable.
      bool there = status == 0 || error == EEXIST ||
          (end != '\0' && (access(path, F_OK) == 0 || errno != ENOENT));
      *p = end;
      if (!there)
        errno = error;
      if (!there || end == '\0')
        return there ? 0 : -1;
    }
}

static bool folder_is_ours(const char *path, char **message) {
  struct stat st;
  if (lstat(path, &st) != 0)
    REFUSE("%s: %s", path, strerror(errno));
  if (S_ISLNK(st.st_mode))
    REFUSE("%s is a symbolic link", path);
  if (!S_ISDIR(st.st_mode))
    REFUSE("%s is not a directory", path);
  if (st.st_uid != geteuid())
    REFUSE("%s belongs to somebody else (user %u)", path, (unsigned)st.st_uid);
  if (st.st_mode & (S_IWGRP | S_IWOTH))
    REFUSE("%s can be written by others (mode %o)", path, st.st_mode & 07777u);
  return true;
}

// True if PATH, which is absolute, has no parts like "." that change where it leads.
static bool folder_is_plain(const char *path) {
  for (const char *p = path; (p = strchr(p, '/')) != NULL;) {
    size_t n = strcspn(++p, "/");
    if (n == 0 || (n <= 2 && strncmp(p, "..", n) == 0))
      return false;
  }
  return true;
}

// Cuts the last part off PATH, and returns where it was.
static char *folder_cut(char *path) {
  char *name = strrchr(path, '/');
  *name = '\0';
  return name;
}

// True if PATH exists and is safe, and is its own real name, as most are: then each part
// has to be looked at once only. parents_are_safe refuses links.
static bool folder_is_known_safe(char *path) {
  char *message = NULL, *name = folder_cut(path);
  bool safe = parents_are_safe(name == path ? (char[2]){ "/" } : path, &message);
  *name = '/';
  safe = safe && folder_is_ours(path, &message);
  free(message);
  return safe;
}

char *folder_check(const char *path, char **message) {
  char given[PATH_MAX], parent[PATH_MAX];
  *message = NULL;
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    n--;
  if (path[0] != '/' || n < 2)
    REFUSE("'%s' is not an absolute path of a folder", path);
  if (n >= sizeof given)
    REFUSE("the path of the folder is too long");
  memcpy(given, path, n);
  given[n] = '\0';
  if (folder_is_plain(given) && folder_is_known_safe(given))
    return sys_strdup(given);
  if (make_folders(given) != 0)
    REFUSE("cannot make %s: %s", given, strerror(errno));
  if (!folder_is_ours(given, message))
    return NULL;
  const char *name = folder_cut(given) + 1;
  if (!realpath(given[0] ? given : "/", parent))
    REFUSE("%s: %s", given, strerror(errno));
  if (!parents_are_safe(parent, message))
    return NULL;
  // Checks the real name again: links on the way may have been changed meanwhile.
  char *real = sys_printf("%s/%s", strcmp(parent, "/") ? parent : "", name);
  if (real && !folder_is_ours(real, message)) {
    free(real);
    return NULL;
  }
  return real;
}

// $XDG_CACHE_HOME/autotune, else ~/.cache/autotune. As the XDG specification has it, a
// relative path is ignored.
static char *default_path(void) {
  const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  if (cache && cache[0] == '/')
    return sys_printf("%s/autotune", cache);
  if (home && home[0] == '/')
    return sys_printf("%s/.cache/autotune", home);
  struct passwd entry, *found = NULL;
  char text[4096];
  if (getpwuid_r(geteuid(), &entry, text, sizeof text, &found) == 0 && found &&
      found->pw_dir[0] == '/' && found->pw_dir[1])
    return sys_printf("%s/.cache/autotune", found->pw_dir);
  return NULL;
}

char *folder_absolute(const char *path) {
  char *here = path[0] == '/' ? NULL : realpath(".", NULL);
  char *absolute = here ? sys_printf("%s/%s", here, path) : sys_strdup(path);
  free(here);
  return absolute;
}

char *folder_default(char **message) {
  *message = NULL;
  if (getauxval(AT_SECURE))
    REFUSE("a set-user-ID program keeps no results");
  const char *cache = options_get()->cache;
  if (cache && !*cache)
    REFUSE("switched off (AUTOTUNE_CACHE)");
  char *path = cache ? folder_absolute(cache) : default_path();
  if (!path)
    REFUSE("no folder for results: neither HOME nor a home directory is known");
  return path;
}

// The folder that was last found good, for this user. Returned paths point to it.
static struct {
  pthread_mutex_t mutex;
  char *path;
  uid_t user;
} kept = { .mutex = PTHREAD_MUTEX_INITIALIZER };

const char *folder_open(char **message) {
  char *path = folder_default(message);
  char *good = path ? folder_check(path, message) : NULL;
  free(path);
  pthread_mutex_lock(&kept.mutex);
  if (!good) {
    kept.path = NULL; // it is not safe any more
    pthread_mutex_unlock(&kept.mutex);
    return NULL;
  }
  if (!kept.path || strcmp(kept.path, good) != 0)
    kept.path = good; // the former one may be in use still
  else
    free(good);
  kept.user = geteuid();
  const char *result = kept.path;
  pthread_mutex_unlock(&kept.mutex);
  return result;
}

const char *folder_again(char **message) {
  *message = NULL;
  pthread_mutex_lock(&kept.mutex);
  const char *path = kept.user == geteuid() ? kept.path : NULL;
  pthread_mutex_unlock(&kept.mutex);
  return path ? path : folder_open(message);
}

int folder_file(const char *folder, const char *name, int flags) {
  const int safe = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY; // others may have put a FIFO there
  char *path = folder ? sys_printf("%s/%s", folder, name) : NULL;
  int fd = path ? sys_open(path, flags | safe, 0600) : -1;
  struct stat st;
  if (fd >= 0 &&
      (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())) {
    close(fd);
    fd = -1;
  }
  free(path);
  return fd;
}

int folder_temporary(const char *prefix, char **path) {
  static atomic_uint counter;
  *path = sys_printf("%s-%ld-%u", prefix, (long)getpid(), atomic_fetch_add(&counter, 1));
  if (!*path)
    return -1;
  unlink(*path); // a killed process with the same number may have left it
  return sys_open(*path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
}
