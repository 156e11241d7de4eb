// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel flags("", "--use_fast_math", "-maxrregcount=64", "-Xptxas -O2")
__global__ void scale(float *a)
{
  a[threadIdx.x] *= 2;
}
