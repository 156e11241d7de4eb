// SPDX-License-Identifier: Apache-2.0
// The report on terminals of many kinds, as Markdown, and while a tuning goes on.
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pty.h>
#include <signal.h>
#include <sys/prctl.h>

#include "tools/report/report.h"
#include "store_fixture.h"

// ---- a database ---------------------------------------------------------------------

static void make_database(const char *folder) {
  struct store *s = open_store(folder);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  fixture_add(s, &id, 1, "MR=4\nflags=-O2\n", STATUS_OK, "", 8e-3);
  fixture_add(s, &id, 2, "MR=6\nflags=-O2\n", STATUS_OK, "", 2e-3);
  fixture_add(s, &id, 3, "MR=12\nflags=a|b <i> `c` *d* @e #1 \\\n", STATUS_WRONG,
              "C[0:n] <script> | **no**", 0);
  m.values = "MR=6\nflags=-O2\n";
  m.tried = 3;
  memset(m.failed, 0, sizeof m.failed);
  m.failed[STATUS_WRONG] = 1;
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
}

static char *report(const char *folder, struct report_options o) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  o.folder = folder;
  assert_int_equal(report_print(&o, f), 0);
  fclose(f);
  return text;
}

static void expect(const char *text, const char *part) {
  if (!strstr(text, part))
    print_error("missing '%s' in:\n%s\n", part, text);
  assert_non_null(strstr(text, part));
}

// Removes "\033[…m".
static void strip(char *text) {
  char *to = text;
  while (*text)
    if (text[0] == '\033')
      text += strcspn(text, "m") + 1;
    else
      *to++ = *text++;
  *to = '\0';
}

static void expect_narrow(const char *text, size_t columns) {
  size_t n = 0;
  for (const char *c = text; *c; c++) {
    n = *c == '\n' ? 0 : n + ((*c & 0xc0) != 0x80);
    if (n > columns)
      print_error("more than %zu columns:\n%s\n", columns, text);
    assert_true(n <= columns);
  }
}

// ---- text ---------------------------------------------------------------------------

static void test_bars(void **state) {
  make_database(*state);
  struct look look = { .drawn = true, .unicode = true, .columns = 60 };
  char *text = report(*state, (struct report_options){ .look = look });
  expect(text, "      4   8.000 ms  █████████████████████████████████████\n");
  expect(text, "      6   2.000 ms  █████████▎ *\n");
  assert_null(strchr(text, '\033'));
  expect_narrow(text, 60);
  free(text);
}

static void test_ascii(void **state) {
  make_database(*state);
  struct look look = { .drawn = true, .columns = 60 };
  char *text = report(*state, (struct report_options){ .look = look });
  expect(text, "      4   8.000 ms  #####################################\n");
  expect(text, "      6   2.000 ms  ######### *\n");
  expect(text, "3 tried of");
  for (char *c = text; *c; c++)
    assert_true((*c & 0x80) == 0);
  free(text);
}

// Colours change nothing else.
static void test_colours(void **state) {
  make_database(*state);
  struct look look = { .drawn = true, .unicode = true, .columns = 72 };
  char *plain = report(*state, (struct report_options){ .look = look });
  look.colour = true;
  char *text = report(*state, (struct report_options){ .look = look });
  expect(text, "\033[1mgemm\033[0m");
  expect(text, "\033[31m· 1 wrong\033[0m");
  strip(text);
  assert_string_equal(text, plain);
  free(plain);
  free(text);
}

static void test_any_width(void **state) {
  make_database(*state);
  for (unsigned columns = 40; columns <= 160; columns += 6) {
    struct look look = { .drawn = true, .unicode = true, .columns = columns };
    char *text = report(*state, (struct report_options){ .look = look });
    expect_narrow(text + strcspn(text, "\n"), columns); // the first line is the folder's
    free(text);
  }
}

// ---- Markdown -----------------------------------------------------------------------

static void test_markdown(void **state) {
  make_database(*state);
  char *text = report(*state, (struct report_options){ .markdown = true });
  expect(
      text,
      "| <code>gemm</code> | <code>n = 512, m = 3</code> | 10.00 ms | 2.000 ms | **5.00 x** | 3");
  expect(text, "<details><summary><code>gemm</code>, <code>n = 512, m = 3</code>");
  expect(
      text,
      "| <code>MR</code> | 4.00 x | <code>4</code> 8.000 ms · <code>6</code> **2.000 ms** |\n");
  expect(
      text,
      "<code>flags=a&#124;b &#60;i&#62; &#96;c&#96; &#42;d&#42; &#64;e &#35;1 &#92;</code>");
  expect(
      text,
      "<code>C&#91;0&#58;n&#93; &#60;script&#62; &#124; &#42;&#42;no&#42;&#42;</code>");
  expect(text, "\n</details>\n");
  // A row has as many cells as its head.
  unsigned cells = 0;
  for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
    unsigned n = 0;
    for (char *c = line; *line == '|' && *c; c++)
      n += *c == '|';
    assert_true(n == 0 || cells == 0 || n == cells);
    cells = n;
  }
  free(text);
}

// ---- what a terminal can show -------------------------------------------------------

static FILE *open_terminal(int *master, unsigned short columns) {
  struct winsize size = { .ws_row = 33, .ws_col = columns };
  int slave;
  assert_int_equal(openpty(master, &slave, NULL, NULL, &size), 0);
  return fdopen(slave, "w");
}

static void set_environment(const char *const *env) {
  static const char *const names[] = { "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
                                       "COLUMNS", "LINES" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unsetenv(names[i]);
  setenv("TERM", "xterm", 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  for (; *env; env += 2)
    setenv(env[0], env[1], 1);
  setlocale(LC_CTYPE, "");
}

static void test_look(void **state) {
  (void)state;
  static const struct {
    const char *env[5];
    bool terminal;
    struct look look;
  } cases[] = {
    { { NULL }, true, { true, true, true, true, 72, 33 } },
    { { "NO_COLOR", "1", NULL }, true, { true, true, false, true, 72, 33 } },
    { { "NO_COLOR", "", NULL }, true, { true, true, true, true, 72, 33 } },
    { { "CLICOLOR", "0", NULL }, true, { true, true, false, true, 72, 33 } },
    { { "COLUMNS", "120", "LINES", "9" }, true, { true, true, true, true, 120, 9 } },
    { { "COLUMNS", "7", NULL }, true, { true, true, true, true, 40, 33 } },
    { { "COLUMNS", "wide", NULL }, true, { true, true, true, true, 72, 33 } },
    { { "LC_ALL", "C", NULL }, true, { true, true, true, false, 72, 33 } },
    { { "TERM", "dumb", NULL }, true, { 0 } },
    { { NULL }, false, { 0 } },
    { { "COLUMNS", "120", NULL }, false, { 0 } },
    { { "CLICOLOR_FORCE", "1", NULL }, false, { false, true, true, true, 80, 24 } },
    { { "CLICOLOR_FORCE", "0", NULL }, false, { 0 } },
    { { "CLICOLOR_FORCE", "1", "NO_COLOR", "1" },
      false,
      { false, true, false, true, 80, 24 } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int master = -1;
    set_environment(cases[i].env);
    FILE *out = cases[i].terminal ? open_terminal(&master, 72) : fopen("/dev/null", "w");
    assert_non_null(out);
    struct look l = sheet_look(out);
    const struct look *expected = &cases[i].look;
    bool same = l.terminal == expected->terminal && l.drawn == expected->drawn &&
        l.colour == expected->colour && l.unicode == expected->unicode &&
        l.columns == expected->columns && l.rows == expected->rows;
    if (!same)
      print_error(
          "case %zu: terminal %d drawn %d colour %d unicode %d, %u columns, %u rows\n", i,
          l.terminal, l.drawn, l.colour, l.unicode, l.columns, l.rows);
    assert_true(same);
    fclose(out);
    if (master >= 0)
      close(master);
  }
}

// ---- a tuning that goes on ----------------------------------------------------------

static struct progress progress_now(enum phase phase, const char *why) {
  double now = sys_unix();
  return (struct progress){ .phase = phase,
                            .began = now,
                            .until = now + 60,
                            .expected = 9,
                            .original = 10e-3,
                            .why = why };
}

// Starts a process that tunes two kernels and reports its progress. LAST: its last
// message, or NULL.
static pid_t tune_meanwhile(const char *folder, const char *last) {
  pid_t pid = fork();
  if (pid)
    return pid;
  struct store *s = open_store(folder);
  struct identity id = fixture_identity(), other = fixture_identity();
  struct progress c = progress_now(PHASE_SEARCH, ""), later = c;
  later.began += 0.01;
  other.kernel = "scan";
  other.n_keys = 0;
  usleep(300000);
  store_progress(s, &id, &c);
  store_progress(s, &other, &later);
  fixture_add(s, &id, 11, "MR=4\n", STATUS_OK, "", 8e-3);
  fixture_add(s, &id, 12, "MR=6\nflags=\n", STATUS_OK, "", 2e-3);
  fixture_add(s, &id, 13, "MR=12\n", STATUS_CRASH, "", 0);
  usleep(1500000);
  c.phase = later.phase = PHASE_ENDED;
  c.why = later.why = last;
  if (last) {
    store_progress(s, &id, &c);
    store_progress(s, &other, &later);
  }
  store_close(s);
  _exit(0);
}

static char *follow(const char *folder, struct report_options o, const char *last) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  pid_t pid = tune_meanwhile(folder, last);
  o.folder = folder;
  int status;
  // The process is collected automatically, so that a zombie does not count as alive.
  struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
  sigaction(SIGCHLD, &ignore, &before);
  assert_int_equal(report_follow(&o, 10, f), 0);
  sigaction(SIGCHLD, &before, NULL);
  waitpid(pid, &status, 0);
  fclose(f);
  return text;
}

static void test_follow_appends(void **state) {
  make_database(*state); // earlier variants are not counted
  char *text = follow(*state, (struct report_options){ 0 }, "tuned: so many times");
  expect(text, "gemm, n = 512, m = 3: 3 of 9 variants · ");
  expect(text, "/s · 1 failed · ");
  expect(text, " s left; best 2.005 ms, 4.99 x over the default: MR=6 flags=\"\"\n");
  expect(text, "scan: 0 of 9 variants · ");
  expect(text, "nothing was right yet; default 10.00 ms\n");
  expect(text, "gemm, n = 512, m = 3: tuned: so many times\n");
  expect(text, "scan: tuned: so many times\n");
  assert_null(strchr(text, '\033'));
  free(text);
}

static void test_follow_one_kernel(void **state) {
  char *text =
      follow(*state, (struct report_options){ .kernel = "scan" }, "default: why not");
  expect(text, "scan: default: why not\n");
  assert_null(strstr(text, "gemm"));
  free(text);
}

static void test_follow_draws(void **state) {
  struct look look = {
    .terminal = true, .drawn = true, .unicode = true, .columns = 64, .rows = 24
  };
  char *text =
      follow(*state, (struct report_options){ .look = look }, "tuned: so many times");
  expect(text, "gemm, n = 512, m = 3\n  ████████░░░░░░░░░░░░░░░░  3 of 9 variants · ");
  expect(text, "\n  best 2.005 ms, 4.99 x over the default: MR=6 flags=\"\"\n");
  expect(text, "\033[6A\033[J"); // two tunings, three lines each
  expect(text,
         "gemm, n = 512, m = 3: tuned: so many times\nscan: tuned: so many times\n");
  free(text);
}

static void test_follow_sees_who_died(void **state) {
  char *text = follow(*state, (struct report_options){ 0 }, NULL);
  expect(text, "scan: its process is gone, without a result\n");
  free(text);
}

static void see_phase(const struct problem *p, const struct progress *c, void *data) {
  (void)p;
  *(enum phase *)data = c->phase;
}

static enum phase phase_in(struct store *s) {
  enum phase phase = PHASES;
  assert_int_equal(store_progresses(s, NULL, see_phase, &phase), 0);
  return phase;
}

// Of two processes at one problem, the first is shown until it ends.
static void test_a_course_is_one_process(void **state) {
  int ready[2];
  char byte = 0;
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct progress searches = progress_now(PHASE_SEARCH, ""),
                  ended = progress_now(PHASE_ENDED, "tuned: soon");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves no process
    store_progress(s, &id, &searches);
    for (bool told = write(ready[1], &byte, 1) == 1; told;)
      pause();
    _exit(1);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  assert_int_equal(store_progress(s, &id, &ended), 0);
  assert_int_equal(phase_in(s), PHASE_SEARCH);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  assert_int_equal(store_progress(s, &id, &ended), 0);
  assert_int_equal(phase_in(s), PHASE_ENDED);
  store_close(s);
  close(ready[0]);
  close(ready[1]);
}

static void test_nothing_to_follow(void **state) {
  make_database(*state);
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct progress ended = progress_now(PHASE_ENDED, "tuned: long ago");
  assert_int_equal(store_progress(s, &id, &ended), 0);
  store_close(s);
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  struct report_options o = { .folder = *state };
  assert_int_equal(report_follow(&o, 0.1, f), 1);
  fclose(f);
  expect(text, "no tuning goes on\n");
  assert_null(strstr(text, "long ago"));
  free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_bars),
    TEST(test_ascii),
    TEST(test_colours),
    TEST(test_any_width),
    TEST(test_markdown),
    TEST(test_look),
    TEST(test_follow_appends),
    TEST(test_follow_one_kernel),
    TEST(test_follow_draws),
    TEST(test_follow_sees_who_died),
    TEST(test_a_course_is_one_process),
    TEST(test_nothing_to_follow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
