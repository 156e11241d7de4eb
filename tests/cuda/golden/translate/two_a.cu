#include "two.cuh"
#include <cstdio>

void other(float *a);

int main()
{
  float *a = nullptr;
  cudaMalloc((void **)&a, 256);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  doubled<<<2, 32>>>(a, 64);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  other(a);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
