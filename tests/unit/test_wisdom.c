// SPDX-License-Identifier: Apache-2.0
// Wisdom: lines that are written and read back, invalid lines, files, order, merging.
#include "store_fixture.h"
#include "keep/wisdom/wisdom.h"

static struct wisdom_entry entry(const char *key, double when) {
  struct wisdom_entry e = { .problem = { .kernel = "gemm",
                                         .file = "src/gemm.c",
                                         .cpu = "Test CPU 1",
                                         .isa = "x86-64-v3 1",
                                         .toolchain = "clang 22.1.8",
                                         .unit = 0x1234567890abcdefu,
                                         .threads = 2,
                                         .key = key,
                                         .key_names = "n\nm",
                                         .family = "" },
                            .summary = fixture_summary(),
                            .origin = "" };
  e.summary.space = 5;
  e.summary.text = 6;
  e.summary.machine = "l1d=32768 cores=2";
  e.summary.source = "";
  e.summary.when = when;
  return e;
}

static struct wisdom_entry parse(const char *line) {
  struct wisdom_entry e;
  char why[200] = "";
  if (!wisdom_parse(line, strlen(line), &e, why, sizeof why))
    fail_msg("%s: %s", why, line);
  return e;
}

static void test_a_line_comes_back(void **state) {
  (void)state;
  struct wisdom_entry in = entry("512,3", 1790000000), out;
  char *line = wisdom_print(&in);
  assert_non_null(line);
  assert_null(strchr(line, '\n'));
  assert_null(strstr(line, "src/")); // no paths
  out = parse(line);
  assert_string_equal(out.problem.kernel, "gemm");
  assert_string_equal(out.problem.file, "gemm.c");
  assert_string_equal(out.problem.key, "512,3");
  assert_string_equal(out.problem.key_names, "n\nm");
  assert_true(out.problem.unit == in.problem.unit);
  assert_int_equal(out.problem.threads, 2);
  assert_string_equal(out.summary.values, "MR=6\nNR=64\n");
  assert_int_not_equal(out.summary.winner, 0);
  assert_int_equal(out.summary.object, 0);
  assert_true(out.summary.when == in.summary.when);
  assert_true(out.summary.verified);
  assert_int_equal(out.summary.best.n, 40);
  char *again = wisdom_print(&out);
  assert_string_equal(again, line);
  free(again);
  free(line);
  free(out.block);
}

// Returns LINE with the first FROM replaced by TO, without its sum.
static char *edited(const char *line, const char *from, const char *to) {
  const char *sum = strstr(line, ", \"sum\": \""), *at;
  size_t n = strlen(line) - 27;
  char *plain = malloc(n + 1), *out;
  assert_non_null(sum);
  memcpy(plain, line, (size_t)(sum - line));
  strcpy(plain + (sum - line), sum + 27);
  at = strstr(plain, from);
  assert_non_null(at);
  out = malloc(strlen(plain) + strlen(to) + 1);
  sprintf(out, "%.*s%s%s", (int)(at - plain), plain, to, at + strlen(from));
  free(plain);
  return out;
}

static void test_inferred_sections_are_said(void **state) {
  struct wisdom_entry in = entry("512,3", 1790000000), out;
  char *plain = wisdom_print(&in), why[200];
  (void)state;
  assert_null(strstr(plain, "inferred")); // as before there was that member
  in.summary.inferred = true;
  char *line = wisdom_print(&in);
  out = parse(line);
  assert_true(out.summary.verified && out.summary.inferred);
  free(out.block);
  out = parse(plain);
  assert_true(out.summary.verified && !out.summary.inferred);
  free(out.block);
  for (int i = 0; i < 2; i++) {
    char *bad = i ? edited(line, "\"verified\": true", "\"verified\": false")
                  : edited(line, "\"inferred\": true", "\"inferred\": false");
    assert_false(wisdom_parse(bad, strlen(bad), &out, why, sizeof why));
    free(bad);
  }
  free(line);
  free(plain);
}

// The runtime accepts as many values as the translator lets a kernel have, and no more.
static void test_as_many_values_as_a_kernel_has_params(void **state) {
  char values[4096], why[200];
  struct wisdom_entry in = entry("512,3", 1790000000), out;
  (void)state;
  in.summary.values = values;
  for (unsigned n = 128; n <= 129; n++) {
    char *to = values;
    for (unsigned i = 0; i < n; i++)
      to += sprintf(to, "P%03u=%u\n", i, i);
    char *line = wisdom_print(&in);
    assert_true(wisdom_parse(line, strlen(line), &out, why, sizeof why) == (n == 128));
    free(out.block);
    free(line);
  }
}

static void test_a_kernel_without_key_or_winner(void **state) {
  (void)state;
  struct wisdom_entry in = entry("", 1790000000), out;
  in.problem.key_names = "";
  in.summary.winner = 0;
  in.summary.values = "";
  in.summary.best.low = -1.0 / 0.0;
  char *line = wisdom_print(&in);
  out = parse(line);
  assert_string_equal(out.problem.key, "");
  assert_int_equal(out.summary.winner, 0);
  free(line);
  free(out.block);
}

static void test_what_is_no_line(void **state) {
  static const char *const edits[][2] = {
    { "\"autotune\": 1", "\"autotune\": 2" },
    { "\"kernel\": \"gemm\"", "\"kernel\": \"\"" },
    { "\"kernel\": \"gemm\"", "\"kernel\": 7" },
    { "\"file\": \"gemm.c\"", "\"file\": \"/etc/x\"" },
    { "\"threads\": 2", "\"threads\": -2" },
    { "\"threads\": 2", "\"threads\": 99999999" },
    { "\"threads\": 2", "\"threads\": 2, \"code\": \"x\"" },
    { "\"threads\": 2, ", "" },
    { "1234567890abcdef", "1234567890ABCDEF" },
    { "1234567890abcdef", "12" },
    { "\"median\": 0.002", "\"median\": 1e300" },
    { "\"median\": 0.002", "\"median\": -1" },
    { "\"median\": 0.002", "\"median\": 1" },
    { "\"MR\": \"6\"", "\"MR\": 6" },
    { "\"MR\": \"6\"", "\"M\\nR\": \"6\"" },
    { "\"MR\": \"6\"", "\"MR=\": \"6\"" },
    { "\"MR\": \"6\"", "\"MR\": \"6\\u001b[2J\"" },
    { "[\"n\", 512]", "[\"n\", 512, 3]" },
    { "[\"n\", 512]", "[\"n\", 99999999999999999999]" },
    { "[\"n\", 512]", "7" },
    { "\"verified\": true", "\"verified\": 1" },
    { "Z\"", "\"" },
    { "\"tried\": 48", "\"tried\": 48, \"tried\": 49" },
  };
  struct wisdom_entry in = entry("512,3", 1790000000), out;
  char *line = wisdom_print(&in), why[200];
  (void)state;
  char *plain = edited(line, "gemm", "gemm");
  out = parse(plain); // a line without a sum is accepted
  free(out.block);
  free(plain);
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    char *bad = edited(line, edits[i][0], edits[i][1]);
    if (wisdom_parse(bad, strlen(bad), &out, why, sizeof why))
      fail_msg("taken: %s", bad);
    assert_null(out.block);
    free(bad);
  }
  *strstr(line, "\"6\"") = '\'';
  assert_false(wisdom_parse(line, strlen(line), &out, why, sizeof why));
  line[strcspn(line, "'")] = '"';
  *strstr(line, "64") = '5'; // the sum is wrong now
  assert_false(wisdom_parse(line, strlen(line), &out, why, sizeof why));
  assert_non_null(strstr(why, "sum"));
  for (size_t n = 0; n < strlen(line); n += 7)
    assert_false(wisdom_parse(line, n, &out, why, sizeof why));
  free(line);
}

static char *write_lines(const char *folder, const char *name,
                         const struct wisdom_entry *e, unsigned n) {
  char *path = sys_printf("%s/%s", folder, name);
  struct wisdom w = { 0 };
  for (unsigned i = 0; i < n; i++)
    assert_true(wisdom_add(&w, &e[i]));
  assert_int_equal(wisdom_write(&w, path), 0);
  wisdom_free(&w);
  return path;
}

static void count(void *data, const char *file, unsigned line, const char *what) {
  unsigned *lines = data;
  (void)file, (void)what;
  *lines = *lines * 10 + line;
}

static void test_bad_lines_are_told_and_left_out(void **state) {
  struct wisdom_entry two[] = { entry("512,3", 1e9), entry("64,3", 1e9) };
  char *path = write_lines(*state, "a.jsonl", two, 2);
  FILE *f = fopen(path, "a");
  fputs("\r\n<<<<<<< ours\n\n{}\n", f);
  fclose(f);
  struct wisdom w = { 0 };
  unsigned lines = 0;
  assert_int_equal(wisdom_read(&w, path, count, &lines), 0);
  assert_int_equal(w.n, 2);
  assert_int_equal(w.bad, 2);
  assert_int_equal(lines, 46);
  assert_int_equal(w.entries[1].line, 2);
  wisdom_sort(&w);
  assert_string_equal(w.entries[0].problem.key, "64,3"); // by number, not by digit
  wisdom_free(&w);
  lines = 0;
  assert_int_equal(wisdom_read(&w, "/nonexistent", count, &lines), -1);
  assert_int_equal(wisdom_read(&w, *state, count, &lines), -1); // a folder
  free(path);
}

static void test_the_better_one_of_the_same_is_left(void **state) {
  struct wisdom_entry e[] = { entry("512,3", 1e9), entry("512,3", 2e9),
                              entry("512,3", 3e9) };
  (void)state;
  e[1].summary.values = "MR=8\nNR=64\n";
  e[2].summary.verified = false;
  struct wisdom w = { 0 };
  for (unsigned i = 0; i < 3; i++)
    assert_true(wisdom_add(&w, &e[i]));
  wisdom_sort(&w);
  assert_int_equal(w.n, 1);
  assert_string_equal(w.entries[0].summary.values, "MR=8\nNR=64\n");
  wisdom_free(&w);
}

static struct wisdom list_of(const struct wisdom_entry *e, unsigned n) {
  struct wisdom w = { 0 };
  for (unsigned i = 0; i < n; i++)
    assert_true(wisdom_add(&w, &e[i]));
  wisdom_sort(&w);
  return w;
}

static void test_merging(void **state) {
  (void)state;
  struct wisdom_entry base[] = { entry("1,1", 1e9), entry("2,1", 1e9), entry("3,1", 1e9),
                                 entry("4,1", 1e9) };
  // Theirs removed 1, changed 2, left 3, changed 4 later than ours, and adds 6; ours adds
  // 5.
  struct wisdom_entry ours[] = { base[0], base[1], entry("3,1", 2e9), entry("4,1", 2e9),
                                 entry("5,1", 1e9) };
  struct wisdom_entry theirs[] = { entry("2,1", 5e8), base[2], entry("4,1", 3e9),
                                   entry("6,1", 1e9) };
  struct wisdom b = list_of(base, 4), o = list_of(ours, 5), t = list_of(theirs, 4), out,
                back;
  assert_true(wisdom_merge(&o, &t, &b, &out));
  assert_true(wisdom_merge(&t, &o, &b, &back));
  static const struct {
    const char *key;
    double when;
  } expected[] = {
    { "2,1", 5e8 }, { "3,1", 2e9 }, { "4,1", 3e9 }, { "5,1", 1e9 }, { "6,1", 1e9 },
  };
  assert_int_equal(out.n, 5);
  assert_int_equal(back.n, 5);
  for (unsigned i = 0; i < 5; i++) {
    assert_string_equal(out.entries[i].problem.key, expected[i].key);
    assert_true(out.entries[i].summary.when == expected[i].when);
    assert_string_equal(back.entries[i].problem.key, expected[i].key); // whoever merges
    assert_true(back.entries[i].summary.when == expected[i].when);
  }
  wisdom_drop(&back);
  wisdom_drop(&out);
  assert_true(wisdom_merge(&o, &t, NULL, &out)); // with no base nothing is removed
  assert_int_equal(out.n, 6);
  wisdom_drop(&out);
  wisdom_drop(&b);
  wisdom_drop(&o);
  wisdom_drop(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_line_comes_back),
    cmocka_unit_test(test_a_kernel_without_key_or_winner),
    cmocka_unit_test(test_inferred_sections_are_said),
    cmocka_unit_test(test_as_many_values_as_a_kernel_has_params),
    cmocka_unit_test(test_what_is_no_line),
    cmocka_unit_test_setup_teardown(test_bad_lines_are_told_and_left_out, folder_setup,
                                    folder_teardown),
    cmocka_unit_test(test_the_better_one_of_the_same_is_left),
    cmocka_unit_test(test_merging),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
