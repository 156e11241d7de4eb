// SPDX-License-Identifier: Apache-2.0
// test_commit.c: the commit that is checked out where a source is, with the files that
// git writes in a clone, a worktree, a submodule, and where there is nothing to be found.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/commit.h"

#define FIRST "0123456789abcdef0123456789abcdef01234567"
#define SECOND "fedcba9876543210fedcba9876543210fedcba98"
#define LONG_ID "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static char root[] = "/tmp/autotune-test-XXXXXX";

static const char *path_of(const char *path) {
  static char whole[512];
  snprintf(whole, sizeof whole, "%s%s", root, path);
  return whole;
}

static void put(const char *path, const char *text) {
  char whole[512];
  snprintf(whole, sizeof whole, "%s", path_of(path));
  for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
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
  snprintf(command, sizeof command, "rm -rf %s && mkdir %s", root, root);
  return system(command);
}

static void expect(const char *file, const char *expected) {
  char text[COMMIT_SIZE];
  assert_string_equal(commit_of(path_of(file), text), expected);
}

static void test_a_branch(void **state) {
  (void)state;
  put("/p/.git/HEAD", "ref: refs/heads/main\n");
  put("/p/src/deep/kernel.c", "");
  expect("/p/src/deep/kernel.c", ""); // there is no commit yet
  put("/p/.git/packed-refs",
      "# pack-refs with: peeled fully-peeled sorted \n" //
      FIRST " refs/heads/domain\n" SECOND " refs/heads/main\n"
      "^" FIRST "\n" FIRST " refs/heads/main2\n");
  expect("/p/src/deep/kernel.c", "fedcba987654");
  put("/p/.git/refs/heads/main", FIRST "\n"); // newer than the packed one
  expect("/p/src/deep/kernel.c", "0123456789ab");
  expect("/p/src/none.c", "");
  assert_int_equal(symlink("p/src", path_of("/link")), 0);
  expect("/link/deep/kernel.c", "0123456789ab");
}

static void test_no_branch(void **state) {
  (void)state;
  put("/p/kernel.c", "");
  put("/p/.git/HEAD", LONG_ID "\n");
  expect("/p/kernel.c", "001122334455");
  put("/p/inner/.git/HEAD", FIRST "\n"); // the nearest one counts
  put("/p/inner/kernel.c", "");
  expect("/p/inner/kernel.c", "0123456789ab");
}

static void test_a_worktree(void **state) {
  (void)state;
  char link[512];
  snprintf(link, sizeof link, "gitdir: %s/p/.git/worktrees/w\n", root);
  put("/p/.git/HEAD", SECOND "\n");
  put("/p/.git/refs/heads/other", FIRST "\n");
  put("/p/.git/worktrees/w/HEAD", "ref: refs/heads/other\n");
  put("/p/.git/worktrees/w/commondir", "../..\n");
  put("/w/kernel.c", "");
  put("/w/.git", link);
  expect("/w/kernel.c", "0123456789ab");
}

static void test_a_submodule(void **state) {
  (void)state;
  put("/p/.git/HEAD", SECOND "\n");
  put("/p/.git/modules/sub/HEAD", "ref: refs/heads/main\n");
  put("/p/.git/modules/sub/refs/heads/main", FIRST "\n");
  put("/p/sub/.git", "gitdir: ../.git/modules/sub\n");
  put("/p/sub/kernel.c", "");
  expect("/p/sub/kernel.c", "0123456789ab");
}

// Nothing is said, nothing hangs, and nothing but a commit is read.
static void test_what_is_none(void **state) {
  (void)state;
  char large[6000];
  put("/p/kernel.c", "");
  static const char *const heads[] = { "",
                                       "ref: ",
                                       "ref: refs/heads/a",
                                       "ref: ../../secret",
                                       "ref: refs/../../../secret",
                                       "0123456789ab\n",
                                       "no" };
  put("/secret", FIRST "\n");
  put("/p/.git/refs/heads/a", "ref: refs/heads/a\n"); // a circle
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    put("/p/.git/HEAD", heads[i]);
    expect("/p/kernel.c", "");
  }
  memset(large, 'a', sizeof large - 1);
  large[sizeof large - 1] = '\0';
  put("/p/.git/HEAD", large);
  expect("/p/kernel.c", "");
  unlink(path_of("/p/.git/HEAD"));
  assert_int_equal(mkfifo(path_of("/p/.git/HEAD"), 0600), 0);
  expect("/p/kernel.c", "");
}

int main(void) {
  assert_non_null(mkdtemp(root));
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_a_branch, clear),
    cmocka_unit_test_setup(test_no_branch, clear),
    cmocka_unit_test_setup(test_a_worktree, clear),
    cmocka_unit_test_setup(test_a_submodule, clear),
    cmocka_unit_test_setup(test_what_is_none, clear),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", root);
  return system(command) != 0 || failed;
}
