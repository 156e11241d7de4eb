/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the emulator as a driver and as NVRTC, and its errors. An error of a kernel stays
 * until the process ends, so each case has a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda.h"
#include "nvrtc.h"

#define TEN(a) a a a a a a a a a a
#define LONG_NAME TEN(TEN("name_of"))

static const char unit[] =
    "template <class T> static __device__ __forceinline__ void body(T *a, int n)\n"
    "{\n"
    "  extern __shared__ __align__(16) T tile[];\n"
    "  __shared__ int count;\n"
    "  if (threadIdx.x == 0) count = 0;\n"
    "  __syncthreads();\n"
    "  atomicAdd(&count, 1);\n"
    "  tile[threadIdx.x] = a[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  if ((int)threadIdx.x < n) a[threadIdx.x] = tile[n - 1 - threadIdx.x] + count + ADDED;\n"
    "}\n"
    "extern \"C\" { __device__ int *autotune_symbol_x; }\n"
    "namespace autotune_instance {\n"
    "using T = AUTOTUNE_T0;\n"
    "extern \"C\" __global__ void __launch_bounds__(64) autotune_entry(T *a, int n) { ::body<T>(a, n); }\n"
    "}\n"
    "extern \"C\" __global__ void beyond(int *a, int n) { a[n + threadIdx.x] = 1; }\n"
    "extern \"C\" __global__ void tile_beyond(int *a, int n)\n"
    "{ extern __shared__ int s[]; s[n + 1] = 1; a[0] = s[0]; }\n"
    "extern \"C\" __global__ void trap(int *a, int n) { if (threadIdx.x == 3) __trap(); a[n - 1] = 1; }\n"
    "extern \"C\" __global__ void fails(int *a, int n) { assert(a[0] == n); }\n"
    "extern \"C\" __global__ void hangs(int *a, int) { for (volatile int i = 0; i == i;) a[0] = i; }\n"
    "extern \"C\" __global__ void spins(int *a, int) { while (atomicAdd(a, 0) == 0) ; }\n"
    "extern \"C\" __global__ void deadlock(int *, int)\n"
    "{ if (threadIdx.x < 32) __syncthreads(); else __shfl_sync(~0u, 1, 0); if (threadIdx.x > 40) __syncthreads();\n"
    "  else __syncwarp(); }\n"
    "extern \"C\" __global__ void recurses(int *a, int n)\n"
    "{ volatile char frame[4096]; frame[0] = n; if (n) recurses(a, n); a[0] += frame[0]; }\n"
    "extern \"C\" __global__ void follows(int *a, int n) { a[n - 1] = *autotune_symbol_x; }\n"
    "extern \"C\" __global__ void " LONG_NAME "(int *, int) {}\n"
    "extern \"C\" __global__ void fill(int *a, int n)\n"
    "{ for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = i; }\n";

enum { N = 64 };

/* ---- one process a case ---------------------------------------------------------- */

/* Runs RUN in a process with SETTINGS. Returns 0 or the line of the first failure. */
static int in_child(const char *settings, int (*run)(void)) {
  int status;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE,
                                   SIGILL }; /* cmocka handles these */
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
      signal(signals[i], SIG_DFL);
    if (settings)
      setenv("AUTOTUNE_EMULATE", settings, 1);
    else
      unsetenv("AUTOTUNE_EMULATE");
    alarm(60);
    _exit(run());
  }
  assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
#define EXPECT(what)                                             \
  do {                                                           \
    if (!(what)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
      return 1;                                                  \
    }                                                            \
  } while (0)

/* Compiled once, by the first child, into memory that all children share. */
enum { ROOM = 1 << 20 };
static char *cubin;

/* Returns NVRTC's answer; -1: a call failed that should work. */
static int compile(const char *text, const char *architecture, char *out, char *log) {
  const char *options[] = { architecture,        "-std=c++17",
                            "-DAUTOTUNE_T0=int", "-D",
                            "ADDED=1000",        "-I/nowhere/include",
                            "--use_fast_math",   "-maxrregcount=64" };
  nvrtcProgram p;
  size_t size = 0;
  if (nvrtcCreateProgram(&p, text, "unit.cu", 0, NULL, NULL) != NVRTC_SUCCESS)
    return -1;
  nvrtcResult result = nvrtcCompileProgram(p, 8, options);
  if (nvrtcGetProgramLogSize(p, &size) != NVRTC_SUCCESS || size > ROOM ||
      nvrtcGetProgramLog(p, log) != NVRTC_SUCCESS)
    return -1;
  if (result == NVRTC_SUCCESS &&
      (nvrtcGetCUBINSize(p, &size) != NVRTC_SUCCESS || size > ROOM || size < 5000 ||
       nvrtcGetCUBIN(p, out) != NVRTC_SUCCESS))
    return -1;
  return nvrtcDestroyProgram(&p) == NVRTC_SUCCESS && !p ? (int)result : -1;
}

static int compiles(void) {
  static char log[ROOM];
  int result = compile(unit, "--gpu-architecture=sm_80", cubin, log);
  if (result != NVRTC_SUCCESS)
    fprintf(stderr, "%d: %s\n", result, log);
  return result;
}

/* This process never calls the emulator, so that each child starts anew. */
static int setup(void **state) {
  (void)state;
  cubin = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return cubin == MAP_FAILED ? -1 : in_child(NULL, compiles);
}
static int teardown(void **state) {
  (void)state;
  munmap(cubin, ROOM);
  return 0;
}

struct world {
  CUcontext context;
  CUmodule module;
  CUdeviceptr p;
};
static int world_make(struct world *w) {
  EXPECT(cuInit(0) == CUDA_SUCCESS);
  EXPECT(cuDevicePrimaryCtxRetain(&w->context, 0) == CUDA_SUCCESS);
  EXPECT(cuCtxSetCurrent(w->context) == CUDA_SUCCESS);
  EXPECT(cuModuleLoadData(&w->module, cubin) == CUDA_SUCCESS);
  EXPECT(cuMemAlloc(&w->p, N * sizeof(int)) == CUDA_SUCCESS);
  EXPECT(cuMemsetD8(w->p, 0, N * sizeof(int)) == CUDA_SUCCESS);
  return 0;
}
static CUresult world_launch(struct world *w, const char *kernel, int n,
                             unsigned shared) {
  CUfunction f;
  CUresult e = cuModuleGetFunction(&f, w->module, kernel);
  void *args[] = { &w->p, &n };
  return e ? e : cuLaunchKernel(f, 1, 1, 1, N, 1, 1, shared, NULL, args, NULL);
}

/* ---- what works ------------------------------------------------------------------ */

static int launches(void) {
  struct world w;
  int in[N], out[N], value;
  CUfunction f;
  if (world_make(&w))
    return 1;
  for (int i = 0; i < N; i++)
    in[i] = i;
  EXPECT(cuMemcpyHtoD(w.p, in, sizeof in) == CUDA_SUCCESS);
  EXPECT(world_launch(&w, "autotune_entry", N, N * sizeof(int)) == CUDA_SUCCESS);
  EXPECT(cuMemcpyDtoH(out, w.p, sizeof out) == CUDA_SUCCESS);
  for (int i = 0; i < N; i++)
    EXPECT(out[i] == N - 1 - i + N + 1000);
  EXPECT(cuModuleGetFunction(&f, w.module, "autotune_entry") == CUDA_SUCCESS);
  EXPECT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f) ==
             CUDA_SUCCESS &&
         value == 4);
  EXPECT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f) == CUDA_SUCCESS &&
         value == 32);
  EXPECT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 1024, 0) ==
             CUDA_SUCCESS &&
         value == 1);
  EXPECT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 128, 40 << 10) ==
             CUDA_SUCCESS &&
         value == 2);
  EXPECT(cuModuleGetFunction(&f, w.module, "nobody") == CUDA_ERROR_NOT_FOUND);
  EXPECT(cuModuleGetFunction(&f, w.module, LONG_NAME) == CUDA_SUCCESS);
  EXPECT(world_launch(&w, "autotune_entry", N, 49 << 10) == CUDA_ERROR_INVALID_VALUE);
  return 0;
}
static void test_launch(void **state) {
  (void)state;
  assert_int_equal(in_child(NULL, launches), 0);
}

static int symbols(void) {
  struct world w;
  CUdeviceptr symbol, base, x;
  size_t bytes;
  int seven = 7, out = 0;
  if (world_make(&w))
    return 1;
  EXPECT(cuMemAlloc(&x, sizeof seven) == CUDA_SUCCESS);
  EXPECT(cuMemcpyHtoD(x, &seven, sizeof seven) == CUDA_SUCCESS);
  EXPECT(cuModuleGetGlobal(&symbol, &bytes, w.module, "autotune_symbol_x") ==
             CUDA_SUCCESS &&
         bytes == 8);
  EXPECT(cuMemcpyHtoD(symbol, &x, sizeof x) == CUDA_SUCCESS);
  EXPECT(world_launch(&w, "follows", N, 0) == CUDA_SUCCESS);
  EXPECT(cuMemcpyDtoH(&out, w.p + (N - 1) * sizeof(int), sizeof out) == CUDA_SUCCESS &&
         out == 7);
  EXPECT(cuMemGetAddressRange(&base, &bytes, w.p + 17) == CUDA_SUCCESS && base == w.p);
  EXPECT(bytes == N * sizeof(int));
  EXPECT(cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)(uintptr_t)&w) ==
         CUDA_ERROR_NOT_FOUND);
  EXPECT(cuModuleUnload(w.module) == CUDA_SUCCESS);
  EXPECT(cuMemcpyHtoD(symbol, &x, sizeof x) == CUDA_ERROR_INVALID_VALUE);
  return 0;
}
static void test_symbols(void **state) {
  (void)state;
  assert_int_equal(in_child(NULL, symbols), 0);
}

static int nvrtc_errors(void) {
  static char out[ROOM], log[ROOM];
  const char *const option[] = { "--gpu-architecture=sm_80", "--no-such-option" };
  nvrtcProgram p;
  EXPECT(compile("__global__ void k() {\n  undeclared = 1;\n}\n", "-arch=sm_80", out,
                 log) == NVRTC_ERROR_COMPILATION);
  EXPECT(strstr(log, "unit.cu:2:") != NULL);
  EXPECT(strstr(log, "error: use of undeclared identifier 'undeclared'") != NULL);
  EXPECT(
      compile(
          "__global__ void k(int *a) { asm volatile(\"mov.u32 %0, 1;\" : \"=r\"(a[0])); }",
          "-arch=sm_80", out, log) == NVRTC_ERROR_COMPILATION);
  EXPECT(strstr(log, "inline PTX cannot be emulated") != NULL);
  EXPECT(nvrtcCreateProgram(&p, "", NULL, 0, NULL, NULL) == NVRTC_SUCCESS);
  EXPECT(nvrtcCompileProgram(p, 2, option) == NVRTC_ERROR_INVALID_OPTION);
  EXPECT(nvrtcGetProgramLog(p, log) == NVRTC_SUCCESS &&
         strstr(log, "--no-such-option") != NULL);
  EXPECT(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
  return 0;
}
static void test_nvrtc_errors(void **state) {
  (void)state;
  assert_int_equal(in_child(NULL, nvrtc_errors), 0);
}

static int images(void) {
  struct world w;
  CUmodule m;
  char *damaged = malloc(4096);
  if (world_make(&w))
    return 1;
  memset(damaged, 0, 4096);
  EXPECT(cuModuleLoadData(&m, damaged) == CUDA_ERROR_INVALID_IMAGE);
  free(damaged);
  damaged = malloc(ROOM);
  memcpy(damaged, cubin, ROOM);
  EXPECT(cuModuleLoadData(&m, damaged) == CUDA_SUCCESS);
  damaged[4000] ^= 1;
  EXPECT(cuModuleLoadData(&m, damaged) == CUDA_ERROR_INVALID_IMAGE);
  free(damaged);
  return 0;
}
static int other_device(void) {
  CUcontext c;
  CUmodule m;
  EXPECT(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&c, 0) == CUDA_SUCCESS);
  EXPECT(cuCtxSetCurrent(c) == CUDA_SUCCESS);
  EXPECT(cuModuleLoadData(&m, cubin) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  return 0;
}
static void test_images(void **state) {
  (void)state;
  assert_int_equal(in_child(NULL, images), 0);
  assert_int_equal(in_child("cc=90", other_device), 0);
}

/* ---- kernels that go wrong ------------------------------------------------------- */

static struct {
  const char *kernel;
  unsigned shared;
  CUresult error;
} wrong;
static int goes_wrong(void) {
  struct world w;
  CUdeviceptr more;
  CUevent event;
  int host[N];
  if (world_make(&w))
    return 1;
  EXPECT(cuEventCreate(&event, 0) == CUDA_SUCCESS);
  EXPECT(world_launch(&w, wrong.kernel, N, wrong.shared) == CUDA_SUCCESS);
  EXPECT(cuCtxSynchronize() == wrong.error);
  /* The error stays. */
  EXPECT(cuCtxSynchronize() == wrong.error);
  EXPECT(cuMemcpyDtoH(host, w.p, sizeof host) == wrong.error);
  EXPECT(cuMemAlloc(&more, 4) == wrong.error);
  EXPECT(world_launch(&w, "fill", N, 0) == wrong.error);
  EXPECT(cuStreamSynchronize(NULL) == wrong.error &&
         cuEventRecord(event, NULL) == wrong.error);
  return 0;
}
static void check_wrong(const char *settings, const char *kernel, unsigned shared,
                        CUresult error) {
  wrong.kernel = kernel;
  wrong.shared = shared;
  wrong.error = error;
  assert_int_equal(in_child(settings, goes_wrong), 0);
}
static void test_wrong(void **state) {
  (void)state;
  check_wrong(NULL, "beyond", 0, CUDA_ERROR_ILLEGAL_ADDRESS);
  check_wrong(NULL, "tile_beyond", N * 4, CUDA_ERROR_ILLEGAL_ADDRESS);
  check_wrong(NULL, "tile_beyond", 0, CUDA_ERROR_ILLEGAL_ADDRESS);
  check_wrong(NULL, "trap", 0, CUDA_ERROR_LAUNCH_FAILED);
  check_wrong(NULL, "fails", 0, CUDA_ERROR_ASSERT);
  check_wrong(NULL, "deadlock", 0, CUDA_ERROR_LAUNCH_FAILED);
  check_wrong(NULL, "recurses", 0, CUDA_ERROR_ILLEGAL_ADDRESS); /* the end of its stack */
  check_wrong("timeout=0.2", "hangs", 0, CUDA_ERROR_LAUNCH_TIMEOUT);
  check_wrong("timeout=0.2", "spins", 0, CUDA_ERROR_LAUNCH_TIMEOUT);
}

/* A query returns while a kernel runs. */
static int polls(void) {
  struct world w;
  CUevent event;
  if (world_make(&w))
    return 1;
  EXPECT(cuEventCreate(&event, 0) == CUDA_SUCCESS);
  EXPECT(world_launch(&w, "hangs", N, 0) == CUDA_SUCCESS);
  EXPECT(cuEventRecord(event, NULL) == CUDA_SUCCESS);
  EXPECT(cuEventQuery(event) == CUDA_ERROR_NOT_READY);
  EXPECT(cuStreamQuery(NULL) == CUDA_ERROR_NOT_READY);
  EXPECT(cuEventSynchronize(event) == CUDA_ERROR_LAUNCH_TIMEOUT);
  return 0;
}
static void test_polls(void **state) {
  (void)state;
  assert_int_equal(in_child("timeout=0.5", polls), 0);
}

/* The emulator passes on a fault outside of kernels. */
static int host_fault(void) {
  struct world w;
  if (world_make(&w) || cuCtxSynchronize() != CUDA_SUCCESS)
    return 1;
  static int *volatile nowhere = (int *)8;
  *nowhere = 1;
  return 2;
}
static void test_host_fault(void **state) {
  (void)state;
  assert_int_equal(in_child(NULL, host_fault), 128 + SIGSEGV);
}

/* ---- processes ------------------------------------------------------------------- */

static int forked(void) {
  struct world w;
  int n, status;
  if (world_make(&w))
    return 1;
  pid_t pid = fork();
  if (pid == 0) {
    static char out[ROOM], log[ROOM]; /* NVRTC works, because it needs no device */
    bool fine = cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED &&
        cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
        compile("extern \"C\" __global__ void k() {}", "-arch=sm_80", out, log) ==
            NVRTC_SUCCESS;
    _exit(fine ? 0 : 1);
  }
  EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
  EXPECT(cuDeviceGetCount(&n) == CUDA_SUCCESS && n == 1);
  return 0;
}
static void test_forked(void **state) {
  (void)state;
  assert_int_equal(in_child(NULL, forked), 0);
}

/* Two processes, neither of which is the parent of the other. */
static int shares[2];
static int exports(void) {
  struct world w;
  CUipcMemHandle handle;
  CUdeviceptr own;
  char done;
  int out[N];
  if (world_make(&w))
    return 1;
  EXPECT(cuIpcGetMemHandle(&handle, w.p + 4) == CUDA_SUCCESS);
  EXPECT(cuIpcOpenMemHandle(&own, handle, 1) == CUDA_ERROR_INVALID_CONTEXT);
  EXPECT(write(shares[0], &handle, sizeof handle) == sizeof handle);
  EXPECT(read(shares[0], &done, 1) == 1 && done == 1);
  EXPECT(cuMemcpyDtoH(out, w.p, sizeof out) == CUDA_SUCCESS);
  EXPECT(out[0] == 0 && out[1] == 1);
  EXPECT(out[N - 1] == N - 1);
  return 0;
}
static int opens(void) {
  struct world w;
  CUipcMemHandle handle;
  CUdeviceptr p, again, base, own;
  size_t bytes;
  char done = 1;
  EXPECT(read(shares[1], &handle, sizeof handle) == sizeof handle);
  if (world_make(&w))
    return 1;
  own = w.p;
  EXPECT(cuIpcOpenMemHandle(&p, handle, 1) == CUDA_SUCCESS &&
         cuIpcOpenMemHandle(&again, handle, 1) == CUDA_SUCCESS);
  EXPECT(p == again && cuMemGetAddressRange(&base, &bytes, p) == CUDA_SUCCESS);
  EXPECT(base == p && bytes == N * sizeof(int) &&
         cuMemFree(p) == CUDA_ERROR_INVALID_VALUE);
  w.p = p;
  EXPECT(world_launch(&w, "fill", N, 0) == CUDA_SUCCESS &&
         cuCtxSynchronize() == CUDA_SUCCESS);
  EXPECT(cuIpcCloseMemHandle(p) == CUDA_SUCCESS &&
         cuMemcpyDtoD(own, p, 4) == CUDA_SUCCESS);
  EXPECT(cuIpcCloseMemHandle(p) == CUDA_SUCCESS &&
         cuMemcpyDtoD(own, p, 4) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(write(shares[1], &done, 1) == 1);
  handle.reserved[0] ^= 1;
  EXPECT(cuIpcOpenMemHandle(&p, handle, 1) == CUDA_ERROR_INVALID_VALUE);
  return 0;
}
static void test_ipc(void **state) {
  (void)state;
  int status;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, shares), 0);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(60);
    _exit(exports());
  }
  assert_int_equal(in_child(NULL, opens), 0);
  assert_true(waitpid(pid, &status, 0) == pid && status == 0);
  close(shares[0]);
  close(shares[1]);
}

/* ---- settings -------------------------------------------------------------------- */

static int two_devices(void) {
  CUcontext a, b, c;
  CUdeviceptr p, q;
  size_t available, total;
  int n, value;
  EXPECT(cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&n) == CUDA_SUCCESS && n == 2);
  EXPECT(cuDevicePrimaryCtxRetain(&a, 0) == CUDA_SUCCESS &&
         cuDevicePrimaryCtxRetain(&b, 1) == CUDA_SUCCESS);
  EXPECT(cuDevicePrimaryCtxRetain(&c, 2) == CUDA_ERROR_INVALID_DEVICE && a != b);
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
  EXPECT(cuCtxSetCurrent(b) == CUDA_SUCCESS && cuMemAlloc(&p, 1 << 20) == CUDA_SUCCESS);
  EXPECT(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p) ==
             CUDA_SUCCESS &&
         n == 1);
  EXPECT(cuMemGetInfo(&available, &total) == CUDA_SUCCESS && total == 2 << 20 &&
         available == 1 << 20);
  EXPECT(cuMemAlloc(&q, (1 << 20) + 1) == CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT(cuMemFree(p) == CUDA_SUCCESS && cuMemAlloc(&q, (1 << 20) + 1) == CUDA_SUCCESS);
  EXPECT(cuCtxSetCurrent(a) == CUDA_SUCCESS && cuMemAlloc(&p, 1 << 20) == CUDA_SUCCESS);
  EXPECT(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 1) ==
             CUDA_SUCCESS &&
         value == 9);
  return 0;
}
static int no_device(void) {
  int n;
  EXPECT(cuInit(0) == CUDA_ERROR_NO_DEVICE &&
         cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED);
  return 0;
}
static void test_settings(void **state) {
  (void)state;
  assert_int_equal(in_child("devices=2,memory=2M,cc=90", two_devices), 0);
  assert_int_equal(in_child("devices=0", no_device), 0);
}

/* The second call of each kind fails, and then all calls. */
static const char *kind;
static CUresult call_of_kind(struct world *w) {
  CUdeviceptr p;
  CUmodule m;
  CUevent event;
  CUipcMemHandle handle;
  int host[N];
  if (!strcmp(kind, "memory"))
    return cuMemAlloc(&p, 4);
  if (!strcmp(kind, "load"))
    return cuModuleLoadData(&m, cubin);
  if (!strcmp(kind, "sync"))
    return cuStreamSynchronize(NULL);
  if (!strcmp(kind, "copy"))
    return cuMemcpyDtoH(host, w->p, sizeof host);
  if (!strcmp(kind, "event"))
    return cuEventCreate(&event, 0);
  if (!strcmp(kind, "ipc"))
    return cuIpcGetMemHandle(&handle, w->p);
  CUresult e = world_launch(w, "fill", N, 0);
  return e ? e : cuCtxSynchronize();
}
static int second_fails(void) {
  struct world w;
  if (world_make(&w))
    return 1;
  while (call_of_kind(&w) == CUDA_SUCCESS)
    EXPECT(true);
  /* Errors of kernels stay; others do not, unless all calls fail. */
  return call_of_kind(&w) == CUDA_SUCCESS ? 10 : 20;
}
static void test_faults(void **state) {
  (void)state;
  static const struct {
    const char *kind;
    bool stays;
  } kinds[] = { { "memory", false }, { "load", false },   { "sync", false },
                { "copy", false },   { "event", false },  { "ipc", false },
                { "launch", false }, { "illegal", true }, { "trap", true },
                { "assert", true },  { "timeout", true } };
  char settings[64];
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    kind = kinds[i].kind;
    snprintf(settings, sizeof settings, "fault=%s:3", kind);
    assert_int_equal(in_child(settings, second_fails), kinds[i].stays ? 20 : 10);
    snprintf(settings, sizeof settings, "fault=%s:3+", kind);
    assert_int_equal(in_child(settings, second_fails), 20);
  }
}

static int nvrtc_fails(void) {
  static char out[ROOM], log[ROOM];
  EXPECT(compile("", "-arch=sm_80", out, log) == NVRTC_ERROR_COMPILATION &&
         strstr(log, "injected"));
  EXPECT(compile("", "-arch=sm_80", out, log) == NVRTC_SUCCESS);
  return 0;
}
static void test_nvrtc_fault(void **state) {
  (void)state;
  assert_int_equal(in_child("fault=nvrtc:1", nvrtc_fails), 0);
}

int main(void) {
  unsetenv("AUTOTUNE_EMULATE");
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_launch),       cmocka_unit_test(test_symbols),
    cmocka_unit_test(test_nvrtc_errors), cmocka_unit_test(test_images),
    cmocka_unit_test(test_wrong),        cmocka_unit_test(test_polls),
    cmocka_unit_test(test_host_fault),   cmocka_unit_test(test_forked),
    cmocka_unit_test(test_ipc),          cmocka_unit_test(test_settings),
    cmocka_unit_test(test_faults),       cmocka_unit_test(test_nvrtc_fault),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
