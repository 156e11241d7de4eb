// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) grid(ceil)
__device__ float twice(float x)
{
  return 2 * x;
}
