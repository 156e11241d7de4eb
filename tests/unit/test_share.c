// SPDX-License-Identifier: Apache-2.0
// Tunings that help each other: a new key begins with what was found for a near one, and
// two processes at the same problem share it.
#include <poll.h>
#include <time.h>

#include <sqlite3.h>

#include "tune/tune.h"
#include "tuned_fixture.h"

#define RUN(body, ...) \
  assert_int_equal(in_child(body, (const char *const[]){ __VA_ARGS__, NULL }), 0)
#define SILENT "AUTOTUNE_LOG=error"

// ---- a space of 64 variants, none of which is another's code ------------------------

enum { VARIANTS = 64 };

static void many_variants(void) {
  static struct autotune_value values[VARIANTS];
  static char texts[VARIANTS][4];
  for (int i = 0; i < VARIANTS; i++) {
    snprintf(texts[i], sizeof texts[i], "%d", i + 1);
    values[i] = (struct autotune_value){ texts[i], texts[i], i + 1, i + 1 };
  }
  scale_params[0].values = values;
  scale_params[0].n_values = VARIANTS;
  scale_params[0].original = VARIANTS;
}

// ---- what the log says --------------------------------------------------------------

static struct {
  unsigned timed, hinted, first_hinted, learnt;
} seen;

static void count(enum autotune_level level, const char *message, void *data) {
  (void)level, (void)data;
  const char *learns = strstr(message, " learns from ");
  if (learns && strstr(learns, " variants of n = "))
    seen.learnt = (unsigned)atoi(learns + strlen(" learns from "));
  if (!strstr(message, " samples)"))
    return;
  bool hinted = strstr(message, "  from ") != NULL;
  seen.hinted += hinted;
  seen.first_hinted += hinted && seen.timed < 4;
  seen.timed++;
}

// ---- near keys ----------------------------------------------------------------------

static void tune_one(void) {
  many_variants();
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void tune_near(void) {
  many_variants();
  autotune_set_log(count, NULL);
  EXPECT(scale_is_right(SCALE_N + SCALE_N / 4));
  EXPECT(scale_why_has("tuned: "));
  EXPECT(seen.hinted >= 1 && seen.first_hinted == (seen.hinted < 4 ? seen.hinted : 4));
  EXPECT(seen.learnt >= 8);
}

// Another kernel whose text has another shape.
static void another_kernel(void) {
  static const struct autotune_unit units[] = {
    { "clang",
      "void other(int n, double f, const double *a, double *c) {\n"
      "  for (int i = n - 1; i >= 0; i--) c[i] = f * a[i];\n"
      "  static volatile int mark[U]; mark[0] = 1;\n}\n"
      "void (*const autotune_entry)(int, double, const double *, double *) = other;\n",
      scale_flags }
  };
  scale_kernel.name = "other";
  scale_kernel.units = units;
  many_variants();
  autotune_set_log(count, NULL);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(seen.timed > 0);
}

static void tune_a_stranger(void) {
  another_kernel();
  EXPECT(seen.hinted == 0);
}

static void tune_family(void) {
  scale_kernel.family = "streams";
  tune_one();
}

static void tune_a_cousin(void) {
  scale_kernel.family = "streams";
  another_kernel();
  EXPECT(seen.hinted >= 1);
}

static void tune_renamed(void) {
  static const struct autotune_unit units[] = { { "clang", scale_text, scale_flags } };
  scale_kernel.name = "copy";
  scale_kernel.units = units;
  many_variants();
  autotune_set_log(count, NULL);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(seen.hinted >= 1);
}

#define FEW "AUTOTUNE_BUDGET=20s,12", "AUTOTUNE_LOG=debug", "AUTOTUNE_SEARCH=random"

static void test_a_near_key_comes_first(void **state) {
  (void)state;
  RUN(tune_one, SILENT, "AUTOTUNE_BUDGET=20s,12");
  RUN(tune_near, FEW, "AUTOTUNE_SEARCH=model");
}

static void test_kernels_alike_help(void **state) {
  (void)state;
  RUN(tune_family, SILENT, "AUTOTUNE_BUDGET=20s,12");
  RUN(tune_a_stranger, FEW);
  RUN(tune_renamed, FEW);
}

static void test_a_family_helps(void **state) {
  (void)state;
  RUN(tune_family, SILENT, "AUTOTUNE_BUDGET=20s,12");
  RUN(tune_a_cousin, FEW);
}

// ---- what is borrowed ---------------------------------------------------------------

// One variant, which is right if 32 divides n.
static void divides(void) {
  static const char text[] =
      "void scale(int n, double f, const double *a, double *c) {\n"
      "  for (int i = 0; i < n / U * U; i++) c[i] = f * a[i];\n}\n"
      "void (*const autotune_entry)(int, double, const double *, double *) = scale;\n";
  static const struct autotune_value values[] = { { "32", "32", 32, 32 } };
  static const struct autotune_unit units[] = { { "clang", text, scale_flags } };
  scale_kernel.units = units;
  scale_params[0].values = values;
  scale_params[0].n_values = 1;
  scale_params[0].original = 1;
}

static void tune_divided(void) {
  divides();
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void provisional_near(void) {
  divides();
  EXPECT(scale_is_right(SCALE_N + 3200));
  EXPECT(scale_why_has("borrowed from n = 20000"));
  EXPECT(scale_is_right(SCALE_N + 3200));
  EXPECT(scale_is_right(SCALE_N * 5)); // too far away
  EXPECT(scale_why_has("default: "));
  EXPECT(scale_is_right(SCALE_N + 1)); // the winner would be wrong
  EXPECT(scale_why_has("default: "));
}

static void tune_provisional(void) {
  divides();
  EXPECT(scale_is_right(SCALE_N + 3200));
  EXPECT(scale_why_has("tuned: "));
}

static void test_locked_borrows_what_is_right(void **state) {
  (void)state;
  RUN(tune_divided, SILENT, "AUTOTUNE_BUDGET=20s");
  RUN(provisional_near, SILENT, "AUTOTUNE_MODE=locked");
  RUN(provisional_near, SILENT, "AUTOTUNE_MODE=offline");
  RUN(provisional_near, SILENT, "AUTOTUNE_MODE=locked",
      "AUTOTUNE_JIT=/nowhere"); // the winner was checked and kept
  RUN(tune_provisional, SILENT,
      "AUTOTUNE_BUDGET=20s"); // but it is not the result of a tuning
}

static bool key_why_has(long long n, const char *words) {
  char *why = NULL;
  bool has = autotune_why("scale", &n, &why) == AUTOTUNE_OK && strstr(why, words);
  free(why);
  return has;
}

// Calls until WORDS are the reason for the variant that runs; at most two minutes.
static bool comes_to(int n, const char *words) {
  for (int i = 0; i < 12000; i++) {
    if (!scale_is_right(n))
      return false;
    if (key_why_has(n, words))
      return true;
    nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000 * 1000 }, NULL);
  }
  return false;
}

static void provisional_meanwhile(void) {
  many_variants();
  EXPECT(comes_to(SCALE_N + 3200, "borrowed from n = 20000 until it is tuned"));
  EXPECT(comes_to(SCALE_N + 3200, "tuned: "));
}

static void borrowed_at_once(void) {
  const long long n = SCALE_N + 6400;
  char *why = NULL;
  many_variants();
  EXPECT(scale_is_right((int)n));
  EXPECT(autotune_why("scale", &n, &why) == AUTOTUNE_OK);
  bool has = strstr(why, "borrowed from n = ") ||
      strstr(why, "tuned: "); // the tuner may have finished before the end
  if (!has)
    print_error("%s\n", why);
  free(why);
  EXPECT(has);
}

static void lends_and_is_gone(void) { // before the tuning ends
  many_variants();
  EXPECT(comes_to(SCALE_N + 6400, "borrowed from n = "));
}

static void never_wrong_meanwhile(void) {
  divides();
  EXPECT(comes_to(SCALE_N + 1, "the only variant tried was not right"));
}

static void test_background_borrows_meanwhile(void **state) {
  (void)state;
  RUN(tune_one, SILENT, "AUTOTUNE_BUDGET=20s,12");
  RUN(provisional_meanwhile, SILENT, "AUTOTUNE_MODE=background",
      "AUTOTUNE_BUDGET=20s,24");
  RUN(lends_and_is_gone, SILENT, "AUTOTUNE_MODE=background", "AUTOTUNE_BUDGET=20s");
  RUN(borrowed_at_once, SILENT, "AUTOTUNE_MODE=background", "AUTOTUNE_BUDGET=20s");
  remove_folder();
  make_folder(NULL);
  RUN(tune_divided, SILENT, "AUTOTUNE_BUDGET=20s");
  RUN(never_wrong_meanwhile, SILENT, "AUTOTUNE_MODE=background", "AUTOTUNE_BUDGET=20s");
}

// A tuning that ends with the program, long before all variants were tried.
static void leads_and_is_gone(void) {
  many_variants();
  EXPECT(
      comes_to(SCALE_N, "borrowed from its own unfinished tuning until it is tuned: "));
}

static void leads_at_once(void) {
  many_variants();
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(key_why_has(SCALE_N, "borrowed from its own unfinished tuning until"));
  EXPECT(scale_is_right(SCALE_N));
}

static void leads_no_more(void) {
  many_variants();
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

#define FRACTION SILENT, "AUTOTUNE_MODE=background", "AUTOTUNE_BUDGET=50%,60s"

// What was raced and won in a run is there in the next, although the search goes on.
static void test_unfinished_tuning_leaves_its_best(void **state) {
  (void)state;
  RUN(leads_and_is_gone, FRACTION);
  RUN(leads_at_once, FRACTION);
  RUN(leads_no_more, SILENT, "AUTOTUNE_BUDGET=20s,12");
}

// ---- two processes ------------------------------------------------------------------

// Returns the number of variants with a time.
static int stored(void) {
  char path[64];
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  snprintf(path, sizeof path, "%s/results.db", fixture_folder);
  int n = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
          sqlite3_prepare_v2(
              db, "SELECT count(*) FROM variant WHERE fate = 0 AND length(samples) > 0",
              -1, &q, NULL) ||
          sqlite3_step(q) != SQLITE_ROW
      ? -1
      : sqlite3_column_int(q, 0);
  sqlite3_finalize(q);
  sqlite3_close(db);
  return n;
}

static void tune_together(void) {
  int pipes[2];
  unsigned timed[2] = { 0 };
  EXPECT(pipe(pipes) == 0);
  for (int i = 0; i < 2; i++)
    if (fork() == 0) {
      many_variants();
      autotune_set_log(count, NULL);
      bool fine = scale_is_right(SCALE_N) && scale_why_has("tuned: ");
      EXPECT(fine &&
             write(pipes[1], &seen.timed, sizeof seen.timed) == sizeof seen.timed);
      _exit(0);
    }
  for (int i = 0; i < 2; i++) {
    struct pollfd ready = { pipes[0], POLLIN, 0 };
    EXPECT(poll(&ready, 1, 60000) == 1);
    EXPECT(read(pipes[0], &timed[i], sizeof timed[i]) == sizeof timed[i]);
  }
  int all = stored();
  fprintf(stderr, "%u and %u variants were timed, %d are known\n", timed[0], timed[1],
          all);
  EXPECT(all >= VARIANTS * 9 / 10);
  EXPECT(timed[0] > 0 && timed[1] > 0); // both have worked …
  EXPECT(timed[0] + timed[1] <=
         (unsigned)all + VARIANTS / 10); // … and seldom at the same variant
}

static void join(void) {
  const long long key[] = { 5 }, another_key[] = { 6 };
  const struct identity id = {
    .unit = 0x1234567890abcdefu, .threads = 1, .key = key, .n_keys = 1
  };
  struct identity threads = id, other = id;
  threads.threads = 2;
  other.key = another_key;
  EXPECT(share_join(&id) == 0 && share_join(&threads) == 0 && share_join(&other) == 0);
  EXPECT(share_join(&id) == 1 && share_join(&threads) == 1);
}

// Only processes that tune the same problem search in another order.
static void test_ranks(void **state) {
  (void)state;
  RUN(join, SILENT);
}

static void test_two_processes_share(void **state) {
  (void)state;
  RUN(tune_together, "AUTOTUNE_LOG=debug", "AUTOTUNE_BUDGET=30s",
      "AUTOTUNE_SEARCH=random");
}

static void test_a_small_space_is_shared(void **state) {
  (void)state;
  RUN(tune_together, "AUTOTUNE_LOG=debug", "AUTOTUNE_BUDGET=30s",
      "AUTOTUNE_SEARCH=exhaustive");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_a_near_key_comes_first),
                                      TEST(test_kernels_alike_help),
                                      TEST(test_a_family_helps),
                                      TEST(test_locked_borrows_what_is_right),
                                      TEST(test_background_borrows_meanwhile),
                                      TEST(test_unfinished_tuning_leaves_its_best),
                                      TEST(test_ranks),
                                      TEST(test_two_processes_share),
                                      TEST(test_a_small_space_is_shared) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
