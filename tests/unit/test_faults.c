// SPDX-License-Identifier: Apache-2.0
// If any call of ours fails, the program still gets the right answer (RELIABILITY V5):
// the n-th call of each kind fails, once and for ever, n = 1, 2, …, in four programs:
// without sections, with them, with a stored winner, and tuned in the background.
// AUTOTUNE_TEST_FAULTS=N goes up to N instead of the first few.
#include <errno.h>

#include "tuned_fixture.h"

static void once(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
  autotune_site_close(&scale_site);
}

static void with_all_statuses(void) {
  scale_params[1].n_values = 4;
  once();
}

static void background(void) {
  setenv("AUTOTUNE_MODE", "background", 1);
  EXPECT(scale_is_right(SCALE_N) && scale_is_right(SCALE_N));
  EXPECT(autotune_wait(40) == AUTOTUNE_OK);
  once();
}

static void describe_nothing(void *const *args, struct autotune_call *call) {
  (void)args, (void)call;
}

static void without_sections(void) {
  scale_kernel.n_sections = 0;
  scale_kernel.describe = describe_nothing;
  once();
}

static const char *const points[] = { "malloc", "open", "write",  "fsync",
                                      "rename", "fork", "thread", "sqlite",
                                      "jit",    "mmap", "pipe" };

static void inject(void (*program)(void), bool fresh, const char *fault) {
  char variable[64];
  if (fresh) {
    remove_folder();
    assert_int_equal(make_folder(NULL), 0);
  }
  snprintf(variable, sizeof variable, "AUTOTUNE_FAULT=%s", fault);
  int status = in_child(program,
                        (const char *const[]){ variable, "AUTOTUNE_BUDGET=0.3s,6",
                                               "AUTOTUNE_LOG=error", NULL });
  if (status != 0)
    fail_msg("%s: status 0x%x", fault, status);
}

static void each_fault(void (*program)(void), bool fresh, unsigned most) {
  const char *asked = getenv("AUTOTUNE_TEST_FAULTS");
  char fault[32];
  if (asked)
    most = (unsigned)atoi(asked);
  for (size_t p = 0; p < sizeof points / sizeof *points; p++)
    for (unsigned n = 1; n <= most; n++) {
      snprintf(fault, sizeof fault, "%s:%u", points[p], n);
      inject(program, fresh, fault);
      snprintf(fault, sizeof fault, "%s:%u+", points[p], n);
      inject(program, fresh, fault);
    }
}

static void test_sections(void **state) {
  (void)state;
  each_fault(with_all_statuses, true, 3);
}

static void test_no_sections(void **state) {
  (void)state;
  each_fault(without_sections, true, 1);
}

static void test_stored(void **state) {
  (void)state;
  assert_int_equal(in_child(once, (const char *const[]){ "AUTOTUNE_LOG=error", NULL }),
                   0);
  each_fault(once, false, 3);
}

static void test_background(void **state) {
  (void)state;
  each_fault(background, true, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_sections), TEST(test_no_sections),
                                      TEST(test_background), TEST(test_stored) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
