// SPDX-License-Identifier: Apache-2.0
// objects.c: winners as shared objects, each a file named by the hash of its bytes.
//
// A file is written under a temporary name and renamed when it is on the disk, so a file
// with its final name is whole. It is used only if its bytes have its hash and nobody
// else can have written it.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "tables.h"

enum { LARGEST = 256 << 20 };

char *object_path(const char *folder, uint64_t hash) {
  return sys_printf("%s/objects/%016llx.so", folder, (unsigned long long)hash);
}

// Returns the bytes of the file FD, malloc'ed.
static void *objects_read_file(int fd, const struct stat *st) {
  if (st->st_size <= 0 || st->st_size > LARGEST)
    return NULL;
  void *data = sys_malloc((size_t)st->st_size);
  if (data && sys_read_all(fd, data, (size_t)st->st_size) != (int)st->st_size) {
    free(data);
    data = NULL;
  }
  return data;
}

static bool is_ours_alone(const struct stat *st) {
  return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_nlink == 1 &&
      !(st->st_mode & (S_IRWXG | S_IRWXO));
}

static bool object_is_good(const char *path, uint64_t hash) {
  int fd = sys_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
  if (fd < 0)
    return false;
  struct stat st;
  void *data = fstat(fd, &st) == 0 && is_ours_alone(&st) ? objects_read_file(fd, &st)
                                                         : NULL;
  bool good = data && XXH3_64bits(data, (size_t)st.st_size) == hash;
  free(data);
  close(fd);
  return good;
}

// Opens the folder objects/, which is created if it is missing, and checked as its parent
// is.
static int open_objects(const char *folder) {
  char *path = sys_printf("%s/objects", folder), *message = NULL;
  char *good = path ? folder_check(path, &message) : NULL;
  int fd = good ? sys_open(good, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) : -1;
  if (!good && message)
    log_once(AUTOTUNE_WARN, "objects", "compiled variants are not kept: %s", message);
  free(message);
  free(good);
  free(path);
  return fd;
}

// True if the folder objects/ exists and is ours alone. FOLDER is known to be, so nobody
// else can replace what is in it.
static bool objects_are_ours(const char *folder) {
  struct stat st;
  char *path = sys_printf("%s/objects", folder);
  bool ours = path && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
      st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
  free(path);
  return ours;
}

char *objects_find_in(const char *folder, uint64_t hash) {
  char *path = objects_are_ours(folder) ? object_path(folder, hash) : NULL;
  if (path && object_is_good(path, hash))
    return path;
  free(path);
  return NULL;
}

char *objects_find(uint64_t hash) {
  char *message = NULL;
  const char *folder = hash ? folder_again(&message) : NULL;
  char *path = folder ? objects_find_in(folder, hash) : NULL;
  free(message);
  if (path)
    objects_used(path);
  return path;
}

// Writes DATA to PATH under a temporary name first. 0, or -1 and errno.
static int objects_write_object(int directory, const char *folder, const char *path,
                                const void *data, size_t size) {
  char *prefix = sys_printf("%s/objects/tmp", folder), *temporary = NULL;
  int fd = prefix ? folder_temporary(prefix, &temporary) : -1;
  free(prefix);
  if (!temporary)
    return -1;
  int status = fd < 0 ? -1 : sys_write_all(fd, data, size);
  if (status == 0)
    status = sys_fsync(fd);
  if (fd >= 0)
    close(fd);
  if (status == 0)
    status = sys_rename(temporary, path);
  if (status == 0)
    sys_fsync(directory); // if this fails, a power cut may lose the name: a miss
  int error = errno;
  if (status != 0 && fd >= 0)
    unlink(temporary);
  free(temporary);
  errno = error;
  return status;
}

static char *keep_bytes(const char *folder, const void *data, size_t size,
                        uint64_t hash) {
  int directory = open_objects(folder);
  char *path = directory < 0 ? NULL : object_path(folder, hash);
  if (path && !object_is_good(path, hash) &&
      objects_write_object(directory, folder, path, data, size) != 0) {
    log_once(AUTOTUNE_WARN, "objects", "compiled variants are not kept: %s: %s", path,
             strerror(errno));
    free(path);
    path = NULL;
  }
  if (directory >= 0)
    close(directory);
  return path;
}

char *objects_keep_in(const char *folder, const char *from, uint64_t *hash) {
  int fd = sys_open(from, O_RDONLY, 0);
  struct stat st;
  void *data = fd >= 0 && fstat(fd, &st) == 0 ? objects_read_file(fd, &st) : NULL;
  if (fd >= 0)
    close(fd);
  if (!data)
    return NULL;
  uint64_t h = XXH3_64bits(data, (size_t)st.st_size);
  char *path = keep_bytes(folder, data, (size_t)st.st_size, h);
  free(data);
  if (path) {
    objects_used(path);
    *hash = h;
  }
  return path;
}

char *objects_keep(const char *from, uint64_t *hash) {
  char *message = NULL;
  const char *folder = folder_open(&message);
  free(message);
  char *path = folder ? objects_keep_in(folder, from, hash) : NULL;
  if (path)
    objects_limit(folder, options_get()->most);
  return path;
}
