// SPDX-License-Identifier: Apache-2.0
// apart.c: whether the sections of a call are apart where pointers lead to their rows.
// Stubs ask before each call of a variant, so that a table of 65,000 rows may cost no
// more than a tenth of a millisecond: rows whose addresses rise are one extent, from the
// first to the last. Where such an extent meets another, each row is looked at.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "memory.h"

struct extent {
  uintptr_t from, to;
  bool written;
};

enum { APART_FEW = 128, APART_RUNS = 16, APART_SPANS = 16 };
struct apart {
  struct autotune_rows rows; // first
  const struct autotune_kernel *kernel;
  struct extent few[APART_FEW], *list; // LIST: FEW, or on the heap
  unsigned n, capacity;
  bool each; // row is an extent
  bool lost; // there is no memory, or too many rows
};

// ---- collecting ---------------------------------------------------------------------

static bool apart_grow(struct apart *a) {
  unsigned capacity = 2 * a->capacity;
  bool few = a->list == a->few;
  struct extent *more = a->capacity >= MEMORY_MOST
      ? NULL
      : sys_realloc(few ? NULL : a->list, capacity * sizeof *more);
  a->lost |= !more;
  if (!more)
    return false;
  if (few)
    memcpy(more, a->few, sizeof a->few);
  a->list = more;
  a->capacity = capacity;
  return true;
}

static void apart_put(struct apart *a, uintptr_t from, uintptr_t to, bool written) {
  struct extent *last = a->n ? &a->list[a->n - 1] : NULL;
  if (to <= from || a->lost)
    return;
  if (last && last->to == from && last->written == written)
    last->to = to;
  else if (a->n < a->capacity || apart_grow(a))
    a->list[a->n++] = (struct extent){ from, to, written };
}

static bool apart_writes(const struct apart *a, unsigned section) {
  return (a->kernel->sections[section].access & AUTOTUNE_OUT) != 0;
}

// The member `add` of struct autotune_rows.
static int apart_add(struct autotune_rows *rows, unsigned section,
                     const volatile void *base, size_t bytes, int addresses) {
  struct apart *a = (struct apart *)(void *)rows;
  uintptr_t from = (uintptr_t)base;
  apart_put(a, from, from + bytes, !addresses && apart_writes(a, section));
  return !a->lost;
}

// The member `shape`.
static void apart_shape(struct autotune_rows *rows, unsigned section, unsigned n,
                        const long long *low, const long long *count) {
  (void)rows, (void)section, (void)n, (void)low, (void)count;
}

int autotune_rows_rise(struct autotune_rows *rows, unsigned section, const void *pointers,
                       long long count, const volatile void *first, size_t bytes) {
  if (rows->add != apart_add || ((struct apart *)(void *)rows)->each || bytes == 0)
    return 0;
  uintptr_t low, before;
  memcpy(&low, pointers, sizeof low);
  before = low;
  bool rise = low != 0;
  for (long long i = 1; i < count; i++) {
    uintptr_t next;
    memcpy(&next, (const char *)pointers + (size_t)i * sizeof next, sizeof next);
    rise &= (next > before) & (next - before >= bytes);
    before = next;
  }
  return rise && apart_add(rows, section, first, before - low + bytes, 0);
}

// ---- comparing ----------------------------------------------------------------------

static int extents_by_address(const void *a, const void *b) {
  const struct extent *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

// Sets AT to where the extents begin to fall, which is where runs of rising ones begin.
// Returns their number; there are more if it is greater than APART_RUNS.
static unsigned apart_runs(const struct apart *a, unsigned at[APART_RUNS + 1]) {
  unsigned n = 0;
  for (unsigned i = 0; i < a->n && n <= APART_RUNS; i++)
    if (i == 0 || a->list[i].from < a->list[i - 1].from)
      at[n++] = i;
  return n;
}

// Looks at the extents in the order of their addresses, which merges the runs. Few are
// left to sort: arrays are mostly allocated one after another, so that each is a run.
static bool apart_is(struct apart *a) {
  unsigned begin[APART_RUNS + 1], at[APART_RUNS + 1], n = apart_runs(a, begin);
  if (n > APART_RUNS) {
    qsort(a->list, a->n, sizeof *a->list, extents_by_address);
    n = apart_runs(a, begin);
  }
  memcpy(at, begin, sizeof at);
  uintptr_t any = 0, written = 0; // where the extents so far, and the written ones, end
  for (unsigned left = a->n; left; left--) {
    const struct extent *e = NULL;
    unsigned run = 0;
    for (unsigned i = 0; i < n; i++) {
      const struct extent *next = &a->list[at[i]];
      if (at[i] < (i + 1 < n ? begin[i + 1] : a->n) && (!e || next->from < e->from))
        e = next, run = i;
    }
    if (e->from < (e->written ? any : written))
      return false;
    any = e->to > any ? e->to : any;
    written = e->written && e->to > written ? e->to : written;
    at[run]++;
  }
  return true;
}

// Adds the sections without rows, as DESCRIBE tells them.
static bool apart_spans(struct apart *a, void *const *args) {
  const struct autotune_kernel *k = a->kernel;
  struct autotune_span few[APART_SPANS] = { { .base = NULL } }, *spans = few;
  if (k->n_sections > APART_SPANS)
    spans = sys_calloc(k->n_sections, sizeof *spans);
  if (!spans)
    return false;
  struct autotune_call call = { .spans = spans };
  k->describe(args, &call);
  for (unsigned i = 0; i < k->n_sections; i++)
    if (spans[i].base)
      apart_add(&a->rows, i, spans[i].base, spans[i].bytes, 0);
  if (spans != few)
    free(spans);
  return true;
}

int autotune_rows_apart(const struct autotune_kernel *k, void *const *args) {
  struct apart a;
  bool apart = false;
  int error = errno;
  a.rows = (struct autotune_rows){ apart_shape, apart_add };
  a.kernel = k;
  a.list = a.few;
  a.capacity = APART_FEW;
  a.lost = false;
  for (int each = 0; each < 2 && !apart && !a.lost; each++) {
    a.n = 0;
    a.each = each;
    if (!apart_spans(&a, args))
      break;
    k->rows(args, NULL, &a.rows);
    apart = !a.lost && apart_is(&a);
  }
  if (a.list != a.few)
    free(a.list);
  errno = error;
  return apart;
}
