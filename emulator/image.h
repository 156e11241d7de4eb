/* SPDX-License-Identifier: Apache-2.0 */
/* image.h: the head of the emulator's "cubin"; a shared object follows it. */
#ifndef AUTOTUNE_EMULATOR_IMAGE_H
#define AUTOTUNE_EMULATOR_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define IMAGE_MAGIC "atemubin"
struct image {
  char magic[8];
  uint64_t size, hash; /* of the shared object */
  uint64_t cc;         /* compute capability it was made for; 0: any */
};
uint64_t image_hash(const void *data, size_t size);

#endif
