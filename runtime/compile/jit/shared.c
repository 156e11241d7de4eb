/* SPDX-License-Identifier: Apache-2.0 */
/* shared.c: links the winner as a shared object. Undefined symbols become weak: dlopen
 * leaves them 0 where the process has no such symbol, and runtime/run/cpu/module.c can
 * bind them to the site's addresses. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

static bool shared_weaken(const struct elf_symbol *symbol, void *data) {
  char **message = data;
  if (symbol->thread_local_storage) {
    *message = message_of("thread-local variable '%s' is not supported in a kernel",
                          symbol->name);
    return false;
  }
  if (symbol->undefined && ELF64_ST_BIND(*symbol->info) == STB_GLOBAL)
    *symbol->info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(*symbol->info));
  return true;
}

static int shared_write_all(int fd, const char *data, size_t size) {
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

/* ---- lld without files: it reads a memory file and writes a pipe ----------------- */

struct reader {
  int fd;
  char *data;
  size_t size;
  bool complete;
};

/* Keeps reading when memory runs out, so that lld can finish. */
static void *shared_read_all(void *data) {
  struct reader *r = data;
  char block[16384];
  bool kept = true;
  for (;;) {
    ssize_t n = read(r->fd, block, sizeof block);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      r->complete = n == 0 && kept;
      return NULL;
    }
    char *more = kept ? realloc(r->data, r->size + (size_t)n) : NULL;
    if (!(kept = more != NULL))
      continue;
    r->data = more;
    memcpy(more + r->size, block, (size_t)n);
    r->size += (size_t)n;
  }
}

/* The program's signal handlers must not run in a thread of ours. */
static int start_reader(pthread_t *thread, struct reader *r) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(thread, NULL, shared_read_all, r);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

static int link_through(int input, struct reader *r, int output, char **message) {
  char names[2][64];
  pthread_t thread;
  int error = start_reader(&thread, r);
  if (error) {
    *message = message_of("no thread to link with: %s", strerror(error));
    close(output);
    return -1;
  }
  snprintf(names[0], sizeof names[0], "/proc/self/fd/%d", input);
  snprintf(names[1], sizeof names[1], "/proc/self/fd/%d", output);
  int status = lld_link(names[0], names[1], message);
  close(output);
  pthread_join(thread, NULL);
  if (status == 0 && !r->complete) {
    *message = message_of("the linker's output cannot be read");
    status = -1;
  }
  return status;
}

/* Links OBJECT. The shared object is in R->data. */
static int link_in_memory(const void *object, size_t size, struct reader *r,
                          char **message) {
  int ends[2] = { -1, -1 }, status = -1,
      input = memfd_create("autotune-object", MFD_CLOEXEC);
  if (input < 0 || shared_write_all(input, object, size) != 0 ||
      pipe2(ends, O_CLOEXEC) != 0) {
    *message = message_of("cannot keep an object in memory: %s", strerror(errno));
  } else {
    r->fd = ends[0];
    status = link_through(input, r, ends[1], message);
    close(ends[0]);
  }
  if (input >= 0)
    close(input);
  return status;
}

static int shared_write_file(const char *path, const char *data, size_t size,
                             char **message) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
  int status = fd < 0 ? -1 : shared_write_all(fd, data, size);
  if (status != 0)
    *message = message_of("cannot write %s: %s", path, strerror(errno));
  if (fd >= 0 && close(fd) != 0 && status == 0) {
    *message = message_of("cannot write %s: %s", path, strerror(errno));
    status = -1;
  }
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
  struct reader linked = { .fd = -1 };
  int status = -1;
  if (!elf_symbols(copy, size, shared_weaken, message))
    *message = message_of("this is not an object file of this machine");
  else if (!*message)
    status = link_in_memory(copy, size, &linked, message);
  if (status == 0)
    status = shared_write_file(path, linked.data, linked.size, message);
  free(linked.data);
  free(copy);
  return status;
}
