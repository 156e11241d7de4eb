// SPDX-License-Identifier: Apache-2.0
// versions.c: prints the versions of the libraries that are loaded here, not of those at
// build time.
#include <hwloc.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <xxhash.h>

#include "compile/compile.h"
#include "compile/jit.h"
#include "compile/nvrtc.h"
#include "doctor.h"
#include "run/cuda/gpu.h"

static void versions_line(FILE *out, const char *name, const char *version) {
  fprintf(out, "  %-12s %s\n", name, version);
}

static void print_clang(FILE *out) {
  char *message = NULL;
  const struct jit_api *jit = jit_open(&message);
  versions_line(out, "LLVM", jit ? jit->version() : message ? message : "none");
  free(message);
}

static void print_hwloc(FILE *out) {
  unsigned v = hwloc_get_api_version();
  char text[32];
  snprintf(text, sizeof text, "%u.%u.%u", v >> 16, v >> 8 & 255, v & 255);
  versions_line(out, "hwloc", text);
}

static void print_xxhash(FILE *out) {
  unsigned v = XXH_versionNumber();
  char text[32];
  snprintf(text, sizeof text, "%u.%u.%u", v / 10000, v / 100 % 100, v % 100);
  versions_line(out, "xxHash", text);
}

static void print_cuda(FILE *out) {
  const char *no_driver, *no_nvrtc;
  const struct gpu_api *api = gpu_api_get(&no_driver);
  const struct nvrtc *nvrtc = nvrtc_get(&no_nvrtc);
  int v = 0, major = 0, minor = 0;
  char text[64];
  if (api && api->driver_version(&v) == 0)
    snprintf(text, sizeof text, "%d.%d", v / 1000, v % 1000 / 10);
  versions_line(out, "CUDA driver", v ? text : no_driver);
  if (nvrtc && nvrtc->version(&major, &minor) == 0)
    snprintf(text, sizeof text, "%d.%d", major, minor);
  versions_line(out, "NVRTC", major ? text : no_nvrtc);
}

void versions_print(FILE *out) {
  print_clang(out);
  versions_line(out, "SQLite", sqlite3_libversion());
  print_hwloc(out);
  versions_line(out, "Jansson", jansson_version_str());
  print_xxhash(out);
  print_cuda(out);
}
