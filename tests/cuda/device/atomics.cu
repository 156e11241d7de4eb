// SPDX-License-Identifier: Apache-2.0
// atomics.cu: sums that differ from run to run pass within their tolerance; counters,
// also in a variable of the device, are exact. Changes that a variant makes to __device__
// variables are undone, too.
#include "device.h"

__device__ unsigned launches, count[4];
__constant__ float factor[2];

#pragma autotune kernel block(32, 64, 128) grid(ceil) key(n) verify(rtol: 1e-4) in(x[0:n]) inout(sum[0:1])
__global__ void add_up(int n, const float *x, float *sum)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    atomicAdd(&launches, 1u);
  if (i < n) {
    atomicAdd(sum, factor[0] * x[i] * x[i] + factor[1] / (float)(i + 1));
    atomicAdd(&count[i % 4], 1u);
  }
}

int main()
{
  const int n = 4000;
  const float factors[2] = { 0.5f, 3 };
  unsigned counted[4], n_launches;
  float *x = numbers(n), *sum = numbers(1), *host = fetched(x, n);
  CHECK(cudaMemcpyToSymbol(factor, factors, sizeof factors));
  for (int launch = 0; launch < 3; launch++)
    add_up<<<(n + 63) / 64, 64>>>(n, x, sum);
  CHECK(cudaGetLastError());
  double want = 0;
  for (int i = 0; i < n; i++)
    want += 0.5 * host[i] * host[i] + 3.0 / (i + 1);
  want = 3 * want - 8;
  float *got = fetched(sum, 1);
  expect(fabs(*got - want) <= 1e-3 * fabs(want), "the sum");
  CHECK(cudaMemcpyFromSymbol(counted, count, sizeof counted));
  CHECK(cudaMemcpyFromSymbol(&n_launches, launches, sizeof n_launches));
  for (int i = 0; i < 4; i++)
    expect(counted[i] == 3 * n / 4, "a counter on the device");
  expect(n_launches == 3, "trials were counted as launches");
  free(got), free(host);
  return right();
}
