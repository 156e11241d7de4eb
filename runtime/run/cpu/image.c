// SPDX-License-Identifier: Apache-2.0
// image.c: the memory that a trial may change: saved, restored and compared.
//
// The sections of a call, which may overlap, are cut into segments of one kind each.
// Before a checked run, INOUT segments get their pristine bytes and OUT segments a
// pattern, so that a variant that leaves out part of its work does not pass with the old
// contents. IN segments must keep their hash. SCRATCH segments get the pattern, too, but
// not before the first run of the default, and are not compared. All this takes two
// private copies of the memory that is written. unnamed.c does the same for what no
// section names.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "sandbox.h"

// 0x40 repeated is 32.5 as double, 3.0 as float, 2.1 as half: nothing slow, nothing NaN,
// and neither lost in a sum nor hiding one: adding to it instead of clearing it is found.
enum { PATTERN = 0x40 };

static size_t round_up(size_t size) {
  return (size + 63) & ~(size_t)63;
}

// ---- segments -----------------------------------------------------------------------

static int image_by_address(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  return (x > y) - (x < y);
}

static enum segment_kind image_kind_of(const struct image *m, const char *at,
                                       bool *covered) {
  unsigned access = 0;
  for (unsigned i = 0; i < m->kernel->n_sections; i++) {
    const struct autotune_span *s = &m->spans[i];
    if (at >= (char *)s->base && at < (char *)s->base + s->bytes)
      access |= m->kernel->sections[i].access;
  }
  *covered = access != 0;
  return access & AUTOTUNE_SCRATCH ? SEGMENT_SCRATCH
      : access == AUTOTUNE_INOUT   ? SEGMENT_INOUT
      : access == AUTOTUNE_OUT     ? SEGMENT_OUT
                                   : SEGMENT_IN;
}

// Cuts segments: between two neighbouring ends of sections, all bytes are of one kind.
static void image_cut(struct image *m, char **ends, unsigned n_ends) {
  qsort(ends, n_ends, sizeof *ends, image_by_address);
  for (unsigned i = 0; i + 1 < n_ends; i++) {
    bool covered;
    enum segment_kind kind = image_kind_of(m, ends[i], &covered);
    struct segment *last = m->n_segments ? &m->segments[m->n_segments - 1] : NULL;
    if (ends[i] == ends[i + 1] || !covered)
      continue;
    if (last && last->base + last->size == ends[i] && last->kind == kind)
      last->size = (size_t)(ends[i + 1] - last->base);
    else
      m->segments[m->n_segments++] = (struct segment){
        .base = ends[i], .size = (size_t)(ends[i + 1] - ends[i]), .kind = kind
      };
  }
}

static bool make_segments(struct image *m) {
  unsigned n = m->kernel->n_sections, n_ends = 0;
  char **ends = sys_calloc(2 * n + 1, sizeof *ends);
  m->segments = sys_calloc(2 * n + 1, sizeof *m->segments);
  bool made = ends && m->segments;
  for (unsigned i = 0; made && i < n; i++) {
    struct autotune_span *s = &m->spans[i];
    if (!s->base || s->bytes == 0) {
      *s = (struct autotune_span){ NULL, 0 };
      continue;
    }
    ends[n_ends++] = s->base;
    ends[n_ends++] = (char *)s->base + s->bytes;
  }
  if (made)
    image_cut(m, ends, n_ends);
  free(ends);
  return made;
}

// ---- copies -------------------------------------------------------------------------

// Makes two mappings: one for the pristine bytes, and one for the outputs of the default,
// shared with the worker that runs it.
static bool make_copies(struct image *m) {
  const struct autotune_kernel *k = m->kernel;
  size_t pristine = 0, shared = 64 + round_up(k->ret_size);
  for (unsigned i = 0; i < m->n_segments; i++)
    if (m->segments[i].kind == SEGMENT_INOUT)
      pristine += round_up(m->segments[i].size);
  for (unsigned i = 0; i < k->n_sections; i++)
    if (k->sections[i].access & AUTOTUNE_OUT)
      shared += round_up(m->spans[i].bytes);
  m->pristine = (struct range){ pristine ? sys_mmap(pristine, false) : NULL, pristine };
  m->shared = (struct range){ sys_mmap(shared, true), shared };
  if (!m->shared.base || (pristine && !m->pristine.base))
    return false;
  char *at = m->pristine.base;
  for (unsigned i = 0; i < m->n_segments; i++)
    if (m->segments[i].kind == SEGMENT_INOUT) {
      m->segments[i].pristine = memcpy(at, m->segments[i].base, m->segments[i].size);
      at += round_up(m->segments[i].size);
    } else if (m->segments[i].kind == SEGMENT_IN) {
      m->segments[i].hash = XXH3_64bits(m->segments[i].base, m->segments[i].size);
    }
  m->ret_reference = m->shared.base;
  at = m->ret_reference + round_up(k->ret_size);
  for (unsigned i = 0; i < k->n_sections; i++)
    if (k->sections[i].access & AUTOTUNE_OUT) {
      m->references[i] = at;
      at += round_up(m->spans[i].bytes);
    }
  return true;
}

// A section longer than its mapping would crash us while copying; report it instead.
static const char *find_too_wide(const struct image *m) {
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    if (m->spans[i].base && !sandbox_reads(m->spans[i].base, m->spans[i].bytes))
      return m->kernel->sections[i].name;
  return NULL;
}

// Writes into MESSAGE which workspace overlaps another section. False: none does.
static bool find_overlap(const struct image *m, char *message, size_t size) {
  const struct autotune_section *list = m->kernel->sections;
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    for (unsigned j = 0; j < m->kernel->n_sections; j++) {
      const struct autotune_span *a = &m->spans[i], *b = &m->spans[j];
      if (list[i].access != AUTOTUNE_SCRATCH || list[j].access == AUTOTUNE_SCRATCH ||
          !a->bytes || !b->bytes || (char *)a->base >= (char *)b->base + b->bytes ||
          (char *)b->base >= (char *)a->base + a->bytes)
        continue;
      snprintf(message, size, "the section %s is scratch, and overlaps %s", list[i].name,
               list[j].name);
      return true;
    }
  return false;
}

// Describes the call and copies what trials will change. 0, or -1 and a message.
static int image_describe(struct image *m, const struct autotune_kernel *k,
                          void *const *args, char *message, size_t size) {
  unsigned n = k->n_sections, outputs = 0;
  *m = (struct image){ .kernel = k, .args = args, .loaded = m->loaded };
  m->spans = sys_calloc(n + 1, sizeof *m->spans);
  m->references = sys_calloc(n + 1, sizeof *m->references);
  if (outputs_new(&m->outputs, k))
    m->deviation = sys_calloc(1, sizeof *m->deviation);
  m->tolerances = sys_calloc(m->outputs.n + 1, sizeof *m->tolerances);
  m->ret = sys_calloc(1, round_up(k->ret_size) + 64);
  if (!m->spans || !m->references || !m->tolerances || !m->deviation || !m->ret) {
    snprintf(message, size, "no memory");
    return -1;
  }
  struct autotune_call call = { .spans = m->spans };
  k->describe(args, &call);
  m->flops = call.flops;
  m->bytes = call.bytes;
  const char *wide = find_too_wide(m);
  if (wide) {
    snprintf(message, size, "the section %s is larger than the memory that it lies in",
             wide);
    return -1;
  }
  if (find_overlap(m, message, size))
    return -1;
  if (!make_segments(m) || !make_copies(m) || !unnamed_new(m) || !rounding_new(m)) {
    snprintf(message, size, "no memory for copies of what the kernel writes");
    return -1;
  }
  for (unsigned i = 0; i < m->n_segments; i++)
    m->touched += (double)m->segments[i].size;
  for (unsigned i = 0; i < n; i++)
    outputs += (k->sections[i].access & AUTOTUNE_OUT) != 0 && m->spans[i].bytes > 0;
  m->verified = k->verify != AUTOTUNE_VERIFY_OFF &&
      (outputs > 0 || (kernel_has_sections(k) && k->ret_size > 0));
  return 0;
}

int image_make(struct image *m, const struct autotune_kernel *k, void *const *args,
               char *message, size_t size) {
  if (image_describe(m, k, args, message, size) != 0)
    return -1;
  if (changes_new(m))
    return 0;
  snprintf(message, size, "no memory for copies of what the kernel writes");
  return -1;
}

int image_remake(struct image *m, void *const *args, char *message, size_t size) {
  struct image made;
  if (image_describe(&made, m->kernel, args, message, size) != 0)
    return -1;
  free(made.ret);
  made.ret = m->ret; // its place is left out of what is looked at
  made.changes = m->changes;
  *m = made;
  return 0;
}

bool image_restores(const struct image *m) {
  return m->pristine.size > 0;
}

void image_restore(const struct image *m) {
  for (unsigned i = 0; i < m->n_segments; i++)
    if (m->segments[i].kind == SEGMENT_INOUT)
      memcpy(m->segments[i].base, m->segments[i].pristine, m->segments[i].size);
}

void image_prepare(const struct image *m, bool scratch) {
  image_restore(m);
  for (unsigned i = 0; i < m->n_segments; i++)
    if (m->segments[i].kind == SEGMENT_OUT ||
        (scratch && m->segments[i].kind == SEGMENT_SCRATCH))
      memset(m->segments[i].base, PATTERN, m->segments[i].size);
  memset(m->ret, PATTERN, m->kernel->ret_size);
  unnamed_restore(m);
}

// ---- the reference, and comparing with it -------------------------------------------

static const char *section_at(const struct image *m, const char *at) {
  for (unsigned i = 0; i < m->kernel->n_sections; i++) {
    const struct autotune_span *s = &m->spans[i];
    if (at >= (char *)s->base && at < (char *)s->base + s->bytes)
      return m->kernel->sections[i].name;
  }
  return "a section";
}

static const struct segment *changed_input(const struct image *m) {
  for (unsigned i = 0; i < m->n_segments; i++) {
    const struct segment *s = &m->segments[i];
    if (s->kind == SEGMENT_IN && XXH3_64bits(s->base, s->size) != s->hash)
      return s;
  }
  return NULL;
}

struct range image_memory(const struct image *m, const struct output *o) {
  const struct autotune_kernel *k = m->kernel;
  return o->section < k->n_sections
      ? (struct range){ m->spans[o->section].base, m->spans[o->section].bytes }
      : (struct range){ m->ret, k->ret_size };
}

const char *image_expected(const struct image *m, const struct output *o) {
  return o->section < m->kernel->n_sections ? m->references[o->section]
                                            : m->ret_reference;
}

bool image_reference(struct image *m, char *message, size_t size) {
  const struct segment *input = changed_input(m);
  if (input) {
    snprintf(message, size,
             "%s is declared as `in`, but the kernel as written changes it",
             section_at(m, input->base));
    return false;
  }
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    if (m->references[i] && m->spans[i].bytes)
      memcpy(m->references[i], m->spans[i].base, m->spans[i].bytes);
  memcpy(m->ret_reference, m->ret, m->kernel->ret_size);
  image_restore(m); // the scales of the inputs count, too
  rounding_settle(m, m->tolerances);
  return true;
}

void image_seal(struct image *m) {
  if (m->pristine.base)
    mprotect(m->pristine.base, m->pristine.size, PROT_READ);
  mprotect(m->shared.base, m->shared.size, PROT_READ);
  unnamed_seal(m);
  rounding_seal(m, false);
  rounding_settle(m, m->tolerances);
  rounding_seal(m, true);
}

// Notes D, of output O, which NAME is, if it is the largest deviation.
static void image_deviates(const struct image *m, const struct output *o,
                           const char *name, const struct output_deviation *d) {
  struct image_deviation *most = m->deviation;
  if (!d->d.found || (most->d.found && d->d.part <= most->d.part))
    return;
  most->d = d->d;
  if (o->section < m->kernel->n_sections)
    layout_name(o->layout, o->leaf, name, d->at, most->where, sizeof most->where);
  else
    snprintf(most->where, sizeof most->where, "%s", name);
}

// FRACTION: of what is allowed.
static bool check_outputs(const struct image *m, double fraction, char *message,
                          size_t size) {
  const struct autotune_kernel *k = m->kernel;
  bool same = false;
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    const char *expected = image_expected(m, o);
    struct range got = image_memory(m, o);
    if (o->leaf == 0) // else the same memory
      same = !expected || !got.size || memcmp(expected, got.base, got.size) == 0;
    const char *name = o->section < k->n_sections ? k->sections[o->section].name
                                                  : "the value returned";
    struct output_deviation most = { .at = 0 };
    if (!same &&
        !output_compare(o, verify_part(m->tolerances[i], fraction), name, expected,
                        got.base, got.size, &most, message, size))
      return false;
    image_deviates(m, o, name, &most);
  }
  m->deviation->known = m->verified;
  return true;
}

bool image_repeats(const struct image *m, char *message, size_t size) {
  return check_outputs(m, 0.5, message, size);
}

bool image_is_finite(const struct image *m, const struct image *before) {
  const struct autotune_kernel *k = m->kernel;
  bool finite = verify_strange(k->ret_element, m->ret_reference, k->ret_size) <=
      verify_strange(k->ret_element, before->ret_reference, k->ret_size);
  for (unsigned i = 0; i < k->n_sections; i++) {
    enum autotune_element e = k->sections[i].element;
    if (m->references[i])
      finite &= verify_strange(e, m->references[i], m->spans[i].bytes) <=
          verify_strange(e, before->references[i], before->spans[i].bytes);
  }
  return finite;
}

bool image_check(const struct image *m, bool inputs, char *message, size_t size) {
  if (m->kernel->verify == AUTOTUNE_VERIFY_OFF)
    return true;
  if (!check_outputs(m, 1, message, size))
    return false;
  if (!inputs)
    return true;
  const struct segment *input = changed_input(m);
  if (input) {
    snprintf(message, size, "%s, which is only read, was changed",
             section_at(m, input->base));
    return false;
  }
  return true;
}
