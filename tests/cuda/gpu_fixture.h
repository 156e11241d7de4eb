/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_fixture.h: device memory, kernels from text and calls by hand, for tests of
 * runtime/run/cuda. */
#ifndef GPU_FIXTURE_H
#define GPU_FIXTURE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/nvrtc.h"
#include "run/cuda/gpu.h"

/* The kernel of most tests. */
#define UNIT(body)                                                                   \
  "extern \"C\" __global__ void autotune_entry(float *c, const float *a, int n) {\n" \
  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" body "}\n"

struct cubin {
  const char *text;
  char *data;
  size_t size;
};

static const struct gpu_api *api;
static int architecture_of_tests; /* 0: the device's */

/* Compiled once a process. */
static const struct cubin *cubin_of(const char *text) {
  static struct cubin made[64];
  static unsigned n_made;
  for (unsigned i = 0; i < n_made; i++)
    if (strcmp(made[i].text, text) == 0)
      return &made[i];
  const struct nvrtc *n = nvrtc_get(NULL);
  char architecture[48];
  const char *options[] = { architecture, "-std=c++17" };
  struct cubin *c = &made[n_made++];
  nvrtc_program p;
  assert_true(n_made <= 64);
  snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d",
           architecture_of_tests ? architecture_of_tests : gpu_info_get(0)->cc);
  assert_int_equal(n->create(&p, text, "test.cu", 0, NULL, NULL), 0);
  if (n->compile(p, 2, options) != 0) {
    static char log[4096];
    size_t size = 0;
    n->log_size(p, &size);
    if (size <= sizeof log)
      n->log(p, log);
    fail_msg("%s", log);
  }
  assert_int_equal(n->cubin_size(p, &c->size), 0);
  c->data = malloc(c->size);
  assert_non_null(c->data);
  assert_int_equal(n->cubin(p, c->data), 0);
  n->destroy(&p);
  c->text = text;
  return c;
}

static gpu_pointer device_new(size_t bytes) {
  gpu_pointer p = 0;
  assert_int_equal(api->allocate(&p, bytes), 0);
  return p;
}

static void device_write(gpu_pointer to, const void *from, size_t bytes) {
  assert_int_equal(api->copy_from_host(to, from, bytes, NULL), 0);
  assert_int_equal(api->stream_synchronize(NULL), 0);
}

static void device_read(void *to, gpu_pointer from, size_t bytes) {
  assert_int_equal(api->copy_to_host(to, from, bytes, NULL), 0);
  assert_int_equal(api->stream_synchronize(NULL), 0);
}

/* The default variant is the kernel of this text. */
static gpu_module original_module;
static gpu_function original_function;

static void set_original(const char *text) {
  if (original_module)
    api->module_unload(original_module);
  assert_int_equal(api->module_load(&original_module, cubin_of(text)->data), 0);
  assert_int_equal(
      api->module_function(&original_function, original_module, "autotune_entry"), 0);
}

static int original(const struct autotune_launch *l, void *const *args) {
  return api->launch(original_function, l->grid.x, l->grid.y, l->grid.z, l->block.x,
                     l->block.y, l->block.z, (unsigned)l->shared, l->stream,
                     (void **)(uintptr_t)args, NULL);
}

/* c[0:n], a[0:n], n; each test sets the sections. */
static struct {
  gpu_pointer c, a;
  int n;
  size_t c_first, c_count; /* the section of c, in elements of 4 bytes; count 0: all */
} call;
static void *call_args[] = { &call.c, &call.a, &call.n };

static unsigned kernel_sections = 2;

static void describe(void *const *args, struct autotune_call *out) {
  if (kernel_sections == 0)
    return;
  size_t n = (size_t)*(int *)args[2];
  char *c = *(char **)args[0];
  size_t count = call.c_count ? call.c_count : n;
  out->spans[0] = (struct autotune_span){ c + 4 * call.c_first, 4 * count };
  out->spans[1] = (struct autotune_span){ *(void **)args[1], 4 * n };
}

static struct autotune_section sections[] = {
  { "c[0:n]", AUTOTUNE_INOUT, AUTOTUNE_F32, 4 },
  { "a[0:n]", AUTOTUNE_IN, AUTOTUNE_F32, 4 },
};
static const struct autotune_arg args_of_call[] = { { "c", 8, 1 },
                                                    { "a", 8, 1 },
                                                    { "n", 4, 0 } };
static const unsigned written_of_call[] = { 0 };
static enum autotune_element elements_of_call[] = { AUTOTUNE_F32 };
static struct autotune_gpu gpu_of_call = {
  .flags = AUTOTUNE_GPU_CEIL,
  .launch = original,
  .instance = "",
  .n_written = 1,
  .written = written_of_call,
  .elements = elements_of_call,
};
static struct autotune_kernel kernel = {
  .abi = AUTOTUNE_ABI,
  .name = "k",
  .file = "k.cu",
  .describe = describe,
  .n_args = 3,
  .args = args_of_call,
  .n_sections = 2,
  .sections = sections,
  .atol = -1,
  .gpu = &gpu_of_call,
};

static void set_sections(unsigned n) {
  kernel.n_sections = kernel_sections = n;
}

enum { N = 1000, BLOCK = 128 };

static struct autotune_launch launch_of(unsigned block) {
  return (struct autotune_launch){ .grid = { (N + block - 1) / block, 1, 1 },
                                   .block = { block, 1, 1 } };
}

static const struct trial_plan checks = { .limit = 5, .verify = true, .precision = 0.1 };
static const struct trial_plan times = {
  .limit = 5,
  .budget = 0.2,
  .min_samples = 5,
  .max_samples = 20,
  .precision = 0.1,
  .verify = true,
};

/* Begins in a process in which nothing was launched yet. */
static void begin_device(void) {
  const char *why = "";
  gpu_context c;
  gpu_device d;
  api = gpu_api_get(&why);
  if (!api || api->init(0) != 0 || api->device_get(&d, 0) != 0) {
    printf("skipped: %s\n", *why ? why : "there is no device");
    exit(77);
  }
  assert_int_equal(api->primary_retain(&c, d), 0);
  assert_int_equal(api->context_set(c), 0);
}

/* c = 0, 1, 2, …; a = 1, 1, …; sections as above. */
static void begin_call(enum autotune_access access) {
  static float data[N];
  sections[0].access = access;
  sections[0].element = AUTOTUNE_F32;
  kernel.verify = AUTOTUNE_VERIFY_DEFAULT;
  set_sections(2);
  gpu_of_call.flags = AUTOTUNE_GPU_CEIL;
  call.n = N;
  call.c_first = call.c_count = 0;
  if (!call.c) {
    call.c = device_new(sizeof data);
    call.a = device_new(sizeof data);
  }
  for (int i = 0; i < N; i++)
    data[i] = (float)i;
  device_write(call.c, data, sizeof data);
  for (int i = 0; i < N; i++)
    data[i] = 1;
  device_write(call.a, data, sizeof data);
}

/* Asserts that the memory is as begin_call left it. */
static void assert_untouched(void) {
  static float data[N];
  device_read(data, call.c, sizeof data);
  for (int i = 0; i < N; i++)
    assert_true(data[i] == (float)i);
  device_read(data, call.a, sizeof data);
  for (int i = 0; i < N; i++)
    assert_true(data[i] == 1);
}

static struct gpu_call described(void) {
  static struct gpu_call c;
  struct autotune_launch asked = launch_of(BLOCK);
  char why[256] = "";
  if (gpu_call_describe(&kernel, call_args, &asked, NULL, &c, why, sizeof why) != 0)
    fail_msg("%s", why);
  return c;
}

#endif
