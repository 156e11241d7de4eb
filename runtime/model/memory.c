// SPDX-License-Identifier: Apache-2.0
// memory.c: collects the memory of a call's sections, piece by piece where pointers lead
// to rows.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#include "kernel.h"
#include "memory.h"

enum { PAGE = 4096 };

// ---- collecting ---------------------------------------------------------------------

// What a kernel's `rows` is handed.
struct memory_collector {
  struct autotune_rows rows; // first
  struct memories *memories;
};

// True if all SIZE bytes from BASE on can be read, or if that is not known.
static bool memory_reads(struct memories *m, const char *base, size_t size) {
  uintptr_t page = (uintptr_t)base / PAGE, last = ((uintptr_t)base + size - 1) / PAGE;
  for (; page <= last; page++) {
    char byte;
    struct iovec to = { &byte, 1 }, from = { (void *)(page * PAGE), 1 };
    if (page != m->page && process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 &&
        errno == EFAULT)
      return false;
    m->page = page;
  }
  return true;
}

static bool memory_section_is_returned(const struct autotune_section *s) {
  return strncmp(s->name, "return", 6) == 0 && (s->name[6] == '[' || s->name[6] == ' ');
}

bool memory_is_returned(const struct autotune_kernel *k) {
  for (unsigned i = 0; i < k->n_sections; i++)
    if (memory_section_is_returned(&k->sections[i]))
      return true;
  return false;
}

const char *memories_returned(const struct memories *m, const void *result) {
  const char *pointer;
  struct memories look = { .page = 0 };
  for (unsigned i = 0; i < m->kernel->n_sections; i++) {
    struct memory *x = &m->list[i];
    if (!x->returned || !x->n)
      continue;
    memcpy(&pointer, result, sizeof pointer);
    x->pieces[0].base = (char *)(uintptr_t)pointer + x->distance;
    if (!pointer || !memory_reads(&look, x->pieces[0].base, x->bytes))
      return m->kernel->sections[i].name;
  }
  return NULL;
}

static bool memory_grow(struct memories *m, struct memory *of) {
  unsigned capacity = of->capacity ? 2 * of->capacity : 1;
  struct memory_piece *more = sys_realloc(of->pieces, capacity * sizeof *more);
  m->lost |= !more;
  if (!more)
    return false;
  of->pieces = more;
  of->capacity = capacity;
  return true;
}

// Adds a piece of SECTION to OF, which is part of M; joins it with the last one if it
// follows that.
static void memory_add(struct memories *m, struct memory *of, unsigned section,
                       char *base, size_t bytes) {
  struct memory_piece *last = of->n ? &of->pieces[of->n - 1] : NULL;
  if (m->failed || m->lost || bytes == 0)
    return;
  if (last && last->base + last->bytes == base && last->section == section) {
    last->bytes += bytes;
    of->bytes += bytes;
    return;
  }
  if (of->n == MEMORY_MOST) {
    m->failed = m->kernel->sections[section].name;
    m->full = true;
    return;
  }
  if (of->n == of->capacity && !memory_grow(m, of))
    return;
  of->pieces[of->n++] = (struct memory_piece){ base, bytes, of->bytes, section };
  of->bytes += bytes;
}

// The member `add` of struct autotune_rows.
static int memory_collect(struct autotune_rows *rows, unsigned section,
                          const volatile void *base, size_t bytes, int addresses) {
  struct memories *m = ((struct memory_collector *)(void *)rows)->memories;
  char *at = (char *)(uintptr_t)base;
  if (addresses && !m->failed && !memory_reads(m, at, bytes))
    m->failed = m->kernel->sections[section].name;
  memory_add(m, addresses ? &m->tables : &m->list[section], section, at, bytes);
  return !m->failed && !m->lost;
}

// The member `shape` of struct autotune_rows.
static void memory_shape(struct autotune_rows *rows, unsigned section, unsigned n,
                         const long long *low, const long long *count) {
  struct memory *of = &((struct memory_collector *)(void *)rows)->memories->list[section];
  if (n > MEMORY_DIMS)
    return;
  of->n_dims = n;
  memcpy(of->low, low, n * sizeof *low);
  memcpy(of->count, count, n * sizeof *count);
}

// Collects what `describe` says of sections of one piece.
static bool memories_spans(struct memories *m, void *const *args) {
  const struct autotune_kernel *k = m->kernel;
  struct autotune_span *spans = sys_calloc(k->n_sections + 1, sizeof *spans);
  struct autotune_call call = { .spans = spans };
  if (!spans)
    return false;
  k->describe(args, &call);
  m->flops = call.flops;
  m->bytes = call.bytes;
  for (unsigned i = 0; i < k->n_sections; i++)
    if (spans[i].base)
      memory_add(m, &m->list[i], i, spans[i].base, spans[i].bytes);
  free(spans);
  return true;
}

bool memories_describe(struct memories *m, const struct autotune_kernel *k,
                       void *const *args, char *message, size_t size) {
  struct memory_collector c = { { memory_shape, memory_collect }, m };
  autotune_rows_fn *rows = kernel_rows(k);
  *m = (struct memories){ .kernel = k };
  m->list = sys_calloc(k->n_sections + 1, sizeof *m->list);
  m->lost = !m->list || !memories_spans(m, args);
  if (rows && !m->lost)
    rows(args, NULL, &c.rows);
  for (unsigned i = 0; !m->lost && i < k->n_sections; i++)
    if (memory_section_is_returned(&k->sections[i]) && m->list[i].n) {
      m->list[i].returned = true;
      m->list[i].distance = (size_t)(uintptr_t)m->list[i].pieces[0].base;
    }
  if (m->lost)
    snprintf(message, size, "no memory");
  else if (m->full)
    snprintf(message, size, "the section %s has more than %d rows", m->failed,
             (int)MEMORY_MOST);
  else if (m->failed)
    snprintf(message, size, "the addresses of the rows of %s cannot be read", m->failed);
  else
    return true;
  memories_free(m);
  return false;
}

void memories_free(struct memories *m) {
  for (unsigned i = 0; m->list && i < m->kernel->n_sections; i++)
    free(m->list[i].pieces);
  free(m->tables.pieces);
  free(m->list);
  *m = (struct memories){ .kernel = m->kernel };
}

// ---- one section --------------------------------------------------------------------

void memory_read(const struct memory *m, char *buffer) {
  for (unsigned i = 0; i < m->n; i++)
    memcpy(buffer + m->pieces[i].at, m->pieces[i].base, m->pieces[i].bytes);
}

void memory_write(const struct memory *m, const char *buffer) {
  for (unsigned i = 0; i < m->n; i++)
    memcpy(m->pieces[i].base, buffer + m->pieces[i].at, m->pieces[i].bytes);
}

bool memory_equal(const struct memory *m, const char *buffer) {
  for (unsigned i = 0; i < m->n; i++)
    if (memcmp(m->pieces[i].base, buffer + m->pieces[i].at, m->pieces[i].bytes) != 0)
      return false;
  return true;
}

uint64_t memory_hash(const struct memory *m, uint64_t seed) {
  for (unsigned i = 0; i < m->n; i++)
    seed = XXH3_64bits_withSeed(m->pieces[i].base, m->pieces[i].bytes, seed);
  return seed;
}

static bool pieces_overlap(const struct memory_piece *a, const struct memory_piece *b) {
  return a->base < b->base + b->bytes && b->base < a->base + a->bytes;
}

// Returns one piece from the lowest to the highest address of M.
static struct memory_piece memory_bounds(const struct memory *m) {
  char *low = NULL, *high = NULL;
  for (unsigned i = 0; i < m->n; i++) {
    char *base = m->pieces[i].base, *end = base + m->pieces[i].bytes;
    low = !low || base < low ? base : low;
    high = end > high ? end : high;
  }
  return (struct memory_piece){ .base = low, .bytes = (size_t)(high - low) };
}

static int pieces_by_address(const void *a, const void *b) {
  const struct memory_piece *x = a, *y = b;
  return (x->base > y->base) - (x->base < y->base);
}

static struct memory_piece *memory_sorted(const struct memory *m) {
  struct memory_piece *sorted = sys_malloc(m->n * sizeof *sorted);
  if (sorted)
    qsort(memcpy(sorted, m->pieces, m->n * sizeof *sorted), m->n, sizeof *sorted,
          pieces_by_address);
  return sorted;
}

// Pieces of one section may overlap each other only where rows are the same.
bool memory_overlap(const struct memory *a, const struct memory *b) {
  if (a->n == 0 || b->n == 0)
    return false;
  struct memory_piece x = memory_bounds(a), y = memory_bounds(b);
  if (!pieces_overlap(&x, &y))
    return false;
  struct memory_piece *p = memory_sorted(a), *q = memory_sorted(b);
  bool overlap = !p || !q;
  for (unsigned i = 0, j = 0; !overlap && i < a->n && j < b->n;) {
    overlap = pieces_overlap(&p[i], &q[j]);
    if (p[i].base + p[i].bytes < q[j].base + q[j].bytes)
      i++;
    else
      j++;
  }
  free(p);
  free(q);
  return overlap;
}

bool memory_same(const struct memory *a, const struct memory *b) {
  for (unsigned i = 0; i < a->n && i < b->n; i++)
    if (a->pieces[i].base != b->pieces[i].base ||
        a->pieces[i].bytes != b->pieces[i].bytes)
      return false;
  return a->n == b->n;
}

bool memory_within(const struct memory *a, const struct memory *b) {
  for (unsigned i = 0, j = 0; i < a->n; i++) {
    const struct memory_piece *p = &a->pieces[i];
    unsigned tried = 0;
    for (; tried < b->n; tried++, j = (j + 1) % b->n) { // they mostly follow each other
      const struct memory_piece *q = &b->pieces[j];
      if (p->base >= q->base && p->base + p->bytes <= q->base + q->bytes)
        break;
    }
    if (tried == b->n)
      return false;
  }
  return true;
}

// True if A lies in a section of M.
static bool memory_knows(const struct memories *m, const char *a) {
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    for (unsigned j = 0; !m->list[i].returned && j < m->list[i].n; j++)
      if (a >= m->list[i].pieces[j].base &&
          a < m->list[i].pieces[j].base + m->list[i].pieces[j].bytes)
        return true;
  return false;
}

bool memory_agrees(const struct memories *m, const void *a, const void *b) {
  const char *x, *y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x == y || (x && y && !memory_knows(m, x) && !memory_knows(m, y));
}

// ---- names --------------------------------------------------------------------------

// Returns the length of NAME without its last N pairs of brackets; 0: it has fewer.
static size_t memory_name_base(const char *name, unsigned n) {
  size_t at = strlen(name);
  for (unsigned depth = 0; n > 0 && at > 0;) {
    at--;
    depth += name[at] == ']' ? 1u : name[at] == '[' ? -1u : 0;
    n -= depth == 0 && name[at] == '[';
    while (depth == 0 && at > 0 && name[at - 1] == ' ')
      at--;
  }
  return n == 0 ? at : 0;
}

bool memory_element(const struct memory *m, const char *name, size_t each, size_t at,
                    char *text, size_t size) {
  size_t base = memory_name_base(name, m->n_dims), all = each, index = at / each;
  for (unsigned d = 0; d < m->n_dims; d++)
    all *= (size_t)m->count[d];
  if (m->n_dims == 0 || all != m->bytes || base == 0)
    return false;
  bool wrapped = *name == '*' || *name == '&';
  size_t used =
      (size_t)snprintf(text, size, wrapped ? "(%.*s)" : "%.*s", (int)base, name);
  for (unsigned d = 0; d < m->n_dims && used < size; d++) {
    all /= (size_t)m->count[d];
    used += (size_t)snprintf(text + used, size - used, "[%lld]",
                             m->low[d] + (long long)(index / (all / each)));
    index %= all / each;
  }
  return true;
}
