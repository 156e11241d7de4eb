/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c: the device's thread and the operations queued for it. All streams share one
 * queue; an operation waits for all before it. CUDA allows this order among others. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

static struct {
  pthread_mutex_t lock;
  pthread_cond_t added, done;
  struct operation *first, **last;
  uint64_t newest, finished;
  enum { ABSENT, STARTING, WORKS, FAILED } thread;
  struct CUstream_st *captures; /* streams that are being captured */
  bool each;                    /* the host waits for each operation */
} q = { .lock = PTHREAD_MUTEX_INITIALIZER,
        .added = PTHREAD_COND_INITIALIZER,
        .done = PTHREAD_COND_INITIALIZER,
        .last = &q.first };

static struct CUstream_st default_streams[MAX_DEVICES];

/* ---- the device's thread --------------------------------------------------------- */

static void operation_run(struct operation *o) {
  struct CUctx_st *c = context_of(o->device);
  if (!o->always && __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE))
    return;
  CUresult e = o->run(o);
  if (e != CUDA_SUCCESS)
    context_lose(o->device, e);
}

static void *device_main(void *nothing) {
  (void)nothing;
  bool works = signals_begin();
  pthread_mutex_lock(&q.lock);
  q.thread = works ? WORKS : FAILED;
  pthread_cond_broadcast(&q.done);
  while (works) {
    while (!q.first)
      pthread_cond_wait(&q.added, &q.lock);
    struct operation *o = q.first;
    q.first = o->next;
    if (!q.first)
      q.last = &q.first;
    pthread_mutex_unlock(&q.lock);
    operation_run(o);
    pthread_mutex_lock(&q.lock);
    q.finished = o->number;
    free(o);
    pthread_cond_broadcast(&q.done);
  }
  pthread_mutex_unlock(&q.lock);
  return NULL;
}

/* Starts the thread if there is none yet. False: it cannot run. Requires the lock. */
static bool thread_there(void) {
  if (q.thread == ABSENT) {
    pthread_t thread;
    q.thread = STARTING;
    if (pthread_create(&thread, NULL, device_main, NULL) == 0)
      pthread_detach(thread);
    else
      q.thread = FAILED;
  }
  while (q.thread == STARTING)
    pthread_cond_wait(&q.done, &q.lock);
  return q.thread == WORKS;
}

void *operation_new(size_t size, CUresult (*run)(struct operation *)) {
  struct operation *o = calloc(1, size);
  if (o) {
    o->size = size;
    o->run = run;
  }
  return o;
}

/* ---- streams --------------------------------------------------------------------- */

CUstream stream_of(struct CUctx_st *c, CUstream s) {
  if (s && s != CU_STREAM_LEGACY && s != CU_STREAM_PER_THREAD)
    return s;
  default_streams[c->device].device = c->device;
  return &default_streams[c->device];
}

static bool queue_legacy(CUstream s) {
  return s >= default_streams && s < default_streams + MAX_DEVICES;
}

/* Invalidates all captures for which WHICH is true. Returns true if there was any.
 * Requires the lock. */
static bool captures_break(bool (*which)(CUstream s)) {
  bool any = false;
  for (CUstream s = q.captures; s; s = s->next_capture)
    if (s->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE && which(s)) {
      s->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
      any = true;
    }
  return any;
}
static bool waits_for_legacy(CUstream s) {
  return s->blocking;
}
static _Thread_local CUstreamCaptureMode
    thread_mode; /* which captures may forbid calls of this thread */
static bool forbids_here(CUstream s) {
  bool own = s->thread == (uintptr_t)pthread_self();
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return false;
  return (s->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
          (own || thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL)) ||
      (s->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && own);
}

CUresult capture_forbids(void) {
  pthread_mutex_lock(&q.lock);
  bool forbidden = captures_break(forbids_here);
  pthread_mutex_unlock(&q.lock);
  return forbidden ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

EXPORT void autotune_emulate_wait_each(void) {
  pthread_mutex_lock(&q.lock);
  q.each = true;
  pthread_mutex_unlock(&q.lock);
}

CUresult queue_add(struct CUctx_st *c, CUstream stream, struct operation *o) {
  CUresult e = CUDA_SUCCESS;
  uint64_t wait_for = 0;
  if (!o)
    return CUDA_ERROR_OUT_OF_MEMORY;
  stream = stream_of(c, stream);
  o->device = c->device;
  pthread_mutex_lock(&q.lock);
  if (stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    graph_add(stream->graph, o);
    o = NULL;
  } else if (stream->capture == CU_STREAM_CAPTURE_STATUS_INVALIDATED) {
    e = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  } else if (queue_legacy(stream) && captures_break(waits_for_legacy)) {
    e = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  } else if (!thread_there()) {
    e = CUDA_ERROR_OPERATING_SYSTEM;
  } else {
    o->number = stream->last = ++q.newest;
    o->next = NULL;
    wait_for = q.each ? o->number : 0;
    *q.last = o;
    q.last = &o->next;
    o = NULL;
    pthread_cond_signal(&q.added);
  }
  pthread_mutex_unlock(&q.lock);
  free(o);
  queue_wait_for(wait_for);
  return e;
}

void queue_wait_for(uint64_t number) {
  pthread_mutex_lock(&q.lock);
  while (q.finished < number)
    pthread_cond_wait(&q.done, &q.lock);
  pthread_mutex_unlock(&q.lock);
}

bool queue_done(uint64_t number) {
  pthread_mutex_lock(&q.lock);
  bool done = q.finished >= number;
  pthread_mutex_unlock(&q.lock);
  return done;
}

CUresult queue_wait(struct CUctx_st *c, CUstream stream) {
  pthread_mutex_lock(&q.lock);
  uint64_t number = stream ? stream_of(c, stream)->last : q.newest;
  pthread_mutex_unlock(&q.lock);
  queue_wait_for(number);
  return (CUresult)__atomic_load_n(&c->lost, __ATOMIC_ACQUIRE);
}

EXPORT CUresult cuStreamCreate(CUstream *s, unsigned flags) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!s || flags > CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  *s = calloc(1, sizeof **s);
  if (!*s)
    return CUDA_ERROR_OUT_OF_MEMORY;
  (*s)->device = c->device;
  (*s)->blocking = !(flags & CU_STREAM_NON_BLOCKING);
  return CUDA_SUCCESS;
}

static CUresult stream_usable(struct CUctx_st **c, CUstream *s) {
  CUresult e = context_current(c);
  if (e == CUDA_SUCCESS)
    *s = stream_of(*c, *s);
  return e;
}

/* Invalidates the capture of S and returns an error if S is being captured: a captured
 * stream can be neither queried nor waited for. */
static CUresult not_captured(CUstream s) {
  pthread_mutex_lock(&q.lock);
  CUresult e = CUDA_SUCCESS;
  if (s->capture != CU_STREAM_CAPTURE_STATUS_NONE) {
    s->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    e = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  } else if (queue_legacy(s) && captures_break(waits_for_legacy)) {
    e = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  pthread_mutex_unlock(&q.lock);
  return e;
}

EXPORT CUresult cuStreamDestroy(CUstream s) {
  struct CUctx_st *c;
  CUresult e = stream_usable(&c, &s);
  if (e != CUDA_SUCCESS)
    return e;
  if (queue_legacy(s))
    return CUDA_ERROR_INVALID_VALUE;
  if (s->capture != CU_STREAM_CAPTURE_STATUS_NONE)
    graph_free(capture_end(s));
  free(s); /* queued operations do not point to it */
  return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamSynchronize(CUstream s) {
  struct CUctx_st *c;
  CUresult e = stream_usable(&c, &s);
  if (e == CUDA_SUCCESS)
    e = not_captured(s);
  if (e == CUDA_SUCCESS && fault_due(FAULT_SYNC))
    e = CUDA_ERROR_UNKNOWN;
  return e == CUDA_SUCCESS ? queue_wait(c, s) : e;
}

EXPORT CUresult cuStreamQuery(CUstream s) {
  struct CUctx_st *c;
  CUresult e = stream_usable(&c, &s);
  if (e == CUDA_SUCCESS)
    e = not_captured(s);
  if (e != CUDA_SUCCESS)
    return e;
  return queue_done(s->last) ? (CUresult)__atomic_load_n(&c->lost, __ATOMIC_ACQUIRE)
                             : CUDA_ERROR_NOT_READY;
}

/* ---- capture --------------------------------------------------------------------- */

EXPORT CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status) {
  struct CUctx_st *c;
  CUresult e = stream_usable(&c, &s);
  if (e != CUDA_SUCCESS)
    return e;
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&q.lock);
  *status = s->capture;
  if (queue_legacy(s) && captures_break(waits_for_legacy))
    e = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  pthread_mutex_unlock(&q.lock);
  return e;
}

EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  CUstreamCaptureMode before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}

/* Requires the lock. */
static void capture_join(CUstream s, CUstream origin) {
  s->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  s->origin = origin;
  s->graph = origin->graph;
  s->mode = origin->mode;
  s->thread = origin->thread;
  s->next_capture = q.captures;
  q.captures = s;
}

CUresult capture_begin(CUstream s, CUstreamCaptureMode mode) {
  struct CUctx_st *c;
  CUresult e = stream_usable(&c, &s);
  if (e != CUDA_SUCCESS)
    return e;
  if (queue_legacy(s))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  struct graph *graph = graph_new();
  if (!graph)
    return CUDA_ERROR_OUT_OF_MEMORY;
  pthread_mutex_lock(&q.lock);
  if (s->capture != CU_STREAM_CAPTURE_STATUS_NONE) {
    e = CUDA_ERROR_INVALID_VALUE;
  } else {
    s->graph = graph;
    s->mode = mode;
    s->thread = (uintptr_t)pthread_self();
    capture_join(s, s);
    graph = NULL;
  }
  pthread_mutex_unlock(&q.lock);
  graph_free(graph);
  return e;
}

struct graph *capture_end(CUstream origin) {
  pthread_mutex_lock(&q.lock);
  struct graph *graph = origin->graph;
  bool broken = origin->capture == CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  for (CUstream *at = &q.captures; *at;) {
    CUstream s = *at;
    if (s->origin != origin) {
      at = &s->next_capture;
      continue;
    }
    *at = s->next_capture;
    s->capture = CU_STREAM_CAPTURE_STATUS_NONE;
    s->graph = NULL;
    s->origin = NULL;
  }
  pthread_mutex_unlock(&q.lock);
  if (!broken)
    return graph;
  graph_free(graph);
  return NULL;
}

/* ---- events ---------------------------------------------------------------------- */

struct CUevent_st {
  atomic_int references; /* one for the user, and one for each queued record */
  unsigned flags;
  uint64_t number; /* number of its newest record; 0: none */
  long long when;
  CUstream captured; /* the stream in whose capture it was recorded */
};
struct recording {
  struct operation o;
  struct CUevent_st *event;
};

static void event_release(struct CUevent_st *e) {
  if (atomic_fetch_sub(&e->references, 1) == 1)
    free(e);
}

static CUresult recording_run(struct operation *o) {
  struct CUevent_st *e = ((struct recording *)o)->event;
  e->when = autotune_emulate_clock();
  event_release(e);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e == CUDA_SUCCESS && fault_due(FAULT_EVENT))
    e = CUDA_ERROR_OUT_OF_MEMORY;
  if (e != CUDA_SUCCESS)
    return e;
  if (!event)
    return CUDA_ERROR_INVALID_VALUE;
  *event = calloc(1, sizeof **event);
  if (!*event)
    return CUDA_ERROR_OUT_OF_MEMORY;
  (*event)->flags = flags;
  (*event)->references = 1;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy(CUevent event) {
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  event_release(event);
  return driver_ready();
}

/* Records the event in the capture of S, if there is one. It then only marks a place in
 * the stream, and has no time. */
static bool event_captured(CUevent event, CUstream s) {
  pthread_mutex_lock(&q.lock);
  bool captured = s->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE;
  event->captured = captured ? s->origin : NULL;
  pthread_mutex_unlock(&q.lock);
  return captured;
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream s) {
  struct CUctx_st *c;
  CUresult e = stream_usable(&c, &s);
  if (e != CUDA_SUCCESS)
    return e;
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (event_captured(event, s))
    return CUDA_SUCCESS;
  struct recording *r = operation_new(sizeof *r, recording_run);
  if (!r)
    return CUDA_ERROR_OUT_OF_MEMORY;
  r->event = event;
  r->o.always = true;
  atomic_fetch_add(&event->references, 1);
  if ((e = queue_add(c, s, &r->o)) == CUDA_SUCCESS)
    event->number = stream_of(c, s)->last;
  else
    event_release(event);
  return e;
}

static CUresult event_usable(struct CUctx_st **c, CUevent event) {
  CUresult e = context_current(c);
  return e == CUDA_SUCCESS && !event ? CUDA_ERROR_INVALID_HANDLE : e;
}

EXPORT CUresult cuEventQuery(CUevent event) {
  struct CUctx_st *c;
  CUresult e = event_usable(&c, event);
  if (e != CUDA_SUCCESS)
    return e;
  return queue_done(event->number) ? (CUresult)__atomic_load_n(&c->lost, __ATOMIC_ACQUIRE)
                                   : CUDA_ERROR_NOT_READY;
}

EXPORT CUresult cuEventSynchronize(CUevent event) {
  struct CUctx_st *c;
  CUresult e = event_usable(&c, event);
  if (e != CUDA_SUCCESS)
    return e;
  if (fault_due(FAULT_SYNC))
    return CUDA_ERROR_UNKNOWN;
  queue_wait_for(event->number);
  return (CUresult)__atomic_load_n(&c->lost, __ATOMIC_ACQUIRE);
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!milliseconds || !from || !to || !from->number || !to->number ||
      ((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!queue_done(from->number) || !queue_done(to->number))
    return CUDA_ERROR_NOT_READY;
  *milliseconds = (float)((double)(to->when - from->when) * 1e-6);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to) {
  return cuEventElapsedTime(milliseconds, from, to);
}

/* There is nothing to wait for, because all streams have one order. If EVENT was recorded
 * in a capture, S joins that capture. */
EXPORT CUresult cuStreamWaitEvent(CUstream s, CUevent event, unsigned flags) {
  struct CUctx_st *c;
  CUresult e = stream_usable(&c, &s);
  if (e != CUDA_SUCCESS)
    return e;
  if (!event || flags)
    return event ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_lock(&q.lock);
  if (event->captured && s->capture == CU_STREAM_CAPTURE_STATUS_NONE &&
      event->captured->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE)
    capture_join(s, event->captured);
  pthread_mutex_unlock(&q.lock);
  return CUDA_SUCCESS;
}
