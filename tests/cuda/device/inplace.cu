// SPDX-License-Identifier: Apache-2.0
// inplace.cu: y += x, without sections, within one array, sections that overlap, and memory that addresses in
// memory point to: each launch counts once, however many trials there were.
#include "device.h"

#define PER 1

#pragma autotune kernel param(PER: 1, 2, 4) block(64, 128) grid(ceil) key(n)
__global__ void add(int n, const float *x, float *y)
{
  int step = gridDim.x * blockDim.x * PER;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * PER; i < n; i += step)
    for (int p = 0; p < PER; p++)
      if (i + p < n)
        y[i + p] += x[i + p];
}

// Adds to each element the one N places after it.
#pragma autotune kernel block(64, 128) grid(ceil) key(n) in(a[0:2*n]) out(a[0:n])
__global__ void shift(int n, float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = a[i + n] + 1;
}

#pragma autotune kernel block(64, 128) grid(ceil) key(n)
__global__ void rows(int n, float **to, const float *const *from)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i % 2][i] += from[1][i];
}

// Rows 0 and 1 are the halves of one allocation.
static void check_rows(int n, float *a)
{
  float *list[2] = { a, a + n }, *other = numbers(n), *before = fetched(a, 2 * n), **to;
  const float *sources[2] = { nullptr, other }, **from;
  CHECK(cudaMalloc((void **)&to, sizeof list));
  CHECK(cudaMalloc((void **)&from, sizeof sources));
  CHECK(cudaMemcpy(to, list, sizeof list, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(from, sources, sizeof sources, cudaMemcpyHostToDevice));
  for (int launch = 0; launch < 3; launch++)
    rows<<<(n + 127) / 128, 128>>>(n, to, from);
  CHECK(cudaGetLastError());
  float *now = fetched(a, 2 * n), *added = fetched(other, n);
  for (int i = 0; i < n; i++) {
    expect(now[i % 2 * n + i] == before[i % 2 * n + i] + 3 * added[i], "the row that is written");
    expect(now[(1 - i % 2) * n + i] == before[(1 - i % 2) * n + i], "the other row");
  }
  free(before), free(now), free(added);
}

int main()
{
  const int n = 5000;
  float *a = numbers(2 * n);
  for (int launch = 0; launch < 4; launch++)
    add<<<(n + 127) / 128, 128>>>(n, a, a + n);
  CHECK(cudaGetLastError());
  float *now = fetched(a, 2 * n);
  for (int i = 0; i < n; i++) {
    expect(now[i] == (float)(i % 17 - 8), "the first half");
    expect(now[n + i] == (float)((n + i) % 17 - 8) + 4 * now[i], "the second half");
  }
  for (int launch = 0; launch < 2; launch++)
    shift<<<(n + 127) / 128, 128>>>(n, a);
  CHECK(cudaGetLastError());
  float *shifted = fetched(a, 2 * n);
  for (int i = 0; i < n; i++)
    expect(shifted[i] == now[n + i] + 1 && shifted[n + i] == now[n + i], "shifted");
  free(now), free(shifted);
  check_rows(n, a);
  return right();
}
