/* SPDX-License-Identifier: Apache-2.0 */
/* external.c: variants by an installed compiler. It is run with a private folder for its
 * files, at most COMPILE_SECONDS; only the text of its first error is kept. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile.h"
#include "base/run_program.h"
#include "base/temporary.h"
#include "base/base.h"

enum { COMPILE_SECONDS = 60, VERSION_SECONDS = 10, MESSAGE_SIZE = 4096 };

/* False in a set-user-ID program: the compiler would be found by the PATH of a caller who
 * has fewer rights, and would obey that caller's environment. */
static bool external_applicable(const char *compiler) {
  return *compiler != 0 && strcmp(compiler, "clang") != 0 && !getauxval(AT_SECURE);
}

/* ---- version: the first line of `--version`, asked once -------------------------- */

struct known {
  struct known *next;
  char *compiler, *version; /* version NULL: the compiler cannot be run */
};
static struct {
  pthread_mutex_t lock;
  struct known *list;
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char *ask_version(const char *compiler) {
  const char *const flags[] = { "--version", NULL };
  char text[512];
  if (run_program(compiler, flags, NULL, text, sizeof text, VERSION_SECONDS) != 0)
    return NULL;
  text[strcspn(text, "\n")] = 0;
  return *text ? sys_strdup(text) : NULL;
}

static struct known *find_known(const char *compiler) {
  for (struct known *k = known.list; k; k = k->next)
    if (strcmp(k->compiler, compiler) == 0)
      return k;
  struct known *k = sys_malloc(sizeof *k);
  char *name = sys_strdup(compiler);
  if (!k || !name) {
    free(k);
    free(name);
    return NULL;
  }
  *k = (struct known){ known.list, name, ask_version(compiler) };
  known.list = k;
  return k;
}

static const char *external_version(const char *compiler) {
  pthread_mutex_lock(&known.lock);
  struct known *k = find_known(compiler);
  pthread_mutex_unlock(&known.lock);
  return k ? k->version : NULL;
}

/* ---- the private folder ---------------------------------------------------------- */

static char *folder_new(int *lock) {
  const char *parent = secure_getenv("TMPDIR");
  return temporary_new(parent && *parent == '/' ? parent : "/tmp", lock);
}

static int external_write_file(const char *path, const char *text) {
  int fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  int status = fd < 0 ? -1 : sys_write_all(fd, text, strlen(text));
  if (fd >= 0)
    close(fd);
  return status;
}

static int external_read_file(const char *path, struct object *out) {
  int fd = sys_open(path, O_RDONLY, 0);
  struct stat info;
  int status = -1;
  if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0 &&
      (out->data = sys_malloc((size_t)info.st_size))) {
    out->size = (size_t)info.st_size;
    status = sys_read_all(fd, out->data, out->size) == (int)out->size ? 0 : -1;
  }
  if (fd >= 0)
    close(fd);
  return status;
}

/* ---- compiling ------------------------------------------------------------------- */

/* Returns the first line with an error and the lines after it; else all of TEXT. Removes
 * the name of the private folder from the beginning of the first line. */
static char *external_first_error(const char *text, const char *folder) {
  const char *from = text, *mark = strstr(text, "error:");
  if (mark)
    for (from = mark; from > text && from[-1] != '\n';)
      from--;
  size_t n = strlen(folder);
  if (strncmp(from, folder, n) == 0 && from[n] == '/')
    from += n + 1;
  return sys_strdup(*from ? from : "error: the compiler failed and said nothing");
}

/* Returns FLAGS and the options that make an object without warnings and without
 * link-time optimisation. The caller frees the list. */
static const char **external_arguments(const char *const *flags, const char *source,
                                       const char *object) {
  size_t n = 0;
  bool cplusplus = false;
  for (; flags && flags[n]; n++)
    cplusplus |= strcmp(flags[n], "-xc++") == 0; /* the last -x counts */
  const char *const last[] = { "-fno-lto", "-w", "-fPIC",
                               "-c",       "-x", cplusplus ? "c++" : "c",
                               source,     "-o", object,
                               NULL };
  size_t m = sizeof last / sizeof *last;
  const char **list = sys_malloc((n + m) * sizeof *list);
  if (!list)
    return NULL;
  if (n > 0)
    memcpy(list, flags, n * sizeof *list);
  memcpy(list + n, last, m * sizeof *list);
  return list;
}

static int external_compile_in(const char *folder, const char *compiler, const char *text,
                               const char *const *flags, struct object *out) {
  char *source = sys_printf("%s/kernel.c", folder),
       *object = sys_printf("%s/kernel.o", folder);
  const char **list = source && object ? external_arguments(flags, source, object) : NULL;
  char said[MESSAGE_SIZE] = "";
  int status = -1;
  if (!list)
    out->message = sys_strdup("out of memory");
  else if (external_write_file(source, text) != 0)
    out->message = sys_printf("cannot write %s: %s", source, strerror(errno));
  else if ((status = run_program(compiler, list, folder, said, sizeof said,
                                 COMPILE_SECONDS)) == RUN_TIMEOUT)
    out->message =
        sys_printf("error: %s took more than %d s", compiler, (int)COMPILE_SECONDS);
  else if (status == RUN_FAILED)
    out->message = sys_printf("error: cannot run %s: %s", compiler, strerror(errno));
  else if (status != 0)
    out->message = external_first_error(said, folder);
  else if (external_read_file(object, out) != 0) {
    out->message = sys_printf("error: %s made no object", compiler);
    status = -1;
  }
  free(list);
  free(source);
  free(object);
  return status == 0 ? 0 : -1;
}

static int external_compile(const char *compiler, const char *text,
                            const char *const *flags, struct object *out) {
  *out = (struct object){ 0 };
  double begin = sys_now();
  int lock = -1;
  char *folder = folder_new(&lock);
  if (!folder) {
    out->message = sys_printf("no folder for temporary files: %s", strerror(errno));
    return -1;
  }
  int status = external_compile_in(folder, compiler, text, flags, out);
  temporary_remove(folder);
  free(folder);
  if (lock >= 0)
    close(lock);
  out->seconds = sys_now() - begin;
  return status;
}

const struct backend backend_external = { .name = "external",
                                          .applicable = external_applicable,
                                          .version = external_version,
                                          .compile = external_compile };
