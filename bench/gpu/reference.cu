// SPDX-License-Identifier: Apache-2.0
// reference.cu: times of other code on this device: the driver's copy from device memory to device memory,
// and cuBLAS. cuBLAS is opened at run time: it may lie in the toolkit, in the system's folders
// or among Python's packages (measure.py says where, in BENCH_CUBLAS), with or without its headers.
//
//   copy BYTES · sgemm N · hgemm N        see serve.h
#include <cuda_fp16.h>
#include <dlfcn.h>

// compose.sh puts serve.h before this text.

using bench::command;
using bench::failure;

namespace {

// cublas_api.h's values; the functions are as old as CUDA 11.
enum { NO_TRANSPOSE = 0, FORMAT_F16 = 2, COMPUTE_F32 = 68, BEST = -1, DEFAULT_MATH = 0 };

struct cublas {
  void *handle;
  int (*create)(void **);
  int (*math_mode)(void *, int);
  int (*sgemm)(void *, int, int, int, int, int, const float *, const float *, int, const float *,
               int, const float *, float *, int);
  int (*gemm_ex)(void *, int, int, int, int, int, const void *, const void *, int, int, const void *,
                 int, int, const void *, void *, int, int, int, int);
};

void fail(const char *what, const char *why)
{
  failure f;
  snprintf(f.text, sizeof f.text, "%s: %s", what, why);
  for (char *at = f.text; *at; at++)
    if (*at == '"' || *at == '\\' || *at == '\n')
      *at = ' ';
  throw f;
}

void check_cublas(int status, const char *what)
{
  char text[32];
  snprintf(text, sizeof text, "status %d", status);
  if (status)
    fail(what, text);
}

template <class F> void find(void *library, const char *name, F *function)
{
  void *at = dlsym(library, name);
  if (!at)
    fail(name, "not found in cuBLAS");
  memcpy(function, &at, sizeof at);
}

const cublas &open_cublas()
{
  static cublas api;
  if (api.handle)
    return api;
  const char *asked = getenv("BENCH_CUBLAS");
  void *library = dlopen(asked && *asked ? asked : "libcublas.so.13", RTLD_NOW);
  if (!library && !(asked && *asked))
    library = dlopen("libcublas.so.12", RTLD_NOW);
  if (!library)
    fail("cuBLAS", dlerror());
  find(library, "cublasCreate_v2", &api.create);
  find(library, "cublasSetMathMode", &api.math_mode);
  find(library, "cublasSgemm_v2", &api.sgemm);
  find(library, "cublasGemmEx", &api.gemm_ex);
  void *handle = nullptr;
  check_cublas(api.create(&handle), "cublasCreate");
  check_cublas(api.math_mode(handle, DEFAULT_MATH), "cublasSetMathMode"); // fp32 stays fp32: no TF32
  api.handle = handle;
  return api;
}

void copy(command &c)
{
  size_t bytes = (size_t)c.number(0);
  bench::device_array<char> from(bytes), to(bytes);
  bench::check(cudaMemset(from.at, 1, bytes), "cudaMemset");
  c.bytes = 2.0 * (double)bytes; // read and written
  c.measure([&] { cudaMemcpyAsync(to.at, from.at, bytes, cudaMemcpyDeviceToDevice, 0); });
}

/* C = A B of order n by CALL, a function of cuBLAS. */
template <typename T, typename function> void gemm(command &c, const char *name, function call)
{
  int n = (int)c.number(0);
  size_t size = (size_t)n * n;
  bench::device_array<T> A(size), B(size), C(size);
  bench::fill(A.at, size, 1);
  bench::fill(B.at, size, 2);
  const float one = 1, zero = 0;
  c.flops = 2.0 * n * n * n;
  c.measure([&] { check_cublas(call(n, &one, A.at, B.at, &zero, C.at), name); });
}

void sgemm(command &c)
{
  const cublas &api = open_cublas();
  gemm<float>(c, "cublasSgemm", [&](int n, const float *one, const float *A, const float *B,
                                    const float *zero, float *C) {
    return api.sgemm(api.handle, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, one, A, n, B, n, zero, C, n);
  });
}

void hgemm(command &c)
{
  const cublas &api = open_cublas();
  gemm<__half>(c, "cublasGemmEx", [&](int n, const float *one, const __half *A, const __half *B,
                                      const float *zero, __half *C) {
    return api.gemm_ex(api.handle, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, one, A, FORMAT_F16, n, B,
                       FORMAT_F16, n, zero, C, FORMAT_F16, n, COMPUTE_F32, BEST);
  });
}

bool handle(command &c)
{
  void (*run)(command &) = c.is("copy") ? copy : c.is("sgemm") ? sgemm : c.is("hgemm") ? hgemm : nullptr;
  if (run)
    run(c);
  return run;
}

} // namespace

int main()
{
  return bench::serve(handle);
}
