// A sum whose last bits depend on the size of the blocks, into memory that no section names: with `verify(exact)` variants
// are wrong, else right within the tolerance of float.
#include <cuda_runtime.h>
#include <stdio.h>

enum { N = 10000 };

#pragma autotune kernel block(32, 64, 128, 256) grid(ceil)
__global__ void sum(const float *x, float *out, int n)
{
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s)
      part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(out, part[0]);
}

int main()
{
  static float numbers[N];
  float *x, *out, result = 0;
  for (int i = 0; i < N; i++)
    numbers[i] = 0.1f + static_cast<float>(i) * 1e-4f;
  cudaMalloc(&x, sizeof numbers);
  cudaMalloc(&out, sizeof *out);
  cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof *out);
  sum<<<(N + 127) / 128, 128>>>(x, out, N);
  cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
  // Each launch counts once, however many variants were tried: 5999.5.
  printf("%s: %s\n", cudaGetErrorName(cudaGetLastError()), result > 5999 && result < 6000 ? "right" : "wrong");
  return 0;
}
