// SPDX-License-Identifier: Apache-2.0
// cuda.c: checks what CUDA kernels need. Other kernels do not, so no check fails.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/nvrtc.h"
#include "doctor.h"
#include "run/cuda/gpu.h"
#include "base/base.h"

static bool cuda_list_devices(struct finding *f, const struct gpu_api *api, int version) {
  char names[400] = "", name[128];
  int n = 0;
  if (api->device_count(&n) != 0)
    n = 0;
  for (int i = 0; i < n; i++) {
    gpu_device d = 0;
    size_t used = strlen(names);
    if (api->device_get(&d, i) == 0 && api->device_name(name, sizeof name, d) == 0)
      snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
  }
  finding_say(f, n > 0, "CUDA %d.%d%s%s: %s", version / 1000, version % 1000 / 10,
              api->emulated ? ", emulated" : "", n ? "" : ", no device", names);
  for (int i = 0; i < n; i++) {
    const struct gpu_info *g = gpu_info_get(i);
    if (g && g->exclusive)
      return finding_instead(
          f, DOCTOR_MISSING,
          "a device admits one process only, so that no kernel is tuned "
          "there: `nvidia-smi -c DEFAULT`, or MPS, admits more");
  }
  return n > 0 || finding_instead(f, DOCTOR_MISSING, "");
}

bool check_driver(struct finding *f) {
  const char *why = NULL;
  const struct gpu_api *api = gpu_api_get(&why);
  char text[256];
  int version = 0, e = 0;
  if (!api)
    return finding_say(f, false, "%s", why);
  if (api->driver_version(&version) == 0 && (e = api->init(0)) == 0)
    return cuda_list_devices(f, api, version);
  finding_say(f, false, "CUDA %d.%d, but it does not begin: %s", version / 1000,
              version % 1000 / 10,
              version ? gpu_error(api, e, text, sizeof text) : "no version");
  return finding_instead(
      f, DOCTOR_MISSING,
      "in a container, start it with --gpus all; else see whether nvidia-smi works");
}

bool check_nvrtc(struct finding *f) {
  const char *why = NULL;
  const struct nvrtc *n = nvrtc_get(&why);
  int major = 0, minor = 0;
  if (n && n->version(&major, &minor) == 0)
    return finding_say(f, true, "%d.%d", major, minor);
  return finding_say(f, false, "%s", n ? "NVRTC tells no version" : why);
}

// Returns the path of nvcc from PATH, CUDA_PATH or /usr/local/cuda, malloc'ed; NULL:
// there is none.
static char *find_nvcc(void) {
  const char *home = getenv("CUDA_PATH"), *path = getenv("PATH");
  char *folders = sys_printf("%s:%s%s/usr/local/cuda/bin", path ? path : "",
                             home ? home : "", home ? "/bin:" : ""),
       *rest = folders;
  for (char *folder; rest && (folder = strsep(&rest, ":"));) {
    char *program = *folder ? sys_printf("%s/nvcc", folder) : NULL;
    if (program && access(program, X_OK) == 0) {
      free(folders);
      return program;
    }
    free(program);
  }
  free(folders);
  return NULL;
}

bool check_toolkit(struct finding *f) {
  char *nvcc = find_nvcc();
  bool good = finding_say(f, nvcc != NULL, "%s",
                          nvcc ? nvcc : "no nvcc in PATH, CUDA_PATH or /usr/local/cuda");
  free(nvcc);
  return good;
}

// Returns the path of NAME in the folders of this installation in which libautotune.so
// may be, malloc'ed; NULL: it is in none of them.
static char *cuda_installed(const char *name) {
  static const char *const folders[] = { "", "../lib/", "../" AUTOTUNE_LIBDIR "/" };
  char program[4096];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  program[n > 0 ? n : 0] = '\0';
  char *slash = strrchr(program, '/');
  if (slash)
    slash[1] = '\0';
  for (size_t i = 0; slash && i < sizeof folders / sizeof *folders; i++) {
    char *path = sys_printf("%s%s%s", program, folders[i], name);
    if (path && access(path, R_OK) == 0)
      return path;
    free(path);
  }
  return NULL;
}

bool check_gpu_worker(struct finding *f) {
  const char *asked = options_get()->gpu_worker;
  char *path = asked ? sys_strdup(asked) : cuda_installed("autotune-gpu-worker");
  bool good = path && access(path, X_OK) == 0;
  finding_say(f, good, "%s%s", good ? "" : "autotune-gpu-worker is not there: ",
              path ? path : "nor next to libautotune.so");
  free(path);
  return good;
}

bool check_emulator(struct finding *f) {
  char *path = cuda_installed("libautotune-emulate.so");
  bool good =
      finding_say(f, path != NULL, "%s",
                  path ? path : "libautotune-emulate.so is not next to libautotune.so");
  free(path);
  return good;
}
