// SPDX-License-Identifier: Apache-2.0
struct filler {
  #pragma autotune kernel block(128, 256) grid(ceil)
  static __global__ void fill(float *a)
  {
    a[threadIdx.x] = 1;
  }
};
