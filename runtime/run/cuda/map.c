// SPDX-License-Identifier: Apache-2.0
// map.c: the address inside a tensor map (CUtensorMap). The driver says neither where it
// is nor which it is; it can only replace it. So a word of the map is the address if the
// map stays the same when the driver replaces its address by that word.
#include <string.h>

#include "gpu.h"

gpu_result gpu_map_replace(const struct gpu_api *api, void *map, gpu_pointer address) {
  _Alignas(GPU_MAP) unsigned char copy[GPU_MAP];
  memcpy(copy, map, sizeof copy);
  gpu_result e = api->map_replace(copy, (void *)(uintptr_t)address);
  if (e == 0)
    memcpy(map, copy, sizeof copy);
  return e;
}

static bool map_is_at(const struct gpu_api *api, const void *map, gpu_pointer address) {
  unsigned char copy[GPU_MAP];
  memcpy(copy, map, sizeof copy);
  return gpu_map_replace(api, copy, address) == 0 && memcmp(copy, map, sizeof copy) == 0;
}

// A word may hold other things in the bits that no address has.
gpu_pointer gpu_map_address(const struct gpu_api *api, const void *map,
                            bool (*holds)(void *data, gpu_pointer p), void *data,
                            size_t *at) {
  static const gpu_pointer masks[] = { ~0ull, (1ull << 57) - 1, (1ull << 48) - 1 };
  for (*at = 0; *at < GPU_MAP; *at += sizeof(gpu_pointer)) {
    gpu_pointer word, last = 0;
    memcpy(&word, (const char *)map + *at, sizeof word);
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
      gpu_pointer p = word & masks[i];
      if (p && p != last && map_is_at(api, map, p) && holds(data, p))
        return p;
      last = p;
    }
  }
  return 0;
}

bool gpu_map_is_empty(const void *map) {
  static const unsigned char empty[GPU_MAP];
  return memcmp(map, empty, sizeof empty) == 0;
}
