// SPDX-License-Identifier: Apache-2.0
// launch_overhead.cu: the nanoseconds that a launch of a tuned kernel takes more than cuLaunchKernel, with a driver
// that does nothing: the emulated one, with AUTOTUNE_EMULATE=idle. The first run, without that, tunes.
//
// launch_overhead.sh runs it.
//
//   launch_overhead     a line for each round: "round 0: direct 3.1 ns, one 11.0 ns, two 15.2 ns, four 16.0 ns"
// one: launches have one key; two, four: as many keys in turn.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>

#pragma autotune kernel block(32, 64, 128) param(TIMES = 5000: 1, 5000) grid(ceil) out(a[0:n])
__global__ void fill(int n, float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (volatile int t = 0; t < TIMES && i < n; t++) // the default cannot win
    a[i] = (float)i;
}

#pragma autotune kernel block(16x16, 32x8) param(TIMES = 5000: 1, 5000) grid(ceil) key(n / 64) out(a[0:n * n])
__global__ void square(int n, float *a)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (volatile int t = 0; t < TIMES && x < n && y < n; t++)
    a[y * n + x] = (float)(x - y);
}

namespace {

enum { ROUNDS = 25, LAUNCHES = 200000, N = 64 };
typedef int launch_fn(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **args, void **extra);

double now()
{
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); // others may use the processor meanwhile
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

void launch_fill(int n, float *a)
{
  fill<<<(n + 63) / 64, 64>>>(n, a);
}

void launch_square(int n, float *a)
{
  square<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(n, a);
}

// Returns the nanoseconds of one of LAUNCHES.
template <class F> double time_of(F launch)
{
  double start = now();
  for (int i = 0; i < LAUNCHES; i++)
    launch(i);
  return (now() - start) / LAUNCHES * 1e9;
}

} // namespace

int main()
{
  float *a;
  void *at = dlsym(RTLD_DEFAULT, "cuLaunchKernel");
  launch_fn *direct = reinterpret_cast<launch_fn *>(at);
  if (!direct || cudaMalloc(reinterpret_cast<void **>(&a), sizeof(float) * N * N * 16) != cudaSuccess)
    return 1;
  for (int i = 0; i < 4; i++) {
    launch_fill(N << i, a);
    launch_square(N, a);
  }
  if (!getenv("AUTOTUNE_EMULATE"))
    return cudaDeviceSynchronize() != cudaSuccess;
  for (int r = 0; r < ROUNDS; r++) {
    double plain = time_of([&](int i) {
      int n = N << (i & 3);
      void *args[] = { &n, &a };
      direct(&n, (n + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr);
    });
    double one = time_of([&](int) { launch_fill(N, a); });
    double two = time_of([&](int i) { launch_fill(N << (i & 1), a); });
    double four = time_of([&](int i) { launch_fill(N << (i & 3), a); });
    double flat = time_of([&](int) { launch_square(N, a); });
    printf("round %d: direct %.2f ns, one %.2f ns, two %.2f ns, four %.2f ns, square %.2f ns\n", r, plain, one, two,
           four, flat);
  }
  return 0;
}
