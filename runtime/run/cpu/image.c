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

#include "cold.h"
#include "sandbox.h"

// 0x40 repeated is 32.5 as double, 3.0 as float, 2.1 as half: nothing slow, nothing NaN,
// and neither lost in a sum nor hiding one: adding to it instead of clearing it is found.
enum { PATTERN = 0x40 };

static size_t round_up(size_t size) {
  return (size + 63) & ~(size_t)63;
}

// ---- copies -------------------------------------------------------------------------

static bool image_is_kept(const struct segment *s) {
  return s->kind == SEGMENT_INOUT || s->kind == SEGMENT_TABLE;
}

// Makes two mappings: one for the pristine bytes, and one for the outputs of the default,
// shared with the worker that runs it.
static bool make_copies(struct image *m) {
  const struct autotune_kernel *k = m->kernel;
  size_t pristine = 0, shared = 128 + round_up(k->ret_size);
  for (unsigned i = 0; i < m->n_segments; i++)
    if (image_is_kept(&m->segments[i]))
      pristine += round_up(m->segments[i].size);
  shared += round_up(m->memory.tables.bytes);
  for (unsigned i = 0; i < k->n_sections; i++)
    if (k->sections[i].access & AUTOTUNE_OUT)
      shared += round_up(m->memory.list[i].bytes);
  m->pristine = (struct range){ pristine ? sys_mmap(pristine, false) : NULL, pristine };
  m->shared = (struct range){ sys_mmap(shared, true), shared };
  if (!m->shared.base || (pristine && !m->pristine.base))
    return false;
  char *at = m->pristine.base;
  for (unsigned i = 0; i < m->n_segments; i++)
    if (image_is_kept(&m->segments[i])) {
      m->segments[i].pristine = memcpy(at, m->segments[i].base, m->segments[i].size);
      at += round_up(m->segments[i].size);
    } else if (m->segments[i].kind == SEGMENT_IN) {
      m->segments[i].hash = XXH3_64bits(m->segments[i].base, m->segments[i].size);
    }
  m->exchanges = (bool *)m->shared.base;
  m->ret_reference = m->shared.base + 64;
  m->tables = m->ret_reference + round_up(k->ret_size);
  at = m->tables + round_up(m->memory.tables.bytes);
  for (unsigned i = 0; i < k->n_sections; i++)
    if (k->sections[i].access & AUTOTUNE_OUT) {
      m->references[i] = at;
      at += round_up(m->memory.list[i].bytes);
    }
  return true;
}

// Makes room for the largest section of several pieces.
static bool image_make_room(struct image *m) {
  size_t most = 0;
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    if (m->memory.list[i].n > 1 && m->memory.list[i].bytes > most)
      most = m->memory.list[i].bytes;
  m->gathered = most ? sys_mmap(most, true) : NULL;
  return m->gathered || !most;
}

// Describes the call and copies what trials will change. 0, or -1 and a message.
static int image_describe(struct image *m, const struct autotune_kernel *k,
                          void *const *args, char *message, size_t size) {
  unsigned n = k->n_sections, outputs = 0;
  *m = (struct image){ .kernel = k, .args = args, .loaded = m->loaded };
  m->references = sys_calloc(n + 1, sizeof *m->references);
  if (outputs_new(&m->outputs, k))
    m->deviation = sys_calloc(1, sizeof *m->deviation);
  m->tolerances = sys_calloc(m->outputs.n + 1, sizeof *m->tolerances);
  m->ret = sys_calloc(1, round_up(k->ret_size) + 64);
  if (!m->references || !m->tolerances || !m->deviation || !m->ret) {
    snprintf(message, size, "no memory");
    return -1;
  }
  if (!memories_describe(&m->memory, k, args, message, size))
    return -1;
  m->cold = cold_seconds(&m->memory); // before anything reads the sections
  segments_keep_tables(&m->memory.tables);
  if (!segments_make(m, message, size))
    return -1;
  m->flops = m->memory.flops;
  m->bytes = m->memory.bytes;
  for (unsigned i = 0; i < m->outputs.n; i++)
    if (m->outputs.list[i].section < n)
      m->outputs.list[i].memory = &m->memory.list[m->outputs.list[i].section];
  const char *wide = segments_too_wide(m);
  if (wide) {
    snprintf(message, size, "the section %s is larger than the memory that it lies in",
             wide);
    return -1;
  }
  if (!make_copies(m) || !image_make_room(m) || !unnamed_new(m) || !rounding_new(m)) {
    snprintf(message, size, "no memory for copies of what the kernel writes");
    return -1;
  }
  for (unsigned i = 0; i < m->n_segments; i++)
    m->touched += (double)m->segments[i].size;
  for (unsigned i = 0; i < n; i++)
    outputs += (k->sections[i].access & AUTOTUNE_OUT) != 0 && m->memory.list[i].bytes > 0;
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

// True if S must be put back before a run.
static bool image_puts_back(const struct image *m, const struct segment *s) {
  return s->kind == SEGMENT_INOUT || (s->kind == SEGMENT_TABLE && *m->exchanges);
}

bool image_restores(const struct image *m) {
  for (unsigned i = 0; m->pristine.size > 0 && i < m->n_segments; i++)
    if (image_puts_back(m, &m->segments[i]))
      return true;
  return false;
}

void image_restore(const struct image *m) {
  for (unsigned i = 0; i < m->n_segments; i++)
    if (image_puts_back(m, &m->segments[i]))
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

static const struct segment *changed_input(const struct image *m) {
  for (unsigned i = 0; i < m->n_segments; i++) {
    const struct segment *s = &m->segments[i];
    if (s->kind == SEGMENT_IN && XXH3_64bits(s->base, s->size) != s->hash)
      return s;
  }
  return NULL;
}

char *image_section(const struct image *m, unsigned i) {
  const struct memory *x = &m->memory.list[i];
  if (x->n < 2)
    return x->n ? x->pieces[0].base : NULL;
  memory_read(x, m->gathered);
  return m->gathered;
}

void image_put_back(const struct image *m, unsigned i) {
  if (m->memory.list[i].n > 1)
    memory_write(&m->memory.list[i], m->gathered);
}

size_t image_size(const struct image *m, const struct output *o) {
  return o->section < m->kernel->n_sections ? m->memory.list[o->section].bytes
                                            : m->kernel->ret_size;
}

struct range image_memory(const struct image *m, const struct output *o) {
  char *base = o->section < m->kernel->n_sections ? image_section(m, o->section) : m->ret;
  return (struct range){ base, image_size(m, o) };
}

const char *image_expected(const struct image *m, const struct output *o) {
  return o->section < m->kernel->n_sections ? m->references[o->section]
                                            : m->ret_reference;
}

// After a run: finds the sections of its result. False and a message: there are none.
static bool image_returned(const struct image *m, char *message, size_t size) {
  const char *lost = memories_returned(&m->memory, m->ret);
  if (lost)
    snprintf(message, size, "the memory of %s cannot be read", lost);
  return !lost;
}

bool image_reference(struct image *m, char *message, size_t size) {
  const struct segment *input = changed_input(m);
  if (input) {
    snprintf(message, size,
             "%s is declared as `in`, but the kernel as written changes it",
             segments_section(m, input->base));
    return false;
  }
  if (!image_returned(m, message, size))
    return false;
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    if (m->references[i])
      memory_read(&m->memory.list[i], m->references[i]);
  memcpy(m->ret_reference, m->ret, m->kernel->ret_size);
  for (unsigned i = 0; i < m->n_segments; i++)
    if (m->segments[i].kind == SEGMENT_TABLE &&
        memcmp(m->segments[i].base, m->segments[i].pristine, m->segments[i].size) != 0)
      *m->exchanges = true;
  memory_read(&m->memory.tables, m->tables);
  image_restore(m); // the scales of the inputs count, too
  rounding_settle(m, false, m->tolerances);
  return true;
}

void image_hide(const struct image *m, bool hide) {
  mprotect(m->shared.base, m->shared.size, hide ? PROT_NONE : PROT_READ);
}

void image_seal(struct image *m, bool deferred) {
  if (m->pristine.base)
    mprotect(m->pristine.base, m->pristine.size, PROT_READ);
  mprotect(m->shared.base, m->shared.size, PROT_READ);
  unnamed_seal(m);
  rounding_seal(m, false);
  rounding_settle(m, deferred, m->tolerances);
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
    output_name(o, name, d->at, most->where, sizeof most->where);
  else
    snprintf(most->where, sizeof most->where, "%s", name);
}

static bool image_agrees(const struct image *m, const struct output *o,
                         const char *expected) {
  if (o->memory)
    return memory_equal(o->memory, expected);
  if (kernel_returns_pointer(m->kernel))
    return memory_is_returned(m->kernel) || memory_agrees(&m->memory, expected, m->ret);
  return memcmp(expected, m->ret, m->kernel->ret_size) == 0;
}

// FRACTION: of what is allowed.
static bool check_outputs(const struct image *m, double fraction, char *message,
                          size_t size) {
  const struct autotune_kernel *k = m->kernel;
  bool same = false;
  if (!image_returned(m, message, size))
    return false;
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    const char *expected = image_expected(m, o);
    struct range got = { NULL, 0 };
    if (o->leaf == 0) // else the same memory
      same = !expected || image_agrees(m, o, expected);
    if (!same)
      got = image_memory(m, o);
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
      finite &= verify_strange(e, m->references[i], m->memory.list[i].bytes) <=
          verify_strange(e, before->references[i], before->memory.list[i].bytes);
  }
  return finite;
}

bool image_part(struct image *m) {
  char *own = sys_mmap(m->shared.size, true);
  if (!own)
    return false;
  memcpy(own, m->shared.base, m->shared.size);
  ptrdiff_t by = own - m->shared.base;
  m->exchanges = (bool *)own;
  m->ret_reference += by;
  m->tables += by;
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    if (m->references[i])
      m->references[i] += by;
  m->shared.base = own;
  m->rounding = NULL; // nothing is measured
  return true;
}

void image_demand(struct image *m, bool loose) {
  for (unsigned i = 0; i < m->outputs.n; i++) {
    m->tolerances[i] = verify_allowed(m->kernel, m->outputs.list[i].element);
    m->tolerances[i].rtol = m->tolerances[i].atol = loose ? 1 : 0;
  }
  *m->deviation = (struct image_deviation){ .known = false };
}

static bool image_check_tables(const struct image *m, char *message, size_t size) {
  const struct memory *t = &m->memory.tables;
  if (memory_equal(t, m->tables))
    return true;
  for (unsigned i = 0; i < t->n; i++)
    if (memcmp(t->pieces[i].base, m->tables + t->pieces[i].at, t->pieces[i].bytes) != 0)
      snprintf(message, size,
               "the pointers to the rows of %s are not what they should be",
               m->kernel->sections[t->pieces[i].section].name);
  return false;
}

bool image_check(const struct image *m, bool inputs, char *message, size_t size) {
  if (m->kernel->verify == AUTOTUNE_VERIFY_OFF)
    return true;
  if (!check_outputs(m, 1, message, size) || !image_check_tables(m, message, size))
    return false;
  if (!inputs)
    return true;
  const struct segment *input = changed_input(m);
  if (input) {
    snprintf(message, size, "%s, which is only read, was changed",
             segments_section(m, input->base));
    return false;
  }
  return true;
}
