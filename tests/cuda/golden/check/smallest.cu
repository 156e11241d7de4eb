// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(16x16, 32x8, 8x32)
__global__ void add(float *c, const float *a, const float *b, int columns)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  c[y * columns + x] = a[y * columns + x] + b[y * columns + x];
}

int main()
{
  dim3 grid(64, 64), block(16, 16);
  float *a = nullptr;
  add<<<grid, block>>>(a, a, a, 1024);
}
