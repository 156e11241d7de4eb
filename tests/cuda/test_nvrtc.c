// SPDX-License-Identifier: Apache-2.0
// test_nvrtc.c: tests the backend that makes cubins, with the real NVRTC if it is
// installed.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/nvrtc.h"
#include "run/cuda/gpu.h"

static const char text[] =
    "#define N 4\n"
    "extern \"C\" __global__ void autotune_entry(float *a)\n"
    "{ for (int i = 0; i < N; i++) a[N * threadIdx.x + i] *= SCALE; }\n";

static int compile(const char *source, const char *const *flags, struct object *o) {
  return backend_find("nvrtc")->compile("nvrtc", source, flags, o);
}

static char *with(const char *define) {
  return sys_printf("%s%s", define, text);
}

static void test_version(void **state) {
  (void)state;
  const struct backend *b = backend_find("nvrtc");
  assert_string_equal(b->name, "nvrtc");
  assert_memory_equal(b->version("nvrtc"), "nvrtc ", 6);
  assert_ptr_equal(b->version("nvrtc"), b->version("nvrtc"));
}

// A cubin is ELF, and one for another device does not load.
static void test_cubins_for_devices(void **state) {
  static const int architectures[] = { 80, 90 };
  struct object objects[2];
  char *source = with("#define SCALE 2.0f\n");
  (void)state;
  for (int i = 0; i < 2; i++) {
    nvrtc_set_architecture(architectures[i]);
    assert_int_equal(compile(source, NULL, &objects[i]), 0);
    assert_true(objects[i].size > 4);
    assert_memory_equal(objects[i].data,
                        "\x7f"
                        "ELF",
                        4);
    assert_true(objects[i].seconds > 0);
  }
  assert_true(objects[0].size != objects[1].size ||
              memcmp(objects[0].data, objects[1].data, objects[0].size) != 0);
  object_free(&objects[0]);
  object_free(&objects[1]);
  free(source);
}

static void test_flags(void **state) {
  static const char *const own[] = { "-std=c++17", "--use_fast_math", "-maxrregcount=32",
                                     "--gpu-architecture=sm_90", NULL };
  static const char *const none[] = { "--no-such-option", NULL };
  struct object o;
  char *source = with("#define SCALE 2.0f\n");
  (void)state;
  nvrtc_set_architecture(90);
  assert_int_equal(compile(source, own, &o), 0); // the architecture is given only once
  object_free(&o);
  assert_int_equal(compile(source, none, &o), -1);
  assert_non_null(o.message);
  assert_true(strlen(o.message) > 0);
  object_free(&o);
  free(source);
}

// True if the bytes of O have WORD: cubins name what they are for, and their functions.
static bool holds(const struct object *o, const char *word) {
  return memmem(o->data, o->size, word, strlen(word)) != NULL;
}

// Compiles for CC with the two FLAGS. True: there is a cubin; else *MESSAGE (malloc'ed).
static bool makes(int cc, const char *source, const char *first, const char *second,
                  struct object *o) {
  const char *const flags[] = { first, second, NULL };
  nvrtc_set_architecture(cc);
  return compile(source, flags, o) == 0;
}

// wgmma and setmaxnreg are in Hopper's own architecture alone.
static const char hopper[] =
    "extern \"C\" __global__ void autotune_entry(float *a)\n{\n"
    "  asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n"
    "  asm volatile(\"setmaxnreg.inc.sync.aligned.u32 64;\");\n"
    "  a[threadIdx.x] *= 2;\n}\n"
    "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n__device__ int fast_branch = 1;\n#endif\n";

static void test_the_devices_own_architecture(void **state) {
  struct object o;
  (void)state;
  assert_true(makes(90, hopper, "-std=c++17", NULL, &o));
  assert_true(holds(&o, "sm_90a"));
  assert_true(holds(&o, "fast_branch"));
  object_free(&o);
  assert_true(makes(90, hopper, "-arch=sm_90a", NULL, &o));
  object_free(&o);
  assert_false(makes(90, hopper, "-arch", "sm_90", &o)); // as the flags ask for
  assert_non_null(strstr(o.message, "wgmma"));
  object_free(&o);
  assert_false(makes(80, hopper, "-std=c++17", NULL, &o)); // no device before 9.0 has one
  object_free(&o);
}

static void test_architectures_of_flags(void **state) {
  static const struct {
    int cc;
    const char *flag;
    bool suits;
  } cases[] = {
    { 90, "-arch=sm_90", true },
    { 86, "--gpu-architecture=sm_80", true },
    { 80, "--gpu-architecture=sm_86", false },
    { 90, "-arch=sm_80", false },
    { 80, "--gpu-architecture=sm_90a", false },
    { 103, "-arch=sm_100a", false },
    { 103, "-arch=sm_100f", true },
    { 90, "-arch=native", false },
    { 90, "-arch=compute_90a", false }, // of PTX
    { 90, "-arch", false },
  };
  char *source = with("#define SCALE 2.0f\n");
  struct object o;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool made = makes(cases[i].cc, source, cases[i].flag, NULL, &o);
    if (made != cases[i].suits)
      fail_msg("%s for %d: %s", cases[i].flag, cases[i].cc, o.message);
    if (!made)
      assert_non_null(strstr(o.message, "which a device of sm_"));
    object_free(&o);
  }
  free(source);
}

// A family that the build names is used on its later devices, and on no others.
static void test_families_of_the_build(void **state) {
  char *source = with("#define SCALE 2.0f\n#if __CUDA_ARCH_FAMILY_SPECIFIC__ == 1000\n"
                      "__device__ int family_branch = 1;\n#endif\n");
  struct object o;
  (void)state;
  assert_true(makes(103, source, NVRTC_BUILD_FAMILY "sm_100f", NULL, &o));
  assert_true(holds(&o, "family_branch"));
  object_free(&o);
  assert_true(makes(103, source, NULL, NULL, &o));
  assert_false(holds(&o, "family_branch"));
  object_free(&o);
  assert_true(makes(90, source, NVRTC_BUILD_FAMILY "sm_100f", NULL, &o));
  assert_true(holds(&o, "sm_90a"));
  object_free(&o);
  free(source);
}

static void test_the_first_error_comes_first(void **state) {
  struct object o;
  char *source =
      with("static __device__ int never_used() { int unused = 1; return 2; }\n");
  (void)state;
  assert_int_equal(compile(source, NULL, &o), -1);
  assert_null(o.data);
  size_t line = strcspn(o.message, "\n");
  char *first = sys_printf("%.*s", (int)line, o.message);
  assert_non_null(strstr(first, "error"));
  assert_non_null(strstr(first, "SCALE"));
  free(first);
  free(source);
  object_free(&o);
}

// The include folder of the build does not exist here; the toolkit's is used.
static void test_lost_folders_of_headers(void **state) {
  static const char *const gone[] = { "-I/nowhere/cuda/include", NULL };
  struct object o;
  char *source =
      with("#include <cuda_fp16.h>\n#define SCALE __half2float(__float2half(2.0f))\n");
  (void)state;
  if (access("/usr/local/cuda/include/cuda_fp16.h", R_OK) != 0 && !getenv("CUDA_PATH"))
    skip();
  assert_int_equal(compile(source, gone, &o), 0);
  object_free(&o);
  free(source);
}

static void *compile_thread(void *data) {
  struct object o;
  char define[64];
  snprintf(define, sizeof define, "#define SCALE %d\n", *(int *)data);
  char *source = with(define);
  int rc = compile(source, NULL, &o);
  object_free(&o);
  free(source);
  return rc == 0 ? data : NULL;
}

static void test_threads(void **state) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  int numbers[THREADS];
  void *good;
  (void)state;
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    assert_int_equal(pthread_create(&threads[i], NULL, compile_thread, &numbers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], &good);
    assert_ptr_equal(good, &numbers[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_version),
    cmocka_unit_test(test_cubins_for_devices),
    cmocka_unit_test(test_flags),
    cmocka_unit_test(test_the_devices_own_architecture),
    cmocka_unit_test(test_architectures_of_flags),
    cmocka_unit_test(test_families_of_the_build),
    cmocka_unit_test(test_the_first_error_comes_first),
    cmocka_unit_test(test_lost_folders_of_headers),
    cmocka_unit_test(test_threads),
  };
  const char *why;
  if (!nvrtc_get(&why)) {
    printf("skipped: %s\n", why);
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
