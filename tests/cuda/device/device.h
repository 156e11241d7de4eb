/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: for the programs of this folder, which run on a device or under emulation: each tunes a kernel or two
 * in a situation that is hard for us, looks whether the program noticed, and prints "right" at its end. */
#ifndef AUTOTUNE_TEST_DEVICE_H
#define AUTOTUNE_TEST_DEVICE_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check(call, #call, __LINE__)

static inline void check(cudaError_t e, const char *call, int line)
{
  if (e == cudaSuccess)
    return;
  printf("line %d: %s: %s\n", line, call, cudaGetErrorString(e));
  exit(1);
}

static inline void expect(bool right, const char *what)
{
  if (right)
    return;
  printf("WRONG: %s\n", what);
  exit(1);
}

/* N numbers on the device: i % 17 - 8. */
static inline float *numbers(int n)
{
  float *host = (float *)malloc(sizeof *host * n), *device;
  for (int i = 0; i < n; i++)
    host[i] = (float)(i % 17 - 8);
  CHECK(cudaMalloc((void **)&device, sizeof *host * n));
  CHECK(cudaMemcpy(device, host, sizeof *host * n, cudaMemcpyHostToDevice));
  free(host);
  return device;
}

static inline float *fetched(const float *device, int n)
{
  float *host = (float *)malloc(sizeof *host * n);
  CHECK(cudaMemcpy(host, device, sizeof *host * n, cudaMemcpyDeviceToHost));
  return host;
}

static inline int right(void)
{
  CHECK(cudaDeviceSynchronize());
  printf("right\n");
  return 0;
}

#endif
