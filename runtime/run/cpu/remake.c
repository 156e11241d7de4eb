// SPDX-License-Identifier: Apache-2.0
// remake.c: turns a worker's copy of a call into a call with made-up data (made_up.h).
//
// Only floating-point numbers of sections that are read, and arguments, are changed,
// where no other section lies over them in another way. Arguments are copied before they
// are changed. All conditions of the kernel must hold for the variant as before.
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "run/weak.h"
#include "sandbox.h"

// ---- sections -----------------------------------------------------------------------

// True if section I's numbers may be changed: it is read, can be written, and what lies
// over it is the same section once more. *AGAIN: an earlier section is that.
static bool remake_may_change(const struct image *m, unsigned i, bool *again) {
  const struct autotune_section *s = m->kernel->sections;
  const struct memory *own = &m->memory.list[i];
  bool alone = (s[i].access & AUTOTUNE_IN) && own->bytes > 0;
  *again = false;
  for (unsigned other = 0; alone && other < m->kernel->n_sections; other++) {
    const struct memory *o = &m->memory.list[other];
    if (other == i || !memory_overlap(o, own))
      continue;
    alone = memory_same(o, own) && s[other].element == s[i].element;
    *again |= other < i && (s[other].access & AUTOTUNE_IN);
  }
  return alone && segments_writable(m, i);
}

// Looks at all sections that are read. Returns true if one is sorted.
static bool remake_look(const struct image *m, struct numbers *looks) {
  const struct autotune_kernel *k = m->kernel;
  bool sorted = false;
  for (unsigned i = 0; i < k->n_sections; i++) {
    if (k->sections[i].access & AUTOTUNE_IN)
      looks[i] = made_up_look(k->sections[i].element, image_section(m, i),
                              m->memory.list[i].bytes);
    sorted |= looks[i].sorted;
  }
  return sorted;
}

// Changes all sections that SET changes. Returns their number.
static unsigned remake_sections(const struct image *m, const struct made_up_wish *wish,
                                struct numbers *looks) {
  const struct autotune_kernel *k = m->kernel;
  unsigned changed = 0;
  bool sorted = remake_look(m, looks), again;
  // A kernel that searches sorted numbers needs them sorted.
  bool orderly = wish->set != MADE_UP_SIGNS && wish->set != MADE_UP_SPECIAL &&
      wish->set != MADE_UP_MIXED && wish->set != MADE_UP_DIGITS;
  for (unsigned i = 0; i < k->n_sections && (orderly || !sorted); i++)
    if (made_up_changes(wish->set, &looks[i], wish->indices) &&
        remake_may_change(m, i, &again)) {
      if (!again)
        made_up_write(wish->set, k->sections[i].element, &looks[i], i + 1,
                      image_section(m, i));
      if (!again)
        image_put_back(m, i);
      changed++;
    }
  return changed;
}

// ---- arguments ----------------------------------------------------------------------

static bool remake_is_real(const struct autotune_kernel *k, unsigned i) {
  const struct autotune_arg *a = k->args ? &k->args[i] : NULL;
  return a && a->kind == AUTOTUNE_ARG_REAL &&
      (a->size == sizeof(float) || a->size == sizeof(double));
}

// Changes ARG, a copy of argument A. True if it is another number then.
static bool remake_real(const struct autotune_arg *a, void *arg) {
  float f;
  double d;
  if (a->size == sizeof d) {
    memcpy(&d, arg, sizeof d);
    double made = made_up_scalar(d, false);
    memcpy(arg, &made, sizeof made);
    return made != d;
  }
  memcpy(&f, arg, sizeof f);
  float made = (float)made_up_scalar((double)f, false);
  memcpy(arg, &made, sizeof made);
  return made != f;
}

// Returns the arguments with copies of those that FILLED changes, whose number is
// *CHANGED. NULL: no memory.
static void **remake_args(const struct image *m, const struct made_up_wish *wish,
                          unsigned *changed) {
  const struct autotune_kernel *k = m->kernel;
  void **args = sys_calloc(k->n_args + 1, sizeof *args);
  *changed = 0;
  for (unsigned i = 0; args && i < k->n_args; i++) {
    args[i] = m->args[i];
    if (wish->set != MADE_UP_FILLED || wish->indices || !remake_is_real(k, i))
      continue;
    void *copy = sys_malloc(k->args[i].size);
    if (!copy)
      return NULL; // the process ends soon
    args[i] = memcpy(copy, m->args[i], k->args[i].size);
    *changed += remake_real(&k->args[i], copy);
  }
  return args;
}

// ---- sizes --------------------------------------------------------------------------

// True if TEXT has the word NAME.
static bool remake_names(const char *text, const char *name) {
  size_t n = strlen(name);
  for (const char *at = text; (at = strstr(at, name)); at += n)
    if ((at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
        !(isalnum((unsigned char)at[n]) || at[n] == '_'))
      return true;
  return false;
}

// Returns argument I if it is an integer from 2 on that an int holds; else 0.
static long long remake_integer(const struct autotune_kernel *k, void *const *args,
                                unsigned i) {
  int number = 0;
  long long wide = 0;
  const struct autotune_arg *a = k->args ? &k->args[i] : NULL;
  if (!a || a->kind != AUTOTUNE_ARG_INTEGER)
    return 0;
  if (a->size == sizeof wide)
    memcpy(&wide, args[i], sizeof wide);
  else if (a->size == sizeof number)
    wide = (memcpy(&number, args[i], sizeof number), number);
  return wide > 1 && wide < INT_MAX ? wide : 0;
}

// True if argument I is an integer that no part of the key mentions.
static bool remake_is_open(const struct image *m, unsigned i) {
  const struct autotune_kernel *k = m->kernel;
  if (!remake_integer(k, m->args, i))
    return false;
  for (unsigned key = 0; key < k->n_keys; key++)
    if (remake_names(k->keys[key], k->args[i].name))
      return false;
  return true;
}

// True if the sections for ARGS are those of the call; with SMALLER: if they lie within
// those, and one is smaller.
static bool remake_fits(const struct image *m, void *const *args, bool smaller) {
  unsigned n = m->kernel->n_sections, less = 0;
  struct memories now;
  char ignored[128];
  bool fits = memories_describe(&now, m->kernel, args, ignored, sizeof ignored),
       made = fits;
  for (unsigned i = 0; fits && i < n; i++) {
    const struct memory *was = &m->memory.list[i], *is = &now.list[i];
    less += is->bytes < was->bytes;
    fits = is->bytes <= was->bytes &&
        (is->n == 0 || is->returned ||
         (memory_within(is, was) && is->pieces[0].base == was->pieces[0].base));
  }
  if (made)
    memories_free(&now);
  return fits && (smaller ? less > 0 : less == 0);
}

// Makes integers smaller by one in ARGS. All arguments of one value go together, since
// one may be the distance between the rows of another; a value that the key holds as well
// stays. Only what makes sections smaller is taken for a size. Returns the number
// changed.
static unsigned remake_sizes(const struct image *m, void **args) {
  const struct autotune_kernel *k = m->kernel;
  unsigned changed = 0;
  for (unsigned i = 0; i < k->n_args; i++) {
    long long value = remake_integer(k, m->args, i), less = value - 1;
    bool open = remake_is_open(m, i);
    for (unsigned j = 0; open && j < k->n_args; j++)
      if (remake_integer(k, m->args, j) == value)
        open = j >= i && remake_is_open(m, j);
    if (!open)
      continue;
    void **group = sys_calloc(k->n_args + 1, sizeof *group);
    unsigned n = 0;
    for (unsigned j = 0; group && j < k->n_args; j++) {
      bool goes = remake_integer(k, m->args, j) == value;
      long long *copy = goes ? sys_calloc(1, sizeof *copy) : NULL;
      int narrow = (int)less;
      if (copy)
        memcpy(copy, k->args[j].size == sizeof less ? (void *)&less : (void *)&narrow,
               k->args[j].size);
      group[j] = copy ? copy : args[j];
      n += copy != NULL;
    }
    if (group && remake_fits(m, group, true)) {
      memcpy(args, group, k->n_args * sizeof *args);
      changed += n;
    }
    free(group);
  }
  return changed;
}

// ---- the call -----------------------------------------------------------------------

// True if the variant exists for ARGS, too.
static bool remake_exists(const struct image *m, const struct made_up_wish *wish,
                          void *const *args) {
  const struct autotune_kernel *k = m->kernel;
  const struct autotune_value *values[MAX_PARAMS];
  if (k->n_params > MAX_PARAMS)
    return false;
  for (unsigned p = 0; p < k->n_params; p++)
    values[p] = &k->params[p].values[wish->point[p]];
  for (unsigned c = 0; c < k->n_conditions; c++)
    if (!k->conditions[c].holds(values, args, &machine_get()->numbers))
      return false;
  return true;
}

bool remake(struct image *m, const struct made_up_wish *wish, char *message,
            size_t size) {
  unsigned changed_args;
  struct numbers *looks = sys_calloc(m->kernel->n_sections + 1, sizeof *looks);
  void **args = remake_args(m, wish, &changed_args);
  if (!looks || !args) {
    snprintf(message, size, "no memory");
    return false;
  }
  image_restore(m);
  bool sizes = wish->set == MADE_UP_SIZE;
  changed_args += sizes ? remake_sizes(m, args) : 0;
  if (changed_args && (!remake_fits(m, args, sizes) || !remake_exists(m, wish, args)))
    changed_args = 0;
  unsigned changed = remake_sections(m, wish, looks);
  free(looks);
  if (changed || changed_args)
    return image_remake(m, changed_args ? args : m->args, message, size) == 0;
  snprintf(message, size, "it has nothing of the kind");
  return false;
}

// ---- the real data ------------------------------------------------------------------

static bool remake_has_reals(const struct autotune_kernel *k) {
  for (unsigned i = 0; i < k->n_args; i++)
    if (remake_is_real(k, i))
      return true;
  return false;
}

// True if section I, whose contents are DATA, holds what it held before.
static bool remake_is_as_before(const struct image *m, unsigned i, const char *data) {
  const struct memory *x = &m->memory.list[i];
  for (unsigned j = 0; j < x->n; j++) {
    const struct memory_piece *p = &x->pieces[j];
    const struct segment *g = &m->segments[segments_find(m, p->base)];
    if (!g->pristine || p->base + p->bytes > g->base + g->size ||
        memcmp(data + p->at, g->pristine + (p->base - g->base), p->bytes) != 0)
      return false;
  }
  return true;
}

static enum weak remake_weak_output(const struct image *m, unsigned i) {
  const struct autotune_section *s = &m->kernel->sections[i];
  const char *data = m->references[i];
  size_t bytes = m->memory.list[i].bytes, each = s->element_size ? s->element_size : 1;
  bool zero = data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0;
  if (zero)
    return WEAK_ZERO;
  if (bytes > each && memcmp(data, data + each, bytes - each) == 0)
    return WEAK_EQUAL;
  return remake_is_as_before(m, i, data) ? WEAK_SAME : WEAK_NOT;
}

static enum weak remake_weak_input(const struct numbers *n) {
  return n->n < 2 || !n->equal ? WEAK_NOT : n->zero ? WEAK_ZERO : WEAK_EQUAL;
}

static void remake_weak(const struct image *m, const struct numbers *looks, char *text,
                        size_t size) {
  const struct autotune_kernel *k = m->kernel;
  struct weak_look *of = sys_calloc(k->n_sections + 1, sizeof *of);
  for (unsigned i = 0; of && i < k->n_sections; i++) {
    bool writes = m->references[i] && m->memory.list[i].bytes > 0;
    of[i] = (struct weak_look){
      .name = k->sections[i].name,
      .reads = looks[i].n > 1 && k->sections[i].access == AUTOTUNE_IN,
      .input = remake_weak_input(&looks[i]),
      .writes = writes,
      .output = writes ? remake_weak_output(m, i) : WEAK_NOT,
    };
  }
  if (of)
    weak_tell(of, k->n_sections, text, size);
  free(of);
}

unsigned remake_sets(const struct image *m, char *weak, size_t size) {
  const unsigned n = m->kernel->n_sections;
  unsigned sets = remake_has_reals(m->kernel) ? 1u << MADE_UP_FILLED : 0;
  struct numbers *looks = sys_calloc(n + 1, sizeof *looks);
  *weak = '\0';
  if (!looks || !m->verified) {
    free(looks);
    return 0;
  }
  image_restore(m);
  bool sorted = remake_look(m, looks);
  for (unsigned i = 0; i < m->kernel->n_args; i++)
    sets |= (unsigned)remake_is_open(m, i) << MADE_UP_SIZE;
  for (unsigned i = 0; i < n; i++)
    for (int set = MADE_UP_FILLED; set < MADE_UPS; set++)
      sets |= (unsigned)made_up_changes((enum made_up)set, &looks[i], false) << set;
  if (sorted)
    sets &= ~(1u << MADE_UP_SIGNS | 1u << MADE_UP_SPECIAL | 1u << MADE_UP_MIXED |
              1u << MADE_UP_DIGITS);
  remake_weak(m, looks, weak, size);
  free(looks);
  return sets;
}
