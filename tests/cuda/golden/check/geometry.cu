// SPDX-License-Identifier: Apache-2.0
#define BX 32

#pragma autotune kernel param(BX: 8..64 pow2) param(BY: 1, 2, 4, 8) block(BX, BY) \
  grid((columns + BX - 1) / BX, rows / BY) shared(BX * BY * sizeof(float)) constraint(BX * BY <= AUTOTUNE_MAX_THREADS) \
  constraint(BX * BY >= AUTOTUNE_WARP) constraint(BX * BY * 4 <= AUTOTUNE_SMEM_PER_BLOCK) constraint(BX >= BY) \
  key(rows, columns) isolate(off) flush(off) flops(1.0 * rows * columns) bytes(8.0 * rows * columns)
__global__ void scale(float *a, int rows, int columns)
{
  extern __shared__ float tile[];
  int t = threadIdx.y * BX + threadIdx.x, i = blockIdx.x * BX + threadIdx.x;
  tile[t] = a[i];
  __syncthreads();
  a[i] = 2 * tile[t];
}

void run(float *a, int rows, int columns)
{
  scale<<<dim3((columns + 31) / 32, rows), 32, 128>>>(a, rows, columns);
}
