// SPDX-License-Identifier: Apache-2.0
// emulated.h: what emulated.cu and emulated_hopper.cu share: checks that are counted,
// memory, and a run of all tests.
#ifndef EMULATED_H
#define EMULATED_H

#include <cuda_runtime.h>

using autotune_emulate::launch;

static int n_passed, n_failed;
#define CHECK(what)                                     \
  do {                                                  \
    if (what)                                           \
      n_passed++;                                       \
    else {                                              \
      n_failed++;                                       \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #what); \
    }                                                   \
  } while (0)

template <class T> struct Buffer { // managed, so that both sides read it
  T *p;
  explicit Buffer(size_t n) {
    CHECK(cudaMallocManaged(&p, n * sizeof(T)) == cudaSuccess);
    memset((void *)p, 0, n * sizeof(T));
  }
  ~Buffer() {
    cudaFree(p);
  }
  operator T *() {
    return p;
  }
};

static bool done() {
  return cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess;
}

// Returns the exit status.
template <size_t N> static int run(void (*const (&tests)[N])()) {
  for (auto test : tests)
    test();
  printf("%d passed, %d failed\n", n_passed, n_failed);
  return n_failed != 0;
}

#endif
