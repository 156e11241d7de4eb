// SPDX-License-Identifier: Apache-2.0
// unnamed.c: what the default variant changes although no section names it: a ghost cell
// behind a pointer of a struct, a counter of the file, the rest of an output whose
// section is too short; all that a kernel without sections changes. It is kept, put back
// before checked runs, and compared, like a section whose type is not known. What a
// variant changes and the default does not is wrong, wherever it is.
//
// An allocator changes its own memory whenever it is called. The heap is therefore never
// put back (a new worker begins with it as it was), and does not count for variants that
// call functions which may allocate.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "unnamed.h"

static const long near_enough = 1
    << 16; // bytes from a section; further away, it is not named

void unnamed_seal(const struct image *m) {
  if (m->unnamed->sealed) { // tolerances may be sealed once more
    moved_settle(m);
    return;
  }
  group_make_all(m, true);
  moved_settle(m);
  m->unnamed->sealed = true;
  mprotect(m->unnamed, sizeof *m->unnamed, PROT_READ);
}

bool unnamed_new(struct image *m) {
  return (m->unnamed = sys_mmap(sizeof *m->unnamed, true)) != NULL;
}

// ---- learning -----------------------------------------------------------------------

static int unnamed_by_address(const void *a, const void *b) {
  const struct kept *x = a, *y = b;
  return (x->base > y->base) - (x->base < y->base);
}

size_t unnamed_after(const struct unnamed *u, const char *at) {
  size_t low = 0, high = u->sorted;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (at < u->list[middle].base)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Returns the piece that holds AT; NULL: none does.
static struct kept *unnamed_find(struct unnamed *u, const char *at) {
  size_t after = unnamed_after(u, at);
  struct kept *k = after ? &u->list[after - 1] : NULL;
  return k && at < k->base + k->size ? k : NULL;
}

static void unnamed_sort(struct unnamed *u) {
  qsort(u->list, u->n, sizeof *u->list, unnamed_by_address);
  u->sorted = u->n;
}

// Keeps those pieces of change I that are not kept yet. RESTLESS: of all their words.
static void unnamed_add(const struct image *m, unsigned i, bool restless) {
  const struct change *c = &m->changes->list[i];
  struct unnamed *u = m->unnamed;
  u->heap |= c->kind == REGION_HEAP;
  for (size_t at = 0; at < c->size && !u->lost;) {
    size_t size = c->size - at < PIECE ? c->size - at : PIECE;
    struct kept *known = unnamed_find(u, c->base + at);
    if (known) {
      at = (size_t)(known->base + known->size - c->base);
      continue;
    }
    u->lost = u->n == MAX_UNNAMED || u->used + 2 * size > sizeof u->bytes;
    if (u->lost)
      return;
    u->list[u->n++] = (struct kept){ .base = c->base + at,
                                     .size = size,
                                     .at = u->used,
                                     .kind = c->kind,
                                     .restless = restless ? WHOLE : 0 };
    u->restless += restless ? (size + WORD - 1) / WORD : 0;
    memcpy(u->bytes + u->used, m->changes->before + c->at + at, size);
    changes_copy(u->bytes + u->used + size, c->base + at, size);
    u->used += 2 * size;
    at += size;
  }
}

void unnamed_expect(const struct image *m, const struct image *before) {
  const struct unnamed *from = before->unnamed;
  struct unnamed *u = m->unnamed;
  u->lost = from->lost;
  u->n = from->n;
  u->sorted = from->sorted;
  u->used = from->used;
  memcpy(u->list, from->list, u->n * sizeof *u->list);
  for (unsigned i = 0; i < u->n; i++)
    changes_copy(u->bytes + u->list[i].at, u->list[i].base, u->list[i].size);
}

void unnamed_forget(const struct image *m) {
  struct unnamed *u = m->unnamed;
  if (u->measured)
    memset(u->moves, 0, u->used / 2);
  u->lost = u->heap = u->measured = false;
  u->n = u->sorted = 0;
  u->used = u->restless = 0;
}

bool unnamed_learn(const struct image *m) {
  struct unnamed *u = m->unnamed;
  unsigned expected = u->n;
  u->lost |= m->changes->lost;
  for (unsigned i = 0; i < expected; i++)
    changes_copy(u->bytes + u->list[i].at + u->list[i].size, u->list[i].base,
                 u->list[i].size);
  for (unsigned i = 0; i < m->changes->n; i++)
    unnamed_add(m, i, false);
  unnamed_sort(u);
  u->grouped = false;
  return u->n == expected;
}

bool unnamed_unsure(const struct image *m) {
  return m->unnamed->n > 0 && !m->unnamed->lost;
}

// Returns the number of bytes of K that word I has.
static size_t unnamed_word(const struct kept *k, size_t i) {
  return k->size - i * WORD < WORD ? k->size - i * WORD : WORD;
}

// True if word I of K, which is now GOT, agrees with what the default has left.
static bool unnamed_agrees(const struct unnamed *u, const struct kept *k, size_t i,
                           const char *got) {
  const char *expected = u->bytes + k->at + k->size + i * WORD;
  size_t n = unnamed_word(k, i);
  return n == WORD ? group_agree(group_reading(u, k, i), expected, got)
                   : memcmp(expected, got, n) == 0;
}

void unnamed_repeat(const struct image *m) {
  struct unnamed *u = m->unnamed;
  u->lost |= m->changes->lost;
  group_make_all(m, true); // sums of several threads repeat but for their rounding
  for (unsigned i = 0; i < u->n; i++) {
    struct kept *k = &u->list[i];
    for (size_t w = 0; w * WORD < k->size; w++) {
      char got[WORD];
      changes_copy(got, k->base + w * WORD, unnamed_word(k, w));
      bool restless = !unnamed_agrees(u, k, w, got);
      k->restless |= (unsigned char)(restless << w);
      u->restless += restless;
    }
  }
  moved_note(m, MOVED_AGAIN);
  u->measured = false; // what did not move may well be moved by rounding
  for (unsigned i = 0; i < m->changes->n; i++)
    unnamed_add(m, i, true);
  unnamed_sort(u);
}

bool unnamed_verifies(const struct image *m) {
  const struct unnamed *u = m->unnamed;
  const struct autotune_kernel *k = m->kernel;
  bool compared = k->ret_size > 0 && !kernel_returns_pointer(k);
  size_t words = 0;
  for (unsigned i = 0; i < u->n; i++)
    words += (u->list[i].size + WORD - 1) / WORD;
  compared |= words > u->restless;
  if (kernel_refuses_unchecked(k) && u->restless > 0)
    return false; // nobody has looked at what is left out
  return m->changes->on && compared && !u->lost && (!k->openmp || m->changes->apart) &&
      !kernel_has_sections(k);
}

size_t unnamed_restless(const struct image *m) {
  return m->unnamed->restless * WORD;
}

bool unnamed_leaves_out(const struct image *m, bool calls) {
  return calls && m->unnamed->heap;
}

bool unnamed_unseen(const struct image *m) {
  return m->changes->lost && !m->unnamed->lost;
}

bool unnamed_needs_workers(const struct image *m) {
  return m->unnamed->heap;
}

void unnamed_restore(const struct image *m) {
  const struct unnamed *u = m->unnamed;
  for (unsigned i = 0; i < u->n && !u->lost && !u->heap; i++)
    if (u->list[i].restless != WHOLE)
      changes_copy(u->list[i].base, u->bytes + u->list[i].at, u->list[i].size);
}

// ---- names --------------------------------------------------------------------------

static const struct autotune_symbol *unnamed_symbol(const struct image *m,
                                                    const char *at) {
  for (unsigned i = 0; i < m->kernel->n_symbols; i++) {
    const struct autotune_symbol *s = &m->kernel->symbols[i];
    if (at >= (const char *)s->address && at < (const char *)s->address + s->size)
      return s;
  }
  return NULL;
}

// Returns the section that is nearest to AT, and its distance: below 0 before it, above 0
// after it.
static const char *unnamed_section(const struct image *m, const char *at,
                                   long *distance) {
  const char *name = NULL;
  for (unsigned i = 0; i < m->kernel->n_sections; i++) {
    const struct memory *x = &m->memory.list[i];
    for (unsigned j = 0; j < x->n; j++) {
      const char *base = x->pieces[j].base, *end = base + x->pieces[j].bytes;
      long d = at < base ? at - base : at - end;
      if (d > near_enough || d < -near_enough || (name && labs(d) >= labs(*distance)))
        continue;
      name = m->kernel->sections[i].name;
      *distance = d;
    }
  }
  return name;
}

static void unnamed_name(const struct image *m, const char *at, enum region_kind kind,
                         char *text, size_t size) {
  static const char *const places[] = { "static data", "a variable of the caller",
                                        "memory" };
  const struct autotune_symbol *s = unnamed_symbol(m, at);
  Dl_info info;
  char way[128];
  long distance = 0, steps = 0;
  const char *section = unnamed_section(m, at, &distance);
  bool led = lead_find(m, at, &steps, way, sizeof way) &&
      (!section || steps < labs(distance));
  bool data = kind == REGION_DATA && dladdr(at, &info) && info.dli_sname &&
      info.dli_saddr <= (const void *)at;
  if (s)
    snprintf(text, size, "%s, byte %td", s->name, at - (const char *)s->address);
  else if (led)
    snprintf(text, size, "%s", way);
  else if (section)
    snprintf(text, size, "%ld bytes %s %s", labs(distance) + (distance >= 0),
             distance < 0 ? "before" : "after", section);
  else if (data)
    snprintf(text, size, "%s, byte %td", info.dli_sname,
             at - (const char *)info.dli_saddr);
  else
    snprintf(text, size, "%s at %p", places[kind], (const void *)at);
}

void unnamed_note(const struct image *m, bool calls, char *text, size_t size) {
  const struct unnamed *u = m->unnamed;
  size_t bytes = 0;
  const struct kept *first = NULL;
  char name[128];
  *text = '\0';
  if (!kernel_has_sections(m->kernel))
    return; // nothing is declared, so nothing is forgotten
  for (unsigned i = 0; i < u->n && !u->lost; i++) {
    const struct kept *k = &u->list[i];
    if (calls && k->kind == REGION_HEAP)
      continue;
    bytes += k->size;
    first = first ? first : k;
  }
  if (!first)
    return;
  unnamed_name(m, first->base, first->kind, name, sizeof name);
  snprintf(text, size, "it also changes %zu bytes that no section names (%s)", bytes,
           name);
}

// ---- comparing ----------------------------------------------------------------------

static bool unnamed_same(const struct image *m, const struct kept *k, struct answer *a) {
  const struct unnamed *u = m->unnamed;
  const char *expected = u->bytes + k->at + k->size;
  char got[PIECE], numbers[64] = "";
  changes_copy(got, k->base, k->size);
  if (memcmp(expected, got, k->size) == 0)
    return true;
  for (size_t i = 0; i < k->size; i += WORD) {
    struct reading r = group_reading(u, k, i / WORD);
    if (k->restless >> i / WORD & 1 || unnamed_agrees(u, k, i / WORD, got + i))
      continue;
    if (unnamed_word(k, i / WORD) == WORD)
      group_numbers(r, expected + i, got + i, numbers, sizeof numbers);
    while (expected[i] == got[i])
      i++;
    unnamed_name(m, k->base + i, k->kind, a->unnamed, sizeof a->unnamed);
    snprintf(a->message, sizeof a->message, "memory that no section names differs: %s%s",
             a->unnamed, numbers);
    return false;
  }
  return true;
}

// True if the default changes memory within a page of AT: perhaps AT belongs to it.
static bool unnamed_is_near(const struct unnamed *u, const char *at) {
  for (unsigned i = 0; i < u->n; i++)
    if (at + CHANGES_PAGE > u->list[i].base &&
        at < u->list[i].base + u->list[i].size + CHANGES_PAGE)
      return true;
  return false;
}

// Checks what the last run changed and the default does not change. The default may have
// written what was there already: 0 where a right variant leaves the rounding of a sum.
static bool unnamed_nothing_else(const struct image *m, bool calls, struct answer *a) {
  const struct changes *c = m->changes;
  struct unnamed *u = m->unnamed;
  char name[128], got[WORD];
  for (unsigned i = 0; i < c->n; i++)
    for (size_t at = 0; at < c->list[i].size; at += WORD) {
      const struct change *change = &c->list[i];
      const char *where = change->base + at, *before = c->before + change->at + at;
      size_t n = change->size - at < WORD ? change->size - at : WORD;
      if ((calls && change->kind == REGION_HEAP) || unnamed_find(u, where))
        continue;
      changes_copy(got, where, n);
      if (n == WORD && (uintptr_t)where % WORD == 0 &&
          group_agree(group_reading_at(u, where, before), before, got))
        continue;
      unnamed_name(m, where, change->kind, name, sizeof name);
      snprintf(a->message, sizeof a->message, "memory outside its arrays was changed: %s",
               name);
      if (unnamed_is_near(u, where))
        memcpy(a->unnamed, name, sizeof name);
      return false;
    }
  return true;
}

bool unnamed_check(const struct image *m, bool calls, struct answer *a) {
  const struct unnamed *u = m->unnamed;
  if (!m->changes->on || u->lost)
    return true;
  for (unsigned i = 0; i < u->n; i++) {
    const struct kept *k = &u->list[i];
    if (!(calls && k->kind == REGION_HEAP) && !unnamed_same(m, k, a))
      return false;
  }
  return unnamed_nothing_else(m, calls, a);
}
