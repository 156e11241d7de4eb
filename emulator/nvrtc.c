/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc.c: NVRTC's functions, by Clang: a unit becomes a shared object. Does not use the
 * driver, so that a process forked from one with a device may compile. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emulator.h"
#include "image.h"
#include "nvrtc.h"
#include "rewrite.h"

extern char **environ;

enum { COMPILE_SECONDS = 60, PATH_ROOM = 512 };

struct nvrtcProgram_st {
  char *text, *name, *log;
  struct image *image;
};

/* ---- options --------------------------------------------------------------------- */

enum use { DROP, KEEP, ARCHITECTURE, FAST };
static const struct option {
  const char *name;  /* without dashes */
  const char *clang; /* the same option of Clang, before its value */
  bool value;
  enum use use;
} known[] = {
  { "gpu-architecture", NULL, true, ARCHITECTURE },
  { "arch", NULL, true, ARCHITECTURE },
  { "std", "-std=", true, KEEP },
  { "define-macro", "-D", true, KEEP },
  { "D", "-D", true, KEEP },
  { "undefine-macro", "-U", true, KEEP },
  { "U", "-U", true, KEEP },
  { "include-path", "-I", true, KEEP },
  { "I", "-I", true, KEEP },
  { "use_fast_math", "-ffp-contract=fast", false, FAST },
  { "maxrregcount", NULL, true, DROP },
  { "device-c", NULL, false, DROP },
  { "dc", NULL, false, DROP },
  { "device-w", NULL, false, DROP },
  { "dw", NULL, false, DROP },
  { "relocatable-device-code", NULL, true, DROP },
  { "rdc", NULL, true, DROP },
  { "extensible-whole-program", NULL, false, DROP },
  { "device-debug", NULL, false, DROP },
  { "G", NULL, false, DROP },
  { "generate-line-info", NULL, false, DROP },
  { "lineinfo", NULL, false, DROP },
  { "dopt", NULL, true, DROP },
  { "ptxas-options", NULL, true, DROP },
  { "Xptxas", NULL, true, DROP },
  { "ftz", NULL, true, DROP },
  { "prec-sqrt", NULL, true, DROP },
  { "prec-div", NULL, true, DROP },
  { "fmad", NULL, true, DROP },
  { "extra-device-vectorization", NULL, false, DROP },
  { "restrict", NULL, false, DROP },
  { "disable-warnings", NULL, false, DROP },
  { "w", NULL, false, DROP },
  { "device-as-default-execution-space", NULL, false, DROP },
  { "default-device", NULL, false, DROP },
  { "device-int128", NULL, false, DROP },
  { "no-source-include", NULL, false, DROP },
  { "display-error-number", NULL, false, DROP },
  { "no-display-error-number", NULL, false, DROP },
  { "brief-diagnostics", NULL, true, DROP },
  { "diag-suppress", NULL, true, DROP },
  { "diag-error", NULL, true, DROP },
  { "diag-warn", NULL, true, DROP },
  { "split-compile", NULL, true, DROP },
  { "optimization-info", NULL, true, DROP },
  { "Ofast-compile", NULL, true, DROP },
  { "minimal", NULL, false, DROP },
};

struct flags {
  char *of[256];
  unsigned n;
  unsigned cc;
};

static void flag_add(struct flags *f, const char *a, const char *b) {
  char *text = NULL;
  if (f->n < 240 && asprintf(&text, "%s%s", a, b) >= 0)
    f->of[f->n++] = text;
}

/* Returns the option that TEXT begins with. *VALUE: the text after it, or NULL. */
static const struct option *nvrtc_option_find(const char *text, const char **value) {
  const char *name = text + (text[0] == '-') + (text[0] == '-' && text[1] == '-');
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t n = strlen(known[i].name);
    if (strncmp(name, known[i].name, n) != 0)
      continue;
    *value = name[n] == '=' ? name + n + 1 : NULL;
    if (name[n] == 0 || *value)
      return &known[i];
    if (n == 1 && known[i].value) { /* -DNAME */
      *value = name + 1;
      return &known[i];
    }
  }
  return NULL;
}

/* Reads the options into F. Returns NULL, or the first option that NVRTC lacks. */
static const char *options_read(struct flags *f, int n, const char *const *options) {
  for (int i = 0; i < n; i++) {
    const char *value = NULL;
    const struct option *o = nvrtc_option_find(options[i], &value);
    if (!o)
      return options[i];
    if (o->value && !value && i + 1 < n)
      value = options[++i];
    const char *digits = value ? strpbrk(value, "0123456789") : NULL;
    if (o->use == ARCHITECTURE && digits)
      f->cc = (unsigned)strtoul(digits, NULL, 10);
    if (o->use == KEEP && value)
      flag_add(f, o->clang, value);
    if (o->use == FAST)
      flag_add(f, o->clang, "");
  }
  return NULL;
}

/* ---- Clang ----------------------------------------------------------------------- */

/* Stores the folder of the headers. The library is in lib/ or in lib/ARCHITECTURE/ beside
 * include/, in the build folder and installed. */
static void headers_folder(char *folder, size_t size) {
  static const char *const up[] = { "..", "../.." };
  const char *asked = getenv("AUTOTUNE_EMULATE_INCLUDE");
  Dl_info info;
  snprintf(folder, size, "%s", asked ? asked : "");
  if (asked || !dladdr((void *)(uintptr_t)&nvrtcVersion, &info) || !info.dli_fname)
    return;
  const char *slash = strrchr(info.dli_fname, '/');
  for (size_t i = 0; i < sizeof up / sizeof *up; i++) {
    snprintf(folder, size, "%.*s/%s/include/autotune-emulate",
             slash ? (int)(slash - info.dli_fname) : 1, slash ? info.dli_fname : ".",
             up[i]);
    if (access(folder, R_OK) == 0)
      return;
  }
}

/* Files in memory, of one compilation: if this process is killed, nothing remains. */
struct build {
  int unit, object, log;
};

/* Returns a descriptor above those that the compiler has, or -1. */
static int memory_file(const char *name) {
  int fd = memfd_create(name, MFD_CLOEXEC);
  int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 10) : -1;
  if (fd >= 0)
    close(fd);
  return high;
}

static void build_close(const struct build *b) {
  const int all[] = { b->unit, b->object, b->log };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] >= 0)
      close(all[i]);
}

/* Returns what FD's file holds, malloc'ed, with a 0 after its *SIZE bytes, or NULL. */
static char *memory_read(int fd, size_t *size) {
  struct stat st;
  char *data = fstat(fd, &st) == 0 ? malloc((size_t)st.st_size + 1) : NULL;
  if (data) {
    ssize_t got = pread(fd, data, (size_t)st.st_size, 0);
    *size = got > 0 ? (size_t)got : 0;
    data[*size] = 0;
  }
  return data;
}

/* Waits for PID as long as a compilation may take. Returns the exit status, or -1. */
static int compiler_wait(pid_t pid) {
  const struct timespec pause = { .tv_nsec = 1000000 };
  int status;
  for (long long end = autotune_emulate_clock() + COMPILE_SECONDS * 1000000000ll;;
       nanosleep(&pause, NULL)) {
    pid_t got = waitpid(pid, &status, WNOHANG);
    if (got == pid)
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (got < 0 && errno != EINTR)
      return -1;
    if (autotune_emulate_clock() > end)
      kill(pid, SIGKILL);
  }
}

/* Runs ARGV with the files of B as the descriptors 0 (unit), 2 (log) and 3 (object).
 * Returns the exit status, or -1. */
static int spawn_wait(char *const *argv, const struct build *b) {
  posix_spawn_file_actions_t actions;
  pid_t pid;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, b->unit, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, b->log, 2);
  posix_spawn_file_actions_adddup2(&actions, b->object, 3);
  int e = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return e == 0 ? compiler_wait(pid) : -1;
}

/* Compiles the unit of B to its object. Fails in a set-user-ID program, whose caller
 * could choose the program to run. */
static int clang_run(const struct build *b, const struct flags *f) {
  char include[PATH_MAX + 16], path[PATH_MAX];
  const char *clang = getenv("AUTOTUNE_EMULATE_CLANG");
  char *argv[300];
  unsigned n = 0;
  if (getauxval(AT_SECURE))
    return -1;
  headers_folder(path, sizeof path);
  snprintf(include, sizeof include, "-I%s", path);
  const char *const first[] = { clang ? clang : AUTOTUNE_EMULATE_CLANG,
                                "-x",
                                "c++",
                                "-std=c++17",
                                "-O2",
                                "-march=native",
                                "-fPIC",
                                "-shared",
                                "-w",
                                "-fno-exceptions",
                                "-fno-rtti",
                                "-ferror-limit=4",
                                "-fno-color-diagnostics",
                                "-fno-caret-diagnostics",
                                "-nostdlib++",
                                "-DAUTOTUNE_EMULATE",
                                "-D__CUDACC_RTC__",
                                include,
                                "-include",
                                "autotune_emulate/unit.h" };
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    argv[n++] = (char *)first[i];
  for (unsigned i = 0; i < f->n; i++)
    argv[n++] = f->of[i];
  argv[n++] = (char *)"/proc/self/fd/0";
  argv[n++] = (char *)"-o";
  argv[n++] = (char *)"/proc/self/fd/3";
  argv[n] = NULL;
  return spawn_wait(argv, b);
}

static struct image *image_make(const char *data, size_t size, unsigned cc) {
  struct image *i = malloc(sizeof *i + size);
  if (i) {
    *i = (struct image){ .size = size, .hash = image_hash(data, size), .cc = cc };
    memcpy(i->magic, IMAGE_MAGIC, sizeof i->magic);
    memcpy(i + 1, data, size);
  }
  return i;
}

static void log_set(nvrtcProgram p, const char *a, const char *b, const char *c) {
  free(p->log);
  if (asprintf(&p->log, "%s%s%s", a, b, c) < 0)
    p->log = NULL;
}

/* Sets the program's log to Clang's messages. */
static nvrtcResult log_read(nvrtcProgram p, const struct build *b, int status) {
  size_t size;
  char *log = memory_read(b->log, &size);
  log_set(p,
          log && *log      ? log
              : status < 0 ? "error: clang cannot be started"
                           : "",
          "", "");
  free(log);
  return NVRTC_ERROR_COMPILATION;
}

/* Adds what a unit needs that includes CUDA's C++ libraries: they take the C++ library's
 * headers, and are in a folder `cccl` within the toolkit's. */
static void libraries_add(struct flags *f, const char *text) {
  static const char *const names[] = { "#include <cub/", "#include <thrust/",
                                       "#include <cuda/" };
  bool wanted = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    wanted = wanted || strstr(text, names[i]);
  if (!wanted)
    return;
  flag_add(f, "-DAUTOTUNE_EMULATE_LIBRARIES", "");
  for (unsigned i = 0, n = f->n; i < n; i++)
    if (strncmp(f->of[i], "-I", 2) == 0) {
      char path[PATH_ROOM];
      snprintf(path, sizeof path, "%s/cccl", f->of[i] + 2);
      if (access(path, R_OK | X_OK) == 0)
        flag_add(f, "-isystem", path);
    }
}

static nvrtcResult nvrtc_compile_in(nvrtcProgram p, const struct build *b,
                                    struct flags *f) {
  char *text = rewrite_unit(p->text);
  bool written = text &&
      dprintf(b->unit, "#line 1 \"%s\"\n%s\nAUTOTUNE_EMULATE_UNIT\n", p->name, text) >=
          0 &&
      lseek(b->unit, 0, SEEK_SET) == 0;
  free(text);
  libraries_add(f, p->text);
  if (!written)
    return NVRTC_ERROR_OUT_OF_MEMORY;
  int status = clang_run(b, f);
  if (status != 0)
    return log_read(p, b, status);
  size_t size = 0;
  char *data = memory_read(b->object, &size);
  free(p->image);
  p->image = data && size ? image_make(data, size, f->cc) : NULL;
  free(data);
  return p->image ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

/* ---- NVRTC's functions ----------------------------------------------------------- */

EXPORT const char *nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
  case NVRTC_SUCCESS:
    return "NVRTC_SUCCESS";
  case NVRTC_ERROR_OUT_OF_MEMORY:
    return "NVRTC_ERROR_OUT_OF_MEMORY";
  case NVRTC_ERROR_PROGRAM_CREATION_FAILURE:
    return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
  case NVRTC_ERROR_INVALID_INPUT:
    return "NVRTC_ERROR_INVALID_INPUT";
  case NVRTC_ERROR_INVALID_PROGRAM:
    return "NVRTC_ERROR_INVALID_PROGRAM";
  case NVRTC_ERROR_INVALID_OPTION:
    return "NVRTC_ERROR_INVALID_OPTION";
  case NVRTC_ERROR_COMPILATION:
    return "NVRTC_ERROR_COMPILATION";
  case NVRTC_ERROR_INTERNAL_ERROR:
    return "NVRTC_ERROR_INTERNAL_ERROR";
  }
  return "NVRTC_ERROR unknown";
}

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor) {
  if (!major || !minor)
    return NVRTC_ERROR_INVALID_INPUT;
  *major = CUDA_VERSION / 1000;
  *minor = CUDA_VERSION % 1000 / 10;
  return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *p, const char *text, const char *name,
                                      int n_headers, const char *const *headers,
                                      const char *const *names) {
  (void)headers, (void)names;
  if (!p || !text || n_headers < 0)
    return NVRTC_ERROR_INVALID_INPUT;
  if (n_headers) /* headers in memory are not supported */
    return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
  *p = calloc(1, sizeof **p);
  if (*p &&
      (!((*p)->text = strdup(text)) ||
       !((*p)->name = strdup(name ? name : "default_program"))))
    nvrtcDestroyProgram(p);
  return *p ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p) {
  if (!p || !*p)
    return NVRTC_ERROR_INVALID_PROGRAM;
  free((*p)->text);
  free((*p)->name);
  free((*p)->log);
  free((*p)->image);
  free(*p);
  *p = NULL;
  return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n,
                                       const char *const *options) {
  struct flags f = { .n = 0 };
  if (!p)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (fault_due(FAULT_NVRTC)) {
    log_set(p, "error: injected failure\n", "", "");
    return NVRTC_ERROR_COMPILATION;
  }
  nvrtcResult result = NVRTC_ERROR_INVALID_OPTION;
  const char *unknown = options_read(&f, n, options);
  if (unknown)
    log_set(p, "nvrtc: error: unrecognized option ", unknown, " found\n");
  else {
    struct build b = { memory_file("unit"), memory_file("object"), memory_file("log") };
    result = b.unit < 0 || b.object < 0 || b.log < 0 ? NVRTC_ERROR_INTERNAL_ERROR
                                                     : nvrtc_compile_in(p, &b, &f);
    build_close(&b);
  }
  for (unsigned i = 0; i < f.n; i++)
    free(f.of[i]);
  return result;
}

EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes) {
  if (!p)
    return NVRTC_ERROR_INVALID_PROGRAM;
  *bytes = p->image ? sizeof *p->image + p->image->size : 0;
  return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin) {
  if (!p || !p->image)
    return NVRTC_ERROR_INVALID_PROGRAM;
  memcpy(cubin, p->image, sizeof *p->image + p->image->size);
  return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes) {
  if (!p)
    return NVRTC_ERROR_INVALID_PROGRAM;
  *bytes = (p->log ? strlen(p->log) : 0) + 1;
  return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log) {
  if (!p)
    return NVRTC_ERROR_INVALID_PROGRAM;
  strcpy(log, p->log ? p->log : "");
  return NVRTC_SUCCESS;
}
