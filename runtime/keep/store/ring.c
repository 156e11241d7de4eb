// SPDX-License-Identifier: Apache-2.0
// ring.c: a program that begins ends the tuning of an earlier one, which goes on with the
// same store.
//
// The program sets the time of a file in the store's folder. The tuning watches that
// file. So neither needs the number of the other's process, which another machine or
// container may use for a different one.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tables.h"

static char *ring_path(const char *folder) {
  return folder ? sys_printf("%s/begun", folder) : NULL;
}

void ring_begun(void) {
  char *message = NULL, *folder = folder_default(&message), *path = ring_path(folder);
  if (path)
    utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
  free(path);
  free(folder);
  free(message);
}

void ring_ready(void) {
  char *message = NULL;
  int file = folder_file(folder_again(&message), "begun", O_RDWR | O_CREAT);
  if (file >= 0)
    close(file);
  free(message);
}

static bool ring_rang(int file, const struct timespec *since) {
  struct stat st;
  if (fstat(file, &st) != 0)
    return false;
  const struct timespec *at = &st.st_mtim;
  return at->tv_sec > since->tv_sec ||
      (at->tv_sec == since->tv_sec && at->tv_nsec >= since->tv_nsec);
}

void ring_heed(int signal, const struct timespec *since) {
  char *message = NULL;
  const char *folder = folder_again(&message);
  char *path = ring_path(folder);
  int file = folder_file(folder, "begun", O_RDWR);
  int fd = file >= 0 ? inotify_init1(IN_CLOEXEC | IN_NONBLOCK) : -1;
  if (fd >= 0) {
    fcntl(fd, F_SETOWN, getpid());
    fcntl(fd, F_SETSIG, signal);
    fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
    inotify_add_watch(fd, path, IN_ATTRIB);
    if (ring_rang(file, since))
      raise(signal);
  }
  if (file >= 0)
    close(file);
  free(path);
  free(message);
}
