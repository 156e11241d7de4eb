// SPDX-License-Identifier: Apache-2.0
// segments.c: cuts the memory of a call's sections, which may overlap, into segments of
// one kind each.
#include <stdlib.h>
#include <string.h>

#include "sandbox.h"

// Where a piece of a section begins or ends.
struct segments_end {
  char *at;
  unsigned section;
  bool begins;
};
// The sections that cover the place which a walk over all ends has reached.
struct segments_cover {
  unsigned *sections; // how many pieces of each; after them, how many tables
  unsigned in, out, scratch, tables;
};

static int segments_by_address(const void *a, const void *b) {
  const struct segments_end *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

static void segments_pass(const struct image *m, struct segments_cover *c,
                          const struct segments_end *e) {
  bool table = e->section == m->kernel->n_sections;
  unsigned access = table ? 0 : m->kernel->sections[e->section].access;
  unsigned by = e->begins ? 1u : -1u;
  c->sections[e->section] += by;
  c->tables += table ? by : 0;
  c->in += access & AUTOTUNE_IN ? by : 0;
  c->out += access & AUTOTUNE_OUT ? by : 0;
  c->scratch += access & AUTOTUNE_SCRATCH ? by : 0;
}

// Writes into MESSAGE which workspace overlaps another section here. False: none does.
static bool segments_scratch_overlaps(const struct image *m,
                                      const struct segments_cover *c, char *message,
                                      size_t size) {
  const struct autotune_section *list = m->kernel->sections;
  if (!c->scratch || (!c->in && !c->out))
    return false;
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    for (unsigned j = 0; j < m->kernel->n_sections; j++)
      if (c->sections[i] && c->sections[j] && list[i].access == AUTOTUNE_SCRATCH &&
          list[j].access != AUTOTUNE_SCRATCH) {
        snprintf(message, size, "the section %s is scratch, and overlaps %s",
                 list[i].name, list[j].name);
        return true;
      }
  return false;
}

static void segments_add(struct image *m, char *base, char *end,
                         const struct segments_cover *c) {
  struct segment *last = m->n_segments ? &m->segments[m->n_segments - 1] : NULL;
  enum segment_kind kind = c->scratch ? SEGMENT_SCRATCH
      : c->in && c->out               ? SEGMENT_INOUT
      : c->out                        ? SEGMENT_OUT
      : c->tables                     ? SEGMENT_TABLE
                                      : SEGMENT_IN;
  if (base == end || !(c->in || c->out || c->scratch || c->tables))
    return;
  if (last && last->base + last->size == base && last->kind == kind)
    last->size = (size_t)(end - last->base);
  else
    m->segments[m->n_segments++] =
        (struct segment){ .base = base, .size = (size_t)(end - base), .kind = kind };
}

// Cuts segments: between two neighbouring ends of pieces, all bytes are of one kind.
static bool segments_cut(struct image *m, struct segments_end *ends, size_t n_ends,
                         char *message, size_t size) {
  struct segments_cover c = { .sections = sys_calloc(m->kernel->n_sections + 2,
                                                     sizeof *c.sections) };
  bool good = c.sections != NULL;
  qsort(ends, n_ends, sizeof *ends, segments_by_address);
  for (size_t i = 0; good && i + 1 < n_ends; i++) {
    segments_pass(m, &c, &ends[i]);
    if (ends[i].at == ends[i + 1].at)
      continue;
    good = !segments_scratch_overlaps(m, &c, message, size);
    segments_add(m, ends[i].at, ends[i + 1].at, &c);
  }
  free(c.sections);
  return good;
}

// Adds the ends of the pieces of X, which is SECTION. Returns the number of ends.
static size_t segments_add_ends(struct segments_end *ends, size_t n,
                                const struct memory *x, unsigned section) {
  for (unsigned i = 0; i < x->n && !x->returned; i++) {
    const struct memory_piece *p = &x->pieces[i];
    ends[n++] = (struct segments_end){ p->base, section, true };
    ends[n++] = (struct segments_end){ p->base + p->bytes, section, false };
  }
  return n;
}

bool segments_make(struct image *m, char *message, size_t size) {
  unsigned n_sections = m->kernel->n_sections;
  size_t n = 2 * (size_t)m->memory.tables.n;
  for (unsigned i = 0; i < n_sections; i++)
    n += 2 * (size_t)m->memory.list[i].n;
  struct segments_end *ends = sys_calloc(n + 1, sizeof *ends);
  m->segments = sys_calloc(n + 1, sizeof *m->segments);
  bool made = ends && m->segments;
  n = 0;
  snprintf(message, size, "no memory");
  for (unsigned i = 0; made && i < n_sections; i++)
    n = segments_add_ends(ends, n, &m->memory.list[i], i);
  if (made)
    n = segments_add_ends(ends, n, &m->memory.tables, n_sections);
  made = made && segments_cut(m, ends, n, message, size);
  free(ends);
  return made;
}

unsigned segments_find(const struct image *m, const char *at) {
  unsigned low = 0, high = m->n_segments;
  while (low < high) {
    unsigned middle = low + (high - low) / 2;
    if (m->segments[middle].base + m->segments[middle].size > at)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// ---- what can be accessed -----------------------------------------------------------

// Returns the first piece of X from piece J on that does not lie near the one before it;
// *SIZE: the bytes up to there.
static unsigned segments_group(const struct memory *x, unsigned j, size_t *size) {
  const char *base = x->pieces[j].base, *last = base + x->pieces[j].bytes;
  unsigned end = j + 1;
  for (; end < x->n && x->pieces[end].base >= last &&
       x->pieces[end].base < last + CHANGES_PAGE;
       end++)
    last = x->pieces[end].base + x->pieces[end].bytes;
  *size = (size_t)(last - base);
  return end;
}

bool segments_writable(const struct image *m, unsigned i) {
  const struct memory *x = &m->memory.list[i];
  size_t size;
  for (unsigned j = 0, end; j < x->n; j = end) {
    end = segments_group(x, j, &size);
    if (!sandbox_writes(x->pieces[j].base, size))
      return false;
  }
  return true;
}

// Forgets pointers to rows that are constants.
void segments_keep_tables(struct memory *x) {
  struct memory kept = { .pieces = x->pieces };
  size_t size;
  for (unsigned j = 0, end; j < x->n; j = end) {
    end = segments_group(x, j, &size);
    bool writable = sandbox_writes(x->pieces[j].base, size);
    for (unsigned i = j; writable && i < end; i++) {
      kept.pieces[kept.n] = x->pieces[i];
      kept.pieces[kept.n++].at = kept.bytes;
      kept.bytes += x->pieces[i].bytes;
    }
  }
  *x = kept;
}

// True if no page lies between the segments A and the next one, B.
static bool segments_adjoin(const struct segment *a, const struct segment *b) {
  return (uintptr_t)b->base / CHANGES_PAGE <=
      ((uintptr_t)a->base + a->size - 1) / CHANGES_PAGE + 1;
}

const char *segments_section(const struct image *m, const char *at) {
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    for (unsigned j = 0; j < m->memory.list[i].n; j++) {
      const struct memory_piece *p = &m->memory.list[i].pieces[j];
      if (at >= p->base && at < p->base + p->bytes)
        return m->kernel->sections[i].name;
    }
  return "a section";
}

// A section longer than its mapping would crash us while copying; report it instead.
const char *segments_too_wide(const struct image *m) {
  for (unsigned i = 0, end; i < m->n_segments; i = end) {
    const struct segment *first = &m->segments[i];
    for (end = i + 1; end < m->n_segments &&
         segments_adjoin(&m->segments[end - 1], &m->segments[end]);)
      end++;
    const struct segment *last = &m->segments[end - 1];
    if (sandbox_reads(first->base, (size_t)(last->base + last->size - first->base)))
      continue;
    for (; i < end; i++)
      if (!sandbox_reads(m->segments[i].base, m->segments[i].size))
        return segments_section(m, m->segments[i].base);
  }
  return NULL;
}
