/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.h: the part of CUDA's driver interface that libautotune-emulate.so has. */
#ifndef AUTOTUNE_EMULATE_CUDA_H
#define AUTOTUNE_EMULATE_CUDA_H

#pragma GCC system_header

#include <stddef.h>

#define CUDA_VERSION 13000

#ifdef __cplusplus
extern "C" {
#endif

/* number, driver's name without CUDA_, runtime's name without cuda, text */
#define AUTOTUNE_EMULATE_ERRORS(X)                                                       \
  X(0, SUCCESS, Success, "no error")                                                     \
  X(1, ERROR_INVALID_VALUE, ErrorInvalidValue, "invalid argument")                       \
  X(2, ERROR_OUT_OF_MEMORY, ErrorMemoryAllocation, "out of memory")                      \
  X(3, ERROR_NOT_INITIALIZED, ErrorInitializationError, "initialization error")          \
  X(4, ERROR_DEINITIALIZED, ErrorCudartUnloading, "driver shutting down")                \
  X(46, ERROR_DEVICE_UNAVAILABLE, ErrorDevicesUnavailable,                               \
    "CUDA-capable device(s) is/are busy or unavailable")                                 \
  X(100, ERROR_NO_DEVICE, ErrorNoDevice, "no CUDA-capable device is detected")           \
  X(101, ERROR_INVALID_DEVICE, ErrorInvalidDevice, "invalid device ordinal")             \
  X(200, ERROR_INVALID_IMAGE, ErrorInvalidKernelImage, "device kernel image is invalid") \
  X(201, ERROR_INVALID_CONTEXT, ErrorDeviceUninitialized, "invalid device context")      \
  X(205, ERROR_MAP_FAILED, ErrorMapBufferObjectFailed,                                   \
    "mapping of buffer object failed")                                                   \
  X(209, ERROR_NO_BINARY_FOR_GPU, ErrorNoKernelImageForDevice,                           \
    "no kernel image is available for execution on the device")                          \
  X(302, ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, ErrorSharedObjectSymbolNotFound,          \
    "shared object symbol not found")                                                    \
  X(304, ERROR_OPERATING_SYSTEM, ErrorOperatingSystem,                                   \
    "OS call failed or operation not supported on this OS")                              \
  X(400, ERROR_INVALID_HANDLE, ErrorInvalidResourceHandle, "invalid resource handle")    \
  X(500, ERROR_NOT_FOUND, ErrorSymbolNotFound, "named symbol not found")                 \
  X(600, ERROR_NOT_READY, ErrorNotReady, "device not ready")                             \
  X(700, ERROR_ILLEGAL_ADDRESS, ErrorIllegalAddress,                                     \
    "an illegal memory access was encountered")                                          \
  X(701, ERROR_LAUNCH_OUT_OF_RESOURCES, ErrorLaunchOutOfResources,                       \
    "too many resources requested for launch")                                           \
  X(702, ERROR_LAUNCH_TIMEOUT, ErrorLaunchTimeout,                                       \
    "the launch timed out and was terminated")                                           \
  X(709, ERROR_CONTEXT_IS_DESTROYED, ErrorContextIsDestroyed, "context is destroyed")    \
  X(710, ERROR_ASSERT, ErrorAssert, "device-side assert triggered")                      \
  X(715, ERROR_ILLEGAL_INSTRUCTION, ErrorIllegalInstruction,                             \
    "an illegal instruction was encountered")                                            \
  X(716, ERROR_MISALIGNED_ADDRESS, ErrorMisalignedAddress, "misaligned address")         \
  X(719, ERROR_LAUNCH_FAILED, ErrorLaunchFailure, "unspecified launch failure")          \
  X(720, ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, ErrorCooperativeLaunchTooLarge,             \
    "too many blocks in cooperative launch")                                             \
  X(801, ERROR_NOT_SUPPORTED, ErrorNotSupported, "operation not supported")              \
  X(900, ERROR_STREAM_CAPTURE_UNSUPPORTED, ErrorStreamCaptureUnsupported,                \
    "operation not permitted when stream is capturing")                                  \
  X(901, ERROR_STREAM_CAPTURE_INVALIDATED, ErrorStreamCaptureInvalidated,                \
    "operation failed due to a previous error during capture")                           \
  X(903, ERROR_STREAM_CAPTURE_UNMATCHED, ErrorStreamCaptureUnmatched,                    \
    "the capture was not initiated in this stream")                                      \
  X(906, ERROR_STREAM_CAPTURE_IMPLICIT, ErrorStreamCaptureImplicit,                      \
    "operation would make the legacy stream depend on a capturing blocking stream")      \
  X(908, ERROR_STREAM_CAPTURE_WRONG_THREAD, ErrorStreamCaptureWrongThread,               \
    "attempt to terminate a thread-local capture sequence from another thread")          \
  X(999, ERROR_UNKNOWN, ErrorUnknown, "unknown error")

typedef enum cudaError_enum {
#define X(number, driver, runtime, text) CUDA_##driver = number,
  AUTOTUNE_EMULATE_ERRORS(X)
#undef X
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct {
  char bytes[16];
} CUuuid;
typedef struct {
  char reserved[64];
} CUipcMemHandle;

#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum {
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_EVENT_INTERPROCESS = 4
};
enum {
  CU_MEMHOSTALLOC_PORTABLE = 1,
  CU_MEMHOSTALLOC_DEVICEMAP = 2,
  CU_MEMHOSTALLOC_WRITECOMBINED = 4
};
enum { CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1 };
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };

typedef enum {
  CU_STREAM_CAPTURE_STATUS_NONE,
  CU_STREAM_CAPTURE_STATUS_ACTIVE,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED
} CUstreamCaptureStatus;
typedef enum {
  CU_STREAM_CAPTURE_MODE_GLOBAL,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
  CU_STREAM_CAPTURE_MODE_RELAXED
} CUstreamCaptureMode;

typedef enum {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12
} CUpointer_attribute;

typedef enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
} CUfunction_attribute;

/* number, driver's name without CU_DEVICE_ATTRIBUTE_, runtime's without cudaDevAttr,
 * value */
#define AUTOTUNE_EMULATE_ATTRIBUTES(X)                                             \
  X(1, MAX_THREADS_PER_BLOCK, MaxThreadsPerBlock, 1024)                            \
  X(2, MAX_BLOCK_DIM_X, MaxBlockDimX, 1024)                                        \
  X(3, MAX_BLOCK_DIM_Y, MaxBlockDimY, 1024)                                        \
  X(4, MAX_BLOCK_DIM_Z, MaxBlockDimZ, 64)                                          \
  X(5, MAX_GRID_DIM_X, MaxGridDimX, 0x7fffffff)                                    \
  X(6, MAX_GRID_DIM_Y, MaxGridDimY, 65535)                                         \
  X(7, MAX_GRID_DIM_Z, MaxGridDimZ, 65535)                                         \
  X(8, MAX_SHARED_MEMORY_PER_BLOCK, MaxSharedMemoryPerBlock, 48 << 10)             \
  X(9, TOTAL_CONSTANT_MEMORY, TotalConstantMemory, 64 << 10)                       \
  X(10, WARP_SIZE, WarpSize, 32)                                                   \
  X(11, MAX_PITCH, MaxPitch, 0x7fffffff)                                           \
  X(12, MAX_REGISTERS_PER_BLOCK, MaxRegistersPerBlock, 64 << 10)                   \
  X(13, CLOCK_RATE, ClockRate, 1000000)                                            \
  X(16, MULTIPROCESSOR_COUNT, MultiProcessorCount, 16)                             \
  X(17, KERNEL_EXEC_TIMEOUT, KernelExecTimeout, 1)                                 \
  X(18, INTEGRATED, Integrated, 0)                                                 \
  X(19, CAN_MAP_HOST_MEMORY, CanMapHostMemory, 1)                                  \
  X(20, COMPUTE_MODE, ComputeMode, 0)                                              \
  X(31, CONCURRENT_KERNELS, ConcurrentKernels, 0)                                  \
  X(32, ECC_ENABLED, EccEnabled, 0)                                                \
  X(33, PCI_BUS_ID, PciBusId, 0)                                                   \
  X(34, PCI_DEVICE_ID, PciDeviceId, 0)                                             \
  X(36, MEMORY_CLOCK_RATE, MemoryClockRate, 1000000)                               \
  X(37, GLOBAL_MEMORY_BUS_WIDTH, GlobalMemoryBusWidth, 64)                         \
  X(38, L2_CACHE_SIZE, L2CacheSize, 4 << 20)                                       \
  X(39, MAX_THREADS_PER_MULTIPROCESSOR, MaxThreadsPerMultiProcessor, 1536)         \
  X(40, ASYNC_ENGINE_COUNT, AsyncEngineCount, 1)                                   \
  X(41, UNIFIED_ADDRESSING, UnifiedAddressing, 1)                                  \
  X(75, COMPUTE_CAPABILITY_MAJOR, ComputeCapabilityMajor, 8)                       \
  X(76, COMPUTE_CAPABILITY_MINOR, ComputeCapabilityMinor, 0)                       \
  X(78, STREAM_PRIORITIES_SUPPORTED, StreamPrioritiesSupported, 0)                 \
  X(81, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, MaxSharedMemoryPerMultiprocessor,    \
    100 << 10)                                                                     \
  X(82, MAX_REGISTERS_PER_MULTIPROCESSOR, MaxRegistersPerMultiprocessor, 64 << 10) \
  X(83, MANAGED_MEMORY, ManagedMemory, 1)                                          \
  X(89, CONCURRENT_MANAGED_ACCESS, ConcurrentManagedAccess, 1)                     \
  X(95, COOPERATIVE_LAUNCH, CooperativeLaunch, 0)                                  \
  X(97, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, MaxSharedMemoryPerBlockOptin, 99 << 10) \
  X(106, MAX_BLOCKS_PER_MULTIPROCESSOR, MaxBlocksPerMultiprocessor, 16)            \
  X(111, RESERVED_SHARED_MEMORY_PER_BLOCK, ReservedSharedMemoryPerBlock, 1 << 10)  \
  X(115, MEMORY_POOLS_SUPPORTED, MemoryPoolsSupported, 1)

typedef enum {
#define X(number, driver, runtime, value) CU_DEVICE_ATTRIBUTE_##driver = number,
  AUTOTUNE_EMULATE_ATTRIBUTES(X)
#undef X
} CUdevice_attribute;

#include "autotune_emulate/tensor_map.h"

#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuEventDestroy cuEventDestroy_v2

CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetErrorName(CUresult e, const char **text);
CUresult cuGetErrorString(CUresult e, const char **text);
CUresult cuDeviceGetCount(int *n);
CUresult cuDeviceGet(CUdevice *d, int ordinal);
CUresult cuDeviceGetName(char *name, int size, CUdevice d);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice d);
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice d);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice d);
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice d);
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d);
CUresult cuDevicePrimaryCtxRelease(CUdevice d);
CUresult cuCtxGetCurrent(CUcontext *c);
CUresult cuCtxSetCurrent(CUcontext c);
CUresult cuCtxGetDevice(CUdevice *d);
CUresult cuCtxSynchronize(void);
CUresult cuMemGetInfo(size_t *available, size_t *total);
CUresult cuMemAlloc(CUdeviceptr *p, size_t bytes);
CUresult cuMemFree(CUdeviceptr p);
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr p);
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr p);
CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags);
CUresult cuMemFreeHost(void *p);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s);
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream s);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream s);
CUresult cuMemsetD8(CUdeviceptr p, unsigned char value, size_t bytes);
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t bytes, CUstream s);
CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr p);
CUresult cuIpcOpenMemHandle(CUdeviceptr *p, CUipcMemHandle handle, unsigned flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr p);
CUresult cuModuleLoadData(CUmodule *m, const void *image);
CUresult cuModuleUnload(CUmodule m);
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name);
CUresult cuModuleGetGlobal(CUdeviceptr *p, size_t *bytes, CUmodule m, const char *name);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f);
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f,
                                                     int threads, size_t shared);
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream s,
                        void **args, void **extra);
CUresult cuStreamCreate(CUstream *s, unsigned flags);
CUresult cuStreamDestroy(CUstream s);
CUresult cuStreamSynchronize(CUstream s);
CUresult cuStreamQuery(CUstream s);
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags);
CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CUresult cuEventCreate(CUevent *e, unsigned flags);
CUresult cuEventDestroy(CUevent e);
CUresult cuEventRecord(CUevent e, CUstream s);
CUresult cuEventQuery(CUevent e);
CUresult cuEventSynchronize(CUevent e);
CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to);

#ifdef __cplusplus
}
#endif
#endif
