// SPDX-License-Identifier: Apache-2.0
// replay.c: makes a captured call again. The kernel is compiled from its replay text, if
// possible by the compiler that built the program. A child compiles, so that this process
// never loads LLVM, and a child makes the call, so that the memory here is unchanged.
// Then the call is tuned as in a program.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "run/cpu/module.h"
#include "call/site.h"
#include "keep/capture/capture.h"
#include "tune.h"
#include "compile/compile.h"
#include "compile/jit.h"
#include "tools/common/clean.h"

enum { COMPILE_SECONDS = 150, CALL_SECONDS = 60, MESSAGE = 1000 };

struct replay {
  const struct tune_options *o;
  struct capture *c;
  struct autotune_kernel *kernel; // of the capture, with functions
  const char *version;            // of the compiler that made the default variant
  char made_by[256];
};

static int replay_complain(const struct replay *r, const char *what) {
  fprintf(stderr, "autotune tune: %s: %s\n", r->o->capture, what);
  return 2;
}

// ---- children -----------------------------------------------------------------------

// Runs WORK in a child, which fills the SIZE bytes at ANSWER, and copies them here.
// False: it did not finish within SECONDS. *STATUS is as from waitpid, with SIGALRM if
// the child took too long and was killed.
static bool replay_in_child(void (*work)(struct replay *r, void *answer),
                            struct replay *r, void *answer, size_t size, double seconds,
                            int *status) {
  int fds[2];
  size_t have = 0;
  bool late = false;
  if (pipe2(fds, O_CLOEXEC) != 0)
    return false;
  fflush(NULL);
  pid_t pid = sys_fork();
  if (pid == 0) {
    close(fds[0]);
    work(r, answer);
    _exit(sys_write_all(fds[1], answer, size) != 0);
  }
  close(fds[1]);
  for (double end = sys_now() + seconds; pid > 0 && have < size && !late;) {
    struct pollfd p = { fds[0], POLLIN, 0 };
    late = poll(&p, 1, 100) == 0 && sys_now() >= end;
    ssize_t got = p.revents ? read(fds[0], (char *)answer + have, size - have) : -1;
    if (got == 0)
      break;
    have += got > 0 ? (size_t)got : 0;
  }
  close(fds[0]);
  if (late)
    kill(pid, SIGKILL);
  while (pid > 0 && waitpid(pid, status, 0) < 0 && errno == EINTR)
    ;
  if (late)
    *status = SIGALRM;
  return have == size;
}

// ---- the code -----------------------------------------------------------------------

struct compiled_replay {
  bool made;
  char version[200], message[MESSAGE];
};
static struct {
  const char *compiler;
  int fd;
} job; // for the child

// Returns the build's flags for variants and our own; malloc'ed. The default variant is
// compiled with the same flags as variants are.
static const char **flags_of(const struct autotune_unit *u) {
  static const char *const own[] = { "-w", "-fPIC", NULL };
  size_t n = 0, m = sizeof own / sizeof *own;
  while (u->flags && u->flags[n])
    n++;
  const char **flags = sys_malloc((n + m) * sizeof *flags);
  if (flags && n > 0)
    memcpy(flags, u->flags, n * sizeof *flags);
  if (flags)
    memcpy(flags + n, own, m * sizeof *flags);
  return flags;
}

static void replay_compile(struct replay *r, void *answer) {
  struct compiled_replay *a = answer;
  const struct backend *b = backend_find(job.compiler);
  const char *version = b ? b->version(job.compiler) : NULL;
  const char **flags = flags_of(&r->kernel->units[0]);
  struct object object = { 0 };
  char *why = NULL, path[64];
  const struct jit_api *jit = jit_open(&why);
  snprintf(path, sizeof path, "/proc/self/fd/%d", job.fd);
  if (!version)
    snprintf(a->message, sizeof a->message, "%s: it is not there", job.compiler);
  else if (!jit || !flags ||
           b->compile(job.compiler, r->kernel->replay, flags, &object) != 0 ||
           jit->link_shared(object.data, object.size, path, &why) != 0)
    snprintf(a->message, sizeof a->message, "%s: %s", job.compiler,
             object.message ? object.message
                 : why      ? why
                            : "no memory");
  else
    a->made = true;
  snprintf(a->version, sizeof a->version, "%s", version ? version : "");
}

// Compiles and loads the kernel by COMPILER. R->made_by: the compiler's version, or, if
// it returns false, the reason.
static bool replay_make(struct replay *r, const char *compiler) {
  struct compiled_replay *a = sys_calloc(1, sizeof *a);
  char path[64], *message = NULL;
  int status = 0;
  void *handle;
  job.compiler = strcmp(compiler, "clang") == 0 && compiler == r->kernel->compiler
      ? "env clang"
      : compiler; // the program clang, not the built-in compiler
  job.fd = memfd_create("autotune-replay", MFD_CLOEXEC);
  bool made = a && job.fd >= 0 &&
      replay_in_child(replay_compile, r, a, sizeof *a, COMPILE_SECONDS, &status) &&
      a->made;
  snprintf(path, sizeof path, "/proc/self/fd/%d", job.fd);
  autotune_fn entry = made
      ? module_load(path, r->kernel->symbols, r->kernel->n_symbols, &handle, &message)
      : NULL;
  snprintf(r->made_by, sizeof r->made_by, "%.255s",
           entry                    ? a->version
               : message            ? message
               : a && a->message[0] ? a->message
                                    : "the compiler ended unexpectedly");
  if (entry) {
    const struct autotune_replay *t;
    memcpy(&t, &entry, sizeof t);
    r->kernel->original = t->original;
    r->kernel->invoke = t->invoke;
    r->kernel->describe = t->describe;
    r->kernel->footprint = t->footprint;
    r->kernel->rows = r->c->rows ? t->rows : NULL;
    for (unsigned i = 0; i < r->kernel->n_conditions; i++) {
      struct autotune_condition *c =
          (struct autotune_condition *)(uintptr_t)&r->kernel->conditions[i];
      c->holds = t->holds[i];
      c->leaves = t->leaves[i];
    }
  }
  if (job.fd >= 0)
    close(job.fd);
  free(message);
  free(a);
  return entry != NULL;
}

// Makes the kernel by the program's compiler, otherwise by that of the first unit,
// otherwise by Clang.
static bool make_by_any(struct replay *r) {
  const char *const names[] = { r->kernel->compiler, r->kernel->units[0].compiler,
                                "clang" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!names[i] || (i > 1 && strcmp(names[i], names[i - 1]) == 0))
      continue;
    if (replay_make(r, names[i])) {
      printf("  the default variant is made by %s\n", r->made_by);
      return true;
    }
    printf("  the default variant cannot be made by %s\n", r->made_by);
  }
  return false;
}

// ---- the call -----------------------------------------------------------------------

struct called {
  bool same_memory;
  struct capture_result result;
};

static void replay_call(struct replay *r, void *answer) {
  const struct autotune_kernel *k = r->kernel;
  struct called *a = answer;
  struct memories memory;
  char *ret = sys_calloc(1, k->ret_size + 64), why[128];
  if (!ret || !memories_describe(&memory, k, r->c->args, why, sizeof why))
    _exit(1);
  a->same_memory = true;
  for (unsigned i = 0; i < k->n_sections; i++) {
    struct autotune_span is = capture_span(&memory.list[i]), was = r->c->spans[i];
    a->same_memory &= is.bytes == was.bytes && (is.base == was.base || !is.bytes);
  }
  if (!a->same_memory)
    return;
  double began = sys_now();
  k->invoke(k->original, r->c->args, ret);
  a->result.seconds = sys_now() - began;
  a->result.outputs = capture_outputs(&memory, ret);
  a->result.ret = capture_returned(k, ret);
}

// Makes the call with the default variant. Returns 0: the same bits as in the program; 1:
// other bits; 2: the call could not be made.
static int replay_compare(struct replay *r) {
  struct called a = { 0 };
  const struct capture_result *then = &r->c->result;
  int status = 0;
  double patience = CALL_SECONDS + (r->c->has_result ? 100 * then->seconds : 0);
  if (!replay_in_child(replay_call, r, &a, sizeof a, patience, &status)) {
    printf("  the default variant %s: does it reach memory that is in no section?\n",
           !WIFSIGNALED(status)              ? "ended the process"
               : WTERMSIG(status) == SIGALRM ? "does not return"
                                             : strsignal(WTERMSIG(status)));
    return 2;
  }
  if (!a.same_memory)
    return replay_complain(r, "its sections are not those of its arguments");
  if (!r->c->has_result) {
    printf("  outputs as in the program: not known, the captured call did not return\n");
    return 1;
  }
  bool same = a.result.outputs == then->outputs && a.result.ret == then->ret;
  printf("  outputs as in the program: %s\n", same ? "yes" : "no, other bits");
  return !same;
}

static int replay_tune(struct replay *r) {
  struct autotune_site place = { .kernel = r->kernel };
  struct site *s = site_of(&place);
  struct outcome *out = sys_calloc(1, sizeof *out);
  if (!s || !out) {
    free(out);
    return replay_complain(r, "no memory");
  }
  struct identity id = site_identity(s, r->c->key);
  struct plan plan = { .kind = PLAN_SEARCH, .constants = UINT64_MAX, .again = true };
  const struct call call = { .args = r->c->args, .key = r->c->key };
  id.extent = target_extent(r->kernel, &call);
  int rc = session_run(r->kernel, &id, &call, &plan, NULL, out);
  printf("  %s\n", out->why);
  if (rc == 0 && out->fd >= 0)
    close(out->fd);
  autotune_site_close(&place);
  free(out);
  return rc == 0 ? 0 : 1;
}

// ---- all of it ----------------------------------------------------------------------

static void replay_introduce(const struct replay *r) {
  uint64_t bytes = 0;
  char *name = clean_text(r->kernel->name), *cpu = clean_text(r->c->machine);
  for (unsigned i = 0; i < r->c->n_blocks; i++)
    bytes += r->c->blocks[i].size;
  printf("%s", name);
  for (unsigned i = 0; i < r->kernel->n_keys; i++) {
    char *key = clean_text(r->kernel->keys[i]);
    printf(", %s = %lld", key, r->c->key[i]);
    clean_free(key);
  }
  printf("\n  captured on %s, %.3g MiB of memory\n", cpu, (double)bytes / (1 << 20));
  clean_free(name);
  clean_free(cpu);
}

static int replay(struct replay *r) {
  char *message = NULL;
  int rc = replay_map(r->c);
  if (rc == REPLAY_MOVE)
    return rc;
  if (rc != 0)
    return replay_complain(r, "its memory cannot be had here");
  replay_introduce(r);
  bool parallel = r->kernel->openmp;
  for (const char *const *f = r->kernel->units[0].flags; f && *f; f++)
    parallel |= strncmp(*f, "-fopenmp", 8) == 0;
  if (parallel && openmp_open(&message) != 0)
    printf("  %s\n", message ? message : "no OpenMP");
  free(message);
  if (!make_by_any(r))
    return replay_complain(r, "the kernel cannot be made again");
  rc = replay_compare(r);
  return rc == 2 || r->o->check ? rc : replay_tune(r);
}

int replay_run(const struct tune_options *o) {
  struct replay r = { .o = o };
  struct stat st;
  char *message = NULL;
  int fd = sys_open(o->capture, O_RDONLY, 0);
  void *data = MAP_FAILED;
  if (fd < 0 || fstat(fd, &st) != 0)
    return replay_complain(&r, strerror(errno));
  if (S_ISREG(st.st_mode) && st.st_size > 0)
    data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (data == MAP_FAILED)
    return replay_complain(&r, "it is not a captured call");
  r.c = capture_read(data, (size_t)st.st_size, &message);
  int status;
  if (r.c) {
    r.kernel = &r.c->kernel;
    status = replay(&r);
  } else {
    status = replay_complain(&r, message ? message : "no memory");
  }
  free(message);
  capture_free(r.c);
  munmap(data, (size_t)st.st_size);
  return status;
}
