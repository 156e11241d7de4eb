// SPDX-License-Identifier: Apache-2.0
// Tests the plans of a tuner other than a search: to check one variant, to race a few, to
// begin with some.
#include "base/base.h"
#include "call/session/session.h"
#include "keep/store/store.h"
#include "tuned_fixture.h"

#define RUN(body, ...) \
  assert_int_equal(in_child(body, (const char *const[]){ __VA_ARGS__, NULL }), 0)
#define SILENT "AUTOTUNE_LOG=error"

static struct outcome out;

static int run_plan(const struct plan *plan) {
  static double a[SCALE_N], c[SCALE_N];
  int n = SCALE_N;
  double f = 3, *pa = a, *pc = c;
  long long key[] = { n };
  void *args[] = { &n, &f, &pa, &pc };
  struct identity id = { .unit = 1,
                         .kernel = "scale",
                         .file = "scale.c",
                         .cpu = "cpu",
                         .isa = "isa",
                         .threads = 2,
                         .key = key,
                         .n_keys = 1,
                         .key_names = scale_keys };
  if (scale_params[0].n_values == 3)
    scale_params[1].n_values = 6;
  return session_run(&scale_kernel, &id, &(struct call){ .args = args, .key = key }, plan,
                     NULL, &out);
}

static int check(choice u, choice bad) {
  choice point[] = { u, bad };
  return run_plan(&(struct plan){ .kind = PLAN_CHECK, .points = point, .n_points = 1 });
}

static void checks(void) {
  EXPECT(check(1, 0) == 0 && out.winner && strstr(out.path, "objects"));
  EXPECT(strstr(out.why, "checked: U=2"));
  EXPECT(out.point[0] == 1 && out.point[1] == 0);
  EXPECT(check(0, 2) != 0 && !out.winner && strstr(out.why, "wrong"));
  EXPECT(check(0, 1) != 0 && !out.winner && strstr(out.why, "SIGSEGV"));
  EXPECT(check(0, 5) != 0 && !out.winner && strstr(out.why, "cannot be compiled"));
  EXPECT(run_plan(&(struct plan){ .kind = PLAN_CHECK }) != 0 && !out.winner);
}

static void test_check(void **state) {
  (void)state;
  RUN(checks, SILENT, "AUTOTUNE_BUDGET=5s");
}

// The time is over before the compiler has an answer.
static void checks_late(void) {
  EXPECT(check(1, 0) != 0 && !out.winner);
  EXPECT(strstr(out.why, "was not compiled in time"));
}

static void test_late_check(void **state) {
  (void)state;
  RUN(checks_late, SILENT, "AUTOTUNE_BUDGET=0.000001s");
}

// Returns how many variants the outcome says were tried.
static unsigned tried(void) {
  const char *in = strstr(out.why, " in ");
  return in ? (unsigned)atoi(in + 4) : 0;
}

static void races(void) {
  choice points[] = { 2, 0, 0, 2, 1, 0 };
  for (int i = 0; i < 2; i++) { // the second time everything is known, and measured again
    EXPECT(run_plan(&(struct plan){
               .kind = PLAN_RACE, .points = points, .n_points = 3 }) == 0);
    EXPECT(out.winner && out.point[1] == 0 && out.point[0] != 0 && tried() == 3);
  }
}

static void test_race(void **state) {
  (void)state;
  RUN(races, SILENT, "AUTOTUNE_BUDGET=5s");
}

static void begins(void) {
  choice points[] = { 2, 0 };
  EXPECT(run_plan(&(struct plan){
             .kind = PLAN_SEARCH, .points = points, .n_points = 1 }) == 0);
  EXPECT(out.winner && out.point[0] == 2 && out.point[1] == 0 && tried() == 1);
}

static void all_once(void) {
  choice points[] = { 2, 0, 1, 3 };
  EXPECT(run_plan(&(struct plan){
             .kind = PLAN_SEARCH, .points = points, .n_points = 2 }) == 0);
  EXPECT(out.winner && tried() == 18);
}

static void test_given_points(void **state) {
  (void)state;
  RUN(begins, SILENT, "AUTOTUNE_BUDGET=5s,1");
  drop_folder(NULL);
  make_folder(NULL);
  RUN(all_once, SILENT, "AUTOTUNE_BUDGET=30s");
}

// Forty variants take the same time: a search that learns soon expects no improvement.
static void expects_little(void) {
  static struct autotune_value same[40];
  static char texts[40][4];
  for (int i = 0; i < 40; i++) {
    snprintf(texts[i], sizeof texts[i], "%d", i + 1);
    same[i] = (struct autotune_value){ texts[i], texts[i], i + 1, i + 1 };
  }
  scale_params[0].values = same;
  scale_params[0].n_values = scale_params[0].original = 40;
  EXPECT(run_plan(&(struct plan){ .kind = PLAN_SEARCH, .until.gain = 0.5 }) == 0);
  EXPECT(out.winner && tried() >= 16 && tried() < 40);
}

static void test_until(void **state) {
  (void)state;
  RUN(expects_little, SILENT, "AUTOTUNE_SEARCH=model", "AUTOTUNE_BUDGET=40s,40");
}

// A body from outside wins, and takes part in the race after a slowdown.
static void races_with_body(void) {
  static struct autotune_unit unit;
  unit = scale_units[0];
  unit.text = "void scale(int n, double f, const double *a, double *c)\n{\n"
              "  for (int again = 0; again < 10 * U; again++)\n"
              "    for (volatile int i = 0; i < n; i++) c[i] = f * a[i] + BAD;\n}\n"
              "#line 1 \"<autotune>\"\n"
              "__typeof__(scale) *const autotune_entry = scale;\n";
  scale_kernel.units = &unit;
  EXPECT(run_plan(&(struct plan){ .kind = PLAN_SEARCH }) == 0);
  EXPECT(out.winner && out.body && tried() == 1);
  uint64_t body = out.body, variant = out.variant;
  choice points[] = { 0, 0 };
  EXPECT(run_plan(&(struct plan){ .kind = PLAN_RACE, .points = points, .n_points = 1 }) ==
         0);
  EXPECT(out.winner && out.body == body && out.variant == variant && tried() == 2);
}

static void test_race_with_body(void **state) {
  (void)state;
  RUN(races_with_body, SILENT, "AUTOTUNE_BUDGET=5s",
      "AUTOTUNE_SEARCH=extern:echo '{\"body\": \"{ for (int i = 0; i < n; i++) "
      "c[i] = f * a[i]; }\", \"point\": {\"U\": 1, \"BAD\": 0}}'; "
      "echo '{\"end\": true}'");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_check), TEST(test_race),       TEST(test_given_points),
    TEST(test_until), TEST(test_late_check), TEST(test_race_with_body)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
