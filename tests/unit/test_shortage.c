// SPDX-License-Identifier: Apache-2.0
// test_shortage.c: what is said when the kernel killed a process because memory was
// short, with files of the kernel's as they look on machines with cgroups of version 1, 2
// or none.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/shortage.h"

static char root[] = "/tmp/autotune-test-XXXXXX";

static void put(const char *path, const char *text) {
  char whole[256], *slash;
  snprintf(whole, sizeof whole, "%s%s", root, path);
  for (slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = '\0';
    mkdir(whole, 0700);
    *slash = '/';
  }
  FILE *f = fopen(whole, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static int clear(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s/*", root);
  return system(command);
}

static void check(const char *expected) {
  char text[128];
  assert_string_equal(shortage_text(text, sizeof text), expected);
}

static void machine(void) {
  put("/proc/meminfo", "MemTotal:       24117248 kB\nMemFree:  1 kB\n");
  put("/proc/vmstat", "pgfault 1\noom_kill 3\nother 5\n");
}

static void test_version_2(void **state) {
  (void)state;
  machine();
  put("/proc/self/cgroup", "0::/user.slice/job\n");
  put("/sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  put("/sys/fs/cgroup/user.slice/memory.max", "536870912\n");
  put("/sys/fs/cgroup/user.slice/job/memory.events",
      "low 0\nhigh 0\nmax 7\noom 2\noom_kill 2\noom_group_kill 0\n");
  shortage_begin();
  check("");
  put("/sys/fs/cgroup/user.slice/job/memory.events", "oom 9\noom_kill 3\n");
  check(": out of memory (memory.max of the cgroup: 512 MiB)");
  check("");                           // said once
  put("/proc/vmstat", "oom_kill 9\n"); // somebody else's
  check("");
}

// In a container the path may be the one outside.
static void test_container(void **state) {
  (void)state;
  machine();
  put("/proc/self/cgroup", "0::/docker/0123\n");
  put("/sys/fs/cgroup/memory.max", "1610612736\n");
  put("/sys/fs/cgroup/memory.events", "oom_kill 0\n");
  shortage_begin();
  put("/sys/fs/cgroup/memory.events", "oom_kill 1\n");
  check(": out of memory (memory.max of the cgroup: 1536 MiB)");
}

static void test_version_1(void **state) {
  (void)state;
  machine();
  put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/slurm/job_7\n1:cpu:/\n0::/\n");
  put("/sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "314572800\n");
  put("/sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "9223372036854771712\n");
  put("/sys/fs/cgroup/memory/slurm/job_7/memory.oom_control",
      "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
  shortage_begin();
  check("");
  put("/sys/fs/cgroup/memory/slurm/job_7/memory.oom_control",
      "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  check(": out of memory (memory.limit_in_bytes of the cgroup: 300 MiB)");
}

static void test_no_group(void **state) {
  (void)state;
  machine();
  put("/proc/self/cgroup", "0::/\n");
  shortage_begin();
  check("");
  put("/proc/vmstat", "oom_kill 4\n");
  check(": out of memory (MemTotal of the machine: 23552 MiB)");
}

static void test_nothing_is_known(void **state) {
  (void)state;
  shortage_begin();
  check("");
}

static void test_score(void **state) {
  (void)state;
  shortage_set_root(NULL);
  char text[16] = "";
  shortage_die_first(300);
  shortage_die_first(200); // never lower
  FILE *f = fopen("/proc/self/oom_score_adj", "r");
  assert_non_null(f);
  assert_non_null(fgets(text, sizeof text, f));
  fclose(f);
  assert_string_equal(text, "300\n");
}

static int set_up(void **state) {
  (void)state;
  shortage_set_root(root);
  return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state) {
  return clear(state) != 0 || rmdir(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(test_version_2, clear),
    cmocka_unit_test_teardown(test_container, clear),
    cmocka_unit_test_teardown(test_version_1, clear),
    cmocka_unit_test_teardown(test_no_group, clear),
    cmocka_unit_test_teardown(test_nothing_is_known, clear),
    cmocka_unit_test(test_score),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
