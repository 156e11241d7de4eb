// SPDX-License-Identifier: Apache-2.0
// test_launch.c: a CUDA kernel from its first launch to its last, on the emulated device.
#include "device_fixture.h"

#include <dirent.h>
#include <pthread.h>

static const char *quiet[] = { "AUTOTUNE_BUDGET=20s,64", NULL };

// ---- tuning --------------------------------------------------------------------------------------------

// Its best block is any, but its SLOW is 1: the default cannot win.
static void expect_tuned(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_why_has("tuned: "));
  EXPECT(add_is_right(&m, 1)); // trials left nothing behind
  const char *slow;
  EXPECT(autotune_best("add", NULL, "SLOW", &slow) == AUTOTUNE_OK && strcmp(slow, "1") == 0);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_site.hot != NULL);
  EXPECT(add_is_right(&m, 2));
}

static void test_first_launch_tunes(void **state) {
  (void)state;
  assert_int_equal(in_child(expect_tuned, quiet), 0);
}

static void body_stored(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  add_default_launches = 0;
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_default_launches == 0); // nothing was measured
  EXPECT(add_why_has("stored: "));
  EXPECT(add_is_right(&m, 1));
}

static void test_second_process_uses_the_store(void **state) {
  static const char *locked[] = { "AUTOTUNE_MODE=locked", NULL };
  (void)state;
  assert_int_equal(in_child(expect_tuned, quiet), 0);
  assert_int_equal(in_child(body_stored, quiet), 0);
  assert_int_equal(in_child(body_stored, locked), 0);
}

static void body_locked(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(!add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_why_has("locked"));
  EXPECT(add_is_right(&m, 1));
}

static void test_locked_and_off_run_the_default(void **state) {
  static const char *locked[] = { "AUTOTUNE_MODE=locked", NULL };
  (void)state;
  assert_int_equal(in_child(body_locked, locked), 0);
}

static void body_without_store(void) {
  expect_tuned();
}

static void test_without_a_store(void **state) {
  static const char *none[] = { "AUTOTUNE_CACHE=off", "AUTOTUNE_BUDGET=20s,64", NULL };
  (void)state;
  assert_int_equal(in_child(body_without_store, none), 0);
}

// ---- what variants do to themselves ----------------------------------------------------------------------

static void body_bad(void) {
  add_params[2].n_values = 7;
  add_kernel.budget_seconds = 30;
  expect_tuned();
  const char *bad;
  EXPECT(autotune_best("add", NULL, "BAD", &bad) == AUTOTUNE_OK && strcmp(bad, "0") == 0);
}

static char *report(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  struct report_options o = { .folder = fixture_folder, .verbose = true };
  if (!f || report_print(&o, f) != 0)
    return NULL;
  fclose(f);
  return text;
}

static void test_bad_variants_harm_nobody(void **state) {
  static const char *long_enough[] = { "AUTOTUNE_BUDGET=40s,64", "AUTOTUNE_SEARCH=exhaustive", NULL };
  (void)state;
  assert_int_equal(in_child(body_bad, long_enough), 0);
  char *text = report();
  assert_non_null(text);
  if (getenv("AUTOTUNE_TEST_SHOW"))
    fputs(text, stderr);
  assert_non_null(strstr(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  assert_non_null(strstr(text, "c[0:n]: element 17"));
  assert_non_null(strstr(text, "undeclared identifier"));
  assert_non_null(strstr(text, "registers"));
  assert_null(strstr(text, "2048"));
  free(text);
}

// ---- devices, streams, captures ---------------------------------------------------------------------------

static void body_two_devices(void) {
  for (int device = 0; device < 2; device++) {
    add_use(device);
    struct add_memory m = add_allocate(ADD_N);
    EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
    EXPECT(add_is_right(&m, 1));
    EXPECT(add_why_has(device ? "stored: " : "tuned: ")); // of one kind, they share what is found
  }
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_is_right(&m, 1));
}

static void test_two_devices(void **state) {
  static const char *two[] = { "AUTOTUNE_EMULATE=devices=2", "AUTOTUNE_BUDGET=20s,64", NULL };
  (void)state;
  assert_int_equal(in_child(body_two_devices, two), 0);
}

static void *launch_often(void *data) {
  struct add_memory *m = data;
  const struct gpu_api *api = gpu_api_get(NULL);
  gpu_context context;
  gpu_device d;
  gpu_stream s;
  EXPECT(api->device_get(&d, 0) == 0 && api->primary_retain(&context, d) == 0 &&
         api->context_set(context) == 0 && api->stream_create(&s, 0) == 0);
  for (int i = 0; i < 20; i++)
    add(ADD_N, 3, m->a, m->c, s);
  EXPECT(api->stream_synchronize(s) == 0);
  return NULL;
}

static void body_threads(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  struct add_memory m[THREADS];
  add_use(0);
  for (int i = 0; i < THREADS; i++)
    m[i] = add_allocate(ADD_N);
  for (int i = 0; i < THREADS; i++)
    EXPECT(pthread_create(&threads[i], NULL, launch_often, &m[i]) == 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++)
    EXPECT(add_is_right(&m[i], 20));
}

static void test_threads_and_streams(void **state) {
  (void)state;
  assert_int_equal(in_child(body_threads, quiet), 0);
}

// ---- what is missing ----------------------------------------------------------------------------------------

static void body_no_worker(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(!add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_why_has("/nowhere/worker"));
  EXPECT(add_is_right(&m, 1));
}

static void test_without_a_helper(void **state) {
  static const char *none[] = { "AUTOTUNE_GPU_WORKER=/nowhere/worker", "AUTOTUNE_LOG=error", NULL };
  (void)state;
  assert_int_equal(in_child(body_no_worker, none), 0);
}

static void body_background(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  int launches = 0;
  bool tuned = false;
  for (double end = sys_now() + 40; !tuned && sys_now() < end; launches++) {
    tuned = add(ADD_N, 3, m.a, m.c, NULL);
    EXPECT(gpu_api_get(NULL)->context_synchronize() == 0);
    usleep(5000);
  }
  EXPECT(tuned && launches > 1);
  EXPECT(add_is_right(&m, launches));
  const char *slow;
  EXPECT(autotune_best("add", NULL, "SLOW", &slow) == AUTOTUNE_OK && strcmp(slow, "1") == 0);
}

static void test_beside_the_program(void **state) {
  static const char *beside[] = { "AUTOTUNE_MODE=background", "AUTOTUNE_BUDGET=20s,64", NULL };
  (void)state;
  assert_int_equal(in_child(body_background, beside), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_first_launch_tunes, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_second_process_uses_the_store, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_locked_and_off_run_the_default, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_without_a_store, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_bad_variants_harm_nobody, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_two_devices, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_threads_and_streams, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_without_a_helper, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_beside_the_program, make_folder, drop_folder),
  };
  setenv("AUTOTUNE_GPU_WORKER", TEST_GPU_WORKER, 0);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
