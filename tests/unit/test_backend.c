/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the table of compilers. External compilers are small scripts, which can do
 * anything wrong, and gcc where it is installed. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "base/run_program.h"
#include "variant_fixture.h"

static char folder[] = "/tmp/autotune-test-XXXXXX";
static char temporary[64]; /* TMPDIR of the compilers; they must leave it empty */

static int make_folders(void **state) {
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  snprintf(temporary, sizeof temporary, "%s/tmp", folder);
  setenv("TMPDIR", temporary, 1);
  return mkdir(temporary, 0700);
}

static int entries(const char *path) {
  DIR *d = opendir(path);
  int n = 0;
  for (struct dirent *e; d && (e = readdir(d));)
    n += e->d_name[0] != '.';
  if (d)
    closedir(d);
  return n;
}

static int remove_folders(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

/* Returns a compiler that is this shell script. */
static const char *script(const char *name, const char *text) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "#!/bin/sh\n%s\n", text);
  fclose(f);
  assert_int_equal(chmod(path, 0700), 0);
  return path;
}

static struct object compile(const char *compiler, const char *text, int expected) {
  static const char *const flags[] = { "-O2", "-fPIC", NULL };
  struct object o;
  int status = backend_find(compiler)->compile(compiler, text, flags, &o);
  if (status != expected)
    fail_msg("%s: %s", compiler, o.message ? o.message : "compiled");
  assert_int_equal(entries(temporary), 0);
  return o;
}

static void the_table_knows_who(void **state) {
  (void)state;
  assert_string_equal(backend_find("clang")->name, "clang");
  assert_string_equal(backend_find("gcc")->name, "external");
  assert_string_equal(backend_find("ccache clang-22")->name, "external");
  assert_null(backend_find(""));
}

static void versions(void **state) {
  (void)state;
  const char *clang = backend_find("clang")->version("clang");
  assert_non_null(clang);
  assert_memory_equal(clang, "clang 22.", 9);
  const char *fake = script("fakecc", "echo 'fakecc (Test) 7.1'; echo more");
  const struct backend *b = backend_find(fake);
  assert_string_equal(b->version(fake), "fakecc (Test) 7.1");
  assert_ptr_equal(b->version(fake), b->version(fake));
  assert_null(b->version("/nonexistent/cc"));
}

static void clang_compiles_and_complains(void **state) {
  (void)state;
  struct object o = compile("clang", "int x;\n", 0);
  assert_memory_equal(o.data, "\177ELF", 4);
  assert_true(o.seconds > 0);
  object_free(&o);
  assert_null(o.data);
  o = compile("clang", "int f(void) { return y; }\n", -1);
  assert_non_null(strstr(o.message, "undeclared identifier 'y'"));
  object_free(&o);
}

static void gcc_compiles_and_complains(void **state) {
  (void)state;
  if (!backend_find("gcc")->version("gcc"))
    skip();
  struct object o = compile("gcc", "int x;\n", 0);
  assert_memory_equal(o.data, "\177ELF", 4);
  object_free(&o);
  o = compile("gcc", "int f(void) { return y; }\n", -1);
  assert_memory_equal(o.message, "kernel.c:1:22: error: 'y' undeclared", 36);
  object_free(&o);
}

static void the_first_error_comes_first(void **state) {
  (void)state;
  const char *cc = script("notecc",
                          "echo 'note: nothing' >&2; echo 'a.c:1: error: bad' >&2\n"
                          "echo 'a.c:2: error: worse' >&2; exit 1");
  struct object o = compile(cc, "", -1);
  assert_string_equal(o.message, "a.c:1: error: bad\na.c:2: error: worse\n");
  object_free(&o);
}

static void failures_have_reasons(void **state) {
  (void)state;
  struct object o = compile(script("mutecc", "exit 3"), "", -1);
  assert_string_equal(o.message, "error: the compiler failed and said nothing");
  object_free(&o);
  o = compile(script("idlecc", "exit 0"), "", -1);
  assert_non_null(strstr(o.message, "made no object"));
  object_free(&o);
  o = compile("/nonexistent/cc -v", "", -1);
  assert_non_null(strstr(o.message, "cannot run /nonexistent/cc -v: No such file"));
  object_free(&o);
  o = compile(script("killedcc", "touch \"$TMPDIR/left-behind\"; kill -SEGV $$"), "", -1);
  assert_non_null(o.message);
  object_free(&o);
}

static void what_it_is_given(void **state) {
  (void)state;
  /* Checks: flags, then ours; the text; English; no input; a folder of its own for
   * temporary files. */
  const char *cc = script(
      "echocc", "echo \"error: $* LC_ALL=$LC_ALL $(cat) $(basename $TMPDIR)\"; exit 1");
  struct object o = compile(cc, "", -1);
  assert_memory_equal(o.message, "error: -O2 -fPIC -fno-lto -w -fPIC -c -x c /", 43);
  assert_non_null(strstr(o.message, "kernel.o LC_ALL=C  autotune-"));
  object_free(&o);
}

static void a_program_is_stopped_in_time(void **state) {
  (void)state;
  const char *slow = script("slowcc", "echo begun; sleep 100 & sleep 100; echo never");
  char text[64];
  const char *const none[] = { NULL };
  assert_int_equal(run_program(slow, none, NULL, text, sizeof text, 0.3), RUN_TIMEOUT);
  assert_string_equal(text, "begun\n");
  /* Output that does not fit is still read, so that the writer can finish. */
  const char *talker = script(
      "talkcc", "i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done");
  assert_int_equal(run_program(talker, none, NULL, text, sizeof text, 60), 0);
  assert_int_equal(strlen(text), sizeof text - 1);
  assert_int_equal(
      run_program(script("sigcc", "kill -9 $$"), none, NULL, text, sizeof text, 60),
      128 + 9);
  assert_int_equal(run_program("", none, NULL, text, sizeof text, 60), RUN_FAILED);
}

// ---- processes that are killed --------------------------------------------------------

// The compiler's folder in `temporary`; there is one.
static const char *only_folder(void) {
  static char path[512];
  DIR *d = opendir(temporary);
  for (struct dirent *e; d && (e = readdir(d));)
    if (e->d_name[0] != '.')
      snprintf(path, sizeof path, "%s/%s", temporary, e->d_name);
  closedir(d);
  return path;
}

// Starts a process that compiles for seconds; its folder looks as if it were old.
static pid_t compile_long(void) {
  const char *slow = script("longcc", "exec sleep 3");
  pid_t pid = fork();
  if (pid == 0) {
    struct object o;
    backend_find(slow)->compile(slow, "int x;", NULL, &o);
    _exit(0);
  }
  for (int i = 0; i < 500 && entries(temporary) == 0; i++)
    usleep(10000);
  usleep(200000); // it has written its source by now
  struct timespec old[2] = { { time(NULL) - 100, 0 }, { time(NULL) - 100, 0 } };
  assert_int_equal(utimensat(AT_FDCWD, only_folder(), old, 0), 0);
  return pid;
}

// Compiles in a process of its own, since a process looks once for what others left.
static void compile_elsewhere(void) {
  const char *fails = script("failcc", "exit 1");
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    struct object o;
    _exit(backend_find(fails)->compile(fails, "int x;", NULL, &o) == -1 ? 0 : 1);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static void folders_of_the_killed_are_removed(void **state) {
  (void)state;
  char own[128];
  snprintf(own, sizeof own, "%s/autotune-report", temporary);
  pid_t pid = compile_long();
  compile_elsewhere();
  assert_int_equal(entries(temporary), 1); // of a process that lives
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  assert_int_equal(entries(temporary), 1);
  assert_int_equal(mkdir(own, 0700), 0); // not ours
  compile_elsewhere();
  assert_int_equal(entries(temporary), 1);
  assert_int_equal(rmdir(own), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_table_knows_who),
    cmocka_unit_test(versions),
    cmocka_unit_test(clang_compiles_and_complains),
    cmocka_unit_test(gcc_compiles_and_complains),
    cmocka_unit_test(the_first_error_comes_first),
    cmocka_unit_test(failures_have_reasons),
    cmocka_unit_test(what_it_is_given),
    cmocka_unit_test(a_program_is_stopped_in_time),
    cmocka_unit_test(folders_of_the_killed_are_removed),
  };
  return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
