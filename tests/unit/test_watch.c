// SPDX-License-Identifier: Apache-2.0
// A tuned kernel that becomes slower while the program runs: its finalists race again,
// once, and the result replaces the old one. All variants read a variable that says how
// slow the machine is.
#include <pthread.h>
#include <time.h>

#include <sqlite3.h>

#include "tuned_fixture.h"

#define RUN(body, ...) \
  assert_int_equal(in_child(body, (const char *const[]){ SILENT, __VA_ARGS__, NULL }), 0)
#define SILENT "AUTOTUNE_LOG=error"
#define ONCE "AUTOTUNE_REVERIFY=off" // else calls are counted for that
#define QUICK "AUTOTUNE_DRIFT=0.8s"  // eight windows of 0.1 s

static volatile int drag;

static const char drag_text[] =
    "extern volatile int drag;\n"
    "void scale(int n, double f, const double *a, double *c) {\n"
    "  for (int k = 0; k <= drag; k++) {\n"
    "    for (int i = 0; i < n; i++) c[i] = f * a[i];\n"
    "    __asm__ volatile(\"\" ::: \"memory\");\n"
    "  }\n"
    "  static volatile int mark[U]; mark[0] = BAD;\n"
    "}\n"
    "void (*const autotune_entry)(int, double, const double *, double *) = scale;\n";
static const struct autotune_unit drag_units[] = { { "clang", drag_text, scale_flags } };
static const struct autotune_symbol drag_symbols[] = { { "drag", (const void *)&drag,
                                                         sizeof drag } };

static void dragged_default(int n, double f, const double *a, double *c) {
  for (int k = 0; k <= drag; k++)
    scale_default(n, f, a, c);
}

static void make_kernel(void) {
  scale_kernel.original = (autotune_fn)dragged_default;
  scale_kernel.units = drag_units;
  scale_kernel.symbols = drag_symbols;
  scale_kernel.n_symbols = 1;
}

static double monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool why_has(const char *words) {
  char *why = NULL;
  bool has = autotune_why("scale", NULL, &why) == AUTOTUNE_OK && strstr(why, words);
  free(why);
  return has;
}

// Calls for SECONDS, or until WORDS are the reason for the variant that runs. True: they
// are.
static bool call_until(const char *words, double seconds) {
  for (double end = monotonic() + seconds; monotonic() < end;) {
    EXPECT(scale_is_right(SCALE_N));
    if (words && why_has(words))
      return true;
  }
  return false;
}

// True if the store has WORDS as the reason why the last tuning ended.
static bool store_has(const char *words) {
  char path[64];
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  snprintf(path, sizeof path, "%s/results.db", fixture_folder);
  bool has = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(db, "SELECT why FROM winner", -1, &q, NULL) == SQLITE_OK &&
      sqlite3_step(q) == SQLITE_ROW &&
      strstr((const char *)sqlite3_column_text(q, 0), words);
  sqlite3_finalize(q);
  sqlite3_close(db);
  return has;
}

static void races_again(void) {
  make_kernel();
  EXPECT(scale_is_right(SCALE_N) && scale_why_has("tuned: "));
  EXPECT(scale_site.hot->watch > 0 && !store_has("raced again"));
  if (call_until("raced again", 2)) { // the normal time is learned
    puts("inconclusive: the machine itself has become slower");
    return;
  }
  drag = 3;
  EXPECT(call_until("raced again: ", 30));
  EXPECT(store_has("raced again: ") && scale_is_right(SCALE_N));
  EXPECT(scale_site.hot->code != scale_kernel.original &&
         autotune_wait(0) == AUTOTUNE_OK);
  const char *text = NULL;
  EXPECT(autotune_best("scale", NULL, "U", &text) == AUTOTUNE_OK);
  call_until(NULL, 1.5);
  drag = 15; // too soon for another race
  for (int i = 0; i < 20; i++) {
    call_until(NULL, 0.1);
    EXPECT(autotune_wait(0) == AUTOTUNE_OK);
  }
}

static void test_drift(void **state) {
  (void)state;
  RUN(races_again, QUICK);
}

static void *calls(void *data) {
  call_until(NULL, *(double *)data);
  return NULL;
}

static void two_threads(void) {
  double seconds = 1;
  pthread_t thread;
  make_kernel();
  EXPECT(scale_is_right(SCALE_N) && scale_site.hot->watch > 0);
  pthread_create(&thread, NULL, calls, &seconds);
  call_until(NULL, 1);
  pthread_join(thread, NULL);
  EXPECT(scale_site.hot->watch == 0);
}

static void not_watched(void) {
  make_kernel();
  EXPECT(scale_is_right(SCALE_N) && scale_is_right(SCALE_N));
  EXPECT(scale_site.hot && scale_site.hot->watch == 0);
}

static void test_not_watched(void **state) {
  (void)state;
  RUN(two_threads, QUICK, ONCE);
  RUN(not_watched, "AUTOTUNE_MODE=locked", ONCE); // with the result that was stored last
  RUN(not_watched, "AUTOTUNE_DRIFT=off", ONCE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_drift), TEST(test_not_watched) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
