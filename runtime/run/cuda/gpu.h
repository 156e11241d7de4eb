/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.h: CUDA kernels, grouped by file; docs/design.md draws which process does what.
 *
 *   api.c       the driver, opened at run time; what a device is
 *   launch.c    (program) variants that are loaded and launched
 *   place.c     where an address points
 *   call.c      one call as plain bytes, which another process understands
 *   map.c       the address inside a tensor map
 *   prepare.c   arguments that the host makes for each variant
 *   target.c    (tuner) the table, and the executor: asks the helper and the program
 *   spawn.c     (tuner) the helper's process
 *   serve.c     (program) runs what the tuner asks for while the program waits
 *   helper.c    autotune-gpu-worker: the helper's main (its packets: helper.h)
 *   run.c       (program and helper) save, run, compare, time, restore; its parts: run.h
 *
 * Errors of the driver are sticky: after one, every call in that process fails. So a
 * variant runs in the helper first, and a process that has seen a sticky error is of no
 * more use for tuning. */
#ifndef AUTOTUNE_GPU_H
#define AUTOTUNE_GPU_H

#include "compile/compile.h"
#include "base/base.h"
#include "run/target.h"
#include "run/verify.h"

/* Occupancy and the like of a variant that is loaded. */
struct gpu_facts {
  int registers, spilled; /* of a thread: 32-bit, bytes of local memory */
  int static_shared;      /* bytes */
  int blocks;             /* active on a multiprocessor */
  double occupancy;       /* fraction of a multiprocessor's warps */
  double waves;           /* grid ÷ blocks that run at once */
  double tail;            /* fraction of the last wave that is empty */
};

/* ---- api.c ----------------------------------------------------------------------- */

/* CUDA's own types, as far as they are needed, so that no header of the toolkit is. */
typedef int gpu_result; /* CUresult; 0: success */
typedef int gpu_device;
typedef unsigned long long gpu_pointer; /* CUdeviceptr */
typedef struct gpu_ctx_st *gpu_context;
typedef struct gpu_mod_st *gpu_module;
typedef struct gpu_func_st *gpu_function;
typedef struct gpu_stream_st *gpu_stream;
typedef struct gpu_event_st *gpu_event;
typedef struct {
  unsigned char bytes[64];
} gpu_ipc; /* CUipcMemHandle, by value */
typedef struct {
  char bytes[16];
} gpu_uuid;

/* name in libcuda without "cu" → member; the list says it once: X(return is always
 * gpu_result) */
#define GPU_DRIVER(X)                                                                    \
  X(init, "cuInit", (unsigned flags))                                                    \
  X(driver_version, "cuDriverGetVersion", (int *version))                                \
  X(error_name, "cuGetErrorName", (gpu_result e, const char **text))                     \
  X(error_string, "cuGetErrorString", (gpu_result e, const char **text))                 \
  X(device_count, "cuDeviceGetCount", (int *n))                                          \
  X(device_get, "cuDeviceGet", (gpu_device * d, int ordinal))                            \
  X(device_name, "cuDeviceGetName", (char *name, int size, gpu_device d))                \
  X(device_uuid, "cuDeviceGetUuid", (gpu_uuid * uuid, gpu_device d))                     \
  X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, gpu_device d)) \
  X(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, gpu_device d))                 \
  X(primary_retain, "cuDevicePrimaryCtxRetain", (gpu_context * c, gpu_device d))         \
  X(primary_release, "cuDevicePrimaryCtxRelease_v2", (gpu_device d))                     \
  X(context_get, "cuCtxGetCurrent", (gpu_context * c))                                   \
  X(context_set, "cuCtxSetCurrent", (gpu_context c))                                     \
  X(context_device, "cuCtxGetDevice", (gpu_device * d))                                  \
  X(context_synchronize, "cuCtxSynchronize", (void))                                     \
  X(memory_info, "cuMemGetInfo_v2", (size_t *free, size_t *total))                       \
  X(allocate, "cuMemAlloc_v2", (gpu_pointer * p, size_t bytes))                          \
  X(release, "cuMemFree_v2", (gpu_pointer p))                                            \
  X(range, "cuMemGetAddressRange_v2",                                                    \
    (gpu_pointer * base, size_t *bytes, gpu_pointer p))                                  \
  X(pointer_attribute, "cuPointerGetAttribute",                                          \
    (void *data, int attribute, gpu_pointer p))                                          \
  X(host_allocate, "cuMemHostAlloc", (void **p, size_t bytes, unsigned flags))           \
  X(host_release, "cuMemFreeHost", (void *p))                                            \
  X(copy_device, "cuMemcpyDtoDAsync_v2",                                                 \
    (gpu_pointer to, gpu_pointer from, size_t bytes, gpu_stream s))                      \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2",                                                \
    (void *to, gpu_pointer from, size_t bytes, gpu_stream s))                            \
  X(copy_from_host, "cuMemcpyHtoDAsync_v2",                                              \
    (gpu_pointer to, const void *from, size_t bytes, gpu_stream s))                      \
  X(set_bytes, "cuMemsetD8Async",                                                        \
    (gpu_pointer p, unsigned char value, size_t bytes, gpu_stream s))                    \
  X(ipc_export, "cuIpcGetMemHandle", (gpu_ipc * handle, gpu_pointer p))                  \
  X(ipc_open, "cuIpcOpenMemHandle_v2",                                                   \
    (gpu_pointer * p, gpu_ipc handle, unsigned flags))                                   \
  X(ipc_close, "cuIpcCloseMemHandle", (gpu_pointer p))                                   \
  X(module_load, "cuModuleLoadData", (gpu_module * m, const void *image))                \
  X(module_unload, "cuModuleUnload", (gpu_module m))                                     \
  X(module_function, "cuModuleGetFunction",                                              \
    (gpu_function * f, gpu_module m, const char *name))                                  \
  X(module_global, "cuModuleGetGlobal_v2",                                               \
    (gpu_pointer * p, size_t *bytes, gpu_module m, const char *name))                    \
  X(function_attribute, "cuFuncGetAttribute",                                            \
    (int *value, int attribute, gpu_function f))                                         \
  X(function_set, "cuFuncSetAttribute", (gpu_function f, int attribute, int value))      \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                            \
    (int *blocks, gpu_function f, int threads, size_t shared))                           \
  X(launch, "cuLaunchKernel",                                                            \
    (gpu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,    \
     unsigned bz, unsigned shared, gpu_stream s, void **args, void **extra))             \
  X(stream_create, "cuStreamCreate", (gpu_stream * s, unsigned flags))                   \
  X(stream_destroy, "cuStreamDestroy_v2", (gpu_stream s))                                \
  X(stream_synchronize, "cuStreamSynchronize", (gpu_stream s))                           \
  X(stream_query, "cuStreamQuery", (gpu_stream s))                                       \
  X(stream_capturing, "cuStreamIsCapturing", (gpu_stream s, int *status))                \
  X(capture_mode, "cuThreadExchangeStreamCaptureMode", (int *mode))                      \
  X(event_create, "cuEventCreate", (gpu_event * e, unsigned flags))                      \
  X(event_destroy, "cuEventDestroy_v2", (gpu_event e))                                   \
  X(event_record, "cuEventRecord", (gpu_event e, gpu_stream s))                          \
  X(event_query, "cuEventQuery", (gpu_event e))                                          \
  X(event_synchronize, "cuEventSynchronize", (gpu_event e))                              \
  X(event_elapsed, "cuEventElapsedTime",                                                 \
    (float *milliseconds, gpu_event from, gpu_event to))

/* The same for functions that older drivers lack: then they are NULL. */
#define GPU_DRIVER_OPTIONAL(X)                \
  X(map_replace, "cuTensorMapReplaceAddress", \
    (void *map, void *address)) /* MAP: aligned to 128 bytes */

struct gpu_api {
#define X(member, name, parameters) gpu_result(*member) parameters;
  GPU_DRIVER(X)
  GPU_DRIVER_OPTIONAL(X)
#undef X
  bool emulated;
};
/* The driver; opened once. The functions of libautotune-emulate.so where the program is
 * linked to it (it exports `autotune_emulated`), or is the helper of one; else
 * libcuda.so.1's. NULL and *WHY (static): there is none, or it is older than what is
 * needed. Does not initialise the driver. Thread-safe. */
const struct gpu_api *gpu_api_get(const char **why);
/* "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)" into TEXT,
 * which is returned. */
const char *gpu_error(const struct gpu_api *api, gpu_result e, char *text, size_t size);

/* A device: part of the identity of results, and the numbers that constraints may use. */
struct gpu_info {
  bool emulated;     /* by the library of the emulator */
  char name[128];    /* "NVIDIA H200" */
  char identity[64]; /* "sm_90a, 132 multiprocessors, 141 GiB": in the place of a CPU's
                        instruction set */
  bool exclusive;    /* one process at a time may use it */
  int cc;            /* 90 */
  size_t l2, memory; /* bytes */
  struct autotune_machine numbers; /* the host's, with the device's fields set */
};
/* Returns the description of device ORDINAL, which is read once. NULL: it cannot be
 * asked. In the program and the helper only; the tuner has what the program read before
 * the fork. */
const struct gpu_info *gpu_info_get(int ordinal);
/* Of a CUDA kernel's key: the device's ordinal, its last part, which is not stored. */
static inline int gpu_ordinal(const struct autotune_kernel *k, const long long *key) {
  return k->n_keys > 0 ? (int)key[k->n_keys - 1] : 0;
}
/* The parts of target_cuda (run/target.h) that describe the machine. */
void gpu_identify(const struct autotune_kernel *k, const long long *key,
                  struct target_identity *out);
bool gpu_identify_like(const struct problem *p, struct target_identity *out);
const struct autotune_machine *gpu_machine(const struct autotune_kernel *k,
                                           const long long *key);
const char *gpu_lacks(const struct autotune_kernel *k, const long long *key);

/* ---- launch.c: the parts of target_cuda for the program's calls ------------------ */

bool gpu_code_load(const struct autotune_kernel *k, const long long *key,
                   const char *path, const char *values, struct variant_code *out,
                   char **message);
void gpu_code_unload(struct target_code *code);
int gpu_code_launch(struct target_code *code, const struct call *call);
void gpu_code_lost(const struct target_code *code, char *why, size_t size);
const char *gpu_obstacle(const struct autotune_kernel *k, const long long *key);
bool gpu_records(const struct call *call);
int gpu_pause(void);
void gpu_resume(int before);

/* ---- memory of a call ------------------------------------------------------------ */

/* Memory that a call reads or writes. Comes from the sections; without sections, from
 * pointers to data that is not const: the whole allocation that they point into.
 * Overlapping regions are merged. Symbols that variants may write are regions without a
 * parent. */
struct gpu_region {
  gpu_pointer base;
  size_t bytes;
  enum autotune_access access;
  enum autotune_element element;
  struct tolerance tolerance;
  bool compared;
  bool addresses;   /* it holds addresses, which differ in a helper: not compared */
  bool whole;       /* a whole allocation: which part the kernel writes is not known */
  unsigned parent;  /* index of the allocation it lies in; GPU_SYMBOL + i: symbol i */
  const char *name; /* the kernel's; in a helper the run's own */
};
enum {
  GPU_REGIONS = 64,
  GPU_ARGS = 4096 /* bytes */,
  GPU_MAX_ARGS = 256,
  GPU_SYMBOLS = 16,
  GPU_SYMBOL = 1000,
  GPU_POINTERS = 256,
  GPU_PREPARED = 32,
  GPU_MAP = 128 /* bytes of a tensor map */
};
/* Memory that arguments point into, written or not. */
struct gpu_allocation {
  gpu_pointer base;
  size_t bytes;
  const char *name; /* the kernel's; in a helper the run's own */
};

/* ---- place.c --------------------------------------------------------------------- */

enum place { PLACE_UNKNOWN, PLACE_BOUNDLESS, PLACE_HOST, PLACE_ELSEWHERE, PLACE_HERE };
/* Returns where P points, of the memory that the driver knows (managed memory counts as
 * the device's). HERE: on DEVICE, in OUT. Memory that the program has mapped piece by
 * piece (cuMemMap) is one allocation as far as its pieces lie next to each other. */
enum place gpu_place_of(const struct gpu_api *api, int device, gpu_pointer p,
                        struct gpu_allocation *out);
/* As target_cuda's `bytes_at`. */
size_t gpu_bytes_at(const void *address);

/* ---- call.c ---------------------------------------------------------------------- */

/* What an argument is: by its size it may be a tensor map, by its type it is one. */
enum gpu_map { GPU_NO_MAP, GPU_MAY_BE_MAP, GPU_IS_MAP };

/* One call of one kernel as plain bytes: another process understands it, together with
 * gpu_shared's copies of memory. */
struct gpu_call {
  struct autotune_launch asked;
  int device;
  unsigned flags; /* enum autotune_gpu_flags */
  unsigned n_args;
  unsigned sizes[GPU_MAX_ARGS], offsets[GPU_MAX_ARGS]; /* into bytes */
  unsigned char bytes[GPU_ARGS] __attribute__((aligned(16)));
  /* Addresses of device memory among BYTES, those within structures too, or in allocation
   * IN - 1. */
  unsigned n_pointers;
  struct {
    size_t offset;
    unsigned in, allocation;
    gpu_pointer map; /* not 0: a tensor map is at OFFSET, which holds this address */
  } pointers[GPU_POINTERS];
  unsigned char maps[GPU_MAX_ARGS]; /* enum gpu_map */
  /* Arguments that a variant gets in place of BYTES': ARG is at OFFSET of the
   * prepared_bytes that come with the variant. */
  unsigned n_prepared;
  struct {
    unsigned arg, offset;
  } prepared[GPU_PREPARED];
  size_t prepared_bytes;
  unsigned n_regions;
  struct gpu_region regions[GPU_REGIONS];
  unsigned n_allocations;
  struct gpu_allocation allocations[GPU_REGIONS];
  unsigned n_symbols;
  struct {
    const char *name;
    gpu_pointer address;
    size_t bytes;
    bool written;
  } symbols[GPU_SYMBOLS];
};
/* In the program: describes the present call. PREPARED: what the host has made for its
 * variants, or NULL; values that lead to memory that cannot be used are dropped from it.
 * 0; -1 and WHY: it cannot be tuned ("A points to no memory of this device"). */
struct gpu_prepared;
int gpu_call_describe(const struct autotune_kernel *k, void *const *args,
                      const struct autotune_launch *asked, struct gpu_prepared *prepared,
                      struct gpu_call *out, char *why, size_t size);

/* ---- map.c ----------------------------------------------------------------------- */

/* Returns the address inside the tensor map MAP (of GPU_MAP bytes, on any address) if
 * HOLDS says of it that it lies in known memory, else 0. *AT: the offset of its word. */
gpu_pointer gpu_map_address(const struct gpu_api *api, const void *map,
                            bool (*holds)(void *data, gpu_pointer p), void *data,
                            size_t *at);
/* True if all bytes of MAP are 0: nothing was encoded. */
bool gpu_map_is_empty(const void *map);
/* Writes ADDRESS into MAP. */
gpu_result gpu_map_replace(const struct gpu_api *api, void *map, gpu_pointer address);

/* ---- prepare.c, cache.c ---------------------------------------------------------- */

/* Everything that the host makes for the variants of one call: of each prepared argument
 * the values for all combinations of its parameters' values that variants have. */
struct gpu_prepared {
  unsigned n; /* prepared arguments */
  const struct autotune_prepared *list;
  struct gpu_prepared_set {
    const struct autotune_kernel *kernel;
    size_t size; /* bytes of the argument */
    unsigned n;  /* combinations */
    bool *made;  /* of each, whether it was made */
    char **why;  /* of one that was dropped: why, malloc'ed; else NULL */
    unsigned char *values;
  } sets[GPU_PREPARED];
};
/* In the program: makes them, in this thread. 0; -1 and WHY: they cannot be made, or the
 * launch's own values are others than those for the default's params. *OUT
 * (gpu_prepared_free) is NULL where nothing is prepared. */
int gpu_prepare(const struct autotune_kernel *k, const struct call *call,
                struct gpu_prepared **out, char *why, size_t size);
void gpu_prepared_free(struct gpu_prepared *p);
/* Drops combination V of S, so that no variant with it can be tried: WHY is copied. */
void gpu_prepared_drop(struct gpu_prepared_set *s, unsigned v, const char *why);
/* Writes what the variant at POINT gets to OUT, which has room for C's prepared_bytes.
 * False, and WHY: it was not made. */
bool gpu_prepared_take(const struct gpu_prepared *p, const struct gpu_call *c,
                       const choice *point, unsigned char *out, char *why, size_t size);
/* Returns the offset of a prepared argument of SIZE bytes after others, and adds it to
 * the *BYTES that they take. */
size_t gpu_prepared_place(size_t *bytes, size_t size);
/* True if the launch's own value can be compared with that of P for the default's params,
 * which it must equal. */
bool gpu_prepared_compares(const struct autotune_kernel *k,
                           const struct autotune_prepared *p);
/* Writes the latter to OUT. */
void gpu_prepared_default(const struct autotune_kernel *k,
                          const struct autotune_prepared *p, void *const *args,
                          const struct autotune_machine *machine, void *out);
/* "the launch's own map is not what prepare(map = …) makes for the default's params". */
void gpu_prepared_differs(const struct autotune_kernel *k,
                          const struct autotune_prepared *p, char *why, size_t size);
/* True if OUT, made for P and a launch with ARGS, is a tensor map that was not encoded;
 * WHY says so. */
bool gpu_prepared_failed(const struct autotune_kernel *k,
                         const struct autotune_prepared *p, void *const *args,
                         const void *out, char *why, size_t size);

/* What the host has made for the program's launches of one variant, by the values of the
 * arguments that it was made from. Bounded: older values are made anew when they are
 * needed. From any thread. */
struct gpu_cache;
/* NULL: no memory, or the arguments are too large. K has prepared arguments, and must
 * outlive the cache. */
struct gpu_cache *gpu_cache_new(const struct autotune_kernel *k);
void gpu_cache_free(struct gpu_cache *c);
/* Makes LIST, of GPU_MAX_ARGS, what a launch with ARGS launches: prepared arguments are
 * in ROOM, of GPU_ARGS bytes. VALUES: the variant's. False, after a message the first
 * time: the default must run, because a tensor map was not made, or because ARGS are
 * others than those that are made for the default's params. */
bool gpu_cache_arguments(struct gpu_cache *c, const struct autotune_value *const *values,
                         void *const *args, const struct autotune_machine *machine,
                         void **list, unsigned char *room);

/* ---- run.c: in a process that has a context -------------------------------------- */

enum { MAX_GPU_SAMPLES = 128 };
struct gpu_run;
/* The code of a variant and how it is launched. */
struct gpu_variant {
  uint64_t ticket; /* loaded once by this number; 0: the default */
  const void *cubin;
  size_t size;
  const unsigned char *prepared; /* of the call's prepared_bytes; NULL: it is launched
                                    with the call's arguments */
  struct autotune_launch launch;
};
/* True if a file of SIZE bytes can hold WRITTEN bytes, a cubin, and PREPARED bytes, which
 * are all of C's or none. Else OUT says that it cannot. */
struct gpu_answer;
bool gpu_variant_fits(const struct gpu_call *c, size_t written, size_t size,
                      size_t prepared, struct gpu_answer *out);
struct gpu_answer {
  enum status status;
  char message[256];
  bool sticky; /* the context is lost */
  double run_seconds, verify_seconds, time_seconds, load_seconds; /* as in struct trial */
  struct gpu_facts facts;
  unsigned made_up;      /* sets of made-up data that were used */
  char weak[160];        /* as in struct trial */
  char deviation[128];   /* likewise */
  double deviation_part; /* likewise */
  double slowdown;       /* likewise */
  unsigned n_samples;
  double samples[MAX_GPU_SAMPLES];
  size_t found; /* bytes of the file that comes with the answer (gpu_run_written) */
};
/* In the program: saves what CALL may write, on the device where there is room, else on
 * the host. NULL and WHY where neither has room. Works on a stream of its own, after what
 * is in CALL's stream. */
struct gpu_run *gpu_run_new(const struct gpu_api *api, const struct gpu_call *call,
                            char *why, size_t size);
/* Memory that a helper copies, and the outputs of the reference: through IPC, or else
 * from a file. */
struct gpu_memory {
  gpu_ipc handle;
  bool exported;
  size_t offset; /* in the file, where not exported */
};
struct gpu_shared {
  struct gpu_call call;
  struct gpu_memory allocations[GPU_REGIONS], symbols[GPU_SYMBOLS];
  struct gpu_memory references[GPU_REGIONS]; /* of regions that are compared */
  struct tolerance tolerances[GPU_REGIONS]; /* of the pieces, without what was measured */
  double scales[GPU_REGIONS];               /* likewise */
  bool fences_off[2 * GPU_REGIONS]; /* memory next to sections that the default changes
                                       itself */
  bool rests_off[2 * GPU_REGIONS];  /* the same for memory further away */
  struct gpu_memory names;
  size_t names_bytes; /* of allocations, regions and symbols, each with its NUL */
  struct gpu_memory compare;
  size_t compare_bytes; /* the kernel that compares, so that NVRTC is not needed */
  size_t file_bytes;    /* 0: there is no file */
};
/* In the program, after the reference run, with the memory as before the call: shares
 * the memory with a helper. SNAPSHOT: copies everything into the file, for a program
 * that goes on, or if IPC does not work. *FD: a memory file that the caller closes, or
 * -1. 0; or -1 and WHY. */
int gpu_run_share(struct gpu_run *r, bool snapshot, struct gpu_shared *out, int *fd,
                  char *why, size_t size);
/* In the helper: makes a run with copies of all memory in S; nothing of the program's
 * is mapped when it returns. FILE: the mapped file. NULL and WHY on failure; *NO_IPC:
 * only IPC does not work here, and a snapshot may. */
struct gpu_run *gpu_run_open(const struct gpu_api *api, const struct gpu_shared *s,
                             const void *file, bool *no_ipc, char *why, size_t size);
/* Makes ANNOUNCE be called before each run of a kernel with the seconds that it may take,
 * and after it with -1. */
void gpu_run_announce(struct gpu_run *r, void (*announce)(double seconds));
/* Runs the default through LAUNCH, keeps its outputs, checks that it repeats them, times
 * it, restores. */
void gpu_run_reference(struct gpu_run *r,
                       int (*launch)(const struct autotune_launch *, void *const *),
                       const struct trial_plan *plan, struct gpu_answer *out);
/* Loads (once: by ticket), runs and compares (once, where the plan says verify) with the
 * reference's outputs, times if the plan wants samples (max_samples), restores. Ticket 0
 * only after gpu_run_reference. */
void gpu_run_try(struct gpu_run *r, const struct gpu_variant *v,
                 const struct trial_plan *plan, struct gpu_answer *out);
/* What was measured of a region, in a file that begins with one for each. */
struct gpu_noise {
  bool known;
  double furthest; /* what undetermined elements may differ by */
  size_t bits;     /* where in the file their bits are; 0: there are none */
  double atols[VERIFY_SIZES];
};
/* In the helper: runs V, the kernel as written as the variants' compiler makes it, also
 * with nudged inputs, and finds how far rounding alone moves the outputs. *FOUND: the
 * file's contents (malloc'ed, *BYTES); NULL: OUT says why. OUT's message: how V differs
 * from the default; "": it does not. */
void gpu_run_written(struct gpu_run *r, const struct gpu_variant *v,
                     const struct trial_plan *plan, struct gpu_answer *out, char **found,
                     size_t *bytes);
/* In the helper: compares V with WRITTEN, the kernel as written, on made-up data. OUT's
 * made_up is 1 if WRITTEN takes them; else OUT says nothing of V but that it is lost. */
void gpu_run_imagine(struct gpu_run *r, const struct gpu_variant *written,
                     const struct gpu_variant *v, const struct trial_plan *plan,
                     struct gpu_answer *out);
/* Compares with the tolerances of FILE from now on. False: they are not used, because
 * they are not sane, or for lack of memory. */
bool gpu_run_tolerate(struct gpu_run *r, const void *file, size_t bytes);
/* Restores the memory of before the first run, whatever happened. False: the context is
 * lost. All other functions leave the memory so too. */
bool gpu_run_restore(struct gpu_run *r);
void gpu_run_free(struct gpu_run *r);

#endif
