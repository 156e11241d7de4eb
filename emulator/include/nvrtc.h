/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc.h: the part of NVRTC's interface that libautotune-emulate.so has. */
#ifndef AUTOTUNE_EMULATE_NVRTC_H
#define AUTOTUNE_EMULATE_NVRTC_H

#pragma GCC system_header

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_INTERNAL_ERROR = 11
} nvrtcResult;
typedef struct nvrtcProgram_st *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *p, const char *text, const char *name,
                               int n_headers, const char *const *headers,
                               const char *const *names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p);
nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log);

#ifdef __cplusplus
}
#endif
#endif
