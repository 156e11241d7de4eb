/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_stream.c: the runtime API on streams, events, graphs: the driver's functions in
 * the runtime's context. */
#include <stdlib.h>

#include "runtime.h"

struct cudaGraph_st {
  struct graph *graph;
};
struct cudaGraphExec_st {
  struct graph *graph;
};

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *s) {
  THROUGH(cuStreamCreate(s, 0));
}
EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) {
  THROUGH(cuStreamCreate(s, flags));
}
EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags,
                                                int priority) {
  (void)priority;
  THROUGH(cuStreamCreate(s, flags));
}
EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
EXPORT cudaError_t cudaStreamDestroy(cudaStream_t s) {
  THROUGH(cuStreamDestroy(s));
}
EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  THROUGH(cuStreamSynchronize(s));
}
EXPORT cudaError_t cudaStreamQuery(cudaStream_t s) {
  THROUGH(cuStreamQuery(s));
}
EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
  THROUGH(cuStreamWaitEvent(s, e, flags));
}
EXPORT cudaError_t cudaEventCreate(cudaEvent_t *e) {
  THROUGH(cuEventCreate(e, 0));
}
EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags) {
  THROUGH(cuEventCreate(e, flags));
}
EXPORT cudaError_t cudaEventDestroy(cudaEvent_t e) {
  THROUGH(cuEventDestroy(e));
}
EXPORT cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  THROUGH(cuEventRecord(e, s));
}
EXPORT cudaError_t cudaEventQuery(cudaEvent_t e) {
  THROUGH(cuEventQuery(e));
}
EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  THROUGH(cuEventSynchronize(e));
}
EXPORT cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from,
                                        cudaEvent_t to) {
  THROUGH(cuEventElapsedTime(milliseconds, from, to));
}

/* ---- functions of the host ------------------------------------------------------- */

struct hosting {
  struct operation o;
  cudaHostFn_t fn;
  cudaStreamCallback_t callback;
  cudaStream_t stream;
  void *data;
};

static CUresult hosting_run(struct operation *o) {
  struct hosting *h = (struct hosting *)o;
  if (h->callback)
    h->callback(
        h->stream,
        (cudaError_t)__atomic_load_n(&context_of(o->device)->lost, __ATOMIC_ACQUIRE),
        h->data);
  else
    h->fn(h->data);
  return CUDA_SUCCESS;
}

static CUresult hosting_queue(struct CUctx_st *c, cudaStream_t s, cudaHostFn_t fn,
                              cudaStreamCallback_t callback, void *data) {
  struct hosting *h = operation_new(sizeof *h, hosting_run);
  if (!h)
    return CUDA_ERROR_OUT_OF_MEMORY;
  h->fn = fn;
  h->callback = callback;
  h->stream = s;
  h->data = data;
  h->o.always = callback != NULL;
  return queue_add(c, s, &h->o);
}

EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *data) {
  THROUGH(hosting_queue(c_, s, fn, NULL, data));
}
EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t fn,
                                         void *data, unsigned flags) {
  THROUGH(flags ? CUDA_ERROR_INVALID_VALUE : hosting_queue(c_, s, NULL, fn, data));
}

/* ---- capture and graphs ---------------------------------------------------------- */

EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t s,
                                          enum cudaStreamCaptureMode mode) {
  THROUGH(capture_begin(s, (CUstreamCaptureMode)mode));
}

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t s,
                                         enum cudaStreamCaptureStatus *status) {
  CUstreamCaptureStatus mine = CU_STREAM_CAPTURE_STATUS_NONE;
  struct CUctx_st *c;
  CUresult e = runtime_ready(&c);
  if (e == CUDA_SUCCESS)
    e = cuStreamIsCapturing(s, &mine);
  *status = (enum cudaStreamCaptureStatus)mine;
  return runtime_error(e);
}

EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g) {
  struct CUctx_st *c;
  CUresult e = runtime_ready(&c);
  if (e != CUDA_SUCCESS)
    return runtime_error(e);
  *g = NULL;
  s = stream_of(c, s);
  if (s->capture == CU_STREAM_CAPTURE_STATUS_NONE)
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  if (s->origin != s)
    return runtime_error(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  struct graph *graph = capture_end(s);
  if (!graph)
    return runtime_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  *g = malloc(sizeof **g);
  if (!*g) {
    graph_free(graph);
    return runtime_error(CUDA_ERROR_OUT_OF_MEMORY);
  }
  (*g)->graph = graph;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e, cudaGraph_t g,
                                        unsigned long long flags) {
  if (!e || !g || flags)
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  *e = malloc(sizeof **e);
  struct graph *copy = *e ? graph_copy(g->graph) : NULL;
  if (!copy) {
    free(*e);
    *e = NULL;
    return runtime_error(CUDA_ERROR_OUT_OF_MEMORY);
  }
  (*e)->graph = copy;
  return cudaSuccess;
}

/* Only the number of nodes is available. */
EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n) {
  if (!g || !n || nodes)
    return runtime_error(nodes ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE);
  *n = g->graph->n;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t s) {
  THROUGH(e ? graph_launch(c_, e->graph, s) : CUDA_ERROR_INVALID_VALUE);
}

EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t g) {
  if (!g)
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  graph_free(g->graph);
  free(g);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) {
  if (!e)
    return runtime_error(CUDA_ERROR_INVALID_VALUE);
  graph_free(e->graph);
  free(e);
  return cudaSuccess;
}
