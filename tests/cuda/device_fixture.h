/* SPDX-License-Identifier: Apache-2.0 */
/* device_fixture.h: a CUDA kernel as `autotune cc` would translate it, by hand, for the
 * emulated device:
 *
 *   #pragma autotune kernel block(64, 128, 256) param(SLOW: 1, 2000) param(BAD: 0) \
 *       grid(ceil) in(a[0:n]) inout(c[0:n])
 *   __global__ void add(int n, float f, const float *a, float *c)   { c[i] += f * a[i] }
 */
#ifndef DEVICE_FIXTURE_H
#define DEVICE_FIXTURE_H

#include "../unit/tuned_fixture.h"
#include "compile/nvrtc.h"
#include "run/cuda/gpu.h"

// Declared by the emulator; a program would have these from its compiler.
int nvrtcCreateProgram(nvrtc_program *p, const char *text, const char *name,
                       int n_headers, const char *const *headers,
                       const char *const *names);
int nvrtcCompileProgram(nvrtc_program p, int n, const char *const *options);
int nvrtcGetCUBINSize(nvrtc_program p, size_t *bytes);
int nvrtcGetCUBIN(nvrtc_program p, char *cubin);

enum { ADD_N = 5000, ADD_DEVICES = 4 };

// BAD: 1 illegal address, 2 one element is wrong, 3 never ends, 4 trap, 5 does not
// compile, 6 writes next to c, 7 one element is off by rounding, 8 one small number is
// off by half.
// 9 is fast, and right for zeros only. 10 is right with the default's block and SLOW.
static const char add_text[] =
    "static __device__ __forceinline__ void autotune_body_add(int n, float f, const float *a, float *c) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "#if BAD == 5\n"
    "  does not compile;\n"
    "#endif\n"
    "  if (i >= n) return;\n"
    "  float sum = c[i];\n"
    "  for (volatile int again = 0; again < (BAD == 9 ? 1 : SLOW); again++) sum = c[i] + f * a[i];\n"
    "  c[i] = sum * (BAD == 7 && i == 40 ? 1.000001f : 1) + (BAD == 2 && i == 17) + (BAD == 8 && i == 17 ? 0.5f : 0) + (BAD == 9 && i == 17 ? a[i] : 0);\n"
    "  if (BAD == 10 && i == 17 && (blockDim.x != 128 || SLOW == 1)) c[i]++;\n"
    "  if (BAD == 1 && i == 3) *(volatile float *)(16) = 1;\n"
    "  if (BAD == 3 && i == 3) for (volatile int k = 0; k == k;) ;\n"
    "  if (BAD == 4 && i == 3) __trap();\n"
    "  if (BAD == 6 && i == 3) c[n + 1] = 1;\n"
    "}\n"
    "extern \"C\" __global__ void autotune_entry(int n, float f, const float *a, float *c) {\n"
    "  autotune_body_add(n, f, a, c);\n"
    "}\n"
    "#ifdef AUTOTUNE_EMULATE\n"
    "extern \"C\" void autotune_entry_call(void **p) {\n"
    "  autotune_entry(*(int *)p[0], *(float *)p[1], *(const float **)p[2], *(float **)p[3]);\n"
    "}\n"
    "#endif\n";

static const struct autotune_value add_block[] = {
  { "64", "64", 64, 64 },
  { "128", "128", 128, 128 },
  { "256", "256", 256, 256 },
  { "2048", "2048", 2048, 2048 }
}; // no device has so many threads
// The default is slow enough to lose, on a busy machine too.
static const struct autotune_value add_slow[] = { { "1", "1", 1, 1 },
                                                  { "2000", "2000", 2000, 2000 } };
static const struct autotune_value add_bad[] = {
  { "0", "0", 0, 0 }, { "1", "1", 1, 1 }, { "2", "2", 2, 2 },    { "3", "3", 3, 3 },
  { "4", "4", 4, 4 }, { "5", "5", 5, 5 }, { "6", "6", 6, 6 },    { "7", "7", 7, 7 },
  { "8", "8", 8, 8 }, { "9", "9", 9, 9 }, { "10", "10", 10, 10 }
};
static struct autotune_param add_params[] = {
  { "block", "BLOCK", AUTOTUNE_INT, -1, 4, 1, add_block },
  { "SLOW", "SLOW", AUTOTUNE_INT, -1, 2, 1, add_slow },
  { "BAD", "BAD", AUTOTUNE_INT, -1, 1, 0, add_bad }, // tests allow more of them
};
static const struct autotune_section add_sections[] = {
  { "a[0:n]", AUTOTUNE_IN, AUTOTUNE_F32, sizeof(float) },
  { "c[0:n]", AUTOTUNE_INOUT, AUTOTUNE_F32, sizeof(float) },
};
static const char *const add_flags[] = { "-std=c++17", NULL };
static const struct autotune_unit add_units[] = { { "nvrtc", add_text, add_flags } };
static const char *const add_keys[] = { "n", "device" };
static const struct autotune_arg add_args[] = { { "n", sizeof(int), 0 },
                                                { "f", sizeof(float), 0 },
                                                { "a", sizeof(void *), 1 },
                                                { "c", sizeof(void *), 1 } };

static void add_describe(void *const *args, struct autotune_call *call) {
  size_t bytes = (size_t)*(int *)args[0] * sizeof(float);
  call->spans[0] = (struct autotune_span){ *(void **)args[2], bytes };
  call->spans[1] = (struct autotune_span){ *(void **)args[3], bytes };
  call->flops = 2.0 * *(int *)args[0];
  call->bytes = 3.0 * (double)bytes;
}

static int add_geometry(const struct autotune_value *const *values, void *const *args,
                        const struct autotune_machine *machine,
                        const struct autotune_launch *asked,
                        struct autotune_launch *out) {
  (void)args;
  (void)machine;
  unsigned threads = asked->grid.x * asked->block.x, block = (unsigned)values[0]->i;
  *out = *asked;
  out->grid = (struct autotune_dim3){ (threads + block - 1) / block, 1, 1 };
  out->block = (struct autotune_dim3){ block, 1, 1 };
  return 1;
}

// The kernel as written, which a program would have from its own compiler.
static gpu_function add_functions[ADD_DEVICES];
static int add_device; // the current one
static _Atomic unsigned add_default_launches;

static int add_launch(const struct autotune_launch *asked, void *const *args) {
  add_default_launches++;
  return gpu_api_get(NULL)->launch(add_functions[add_device], asked->grid.x, 1, 1,
                                   asked->block.x, 1, 1, 0, asked->stream,
                                   (void **)(uintptr_t)args, NULL);
}

static struct autotune_gpu add_gpu = { .flags = AUTOTUNE_GPU_CEIL,
                                       .launch = add_launch,
                                       .geometry = add_geometry,
                                       .instance = "" };

static void add_nobody(void) {
}

static struct autotune_kernel add_kernel = {
  .abi = AUTOTUNE_ABI,
  .name = "add",
  .file = "add.cu",
  .line = 1,
  .original = add_nobody,
  .describe = add_describe,
  .n_args = 4,
  .args = add_args,
  .n_keys = 2,
  .keys = add_keys,
  .n_params = 3,
  .params = add_params,
  .n_sections = 2,
  .sections = add_sections,
  .n_units = 1,
  .units = add_units,
  .gpu = &add_gpu,
};
static struct autotune_site add_site = { .kernel = &add_kernel };

// The stub. True: a variant was launched, not the default.
static bool add(int n, float f, gpu_pointer a, gpu_pointer c, gpu_stream s) {
  struct autotune_launch asked = {
    { (unsigned)(n + 127) / 128, 1, 1 }, { 128, 1, 1 }, 0, s
  };
  long long key[] = { n, add_device };
  void *args[] = { &n, &f, &a, &c };
  int rc = autotune_launch_kernel(&add_site, key, args, &asked);
  if (rc == AUTOTUNE_LAUNCH_DEFAULT)
    EXPECT(add_launch(&asked, args) == 0);
  else
    EXPECT(rc == 0);
  return rc == 0;
}

// Makes device ORDINAL current, with the kernel as written on it.
static void add_use(int ordinal) {
  static const char as_written[] =
      "#define BLOCK 128\n#define SLOW 2000\n#define BAD 0\n";
  const struct gpu_api *api = gpu_api_get(NULL);
  gpu_context context;
  gpu_device d;
  EXPECT(api && api->init(0) == 0 && api->device_get(&d, ordinal) == 0);
  EXPECT(api->primary_retain(&context, d) == 0 && api->context_set(context) == 0);
  add_device = ordinal;
  if (add_functions[ordinal])
    return;
  gpu_module module;
  nvrtc_program program;
  size_t size;
  char *text = sys_printf("%s%s", as_written, add_text), *cubin;
  EXPECT(nvrtcCreateProgram(&program, text, "add.cu", 0, NULL, NULL) == 0);
  EXPECT(nvrtcCompileProgram(program, 1, add_flags) == 0);
  EXPECT(nvrtcGetCUBINSize(program, &size) == 0 && (cubin = malloc(size)));
  EXPECT(nvrtcGetCUBIN(program, cubin) == 0);
  EXPECT(api->module_load(&module, cubin) == 0);
  EXPECT(api->module_function(&add_functions[ordinal], module, "autotune_entry") == 0);
  free(cubin);
  free(text);
}

struct add_memory {
  gpu_pointer a, c;
  float *host;
  int n;
};

static struct add_memory add_allocate(int n) {
  const struct gpu_api *api = gpu_api_get(NULL);
  struct add_memory m = { .n = n, .host = malloc((size_t)n * sizeof(float)) };
  EXPECT(m.host && api->allocate(&m.a, (size_t)(n + 64) * sizeof(float)) == 0 &&
         api->allocate(&m.c, (size_t)(n + 64) * sizeof(float)) == 0);
  for (int i = 0; i < n; i++)
    m.host[i] = (float)(i % 100);
  EXPECT(api->copy_from_host(m.a, m.host, (size_t)n * sizeof(float), NULL) == 0);
  EXPECT(api->copy_from_host(m.c, m.host, (size_t)n * sizeof(float), NULL) == 0);
  EXPECT(api->context_synchronize() == 0);
  return m;
}

// True if the memory that was copied to the host has the values of c after LAUNCHES of
// add with f = 3.
static bool add_holds(const struct add_memory *m, int launches) {
  for (int i = 0; i < m->n; i++)
    if (m->host[i] != (float)(i % 100) * (float)(1 + 3 * launches)) {
      fprintf(stderr, "element %d is %g after %d launches\n", i, (double)m->host[i],
              launches);
      return false;
    }
  return true;
}

static inline bool add_is_right(const struct add_memory *m, int launches) {
  const struct gpu_api *api = gpu_api_get(NULL);
  EXPECT(api->copy_to_host(m->host, m->c, (size_t)m->n * sizeof(float), NULL) == 0);
  EXPECT(api->context_synchronize() == 0);
  return add_holds(m, launches);
}

static inline bool add_why_has(const char *words) {
  char *why = NULL;
  bool has = autotune_why("add", NULL, &why) == AUTOTUNE_OK && strstr(why, words);
  if (!has)
    fprintf(stderr, "'%s' is not in: %s\n", words, why ? why : "(nothing)");
  free(why);
  return has;
}

#endif
