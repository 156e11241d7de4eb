/* SPDX-License-Identifier: Apache-2.0 */
/* tuned_fixture.h: a kernel as `autotune cc` would translate it, by hand:
 *
 *   #pragma autotune kernel param(U: 1, 2, 4) param(BAD = no: …) in(a[0:n]) out(c[0:n])
 *   void scale(int n, double f, const double *a, double *c)   { c[i] = f * a[i] }
 *
 * and children to use it in, because a process reads its environment once. */
#ifndef TUNED_FIXTURE_H
#define TUNED_FIXTURE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <time.h>

#include "autotune.h"
#include "autotune_abi.h"

enum { SCALE_N = 20000 };

__attribute__((noinline)) static void scale_default(int n, double f, const double *a,
                                                    double *c) {
  for (int again = 0; again < 40; again++) // slow on purpose: there is much to gain
    for (volatile int i = 0; i < n; i++)
      c[i] = f * a[i];
}

static void scale_invoke(autotune_fn fn, void *const *args, void *ret) {
  (void)ret;
  ((void (*)(int, double, const double *, double *))fn)(
      *(int *)args[0], *(double *)args[1], *(const double **)args[2],
      *(double **)args[3]);
}

static void scale_describe(void *const *args, struct autotune_call *call) {
  size_t bytes = (size_t)*(int *)args[0] * sizeof(double);
  call->spans[0] = (struct autotune_span){ *(void **)args[2], bytes };
  call->spans[1] = (struct autotune_span){ *(void **)args[3], bytes };
  call->flops = *(int *)args[0];
  call->bytes = 2.0 * (double)bytes;
}

// BAD makes the variant crash, hang or err: 0 no, 1 crash, 2 a wrong result, 3 exit, 4
// never ends, 5 does not compile, 6 takes 1.2 s.
static const char scale_text[] =
    "void scale(int n, double f, const double *a, double *c) {\n"
    "#if BAD == 4\n"
    "  for (volatile int k = 0; k == k; k++);\n"
    "#endif\n"
    "#if BAD == 6\n"
    "  extern int usleep(unsigned); usleep(600000); usleep(600000);\n"
    "#endif\n"
    "#if BAD == 3\n"
    "  extern void exit(int); exit(0);\n"
    "#endif\n"
    "#ifdef _OPENMP\n"
    "#pragma omp parallel for num_threads(U)\n"
    "#endif\n"
    "  for (int i = 0; i < n; i++) c[i] = f * a[i] + (BAD == 2);\n"
    "#if BAD == 1\n"
    "  *(volatile int *)8 = n;\n"
    "#endif\n"
    "#if BAD == 5\n"
    "  does not compile;\n"
    "#endif\n"
    "  static volatile int mark[U]; mark[0] = 1;\n" // no two values of U are the same
                                                    // code
    "}\n"
    "void (*const autotune_entry)(int, double, const double *, double *) = scale;\n";

static const struct autotune_value scale_u[] = { { "1", "1", 1, 1 },
                                                 { "2", "2", 2, 2 },
                                                 { "3", "3", 3, 3 } };
static const struct autotune_value scale_bad[] = { { "0", "0", 0, 0 }, { "1", "1", 1, 1 },
                                                   { "2", "2", 2, 2 }, { "3", "3", 3, 3 },
                                                   { "4", "4", 4, 4 }, { "5", "5", 5, 5 },
                                                   { "6", "6", 6, 6 } };
static struct autotune_param scale_params[] = {
  { "U", "U", AUTOTUNE_INT, -1, 3, 3, scale_u },
  { "BAD", "BAD", AUTOTUNE_INT, -1, 1, 0, scale_bad }, // tests allow more of them
};
static const struct autotune_section scale_sections[] = {
  { "a[0:n]", AUTOTUNE_IN, AUTOTUNE_F64, sizeof(double) },
  { "c[0:n]", AUTOTUNE_OUT, AUTOTUNE_F64, sizeof(double) },
};
static const char *const scale_flags[] = { "-std=c17", NULL };
static const struct autotune_unit scale_units[] = { { "clang", scale_text,
                                                      scale_flags } };
static const char *const scale_keys[] = { "n" };
static const struct autotune_arg scale_args[] = { { "n", sizeof(int), 0 },
                                                  { "f", sizeof(double), 0 },
                                                  { "a", sizeof(void *), 1 },
                                                  { "c", sizeof(void *), 1 } };

static struct autotune_kernel scale_kernel = {
  .abi = AUTOTUNE_ABI,
  .name = "scale",
  .file = "scale.c",
  .line = 1,
  .original = (autotune_fn)scale_default,
  .invoke = scale_invoke,
  .describe = scale_describe,
  .n_args = 4,
  .args = scale_args,
  .n_keys = 1,
  .keys = scale_keys,
  .n_params = 2,
  .params = scale_params,
  .n_sections = 2,
  .sections = scale_sections,
  .n_units = 1,
  .units = scale_units,
};
static struct autotune_site scale_site = { .kernel = &scale_kernel };

// The stub.
static void scale(int n, double f, const double *a, double *c) {
  struct autotune_entry *hot = __atomic_load_n(&scale_site.hot, __ATOMIC_ACQUIRE);
  struct autotune_call_state state = { .node = NULL };
  autotune_fn fn;
  if (hot && hot->key[0] == n && !autotune_due(hot)) {
    fn = hot->code;
  } else {
    long long key[] = { n };
    void *args[] = { &n, &f, &a, &c };
    fn = autotune_begin(&scale_site, key, args, &state);
  }
  ((void (*)(int, double, const double *, double *))fn)(n, f, a, c);
  if (state.node)
    autotune_end(&state);
}

// Calls scale for N elements; true when the answer is right.
static inline bool scale_is_right(int n) {
  double *a = malloc((size_t)n * sizeof *a), *c = calloc((size_t)n, sizeof *c);
  bool right = a && c;
  for (int i = 0; right && i < n; i++)
    a[i] = i;
  if (right)
    scale(n, 3, a, c);
  for (int i = 0; right && i < n; i++)
    right = a[i] == i && c[i] == 3.0 * i;
  free(a);
  free(c);
  return right;
}

// True if the reason for the variant that scale runs for its last key contains WORDS.
static inline bool scale_why_has(const char *words) {
  char *why = NULL;
  bool has = autotune_why("scale", NULL, &why) == AUTOTUNE_OK && strstr(why, words);
  if (!has)
    fprintf(stderr, "'%s' is not in: %s\n", words, why ? why : "(nothing)");
  free(why);
  return has;
}

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      _exit(1);                                                               \
    }                                                                         \
  } while (0)

static char fixture_folder[] = "/tmp/autotune-test-XXXXXX";

/* Runs BODY in a child with the store in the test's folder (or as ENV says: "NAME=VALUE",
 * NULL-terminated). The child is a subreaper, so that processes that are left are found.
 * Returns 0, or the child's status. */
static inline int in_child(void (*body)(void), const char *const *env) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    setenv("AUTOTUNE_CACHE", fixture_folder, 1);
    setenv("AUTOTUNE_BUDGET", "1s", 1);
    for (; env && *env; env++)
      putenv((char *)(uintptr_t)*env);
    alarm(180);
    body();
    _exit(0);
  }
  int status = -1;
  if (pid < 0 || waitpid(pid, &status, 0) != pid)
    return -1;
  return status;
}

static inline void remove_folder(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", fixture_folder);
  if (system(command) != 0)
    fprintf(stderr, "%s is left\n", fixture_folder);
}

static inline int make_folder(void **state) {
  (void)state;
  strcpy(fixture_folder, "/tmp/autotune-test-XXXXXX");
  return mkdtemp(fixture_folder) ? 0 : -1;
}

static inline int drop_folder(void **state) {
  (void)state;
  remove_folder();
  return 0;
}

static inline void nap(double seconds) {
  struct timespec t = { (time_t)seconds,
                        (long)((seconds - (double)(time_t)seconds) * 1e9) };
  nanosleep(&t, NULL);
}

static inline pid_t first_child(pid_t pid) {
  char path[64];
  long child = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
  FILE *f = fopen(path, "r");
  if (f && fscanf(f, "%ld", &child) != 1)
    child = 0;
  if (f)
    fclose(f);
  return (pid_t)child;
}

/* True if PID, like the helper that is a tuner's parent, has no program of its own: it
 * blocks all signals. */
static inline bool is_helper(pid_t pid) {
  char path[64], line[256];
  unsigned long long blocked = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f) && !sscanf(line, "SigBlk: %llx", &blocked))
    ;
  if (f)
    fclose(f);
  return blocked >> 34;
}

/* The tuner that the first thread of PROGRAM has begun; 0: there is none. */
static inline pid_t tuner_of(pid_t program) {
  pid_t pid = first_child(program);
  return pid > 0 && is_helper(pid) ? first_child(pid) : pid;
}

/* The tuner that this thread has begun, or begins within five seconds; 0: there is
 * none. */
static inline pid_t await_child(void) {
  pid_t pid = 0;
  for (int i = 0; i < 500 && pid == 0; i++) {
    pid = tuner_of(getpid());
    nap(0.01);
  }
  return pid;
}

#endif
