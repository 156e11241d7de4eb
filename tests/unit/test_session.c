// SPDX-License-Identifier: Apache-2.0
// First calls, from the lookup to the winner, in programs that make it hard: many
// threads, forks, exits, handlers, closed descriptors, limits. (RELIABILITY: V1, V2, V3
// through the whole chain, S3, C1, C2, C3.)
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "tuned_fixture.h"

static bool maps_have(const char *words) {
  char line[4096];
  bool found = false;
  FILE *f = fopen("/proc/self/maps", "r");
  while (!found && fgets(line, sizeof line, f))
    found = strstr(line, words) != NULL;
  fclose(f);
  return found;
}

static int open_files(void) {
  DIR *d = opendir("/proc/self/fd");
  int n = 0;
  while (readdir(d))
    n++;
  closedir(d);
  return n;
}

// True if no child is left, not even a zombie.
static bool is_childless(void) {
  return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

#define RUN(body, ...) \
  assert_int_equal(in_child(body, (const char *const[]){ __VA_ARGS__, NULL }), 0)
#define SILENT "AUTOTUNE_LOG=error"

// ---- a first call, and a second process ---------------------------------------------

static void first_call(void) {
  int files = open_files();
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
  EXPECT(scale_site.hot && scale_site.hot->code != scale_kernel.original);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(!maps_have("libLLVM"));
  EXPECT(!maps_have("rwx")); // S3
  EXPECT(is_childless());
  for (int i = 0; i < 5000 && open_files() != files; i++) // a check of the winner ends
    EXPECT(scale_is_right(SCALE_N));
  EXPECT(open_files() == files && is_childless());
}

static void second_process(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("stored: "));
  EXPECT(scale_site.hot && scale_site.hot->code != scale_kernel.original);
  EXPECT(!maps_have("libLLVM"));
  const char *text = NULL;
  long long number = 0, other[] = { 77 };
  EXPECT(autotune_best("scale", NULL, "U", &text) == AUTOTUNE_OK && strchr("123", *text));
  EXPECT(autotune_best_int("scale", NULL, "U", &number) == AUTOTUNE_OK &&
         number == atoi(text));
  EXPECT(autotune_best("scale", NULL, "V", &text) == AUTOTUNE_UNKNOWN_PARAMETER);
  EXPECT(autotune_best("scale", other, "U", &text) == AUTOTUNE_NOT_TUNED);
  EXPECT(autotune_best("what", NULL, "U", &text) == AUTOTUNE_UNKNOWN_KERNEL);
  EXPECT(autotune_wait(0) == AUTOTUNE_OK);
}

static void another_key(void) {
  long long key[] = { SCALE_N };
  const char *text;
  EXPECT(scale_is_right(100)); // a key of which nothing is known
  EXPECT(scale_why_has("locked"));
  EXPECT(autotune_best("scale", key, "U", &text) ==
         AUTOTUNE_OK); // of this key, in the store
}

static void forgets(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("stored: "));
  EXPECT(autotune_forget("scale", NULL) == AUTOTUNE_OK);
  EXPECT(!scale_site.hot);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
  EXPECT(autotune_forget("what", NULL) == AUTOTUNE_UNKNOWN_KERNEL);
}

static void test_first_and_second(void **state) {
  (void)state;
  RUN(first_call, SILENT);
  RUN(second_process, SILENT);
  RUN(another_key, "AUTOTUNE_MODE=locked");
  RUN(forgets, SILENT);
}

static void without_store(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
  EXPECT(scale_is_right(2 * SCALE_N)); // a second winner from a memory file of its own
  EXPECT(scale_why_has("tuned: "));
  EXPECT(scale_is_right(SCALE_N));
}

static void test_without_store(void **state) {
  (void)state;
  RUN(without_store, "AUTOTUNE_CACHE=off", SILENT);
}

static void off(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("off"));
  EXPECT(scale_site.hot && scale_site.hot->code == scale_kernel.original);
}

static void test_off(void **state) {
  (void)state;
  RUN(off, "AUTOTUNE_MODE=off");
}

// ---- kernels of other versions ------------------------------------------------------

static int overlap(void *const *args) {
  (void)args;
  return 0;
}

// A file that an earlier translator made: its stub looks for overlap, and the runtime
// must not read what comes after the kernel.
static void earlier_abi(void) {
  scale_kernel.abi = 2;
  scale_kernel.size = offsetof(struct autotune_kernel, apart);
  scale_kernel.apart = overlap;
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
  EXPECT(scale_site.hot && scale_site.hot->code != scale_kernel.original);
  EXPECT(scale_is_right(SCALE_N));
}

static void later_abi(void) {
  scale_kernel.abi = AUTOTUNE_ABI + 1;
  EXPECT(scale_is_right(SCALE_N) && !scale_site.hot && !scale_site.state);
}

static void sections_overlap(void) {
  scale_kernel.size = sizeof scale_kernel;
  scale_kernel.apart = overlap;
  EXPECT(scale_is_right(SCALE_N) && !scale_site.hot);
}

static void test_versions(void **state) {
  (void)state;
  RUN(later_abi, SILENT);
  RUN(sections_overlap, SILENT);
  RUN(earlier_abi, SILENT);
}

// ---- variants that fail -------------------------------------------------------------

static void bad_variants(void) {
  scale_params[1].n_values = 6;
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
  long long bad = -1;
  EXPECT(autotune_best_int("scale", NULL, "BAD", &bad) == AUTOTUNE_OK && bad == 0);
  EXPECT(is_childless());
}

static void test_bad_variants(void **state) {
  (void)state;
  RUN(bad_variants, "AUTOTUNE_BUDGET=20s", SILENT);
}

static void bad_variants_openmp(void) {
  scale_kernel.openmp = 1;
  bad_variants();
}

static void test_bad_variants_openmp(void **state) {
  (void)state;
  RUN(bad_variants_openmp, "AUTOTUNE_BUDGET=20s", SILENT);
}

static void only_bad(void) { // only the default is right
  static const struct autotune_value wrong[] = { { "2", "2", 2, 2 }, { "1", "1", 1, 1 } };
  scale_params[1].values = wrong;
  scale_params[1].n_values = 2;
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("default: "));
  EXPECT(scale_site.hot->code == scale_kernel.original);
}

static void test_only_bad(void **state) {
  (void)state;
  RUN(only_bad, SILENT);
}

// ---- many threads (C1) --------------------------------------------------------------

static atomic_int wrong_answers;

static void *calls(void *data) {
  (void)data;
  for (int i = 0; i < 20; i++)
    if (!scale_is_right(SCALE_N))
      atomic_fetch_add(&wrong_answers, 1);
  return NULL;
}

static void many_threads(void) {
  pthread_t threads[64];
  for (int i = 0; i < 64; i++)
    EXPECT(pthread_create(&threads[i], NULL, calls, NULL) == 0);
  for (int i = 0; i < 64; i++)
    pthread_join(threads[i], NULL);
  EXPECT(wrong_answers == 0);
  EXPECT(scale_why_has("tuned: ")); // one tuning for all threads
  EXPECT(is_childless());
}

static void test_many_threads(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__ // its own locks are not safe over the fork of a program with
                            // threads
  skip();
#endif
  RUN(many_threads, SILENT, "AUTOTUNE_BUDGET=20s");
}

// ---- where tuning is out of place (C2) ----------------------------------------------

// This program poses as its own OpenMP runtime, which is not LLVM's.
static int in_parallel;
#define POSES __attribute__((visibility("default"))) int
POSES omp_in_parallel(void);
POSES omp_get_level(void);
POSES omp_get_team_size(int level);
POSES omp_in_parallel(void) {
  return in_parallel;
}
POSES omp_get_level(void) {
  return in_parallel;
}
POSES omp_get_team_size(int level) {
  return level == 1 ? 3 : -1;
}

// A process that never had a second thread is not asked whether it is in a region.
static void *other_thread(void *data) {
  return data;
}
static void enter_region(void) {
  pthread_t other;
  EXPECT(pthread_create(&other, NULL, other_thread, NULL) == 0);
  pthread_join(other, NULL);
  in_parallel = 1;
}

static int warnings;
static void count_warning(enum autotune_level level, const char *message, void *data) {
  (void)data;
  warnings += level == AUTOTUNE_WARN && strstr(message, "scale: default: called inside");
}

// Variants would have threads of another runtime.
static void inside_another_runtime(void) {
  scale_kernel.openmp = 1;
  enter_region();
  autotune_set_log(count_warning, NULL);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(warnings == 1);          // said, and said once
  EXPECT(scale_site.hot == NULL); // only for this call
  char *why = NULL;
  long long key[] = { SCALE_N };
  EXPECT(autotune_why("scale", key, &why) == AUTOTUNE_OK &&
         strstr(why, "parallel region"));
  in_parallel = 0;
  scale_kernel.openmp = 0;
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void test_inside_another_runtime(void **state) {
  (void)state;
  RUN(inside_another_runtime, "AUTOTUNE_LOG=warn");
}

// A call of a region is tuned as one of three, and its result is that of three.
static void inside_parallel(void) {
  enter_region();
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void inside_parallel_again(void) {
  enter_region();
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("stored: "));
}

static void alone_after_parallel(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("nothing is known for this key"));
}

static void test_inside_parallel(void **state) {
  (void)state;
  RUN(inside_parallel, SILENT);
  RUN(inside_parallel_again, SILENT);
  RUN(alone_after_parallel, SILENT, "AUTOTUNE_MODE=locked");
}

static void *tunes(void *data) {
  return scale_is_right(SCALE_N) ? data : NULL;
}

static void exits_while_tuning(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid == 0) {
    pthread_t thread;
    scale_params[1].n_values = 6;
    pthread_create(&thread, NULL, tunes, NULL);
    nap(0.3);
    exit(7);
  }
  int status;
  EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
         WEXITSTATUS(status) == 7);
  for (int i = 0; i < 200 && !is_childless();
       i++) // orphans come to this process, and end soon
    nap(0.05);
  EXPECT(is_childless());
}

// Code that the destructors of a program would unload at its end stays, because another
// thread may be running it.
static autotune_fn winner;

static void close_and_call(void) {
  double a[8] = { 1, 2 }, c[8] = { 0 }, f = 3, *from = a, *to = c;
  int n = 8;
  autotune_site_close(&scale_site);
  scale_invoke(winner, (void *[]){ &n, &f, &from, &to }, NULL);
  EXPECT(c[1] == 6);
}

static void exits_tuned(void) {
  atexit(close_and_call);
  EXPECT(scale_is_right(SCALE_N) && scale_site.hot);
  winner = scale_site.hot->code;
  EXPECT(winner != scale_kernel.original);
  exit(0);
}

static void test_exit_while_tuning(void **state) {
  (void)state;
  RUN(exits_tuned, SILENT, "AUTOTUNE_BUDGET=20s");
  RUN(exits_while_tuning, SILENT, "AUTOTUNE_BUDGET=20s");
}

static void closes(void) {
  EXPECT(scale_is_right(SCALE_N));
  autotune_site_close(&scale_site);
  EXPECT(!scale_site.hot && !scale_site.state);
  EXPECT(!maps_have(".so.autotune") && scale_is_right(SCALE_N)); // opened again
  EXPECT(scale_why_has("stored: "));
  autotune_site_close(&scale_site);
  autotune_site_close(&scale_site);
}

static void test_close(void **state) {
  (void)state;
  RUN(closes, SILENT);
}

// ---- forks of the program's (C3) ----------------------------------------------------

static void forks(void) {
  scale_params[1].n_values = 3;
  pthread_t thread;
  int status;
  pid_t pid = fork(); // before
  if (pid == 0)
    _exit(scale_is_right(100) ? 0 : 1);
  EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
  pthread_create(&thread, NULL, tunes, &status);
  for (int i = 0; i < 20; i++) { // during
    nap(0.01);
    if ((pid = fork()) == 0) {
      alarm(30);
      EXPECT(autotune_wait(0) == AUTOTUNE_OK); // nothing is being tuned here
      _exit(i % 10 || scale_is_right(SCALE_N + i) ? 0 : 1);
    }
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
  }
  void *right;
  pthread_join(thread, &right);
  EXPECT(right);
  for (int i = 0; i < 50; i++) { // after
    if ((pid = fork()) == 0)
      _exit(scale_is_right(SCALE_N) ? 0 : 1);
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
  }
}

static void test_forks(void **state) {
  (void)state;
  RUN(forks, SILENT);
}

// ---- programs with unusual settings -------------------------------------------------

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool sanitized = true; // detach.c forks there, and SIGCHLD comes of it
#else
static const bool sanitized = false;
#endif
static atomic_int children_seen;

static void count_child(int s) {
  (void)s;
  atomic_fetch_add(&children_seen, 1);
}

static void *waits_for_children(void *over) {
  int status;
  siginfo_t info;
  while (!atomic_load((atomic_int *)over)) {
    bool seen = waitpid(-1, &status, WNOHANG) != -1 || errno != ECHILD ||
        waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != -1 || errno != ECHILD;
    atomic_fetch_add(&children_seen, seen);
    nap(0.0005);
  }
  return NULL;
}

// Neither a handler nor a thread that waits for all children learns of ours.
static void no_child_is_seen(void) {
  atomic_int over = 0;
  pthread_t thread;
  signal(SIGCHLD, count_child);
  pthread_create(&thread, NULL, waits_for_children, &over);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
  EXPECT(scale_is_right(SCALE_N / 2));
  atomic_store(&over, 1);
  pthread_join(thread, NULL);
  EXPECT(sanitized || atomic_load(&children_seen) == 0);
}

// The same for a thread that takes signals with sigwait.
static void no_signal_is_pending(void) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  EXPECT(scale_is_right(SCALE_N) && scale_why_has("tuned: "));
  EXPECT(sanitized ||
         (sigtimedwait(&child, NULL, &(struct timespec){ 0 }) == -1 && errno == EAGAIN));
}

static void reaper(int s) {
  (void)s;
  while (waitpid(-1, NULL, WNOHANG) > 0)
    ;
}

static void child_handler(void) {
  signal(SIGCHLD, reaper);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void child_ignored(void) {
  signal(SIGCHLD, SIG_IGN);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void *waits(void *data) {
  while (!atomic_load((atomic_int *)data))
    if (wait(NULL) < 0)
      nap(0.001);
  return NULL;
}

static void wait_loop(void) {
  atomic_int over = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, waits, &over);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
  atomic_store(&over, 1);
  pthread_join(thread, NULL);
}

static void tick(int s) {
  (void)s;
}

static void interrupted(void) { // EINTR everywhere
  struct sigaction a = { .sa_handler = tick };
  struct itimerval t = { { 0, 3000 }, { 0, 3000 } };
  sigaction(SIGALRM, &a, NULL);
  setitimer(ITIMER_REAL, &t, NULL);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void own_children(void) {
  pid_t pid = fork();
  int status;
  if (pid == 0) {
    nap(0.2);
    _exit(5);
  }
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5);
}

static void closed_streams(void) {
  int saved = fcntl(2, F_DUPFD, 50);
  for (int fd = 0; fd < 3; fd++)
    close(fd);
  bool right = scale_is_right(SCALE_N);
  dup2(saved, 2);
  EXPECT(right);
  EXPECT(scale_why_has("tuned: "));
}

static void keeps_errno(void) {
  errno = EXDEV;
  scale_is_right(10);
  double a[10] = { 0 }, c[10];
  errno = EXDEV;
  scale(11 - 1, 1, a, c);
  EXPECT(errno == EXDEV);
}

static void few_descriptors(void) {
  EXPECT(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 6, 6 }) == 0);
  EXPECT(scale_is_right(SCALE_N));
}

static void little_memory(void) {
#ifdef __SANITIZE_ADDRESS__ // AddressSanitizer needs terabytes of address space
  return;
#endif
  EXPECT(setrlimit(RLIMIT_AS, &(struct rlimit){ 100 << 20, 100 << 20 }) == 0);
  EXPECT(scale_is_right(SCALE_N));
}

// A program that does not ignore SIGXFSZ would be ended when it writes.
static void small_files(void) {
  EXPECT(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 1000, 1000 }) == 0);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(autotune_forget(NULL, NULL) == AUTOTUNE_NO_STORE);
}

static void broken_pipe(void) {
  int pipes[2];
  EXPECT(pipe(pipes) == 0 && dup2(pipes[1], 2) == 2);
  close(pipes[0]);
  EXPECT(scale_is_right(SCALE_N)); // with a warning
  sigset_t pending;
  sigpending(&pending);
  EXPECT(!sigismember(&pending, SIGPIPE));
}

static void no_library(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("default: "));
}

static void test_habits(void **state) {
  (void)state;
  static void (*const habits[])(void) = {
    no_child_is_seen, no_signal_is_pending, child_handler,  child_ignored, wait_loop,
    interrupted,      own_children,         closed_streams, keeps_errno
  };
  for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
    remove_folder();
    make_folder(NULL);
    RUN(habits[i], SILENT);
  }
}

// A filter of system calls may forbid ending a process, which must then end with its
// parent.
static void may_not_kill(void) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = { sizeof code / sizeof *code, code };
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    return;
  EXPECT(scale_is_right(SCALE_N));
  for (int i = 0; i < 100 && !is_childless(); i++)
    nap(0.05);
  EXPECT(is_childless());
}

static void test_poverty(void **state) {
  (void)state;
  RUN(small_files, SILENT); // first: there is no file yet
  RUN(few_descriptors, SILENT);
  RUN(little_memory, SILENT);
  RUN(broken_pipe, "AUTOTUNE_JIT=/does/not/exist.so");
  RUN(no_library, SILENT, "AUTOTUNE_JIT=/does/not/exist.so");
  RUN(may_not_kill, SILENT, "AUTOTUNE_CACHE=off");
}

// ---- the tuner dies, or the user interrupts it --------------------------------------

static void *kills_tuner(void *data) {
  pid_t tuner = await_child();
  nap(0.2);
  if (tuner > 0)
    kill(tuner, *(int *)data);
  return NULL;
}

static void tuner_dies_of(int signal) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pthread_t thread;
  scale_params[1].n_values = 6;
  pthread_create(&thread, NULL, kills_tuner, &signal);
  EXPECT(scale_is_right(SCALE_N));
  pthread_join(thread, NULL);
  EXPECT(scale_why_has(signal == SIGSEGV ? "tuned: "
                                         : "default: ")); // once more after a crash
  for (int i = 0; i < 100 && !is_childless(); i++)
    nap(0.05);
  EXPECT(is_childless()); // its children did not outlive it
}

static void tuner_killed(void) {
  tuner_dies_of(SIGKILL);
}
static void tuner_crashes(void) {
  tuner_dies_of(SIGSEGV);
}
static void tuner_stopped(void) {
  tuner_dies_of(SIGTERM);
}

static void test_tuner_dies(void **state) {
  (void)state;
  RUN(tuner_killed, SILENT, "AUTOTUNE_BUDGET=20s");
  RUN(tuner_stopped, SILENT, "AUTOTUNE_BUDGET=20s");
  RUN(tuner_crashes, SILENT, "AUTOTUNE_BUDGET=20s"); // last, because it leaves a winner
}

static void interrupt(void) { // ^C reaches the whole foreground group
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    scale_params[1].n_values = 6;
    scale_is_right(SCALE_N);
    _exit(0);
  }
  setpgid(pid, pid);
  nap(0.4);
  kill(-pid, SIGINT);
  int status;
  EXPECT(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
         WTERMSIG(status) == SIGINT);
  for (int i = 0; i < 100 && !is_childless(); i++)
    nap(0.05);
  EXPECT(is_childless());
}

static void test_interrupt(void **state) {
  (void)state;
  RUN(interrupt, SILENT, "AUTOTUNE_BUDGET=20s");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_first_and_second),
    TEST(test_without_store),
    TEST(test_off),
    TEST(test_versions),
    TEST(test_bad_variants),
    TEST(test_bad_variants_openmp),
    TEST(test_only_bad),
    TEST(test_many_threads),
    TEST(test_inside_another_runtime),
    TEST(test_inside_parallel),
    TEST(test_exit_while_tuning),
    TEST(test_close),
    TEST(test_forks),
    TEST(test_habits),
    TEST(test_poverty),
    TEST(test_tuner_dies),
    TEST(test_interrupt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
