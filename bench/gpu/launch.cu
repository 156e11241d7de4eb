// SPDX-License-Identifier: Apache-2.0
// launch.cu: the cost of a launch of a tuned kernel for the host, compared with cuLaunchKernel. Both launch a kernel of
// the same parameters that ends at once, in batches that fit the device's queue, in turns; no time of the device
// is in the figures.
//
//   launch BATCHES     {"tuned": [s, …], "direct": [s, …]}: of one launch, for each batch
#include <dlfcn.h>

// compose.sh puts serve.h before this text.

#pragma autotune kernel block(32, 64, 128) grid(ceil) key(n) out(a[0:n])
__global__ void tuned_kernel(int n, float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = (float)i;
}

__global__ void plain_kernel(int n, float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = (float)i;
}

namespace {

enum { BATCH = 200, N = 64, THREADS = 64 };

void launch_tuned(int n, float *a, cudaStream_t stream)
{
  tuned_kernel<<<(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(n, a);
}

#ifdef AUTOTUNE_EMULATE // its driver has no function for plain_kernel
struct direct {
  bool launch = true;

  void operator()(int n, float *a, cudaStream_t stream) const
  {
    plain_kernel<<<(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(n, a);
  }
};
#else
// Calls cuLaunchKernel on the function that the runtime made of plain_kernel.
struct direct {
  typedef int launch_fn(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
                        void **extra);
  launch_fn *launch = nullptr;
  void *function = nullptr;

  direct()
  {
    cudaFunction_t found = nullptr;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    void *at = driver ? dlsym(driver, "cuLaunchKernel") : nullptr;
    memcpy(&launch, &at, sizeof launch);
    bench::check(cudaGetFuncBySymbol(&found, (const void *)plain_kernel), "cudaGetFuncBySymbol");
    function = found;
  }

  void operator()(int n, float *a, cudaStream_t stream) const
  {
    void *args[] = { &n, &a };
    launch(function, (unsigned)((n + THREADS - 1) / THREADS), 1, 1, THREADS, 1, 1, 0, stream, args,
           nullptr);
  }
};
#endif

// Returns the host's seconds for one of BATCH launches, without the wait for the device.
template <class F> double batch(F launch, cudaStream_t stream)
{
  double start = bench::seconds();
  for (int i = 0; i < BATCH; i++)
    launch();
  double taken = bench::seconds() - start;
  bench::check(cudaGetLastError(), "launch");
  bench::check(cudaStreamSynchronize(stream), "launch");
  return taken / BATCH;
}

void print(const char *name, const std::vector<double> &times, const char *end)
{
  printf("\"%s\": [", name);
  for (size_t i = 0; i < times.size(); i++)
    printf("%s%.9g", i ? ", " : "", times[i]);
  printf("]%s", end);
}

bool handle(bench::command &c)
{
  if (!c.is("launch"))
    return false;
  bench::device_array<float> a(N);
  std::vector<double> tuned, plain;
  cudaStream_t stream = nullptr;
  bench::check(cudaStreamCreate(&stream), "cudaStreamCreate");
  launch_tuned(N, a.at, stream); // tunes
  bench::check(cudaStreamSynchronize(stream), "launch");
  direct launch_direct;
  if (!launch_direct.launch) {
    printf("{\"error\": \"there is no driver\"}\n");
    return true;
  }
  for (int i = 0; i < c.samples + 2; i++) {
    double t = batch([&] { launch_tuned(N, a.at, stream); }, stream);
    double d = batch([&] { launch_direct(N, a.at, stream); }, stream);
    if (i >= 2) { // the first two warm up
      tuned.push_back(t);
      plain.push_back(d);
    }
  }
  cudaStreamDestroy(stream);
  printf("{");
  print("tuned", tuned, ", ");
  print("direct", plain, "}\n");
  return true;
}

} // namespace

int main()
{
  return bench::serve(handle);
}
