// SPDX-License-Identifier: Apache-2.0
// streams.cu: two threads launch a kernel on two streams at once, each on its own memory,
// in order with other work of its stream; no call gets a wrong answer while the other one
// is tuned.
#include <pthread.h>

#include "device.h"

#pragma autotune kernel block(32, 64, 128, 256) grid(ceil) key(n) inout(a[0:n])
__global__ void twice_and_one(int n, float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 2 * a[i] + 1;
}

enum { N = 6000, LAUNCHES = 6 };

static void *work(void *data)
{
  float *a = (float *)data, *host = (float *)malloc(sizeof *host * N);
  cudaStream_t stream;
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaMemsetAsync(a, 0, sizeof *a * N, stream));
  for (int i = 0; i < LAUNCHES; i++)
    twice_and_one<<<(N + 63) / 64, 64, 0, stream>>>(N, a);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(host, a, sizeof *host * N, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < N; i++)
    expect(host[i] == (float)((1 << LAUNCHES) - 1), "what is in a stream happens in order, once");
  CHECK(cudaStreamDestroy(stream));
  free(host);
  return NULL;
}

int main()
{
  pthread_t threads[2];
  float *a[2] = { numbers(N), numbers(N) };
  for (int i = 0; i < 2; i++)
    if (pthread_create(&threads[i], NULL, work, a[i]) != 0)
      return 1;
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return right();
}
