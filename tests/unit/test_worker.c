// SPDX-License-Identifier: Apache-2.0
// Workers, with functions of this file as variants: each fault must be reported, must end
// nothing but a worker, and must not change the caller's data. (RELIABILITY: V1, V2, V3.)
#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/jit.h"
#include "base/base.h"
#include "run/cpu/sandbox.h"

// ---- a kernel: C[i] = 2 * A[i], and the sum of A is returned ------------------------

enum { N = 1000 };
typedef double kernel_fn(int n, const double *a, double *c);

static double right(int n, const double *a, double *c) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    c[i] = 2 * a[i];
    sum += a[i];
  }
  return sum;
}

static void invoke(autotune_fn fn, void *const *args, void *ret) {
  kernel_fn *f = (kernel_fn *)fn;
  double r = f(*(int *)args[0], *(const double **)args[1], *(double **)args[2]);
  memcpy(ret, &r, sizeof r);
}

static void describe(void *const *args, struct autotune_call *call) {
  size_t n = (size_t)*(int *)args[0];
  call->spans[0] = (struct autotune_span){ *(void **)args[1], n * sizeof(double) };
  call->spans[1] = (struct autotune_span){ *(void **)args[2], n * sizeof(double) };
}

static void describe_nothing(void *const *args, struct autotune_call *call) {
  call->flops = *(int *)args[0];
}

static const struct autotune_section sections[] = {
  { "A[0:n]", AUTOTUNE_IN, AUTOTUNE_F64, sizeof(double) },
  { "C[0:n]", AUTOTUNE_OUT, AUTOTUNE_F64, sizeof(double) },
}, inout_sections[] = {
  { "A[0:n]", AUTOTUNE_IN, AUTOTUNE_F64, sizeof(double) },
  { "C[0:n]", AUTOTUNE_INOUT, AUTOTUNE_F64, sizeof(double) },
};

static struct autotune_kernel kernel_of(kernel_fn *original) {
  return (struct autotune_kernel){
    .abi = AUTOTUNE_ABI,
    .name = "twice",
    .original = (autotune_fn)original,
    .invoke = invoke,
    .describe = describe,
    .ret_size = sizeof(double),
    .ret_element = AUTOTUNE_F64,
    .n_args = 3,
    .n_sections = 2,
    .sections = sections,
  };
}

// ---- a just-in-time compiler whose objects are addresses of functions ---------------

struct jit_code {
  autotune_fn entry;
};

static struct jit_code *fake_load(const void *object, size_t size,
                                  const struct autotune_symbol *symbols, size_t n,
                                  char **message) {
  (void)symbols, (void)n;
  struct jit_code *code = calloc(1, sizeof *code);
  if (size != sizeof code->entry) {
    free(code);
    *message = strdup("not an object");
    return NULL;
  }
  memcpy(&code->entry, object, size);
  return code;
}

static void *fake_symbol(struct jit_code *code, const char *name) {
  return strcmp(name, "autotune_entry") == 0 ? &code->entry : NULL;
}

static const struct jit_api fake_jit = { .abi = JIT_ABI,
                                         .load = fake_load,
                                         .symbol = fake_symbol };

// Changes besides sections are looked for; not under sanitizers that write to memory of
// their own with each access.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
static const bool looks = false;
#else
static const bool looks = true;
#endif

// ---- the bench ----------------------------------------------------------------------

static struct {
  struct autotune_kernel kernel;
  struct worker_pool *workers;
  int n;
  double *a, *c;
  void *args[3];
  uint64_t tickets;
} bench;

static const struct trial_plan plan = { .limit = 0.5,
                                        .budget = 0.05,
                                        .min_samples = 3,
                                        .max_samples = 20,
                                        .precision = 0.02,
                                        .verify = true };

static void bench_open(struct autotune_kernel k) {
  char *message = NULL;
  bench.kernel = k;
  bench.n = N;
  bench.a = malloc(N * sizeof *bench.a);
  bench.c = malloc(N * sizeof *bench.c);
  for (int i = 0; i < N; i++) {
    bench.a[i] = i + 1;
    bench.c[i] = -i;
  }
  bench.args[0] = &bench.n;
  bench.args[1] = &bench.a;
  bench.args[2] = &bench.c;
  bench.workers = worker_start(&bench.kernel, bench.args, &fake_jit, &message);
  if (!bench.workers)
    fail_msg("no workers: %s", message);
}

static struct trial reference(void) {
  struct trial trial;
  assert_int_equal(worker_reference(bench.workers, &plan, &trial), 0);
  free(trial.samples);
  return trial;
}

static struct trial try(kernel_fn *variant) {
  struct trial trial;
  assert_int_equal(
      worker_try(bench.workers, ++bench.tickets, &variant, sizeof variant, &plan, &trial),
      0);
  free(trial.samples);
  return trial;
}

static void bench_close(void) {
  worker_stop(bench.workers);
  for (int i = 0; i < N; i++) { // trials did not change the caller's data
    assert_true(bench.a[i] == i + 1);
    assert_true(bench.c[i] == -i);
  }
  free(bench.a);
  free(bench.c);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no process is left
}

static int open_files(void) {
  DIR *d = opendir("/proc/self/fd");
  int n = 0;
  while (readdir(d))
    n++;
  closedir(d);
  return n;
}

// ---- V1: variants that crash --------------------------------------------------------

#define PLAIN     \
  __attribute__(( \
      no_sanitize("undefined", "address"))) // a real fault, not the sanitizer's report

PLAIN static double segv(int n, const double *a, double *c) {
  int *volatile nowhere = (int *)8;
  right(n, a, c);
  *nowhere = 1;
  return 0;
}
PLAIN static double bus(int n, const double *a, double *c) {
  (void)n, (void)a, (void)c;
  int fd = memfd_create("empty", 0); // a page beyond the end of a file
  *(volatile char *)mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) = 1;
  return 0;
}
PLAIN static double fpe(int n, const double *a, double *c) {
  (void)a, (void)c;
  volatile int zero = 0;
  return n / zero;
}
PLAIN static double ill(int n, const double *a, double *c) {
  (void)n, (void)a, (void)c;
  __builtin_trap();
}
static double aborts(int n, const double *a, double *c) {
  (void)n, (void)a, (void)c;
  abort();
}
static double exits(int n, const double *a, double *c) {
  right(n, a, c);
  exit(0);
}
static double exits_fast(int n, const double *a, double *c) {
  right(n, a, c);
  _exit(3);
}
PLAIN static double overflows(int n, const double *a, double *c) {
  volatile char frame[4096];
  frame[n % 4096] = 1;
  return n < 0 ? 0 : overflows(n / 2 + 1, a, c) + frame[0];
}
static double kills_itself(int n, const double *a, double *c) {
  right(n, a, c);
  kill(getpid(), SIGKILL);
  return 0;
}
static double handles(int n, const double *a,
                      double *c) { // the program's handlers must be gone
  (void)n, (void)a, (void)c;
  raise(SIGUSR1);
  return 0;
}

static void handler(int s) {
  (void)s;
}

static const struct {
  kernel_fn *fn;
  enum status status;
  const char *message;
} deaths[] = {
  { segv, STATUS_CRASH, "SIGSEGV" },         { bus, STATUS_CRASH, "SIGBUS" },
  { fpe, STATUS_CRASH, "SIGFPE" },           { ill, STATUS_CRASH, "SIGILL" },
  { aborts, STATUS_CRASH, "SIGABRT" },       { exits, STATUS_EXIT, "exit(0)" },
  { exits_fast, STATUS_EXIT, "exit(3)" },    { overflows, STATUS_CRASH, "SIGSEGV" },
  { kills_itself, STATUS_CRASH, "SIGKILL" }, { handles, STATUS_CRASH, "SIGUSR1" },
};

// The program's exit handlers must not run in a worker: this one would leave a file.
static struct {
  pid_t pid;
  char path[64];
} parent;

static void at_exit(void) {
  if (getpid() != parent.pid)
    close(open(parent.path, O_CREAT | O_WRONLY, 0600));
}

static void crashes(bool openmp, bool first) {
  int files = open_files();
  signal(SIGUSR1, handler);
  struct autotune_kernel k = kernel_of(right);
  k.openmp = openmp;
  bench_open(k);
  assert_int_equal(reference().status, STATUS_OK);
  for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) {
    if (!first)
      assert_int_equal(try(right).status, STATUS_OK);
    struct trial t = try(deaths[i].fn);
    assert_int_equal(t.status, deaths[i].status);
    assert_non_null(strstr(t.message, deaths[i].message));
    assert_int_equal(try(right).status, STATUS_OK); // the next trial works
  }
  bench_close();
  signal(SIGUSR1, SIG_DFL);
  assert_int_equal(open_files(), files);
  assert_int_equal(access(parent.path, F_OK), -1);
}

static void test_crashes(void **state) {
  (void)state;
  crashes(false, true);
}
static void test_crashes_later(void **state) {
  (void)state;
  crashes(false, false);
}
static void test_crashes_openmp(void **state) {
  (void)state;
  crashes(true, true);
}

// ---- V2: variants that do not end ---------------------------------------------------

static double loops(int n, const double *a, double *c) {
  for (volatile int i = 1; i;)
    ;
  return right(n, a, c);
}
static double sleeps(int n, const double *a, double *c) {
  (void)n, (void)a, (void)c;
  while (sleep(1000) < 1001)
    ;
  return 0;
}
static double deadlocks(int n, const double *a, double *c) {
  (void)n, (void)a, (void)c;
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  return 0;
}
static double blocks_signals(int n, const double *a, double *c) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  for (int s = 1; s < NSIG; s++)
    signal(s, SIG_IGN);
  return loops(n, a, c);
}
static double forks(int n, const double *a, double *c) { // and leaves a process
  if (fork() == 0)
    loops(n, a, c);
  return loops(n, a, c);
}

static double forks_away(int n, const double *a,
                         double *c) { // out of its group and its family
  if (fork() == 0) {
    setsid();
    if (fork() == 0)
      setsid();
  }
  return loops(n, a, c);
}

static void test_endless(void **state) {
  (void)state;
  kernel_fn *const endless[] = { loops,          sleeps, deadlocks,
                                 blocks_signals, forks,  forks_away };
  int files = open_files();
  prctl(PR_SET_CHILD_SUBREAPER, 1); // bench_close finds the remaining processes
  bench_open(kernel_of(right));
  assert_int_equal(reference().status, STATUS_OK);
  for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
    assert_int_equal(try(endless[i]).status, STATUS_TIMEOUT);
    assert_int_equal(try(right).status, STATUS_OK);
  }
  bench_close();
  assert_int_equal(open_files(), files);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// ---- V3: wrong answers --------------------------------------------------------------

static int thread_count = 4; // as with OpenMP

static double one_ulp(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  for (int i = 0; i < n; i++)
    c[i] = nextafter(c[i], INFINITY);
  return sum;
}
static double thousandth(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  c[n / 2] *= 1.001;
  return sum;
}
static double not_a_number(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  c[1] = NAN;
  return sum;
}
static double last_only(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  c[n - 1] += 1;
  return sum;
}
static double last_missing(int n, const double *a, double *c) {
  return right(n - 1, a, c) + a[n - 1];
}
static double returns_less(int n, const double *a, double *c) {
  return right(n, a, c) - 1;
}
static double before(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  c[-1] = 3;
  return sum;
}
static double after(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  c[n] = 3;
  return sum;
}
static double input(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  ((double *)(uintptr_t)a)[7] = 1e9;
  return sum;
}
static double at_three_threads(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  if (thread_count == 3)
    c[n / 3] = 0;
  return sum;
}
static double three(int n, const double *a, double *c) {
  thread_count = 3; // num_threads(3)
  return at_three_threads(n, a, c);
}
static double four(int n, const double *a, double *c) {
  thread_count = 4;
  return at_three_threads(n, a, c);
}
// Counts the calls of variants in this process. Not in memory: that would be a change.
static int calls_before(void) {
  int calls = prctl(PR_GET_TIMERSLACK) - 50000;
  prctl(PR_SET_TIMERSLACK, 50000 + calls + 1);
  return calls;
}
static double second_time(int n, const double *a,
                          double *c) { // right while it is checked
  double sum = right(n, a, c);
  c[3] += calls_before() > 0;
  return sum;
}

static const struct {
  kernel_fn *fn;
  enum status status;
  const char *message;
} results[] = {
  { right, STATUS_OK, "" },
  { one_ulp, STATUS_OK, "" },
  { thousandth, STATUS_WRONG, "element 500" },
  { not_a_number, STATUS_WRONG, "nan" },
  { last_only, STATUS_WRONG, "C[0:n]: element 999 is 2001 instead of 2000" },
  { last_missing, STATUS_WRONG, "element 999" },
  { returns_less, STATUS_WRONG, "returned" },
  { input, STATUS_WRONG, "A[0:n], which is only read" },
  { four, STATUS_OK, "" },
  { three, STATUS_WRONG, "element 333" },
  { second_time, STATUS_WRONG, "element 3 " },
};

static void wrong(const struct autotune_section *s) {
  struct autotune_kernel k = kernel_of(right);
  k.sections = s;
  bench_open(k);
  assert_int_equal(reference().status, STATUS_OK);
  for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
    struct trial t = try(results[i].fn);
    if (t.status != results[i].status || !strstr(t.message, results[i].message))
      fail_msg("result %zu: %s, %s", i, status_words[t.status].name, t.message);
  }
  bench_close();
}

static void test_wrong(void **state) {
  (void)state;
  wrong(sections);
}
static void test_wrong_in_place(void **state) {
  (void)state;
  wrong(inout_sections);
}

// The arrays lie within one mapping, so that the memory next to them is certain.
static void test_outside(void **state) {
  (void)state;
  if (!looks)
    skip();
  struct autotune_kernel k = kernel_of(right);
  char *message = NULL;
  double *memory =
      mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  double *a = memory + 1000, *c = memory + 50000;
  int n = N;
  void *args[] = { &n, &a, &c };
  bench.kernel = k;
  bench.workers = worker_start(&bench.kernel, args, &fake_jit, &message);
  assert_non_null(bench.workers);
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(try(right).status, STATUS_OK);
  assert_int_equal(try(before).status, STATUS_WRONG);
  assert_int_equal(try(after).status, STATUS_WRONG);
  assert_int_equal(try(right).status, STATUS_OK);
  worker_stop(bench.workers);
  munmap(memory, 1 << 20);
}

// ---- what no section names ----------------------------------------------------------

// A file's counters, a halo behind a pointer, the caller's variable, the heap.
static int histogram[64];
static struct {
  double *halo;
} grid;

static double counts(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  for (int i = 0; i < n; i++)
    histogram[i % 64] += i;
  grid.halo[0] = c[0];
  grid.halo[1] = sum / 3;
  return sum;
}
static double counts_in_pairs(int n, const double *a, double *c) {
  double sum = 0;
  for (int i = 0; i < 64; i++)
    for (int k = i; k < n; k += 64)
      histogram[i] += k;
  for (int i = n; i-- > 0; sum += a[i])
    c[i] = 2 * a[i];
  grid.halo[0] = c[0];
  grid.halo[1] = sum / 3 * (1 + 1e-14);
  return sum;
}
static double forgets_halo(int n, const double *a, double *c) {
  double kept = grid.halo[1], sum = counts(n, a, c);
  grid.halo[1] = kept;
  return sum;
}
static double loses_count(int n, const double *a, double *c) {
  double sum = counts(n, a, c);
  histogram[3]--;
  return sum;
}
static double wrong_halo(int n, const double *a, double *c) {
  double sum = counts(n, a, c);
  grid.halo[1] *= 1.001;
  return sum;
}
static int flag;
static double sets_flag(int n, const double *a, double *c) {
  flag = 1;
  return counts(n, a, c);
}
static double far_away(int n, const double *a, double *c) {
  double sum = counts(n, a, c);
  memset(grid.halo + 3000, 1, 64 * sizeof(double));
  return sum;
}

static void test_unnamed(void **state) {
  (void)state;
  static const struct {
    kernel_fn *fn;
    enum status status;
    const char *message;
    bool hinted; // that it may be a workspace
  } cases[] = {
    { counts, STATUS_OK, "", false },
    { counts_in_pairs, STATUS_OK, "", false },
    { forgets_halo, STATUS_WRONG, "memory that no section names differs", true },
    { counts, STATUS_OK, "", false },
    { loses_count, STATUS_WRONG, "histogram, byte 12", true },
    { wrong_halo, STATUS_WRONG, "memory that no section names differs", true },
    { sets_flag, STATUS_WRONG, "memory outside its arrays was changed", true },
    { far_away, STATUS_WRONG, "memory outside its arrays was changed", false },
    { counts, STATUS_OK, "", false },
  };
  static const struct autotune_symbol symbols[] = { { "histogram", histogram,
                                                      sizeof histogram } };
  if (!looks)
    skip();
  for (int on_heap = 0; on_heap < 2; on_heap++) {
    static double halo[4096];
    struct autotune_kernel k = kernel_of(counts);
    k.symbols = symbols;
    k.n_symbols = 1;
    grid.halo = on_heap ? calloc(4096, sizeof *grid.halo) : halo;
    bench_open(k);
    struct trial t = reference();
    assert_int_equal(t.status, STATUS_OK);
    if (!strstr(t.note, "bytes that no section names ("))
      fail_msg("note: %s", t.note);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      t = try(cases[i].fn);
      bool hinted = t.unnamed[0] != '\0';
      if (t.status != cases[i].status || !strstr(t.message, cases[i].message) ||
          (hinted != cases[i].hinted && cases[i].fn != sets_flag))
        fail_msg("case %zu: %s, %s", i, status_words[t.status].name, t.message);
    }
    bench_close();
    if (on_heap)
      free(grid.halo);
  }
  assert_true(histogram[3] == 0 && flag == 0);
}

// ---- scratch(…) ---------------------------------------------------------------------

// Its workspace is on the heap, and others know it: only a section can tell what it is.
static double *work;

static void describe_work(void *const *args, struct autotune_call *call) {
  describe(args, call);
  call->spans[2] = (struct autotune_span){ work, N * sizeof *work };
}
static const struct autotune_section work_sections[] = {
  { "A[0:n]", AUTOTUNE_IN, AUTOTUNE_F64, 8 },
  { "C[0:n]", AUTOTUNE_OUT, AUTOTUNE_F64, 8 },
  { "work[0:n]", AUTOTUNE_SCRATCH, AUTOTUNE_F64, 8 },
};

static double works(int n, const double *a, double *c) {
  for (int i = 0; i < n; i++)
    work[i] = 3 * a[i];
  for (int i = 0; i < n; i++)
    c[i] = work[i] - a[i];
  return a[0];
}
static double works_backwards(int n, const double *a, double *c) {
  for (int i = 0; i < n; i++)
    work[n - 1 - i] = 4 * a[i];
  for (int i = 0; i < n; i++)
    c[i] = work[n - 1 - i] - 2 * a[i];
  return a[0];
}
static double works_nowhere(int n, const double *a, double *c) {
  right(n, a, c);
  return a[0];
}
static double works_behind(int n, const double *a, double *c) {
  work[N] = 1;
  return works(n, a, c);
}
static double works_on_old(int n, const double *a, double *c) {
  double old = work[5];
  works(n, a, c);
  c[5] += old; // 0 in the program
  return a[0];
}
static double follows_old(int n, const double *a, double *c) {
  double *volatile *address = (double *volatile *)work;
  **address = 1;
  return works(n, a, c);
}

static void open_work(kernel_fn *original) {
  struct autotune_kernel k = kernel_of(original);
  k.describe = describe_work;
  k.sections = work_sections;
  k.n_sections = 3;
  bench_open(k);
}

// The line for people begins with BEGIN and ends with END; between them is what besides
// sections was looked at.
static void assert_covered(const char *begin, const char *end) {
  char text[400];
  worker_covered(bench.workers, text, sizeof text);
  const char *last = looks ? end : ", memory besides sections";
  size_t n = strlen(text), m = strlen(last);
  const char *rest = ", memory besides sections (";
  if (strncmp(text, begin, strlen(begin)) != 0 || n < m ||
      strcmp(text + n - m, last) != 0 || (strstr(text, rest) != NULL) != looks)
    fail_msg("%s", text);
}

static void test_scratch(void **state) {
  (void)state;
  work = calloc(N + 64, sizeof *work);
  open_work(works);
  struct trial t = reference();
  assert_int_equal(t.status, STATUS_OK);
  assert_string_equal(t.note, "");
  assert_covered(
      "compared: A[0:n] (unchanged), C[0:n] (1000 doubles), the value returned",
      "the state of thread and process; not compared: scratch(work[0:n])");
  assert_int_equal(try(works_backwards).status, STATUS_OK);
  assert_int_equal(try(works_nowhere).status, STATUS_OK);
  t = try(works_on_old);
  assert_int_equal(t.status, STATUS_WRONG);
  assert_non_null(strstr(t.message, "C[0:n]: element 5"));
  assert_int_equal(try(works_nowhere).status, STATUS_OK);
  t = try(works_behind);
  if (looks)
    assert_string_equal(t.message,
                        "memory outside its arrays was changed: 1 bytes after work[0:n]");
  bench_close();
  assert_true(work[0] == 0);
  free(work);
}

// Without the section the same workspace makes right variants wrong.
static void test_no_scratch(void **state) {
  (void)state;
  if (!looks)
    skip();
  work = calloc(N + 64, sizeof *work);
  static const struct autotune_symbol symbols[] = { { "work", &work, sizeof work } };
  struct autotune_kernel k = kernel_of(works);
  k.symbols = symbols;
  k.n_symbols = 1;
  bench_open(k);
  assert_int_equal(reference().status, STATUS_OK);
  kernel_fn *written = works;
  struct trial t;
  assert_int_equal(worker_written(bench.workers, &written, sizeof written, &plan, &t), 0);
  free(t.samples);
  assert_int_equal(try(works).status, STATUS_OK);
  t = try(works_backwards);
  assert_int_equal(t.status, STATUS_WRONG);
  assert_non_null(strstr(t.unnamed, "memory that work points to, byte "));
  bench_close();
  free(work);
}

// Compares OBJECT, a strict build, with that of the default.
static struct trial strictly(kernel_fn *reference_code, kernel_fn *object) {
  const struct strict_pair pair = { .reference = &reference_code,
                                    .reference_size = sizeof reference_code,
                                    .object = &object,
                                    .size = sizeof object };
  struct trial t;
  assert_int_equal(worker_strict(bench.workers, &pair, &plan, &t), 0);
  return t;
}

static double nearly(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  c[17] *= 1 + 0x1p-52;
  c[18] *= 1 + 0x1p-50;
  return sum;
}

static double negative_zero(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  for (int i = 0; i < n; i++)
    c[i] = c[i] == 0 ? -0.0 : c[i];
  return sum;
}

static double times_called(int n, const double *a, double *c) {
  static double calls;
  calls++;
  return right(n, a, c) + calls;
}

// What the tolerance allows is found; the workers' reference stays what it was.
static void test_strict(void **state) {
  (void)state;
  bench_open(kernel_of(right));
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(strictly(right, right).status, STATUS_OK);
  assert_int_equal(strictly(right, negative_zero).status, STATUS_OK);
  assert_int_equal(try(nearly).status, STATUS_OK);
  struct trial t = strictly(right, nearly);
  assert_int_equal(t.status, STATUS_WRONG);
  assert_string_equal(t.message,
                      "C[0:n]: element 17 is 36.0000000000000071 instead of 36");
  assert_non_null(strstr(t.deviation, "e-16 relative, "));
  assert_non_null(strstr(t.deviation, "C[18]"));
  assert_int_equal(strictly(times_called, right).status, STATUS_PENDING);
  assert_int_equal(try(right).status, STATUS_OK);
  bench_close();
}

// What flows in cancels what flows out, exactly, as long as all of it is the same.
static double flows(int n, const double *a, double *c) {
  struct timespec t = { 0, 260000000 }; // long enough to be nudged once alone
  nanosleep(&t, NULL);
  for (int i = 0; i < n; i++) {
    double f = a[i] / 3, g = a[(i + 1) % n] / 3, h = a[(i + 2) % n] / 7;
    c[i] = i % 10 == 0 ? 1e-20 * a[i] : f - g + h - a[(i + 3) % n] / 7;
  }
  return 0;
}
static double flows_in_order(int n, const double *a, double *c) {
  for (int i = 0; i < n; i++) {
    double f = a[i] / 3, g = a[(i + 1) % n] / 3, h = a[(i + 2) % n] / 7;
    c[i] = i % 10 == 0 ? 1e-20 * a[i] : (f + h) - a[(i + 3) % n] / 7 - g;
  }
  return 0;
}
static double flows_away(int n, const double *a, double *c) {
  flows_in_order(n, a, c);
  c[17] = 1e-6;
  return 0;
}
static double flags(int n, const double *a, double *c) {
  for (int i = 0; i < n; i++)
    c[i] = a[i] > 1 ? 0 : 1e-20 * a[i];
  return 0;
}
static double flags_nearly(int n, const double *a, double *c) {
  flags(n, a, c);
  c[17] = -1e-24;
  return 0;
}

// A zero that is left where equal numbers cancel may be the rounding of these; the zero
// of a flag is exact. Runs that take long say as much.
static void test_zeros(void **state) {
  (void)state;
  for (int nearly_equal = 0; nearly_equal < 2; nearly_equal++) {
    bench_open(kernel_of(flows));
    for (int i = 0; i < N; i++)
      bench.a[i] = 0.7 + nearly_equal * (i * 7 % 31) * 0x1p-52;
    worker_stop(bench.workers);
    bench.workers = worker_start(&bench.kernel, bench.args, &fake_jit, &(char *){ NULL });
    assert_non_null(bench.workers);
    assert_int_equal(reference().status, STATUS_OK);
    struct trial t = try(flows_in_order);
    if (t.status != STATUS_OK)
      fail_msg("%s", t.message);
    assert_int_equal(try(flows_away).status, STATUS_WRONG);
    for (int i = 0; i < N; i++)
      bench.a[i] = i + 1; // as bench_close expects
    bench_close();
  }
  bench_open(kernel_of(flags));
  for (int i = 0; i < N; i++)
    bench.a[i] = 0.7 + i % 2;
  worker_stop(bench.workers);
  bench.workers = worker_start(&bench.kernel, bench.args, &fake_jit, &(char *){ NULL });
  assert_non_null(bench.workers);
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(try(flags_nearly).status, STATUS_WRONG);
  for (int i = 0; i < N; i++)
    bench.a[i] = i + 1;
  bench_close();
}

static void test_scratch_that_is_read(void **state) {
  (void)state;
  double before = 0, *into = &before;
  work = calloc(N + 64, sizeof *work);
  open_work(works_on_old);
  struct trial t = reference();
  assert_int_equal(t.status, STATUS_WRONG);
  if (!strstr(t.message,
              "work[0:n] is declared scratch, but the kernel reads what was in "
              "it (C[0:n]: element 5"))
    fail_msg("%s", t.message);
  assert_int_equal(t.n_samples, 0);
  bench_close();
  memcpy(work, &into, sizeof into); // an address: the pattern is none
  open_work(follows_old);
  t = reference();
  assert_int_equal(t.status, STATUS_WRONG);
  if (!strstr(t.message, "the kernel reads what was in it (SIG"))
    fail_msg("%s", t.message);
  bench_close();
  free(work);
}

static void describe_work_in_output(void *const *args, struct autotune_call *call) {
  describe(args, call);
  call->spans[2] = (struct autotune_span){ *(double **)args[2] + N - 1, 80 };
}

static void test_scratch_overlaps(void **state) {
  (void)state;
  struct autotune_kernel k = kernel_of(right);
  k.describe = describe_work_in_output;
  k.sections = work_sections;
  k.n_sections = 3;
  int n = N;
  double a[N] = { 0 }, c[N + 10] = { 0 }, *pa = a, *pc = c;
  void *args[] = { &n, &pa, &pc };
  char *message = NULL;
  assert_null(worker_start(&k, args, &fake_jit, &message));
  assert_string_equal(message, "the section work[0:n] is scratch, and overlaps C[0:n]");
  free(message);
}

// Waves around 0 as doubles and as floats, and counts, without any section: rounding
// that is large beside an element and small beside its neighbours is no error, a count
// that is off by one is.
static struct {
  double waves[200];
  float small[200];
  int counts[200];
} field;
static double noise, small_noise;
static int extra, left_out;

static double waves(int n, const double *a, double *c) {
  for (int i = left_out; i < 200; i++) {
    field.waves[i] = sin(i * M_PI / 4) + noise;
    field.small[i] = (float)(cos(i * M_PI / 4) + small_noise);
    field.counts[i] += i % 7 + (i == 100 ? extra : 0);
  }
  return right(n, a, c);
}
static double noisy_waves(int n, const double *a, double *c) {
  noise = 1e-14;
  small_noise = 1e-6;
  double sum = waves(n, a, c);
  noise = small_noise = 0;
  return sum;
}
static double shifted_waves(int n, const double *a, double *c) {
  noise = 1e-7;
  double sum = waves(n, a, c);
  noise = 0;
  return sum;
}
static double shifted_floats(int n, const double *a, double *c) {
  small_noise = 1e-3;
  double sum = waves(n, a, c);
  small_noise = 0;
  return sum;
}
static double one_more(int n, const double *a, double *c) {
  extra = 1;
  double sum = waves(n, a, c);
  extra = 0;
  return sum;
}
static double first_missing(int n, const double *a, double *c) {
  left_out = 1;
  double sum = waves(n, a, c);
  left_out = 0;
  return sum;
}
static double waves_and_flag(int n, const double *a, double *c) {
  flag = 1;
  return waves(n, a, c);
}
static double waves_and_less(int n, const double *a, double *c) {
  double sum = waves(n, a, c);
  c[n / 2] += 1e-3;
  return sum;
}

static bool bench_verifies(void) {
  double flops, bytes;
  bool verified;
  worker_call(bench.workers, &flops, &bytes, &verified);
  return verified;
}

static void test_all_unnamed(void **state) {
  (void)state;
  static const struct {
    kernel_fn *fn;
    enum status status;
    const char *message;
  } cases[] = {
    { waves, STATUS_OK, "" },
    { noisy_waves, STATUS_OK, "" },
    { shifted_waves, STATUS_WRONG, "memory that no section names differs" },
    { shifted_floats, STATUS_WRONG, "memory that no section names differs" },
    { one_more, STATUS_WRONG, "field, byte 2800" },
    { first_missing, STATUS_WRONG, "instead of 1)" },
    { waves_and_flag, STATUS_WRONG, "memory outside its arrays was changed" },
    { waves_and_less, STATUS_WRONG, "memory that no section names differs" },
    { waves, STATUS_OK, "" },
  };
  static const struct autotune_symbol symbols[] = { { "field", &field, sizeof field } };
  if (!looks)
    skip();
  struct autotune_kernel k = kernel_of(waves);
  k.n_sections = 0;
  k.describe = describe_nothing;
  k.symbols = symbols;
  k.n_symbols = 1;
  bench_open(k);
  assert_int_equal(reference().status, STATUS_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct trial t = try(cases[i].fn);
    if (t.status != cases[i].status || !strstr(t.message, cases[i].message))
      fail_msg("case %zu: %s, %s", i, status_words[t.status].name, t.message);
  }
  assert_true(bench_verifies());
  bench_close();
  k.openmp = true; // the heap is not looked at
  bench_open(k);
  assert_int_equal(reference().status, STATUS_OK);
  assert_false(bench_verifies());
  bench_close();
}

// Large whole numbers look like floats. Where the text has no such type, they are not.
static double codes(int n, const double *a, double *c) {
  for (int i = 0; i < 200; i++)
    field.counts[i] = 1000000000 + 1000 * i + (i == 100 ? extra : 0);
  return right(n, a, c);
}
static double one_code_off(int n, const double *a, double *c) {
  extra = 1;
  double sum = codes(n, a, c);
  extra = 0;
  return sum;
}

static struct autotune_kernel kernel_without_sections(kernel_fn *original) {
  struct autotune_kernel k = kernel_of(original);
  k.n_sections = 0;
  k.describe = describe_nothing;
  return k;
}

static void test_types_of_the_text(void **state) {
  (void)state;
  static const char *const flags[] = { "-std=c17", NULL };
  static const struct autotune_unit unit = { "clang", "int codes(int *x);", flags };
  struct autotune_kernel k = kernel_without_sections(codes);
  if (!looks)
    skip();
  k.n_units = 1;
  k.units = &unit;
  bench_open(k);
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(try(codes).status, STATUS_OK);
  assert_int_equal(try(one_code_off).status, STATUS_WRONG);
  assert_true(bench_verifies());
  bench_close();
}

// Numbers next to hashes and pointers: what is no number says nothing of how far numbers
// may be off.
static struct {
  struct {
    float x;
    unsigned hash;
  } floats[200];
  double apart[100]; // more than neighbours are apart
  struct {
    double x;
    uint64_t hash;
  } doubles[200];
  double also_apart[100];
  float *pointers[200];
  float waves[200];
  double still_apart[100];
  unsigned state[400]; // of a generator
} blend;

static uint64_t hash_of(uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
  return i ^ i >> 27;
}
static double blends(int n, const double *a, double *c) {
  for (int i = 0; i < 200; i++) {
    blend.floats[i].x = 0.5f + 0.125f * (float)(i % 7);
    blend.floats[i].hash = (unsigned)hash_of((unsigned)i);
    blend.doubles[i].x = 0.5 + 0.1 * (i % 7) + noise;
    blend.doubles[i].hash = hash_of(1000 + (unsigned)i);
    blend.pointers[i] = &field.small[i];
    blend.state[2 * i] = (unsigned)hash_of(2000 + (unsigned)i);
    blend.state[2 * i + 1] = (unsigned)hash_of(3000 + (unsigned)i);
    blend.waves[i] = (float)(cos(i * M_PI / 4) + small_noise);
  }
  return right(n, a, c);
}
static double noisy_blends(int n, const double *a, double *c) {
  noise = 1e-14;
  small_noise = 1e-6;
  double sum = blends(n, a, c);
  noise = small_noise = 0;
  return sum;
}
static double shifted_blends(int n, const double *a, double *c) {
  small_noise = 1e-3;
  double sum = blends(n, a, c);
  small_noise = 0;
  return sum;
}
// Returns the first word of the state from I on that would be a float near to 1.
static int like_a_float(int i) {
  while ((blend.state[i] >> 23 & 0xff) - 100 > 50)
    i++;
  return i;
}
#define BLEND_FAULT(name, fault)                          \
  static double name(int n, const double *a, double *c) { \
    double sum = blends(n, a, c);                         \
    fault;                                                \
    return sum;                                           \
  }
BLEND_FAULT(first_float_off, blend.floats[0].x += 0.01f)
BLEND_FAULT(a_float_off, blend.floats[101].x *= 1.5f)
BLEND_FAULT(a_float_lost, blend.floats[77].x = 0)
BLEND_FAULT(last_float_off, blend.floats[199].x += 1000)
BLEND_FAULT(first_double_off, blend.doubles[0].x += 0.01)
BLEND_FAULT(a_double_off, blend.doubles[101].x *= 1.5)
BLEND_FAULT(a_double_lost, blend.doubles[77].x = 0)
BLEND_FAULT(last_double_off, blend.doubles[199].x += 1000)
BLEND_FAULT(a_pointer_off, blend.pointers[100]++)
BLEND_FAULT(last_pointer_off, blend.pointers[199]++)
BLEND_FAULT(a_state_off, blend.state[like_a_float(100)] ^= 1)
BLEND_FAULT(a_wave_off, blend.waves[100] += 0.01f)

static void test_numbers_among_others(void **state) {
  (void)state;
  static const struct {
    kernel_fn *fn;
    bool right;
  } cases[] = {
    { blends, true },
    { noisy_blends, true },
    { shifted_blends, false },
    { first_float_off, false },
    { a_float_off, false },
    { a_float_lost, false },
    { last_float_off, false },
    { first_double_off, false },
    { a_double_off, false },
    { a_double_lost, false },
    { last_double_off, false },
    { a_pointer_off, false },
    { last_pointer_off, false },
    { a_state_off, false },
    { a_wave_off, false },
  };
  static const char *const flags[] = { "-std=c17", NULL };
  static const struct autotune_unit units[] = {
    { "clang", "float f(double *x);", flags },
    { "clang", "float f(float *x);", flags },
    { "clang", "double f(double *x);", flags },
  };
  if (!looks)
    skip();
  for (size_t u = 0; u < 3; u++) {
    struct autotune_kernel k = kernel_without_sections(blends);
    k.n_units = 1;
    k.units = &units[u];
    bench_open(k);
    assert_int_equal(reference().status, STATUS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      if ((cases[i].fn == noisy_blends && u > 0) || (cases[i].fn == a_wave_off && u > 1))
        continue; // the text does not have the type of these numbers
      struct trial t = try(cases[i].fn);
      if ((t.status == STATUS_OK) != cases[i].right)
        fail_msg("unit %zu, case %zu: %s, %s", u, i, status_words[t.status].name,
                 t.message);
    }
    bench_close();
  }
}

// Returns the only child of this process; -1: none was found.
static pid_t only_child(void) {
  char path[64];
  for (int pid = getpid() + 1; pid < getpid() + 1000; pid++) {
    int parent_id = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    bool is_child = f && fscanf(f, "%*d (%*[^)]) %*c %d", &parent_id) == 1 &&
        parent_id == getpid();
    if (f)
      fclose(f);
    if (is_child)
      return pid;
  }
  return -1;
}

// Ends the process that has the memory of before the run.
static double ends_the_keeper(int n, const double *a, double *c) {
  pid_t keeper = only_child();
  siginfo_t end;
  flag = 1;
  if (keeper > 0)
    kill(keeper, SIGKILL);
  waitid(P_PID, (id_t)keeper, &end, WEXITED | WNOWAIT | __WALL);
  return waves(n, a, c);
}

// A variant whose run could not be looked at was not compared.
static void test_a_run_that_is_not_seen(void **state) {
  (void)state;
  if (!looks)
    skip();
  for (int when_hot = 0; when_hot < 2; when_hot++) {
    char text[512];
    struct autotune_kernel k = kernel_without_sections(waves);
    k.size = sizeof k;
    k.when_hot = when_hot;
    bench_open(k);
    assert_int_equal(reference().status, STATUS_OK);
    assert_int_equal(try(waves).status, STATUS_OK);
    assert_true(bench_verifies());
    struct trial t = try(ends_the_keeper);
    if (when_hot)
      assert_string_equal(t.message,
                          "what it changes could not be looked for, and --auto "
                          "runs no variant unchecked");
    else
      assert_int_equal(t.status, STATUS_OK);
    assert_true(when_hot || !bench_verifies());
    worker_covered(bench.workers, text, sizeof text);
    assert_non_null(strstr(text,
                           "not compared: what some variants change and the default "
                           "does not"));
    bench_close();
  }
}

// Sums of several threads differ by their rounding from run to run, here by the process's
// number. They are compared all the same.
static double summed_otherwise(int n, const double *a, double *c) {
  noise = 1e-16 * (1 + getpid() % 100);
  double sum = waves(n, a, c);
  noise = 0;
  return sum;
}
static double numbers_itself(int n, const double *a, double *c) {
  double sum = waves(n, a, c);
  field.counts[0] = getpid();
  return sum;
}

// True if variants of a kernel that nobody has annotated are verified, too. COVERED: what
// is said of the comparison.
static bool hot_verifies(kernel_fn *original, const char *covered) {
  char text[512];
  struct autotune_kernel k = kernel_without_sections(original);
  bool verifies = false;
  k.size = sizeof k;
  for (int when_hot = 0; when_hot < 2; when_hot++) {
    k.when_hot = when_hot;
    bench_open(k);
    assert_int_equal(reference().status, STATUS_OK);
    assert_int_equal(try(original).status, STATUS_OK);
    assert_int_equal(try(shifted_waves).status, STATUS_WRONG);
    verifies = bench_verifies();
    assert_true(verifies || when_hot);
    worker_covered(bench.workers, text, sizeof text);
    assert_true(!covered == !strstr(text, "not compared") &&
                (!covered || strstr(text, covered)));
    bench_close();
  }
  return verifies;
}

static void test_restless_memory(void **state) {
  (void)state;
  if (!looks)
    skip();
  assert_true(hot_verifies(summed_otherwise, NULL));
  assert_false(hot_verifies(numbers_itself,
                            "not compared: 8 bytes that the default leaves "
                            "otherwise in each run"));
}

// State of the thread and of the process that a variant leaves behind.
static double leaves_rounding(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  fesetround(FE_UPWARD);
  return sum;
}
static double leaves_umask(int n, const double *a, double *c) {
  umask(0);
  return right(n, a, c);
}
static double leaves_folder(int n, const double *a, double *c) {
  (void)!chdir("/");
  return right(n, a, c);
}
static double leaves_timer(int n, const double *a, double *c) {
  setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 1000, 0 } }, NULL);
  return right(n, a, c);
}
static double leaves_random(int n, const double *a, double *c) {
  return right(n, a, c) + 0 * rand();
}
static double leaves_signals(int n, const double *a, double *c) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  return right(n, a, c);
}
#if defined(__x86_64__)
static double flushes_subnormals(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
  return sum;
}
static double leaves_mmx(int n, const double *a, double *c) {
  double sum = right(n, a, c);
  __asm__ volatile("fld1");
  return sum;
}
#endif

static void test_state(void **state) {
  (void)state;
  static const struct {
    kernel_fn *fn;
    const char *message;
  } cases[] = {
    { leaves_rounding, "floating-point control" },
    { leaves_umask, "umask" },
    { leaves_folder, "working folder" },
    { leaves_timer, "timers" },
    { leaves_random, "rand()" },
    { leaves_signals, "blocked signals" },
#if defined(__x86_64__)
    { flushes_subnormals, "floating-point control" },
    { leaves_mmx, "x87" },
#endif
  };
  mode_t before = umask(022);
  char folder[4096];
  assert_non_null(getcwd(folder, sizeof folder));
  assert_int_equal(chdir("/tmp"), 0);
  bench_open(kernel_of(right));
  assert_int_equal(reference().status, STATUS_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct trial t = try(cases[i].fn);
    if (t.status != STATUS_WRONG || !strstr(t.message, cases[i].message))
      fail_msg("case %zu: %s, %s", i, status_words[t.status].name, t.message);
    assert_int_equal(try(right).status, STATUS_OK);
  }
  bench_close();
  bench_open(kernel_of(leaves_rounding)); // the default itself does
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(try(leaves_rounding).status, STATUS_OK);
  assert_int_equal(try(right).status, STATUS_WRONG);
  bench_close();
  umask(before);
  assert_int_equal(chdir(folder), 0);
}

// The kernel runs in the program's environment; what runs beside it, in the default
// one.
static double needs_upward(int n, const double *a, double *c) {
  return right(n, a, c) + (fegetround() == FE_UPWARD);
}
static void test_environment(void **state) {
  (void)state;
  fenv_t programs;
  fesetround(FE_UPWARD);
#ifdef __x86_64__
  feenableexcept(FE_INVALID);
#endif
  state_enter(&programs);
  assert_int_equal(fegetround(), FE_TONEAREST);
  bench_open(kernel_of(needs_upward));
  struct trial t = reference();
  assert_int_equal(t.status, STATUS_OK);
  assert_int_equal(try(needs_upward).status, STATUS_OK);
  assert_int_equal(try(right).status, STATUS_WRONG);
  bench_close();
  state_leave(&programs);
  assert_int_equal(fegetround(), FE_UPWARD);
  fesetenv(FE_DFL_ENV);
}

// A default that allocates leaves the heap otherwise than a variant that allocates
// less.
static double allocates(int n, const double *a, double *c) {
  double *copy = malloc((size_t)n * sizeof *copy), sum;
  memcpy(copy, a, (size_t)n * sizeof *copy);
  sum = right(n, copy, c);
  free(copy);
  return sum;
}
static bool fake_calls(const void *object, size_t size,
                       const struct autotune_symbol *symbols, size_t n, bool openmp) {
  (void)object, (void)size, (void)symbols, (void)n, (void)openmp;
  return true;
}

static void test_allocations_are_no_changes(void **state) {
  (void)state;
  char *message = NULL;
  struct jit_api jit = fake_jit;
  jit.calls = fake_calls;
  bench_open(kernel_of(allocates));
  worker_stop(bench.workers);
  bench.workers = worker_start(&bench.kernel, bench.args, &jit, &message);
  assert_non_null(bench.workers);
  assert_int_equal(reference().status, STATUS_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(try(right).status, STATUS_OK);
    assert_int_equal(try(allocates).status, STATUS_OK);
  }
  bench_close();
}

// Where nobody has annotated the kernel, a variant must not win that may have left
// anything on the heap.
static void test_allocations_are_unchecked(void **state) {
  (void)state;
  char *message = NULL;
  struct jit_api jit = fake_jit;
  jit.calls = fake_calls;
  if (!looks)
    skip();
  struct autotune_kernel k = kernel_without_sections(right);
  k.size = sizeof k;
  for (int when_hot = 0; when_hot < 2; when_hot++) {
    k.when_hot = when_hot;
    bench_open(k);
    worker_stop(bench.workers);
    bench.workers = worker_start(&bench.kernel, bench.args, &jit, &message);
    assert_non_null(bench.workers);
    assert_int_equal(reference().status, STATUS_OK);
    struct trial t = try(right);
    assert_int_equal(t.status, when_hot ? STATUS_WRONG : STATUS_OK);
    assert_true(!when_hot ||
                strstr(t.message,
                       "it calls functions that may allocate, so the heap "
                       "cannot be compared"));
    assert_int_equal(bench_verifies(), when_hot);
    bench_close();
  }
}

// What malloc returns holds something else in each process: here what the program has
// written meanwhile into a page that others can only read.
static const volatile double *weather;
static double allocates_otherwise(int n, const double *a, double *c) {
  volatile double *copy = malloc((size_t)n * sizeof *copy);
  copy[n / 2] = *weather;
  free((void *)(uintptr_t)copy);
  return right(n, a, c);
}

// The default is run once more in the final race, and where a winner seems to be wrong.
static void test_the_default_may_allocate(void **state) {
  (void)state;
  int fd = memfd_create("weather", 0);
  assert_int_equal(ftruncate(fd, 4096), 0);
  double *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  weather = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  assert_true(page != MAP_FAILED && weather != MAP_FAILED);
  *page = 1;
  bench_open(kernel_of(allocates_otherwise));
  assert_int_equal(reference().status, STATUS_OK);
  *page = 2;
  struct trial_plan watched = plan;
  struct trial trial;
  watched.watch = true;
  assert_int_equal(worker_try(bench.workers, 0, NULL, 0, &watched, &trial), 0);
  free(trial.samples);
  assert_string_equal(trial.message, "");
  assert_int_equal(trial.status, STATUS_OK);
  assert_string_equal(trial.unnamed, "");
  bench_close();
  munmap(page, 4096);
  munmap((void *)(uintptr_t)weather, 4096);
  close(fd);
}

// ---- the default itself -------------------------------------------------------------

static double accumulates(int n, const double *a, double *c) {
  for (int i = 0; i < n; i++)
    c[i] += a[i];
  return 0;
}

static void test_default_without_its_inout(void **state) {
  (void)state;
  bench_open(kernel_of(accumulates));
  assert_int_equal(reference().status, STATUS_WRONG);
  bench_close();
}

static void test_default_in_place(void **state) {
  (void)state;
  struct autotune_kernel k = kernel_of(accumulates);
  k.sections = inout_sections;
  bench_open(k);
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(try(accumulates).status, STATUS_OK);
  assert_int_equal(try(right).status, STATUS_WRONG);
  bench_close();
}

static void test_default_crashes(void **state) {
  (void)state;
  bench_open(kernel_of(segv));
  assert_int_equal(reference().status, STATUS_CRASH);
  bench_close();
}

// ---- facts about the call -----------------------------------------------------------

static void test_no_sections(void **state) { // each variant gets a worker of its own
  (void)state;
  double flops, bytes;
  bool verified;
  struct autotune_kernel k = kernel_of(accumulates);
  k.n_sections = 0;
  k.describe = describe_nothing;
  bench_open(k);
  worker_call(bench.workers, &flops, &bytes, &verified);
  assert_false(verified);
  assert_true(flops == N && bytes == 0);
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(try(accumulates).status, STATUS_OK);
  assert_int_equal(try(segv).status, STATUS_CRASH);
  bench_close();
}

static void describe_overlapping(void *const *args, struct autotune_call *call) {
  double *a = *(double **)args[1], *c = *(double **)args[2];
  call->spans[0] = (struct autotune_span){ a, N * sizeof *a };
  call->spans[1] = (struct autotune_span){ c, N * sizeof *c };
  call->spans[2] = (struct autotune_span){ c + 10, 100 * sizeof *c };
  call->spans[3] = (struct autotune_span){ NULL, 800 };
  call->spans[4] = (struct autotune_span){ a, 0 };
}

static void test_overlapping(void **state) {
  (void)state;
  static const struct autotune_section five[] = {
    { "A[0:n]", AUTOTUNE_IN, AUTOTUNE_F64, 8 },
    { "C[0:n]", AUTOTUNE_OUT, AUTOTUNE_F64, 8 },
    { "C[10:100]", AUTOTUNE_IN, AUTOTUNE_F64, 8 },
    { "N[0:100]", AUTOTUNE_INOUT, AUTOTUNE_F64, 8 },
    { "A[0:0]", AUTOTUNE_OUT, AUTOTUNE_F64, 8 },
  };
  struct autotune_kernel k = kernel_of(right);
  k.describe = describe_overlapping;
  k.sections = five;
  k.n_sections = 5;
  bench_open(k);
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(try(right).status, STATUS_OK);
  assert_int_equal(try(last_only).status, STATUS_WRONG);
  bench_close();
}

static void describe_nonsense(void *const *args, struct autotune_call *call) {
  describe(args, call);
  call->spans[1].bytes = (size_t)1 << 46;
}

static void test_nonsense_sections(void **state) {
  (void)state;
  struct autotune_kernel k = kernel_of(right);
  k.describe = describe_nonsense;
  int n = N;
  double a[N] = { 0 }, c[N] = { 0 }, *pa = a, *pc = c;
  void *args[] = { &n, &pa, &pc };
  char *message = NULL;
  assert_null(worker_start(&k, args, &fake_jit, &message));
  assert_non_null(strstr(message, "the section"));
  assert_non_null(strstr(message, " is larger than the memory that it lies in"));
  free(message);
}

// ---- reaching outside ---------------------------------------------------------------

static struct {
  double *shared;
  int pipe[2];
} outside;

static double writes_shared(int n, const double *a, double *c) {
  outside.shared[0] = 7;
  return right(n, a, c);
}
static double writes_descriptor(int n, const double *a, double *c) {
  (void)!write(outside.pipe[1], "x", 1);
  return right(n, a, c);
}

static void test_reaching_outside(void **state) {
  (void)state;
  outside.shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  outside.shared[0] = 1;
  assert_int_equal(pipe2(outside.pipe, O_NONBLOCK), 0);
  bench_open(kernel_of(right));
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(try(writes_shared).status, looks ? STATUS_WRONG : STATUS_OK);
  assert_int_equal(try(writes_descriptor).status, STATUS_OK);
  bench_close();
  char byte;
  assert_true(outside.shared[0] == 1);
  assert_int_equal(read(outside.pipe[0], &byte, 1), -1);
  close(outside.pipe[0]);
  close(outside.pipe[1]);
  munmap(outside.shared, 4096);
}

static void test_closed_standard_streams(void **state) {
  (void)state;
  pid_t child = fork();
  if (child == 0) {
    for (int fd = 0; fd < 3; fd++)
      close(fd);
    bench_open(kernel_of(right));
    _exit(reference().status == STATUS_OK && try(right).status == STATUS_OK &&
                  try(segv).status == STATUS_CRASH
              ? 0
              : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_bad_object(void **state) {
  (void)state;
  struct trial trial;
  bench_open(kernel_of(right));
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(worker_try(bench.workers, 900, "x", 1, &plan, &trial), 0);
  assert_int_equal(trial.status, STATUS_LOAD);
  assert_string_equal(trial.message, "not an object");
  assert_int_equal(try(right).status, STATUS_OK);
  bench_close();
}

// A variant that is clearly slower is not sampled to the end.
static double slow(int n, const double *a, double *c) {
  struct timespec nap = { 0, 2000 * 1000 };
  nanosleep(&nap, NULL);
  return right(n, a, c);
}

static void test_stops_early(void **state) {
  (void)state;
  struct trial trial;
  struct trial_plan p = plan;
  kernel_fn *variant = slow;
  p.budget = 10;
  p.min_samples = p.max_samples = 200;
  p.stop_above = 1e-6;
  bench_open(kernel_of(right));
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(worker_try(bench.workers, 1, &variant, sizeof variant, &p, &trial), 0);
  assert_int_equal(trial.status, STATUS_OK);
  assert_in_range(trial.n_samples, 1, 2);
  free(trial.samples);
  bench_close();
}

// Takes three times as long from some call on, like everything on a machine that
// becomes busy.
static double tired(int n, const double *a, double *c) {
  struct timespec nap = { 0, calls_before() < 12 ? 1000 * 1000 : 3000 * 1000 };
  nanosleep(&nap, NULL);
  return right(n, a, c);
}

// A variant takes 2 ms next to a rival of 1 ms that takes 3 just now. Its times
// are reported as they were, and how slow the machine was.
static void test_rival(void **state) {
  (void)state;
  struct trial trial;
  struct trial_plan p = plan;
  kernel_fn *first = tired, *second = slow;
  struct autotune_kernel k = kernel_of(right);
  p.budget = 10;
  p.min_samples = p.max_samples = 8;
  k.verify = AUTOTUNE_VERIFY_OFF; // no variant is looked at in a worker of its own
  bench_open(k);
  assert_int_equal(reference().status, STATUS_OK);
  assert_int_equal(worker_try(bench.workers, 1, &first, sizeof first, &p, &trial), 0);
  assert_true(trial.slowdown == 1);
  free(trial.samples);
  p.rival = 1;
  p.rival_sample = (struct sample){ 1e-3, 1e-3 };
  assert_int_equal(worker_try(bench.workers, 2, &second, sizeof second, &p, &trial), 0);
  assert_int_equal(trial.status, STATUS_OK);
  assert_true(trial.slowdown > 2 && trial.slowdown < 4.01);
  double seconds = stats_median(trial.samples, trial.n_samples).median;
  assert_true(seconds > 2e-3 && seconds / trial.slowdown < 1.5e-3);
  free(trial.samples);
  p.rival = 77; // not loaded
  assert_int_equal(worker_try(bench.workers, 3, &second, sizeof second, &p, &trial), 0);
  assert_true(trial.slowdown == 1);
  free(trial.samples);
  bench_close();
}

// A set-user-ID program may not open its own /proc/self/mem; here neither, where it
// belongs to root.
static void test_undumpable(void **state) {
  (void)state;
  pid_t pid = fork();
  if (pid == 0) {
    char *message = NULL, *shared = sys_mmap(1 << 16, true);
    strcpy(shared, "as it was");
    int set = getuid() == 0 ? setresuid(65534, 65534, 65534) : 0;
    prctl(PR_SET_DUMPABLE, 0);
    if (set != 0 || open("/proc/self/mem", O_RDONLY) >= 0)
      _exit(77);
    if (sandbox_memory(NULL, 0, &message) != 0 || strcmp(shared, "as it was") != 0)
      _exit(1);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  assert_true(WIFEXITED(status) &&
              (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
}

int main(void) {
  parent.pid = getpid();
  snprintf(parent.path, sizeof parent.path, "test_worker.%d", (int)parent.pid);
  atexit(at_exit);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_crashes),
    cmocka_unit_test(test_crashes_later),
    cmocka_unit_test(test_rival),
    cmocka_unit_test(test_undumpable),
    cmocka_unit_test(test_crashes_openmp),
    cmocka_unit_test(test_endless),
    cmocka_unit_test(test_wrong),
    cmocka_unit_test(test_wrong_in_place),
    cmocka_unit_test(test_outside),
    cmocka_unit_test(test_unnamed),
    cmocka_unit_test(test_scratch),
    cmocka_unit_test(test_no_scratch),
    cmocka_unit_test(test_strict),
    cmocka_unit_test(test_zeros),
    cmocka_unit_test(test_scratch_that_is_read),
    cmocka_unit_test(test_scratch_overlaps),
    cmocka_unit_test(test_all_unnamed),
    cmocka_unit_test(test_types_of_the_text),
    cmocka_unit_test(test_numbers_among_others),
    cmocka_unit_test(test_a_run_that_is_not_seen),
    cmocka_unit_test(test_restless_memory),
    cmocka_unit_test(test_state),
    cmocka_unit_test(test_environment),
    cmocka_unit_test(test_allocations_are_no_changes),
    cmocka_unit_test(test_allocations_are_unchecked),
    cmocka_unit_test(test_the_default_may_allocate),
    cmocka_unit_test(test_default_without_its_inout),
    cmocka_unit_test(test_default_in_place),
    cmocka_unit_test(test_default_crashes),
    cmocka_unit_test(test_no_sections),
    cmocka_unit_test(test_overlapping),
    cmocka_unit_test(test_nonsense_sections),
    cmocka_unit_test(test_reaching_outside),
    cmocka_unit_test(test_closed_standard_streams),
    cmocka_unit_test(test_bad_object),
    cmocka_unit_test(test_stops_early),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
