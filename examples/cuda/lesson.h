// SPDX-License-Identifier: Apache-2.0
// lesson.h: shared by the programs around the lessons' kernels: sizes, memory, times. It uses
// nothing of autotune.
#ifndef LESSON_H
#define LESSON_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef AUTOTUNE_EMULATE // a processor plays the device
enum { EMULATED = 1, LAUNCHES = 2 };
#else
enum { EMULATED = 0, LAUNCHES = 30 };
#endif

inline void check(cudaError_t e)
{
  if (e != cudaSuccess)
    printf("  %s\n", cudaGetErrorString(e)), exit(1);
}

// The program's I-th argument; without it, a size for a GPU, or for its emulation.
inline int argument(int argc, char **argv, int i, int gpu, int emulated)
{
  return argc > i ? atoi(argv[i]) : EMULATED ? emulated : gpu;
}

// N elements in the host's memory and N on the device, where all bits are 1 at first: no
// number, in any type of floating point.
template <class T> struct array {
  size_t n;
  T *host, *device;

  explicit array(size_t n) : n(n), host((T *)malloc(n * sizeof(T)))
  {
    if (!host)
      printf("  no memory\n"), exit(1);
    check(cudaMalloc((void **)&device, n * sizeof(T)));
    check(cudaMemset(device, 255, n * sizeof(T)));
  }
  array(const array &) = delete;
  array &operator=(const array &) = delete;
  ~array() { cudaFree(device), free(host); }

  T &operator[](size_t i) { return host[i]; }
  void to_device() { check(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice)); }
  void to_host() { check(cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost)); }
};

inline double seconds()
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Prints how long the first launch takes on the clock, and the best of later ones on the
// device; then what that means for a launch that moves so many BYTES and does so many FLOPS,
// where these are not 0.
template <class F> void measure(F launch, double bytes, double flops = 0)
{
  cudaEvent_t from, to;
  float best = INFINITY; // in milliseconds
  check(cudaEventCreate(&from));
  check(cudaEventCreate(&to));
  double start = seconds();
  launch();
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  printf("  first call   %.6f s\n", seconds() - start);
  for (int i = 0; i < LAUNCHES; i++) {
    float ms = 0;
    check(cudaEventRecord(from));
    launch();
    check(cudaEventRecord(to));
    check(cudaEventSynchronize(to));
    check(cudaEventElapsedTime(&ms, from, to));
    best = fminf(best, ms);
  }
  check(cudaGetLastError());
  printf("  later calls  %.6f s", best * 1e-3);
  if (EMULATED)
    printf("   (emulated, no GPU's time)");
  if (!EMULATED && bytes > 0)
    printf("   %.1f GB/s", bytes * 1e-6 / best);
  if (!EMULATED && flops > 0)
    printf("   %.1f GFLOP/s", flops * 1e-6 / best);
  printf("\n");
  check(cudaEventDestroy(from));
  check(cudaEventDestroy(to));
}

// The program's exit status.
inline int finish(bool right)
{
  if (right)
    printf("  right answer\n");
  return right ? 0 : 1;
}

#endif
