// SPDX-License-Identifier: Apache-2.0
// Which results of a store are stale: of an older text, or of another compiler.
#include "model/identity.h"
#include "store_fixture.h"

enum { OLD = 1, NEW = 2 }; // texts

// Stores a tuning of TEXT for the key N in FILE that ended at WHEN.
static void put(struct store *s, uint64_t text, const char *file, long long n,
                double when) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  id.unit = text;
  id.file = file;
  id.key = (long long[]){ n, 3 };
  m.when = when;
  assert_int_equal(store_summary(s, &id, &m), 0);
}

// Expects the results of the store, in their order: "NEW 512; OLD 512: the kernel was
// changed".
static void expect_list(struct store *s, const char *expected) {
  struct listing l;
  char text[1024] = "";
  unsigned stale = 0;
  assert_int_equal(store_list(s, NULL, &l), 0);
  for (unsigned i = 0; i < l.n; i++) {
    const struct listed *item = &l.items[i];
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%s%s %.*s%s%s", i ? "; " : "",
             item->problem.unit == OLD ? "OLD" : "NEW",
             (int)strcspn(item->problem.key, ","), item->problem.key,
             item->stale ? ": " : "", stale_words[item->stale]);
    stale += item->stale != STALE_NOT;
  }
  assert_string_equal(text, expected);
  assert_int_equal(l.n_stale, stale);
  store_list_free(&l);
}

static void test_another_text_since(void **state) {
  struct store *s = open_store(*state);
  put(s, OLD, "gemm.c", 512, 100);
  put(s, OLD, "gemm.c", 1024, 150);
  expect_list(s, "OLD 512; OLD 1024");
  put(s, NEW, "/elsewhere/gemm.c", 1024, 200);
  expect_list(s,
              "NEW 1024; OLD 512: the kernel was changed; OLD 1024: the kernel was "
              "changed");
  store_close(s);
}

// Another machine that shares the folder may have a build of its own.
static void test_another_machine(void **state) {
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  put(s, OLD, "gemm.c", 512, 100);
  id.unit = NEW;
  id.file = "gemm.c";
  id.cpu = "another processor";
  m.when = 200;
  assert_int_equal(store_summary(s, &id, &m), 0);
  struct listing l;
  assert_int_equal(store_list(s, NULL, &l), 0);
  assert_int_equal(l.n, 2);
  assert_int_equal(l.n_stale, 0);
  store_list_free(&l);
  store_close(s);
}

static void test_texts_that_take_turns(void **state) {
  struct store *s = open_store(*state);
  put(s, OLD, "gemm.c", 512, 100);
  put(s, NEW, "gemm.c", 512, 200);
  put(s, OLD, "gemm.c", 1024, 300);
  put(s, NEW, "gemm.c", 2048, 400);
  struct listing l;
  assert_int_equal(store_list(s, NULL, &l), 0);
  assert_int_equal(l.n_stale, 0);
  store_list_free(&l);
  store_close(s);
}

static void test_namesakes_are_no_texts(void **state) {
  struct store *s = open_store(*state);
  put(s, OLD, "gemm.c", 512, 100);
  put(s, NEW, "sort.c", 1024, 200);
  expect_list(s, "OLD 512; NEW 1024");
  store_close(s);
}

// A winner that was checked again in a program's call is in use.
static void test_what_is_in_use(void **state) {
  struct store *s = open_store(*state);
  struct identity id = fixture_identity();
  id.unit = OLD;
  id.key = (long long[]){ 512, 3 };
  put(s, OLD, "gemm.c", 512, 100);
  put(s, NEW, "gemm.c", 1024, 200);
  expect_list(s, "NEW 1024; OLD 512: the kernel was changed");
  struct service v = { .variant = 7, .values = "MR=6\n", .looks = 1, .why = "" };
  assert_int_equal(store_served(s, &id, &v), 0);
  expect_list(s, "OLD 512; NEW 1024");
  store_close(s);
}

static void test_another_compiler(void **state) {
  struct store *s = open_store(*state);
  const struct machine *here = machine_identity();
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  id.unit = NEW;
  id.device = DEVICE_PROCESSOR;
  assert_int_equal(store_summary(s, &id, &m), 0);
  expect_list(s, "NEW 512"); // of another machine, whose compiler is not known
  id.cpu = here->cpu, id.isa = here->isa;
  id.key = (long long[]){ 1024, 3 };
  id.toolchain = identity_toolchain();
  assert_int_equal(store_summary(s, &id, &m), 0);
  id.key = (long long[]){ 2048, 3 };
  id.toolchain = "clang 1.0";
  assert_int_equal(store_summary(s, &id, &m), 0);
  struct listing l;
  assert_int_equal(store_list(s, NULL, &l), 0);
  assert_int_equal(l.n_stale, 1);
  assert_int_equal(l.items[2].stale, STALE_COMPILER);
  assert_string_equal(l.items[2].problem.key, "2048,3");
  store_list_free(&l);
  store_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_another_text_since),    TEST(test_another_machine),
    TEST(test_texts_that_take_turns), TEST(test_namesakes_are_no_texts),
    TEST(test_what_is_in_use),        TEST(test_another_compiler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
