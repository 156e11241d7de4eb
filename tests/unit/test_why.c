// SPDX-License-Identifier: Apache-2.0
// autotune why: what would run, and how many of the other results still hold.
#include "model/value.h"
#include "tools/export/export.h"
#include "tools/why/why.h"
#include "store_fixture.h"

// 61 variants of gcc and 3 of clang 22.1.7, with MR from 0 on.
static void fill(const char *folder) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  struct store *s = open_store(folder);
  for (unsigned i = 0; i < 64; i++) {
    struct record r = fixture_record(i + 1, (double[]){ 1, 2, 3 }, 3);
    char values[32];
    snprintf(values, sizeof values, "MR=%u\nNR=64\n", i);
    r.values = values;
    r.compiler = i < 61 ? "gcc (Debian) 12.2.0" : "clang 22.1.7";
    assert_int_equal(store_finish(s, &id, &r), 0);
  }
  struct record failed = fixture_record(100, NULL, 0);
  failed.status = STATUS_CRASH;
  assert_int_equal(store_finish(s, &id, &failed), 0);
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
}

static void expect(const char *folder, const struct why_options *o, const char *text) {
  char *out = NULL;
  size_t size;
  FILE *f = open_memstream(&out, &size);
  struct why_options all = *o;
  all.folder = folder;
  all.kernel = "gemm";
  assert_int_equal(why_print(&all, f), 0);
  fclose(f);
  if (!strstr(out, text))
    fail_msg("expected '%s' in:\n%s", text, out);
  free(out);
}

#define HERE \
  .cpu = "Test CPU 1", .isa = "x86-64-v3 1", .threads = 2, .toolchain = "clang 22.1.7"

static void test_what_runs(void **state) {
  fill(*state);
  expect(*state, &(struct why_options){ HERE },
         "MR=6  NR=64: 2.000 ms, 5.00 x over the default; found ");
}

static void test_another_compiler(void **state) {
  fill(*state);
  struct why_options o = { HERE };
  o.toolchain = "clang 22.1.8";
  expect(*state, &o,
         "compiler clang 22.1.7 → clang 22.1.8; 61 of 64 timings still hold\n");
}

static void test_control_characters_of_rows(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  struct store *s = open_store(*state);
  id.toolchain = "clang\033[31m 1";
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  expect(*state, &(struct why_options){ HERE }, "tuned again: compiler clang");
  char *out = NULL;
  size_t size;
  struct why_options o = { HERE, .folder = *state, .kernel = "gemm" };
  FILE *f = open_memstream(&out, &size);
  assert_int_equal(why_print(&o, f), 0);
  fclose(f);
  assert_null(strchr(out, '\033'));
  free(out);
}

static void test_another_machine(void **state) {
  fill(*state);
  struct why_options o = { HERE };
  o.threads = 4;
  expect(*state, &o, "until it is tuned: threads 2 → 4\n");
  o.cpu = "Test CPU 2";
  expect(*state, &o,
         "until it is tuned: machine Test CPU 1 → Test CPU 2; threads 2 → 4\n");
}

static void test_another_key(void **state) {
  fill(*state);
  struct why_options o = { HERE, .folder = *state, .kernel = "gemm", .key = "n=512,m=4" };
  FILE *null = fopen("/dev/null", "w");
  assert_int_equal(why_print(&o, null), 1);
  o.key = "m=3,n=512";
  assert_int_equal(why_print(&o, null), 0);
  fclose(null);
}

// The winner of another key runs, and the text says so; a tuning that was cut off has no
// answer.
static void test_borrowed(void **state) {
  struct identity id = fixture_identity();
  struct record r = fixture_record(1, (double[]){ 1, 2, 3 }, 3);
  struct summary m = fixture_summary();
  struct store *s = open_store(*state);
  assert_int_equal(store_finish(s, &id, &r), 0);
  expect(
      *state, &(struct why_options){ HERE },
      "the default, until it is tuned: its tuning did not come to its end; 1 variant tried so far\n");
  m.source = "borrowed from n = 256";
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  expect(*state, &(struct why_options){ HERE },
         "MR=6  NR=64; borrowed from n = 256 until it is tuned\n");
}

// A kernel that was called and not tuned is known, with the reason.
static void test_refused(void **state) {
  static const struct autotune_kernel kernel = { .name = "gemm" };
  struct identity id = fixture_identity();
  struct store *s = open_store(*state);
  const char *why = refusal_words[REFUSED_REGION].text;
  assert_int_equal(store_asked(s, &id, &kernel, REFUSED_REGION, why, NULL), 0);
  expect(*state, &(struct why_options){ HERE },
         "the default, until it is tuned: never tuned for this key\n"
         "      its last call ran the default: called inside a parallel region of gcc's "
         "OpenMP runtime, while variants use LLVM's\n");
  store_close(s);
}

// Of keys that were only called, the first eight are shown, unless one is asked for.
static void test_many_untried(void **state) {
  static const struct autotune_kernel kernel = { .name = "gemm" };
  struct identity id = fixture_identity();
  struct store *s = open_store(*state);
  fill(*state);
  for (long long n = 1; n <= 11; n++) {
    long long key[] = { n, 1000 };
    id.key = key;
    assert_int_equal(store_asked(s, &id, &kernel, REFUSED_REGION, "", NULL), 0);
  }
  struct why_options o = { HERE };
  expect(*state, &o, "MR=6  NR=64: 2.000 ms");
  expect(*state, &o,
         "\n  … and 3 more keys, never tuned; for one: autotune why gemm --key …\n");
  o.key = "n=11,m=1000";
  expect(*state, &o, "the default, until it is tuned: never tuned for this key");
  store_close(s);
}

// A kernel of the same name in another file is another kernel; the same file in another
// folder is the same.
static void test_two_files(void **state) {
  fill(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  struct store *s = open_store(*state);
  id.unit++;
  id.file = "old/gemm.c";
  assert_int_equal(store_summary(s, &id, &m), 0);
  expect(*state, &(struct why_options){ HERE },
         "gemm on Test CPU 1, 2 threads, clang 22.1.7\n  n = ");
  id.unit++;
  id.file = "small.c";
  m.values = "MR=1\nNR=1\n";
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  expect(*state, &(struct why_options){ HERE },
         "gemm (gemm.c) on Test CPU 1, 2 threads, clang 22.1.7\n");
  expect(*state, &(struct why_options){ HERE },
         "MR=6  NR=64: 2.000 ms, 5.00 x over the default; found ");
  expect(*state, &(struct why_options){ HERE },
         "gemm (small.c) on Test CPU 1, 2 threads, clang 22.1.7\n");
  expect(*state, &(struct why_options){ HERE },
         "MR=1  NR=1: 2.000 ms, 5.00 x over the default; found ");
}

static void test_misspelt(void **state) {
  fill(*state);
  struct why_options o = { HERE, .folder = *state, .kernel = "gem" };
  char *out = NULL;
  size_t size;
  FILE *f = open_memstream(&out, &size);
  assert_int_equal(why_print(&o, f), 1);
  fclose(f);
  assert_string_equal(out, "gem: nothing is known of it; did you mean 'gemm'?\n");
  free(out);
}

static void test_offers(void **state) {
  (void)state;
  static const char params[] =
      "MR\tint\t-1\t0\t4\t6\ntile@12.1\tchoice\t-1\t0\tno\tyes\nflags\tflags\t-1\t0\t\t-O2\n";
  assert_true(offered_all(params, "MR=6\nflags=-O2\ntile@12.1=yes\n"));
  assert_true(
      offered_all(params, "MR=6\nflags=\ntile@40.1=no\n")); // the line moved; no flags
  assert_false(offered_all(params, "MR=8\nflags=\ntile@12.1=no\n"));
  assert_false(offered_all(params, "MR=6\nflags=\n"));
  assert_false(offered_all(params, "MR=6\nNR=6\nflags=\ntile@12.1=no\n"));
  assert_false(offered_all(params, "MR=int\nflags=\ntile@12.1=no\n"));
  assert_false(offered_all(params, "MR\nflags\ntile\n"));
  assert_false(offered_all("", "MR=6\n"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_refused, folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_what_runs, folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_another_compiler, folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_control_characters_of_rows, folder_setup,
                                    folder_teardown),
    cmocka_unit_test_setup_teardown(test_another_machine, folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_another_key, folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_borrowed, folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_many_untried, folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_two_files, folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_misspelt, folder_setup, folder_teardown),
    cmocka_unit_test(test_offers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
