// SPDX-License-Identifier: Apache-2.0
// temporary.c: private folders for temporary files (temporary.h).
//
// Each folder is locked (flock) by the process that made it. The lock goes with the
// process, however that ends, and not with compilers that it runs. If a folder is older
// than MOMENT and has no lock, its owner has ended, and the folder is removed. Where the
// file system has no such locks, nothing is removed.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base.h"
#include "temporary.h"

#define NAME "autotune-private-"

// Seconds that a folder may be without a lock: its owner makes it first and then locks
// it.
enum { MOMENT = 10 };

// A folder entry as the kernel writes it; readdir would not be safe in a signal handler.
struct entry {
  uint64_t inode, offset;
  unsigned short size;
  unsigned char type;
  char name[];
};

static void temporary_empty(int fd, unsigned depth) {
  char buffer[4096] __attribute__((aligned(8)));
  for (bool removed = true; removed;) {
    removed = false;
    lseek(fd, 0, SEEK_SET);
    for (long n; (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;)
      for (long at = 0; at < n;) {
        const struct entry *e = (const struct entry *)(buffer + at);
        at += e->size;
        if (strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0)
          continue;
        if (unlinkat(fd, e->name, 0) == 0) {
          removed = true;
          continue;
        }
        int inner = depth < 8 ? openat(fd, e->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
                              : -1;
        if (inner < 0)
          continue;
        temporary_empty(inner, depth + 1);
        close(inner);
        removed |= unlinkat(fd, e->name, AT_REMOVEDIR) == 0;
      }
  }
}

void temporary_remove(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0) {
    temporary_empty(fd, 0);
    close(fd);
  }
  rmdir(path);
}

// ---- what others left ---------------------------------------------------------------

// True if FD is a folder of this user's that its owner has not just made.
static bool temporary_is_old(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
      (info.st_mode & 0777) == 0700 && info.st_mtime + MOMENT < time(NULL);
}

static void temporary_sweep(const char *parent) {
  DIR *d = opendir(*parent ? parent : "/");
  for (struct dirent *e; d && (e = readdir(d));) {
    if (strncmp(e->d_name, NAME, strlen(NAME)) != 0)
      continue;
    int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
      continue;
    if (temporary_is_old(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0) {
      temporary_empty(fd, 0);
      unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    }
    close(fd);
  }
  if (d)
    closedir(d);
}

char *temporary_new(const char *parent, int *lock) {
  static atomic_int swept; // by this process; its forks do it again
  if (atomic_exchange(&swept, (int)getpid()) != (int)getpid())
    temporary_sweep(parent);
  char *path = sys_printf("%s/" NAME "XXXXXX", parent);
  if (!path || !mkdtemp(path)) {
    free(path);
    return NULL;
  }
  *lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (*lock >= 0)
    flock(*lock, LOCK_EX | LOCK_NB); // if it fails, the folder may be removed too early
  return path;
}
