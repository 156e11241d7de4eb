// SPDX-License-Identifier: Apache-2.0
// capture.cu: the first launch of a kernel is captured into a graph: nothing is tuned then, and the graph is whole.
// A later launch outside tunes; a graph that is captured after it holds the winner.
#include "device.h"

#pragma autotune kernel block(32, 64, 128) grid(ceil) key(n) inout(a[0:n])
__global__ void one_more(int n, float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}

static void launch(int n, float *a, cudaStream_t stream)
{
  one_more<<<(n + 63) / 64, 64, 0, stream>>>(n, a);
}

static cudaGraphExec_t captured(int n, float *a, cudaStream_t stream)
{
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch(n, a, stream);
  launch(n, a, stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}

int main()
{
  const int n = 2000;
  float *a = numbers(n);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraphExec_t before = captured(n, a, stream);
  CHECK(cudaGraphLaunch(before, stream)); // 2
  launch(n, a, stream);                   // 3: tunes
  CHECK(cudaGetLastError());
  cudaGraphExec_t after = captured(n, a, stream);
  CHECK(cudaGraphLaunch(after, stream));  // 5
  CHECK(cudaGraphLaunch(before, stream)); // 7
  CHECK(cudaStreamSynchronize(stream));
  float *got = fetched(a, n);
  for (int i = 0; i < n; i++)
    expect(got[i] == (float)(i % 17 - 8) + 7, "every launch counts once");
  CHECK(cudaGraphExecDestroy(before));
  CHECK(cudaGraphExecDestroy(after));
  CHECK(cudaStreamDestroy(stream));
  free(got);
  return right();
}
