// SPDX-License-Identifier: Apache-2.0
// fuzz_capture.c: captured calls: any bytes as a file, and as the description in a file
// with right checksums. An accepted file must be written back the same.
#include <stdlib.h>
#include <string.h>

#include "keep/capture/capture.h"
#include "fuzz.h"

static void read_file(const uint8_t *data, size_t size) {
  char *message;
  capture_free(capture_read(data, size, &message));
  free(message);
}

static void read_description(const uint8_t *data, size_t size) {
  struct stream in = { .reading = true, .data = (char *)(uintptr_t)data, .size = size },
                out = { 0 };
  struct capture c = { 0 };
  capture_tables(&in, &c);
  if (!in.failed) {
    capture_tables(&out, &c);
    if (out.failed || out.size != size || memcmp(out.data, data, size) != 0)
      abort();
  }
  free(out.data);
  stream_free(in.chunks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_file(data, size);
  read_description(data, size);
  return 0;
}
