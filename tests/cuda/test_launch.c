// SPDX-License-Identifier: Apache-2.0
// test_launch.c: a CUDA kernel from its first launch to its last, on the emulated device.
#include "device_fixture.h"
#include "tools/why/why.h"
#include "tools/report/report.h"

#include <dirent.h>
#include <pthread.h>
#include <time.h>

// Declarations of the emulator's runtime, whose header is C++.
int cudaStreamBeginCapture(gpu_stream s, int mode);
int cudaStreamEndCapture(gpu_stream s, void **graph);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, gpu_stream s);
int cudaDeviceReset(void);

static const char *quiet[] = { "AUTOTUNE_BUDGET=100s,64", "AUTOTUNE_LOG=info", NULL };

// ---- tuning -------------------------------------------------------------------------

// Any block may win, but SLOW must be 1: the default cannot win.
static void expect_tuned(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_why_has("tuned: "));
  EXPECT(add_is_right(&m, 1)); // trials changed nothing
  const char *slow;
  EXPECT(autotune_best("add", NULL, "SLOW", &slow) == AUTOTUNE_OK &&
         strcmp(slow, "1") == 0);
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
  static const char *none[] = { "AUTOTUNE_CACHE=off", "AUTOTUNE_BUDGET=100s,64", NULL };
  (void)state;
  assert_int_equal(in_child(body_without_store, none), 0);
}

// ---- what variants do to themselves -------------------------------------------------

static void body_bad(void) {
  add_params[2].n_values = 7;
  add_kernel.budget_seconds = 100;
  expect_tuned();
  const char *bad;
  EXPECT(autotune_best("add", NULL, "BAD", &bad) == AUTOTUNE_OK && strcmp(bad, "0") == 0);
}

static char *report_as(bool json) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  struct report_options o = { .folder = fixture_folder, .verbose = true, .json = json };
  if (!f || report_print(&o, f) != 0)
    return NULL;
  fclose(f);
  return text;
}

static char *report(void) {
  return report_as(false);
}

static void test_bad_variants_harm_nobody(void **state) {
  static const char *long_enough[] = { "AUTOTUNE_BUDGET=100s,64",
                                       "AUTOTUNE_SEARCH=exhaustive", "AUTOTUNE_LOG=info",
                                       NULL };
  (void)state;
  assert_int_equal(in_child(body_bad, long_enough), 0);
  char *text = report();
  assert_non_null(text);
  assert_non_null(strstr(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  assert_non_null(strstr(text, "c[0:n]: element 17"));
  assert_non_null(strstr(text, "undeclared identifier"));
  assert_non_null(strstr(text, "registers"));
  assert_null(strstr(text, "2048"));
  free(text);
}

// ---- kernels that depend on the size of their block
// ------------------------------------

// The launch has blocks of 128. Variants have the first two of BLOCKS, and SLOWER if that
// is not NULL.
static void expect_blame(const struct autotune_value *blocks,
                         const struct autotune_value *slower, const char *why,
                         bool hint) {
  add_params[0].values = blocks;
  add_params[0].n_values = 2;
  add_params[2].values = &add_bad[10];
  add_use(0);
  if (slower)
    add_params[1] =
        (struct autotune_param){ "SLOW", "SLOW", AUTOTUNE_INT, -1, 1, 0, slower };
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(!add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_why_has(why));
  EXPECT(add_why_has("the kernel seems to work only with the size of a block") == hint);
}

static void body_other_blocks(void) {
  const struct autotune_value blocks[] = { add_block[0], add_block[2] };
  add_params[0].original = 2; // none of them
  expect_blame(blocks, NULL, "none of 4 variants was right", true);
}

static void body_its_own_block_too(void) {
  static const struct autotune_value slower = { "6000", "6000", 6000, 6000 };
  expect_blame(add_block, &slower, "none of 2 variants beats it", true);
}

// One variant with the launch's own block is wrong.
static void body_not_only_blocks(void) {
  expect_blame(add_block, NULL, "none of 4 variants beats it", false);
}

static void test_blocks_are_blamed(void **state) {
  static void (*const bodies[])(void) = { body_other_blocks, body_its_own_block_too,
                                          body_not_only_blocks };
  (void)state;
  for (int i = 0; i < 3; i++) {
    remove_folder();
    make_folder(state);
    assert_int_equal(in_child(bodies[i], quiet), 0);
  }
}

// ---- the device's own instructions ---------------------------------------------------

// Results of one architecture are not used for another.
static void body_own_architecture(void) {
  EXPECT(strncmp(gpu_info_get(0)->identity, "sm_90a, ", 8) == 0);
}

static void test_identity_has_the_devices_own_architecture(void **state) {
  static const char *hopper[] = { "AUTOTUNE_EMULATE=cc=90", NULL };
  (void)state;
  assert_int_equal(in_child(body_own_architecture, hopper), 0);
}

// ---- why it would be tuned again ----------------------------------------------------

// Checks the text of `autotune why` for another device or another NVRTC.
static char *why_elsewhere(const char *device, const char *isa, const char *nvrtc) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  EXPECT(f);
  why_print(&(struct why_options){ .folder = fixture_folder,
                                   .kernel = "add",
                                   .cpu = device,
                                   .isa = isa,
                                   .toolchain = nvrtc },
            f);
  fclose(f);
  return text;
}

// Runs in a process of its own, because it reads the environment.
static void body_why(void) {
  static const char here[] = "emulated GPU (CPU)",
                    isa[] = "sm_80, 16 multiprocessors, 4 GiB";
  EXPECT(strstr(
      why_elsewhere("NVIDIA H200", "sm_90, 132 multiprocessors, 141 GiB", "nvrtc 13.0"),
      "machine emulated GPU (CPU) → NVIDIA H200"));
  EXPECT(strstr(why_elsewhere(here, isa, "nvrtc 99.0"), "→ nvrtc 99.0"));
  EXPECT(strstr(why_elsewhere(here, isa, "nvrtc 13.0"), "x over the default"));
}

static void test_why_tells_of_device_and_nvrtc(void **state) {
  (void)state;
  assert_int_equal(in_child(expect_tuned, quiet), 0);
  assert_int_equal(in_child(body_why, NULL), 0);
}

// ---- how far the winner's answers are from the default's ------------------------------

// Every variant is off by rounding in one element. The default is too slow to win.
static void body_deviates(void) {
  add_params[2] =
      (struct autotune_param){ "BAD", "BAD", AUTOTUNE_INT, -1, 1, 1, &add_bad[7] };
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_why_has("tuned: "));
}

// Runs in a process of its own, because it reads the environment.
static void body_deviation_is_told(void) {
  static const char deviation[] = "9.5e-07 relative, 0.00015 absolute, c[40]";
  char *text = report(), *json = report_as(true);
  const char *why = why_elsewhere("emulated GPU (CPU)",
                                  "sm_80, 16 multiprocessors, 4 GiB", "nvrtc 13.0");
  EXPECT(text && strstr(text, "largest deviation") && strstr(text, "c[40]"));
  EXPECT(json && strstr(json, "\"deviation\"") && strstr(json, deviation));
  EXPECT(strstr(why, "largest deviation 9.5e-07 relative"));
  EXPECT(strstr(why, "not compared: data of later calls"));
  EXPECT(strstr(json, "not compared: data of later calls"));
}

static void test_largest_deviation_is_told(void **state) {
  (void)state;
  assert_int_equal(in_child(body_deviates, quiet), 0);
  assert_int_equal(in_child(body_deviation_is_told, NULL), 0);
}

// ---- tolerances that are measured ----------------------------------------------------

// The numbers are small but for one. A variant that is wrong in a small one would pass if
// one tolerance held for all.
static void body_mixed_scales(void) {
  const struct gpu_api *api = gpu_api_get(NULL);
  struct autotune_value values[] = { add_bad[0], add_bad[8] };
  add_params[2].n_values = 2;
  add_params[2].values = values;
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  for (int i = 0; i < ADD_N; i++)
    m.host[i] = i == 4000 ? 1e9f : 1e-3f * (float)(i % 97) + 1e-4f;
  EXPECT(api->copy_from_host(m.a, m.host, ADD_N * sizeof(float), NULL) == 0);
  EXPECT(api->copy_from_host(m.c, m.host, ADD_N * sizeof(float), NULL) == 0);
  EXPECT(api->context_synchronize() == 0);
  for (int i = 0; i < 200 && !add_why_has("tuned: "); i++) {
    add(ADD_N, 3, m.a, m.c, NULL);
    usleep(i ? 500000 : 0);
  }
  EXPECT(add_why_has("tuned: "));
}

static void test_small_numbers_count(void **state) {
  static const char *ways[][5] = {
    { "AUTOTUNE_BUDGET=100s,64", "AUTOTUNE_SEARCH=exhaustive", NULL },
    { "AUTOTUNE_BUDGET=100s,64", "AUTOTUNE_SEARCH=exhaustive", "AUTOTUNE_MODE=background",
      NULL },
  };
  (void)state;
  for (int i = 0; i < 2; i++) {
    remove_folder();
    make_folder(state);
    assert_int_equal(in_child(body_mixed_scales, ways[i]), 0);
    char *text = report();
    assert_non_null(text);
    if (!strstr(text, "c[0:n]: element 17 is 0.5") || !strstr(text, "BAD=0"))
      fail_msg("%s", text);
    free(text);
  }
}

// ---- data that say little -------------------------------------------------------------

// All is zero at the first launch, as at a cold start.
static void body_zeros(void) {
  static char text[4096];
  const struct gpu_api *api = gpu_api_get(NULL);
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(api->set_bytes(m.a, 0, ADD_N * sizeof(float), NULL) == 0);
  EXPECT(api->set_bytes(m.c, 0, ADD_N * sizeof(float), NULL) == 0);
  EXPECT(api->context_synchronize() == 0);
  FILE *said = tmpfile();
  int before = dup(2);
  EXPECT(said && before >= 0 && dup2(fileno(said), 2) == 2);
  add(ADD_N, 3, m.a, m.c, NULL);
  EXPECT(dup2(before, 2) == 2 && pread(fileno(said), text, sizeof text - 1, 0) > 0);
  fputs(text, stderr);
  EXPECT(strstr(text,
                "add: the input a[0:n] holds only zeros at this call: the choice is "
                "provisional; tune with data that say more"));
  EXPECT(add_why_has("not checked again on later calls"));
}

// Runs in a process of its own, because it reads the environment.
static void body_zeros_are_told(void) {
  EXPECT(strstr(why_elsewhere("emulated GPU (CPU)", "sm_80, 16 multiprocessors, 4 GiB",
                              "nvrtc 13.0"),
                "provisional: the input a[0:n] holds only zeros"));
}

static void test_zeros_are_warned_of(void **state) {
  (void)state;
  assert_int_equal(in_child(body_zeros, quiet), 0);
  assert_int_equal(in_child(body_zeros_are_told, NULL), 0);
}

// The fastest variant is right for zeros only, which are the data of the first launch.
static void body_right_for_zeros(void) {
  const struct gpu_api *api = gpu_api_get(NULL);
  struct autotune_value values[] = { add_bad[0], add_bad[9] };
  add_params[1] =
      (struct autotune_param){ "SLOW", "SLOW", AUTOTUNE_INT, -1, 1, 0, &add_slow[1] };
  add_params[2].n_values = 2;
  add_params[2].values = values;
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(api->set_bytes(m.a, 0, ADD_N * sizeof(float), NULL) == 0);
  EXPECT(api->set_bytes(m.c, 0, ADD_N * sizeof(float), NULL) == 0);
  EXPECT(api->context_synchronize() == 0);
  add(ADD_N, 3, m.a, m.c, NULL);
  const char *bad;
  EXPECT(autotune_best("add", NULL, "BAD", &bad) != AUTOTUNE_OK || strcmp(bad, "0") == 0);
}

static void test_right_for_zeros_only(void **state) {
  (void)state;
  assert_int_equal(in_child(body_right_for_zeros, quiet), 0);
  char *text = report();
  assert_non_null(text);
  if (!strstr(text, "made-up data (other values): c[0:n]: element 17"))
    fail_msg("%s", text);
  free(text);
}

// ---- devices, streams, captures -----------------------------------------------------

static void body_two_devices(void) {
  for (int device = 0; device < 2; device++) {
    add_use(device);
    struct add_memory m = add_allocate(ADD_N);
    bool tuned = add(ADD_N, 3, m.a, m.c, NULL);
    EXPECT(add_is_right(&m, 1));
    EXPECT(add_why_has(device ? "stored: "
                              : "tuned: ")); // devices of one kind share results
    EXPECT(tuned);
  }
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_is_right(&m, 1));
}

static void test_two_devices(void **state) {
  static const char *two[] = { "AUTOTUNE_EMULATE=devices=2", "AUTOTUNE_BUDGET=100s,64",
                               "AUTOTUNE_LOG=info", NULL };
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

// Records one launch on S and replays it. True if the variant was recorded.
static bool record_and_replay(const struct add_memory *m, gpu_stream s) {
  void *graph, *exec;
  EXPECT(cudaStreamBeginCapture(s, 0) == 0);
  bool variant = add(ADD_N, 3, m->a, m->c, s);
  EXPECT(cudaStreamEndCapture(s, &graph) == 0); // nothing has broken the capture
  EXPECT(cudaGraphInstantiate(&exec, graph, 0) == 0);
  EXPECT(cudaGraphLaunch(exec, s) == 0 && gpu_api_get(NULL)->stream_synchronize(s) == 0);
  return variant;
}

static void body_capture(void) {
  gpu_stream s;
  add_use(0);
  EXPECT(gpu_api_get(NULL)->stream_create(&s, 1) == 0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(!record_and_replay(&m, s)); // not tuned
  EXPECT(add_is_right(&m, 1));
  EXPECT(add(ADD_N, 3, m.a, m.c, s)); // tuned
  EXPECT(record_and_replay(&m, s));
  EXPECT(add_is_right(&m, 3));
}

static void body_capture_stored(void) {
  gpu_stream s;
  add_use(0);
  EXPECT(gpu_api_get(NULL)->stream_create(&s, 1) == 0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(record_and_replay(&m, s)); // its first launch in this process
  EXPECT(add_why_has("stored: "));
  EXPECT(add_is_right(&m, 1));
}

static void test_captured_streams(void **state) {
  (void)state;
  assert_int_equal(in_child(body_capture, quiet), 0);
  assert_int_equal(in_child(body_capture_stored, quiet), 0);
}

// Nothing but captured launches: it is said once, and in the report.
static void body_capture_only(void) {
  static char text[4096];
  gpu_stream s;
  add_use(0);
  EXPECT(gpu_api_get(NULL)->stream_create(&s, 1) == 0);
  struct add_memory m = add_allocate(ADD_N);
  FILE *said = tmpfile();
  int before = dup(2);
  EXPECT(said && before >= 0 && dup2(fileno(said), 2) == 2);
  for (int i = 0; i < 3; i++)
    record_and_replay(&m, s);
  EXPECT(dup2(before, 2) == 2 && pread(fileno(said), text, sizeof text - 1, 0) > 0);
  fputs(text, stderr);
  const char *first = strstr(text, "warning: add: default: launched into a graph before");
  EXPECT(first && !strstr(first + 1, "warning: add"));
  EXPECT(add_why_has("the graph keeps the default"));
  EXPECT(add_is_right(&m, 3));
}

static void test_a_graph_keeps_the_default(void **state) {
  (void)state;
  assert_int_equal(in_child(body_capture_only, quiet), 0);
  char *text = report();
  assert_non_null(text);
  assert_non_null(strstr(text, "none: launched into a graph before it was tuned"));
  free(text);
}

// Captures a stream while another stream's launch tunes.
static void body_capture_beside(void) {
  gpu_stream captured, other;
  void *graph;
  add_use(0);
  const struct gpu_api *api = gpu_api_get(NULL);
  EXPECT(api->stream_create(&captured, 1) == 0 && api->stream_create(&other, 1) == 0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(cudaStreamBeginCapture(captured, 0) == 0);
  EXPECT(add(ADD_N, 3, m.a, m.c, other));
  EXPECT(cudaStreamEndCapture(captured, &graph) == 0);
  EXPECT(api->stream_synchronize(other) == 0);
  EXPECT(add_is_right(&m, 1));
}

static void test_tuning_beside_a_capture(void **state) {
  (void)state;
  assert_int_equal(in_child(body_capture_beside, quiet), 0);
}

// ---- launches that fail, and what they cost -----------------------------------------

static unsigned launched;

static gpu_result launch_nothing(gpu_function f, unsigned gx, unsigned gy, unsigned gz,
                                 unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                 gpu_stream s, void **args, void **extra) {
  (void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared,
      (void)s;
  (void)args, (void)extra;
  launched++;
  return 0;
}

static gpu_result launch_in_vain(gpu_function f, unsigned gx, unsigned gy, unsigned gz,
                                 unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                 gpu_stream s, void **args, void **extra) {
  launch_nothing(f, gx, gy, gz, bx, by, bz, shared, s, args, extra);
  return 701; // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
}

static void body_lost(void) {
  struct gpu_api *api = (struct gpu_api *)(uintptr_t)gpu_api_get(NULL);
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  __typeof__(api->launch) real = api->launch;
  int launches = 1;
  for (int i = 0; i < 2; i++) {
    struct autotune_launch asked = {
      { (ADD_N + 127) / 128, 1, 1 }, { 128, 1, 1 }, 0, NULL
    };
    long long key[] = { ADD_N, 0 };
    int n = ADD_N;
    float f = 3;
    void *args[] = { &n, &f, &m.a, &m.c };
    api->launch = launch_in_vain;
    EXPECT(autotune_launch_kernel(&add_site, key, args, &asked) ==
           AUTOTUNE_LAUNCH_DEFAULT);
    api->launch = real;
    EXPECT(add(ADD_N, 3, m.a, m.c, NULL) == (i == 0)); // loaded once more
    launches++;
  }
  EXPECT(add_why_has("cannot be launched"));
  EXPECT(add_is_right(&m, launches));
}

static void test_a_lost_variant_is_forgotten(void **state) {
  (void)state;
  assert_int_equal(in_child(body_lost, quiet), 0);
}

// The device is reset: all loaded modules are gone, ours too.
static void body_reset(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(cudaDeviceReset() == 0);
  add_functions[0] = NULL;
  add_use(0);
  m = add_allocate(ADD_N);
  for (int i = 0; i < 3; i++)
    add(ADD_N, 3, m.a, m.c, NULL);
  EXPECT(add_is_right(&m, 3));
}

static void test_a_device_is_reset(void **state) {
  (void)state;
  assert_int_equal(in_child(body_reset, quiet), 0);
}

// Counts by the linker's --wrap: what the runtime, which is linked into this program,
// does besides calling the driver.
static struct {
  _Atomic unsigned long allocations, locks, clocks;
} counted;

#define COUNTED(type, name, what, parameters, ...)                      \
  type __real_##name parameters;                                        \
  __attribute__((visibility("default"))) type __wrap_##name parameters; \
  type __wrap_##name parameters {                                       \
    counted.what++;                                                     \
    return __real_##name(__VA_ARGS__);                                  \
  }
COUNTED(void *, malloc, allocations, (size_t size), size)
COUNTED(void *, calloc, allocations, (size_t n, size_t size), n, size)
COUNTED(void *, realloc, allocations, (void *p, size_t size), p, size)
COUNTED(int, pthread_mutex_lock, locks, (pthread_mutex_t * m), m)
COUNTED(int, clock_gettime, clocks, (clockid_t c, struct timespec *t), c, t)

// A launch makes one call of the driver, where keys take turns as well. It allocates
// nothing, takes no lock and reads no clock.
static void body_cost(void) {
  enum { LAUNCHES = 1000 };
  struct gpu_api *api = (struct gpu_api *)(uintptr_t)gpu_api_get(NULL);
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add(ADD_N - 1, 3, m.a, m.c, NULL));
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(counted.allocations > 0 && counted.locks > 0 &&
         counted.clocks > 0); // the tuning's
  *api = (struct gpu_api){ .launch = launch_nothing };
  memset((void *)&counted, 0, sizeof counted);
  launched = add_default_launches = 0;
  for (int i = 0; i < LAUNCHES; i++)
    add(ADD_N - i % 2, 3, m.a, m.c, NULL);
  EXPECT(launched == LAUNCHES && add_default_launches == 0);
  EXPECT(counted.allocations == 0);
  EXPECT(counted.locks == 0);
  EXPECT(counted.clocks == 0);
}

// Keys that are not the hot one are forgotten as well.
static void body_forget(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  for (int i = 0; i < 4; i++)
    EXPECT(add(ADD_N - i % 2, 3, m.a, m.c, NULL));
  EXPECT(autotune_forget("add", NULL) == AUTOTUNE_OK && !add_site.hot);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_site.hot != NULL); // it was looked up again
}

static void test_a_tuned_launch_is_one_call(void **state) {
  (void)state;
  assert_int_equal(in_child(body_cost, quiet), 0);
  assert_int_equal(in_child(body_forget, quiet), 0);
}

// ---- what is missing ----------------------------------------------------------------

static void body_no_worker(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(!add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_why_has("/nowhere/worker"));
  EXPECT(add_is_right(&m, 1));
}

// The helper would get no context.
static void body_exclusive(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(!add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_why_has("the device admits one process only (EXCLUSIVE_PROCESS)"));
  EXPECT(add_is_right(&m, 1));
}

static void body_without_isolation(void);

static void test_a_device_for_one_process(void **state) {
  char device[128];
  const char *exclusive[] = { device, "AUTOTUNE_BUDGET=100s,64", "AUTOTUNE_LOG=warn",
                              NULL };
  (void)state;
  snprintf(device, sizeof device, "AUTOTUNE_EMULATE=exclusive=%s/lock", fixture_folder);
  assert_int_equal(in_child(body_exclusive, exclusive), 0);
  assert_int_equal(in_child(body_without_isolation, exclusive), 0);
  assert_int_equal(in_child(body_stored, exclusive), 0);
}

static void test_without_a_helper(void **state) {
  static const char *none[] = { "AUTOTUNE_GPU_WORKER=/nowhere/worker",
                                "AUTOTUNE_LOG=error", NULL };
  (void)state;
  assert_int_equal(in_child(body_no_worker, none), 0);
}

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Each variant costs its limit and half a second, and none wins.
static void body_bad_worker(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  double start = seconds_now();
  EXPECT(!add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(seconds_now() - start < 12);
  EXPECT(add_is_right(&m, 1));
  EXPECT(!add(ADD_N, 3, m.a, m.c, NULL) && add_is_right(&m, 2));
}

static void test_helpers_that_misbehave(void **state) {
  static const char *const ways[] = { "TEST_WORKER=silent", "TEST_WORKER=garbage",
                                      "TEST_WORKER=early" };
  (void)state;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    const char *env[] = { ways[i],
                          "AUTOTUNE_GPU_WORKER=" TEST_WORKER_DOUBLE,
                          "AUTOTUNE_BUDGET=40s,3",
                          "AUTOTUNE_CACHE=off",
                          "AUTOTUNE_LOG=error",
                          NULL };
    assert_int_equal(in_child(body_bad_worker, env), 0);
  }
}

// The cubin is gone, so it is compiled and checked once more.
static void body_lost_object(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s/objects", fixture_folder);
  EXPECT(system(command) == 0);
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(add_why_has("stored: "));
  EXPECT(add_is_right(&m, 1));
}

static void test_a_lost_object_is_made_again(void **state) {
  static const char *locked[] = { "AUTOTUNE_MODE=locked", "AUTOTUNE_BUDGET=100s",
                                  "AUTOTUNE_LOG=info", NULL };
  (void)state;
  assert_int_equal(in_child(expect_tuned, quiet), 0);
  assert_int_equal(in_child(body_lost_object, locked), 0);
}

static void body_without_isolation(void) {
  add_gpu.flags |= AUTOTUNE_GPU_NO_ISOLATE;
  expect_tuned();
}

static void test_without_isolation(void **state) {
  static const char *none[] = { "AUTOTUNE_GPU_WORKER=/nowhere/worker",
                                "AUTOTUNE_BUDGET=100s,64", NULL };
  (void)state;
  assert_int_equal(in_child(body_without_isolation, none), 0);
}

// A stored winner needs no NVRTC; for another key the default runs.
static void body_stored_without_nvrtc(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  EXPECT(add(ADD_N, 3, m.a, m.c, NULL));
  EXPECT(!add(ADD_N - 1, 3, m.a, m.c, NULL));
  EXPECT(add_why_has("no NVRTC"));
}

static void test_without_nvrtc(void **state) {
  static const char *none[] = { "AUTOTUNE_NVRTC=/nowhere/libnvrtc.so",
                                "AUTOTUNE_LOG=error", NULL };
  (void)state;
  assert_int_equal(in_child(expect_tuned, quiet), 0);
  assert_int_equal(in_child(body_stored_without_nvrtc, none), 0);
}

enum { UNCLEAR = 7, TRIES = 5 };

static bool is_unclear(void) {
  char *why = NULL;
  bool is = autotune_why("add", NULL, &why) == AUTOTUNE_OK &&
      strstr(why, "beats it clearly");
  free(why);
  return is;
}

static void body_background(void) {
  add_use(0);
  struct add_memory m = add_allocate(ADD_N);
  int launches = 0;
  bool tuned = false;
  for (double end = sys_now() + 100; !tuned && sys_now() < end; launches++) {
    tuned = add(ADD_N, 3, m.a, m.c, NULL);
    EXPECT(gpu_api_get(NULL)->context_synchronize() == 0);
    if (is_unclear())
      _exit(UNCLEAR);
    usleep(50000); // the tuner's times were taken on a busier device
  }
  EXPECT(tuned && launches > 1);
  EXPECT(add_is_right(&m, launches));
  const char *slow;
  EXPECT(autotune_best("add", NULL, "SLOW", &slow) == AUTOTUNE_OK &&
         strcmp(slow, "1") == 0);
}

static void test_beside_the_program(void **state) {
  static const char *background[] = { "AUTOTUNE_MODE=background", "AUTOTUNE_LOG=info",
                                      "AUTOTUNE_BUDGET=100s,64", NULL };
  static const char *fraction[] = { "AUTOTUNE_BUDGET=100s,64,50%", "AUTOTUNE_CACHE=off",
                                    NULL };
  const char *const *const ways[] = { background, fraction };
  for (int i = 0; i < 2; i++) {
    int status =
        UNCLEAR << 8; // and on a busy machine, the default may seem as good as any
    for (int n = 0; n < TRIES && status == UNCLEAR << 8; n++) {
      drop_folder(state);
      make_folder(state);
      status = in_child(body_background, ways[i]);
    }
    assert_int_equal(status, 0);
  }
}

// The threads' test is separate, for ThreadSanitizer.
static int test_threads(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_threads_and_streams, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_tuning_beside_a_capture, make_folder,
                                    drop_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_first_launch_tunes, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_second_process_uses_the_store, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_locked_and_off_run_the_default, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_without_a_store, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_blocks_are_blamed, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_identity_has_the_devices_own_architecture,
                                    make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_bad_variants_harm_nobody, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_why_tells_of_device_and_nvrtc, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_largest_deviation_is_told, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_small_numbers_count, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_zeros_are_warned_of, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_right_for_zeros_only, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_two_devices, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_captured_streams, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_a_graph_keeps_the_default, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_a_device_for_one_process, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_a_lost_variant_is_forgotten, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_a_device_is_reset, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_a_tuned_launch_is_one_call, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_a_lost_object_is_made_again, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_without_isolation, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_without_nvrtc, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_without_a_helper, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(test_helpers_that_misbehave, make_folder,
                                    drop_folder),
    cmocka_unit_test_setup_teardown(test_beside_the_program, make_folder, drop_folder),
  };
  setenv("AUTOTUNE_GPU_WORKER", TEST_GPU_WORKER, 0);
  if (argc > 1 && strcmp(argv[1], "threads") == 0)
    return test_threads();
  if (argc > 1) // the name of a test
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
