/* SPDX-License-Identifier: Apache-2.0 */
/* emulator.h: libautotune-emulate.so, a CUDA driver, runtime and NVRTC on the CPU.
 *
 *   cuda*, cu* ── queue.c ── the device's thread ── block.c ── fibre.c
 *   runtime.c     in order     of the host           a block    a thread of it
 *   driver.c
 *
 *   settings.c    AUTOTUNE_EMULATE: the device, and which calls fail
 *   memory.c      device memory: parts of one memory file, with unmapped pages between
 *   device.c      devices, their contexts, lasting errors
 *   kernels.c     kernels of the program, by address
 *   module.c      loads the images that nvrtc.c makes
 *   graph.c       capture of streams, graphs
 *   tensor_map.c  tensor maps, made by the host
 *   copies.c      cp.async
 *   mbarrier.c    barriers in shared memory, named barriers, the cluster's barrier
 *   bulk.c        copies of boxes of a tensor, by tensor maps
 *   wgmma.c       matrix products of warpgroups
 *   nvrtc.c       text to a shared object, by Clang, after rewrite.c changed the text
 *
 * There is one device thread for all devices and streams: operations run in the order in
 * which they were queued. So kernels never run at the same time, and __shared__ variables
 * are plain static ones. */
#ifndef AUTOTUNE_EMULATOR_H
#define AUTOTUNE_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "autotune_emulate/device.h"
#include "cuda.h"

#define EXPORT __attribute__((visibility("default")))

enum { WARP = 32, MAX_DEVICES = 8, MAX_THREADS = 1024, MAX_ARGS = 512 };
enum { SHARED_STATIC = 48 << 10, SHARED_MOST = 227 << 10 };
enum { REGISTERS_SM = 64 << 10, REGISTERS_THREAD = 32 };

/* ---- settings.c ------------------------------------------------------------------ */

enum fault {
  FAULT_NONE,
  FAULT_ILLEGAL,
  FAULT_TRAP,
  FAULT_ASSERT,
  FAULT_TIMEOUT,
  FAULT_LAUNCH,
  FAULT_MEMORY,
  FAULT_LOAD,
  FAULT_SYNC,
  FAULT_COPY,
  FAULT_EVENT,
  FAULT_IPC,
  FAULT_NVRTC,
  FAULT_INIT
};
struct settings {
  int devices, cc;
  size_t memory;   /* of one device */
  char *exclusive; /* the file that the process with a context locks; NULL: any may */
  double timeout;  /* seconds of a launch */
  bool idle;       /* launches do nothing, and return at once */
  bool verbose;    /* prints on standard error why a launch failed */
  bool early;      /* asynchronous work is done at once, not when it is waited for */
};
const struct settings *settings_get(void);
/* What a multiprocessor and a block have, by the compute capability; shared memory in
 * bytes. */
struct limits {
  int shared_block, shared_sm, threads_sm, blocks_sm;
};
const struct limits *limits_get(void);
/* True if AUTOTUNE_EMULATE makes this call of kind F fail. Each call is counted. */
bool fault_due(enum fault f);

/* ---- fibre.c --------------------------------------------------------------------- */

/* Saves the caller's stack pointer in *SAVE and continues where LOAD was saved. */
void fibre_switch(void **save, void *load);
/* Returns the stack pointer for fibre_switch with which ENTRY begins to run on the stack
 * below TOP. ENTRY must not return. */
void *fibre_prepare(void *top, void (*entry)(void));

/* ---- block.c --------------------------------------------------------------------- */

struct extent {
  unsigned x, y, z;
};
struct grid {
  struct extent grid, block;
  size_t shared;
  autotune_emulate_call_fn *call;
  const void *fn;
  void *const *args;
  const char *name;
};
/* Runs all blocks of G, one by one, in the device's thread. Returns the error that ended
 * it early, with the reason in LAUNCH_REASON, or 0. */
CUresult grid_run(const struct grid *g);
extern char launch_reason[256];
/* Ends the launch from within a kernel. */
_Noreturn void launch_abort(CUresult error, const char *reason);

/* ---- signals.c ------------------------------------------------------------------- */

/* Makes faults of the calling thread end the running kernel, from now on; blocks all
 * other signals of the thread. */
bool signals_begin(void);
/* Limits the CPU time of a launch to SECONDS from now on; 0: no launch runs. */
void signals_limit(double seconds);
/* True if the calling thread runs a kernel. */
bool signals_in_kernel(void);

/* ---- memory.c -------------------------------------------------------------------- */

enum memory_kind {
  MEMORY_DEVICE,
  MEMORY_MANAGED,
  MEMORY_HOST,
  MEMORY_OPENED,
  MEMORY_SYMBOL,
  MEMORY_REGISTERED /* memory of the program, made known by cudaHostRegister */
};
static inline bool is_host(enum memory_kind k) {
  return k == MEMORY_HOST || k == MEMORY_REGISTERED;
}
struct allocation {
  uintptr_t base;
  size_t bytes; /* as requested */
  enum memory_kind kind;
  int device;
  size_t offset;
  uint64_t inode; /* identifies the first page in the memory file; for OPENED the file */
  void *pages;
  size_t mapped;   /* bytes of the mapped pages */
  unsigned opened; /* how often its IPC handle was opened */
};
CUresult memory_new(int device, size_t bytes, enum memory_kind kind, uintptr_t *base);
CUresult memory_free(uintptr_t base, enum memory_kind kind);
/* Copies the allocation that P points into to *OUT. False: P points into none. */
bool memory_find(uintptr_t p, struct allocation *out);
/* True if BYTES from P on lie in one allocation on a device. */
bool memory_on_device(uintptr_t p, size_t bytes);
/* Makes a variable of a module or of the program known. */
void memory_symbol(const void *p, size_t bytes, int device);
void memory_forget(const void *p);
/* Makes memory of the program known. Fails if a part of it is known already. */
CUresult memory_register(uintptr_t p, size_t bytes, int device);
size_t memory_used(int device);
void memory_reset(int device);
CUresult memory_export(uintptr_t p, CUipcMemHandle *handle);
CUresult memory_import(const CUipcMemHandle *handle, int device, uintptr_t *base);

/* ---- device.c -------------------------------------------------------------------- */

struct error_words {
  int number;
  const char *driver, *runtime, *words;
};
/* Returns NULL if the driver has no such error. */
const struct error_words *error_words(int number);

struct CUctx_st {
  int device;
  unsigned retained;
  CUresult lost; /* an error that stays; atomic */
};
/* Returns 0 if the driver is initialised in this process. */
CUresult driver_ready(void);
CUresult driver_initialise(void);
struct CUctx_st *context_of(int device);
/* Sets *C to the calling thread's context. Returns 0, or the error that makes it
 * unusable. */
CUresult context_current(struct CUctx_st **c);
void context_use(struct CUctx_st *c);
void context_lose(int device, CUresult error);

/* ---- queue.c --------------------------------------------------------------------- */

struct graph;
struct CUstream_st {
  int device;
  bool blocking; /* the stream and the legacy stream wait for each other */
  uint64_t last; /* number of its newest operation */
  CUstreamCaptureStatus capture;
  CUstreamCaptureMode mode;
  struct graph *graph; /* the graph that is being captured */
  struct CUstream_st *origin, *next_capture;
  uintptr_t thread; /* the thread that began the capture */
};
/* An operation for the device. SIZE is its size in bytes, so that graphs can copy it. */
struct operation {
  struct operation *next;
  CUresult (*run)(struct operation *o);
  uint64_t number;
  size_t size;
  int device;
  bool always; /* runs on a lost device too: events, callbacks */
};
/* Queues OPERATION, or adds it to the graph that STREAM is captured into. Takes
 * ownership. */
CUresult queue_add(struct CUctx_st *c, CUstream stream, struct operation *operation);
void *operation_new(size_t size, CUresult (*run)(struct operation *));
/* Waits for all operations queued in STREAM; NULL: in any stream. */
CUresult queue_wait(struct CUctx_st *c, CUstream stream);
/* Waits until operation NUMBER is done. queue_done: true if it is done. */
void queue_wait_for(uint64_t number);
bool queue_done(uint64_t number);
/* Returns the stream for S: C's default stream for NULL and for CUDA's handles of the two
 * default streams, else S. */
CUstream stream_of(struct CUctx_st *c, CUstream s);
/* Returns the error of a call that would break a capture in progress, or 0. */
CUresult capture_forbids(void);
CUresult capture_begin(CUstream s, CUstreamCaptureMode mode);
/* Ends the capture that began with S. Returns its graph; NULL: the capture was broken. */
struct graph *capture_end(CUstream s);

/* ---- graph.c --------------------------------------------------------------------- */

/* Operations in their order, owned by the graph. */
struct graph {
  struct operation *first, **last;
  unsigned n;
};
struct graph *graph_new(void);
void graph_add(struct graph *g, struct operation *o);
struct graph *graph_copy(const struct graph *g);
void graph_free(struct graph *g);
CUresult graph_launch(struct CUctx_st *c, const struct graph *g, CUstream stream);

/* ---- copy.c ---------------------------------------------------------------------- */

/* A copy of ROWS rows of BYTES. Rows begin TO_PITCH and FROM_PITCH apart. copy_queue and
 * set_queue wait until the copy is done if WAIT is set. */
struct copy {
  void *to;
  const void *from;
  size_t bytes, rows, to_pitch, from_pitch;
};
CUresult copy_queue(struct CUctx_st *c, const struct copy *copy, CUstream stream,
                    bool wait);
CUresult set_queue(struct CUctx_st *c, uintptr_t p, unsigned char value, size_t bytes,
                   size_t rows, size_t pitch, CUstream stream, bool wait);

/* ---- launch.c -------------------------------------------------------------------- */

/* SHARED_STATIC bytes belong to the kernel itself; with the dynamic ones there may be at
 * most SHARED_LIMIT. */
struct launch {
  const struct autotune_emulate_kernel *kernel;
  struct extent grid, block;
  size_t shared, shared_static, shared_limit;
};
CUresult launch_queue(struct CUctx_st *c, const struct launch *l, CUstream stream,
                      void **args);
int launch_occupancy(size_t shared, int threads);

/* ---- kernels.c ------------------------------------------------------------------- */

struct registered {
  struct autotune_emulate_kernel kernel;
  size_t shared_limit; /* of dynamic shared memory: cudaFuncSetAttribute */
};
struct registered *kernel_find(const void *fn);

#endif
