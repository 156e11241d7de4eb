/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h: a program that gives measure.py samples on request, so that several such
 * programs take turns on one device without being started anew.
 *
 * A line "NAME NUMBER … SAMPLES" on standard input yields one line of JSON on standard
 * output, or {"error": "…"}:
 *
 *   {"first": s, "bytes": b, "flops": f, "flushed": true, "samples": [s, …]}
 *
 * `first` is the time of the first launch on the host's clock; with SAMPLES 0 nothing
 * else is measured. A sample is the time between two events on the device around one
 * launch, after a memset of more bytes than the L2 cache has. The host does not wait for
 * the memset, so the host's cost of a launch does not count. */
#ifndef AUTOTUNE_BENCH_GPU_SERVE_H
#define AUTOTUNE_BENCH_GPU_SERVE_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vector>

namespace bench {

/* Ends the current command with an error: caught in serve(). */
struct failure {
  char text[256];
};

inline void check(cudaError_t e, const char *what) {
  failure f;
  if (e == cudaSuccess)
    return;
  snprintf(f.text, sizeof f.text, "%s: %s", what, cudaGetErrorString(e));
  throw f;
}

inline double seconds() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Device memory of N elements, filled with numbers between -1 and 1 that depend on
 * SEED. */
static __global__ void fill_kernel(float *out, size_t n, unsigned seed) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x,
         step = (size_t)gridDim.x * blockDim.x;
  for (; i < n; i += step) {
    unsigned h = (unsigned)i * 2654435761u + seed * 40503u;
    h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
    out[i] = (float)(h & 0xffff) / 32768.0f - 1.0f;
  }
}

template <class T>
static __global__ void convert_kernel(T *out, const float *in, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x,
         step = (size_t)gridDim.x * blockDim.x;
  for (; i < n; i += step)
    out[i] = (T)in[i];
}

enum { FILL_BLOCKS = 1024, FILL_THREADS = 256 };
static const double warm_up_seconds = 0.05;

template <class T> struct device_array {
  T *at = nullptr;
  explicit device_array(size_t n) {
    check(cudaMalloc((void **)&at, n * sizeof(T)), "cudaMalloc");
  }
  device_array(const device_array &) = delete;
  device_array &operator=(const device_array &) = delete;
  ~device_array() {
    cudaFree(at);
  }
};

inline void fill(float *out, size_t n, unsigned seed) {
  fill_kernel<<<FILL_BLOCKS, FILL_THREADS>>>(out, n, seed);
  check(cudaGetLastError(), "filling memory");
}

template <class T> void fill(T *out, size_t n, unsigned seed) {
  device_array<float> as_float(n);
  fill(as_float.at, n, seed);
  convert_kernel<<<FILL_BLOCKS, FILL_THREADS>>>(out, as_float.at, n);
  check(cudaDeviceSynchronize(), "filling memory");
}

/* One command: its name, its numbers, and its measurements. */
struct command {
  char name[32];
  long long numbers[8];
  int n_numbers, samples;
  double bytes = 0, flops = 0; /* of one launch, at least; 0: unknown */

  long long number(int i) const {
    failure f;
    if (i < n_numbers)
      return numbers[i];
    snprintf(f.text, sizeof f.text, "%s needs more numbers", name);
    throw f;
  }

  bool is(const char *what) const {
    return strcmp(name, what) == 0;
  }

  template <class F> void measure(F launch);
};

struct events {
  cudaEvent_t from, to;
  events() {
    check(cudaEventCreate(&from), "cudaEventCreate");
    check(cudaEventCreate(&to), "cudaEventCreate");
  }
  ~events() {
    cudaEventDestroy(from), cudaEventDestroy(to);
  }
};

/* Returns how many bytes are set between samples: long enough to hide launches, and more
 * than any L2 cache. */
inline size_t flush_bytes() {
  int device = 0, l2 = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device),
        "cudaDeviceGetAttribute");
#ifdef AUTOTUNE_EMULATE
  return 1 << 16;
#else
  return (size_t)l2 * 4 > (256u << 20) ? (size_t)l2 * 4 : 256u << 20;
#endif
}

/* Launches for FOR_SECONDS. Memory of an H100 and an H200 was 11 to 16 % slower in the
 * first 10 ms after memory was allocated, or after another process had copied some, with
 * the clocks that nvidia-smi shows unchanged. */
template <class F> void warm_up(double for_seconds, F launch) {
  for (double end = seconds() + for_seconds; seconds() < end;) {
    launch();
    check(cudaDeviceSynchronize(), "warm-up");
  }
}

template <class F> void command::measure(F launch) {
  double start = seconds();
  launch();
  check(cudaGetLastError(), "launch");
  check(cudaDeviceSynchronize(), "first launch");
  double first = seconds() - start;

  device_array<char> beyond(samples ? flush_bytes() : 1);
  std::vector<double> times;
  events around;
  warm_up(samples ? warm_up_seconds : 0, launch);
  for (int i = 0; i < samples; i++) {
    float milliseconds = 0;
    check(cudaMemsetAsync(beyond.at, i, flush_bytes(), 0), "cudaMemsetAsync");
    check(cudaEventRecord(around.from, 0), "cudaEventRecord");
    launch();
    check(cudaEventRecord(around.to, 0), "cudaEventRecord");
    check(cudaEventSynchronize(around.to), "launch");
    check(cudaEventElapsedTime(&milliseconds, around.from, around.to),
          "cudaEventElapsedTime");
    times.push_back(1e-3 * milliseconds);
  }
  printf("{\"first\": %.9g, \"bytes\": %.17g, \"flops\": %.17g, \"flushed\": true, "
         "\"samples\": [",
         first, bytes, flops);
  for (int i = 0; i < samples; i++)
    printf("%s%.9g", i ? ", " : "", times[i]);
  printf("]}\n");
}

/* Reads commands until the end of input. HANDLE answers one, or returns false if it does
 * not know the command. */
inline int serve(bool (*handle)(command &)) {
  char line[512];
  while (fgets(line, sizeof line, stdin)) {
    command c;
    int used = 0;
    c.n_numbers = 0;
    if (sscanf(line, "%31s%n", c.name, &used) != 1)
      continue;
    for (char *at = line + used, *end; c.n_numbers < 8; at = end) {
      c.numbers[c.n_numbers] = strtoll(at, &end, 10);
      if (end == at)
        break;
      c.n_numbers++;
    }
    c.samples = c.n_numbers ? (int)c.numbers[--c.n_numbers] : 0;
    try {
      if (!handle(c))
        printf("{\"error\": \"%s is not measured here\"}\n", c.name);
    } catch (const failure &f) {
      printf("{\"error\": \"%s\"}\n", f.text);
    }
    fflush(stdout);
  }
  return 0;
}

} // namespace bench

#endif
