// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
template <template <class> class F>
__global__ void fill(float *a)
{
  a[threadIdx.x] = F<float>()();
}
