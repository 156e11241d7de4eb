// SPDX-License-Identifier: Apache-2.0
// outputs.c: verifies sections leaf by leaf. Numbers that do not stand one after the
// other are gathered in pieces.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outputs.h"

// ---- the list -----------------------------------------------------------------------

static const struct autotune_layout *outputs_layout(const struct autotune_kernel *k,
                                                    unsigned i,
                                                    struct layout_plain *plain) {
  return i < k->n_sections ? layout_of_section(k, i, plain) : layout_of_result(k, plain);
}

bool outputs_new(struct outputs *o, const struct autotune_kernel *k) {
  unsigned sections = k->n_sections + (k->ret_size > 0);
  struct layout_plain ignored;
  size_t n = 0;
  for (unsigned i = 0; i < sections; i++)
    n += outputs_layout(k, i, &ignored)->n_leaves;
  *o = (struct outputs){ .list = sys_calloc(n + 1, sizeof *o->list),
                         .plain = sys_calloc(sections + 1, sizeof *o->plain) };
  if (!o->list || !o->plain) {
    outputs_free(o);
    return false;
  }
  for (unsigned i = 0; i < sections; i++) {
    const struct autotune_layout *t = outputs_layout(k, i, &o->plain[i]);
    for (unsigned l = 0; l < t->n_leaves; l++)
      o->list[o->n++] = (struct output){ i, l, t, layout_element(&t->leaves[l]), NULL };
  }
  return true;
}

void outputs_free(struct outputs *o) {
  free(o->list);
  free(o->plain);
  *o = (struct outputs){ NULL, 0, NULL };
}

bool outputs_need_scale(const struct autotune_kernel *k) {
  struct layout_plain plain;
  for (unsigned i = 0; i <= k->n_sections; i++) {
    const struct autotune_layout *t = outputs_layout(k, i, &plain);
    bool written = i < k->n_sections ? k->sections[i].access & AUTOTUNE_OUT
                                     : k->ret_size > 0;
    for (unsigned l = 0; written && l < t->n_leaves; l++)
      if (verify_needs_scale(verify_allowed(k, layout_element(&t->leaves[l]))))
        return true;
  }
  return false;
}

// ---- pieces -------------------------------------------------------------------------

enum { PIECE = 512, LARGEST = 16 }; // numbers of a piece; bytes of the largest number

// COUNT numbers of an output, STRIDE bytes apart, OFFSET bytes after the beginning.
struct piece {
  size_t offset, count, stride, size;
  struct layout_walk walk;
  struct layout_run rest;
};

static struct piece piece_first(const struct output *o, size_t bytes) {
  return (struct piece){ .size = o->layout->leaves[o->leaf].size,
                         .walk = layout_walk(o->layout, o->leaf, bytes) };
}

// Moves P to the next numbers. False: there are none.
static bool piece_next(struct piece *p) {
  if (p->rest.count == 0 && !layout_next(&p->walk, &p->rest))
    return false;
  bool whole = p->rest.stride == p->size || p->rest.count < PIECE;
  p->offset = p->rest.offset;
  p->stride = p->rest.stride;
  p->count = whole ? p->rest.count : PIECE;
  p->rest.offset += p->count * p->stride;
  p->rest.count -= p->count;
  return true;
}

// Copies the numbers of P between DATA and BUFFER.
static void piece_copy(const struct piece *p, char *data, char *buffer, bool back) {
  for (size_t i = 0; i < p->count; i++) {
    char *at = data + p->offset + i * p->stride, *gathered = buffer + i * p->size;
    memcpy(back ? at : gathered, back ? gathered : at, p->size);
  }
}

// Returns the numbers of P in DATA, one after the other: in place, or in BUFFER.
static const char *piece_gather(const struct piece *p, const void *data, char *buffer) {
  if (p->stride == p->size)
    return (const char *)data + p->offset;
  piece_copy(p, (char *)(uintptr_t)data, buffer, false);
  return buffer;
}

void output_count(const struct output *o, const void *data, size_t bytes,
                  struct verify_counts *c) {
  char buffer[PIECE * LARGEST];
  if (!layout_is_real(o->element))
    return;
  for (struct piece p = piece_first(o, bytes); piece_next(&p);)
    verify_count(o->element, piece_gather(&p, data, buffer), p.count * p.size, c);
}

void output_move(const struct output *o, const void *reference, const void *other,
                 size_t bytes, struct verify_noise *n, struct verify_moves *m) {
  char a[PIECE * LARGEST], b[PIECE * LARGEST];
  size_t first = 0;
  if (!layout_is_real(o->element))
    return;
  for (struct piece p = piece_first(o, bytes); piece_next(&p); first += p.count)
    verify_move(o->element, piece_gather(&p, reference, a), piece_gather(&p, other, b),
                p.count * p.size, first, n, m);
}

double output_limit(const struct output *o, const void *reference, const void *other,
                    size_t bytes, double rtol, double scale, double data) {
  char a[PIECE * LARGEST], b[PIECE * LARGEST];
  size_t moved = 0, far = 0;
  double own = verify_limit(rtol, scale);
  if (!layout_is_real(o->element))
    return 0;
  for (struct piece p = piece_first(o, bytes); piece_next(&p);)
    verify_far(o->element, piece_gather(&p, reference, a), piece_gather(&p, other, b),
               p.count * p.size, own, &moved, &far);
  return moved == 0 ? 0 : verify_is_residual(moved, far) ? verify_limit(rtol, data) : own;
}

size_t output_numbers(const struct output *o, size_t bytes) {
  size_t n = 0;
  for (struct piece p = piece_first(o, bytes); piece_next(&p);)
    n += p.count;
  return n;
}

size_t output_nudge(const struct output *o, void *data, size_t bytes,
                    struct nudge nudge) {
  char buffer[PIECE * LARGEST];
  size_t changed = 0;
  if (!layout_is_real(o->element))
    return 0;
  for (struct piece p = piece_first(o, bytes); piece_next(&p);) {
    char *numbers = (char *)(uintptr_t)piece_gather(&p, data, buffer);
    changed += verify_nudge(o->element, numbers, p.count * p.size, nudge);
    nudge.first += p.count;
    if (numbers == buffer)
      piece_copy(&p, data, buffer, true);
  }
  return changed;
}

// ---- comparing ----------------------------------------------------------------------

// True if number A is B, of which the bits in LEAF's mask count.
static bool output_same(const struct autotune_leaf *leaf, const char *a, const char *b) {
  const char *mask = leaf->mask;
  if (!mask)
    return memcmp(a, b, leaf->size) == 0;
  for (size_t i = 0; i < leaf->size; i++)
    if ((a[i] ^ b[i]) & mask[i])
      return false;
  return true;
}

// Returns how many bytes after the beginning the first number of O that differs stands;
// SIZE_MAX: none does.
static size_t output_difference(const struct output *o, struct tolerance t,
                                const char *reference, const char *got, size_t bytes,
                                struct output_deviation *most) {
  const struct autotune_leaf *leaf = &o->layout->leaves[o->leaf];
  char a[PIECE * LARGEST], b[PIECE * LARGEST];
  bool real = layout_is_real(o->element);
  size_t first = 0;
  for (struct piece p = piece_first(o, bytes); piece_next(&p); first += p.count) {
    size_t i = 0;
    double before = most->d.part;
    if (real)
      i = verify_difference(o->element, t, piece_gather(&p, reference, a),
                            piece_gather(&p, got, b), p.count * p.size, first, &most->d);
    else if (!leaf->mask && p.stride == p.size &&
             memcmp(reference + p.offset, got + p.offset, p.count * p.size) == 0)
      continue;
    else
      while (i < p.count &&
             output_same(leaf, reference + p.offset + i * p.stride,
                         got + p.offset + i * p.stride))
        i++;
    if (i < p.count)
      return p.offset + i * p.stride;
    if (most->d.part > before)
      most->at = p.offset + (most->d.index - first) * p.stride;
  }
  return SIZE_MAX;
}

void output_tell_deviation(const struct deviation *d, const char *where, char *text,
                           size_t size) {
  if (!d->found)
    snprintf(text, size, "bit for bit the same");
  else if (isfinite(d->relative))
    snprintf(text, size, "%.2g relative, %.2g absolute, %s", d->relative, d->absolute,
             where);
  else
    snprintf(text, size, "%.2g absolute, of 0, %s", d->absolute, where);
}

// Writes the bits of LEAF's mask in the number AT, as a number.
static void output_print_bits(const struct autotune_leaf *leaf, const char *at,
                              char *text, size_t size) {
  uint64_t value = 0;
  unsigned bits = 0;
  for (size_t i = 0; i < 8 * leaf->size; i++)
    if (((const unsigned char *)leaf->mask)[i / 8] >> i % 8 & 1)
      value |= (uint64_t)(((const unsigned char *)at)[i / 8] >> i % 8 & 1) << bits++ % 64;
  snprintf(text, size, "%" PRIu64, value);
}

// Writes the number AT; DIGITS: decimal ones of a floating-point number.
static void output_print(const struct output *o, const char *at, int digits, char *text,
                         size_t size) {
  const struct autotune_leaf *leaf = &o->layout->leaves[o->leaf];
  verify_read_fn *read = verify_reader(o->element);
  uint64_t bits = 0;
  memcpy(&bits, at, leaf->size < sizeof bits ? leaf->size : sizeof bits); // little-endian
  unsigned unused = leaf->size < sizeof bits ? 64 - 8 * (unsigned)leaf->size : 0;
  if (leaf->mask)
    output_print_bits(leaf, at, text, size);
  else if (read)
    snprintf(text, size, "%.*Lg", digits, read(at, 0));
  else if (leaf->size > sizeof bits || o->element == AUTOTUNE_BYTES ||
           o->element == AUTOTUNE_POINTER)
    snprintf(text, size, "0x%0*" PRIx64, 2 * (int)(sizeof bits - unused / 8), bits);
  else if (o->element == AUTOTUNE_SIGNED)
    snprintf(text, size, "%" PRId64, (int64_t)(bits << unused) >> unused);
  else
    snprintf(text, size, "%" PRIu64, bits);
}

void output_name(const struct output *o, const char *name, size_t at, char *text,
                 size_t size) {
  char element[128];
  size_t each = o->layout->size;
  if (o->memory && memory_element(o->memory, name, each, at, element, sizeof element))
    layout_name_in(o->layout, o->leaf, element, at % each, text, size);
  else
    layout_name(o->layout, o->leaf, name, at, text, size);
}

// Writes where REFERENCE and GOT differ: the number of O that stands AT bytes after the
// beginning.
static void output_tell(const struct output *o, const char *name, size_t at,
                        const char *reference, const char *got, char *message,
                        size_t size) {
  const struct autotune_leaf *leaf = &o->layout->leaves[o->leaf];
  bool rows = o->memory && o->memory->n_dims > 0;
  bool plain = !*leaf->path && leaf->n_repeats == 0 && !rows;
  bool bytes = o->element == AUTOTUNE_BYTES && !leaf->mask;
  char where[128] = "", is[96], expected[96];
  if (bytes) { // the first of them
    size_t i = at, end = at + leaf->size;
    while (i + 1 < end && reference[i] == got[i])
      i++;
    snprintf(is, sizeof is, "0x%02x", (unsigned char)got[i]);
    snprintf(expected, sizeof expected, "0x%02x", (unsigned char)reference[i]);
    if (plain || leaf->size > 1)
      snprintf(where, sizeof where, "byte %zu", plain ? i : i - at);
  } else {
    for (int digits = 9; digits <= 36; digits *= 2) { // until they differ
      output_print(o, got + at, digits, is, sizeof is);
      output_print(o, reference + at, digits, expected, sizeof expected);
      if (strcmp(is, expected) != 0)
        break;
    }
    snprintf(where, sizeof where, "element %zu", at / o->layout->size);
  }
  size_t n = 0;
  if (plain) {
    n = (size_t)snprintf(message, size, "%s: %s", name, where);
  } else {
    output_name(o, name, at, message, size);
    n = strlen(message);
    if (bytes && leaf->size > 1)
      n += (size_t)snprintf(message + n, size - n, ": %s", where);
  }
  if (n < size)
    snprintf(message + n, size - n, " is %s instead of %s", is, expected);
}

bool output_compare(const struct output *o, struct tolerance t, const char *name,
                    const void *reference, const void *got, size_t bytes,
                    struct output_deviation *most, char *message, size_t size) {
  struct output_deviation own = { .at = 0 };
  size_t each = o->layout->size, whole = bytes / each * each;
  if (t.off)
    return true;
  size_t at = output_difference(o, t, reference, got, whole, most ? most : &own);
  if (at != SIZE_MAX) {
    output_tell(o, name, at, reference, got, message, size);
    return false;
  }
  if (memcmp((const char *)reference + whole, (const char *)got + whole, bytes - whole) ==
      0)
    return true;
  snprintf(message, size, "%s: the bytes after element %zu differ", name, whole / each);
  return false;
}
