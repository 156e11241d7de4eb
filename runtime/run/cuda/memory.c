// SPDX-License-Identifier: Apache-2.0
// memory.c: allocates memory for copies: on the device if a margin remains for the
// program, which may allocate while it is tuned; else pinned memory of the host, at most
// half of its free memory.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

enum { MARGIN_FRACTION = 32, HOST_PORTABLE = 1, HOST_MAPPED = 2 /* CU_MEMHOSTALLOC_… */ };

static bool device_has_room(const struct gpu_api *api, size_t bytes, size_t *available) {
  size_t total = 0;
  *available = 0;
  if (api->memory_info(available, &total) != 0)
    return false;
  size_t margin = total / MARGIN_FRACTION;
  *available = *available > margin ? *available - margin : 0;
  return bytes <= *available;
}

size_t gpu_host_room(void) {
  char text[4096];
  int fd = sys_open("/proc/meminfo", O_RDONLY, 0);
  int n = fd >= 0 ? sys_read_all(fd, text, sizeof text - 1) : -1;
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  const char *at = strstr(text, "MemAvailable:");
  return at ? (size_t)strtoull(at + strlen("MemAvailable:"), NULL, 10) * 1024 / 2 : 0;
}

static double memory_mebibytes(size_t bytes) {
  return (double)bytes / (1 << 20);
}

bool gpu_buffer_make(const struct gpu_api *api, struct gpu_buffer *b, size_t bytes,
                     bool on_device, char *why, size_t size) {
  size_t available;
  *b = (struct gpu_buffer){ .bytes = bytes };
  if (bytes == 0)
    return true;
  if (device_has_room(api, bytes, &available) && api->allocate(&b->at, bytes) == 0)
    return true;
  void *p = NULL;
  if (!on_device && !sys_fails(SYS_MALLOC) && bytes <= gpu_host_room() &&
      api->host_allocate(&p, bytes, HOST_PORTABLE | HOST_MAPPED) == 0 && p) {
    b->at = (gpu_pointer)(uintptr_t)p;
    b->host = true;
    return true;
  }
  *b = (struct gpu_buffer){ 0 };
  snprintf(why, size,
           "no room for a copy of %.1f MiB (%.1f MiB are free on the device%s)",
           memory_mebibytes(bytes), memory_mebibytes(available),
           on_device ? "" : ", and the host has too few");
  return false;
}

void gpu_buffer_free(const struct gpu_api *api, struct gpu_buffer *b) {
  if (b->at && b->host)
    api->host_release((void *)(uintptr_t)b->at);
  else if (b->at)
    api->release(b->at);
  *b = (struct gpu_buffer){ 0 };
}

gpu_result gpu_buffer_save(const struct gpu_api *api, const struct gpu_buffer *b,
                           gpu_pointer from, gpu_stream s) {
  if (b->bytes == 0)
    return 0;
  return b->host ? api->copy_to_host((void *)(uintptr_t)b->at, from, b->bytes, s)
                 : api->copy_device(b->at, from, b->bytes, s);
}

gpu_result gpu_buffer_load(const struct gpu_api *api, const struct gpu_buffer *b,
                           gpu_pointer to, gpu_stream s) {
  if (b->bytes == 0)
    return 0;
  return b->host ? api->copy_from_host(to, (const void *)(uintptr_t)b->at, b->bytes, s)
                 : api->copy_device(to, b->at, b->bytes, s);
}
