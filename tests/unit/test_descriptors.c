// SPDX-License-Identifier: Apache-2.0
// Descriptors of autotune's in the program: their numbers are high, and a program that
// closes all descriptors and opens its own keeps its own, in every mode.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/descriptor.h"
#include "tuned_fixture.h"

#define SILENT "AUTOTUNE_LOG=error"
enum { MANY = 64 };

// The open descriptors above 2 that are not among the N of BEFORE.
static int list_new(const int *before, int n, int *list) {
  int found = 0;
  DIR *d = opendir("/proc/self/fd");
  for (struct dirent *e; d && (e = readdir(d));) {
    int fd = atoi(e->d_name);
    bool known = fd <= 2 || fd == dirfd(d);
    for (int i = 0; i < n; i++)
      known |= before[i] == fd;
    if (!known && found < MANY)
      list[found++] = fd;
  }
  closedir(d);
  return found;
}

static int least_number(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur >= 1024 ? 1000 : (int)limit.rlim_cur - 24;
}

// ---- the program's own ----------------------------------------------------------------

static struct own {
  int fd;
  struct stat info;
} own[MANY];
static int n_own, peers[MANY];

// Closes all descriptors, as daemons do, and opens sockets with something to read under
// NUMBERS.
static void take_over(const int *numbers, int n) {
  for (int fd = 3; fd < 20000; fd++)
    close(fd);
  for (n_own = 0; n_own < n; n_own++) {
    int pair[2], low;
    EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
    EXPECT((low = fcntl(pair[1], F_DUPFD, 20)) >= 0 && close(pair[1]) == 0);
    EXPECT(send(low, "mine", 4, 0) == 4);
    if (pair[0] != numbers[n_own])
      EXPECT(dup2(pair[0], numbers[n_own]) >= 0 && close(pair[0]) == 0);
    peers[n_own] = low;
    own[n_own].fd = numbers[n_own];
    EXPECT(fstat(own[n_own].fd, &own[n_own].info) == 0);
  }
}

// Checks that none was closed, read or written.
static void own_is_untouched(void) {
  for (int i = 0; i < n_own; i++) {
    struct stat now;
    char text[8];
    EXPECT(fstat(own[i].fd, &now) == 0 && now.st_ino == own[i].info.st_ino &&
           now.st_dev == own[i].info.st_dev);
    EXPECT(recv(own[i].fd, text, sizeof text, MSG_DONTWAIT) == 4 &&
           memcmp(text, "mine", 4) == 0);
    EXPECT(recv(peers[i], text, sizeof text, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  }
}

// ---- modes ----------------------------------------------------------------------------

// The socket, the winner's file and the tuner's pidfd. Under a sanitizer the tuner is a
// child and needs no pidfd.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { HELD = 2 };
#else
enum { HELD = 3 };
#endif
static int ours[MANY], n_ours;

static void call_and_list(void) {
  int before[MANY], n = list_new(NULL, 0, before);
  for (int i = 0; i < 3; i++)
    EXPECT(scale_is_right(SCALE_N));
  n_ours = list_new(before, n, ours);
  for (int i = 0; i < n_ours; i++)
    EXPECT(ours[i] >= least_number());
}

// The program goes on calling, until the tuner would have been silent for too long.
static void calls_long(void) {
  for (int i = 0; i < 50; i++)
    EXPECT(scale_is_right(SCALE_N));
  sys_set_clock(sys_now() + 600);
  for (int i = 0; i < 200; i++)
    EXPECT(scale_is_right(SCALE_N));
}

static void loses_all(void) {
  scale_params[1].n_values = 7; // so that it takes long
  call_and_list();
  EXPECT(n_ours >= HELD);
  take_over(ours, n_ours);
  calls_long();
  EXPECT(autotune_wait(0) == AUTOTUNE_OK);
  EXPECT(scale_why_has("default: the program closed"));
  own_is_untouched();
}

static void loses_all_and_waits(void) {
  scale_params[1].n_values = 7;
  call_and_list();
  take_over(ours, n_ours);
  EXPECT(autotune_wait(-1) == AUTOTUNE_OK);
  EXPECT(scale_is_right(SCALE_N) && scale_why_has("default: the program closed"));
  own_is_untouched();
}

// Closes some of them: the others are not used any more, or only as before.
static void loses_each(void) {
  scale_params[1].n_values = 3;
  for (int lost = 0; lost < HELD; lost++) {
    int n = SCALE_N + 100 * lost, before[MANY], n_before = list_new(NULL, 0, before);
    EXPECT(scale_is_right(n));
    n_ours = list_new(before, n_before, ours);
    EXPECT(n_ours == HELD);
    close(ours[lost]);
    own[0].fd = open("/dev/null", O_RDWR);
    EXPECT(dup3(own[0].fd, ours[lost], O_CLOEXEC) == ours[lost]);
    close(own[0].fd);
    own[0].fd = ours[lost];
    EXPECT(fstat(own[0].fd, &own[0].info) == 0);
    EXPECT(autotune_wait(-1) == AUTOTUNE_OK && scale_is_right(n));
    struct stat now;
    EXPECT(fstat(own[0].fd, &now) == 0 && now.st_rdev == own[0].info.st_rdev);
    close(own[0].fd);
  }
}

static void loses_all_and_forks(void) {
  scale_params[1].n_values = 7;
  call_and_list();
  take_over(ours, n_ours);
  pid_t pid = fork();
  if (pid == 0) {
    own_is_untouched();
    _exit(0);
  }
  int status;
  EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void few_numbers(void) {
  EXPECT(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 64, 64 }) == 0);
  loses_all();
}

static void nothing_stays(void) {
  int before[MANY], n = list_new(NULL, 0, before);
  call_and_list();
  for (int i = 0; i < 3000 && n_ours > 0; i++) { // while the winner is checked again
    EXPECT(scale_is_right(SCALE_N));
    n_ours = list_new(before, n, ours);
  }
  EXPECT(n_ours == 0);
}

// The first call of a process with a stored winner begins a check.
enum { SHORT = 1000 };
static void check_loses_all(void) {
  int before[MANY], n = list_new(NULL, 0, before);
  EXPECT(scale_is_right(SHORT));
  n_ours = list_new(before, n, ours);
  EXPECT(n_ours == HELD);
  take_over(ours, n_ours);
  for (int i = 0; i < 2000; i++)
    EXPECT(scale_is_right(SHORT));
  EXPECT(scale_why_has("stored: "));
  own_is_untouched();
}

static int run(void (*body)(void), const char *mode) {
  return in_child(body,
                  (const char *const[]){ mode, SILENT, "AUTOTUNE_BUDGET=20s", NULL });
}

// The same while nothing but tunings have descriptors.
static int run_tunings(void (*body)(void), const char *mode) {
  return in_child(body,
                  (const char *const[]){ mode, SILENT, "AUTOTUNE_BUDGET=20s",
                                         "AUTOTUNE_REVERIFY=off", NULL });
}

static void test_program_closes_all(void **state) {
  (void)state;
  static const char *const modes[] = { "AUTOTUNE_MODE=background",
                                       "AUTOTUNE_MODE=online" };
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run(loses_all, modes[i]), 0);
    assert_int_equal(run(loses_all_and_waits, modes[i]), 0);
    assert_int_equal(run(loses_all_and_forks, modes[i]), 0);
    assert_int_equal(run(few_numbers, modes[i]), 0);
  }
}

static void test_program_closes_one(void **state) {
  (void)state;
  assert_int_equal(run_tunings(loses_each, "AUTOTUNE_MODE=background"), 0);
}

static void test_nothing_stays_open(void **state) {
  (void)state;
  static const char *const modes[] = { "AUTOTUNE_MODE=first", "AUTOTUNE_MODE=locked",
                                       "AUTOTUNE_MODE=offline" };
  for (int i = 0; i < 3; i++)
    assert_int_equal(run(nothing_stays, modes[i]), 0);
}

static void tunes_quietly(void) {
  EXPECT(scale_is_right(SHORT) && autotune_wait(-1) == AUTOTUNE_OK);
}

static void test_program_closes_those_of_a_check(void **state) {
  (void)state;
  assert_int_equal(run_tunings(tunes_quietly, "AUTOTUNE_MODE=first"), 0);
  assert_int_equal(run(check_loses_all, "AUTOTUNE_MODE=locked"), 0);
}

// ---- one descriptor -------------------------------------------------------------------

static void test_own_or_not(void **state) {
  (void)state;
  struct descriptor d = DESCRIPTOR_NONE;
  assert_int_equal(descriptor_get(&d), -1);
  descriptor_close(&d);
  int fd = descriptor_raise(open("/dev/null", O_RDONLY | O_CLOEXEC));
  assert_true(fd >= least_number());
  assert_int_equal(descriptor_raise(fd), fd);
  descriptor_keep(&d, fd);
  assert_int_equal(descriptor_get(&d), fd);
  int other = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  assert_int_equal(dup2(other, fd), fd);
  assert_int_equal(descriptor_get(&d), -1);
  descriptor_close(&d); // it belongs to somebody else now
  assert_true(fcntl(fd, F_GETFD) >= 0);
  descriptor_keep(&d, fd);
  assert_int_equal(descriptor_take(&d), fd);
  assert_int_equal(descriptor_get(&d), -1);
  descriptor_keep(&d, fd);
  descriptor_close(&d);
  assert_int_equal(fcntl(fd, F_GETFD), -1);
  assert_int_equal(descriptor_raise(-1), -1);
  close(other);
}

// The kernel's table of descriptors has room for ours before the program has threads.
static int room; // when main began
static int table_size(void) {
  char line[256];
  int size = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && size == 0 && fgets(line, sizeof line, status))
    sscanf(line, "FDSize: %d", &size);
  if (status)
    fclose(status);
  return size;
}

static void test_table_has_room(void **state) {
  (void)state;
  assert_true(room > least_number());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  room = table_size();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_table_has_room), cmocka_unit_test(test_own_or_not),
    TEST(test_program_closes_all),         TEST(test_program_closes_one),
    TEST(test_nothing_stays_open),         TEST(test_program_closes_those_of_a_check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
