// SPDX-License-Identifier: Apache-2.0
// text.c: the arena, slices of text, growing text.
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"

#define BLOCK_SIZE (256 * 1024)

struct block {
  struct block *next;
  size_t used, size;
  max_align_t data[];
};

static struct block *arena; // the newest block first
static struct deferred {
  struct deferred *next;
  void (*free)(void *);
  void *data;
} *deferred;

static struct block *block_new(size_t size) {
  struct block *b = malloc(sizeof *b + size);
  if (!b)
    fatal("out of memory");
  *b = (struct block){ .size = size };
  return b;
}

void *arena_alloc(size_t size) {
  const size_t align = _Alignof(max_align_t);
  if (size > SIZE_MAX / 2)
    fatal("out of memory");
  size = (size + align - 1) / align * align;
  if (size > BLOCK_SIZE / 4) { // a block of its own, after the one in use
    struct block *b = block_new(size);
    b->used = size;
    if (arena) {
      b->next = arena->next;
      arena->next = b;
    } else {
      arena = b;
    }
    return memset(b->data, 0, size);
  }
  if (!arena || arena->size - arena->used < size) {
    struct block *b = block_new(BLOCK_SIZE);
    b->next = arena;
    arena = b;
  }
  void *p = (char *)arena->data + arena->used;
  arena->used += size;
  return memset(p, 0, size);
}

void arena_defer(void (*free_it)(void *), void *data) {
  struct deferred *d = arena_alloc(sizeof *d);
  *d = (struct deferred){ deferred, free_it, data };
  deferred = d;
}

void arena_reset(void) {
  for (; deferred; deferred = deferred->next)
    deferred->free(deferred->data);
  while (arena) {
    struct block *next = arena->next;
    free(arena);
    arena = next;
  }
}

char *arena_copy(const char *s, size_t size) {
  char *copy = arena_alloc(size + 1);
  if (size)
    memcpy(copy, s, size);
  return copy;
}

static char *arena_vprintf(size_t *size, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (n < 0)
    fatal("cannot format a message");
  char *s = arena_alloc((size_t)n + 1);
  vsnprintf(s, (size_t)n + 1, format, args);
  *size = (size_t)n;
  return s;
}

char *arena_printf(const char *format, ...) {
  va_list args;
  size_t size;
  va_start(args, format);
  char *s = arena_vprintf(&size, format, args);
  va_end(args);
  return s;
}

// The capacity is not kept: it is 4, 8, 16 … and full whenever n is one of them.
void *arena_grow(void *list, size_t n, size_t element) {
  if (n != 0 && (n < 4 || (n & (n - 1)) != 0))
    return list;
  size_t capacity = n ? 2 * n : 4;
  void *grown = arena_alloc(capacity * element);
  if (n)
    memcpy(grown, list, n * element);
  return grown;
}

struct slice slice_of(const char *s) {
  return (struct slice){ s, strlen(s) };
}

bool slice_is(struct slice s, const char *word) {
  return strlen(word) == s.size && memcmp(s.data, word, s.size) == 0;
}

bool slices_same(struct slice a, struct slice b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

struct slice slice_after(struct slice s, struct slice part) {
  const char *start = part.data + part.size;
  return (struct slice){ start, (size_t)(s.data + s.size - start) };
}

bool slice_in(struct slice s, const char *const *words) {
  while (*words && !slice_is(s, *words))
    words++;
  return *words != NULL;
}

// Returns the byte that the escape after a backslash at *P means, and moves *P past the
// escape.
static char text_unescaped(const char **p, const char *end) {
  static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
  unsigned byte = 0, digits = 0;
  for (; digits < 3 && *p < end && **p >= '0' && **p <= '7'; digits++)
    byte = byte * 8 + (unsigned)(*(*p)++ - '0');
  if (digits)
    return (char)byte;
  char c = *(*p)++;
  const char *letter = strchr(letters, c);
  return c && letter ? bytes[letter - letters] : c;
}

char *slice_unquoted(struct slice s) {
  char *copy = arena_alloc(s.size + 1), *q = copy;
  for (const char *p = s.data, *end = p + s.size; p < end;) {
    char c = *p++;
    *q++ = c == '\\' && p < end ? text_unescaped(&p, end) : c;
  }
  return copy;
}

// Returns the length of the blank at P, which may be a continued line's end; 0 if P holds
// something else.
static size_t blank_at(const char *p, const char *end) {
  if (p == end)
    return 0;
  if (isspace((unsigned char)*p))
    return 1;
  if (*p == '\\' && end - p > 1 && p[1] == '\n')
    return 2;
  if (*p == '\\' && end - p > 2 && p[1] == '\r' && p[2] == '\n')
    return 3;
  return 0;
}

struct slice slice_trim(struct slice s) {
  const char *p = s.data, *end = s.data + s.size;
  for (size_t n; (n = blank_at(p, end)) != 0;)
    p += n;
  while (end > p) {
    if (isspace((unsigned char)end[-1]))
      end--;
    else if (end[-1] == '\\' && blank_at(end - 1, s.data + s.size))
      end--;
    else
      break;
  }
  return (struct slice){ p, (size_t)(end - p) };
}

// As with arrays, the capacity follows from the size: the next power of two, at least 64.
static size_t text_capacity(size_t size) {
  size_t capacity = 64;
  while (capacity < size + 1)
    capacity *= 2;
  return capacity;
}

void text_add(struct text *t, const char *data, size_t size) {
  if (!t->data || text_capacity(t->size) < t->size + size + 1) {
    char *grown = arena_alloc(text_capacity(t->size + size));
    if (t->size)
      memcpy(grown, t->data, t->size);
    t->data = grown;
  }
  if (size)
    memcpy(t->data + t->size, data, size);
  t->size += size;
  t->data[t->size] = '\0';
}

void text_printf(struct text *t, const char *format, ...) {
  va_list args;
  size_t size;
  va_start(args, format);
  char *s = arena_vprintf(&size, format, args);
  va_end(args);
  text_add(t, s, size);
}

void text_literal(struct text *t, const char *data, size_t size) {
  text_add(t, "\"", 1);
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)data[i];
    if (c == '\n' && i + 1 < size)
      text_add(t, "\\n\"\n\"", 5);
    else if (c == '\n')
      text_add(t, "\\n", 2);
    else if (c == '"' || c == '\\' || c == '?') // '?': no trigraph
      text_printf(t, "\\%c", c);
    else if (c >= ' ' && c < 127)
      text_add(t, data + i, 1);
    else
      text_printf(t, "\\%03o", c);
  }
  text_add(t, "\"", 1);
}
