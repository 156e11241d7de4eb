// SPDX-License-Identifier: Apache-2.0
// stream.c: values as bytes. The same functions read and write, so that what is read is
// what was written.
//
// Reading trusts nothing: no length is used before that many bytes are there. Writing
// changes nothing but the stream, since a kernel's tables are constant.
#include <stdlib.h>
#include <string.h>

#include "capture.h"

enum { ALIGN = 64 };

static bool make_room(struct stream *s, size_t n) {
  if (s->capacity - s->size >= n)
    return true;
  size_t capacity = 2 * s->capacity + n + 256;
  char *data = sys_realloc(s->data, capacity);
  if (!data)
    return false;
  s->data = data;
  s->capacity = capacity;
  return true;
}

void stream_bytes(struct stream *s, void *bytes, size_t n) {
  if (s->failed || n == 0)
    return;
  if (s->reading ? s->size - s->at < n : !make_room(s, n)) {
    s->failed = true;
    return;
  }
  if (s->reading) {
    memcpy(bytes, s->data + s->at, n);
    s->at += n;
  } else {
    memcpy(s->data + s->size, bytes, n);
    s->size += n;
  }
}

void stream_unsigned(struct stream *s, unsigned *n) {
  uint32_t number = *n;
  stream_bytes(s, &number, sizeof number);
  if (s->reading)
    *n = s->failed ? 0 : number;
}

void *stream_new(struct stream *s, size_t n, size_t size) {
  struct chunk *c = s->failed ? NULL
                              : sys_calloc(1, sizeof *c + ALIGN + (n ? n : 1) * size);
  if (!c) {
    s->failed = true;
    return NULL;
  }
  c->next = s->chunks;
  s->chunks = c;
  return (void *)(((uintptr_t)(c + 1) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
}

void stream_free(struct chunk *chunks) {
  for (struct chunk *next; chunks; chunks = next) {
    next = chunks->next;
    free(chunks);
  }
}

// The length plus 1, or 0 for NULL, then the bytes.
void stream_text(struct stream *s, const char **text) {
  uint64_t size = *text ? strlen(*text) + 1 : 0;
  char *bytes = NULL;
  stream_bytes(s, &size, sizeof size);
  if (!s->reading) {
    if (size > 0)
      stream_bytes(s, (char *)(uintptr_t)*text, size - 1);
    return;
  }
  *text = NULL;
  if (s->failed || size == 0)
    return;
  if (size - 1 > s->size - s->at || !(bytes = stream_new(s, size, 1))) {
    s->failed = true;
    return;
  }
  stream_bytes(s, bytes, size - 1);
  s->failed |= strlen(bytes) != size - 1;
  *text = bytes;
}
