// SPDX-License-Identifier: Apache-2.0
namespace a {
#pragma autotune kernel block(128, 256) grid(ceil)
__global__ void fill(float *a)
{
  a[threadIdx.x] = 1;
}
}
namespace b {
__global__ void fill(float *a)
{
  a[threadIdx.x] = 2;
}
}
using namespace a;

void run(float *p)
{
  fill<<<4, 128>>>(p);
  b::fill<<<4, 128>>>(p);
}
