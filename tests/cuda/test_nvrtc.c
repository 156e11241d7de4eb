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
                                     "--gpu-architecture=sm_80", NULL };
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
