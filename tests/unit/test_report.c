// SPDX-License-Identifier: Apache-2.0
// Compares the report of a database that is made here with the expected text.
#include "tools/common/json.h"
#include "compile/static.h"
#include "tools/report/report.h"
#include "tools/common/roof.h"
#include "model/space.h"
#include "store_fixture.h"

#include <jansson.h>

static int setup(void **state) {
  setenv("TZ", "UTC", 1);
  *state = make_folder();
  return 0;
}

static int teardown(void **state) {
  remove_folder(*state);
  free(*state);
  return 0;
}

// ---- a database ---------------------------------------------------------------------

static void make_database(const char *folder) {
  struct store *s = open_store(folder);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  fixture_add(s, &id, 1, "MR=4\nflags=-O2\n", STATUS_OK, "", 4e-3);
  fixture_add(s, &id, 2, "MR=6\nflags=-O2\n", STATUS_OK, "", 3e-3);
  fixture_add(s, &id, 3, "MR=6\nflags=-O3 -DX=1\n", STATUS_OK, "", 2e-3);
  fixture_add(s, &id, 4, "MR=12\nflags=-O3 -DX=1\n", STATUS_COMPILE,
              "gemm.c:9:3: error: no such thing\nand more", 0);
  fixture_add(s, &id, 5, "MR=4\nflags=-O3 -DX=1\n", STATUS_WRONG,
              "C[0:n]: element 17 is 1.5, not 1", 0);
  fixture_add(s, &id, 6, "MR=12\nflags=-O2\n", STATUS_PENDING, "0 0 nobody who lives", 0);
  m.values = "MR=6\nflags=-O3 -DX=1\n";
  m.tried = 6;
  m.total_hint = 9;
  m.as_written = 0.006;
  m.own = (struct own_calls){ 4, 0, 0.05, 0.01, 0.02, 0.004 };
  memset(m.failed, 0, sizeof m.failed);
  m.failed[STATUS_COMPILE] = m.failed[STATUS_WRONG] = m.failed[STATUS_PENDING] = 1;
  m.when = 1767225600; // 2026-01-01
  assert_int_equal(store_summary(s, &id, &m), 0);
  id.kernel = "scan";
  id.n_keys = 0;
  m.own = (struct own_calls){ 0 };
  m.winner = 0;
  m.verified = false;
  m.flops = m.bytes = 0;
  assert_int_equal(store_summary(s, &id, &m), 0);
  id.kernel = "unfinished";
  fixture_add(s, &id, 1, "U=2\n", STATUS_OK, "", 5e-6);
  id.kernel = "zslow"; // run too seldom for intervals
  m = fixture_summary();
  m.original.n = 1;
  m.best.n = 5;
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
}

static char *report(const char *folder, struct report_options o, int expected) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  o.folder = folder;
  assert_int_equal(report_print(&o, f), expected);
  fclose(f);
  return text;
}

// ---- text ---------------------------------------------------------------------------

// Expects every text in the report, each after the one before.
static void expect_in_order(const char *report_text, const char *const *texts) {
  const char *at = report_text;
  for (; *texts; texts++) {
    const char *found = strstr(at, *texts);
    if (!found)
      print_error("missing '%s' in:\n%s\n", *texts, at);
    assert_non_null(found);
    at = found + strlen(*texts);
  }
}

// A variant that was timed while the machine was twice as fast as usual seems faster than
// the winner. Its time is shown as it was measured, with that moment, and the winner
// stays the best.
static void test_moments_are_told_apart(void **state) {
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  double quick[] = { 1.5e-3, 1.5e-3, 1.5e-3 };
  struct record r = fixture_record(6, quick, 3);
  r.values = "MR=8\n";
  r.slowdown = 0.5;
  assert_int_equal(store_finish(s, &id, &r), 0);
  fixture_add(s, &id, 7, "MR=4\n", STATUS_OK, "", 2.5e-3);
  m.values = "MR=4\n";
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  char *text = report(*state, (struct report_options){ .verbose = true }, 0);
  expect_in_order(text,
                  (const char *const[]){ "best             2.000 ms", "MR  (1.20 x",
                                         "4: 2.000 ms *", "8: 2.394 ms", "as measured",
                                         "2.506 ms          MR=4",
                                         "1.500 ms  0.50 x  MR=8", NULL });
  free(text);
}

static void test_text_says_all(void **state) {
  make_database(*state);
  char *text = report(*state, (struct report_options){ 0 }, 0);
  expect_in_order(
      text,
      (const char *const[]){
          "      before       after        gain\n",
          "gemm, n = 512, m = 3    10.00 ms    2.000 ms      5.00 x\n"
          "    MR=6 (2.00 x)  flags=-O3 -DX=1 (1.50 x)\n"
          "    5 x as fast as the default in 4 pairs of the program's own calls\n"
          "scan                    10.00 ms   (default)\n"
          "    the default stays: no variant was faster beyond the noise\n"
          "unfinished                          5.0",
          "    none: the tuning did not come to its end\n",
          "gemm  (gemm.c)",
          "for          n = 512, m = 3",
          "on           Test CPU 1, 2 threads, x86-64-v3 1",
          "median   95 % interval",
          "GFLOP/s",
          "GB/s",
          "default          10.00 ms   9.900 … 10.10 ms",
          "200.0",
          "0.1000",
          "best             2.000 ms   1.900 … 2.100 ms",
          "1000",
          "0.5000",
          "speed-up          5.00 x    4.71 … 5.32 x",
          "3.00 x    over the same code with the same flags",
          "winner       MR=6  flags=-O3 -DX=1",
          "clang 22.1.7",
          "answers      verified",
          "own calls    5 x as fast as the default in 4 pairs of the program's own calls\n",
          "variants     6 tried of 9 · 3 right · 1 did not compile · 1 wrong · 1 took the tuner down",
          "tuned        2026-01-01 00:00, in 7.000 s (compiling 4.000 s, verifying 1.000 s, "
          "timing 5.000 s)",
          "search       exhaustive: all were tried",
          "why:",
          "MR  (2.00 x",
          "4: 4.000 ms",
          "6: 2.000 ms *",
          "flags  (1.50 x",
          "-O2: 3.000 ms",
          "-O3 -DX=1: 2.000 ms *",
          "quarantined",
          "MR=12  flags=-O2",
          "scan",
          "the default stays",
          "unverified",
          "unfinished",
          "best variant     5.0",
          "did not come to its end",
          "1 tried",
          "zslow",
          "default",
          "none: 1 run ",
          "none: 5 runs",
          "x\n",
          NULL });
  assert_null(strstr(text, "no such thing")); // only with --verbose
  free(text);
}

static void test_verbose_shows_messages(void **state) {
  make_database(*state);
  char *text =
      report(*state, (struct report_options){ .verbose = true, .kernel = "gemm" }, 0);
  expect_in_order(
      text,
      (const char *const[]){ "fastest variants", "2.005 ms", "MR=6  flags=-O3",
                             "3.007 ms", "4.010 ms", "one that did not compile", "MR=12",
                             "gemm.c:9:3: error: no such thing\n", "one that was wrong",
                             "element 17 is 1.5, not 1", NULL });
  assert_null(strstr(text, "and more"));
  assert_null(strstr(text, "scan"));
  free(text);
}

static void test_no_line_is_too_long(void **state) {
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  char values[4096] = "", *p = values;
  for (int i = 0; i < 60; i++)
    p += sprintf(p, "parameter_%d=%d\n", i, i * i);
  m.values = values;
  id.cpu =
      "A CPU of a very long name that goes on and on until nobody knows any more what it was "
      "all about, and then some";
  for (uint64_t v = 0; v < 40; v++) {
    char one[64];
    snprintf(one, sizeof one, "parameter_1=%d\n", (int)v);
    fixture_add(s, &id, v, one, STATUS_OK, "", 1e-3 * (double)(v + 1));
  }
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  char *text = report(*state, (struct report_options){ .verbose = true }, 0),
       *rest = text;
  for (char *one; (one = strsep(&rest, "\n"));) {
    size_t n = 0;
    for (char *c = one; *c; c++)
      n += (*c & 0xc0) != 0x80;
    if (n > 100)
      print_error("%s\n", one);
    assert_true(n <= 100);
  }
  free(text);
}

static void test_a_terminal_is_not_commanded(void **state) {
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  id.kernel = "ge\033[2Jmm\xc2\x9b"
              "1\xff";
  m.values = "MR=\a6\n";
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  for (int json = 0; json < 2; json++) {
    char *text = report(*state, (struct report_options){ .json = json }, 0);
    assert_non_null(strstr(text, "ge?[2Jmm??1?"));
    assert_null(strchr(text, '\033'));
    assert_null(strchr(text, '\a'));
    assert_null(strstr(text, "\xc2\x9b"));
    free(text);
  }
}

// Parameters of a directive that is left out are not shown.
static void test_only_what_matters_is_shown(void **state) {
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  fixture_add(s, &id, 1, "num_threads@9.1=1\nparallel_for@9.1=no\nu@8.1=3\n", STATUS_OK,
              "", 1e-3);
  fixture_add(s, &id, 2, "num_threads@9.1=2\nparallel_for@9.1=yes\nu@8.1=3\n", STATUS_OK,
              "", 2e-3);
  fixture_add(s, &id, 3, "num_threads@9.1=4\nparallel_for@9.1=yes\nu@8.1=3\n", STATUS_OK,
              "", 3e-3);
  m.values = "num_threads@9.1=1\nparallel_for@9.1=no\nu@8.1=3\n";
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  char *text = report(*state, (struct report_options){ 0 }, 0);
  expect_in_order(text,
                  (const char *const[]){ "winner       parallel_for@9.1=no  u@8.1=3\n",
                                         "no: 2.000 ms *   yes: 4.000 ms",
                                         "num_threads@9.1  (1.50 x",
                                         "2: 4.000 ms   4: 6.000 ms\n", NULL });
  free(text);
}

// If no variant was right, the report gives that as the reason.
static void test_nothing_was_right(void **state) {
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  fixture_add(s, &id, 1, "U=2\n", STATUS_WRONG, "A[0:n]: element 14 is 0.5 instead of 1",
              0);
  fixture_add(s, &id, 2, "U=3\n", STATUS_WRONG, "A[0:n]: element 14 is 0.25 instead of 1",
              0);
  fixture_add(s, &id, 3, "U=4\n", STATUS_COMPILE, "error: no", 0);
  m.winner = 0;
  m.tried = 3;
  memset(m.failed, 0, sizeof m.failed);
  m.failed[STATUS_WRONG] = 2;
  m.failed[STATUS_COMPILE] = 1;
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  char *text = report(*state, (struct report_options){ 0 }, 0);
  expect_in_order(text,
                  (const char *const[]){
                      "winner       the default stays: no variant was right\n",
                      "             wrong: A[0:n]: element 14 is 0.5 instead of 1\n",
                      NULL });
  assert_null(strstr(text, "beyond the noise"));
  free(text);
}

// Variants that were not run do not count as tried; the winner's code is described.
static void test_what_was_not_run_is_told(void **state) {
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  double samples[] = { 2e-3 };
  struct features f = { { [FEATURE_BYTES] = 412, [FEATURE_MAIN_BITS] = 512 } };
  struct record r = fixture_record(7, samples, 1);
  r.features = &f;
  r.features_size = sizeof f;
  assert_int_equal(store_finish(s, &id, &r), 0);
  fixture_add(s, &id, 8, "MR=12\n", STATUS_DROPPED, "spills in its main loop", 0);
  m.tried = 5;
  m.total_hint = 9;
  memset(m.failed, 0, sizeof m.failed);
  m.failed[STATUS_DROPPED] = 3;
  m.same = 2;
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  char *text = report(*state, (struct report_options){ .verbose = true }, 0);
  expect_in_order(
      text,
      (const char *const[]){
          "code         412 bytes, 512-bit vectors, no spills\n",
          "variants     5 tried of 9 · 5 right · 3 not run · 2 had the same machine code as another\n",
          "one that was not run", "MR=12", "spills in its main loop\n", NULL });
  free(text);
  text = report(*state, (struct report_options){ .json = true, .verbose = true }, 0);
  json_t *root = json_loads(text, 0, NULL);
  json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
  json_t *variants = json_object_get(kernel, "variants");
  json_t *first = json_array_get(json_object_get(kernel, "records"), 0);
  assert_int_equal(json_integer_value(json_object_get(variants, "dropped")), 3);
  assert_int_equal(json_integer_value(json_object_get(variants, "same")), 2);
  assert_int_equal(json_integer_value(json_object_get(variants, "tried")), 5);
  assert_true(json_real_value(
                  json_object_get(json_object_get(first, "features"), "bytes")) == 412);
  json_decref(root);
  free(text);
}

// ---- nothing ------------------------------------------------------------------------

static void test_nothing_measured(void **state) {
  char *text = report(*state, (struct report_options){ 0 }, 1);
  assert_non_null(strstr(text, "nothing was ever measured"));
  free(text);
  store_close(open_store(*state));
  text = report(*state, (struct report_options){ 0 }, 1);
  assert_non_null(strstr(text, "nothing was ever measured"));
  free(text);
  text = report(*state, (struct report_options){ .json = true }, 1);
  json_t *root = json_loads(text, 0, NULL);
  assert_non_null(root);
  assert_int_equal(json_array_size(json_object_get(root, "kernels")), 0);
  json_decref(root);
  free(text);
}

static void test_another_kernel_was_meant(void **state) {
  make_database(*state);
  char *text = report(*state, (struct report_options){ .kernel = "gem" }, 1);
  assert_non_null(strstr(text, "kernel 'gem' was never measured"));
  assert_non_null(strstr(text, "gemm, scan, unfinished, zslow"));
  free(text);
}

// ---- S1: rows made up by somebody who can compute checksums -------------------------

static void random_text(char *text, size_t most, uint64_t *rng) {
  size_t n = rng_next(rng) % most;
  for (size_t i = 0; i < n; i++) {
    uint64_t r = rng_next(rng);
    text[i] = r % 8 == 0 ? '\n' : r % 8 == 1 ? '=' : (char)(1 + (r >> 8) % 255);
  }
  text[n] = '\0';
}

static double random_number(uint64_t *rng) {
  static const double some[] = { 0, 1, -1, 1e-300, 1e300, 5e-324, 1e11, 0.1, -0.0 };
  uint64_t r = rng_next(rng);
  return r % 4 == 0 ? (double)(r >> 40) * 1e-6
                    : some[(r >> 8) % (sizeof some / sizeof *some)];
}

// Sets any value of the right type in each column but the first FIXED.
static void make_up(const struct kind *k, struct cell *cells, unsigned fixed, char *text,
                    uint64_t *rng) {
  for (unsigned i = fixed; i < k->n; i++) {
    struct cell *c = &cells[i];
    *c = cell_empty(&k->facts[i]);
    c->data = text;
    uint64_t r = rng_next(rng);
    c->i = r % 3 == 0 ? (int64_t)(r >> 8)
        : r % 3 == 1  ? (int64_t)(r >> 60)
                      : -(int64_t)(r >> 4);
    c->d = random_number(rng);
    if (c->kind == CELL_TEXT || c->kind == CELL_BLOB) {
      random_text(text, 300, rng);
      c->size = c->kind == CELL_TEXT ? strlen(text) : r % 2 ? 8 * (r >> 60) : r >> 59;
      if (c->kind == CELL_BLOB && r % 5 == 0)
        memset(text, 0, c->size = sizeof((struct summary *)0)->failed);
      text += 512;
    }
  }
}

static void insert(struct store *s, const struct kind *k, const struct cell *cells) {
  char *sql = table_insert_sql(k);
  sqlite3_stmt *q = NULL;
  assert_int_equal(sqlite3_prepare_v2(s->db, sql, -1, &q, NULL), SQLITE_OK);
  assert_int_equal(row_bind(q, k, cells), SQLITE_OK);
  assert_int_equal(sqlite3_step(q), SQLITE_DONE);
  sqlite3_finalize(q);
  free(sql);
}

static void test_made_up_rows_do_no_harm(void **state) {
  static char text[STORE_CELLS * 512];
  struct store *s = open_store(*state);
  struct cell cells[STORE_CELLS];
  uint64_t rng = 4711;
  for (unsigned i = 0; i < 300; i++) {
    struct identity id = fixture_identity();
    char kernel[64], cpu[300], *key;
    random_text(kernel + 1, sizeof kernel - 1, &rng);
    kernel[0] = 'k';
    random_text(cpu, sizeof cpu, &rng);
    id.kernel = kernel;
    id.cpu = cpu;
    struct problem p;
    key = problem_of(&id, &p);
    row_make(&kind_problem, &p, cells);
    insert(s, &kind_problem, cells);
    free(key);
    for (unsigned k = 0; k < 4; k++) { // the problem's id stays
      cells[0].kind = CELL_INT;
      make_up(&kind_record, cells, 1, text, &rng);
      insert(s, &kind_record, cells);
    }
    make_up(&kind_summary, cells, 1, text, &rng);
    insert(s, &kind_summary, cells);
    struct summary m;
    if (store_winner(s, &id, &m, NULL)) {
      assert_true(m.best.low >= 0 && m.best.low <= m.best.high && m.total_seconds < 1e12);
      store_summary_free(&m);
    }
  }
  store_close(s);
  for (int json = 0; json < 2; json++) {
    char *shown =
        report(*state, (struct report_options){ .json = json, .verbose = true }, 0);
    assert_null(strchr(shown, '\033'));
    json_t *root = json ? json_loads(shown, JSON_DECODE_ANY, NULL) : NULL;
    assert_true(!json || root);
    json_decref(root);
    free(shown);
  }
  if (!report_page_missing()) {
    char file[256];
    snprintf(file, sizeof file, "%s/out.html", (const char *)*state);
    free(report(*state, (struct report_options){ .html = file }, 0));
  }
}

// ---- JSON ---------------------------------------------------------------------------

static void test_json_says_the_same(void **state) {
  make_database(*state);
  char *text =
      report(*state, (struct report_options){ .json = true, .kernel = "gemm" }, 0);
  json_t *root = json_loads(text, 0, NULL), *winner;
  free(text);
  assert_non_null(root);
  const char *kernel, *right, *message;
  double best, original, speedup, as_written, low, flops, total;
  int n, tried, wrong, verified;
  assert_int_equal(
      json_unpack(root,
                  "{s:[{s:s, s:{s:i}, s:{s:F}, s:{s:F, s:F}, s:F, s:F, s:F, s:o, s:b,"
                  " s:{s:i, s:i}, s:{s:F}, s:{s:{s:[s]}}}]}",
                  "kernels", "kernel", &kernel, "key", "n", &n, "default", "median",
                  &original, "best", "median", &best, "low", &low, "speedup", &speedup,
                  "as_written", &as_written, "flops", &flops, "winner", &winner,
                  "verified", &verified, "variants", "tried", &tried, "wrong", &wrong,
                  "seconds", "total", &total, "failures", "wrong", "message", &message),
      0);
  assert_string_equal(kernel, "gemm");
  assert_true(n == 512 && tried == 6 && wrong == 1 && verified);
  assert_true(original == 0.01 && best == 0.002 && low == 0.0019 && flops == 2e9 &&
              total == 7);
  assert_true(speedup > 4.999 && speedup < 5.001 && as_written == 0.006);
  assert_int_equal(json_unpack(winner, "{s:s}", "flags", &right), 0);
  assert_string_equal(right, "-O3 -DX=1");
  assert_string_equal(message, "C[0:n]: element 17 is 1.5, not 1");
  assert_int_equal(json_unpack(json_array_get(json_object_get(root, "kernels"), 0),
                               "{s:{s:i, s:i, s:F, s:F}}", "own_calls", "pairs", &n,
                               "slower", &wrong, "default", &original, "winner", &best),
                   0);
  assert_true(n == 4 && wrong == 0 && original == 0.05 && best == 0.01);
  json_decref(root);
}

// JSON leaves out what was not measured.
static void test_json_has_no_empty_facts(void **state) {
  make_database(*state);
  char *text =
      report(*state, (struct report_options){ .json = true, .kernel = "zslow" }, 0);
  assert_null(strstr(text, "own_calls"));
  assert_null(strstr(text, "as_written"));
  free(text);
}

// ---- the page -----------------------------------------------------------------------

// Returns the data in the page of FOLDER, parsed; the caller frees it. *TEXT receives the
// page.
static json_t *page(const char *folder, struct report_options o, char **text) {
  char file[256];
  snprintf(file, sizeof file, "%s/out.html", folder);
  o.html = file;
  free(report(folder, o, 0));
  FILE *f = fopen(file, "r");
  assert_non_null(f);
  *text = NULL;
  size_t size = 0;
  assert_true(getdelim(text, &size, '\0', f) > 0);
  fclose(f);
  static const char before[] = "<script type=\"application/json\" id=\"results\">";
  char *from = strstr(*text, before), *to = from ? strstr(from, "</script>") : NULL;
  assert_non_null(to);
  from += strlen(before);
  assert_null(memchr(from, '<', (size_t)(to - from)));
  json_t *root = json_loadb(from, (size_t)(to - from), 0, NULL);
  assert_non_null(root);
  return root;
}

static json_int_t cell(json_t *columns, const char *name, size_t row) {
  return json_integer_value(json_array_get(json_object_get(columns, name), row));
}

static void test_the_page_holds_all_records(void **state) {
  if (report_page_missing())
    skip();
  make_database(*state);
  char *text;
  json_t *root = page(*state, (struct report_options){ .kernel = "gemm" }, &text);
  json_t *columns, *parameter, *statuses, *median, *word;
  const char *name, *last;
  int status = 0;
  assert_int_equal(json_unpack(root, "{s:o, s:[{s:o}]}", "fates", &statuses, "kernels",
                               "columns", &columns),
                   0);
  assert_int_equal(
      json_unpack(columns, "{s:o, s:[o]}", "median", &median, "parameters", &parameter),
      0);
  json_object_foreach(statuses, name, word) // their order is that of the numbers
      assert_string_equal(name, status_words[status++].json);
  assert_int_equal(status, STATUSES);
  assert_int_equal(json_array_size(median), 6);
  assert_true(json_is_null(json_array_get(median, 3)));
  assert_int_equal(cell(columns, "fate", 4), STATUS_WRONG);
  assert_int_equal(cell(columns, "runs", 2), 6);
  assert_int_equal(json_unpack(parameter, "{s:s, s:[s, s, s]}", "name", &name, "values",
                               &last, &last, &last),
                   0);
  assert_string_equal(name, "MR");
  assert_string_equal(last, "12");
  assert_int_equal(cell(parameter, "of", 5), 2);
  assert_int_equal(cell(json_object_get(columns, "message"), "of", 5),
                   0); // no process has this name
  json_decref(root);
  free(text);
}

static void test_the_page_is_not_ended_by_texts(void **state) {
  if (report_page_missing())
    skip();
  static const char evil[] = "</script><!--<script>&";
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  id.kernel = evil;
  fixture_add(s, &id, 1, "</script>=</script>\n", STATUS_WRONG, evil, 0);
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  char *text;
  json_t *root = page(*state, (struct report_options){ 0 }, &text), *message;
  const char *name;
  assert_int_equal(json_unpack(root, "{s:[{s:s, s:{s:{s:o}}}]}", "kernels", "kernel",
                               &name, "columns", "message", "texts", &message),
                   0);
  assert_string_equal(name, evil);
  assert_string_equal(json_string_value(json_array_get(message, 0)), evil);
  json_decref(root);
  free(text);
}

// The roofs of a machine are at least as high as a simple loop reaches.
static void test_a_roof_is_above_a_loop(void **state) {
  (void)state;
  struct roof r;
  enum { N = 1 << 22 };
  volatile double x = 1;
  assert_false(roof_measure(0, &r));
  assert_true(roof_measure(2, &r));
  double begin = sys_now();
  for (int i = 0; i < N; i++)
    x = x * 0.5 + 1;
  assert_true(r.flops > 2.0 * N / (sys_now() - begin));
  assert_true(r.bytes[ROOF_L1] >= r.bytes[ROOF_L2]);
  assert_true(r.bytes[ROOF_L2] >= r.bytes[ROOF_MEMORY]);
  assert_true(r.bytes[ROOF_MEMORY] > 1e8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

// ---- the schema and the table of facts ----------------------------------------------

static const char *schema_type(const struct fact *f) {
  switch (f->type) {
  case FACT_COUNT:
  case FACT_MOMENT:
    return "integer";
  case FACT_SECONDS:
  case FACT_AMOUNT:
    return "number";
  case FACT_VERIFIED:
    return "boolean";
  case FACT_KEY:
  case FACT_FEATURES:
    return "object";
  case FACT_LINES:
  case FACT_SAMPLES:
    return "array";
  case FACT_ESTIMATE:
    return "#/$defs/estimate";
  case FACT_VALUES:
    return "#/$defs/parameters";
  case FACT_ENUM:
    return "enum";
  default:
    return "string";
  }
}

// Returns the entry of "NAME" or "OBJECT.NAME" in WHERE of DEFS; NULL: there is none.
static json_t *schema_of(const json_t *defs, const char *where, const char *name) {
  const char *dot = strchr(name, '.');
  char outer[32] = "";
  json_t *in = json_object_get(json_object_get(defs, where), "properties");
  if (!dot)
    return json_object_get(in, name);
  snprintf(outer, sizeof outer, "%.*s", (int)(dot - name), name);
  in = json_object_get(json_object_get(in, outer), "properties");
  return json_object_get(in, dot + 1);
}

static bool is_required(const json_t *defs, const char *where, const char *name) {
  const json_t *one;
  size_t i;
  bool found = false;
  json_array_foreach(json_object_get(json_object_get(defs, where), "required"), i, one) {
    found |= strcmp(json_string_value(one), name) == 0;
  }
  return found;
}

static void check_facts(const json_t *defs, const struct kind *k, const char *where) {
  for (unsigned i = 0; i < k->n_facts; i++) {
    const struct fact *f = &k->facts[i];
    if (!f->json)
      continue;
    const json_t *said = schema_of(defs, where, f->json);
    const char *type = json_string_value(json_object_get(said, "type"));
    const char *ref = json_string_value(json_object_get(said, "$ref"));
    const json_t *list = json_object_get(said, "enum");
    if (!said)
      fail_msg("docs/report.schema.json: no '%s' in '%s'", f->json, where);
    assert_string_equal(type ? type : ref ? ref : list ? "enum" : "none", schema_type(f));
    for (size_t v = 0; list && v <= f->most; v++)
      assert_string_equal(json_string_value(json_array_get(list, v)),
                          status_words[v].json);
    bool each = f->always && k != &kind_summary && f->type != FACT_LINES;
    if (each && !is_required(defs, where, f->json))
      fail_msg("docs/report.schema.json: '%s' is always in '%s'", f->json, where);
  }
}

// The members are facts, or computed from them.
static void check_members(const json_t *defs, const char *where) {
  static const char *const derived[] = { "finished",  "stale",   "speedup",  "inferred",
                                         "borrowed",  "seconds", "variants", "failures",
                                         "influence", "records", "time",     "own_calls",
                                         "assembly" };
  const char *name;
  json_t *value, *all = json_object_get(json_object_get(defs, where), "properties");
  assert_true(json_object_size(all) > 5);
  json_object_foreach(all, name, value) {
    bool known = false;
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
      known |= strcmp(derived[i], name) == 0;
    for (int k = 0; k < KINDS; k++)
      for (unsigned i = 0; i < kinds[k]->n_facts; i++)
        known |= kinds[k]->facts[i].json && strcmp(kinds[k]->facts[i].json, name) == 0;
    if (!known)
      fail_msg("docs/report.schema.json: '%s' in '%s' is no fact", name, where);
  }
}

static void test_the_schema_is_of_these_facts(void **state) {
  (void)state;
  json_error_t error;
  json_t *schema = json_load_file(REPORT_SCHEMA, 0, &error);
  const json_t *defs = json_object_get(schema, "$defs");
  if (!schema)
    fail_msg("%s: %s", REPORT_SCHEMA, error.text);
  check_facts(defs, &kind_problem, "kernel");
  check_facts(defs, &kind_summary, "kernel");
  check_facts(defs, &kind_record, "record");
  check_members(defs, "kernel");
  check_members(defs, "record");
  json_decref(schema);
}

// Kernels that stayed cold are one line, and hot ones have their share of the time.
static void test_hot_and_cold(void **state) {
  static const struct autotune_kernel kernel = { .name = "any" };
  const struct usage hot = { 1000, 2e-3, 0.34 }, cold = { 1e6, 7e-7, 0.01 };
  struct identity id = fixture_identity();
  make_database(*state);
  struct store *s = open_store(*state);
  assert_int_equal(store_asked(s, &id, &kernel, REFUSED_NOT, "", &hot), 0);
  id.kernel = "mute";
  assert_int_equal(store_asked(s, &id, &kernel, REFUSED_COLD, "", &cold), 0);
  id = fixture_identity(); // a key of gemm that was only called
  id.key = (const long long[]){ 77, 78, 79, 80 };
  assert_int_equal(store_asked(s, &id, &kernel, REFUSED_KEYS, "", &hot), 0);
  store_close(s);
  char *text = report(*state, (struct report_options){ .kernel = NULL }, 0);
  expect_in_order(text,
                  (const char *const[]){
                      "\ngemm  (", "hot", "34 % of the program's time, 2.000 ms a call",
                      "\nscan  (", "\n1 more key of these kernels was called",
                      "\n1 kernel took too little of the time", NULL });
  assert_null(strstr(text, "mute"));
  assert_null(strstr(text, "77"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_schema_is_of_these_facts),
    TEST(test_text_says_all),
    TEST(test_moments_are_told_apart),
    TEST(test_hot_and_cold),
    TEST(test_verbose_shows_messages),
    TEST(test_no_line_is_too_long),
    TEST(test_only_what_matters_is_shown),
    TEST(test_nothing_was_right),
    TEST(test_what_was_not_run_is_told),
    TEST(test_a_terminal_is_not_commanded),
    TEST(test_nothing_measured),
    TEST(test_another_kernel_was_meant),
    TEST(test_json_says_the_same),
    TEST(test_json_has_no_empty_facts),
    TEST(test_made_up_rows_do_no_harm),
    TEST(test_the_page_holds_all_records),
    TEST(test_the_page_is_not_ended_by_texts),
    TEST(test_a_roof_is_above_a_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
