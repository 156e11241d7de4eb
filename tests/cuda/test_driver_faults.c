// SPDX-License-Identifier: Apache-2.0
// test_driver_faults.c: each function of the driver and of NVRTC that can fail is made to
// fail, in the program, the tuner and the helper. The program goes on, nothing is left
// over, and where its context is still good the answer is right.
#include "device_fixture.h"

#include <dirent.h>
#include <errno.h>

static unsigned descriptors(void) {
  DIR *d = opendir("/proc/self/fd");
  unsigned n = 0;
  while (d && readdir(d))
    n++;
  if (d)
    closedir(d);
  return n;
}

// The default's own launch may fail: then the program gets the error, which is not tested
// here.
static bool launch(struct add_memory *m) {
  struct autotune_launch asked = {
    { (ADD_N + 127) / 128, 1, 1 }, { 128, 1, 1 }, 0, NULL
  };
  long long key[] = { ADD_N, 0 };
  int n = ADD_N;
  float f = 3;
  void *args[] = { &n, &f, &m->a, &m->c };
  int rc = autotune_launch_kernel(&add_site, key, args, &asked);
  return rc == 0 || (rc == AUTOTUNE_LAUNCH_DEFAULT && add_launch(&asked, args) == 0);
}

static void expect_nothing_left(unsigned before) {
  int status;
  EXPECT(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
  EXPECT(descriptors() <= before + 1); // CUDA itself opens one when it first compares
}

static void body(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const struct gpu_api *api = gpu_api_get(NULL);
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  unsigned before = descriptors();
  int good = 0;
  for (int i = 0; i < 3; i++)
    good += launch(&m);
  if (api->context_synchronize() == 0 &&
      api->copy_to_host(m.host, m.c, ADD_N * sizeof(float), NULL) == 0 &&
      api->context_synchronize() == 0)
    EXPECT(add_holds(&m, good));
  for (int i = 0; i < 200 && waitpid(-1, NULL, WNOHANG) == 0; i++)
    usleep(10000); // a helper may be about to end
  expect_nothing_left(before);
}

// FIRST: the first call that is made to fail; the fixture itself needs the calls before
// it.
static void play(const char *what, unsigned first) {
  static const unsigned more[] = { 0, 1, 3 };
  for (size_t i = 0; i < 2 * sizeof more / sizeof *more; i++) {
    char setting[96];
    snprintf(setting, sizeof setting, "AUTOTUNE_EMULATE=timeout=1,fault=%s:%u%s", what,
             first + more[i / 2], i % 2 ? "+" : "");
    const char *env[] = { setting, "AUTOTUNE_BUDGET=1s,3", "AUTOTUNE_LOG=error",
                          "AUTOTUNE_CACHE=off", NULL };
    int status = in_child(body, env);
    if (status != 0)
      fprintf(stderr, "%s: status 0x%x\n", setting, (unsigned)status);
    assert_int_equal(status, 0);
  }
}

#define TEST(name, first)                 \
  static void test_##name(void **state) { \
    (void)state;                          \
    play(#name, first);                   \
  }
TEST(illegal, 1)
TEST(trap, 1)
TEST(assert, 1)
TEST(timeout, 1)
TEST(launch, 1)
TEST(memory, 3)
TEST(load, 2)
TEST(sync, 2)
TEST(copy, 3)
TEST(event, 1)
TEST(ipc, 1)
TEST(nvrtc, 2)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_illegal), cmocka_unit_test(test_trap),
    cmocka_unit_test(test_assert),  cmocka_unit_test(test_timeout),
    cmocka_unit_test(test_launch),  cmocka_unit_test(test_memory),
    cmocka_unit_test(test_load),    cmocka_unit_test(test_sync),
    cmocka_unit_test(test_copy),    cmocka_unit_test(test_event),
    cmocka_unit_test(test_ipc),     cmocka_unit_test(test_nvrtc),
  };
  setenv("AUTOTUNE_GPU_WORKER", TEST_GPU_WORKER, 0);
  if (argc > 1) // the name of a test
    cmocka_set_test_filter(argv[1]);
  (void)add;
  (void)add_why_has;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
