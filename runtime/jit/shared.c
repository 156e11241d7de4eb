/* SPDX-License-Identifier: Apache-2.0 */
/* shared.c: the winner as a shared object. What it lacks becomes weak, so that dlopen leaves it 0 where
 * the process has no such symbol, and runtime/module.c can bind it to the site's addresses. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

static bool weaken(const struct elf_symbol *symbol, void *data) {
  char **message = data;
  if (symbol->thread_local_storage) {
    *message = message_of("thread-local variable '%s' is not supported in a kernel", symbol->name);
    return false;
  }
  if (symbol->undefined && ELF64_ST_BIND(*symbol->info) == STB_GLOBAL)
    *symbol->info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(*symbol->info));
  return true;
}

static int write_all(int fd, const char *data, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return -1;
    data += n;
    size -= (size_t)n;
  }
  return 0;
}

/* lld reads files only: a memory file, whose name is its descriptor's. */
static int link_copy(const void *object, size_t size, const char *path, char **message) {
  int fd = memfd_create("autotune-object", MFD_CLOEXEC);
  if (fd < 0 || write_all(fd, object, size) != 0) {
    *message = message_of("cannot keep an object in memory: %s", strerror(errno));
    if (fd >= 0)
      close(fd);
    return -1;
  }
  char input[64];
  snprintf(input, sizeof input, "/proc/self/fd/%d", fd);
  int status = lld_link(input, path, message);
  close(fd);
  return status;
}

int shared_link(const void *object, size_t size, const char *path, char **message) {
  *message = NULL;
  void *copy = malloc(size ? size : 1);
  if (!copy) {
    *message = message_of("out of memory");
    return -1;
  }
  memcpy(copy, object, size);
  int status = -1;
  if (!elf_symbols(copy, size, weaken, message))
    *message = message_of("this is no object of this machine");
  else if (!*message)
    status = link_copy(copy, size, path, message);
  free(copy);
  return status;
}
