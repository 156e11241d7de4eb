/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc.h: opens NVRTC, NVIDIA's compiler for CUDA C++ as a library, at run time. nvrtc.c
 * is also the backend of that name. */
#ifndef AUTOTUNE_NVRTC_H
#define AUTOTUNE_NVRTC_H

#include "base/base.h"

/* NVRTC's types and functions, declared here so that no header of the toolkit is needed:
 * X(member, name, parameters). Each function returns an nvrtcResult; 0: success. */
typedef struct nvrtc_program_st *nvrtc_program;
#define NVRTC_FUNCTIONS(X)                                                 \
  X(version, "nvrtcVersion", (int *major, int *minor))                     \
  X(create, "nvrtcCreateProgram",                                          \
    (nvrtc_program * p, const char *text, const char *name, int n_headers, \
     const char *const *headers, const char *const *names))                \
  X(destroy, "nvrtcDestroyProgram", (nvrtc_program * p))                   \
  X(compile, "nvrtcCompileProgram",                                        \
    (nvrtc_program p, int n, const char *const *options))                  \
  X(cubin_size, "nvrtcGetCUBINSize", (nvrtc_program p, size_t *bytes))     \
  X(cubin, "nvrtcGetCUBIN", (nvrtc_program p, char *cubin))                \
  X(log_size, "nvrtcGetProgramLogSize", (nvrtc_program p, size_t *bytes))  \
  X(log, "nvrtcGetProgramLog", (nvrtc_program p, char *log))

struct nvrtc {
#define X(member, name, parameters) int(*member) parameters;
  NVRTC_FUNCTIONS(X)
#undef X
  bool emulated;
};
/* Returns NVRTC, opened once: the emulator's, else AUTOTUNE_NVRTC, else the one that the
 * loader or CUDA_PATH has. NULL and *WHY (static): there is no NVRTC, or it is too old.
 * Thread-safe. */
const struct nvrtc *nvrtc_get(const char **why);
/* Makes nvrtc_get look for this major version first, since a driver may not load code of
 * a newer NVRTC. Call it before nvrtc_get. */
void nvrtc_prefer(int major);
/* Sets the compute capability that variants are compiled for from now on (90 for 9.0).
 * They are compiled for that device alone (sm_90a), with instructions that later devices
 * lack, from compute capability NVRTC_OWN_FEATURES on. */
void nvrtc_set_architecture(int cc);
enum { NVRTC_OWN_FEATURES = 90 };
/* Begins a flag that names a family of the build: "--build-family=sm_100f". NVRTC does
 * not see it. */
#define NVRTC_BUILD_FAMILY "--build-family="

#endif
