// SPDX-License-Identifier: Apache-2.0
// descriptor.c: descriptors of autotune's that stay open in the program (descriptor.h).
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptor.h"

// The first high number, and how many of the last ones to use if there are fewer.
enum { HIGH = 1000, LAST = 24 };

static int descriptor_first(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= HIGH + LAST)
    return HIGH;
  return limit.rlim_cur > 2 * LAST ? (int)limit.rlim_cur - LAST : 3;
}

// Linux makes the table of descriptors as large as the highest number needs, once. Where
// several threads share it, that waits until no processor reads the old table: some 10 ms
// in the middle of a call. So it is done when the library is loaded, before there are
// threads.
__attribute__((constructor)) static void descriptor_make_room(void) {
  int fd = __libc_single_threaded ? eventfd(0, EFD_CLOEXEC) : -1;
  int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, descriptor_first()) : -1;
  if (high >= 0)
    close(high);
  if (fd >= 0)
    close(fd);
}

int descriptor_raise(int fd) {
  int first = descriptor_first();
  if (fd < 0 || fd >= first)
    return fd;
  int high = fcntl(fd, F_DUPFD_CLOEXEC, first);
  if (high < 0 && fd <= 2) // 0 to 2 are the program's
    high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (high < 0 && fd > 2)
    return fd;
  close(fd);
  return high;
}

void descriptor_keep(struct descriptor *d, int fd) {
  struct stat info = { 0 };
  if (fd >= 0)
    fstat(fd, &info);
  d->device = info.st_dev;
  d->inode = info.st_ino;
  atomic_store(&d->fd, fd); // last: a fork that sees it sees the rest
}

int descriptor_get(const struct descriptor *d) {
  struct stat info;
  int fd = atomic_load(&d->fd), error = errno;
  bool own = fd >= 0 && fstat(fd, &info) == 0 && info.st_dev == d->device &&
      info.st_ino == d->inode;
  errno = error;
  return own ? fd : -1;
}

int descriptor_take(struct descriptor *d) {
  int fd = descriptor_get(d);
  atomic_store(&d->fd, -1);
  return fd;
}

void descriptor_close(struct descriptor *d) {
  int fd = descriptor_take(d);
  if (fd >= 0)
    close(fd);
}
