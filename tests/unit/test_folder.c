// SPDX-License-Identifier: Apache-2.0
// RELIABILITY S2: a folder that somebody else can write is not trusted, and an object is
// used only if it has the hash in its name.
#include "store_fixture.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/statvfs.h>

#include "child.h"

enum { STRANGER = 12345 };

static char *below(void **state, const char *name) {
  char *path = sys_printf("%s/%s", (char *)*state, name);
  assert_non_null(path);
  return path;
}

static void expect_trusted(const char *path) {
  char *message = NULL, *folder = folder_check(path, &message);
  if (!folder)
    print_error("%s\n", message);
  assert_non_null(folder);
  assert_null(message);
  struct stat st;
  assert_int_equal(lstat(folder, &st), 0);
  assert_true(S_ISDIR(st.st_mode));
  free(folder);
}

static void expect_refused(const char *path, const char *reason) {
  char *message = NULL;
  assert_null(folder_check(path, &message));
  assert_non_null(message);
  if (!strstr(message, reason))
    print_error("'%s' is not in '%s'\n", reason, message);
  assert_non_null(strstr(message, reason));
  free(message);
}

// ---- S2, one case each --------------------------------------------------------------

static void test_made_when_missing(void **state) {
  char *path = below(state, "a/b/autotune");
  struct stat st;
  mode_t mask = umask(0);
  expect_trusted(path);
  umask(mask);
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0700);
  expect_trusted(path); // and when it is there
  free(path);
}

static void test_writable_by_all(void **state) {
  char *path = below(state, "autotune");
  mkdir(path, 0700);
  chmod(path, 0777);
  expect_refused(path, "written by others (mode 777)");
  free(path);
}

static void test_writable_by_the_group(void **state) {
  char *path = below(state, "autotune");
  mkdir(path, 0700);
  chmod(path, 0770);
  expect_refused(path, "written by others (mode 770)");
  free(path);
}

static void test_sticky_but_writable(void **state) {
  char *path = below(state, "autotune");
  mkdir(path, 0700);
  chmod(path, 01777);
  expect_refused(path, "written by others (mode 1777)");
  free(path);
}

static void test_of_another_owner(void **state) {
  char *path = below(state, "autotune");
  mkdir(path, 0700);
  if (chown(path, STRANGER, STRANGER) != 0)
    print_message("skipped: may not give files away\n");
  else
    expect_refused(path, "belongs to somebody else");
  free(path);
}

static void test_a_link(void **state) {
  char *path = below(state, "autotune"), *target = below(state, "target");
  mkdir(target, 0700);
  assert_int_equal(symlink(target, path), 0);
  expect_refused(path, "symbolic link");
  free(path);
  free(target);
}

static void test_a_dangling_link(void **state) {
  char *path = below(state, "autotune");
  assert_int_equal(symlink("/nonexistent/x", path), 0);
  expect_refused(path, "autotune");
  free(path);
}

static void test_a_file(void **state) {
  char *path = below(state, "autotune");
  close(open(path, O_CREAT | O_WRONLY, 0600));
  expect_refused(path, "not a directory");
  free(path);
}

static void test_below_a_folder_that_all_can_write(void **state) {
  char *parent = below(state, "open"), *path = below(state, "open/autotune");
  mkdir(parent, 0700);
  chmod(parent, 0777);
  expect_refused(path, "open can be written by others");
  free(parent);
  free(path);
}

static void test_below_a_sticky_folder(void **state) { // as in /tmp
  char *parent = below(state, "sticky"), *path = below(state, "sticky/autotune");
  mkdir(parent, 0700);
  chmod(parent, 01777);
  expect_trusted(path);
  free(parent);
  free(path);
}

static void test_below_a_folder_of_another_owner(void **state) {
  char *parent = below(state, "theirs"), *path = below(state, "theirs/autotune");
  mkdir(parent, 01777);
  if (chown(parent, STRANGER, STRANGER) != 0)
    print_message("skipped: may not give files away\n");
  else
    expect_refused(path, "theirs belongs to somebody else");
  free(parent);
  free(path);
}

// A link on the way is followed first; the folder that it leads to is judged.
static void test_through_a_link(void **state) {
  char *good = below(state, "good"), *bad = below(state, "bad"),
       *link = below(state, "link");
  char *path = below(state, "link/autotune");
  mkdir(good, 0700);
  mkdir(bad, 0700);
  chmod(bad, 0777);
  assert_int_equal(symlink(good, link), 0);
  expect_trusted(path);
  unlink(link);
  assert_int_equal(symlink(bad, link), 0);
  expect_refused(path, "bad can be written by others");
  free(good), free(bad), free(link), free(path);
}

static void test_relative_paths(void **state) {
  (void)state;
  expect_refused("autotune", "absolute");
  expect_refused("", "absolute");
  expect_refused("/", "absolute");
}

// ---- which folder -------------------------------------------------------------------

static int print_default(char *expected) {
  char *message = NULL, *path = folder_default(&message);
  const char *got = path ? path : message;
  bool same = got && strcmp(got, expected) == 0;
  if (!same)
    fprintf(stderr, "%s instead of %s\n", got ? got : "nothing", expected);
  free(path);
  free(message);
  return same ? 0 : 1;
}

static int default_xdg(char *expected) {
  setenv("XDG_CACHE_HOME", "/x/cache", 1);
  return print_default(expected);
}

static int default_home(char *expected) {
  setenv("XDG_CACHE_HOME", "relative", 1); // is ignored
  setenv("HOME", "/h", 1);
  return print_default(expected);
}

static int default_without_home(char *expected) {
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  return print_default(expected);
}

static void expect_default(const char *child, const char *variable,
                           const char *expected) {
  char *said;
  int status = run_child(child, expected, variable, &said);
  if (status != 0)
    print_error("%s\n", said);
  assert_int_equal(status, 0);
  free(said);
}

static void test_where_results_go(void **state) {
  (void)state;
  struct passwd *me = getpwuid(geteuid());
  char *home = me ? sys_printf("%s/.cache/autotune", me->pw_dir) : NULL;
  expect_default("xdg", NULL, "/x/cache/autotune");
  expect_default("xdg", "AUTOTUNE_CACHE=/mine", "/mine");
  expect_default("xdg", "AUTOTUNE_CACHE=off", "switched off (AUTOTUNE_CACHE)");
  expect_default("xdg", "AUTOTUNE_CACHE=", "switched off (AUTOTUNE_CACHE)");
  expect_default("home", NULL, "/h/.cache/autotune");
  if (home)
    expect_default("without_home", NULL, home);
  free(home);
}

static int open_untrusted(char *folder) {
  char *message = NULL;
  (void)folder;
  for (int i = 0; i < 3; i++) {
    struct store *s = store_open(&message);
    if (s)
      return 1;
    free(message);
  }
  return 0;
}

static void test_one_warning(void **state) {
  char *said, *variable = sys_printf("AUTOTUNE_CACHE=%s", (char *)*state);
  chmod(*state, 0777);
  assert_int_equal(run_child("open_untrusted", *state, variable, &said), 0);
  assert_int_equal(count_text(said, "warning"), 1);
  assert_int_equal(count_text(said, "results are not kept"), 1);
  free(said);
  assert_int_equal(run_child("open_untrusted", *state, "AUTOTUNE_CACHE=off", &said), 0);
  assert_string_equal(said, ""); // the user asked for that
  free(said);
  free(variable);
}

// A set-user-ID copy of this program, started by another user, keeps nothing and reads no
// environment.
static int secure_child(char *path) {
  if (setgid(STRANGER) != 0 || setuid(STRANGER) != 0)
    return 77;
  execl(path, "test", "--child", "open_untrusted", "x", (char *)NULL);
  return 77;
}

static void test_set_user_id(void **state) {
  char *copy = below(state, "program"), *said;
  char *command = sys_printf("cp /proc/%ld/exe %s && chmod 4755 %s && chmod 755 %s",
                             (long)getpid(), copy, copy, (char *)*state);
  struct statvfs fs;
  if (geteuid() != 0 || statvfs(*state, &fs) != 0 || (fs.f_flag & ST_NOSUID) ||
      system(command) != 0) {
    print_message("skipped: needs root and a file system that honours set-user-ID\n");
  } else {
    char *variable = sys_printf("AUTOTUNE_CACHE=%s", (char *)*state);
    int status = run_child("secure_child", copy, variable, &said);
    if (status == 77 || strstr(said, "AddressSanitizer") || strstr(said, "LeakSanitizer"))
      print_message("skipped: the program cannot be started as somebody else\n");
    else {
      assert_int_equal(status, 0);
      assert_non_null(strstr(said, "set-user-ID"));
    }
    free(said);
    free(variable);
  }
  free(command);
  free(copy);
}

// ---- objects ------------------------------------------------------------------------

static uint64_t keep(void **state, const char *bytes) {
  char *from = below(state, "from");
  FILE *f = fopen(from, "w");
  fputs(bytes, f);
  fclose(f);
  uint64_t hash = 0;
  char *path = objects_keep_in(*state, from, &hash);
  assert_non_null(path);
  assert_int_not_equal(hash, 0);
  free(path);
  free(from);
  return hash;
}

static bool found(void **state, uint64_t hash) {
  char *path = objects_find_in(*state, hash);
  free(path);
  return path;
}

static void test_objects_are_found_again(void **state) {
  uint64_t a = keep(state, "one"), b = keep(state, "two");
  assert_int_not_equal(a, b);
  assert_int_equal(keep(state, "one"), a); // keeping it again gives the same
  assert_true(found(state, a) && found(state, b));
  assert_false(found(state, a + 1));
  char *path = objects_find_in(*state, a);
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  assert_int_equal(st.st_size, 3);
  free(path);
}

static void test_objects_that_changed_are_not_found(void **state) {
  uint64_t hash = keep(state, "one");
  char *path = objects_find_in(*state, hash);
  FILE *f = fopen(path, "w");
  fputs("onf", f);
  fclose(f);
  assert_false(found(state, hash));
  assert_int_equal(keep(state, "one"), hash); // and the file is repaired
  assert_true(found(state, hash));
  free(path);
}

static void test_objects_that_others_may_write_are_not_found(void **state) {
  uint64_t hash = keep(state, "one");
  char *path = objects_find_in(*state, hash), *other = below(state, "other");
  chmod(path, 0620);
  assert_false(found(state, hash));
  chmod(path, 0600);
  assert_true(found(state, hash));
  assert_int_equal(link(path, other), 0); // somebody may hold it open under another name
  assert_false(found(state, hash));
  unlink(path);
  assert_int_equal(symlink(other, path), 0);
  assert_false(found(state, hash));
  unlink(path);
  assert_int_equal(mkfifo(path, 0600), 0); // opening it must not hang
  assert_false(found(state, hash));
  unlink(path);
  assert_int_equal(rename(other, path), 0);
  assert_true(found(state, hash));
  char *objects = below(state, "objects");
  chmod(objects, 0777);
  assert_false(found(state, hash));
  free(objects), free(path), free(other);
}

// Keeps SIZE bytes that begin with NAME, as if they had last been used SECONDS ago.
static uint64_t keep_aged(void **state, char name, size_t size, double seconds) {
  char *bytes = calloc(size + 1, 1);
  memset(bytes, name, size);
  uint64_t hash = keep(state, bytes);
  char *path = objects_find_in(*state, hash);
  const struct timespec times[2] = { { .tv_sec = (time_t)(sys_unix() - seconds) },
                                     { .tv_sec = (time_t)(sys_unix() - seconds) } };
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
  free(path);
  free(bytes);
  return hash;
}

static void test_objects_that_were_not_used_for_long_are_removed(void **state) {
  uint64_t a = keep_aged(state, 'a', 10000, 8000), b = keep_aged(state, 'b', 10000, 9000),
           c = keep_aged(state, 'c', 10000, 7000), new = keep_aged(state, 'n', 10000, 0);
  char *from = below(state, "from"); // one that is no object
  unlink(from);
  assert_int_equal(objects_limit(*state, 0), 0); // no limit
  assert_int_equal(objects_limit(*state, 40000), 0);
  assert_int_equal(objects_limit(*state, 39999), 1); // 40000 bytes, to 36000
  assert_true(found(state, a) && !found(state, b) && found(state, c));
  assert_int_equal(objects_limit(*state, 1), 2);
  assert_true(!found(state, a) && !found(state, c));
  assert_true(found(state, new)); // it is in use
  assert_int_equal(objects_limit(*state, 1), 0);
  free(from);
}

static void test_what_is_used_is_the_youngest(void **state) {
  uint64_t a = keep_aged(state, 'a', 10000, 9000), b = keep_aged(state, 'b', 10000, 8000);
  uint64_t c = keep_aged(state, 'c', 10000, 7000);
  char *path = objects_find_in(*state, a), *from = below(state, "from");
  objects_used(path);
  keep(state, "x");
  unlink(from);
  assert_int_equal(objects_limit(*state, 25000), 1);
  assert_true(found(state, a) && !found(state, b) && found(state, c));
  free(from);
  free(path);
}

static int count_lookup(char *what) {
  counts_add((enum lookup)atoi(what));
  return 0;
}

static void count_in_child(void **state, const char *what) {
  char *variable = sys_printf("AUTOTUNE_CACHE=%s", (char *)*state), *said;
  assert_int_equal(run_child("count_lookup", what, variable, &said), 0);
  free(said);
  free(variable);
}

static void test_lookups_are_counted(void **state) {
  struct counts c;
  assert_false(counts_read(*state, &c));
  assert_true(c.since <= 0 && c.n[LOOKUP_CODE] == 0);
  for (int i = 0; i < 3; i++)
    count_in_child(state, "0");
  count_in_child(state, "3");
  assert_true(counts_read(*state, &c));
  assert_true(c.since > 0 && c.since <= sys_unix());
  assert_true(c.n[LOOKUP_CODE] == 3 && c.n[LOOKUP_NOTHING] == 1);
  char *path = below(state, "counts");
  FILE *f = fopen(path, "r+"); // damaged: it begins again
  fputs("nonsense", f);
  fclose(f);
  assert_false(counts_read(*state, &c));
  count_in_child(state, "2");
  assert_true(counts_read(*state, &c));
  assert_true(c.n[LOOKUP_CODE] == 0 && c.n[LOOKUP_DEFAULT] == 1);
  free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

static const struct child children[] = {
  { "xdg", default_xdg },
  { "home", default_home },
  { "without_home", default_without_home },
  { "open_untrusted", open_untrusted },
  { "secure_child", secure_child },
  { "count_lookup", count_lookup },
};

int main(int argc, char **argv) {
  be_child(argc, argv, children, sizeof children / sizeof *children);
  const struct CMUnitTest tests[] = {
    TEST(test_made_when_missing),
    TEST(test_writable_by_all),
    TEST(test_writable_by_the_group),
    TEST(test_sticky_but_writable),
    TEST(test_of_another_owner),
    TEST(test_a_link),
    TEST(test_a_dangling_link),
    TEST(test_a_file),
    TEST(test_below_a_folder_that_all_can_write),
    TEST(test_below_a_sticky_folder),
    TEST(test_below_a_folder_of_another_owner),
    TEST(test_through_a_link),
    TEST(test_relative_paths),
    TEST(test_where_results_go),
    TEST(test_one_warning),
    TEST(test_set_user_id),
    TEST(test_objects_are_found_again),
    TEST(test_objects_that_changed_are_not_found),
    TEST(test_objects_that_others_may_write_are_not_found),
    TEST(test_objects_that_were_not_used_for_long_are_removed),
    TEST(test_what_is_used_is_the_youngest),
    TEST(test_lookups_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
