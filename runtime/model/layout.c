// SPDX-License-Identifier: Apache-2.0
// layout.c: walks over the numbers of a section, and their names.
#include <ctype.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "layout.h"

// ---- layouts ------------------------------------------------------------------------

const struct autotune_layout *layout_plain(enum autotune_element e, size_t size,
                                           struct layout_plain *plain) {
  plain->leaf = (struct autotune_leaf){ .path = "", .element = e, .size = size };
  plain->layout = (struct autotune_layout){ size, 1, &plain->leaf, 0, NULL };
  return &plain->layout;
}

const struct autotune_layout *layout_of_section(const struct autotune_kernel *k,
                                                unsigned i, struct layout_plain *plain) {
  const struct autotune_layout *const *layouts = kernel_layouts(k);
  const struct autotune_section *s = &k->sections[i];
  if (layouts && layouts[i])
    return layouts[i];
  return layout_plain(s->element, s->element_size ? s->element_size : 1, plain);
}

const struct autotune_layout *layout_of_result(const struct autotune_kernel *k,
                                               struct layout_plain *plain) {
  const struct autotune_layout *t = kernel_ret_layout(k);
  size_t size = k->ret_size ? k->ret_size : 1;
  return t ? t : layout_plain(k->ret_element, size, plain);
}

// Returns the bytes of a number E; 0: that depends on its type.
static size_t layout_size(enum autotune_element e) {
  static const size_t sizes[] = {
    [AUTOTUNE_F16] = 2, [AUTOTUNE_BF16] = 2,  [AUTOTUNE_F32] = 4,
    [AUTOTUNE_F64] = 8, [AUTOTUNE_F128] = 16, [AUTOTUNE_F80] = sizeof(long double)
  };
  return (unsigned)e < sizeof sizes / sizeof *sizes ? sizes[e] : 0;
}

bool layout_is_real(enum autotune_element e) {
  return layout_size(e) > 0;
}

enum autotune_element layout_element(const struct autotune_leaf *leaf) {
  bool real = layout_is_real(leaf->element);
  bool whole = leaf->size > 0 && leaf->size <= 16 && (leaf->size & (leaf->size - 1)) == 0;
  if (leaf->mask || (real ? leaf->size != layout_size(leaf->element) : !whole) ||
      leaf->element > AUTOTUNE_POINTER)
    return AUTOTUNE_BYTES;
  return leaf->element;
}

bool layout_is_valid(const struct autotune_layout *t) {
  for (unsigned l = 0; l < t->n_leaves; l++) {
    const struct autotune_leaf *f = &t->leaves[l];
    size_t left = t->size;
    if (f->n_repeats > AUTOTUNE_MOST_REPEATS || f->repeat > t->n_repeats ||
        f->n_repeats > t->n_repeats - f->repeat || f->size == 0 || f->size > left ||
        f->offset > left - f->size)
      return false;
    left -= f->offset + f->size;
    for (unsigned i = 0; i < f->n_repeats; i++) {
      const struct autotune_repeat *r = &t->repeats[f->repeat + i];
      if (r->count > 1 && r->stride > 0 && r->count - 1 > left / r->stride)
        return false;
      left -= r->count > 1 ? (r->count - 1) * r->stride : 0;
    }
  }
  return t->size > 0;
}

// ---- walks --------------------------------------------------------------------------

struct layout_walk layout_walk(const struct autotune_layout *t, unsigned l,
                               size_t bytes) {
  const struct autotune_leaf *f = &t->leaves[l];
  struct layout_walk w = { .offset = f->offset, .n = 1 };
  w.dims[0] = (struct autotune_repeat){ bytes / t->size, t->size };
  for (unsigned i = 0; i < f->n_repeats; i++) {
    struct autotune_repeat r = t->repeats[f->repeat + i], *outer = &w.dims[w.n - 1];
    w.ended |= r.count == 0;
    if (outer->stride == r.count * r.stride) // one after the other
      *outer = (struct autotune_repeat){ outer->count * r.count, r.stride };
    else if (r.count != 1)
      w.dims[w.n++] = r;
  }
  w.ended |= w.dims[0].count == 0;
  return w;
}

bool layout_next(struct layout_walk *w, struct layout_run *run) {
  const struct autotune_repeat *last = &w->dims[w->n - 1];
  if (w->ended)
    return false;
  *run = (struct layout_run){ w->offset, last->count, last->stride };
  for (unsigned i = 0; i + 1 < w->n; i++)
    run->offset += w->at[i] * w->dims[i].stride;
  unsigned i = w->n - 1;
  while (i > 0 && ++w->at[i - 1] == w->dims[i - 1].count)
    w->at[--i] = 0;
  w->ended = i == 0;
  return true;
}

size_t layout_count(const struct autotune_layout *t, unsigned l, size_t bytes) {
  const struct autotune_leaf *f = &t->leaves[l];
  size_t n = bytes / t->size;
  for (unsigned i = 0; i < f->n_repeats; i++)
    n *= t->repeats[f->repeat + i].count;
  return n;
}

// ---- names --------------------------------------------------------------------------

// Sets *BASE to the bytes of NAME before its brackets, and *LOW to its first index.
// False: the index of an element cannot be told from NAME.
static bool layout_base(const char *name, size_t *base, size_t *low) {
  size_t n = strlen(name), open = n;
  *low = 0;
  *base = n;
  if (n == 0 || name[n - 1] != ']')
    return false;
  for (unsigned depth = 0; open-- > 0;) {
    depth += name[open] == ']' ? 1u : name[open] == '[' ? -1u : 0;
    if (depth == 0)
      break;
  }
  if (open == 0 || open == SIZE_MAX || name[open - 1] == ']')
    return false;
  const char *first = name + open + 1;
  first += strspn(first, " ");
  if (!isdigit((unsigned char)*first))
    return false;
  char *end;
  *base = open;
  *low = strtoul(first, &end, 10);
  while (*end == ' ')
    end++;
  return *end == ':' || *end == ']';
}

// Appends the path of leaf L with the indices of the number REST bytes after the
// beginning of its element.
static void layout_path(const struct autotune_layout *t, unsigned l, size_t rest,
                        FILE *f) {
  const struct autotune_leaf *leaf = &t->leaves[l];
  const struct autotune_repeat *r = t->repeats + leaf->repeat;
  unsigned i = 0;
  rest -= leaf->offset;
  for (const char *p = leaf->path; *p; p++) {
    fputc(*p, f);
    if (*p != '[' || i == leaf->n_repeats)
      continue;
    size_t stride = r[i].stride ? r[i].stride : 1, index = rest / stride;
    fprintf(f, "%zu", index);
    rest -= index * r[i++].stride;
  }
  if (i < leaf->n_repeats && r[i].count == 2)
    fprintf(f, rest ? " (imaginary part)" : " (real part)");
}

void layout_name(const struct autotune_layout *t, unsigned l, const char *name, size_t at,
                 char *text, size_t size) {
  size_t index = at / t->size, base, low, n = strlen(name);
  bool one = n > 0 && name[n - 1] != ']', simple = layout_base(name, &base, &low) || one;
  FILE *f = size ? fmemopen(text, size, "w") : NULL;
  if (!f) {
    snprintf(text, size, "%s", name);
    return;
  }
  bool wrapped = simple && (*name == '*' || *name == '&');
  fprintf(f, wrapped ? "(%.*s)" : "%.*s", (int)(simple ? base : n), name);
  if (!simple)
    fprintf(f, ", %s", *t->leaves[l].path ? "" : "element ");
  else if (!one)
    fprintf(f, "[%zu]", low + index);
  layout_path(t, l, at - index * t->size, f);
  if (!simple)
    fprintf(f, *t->leaves[l].path ? " of element %zu" : "%zu", index);
  fclose(f);
  text[size - 1] = '\0';
}

void layout_name_in(const struct autotune_layout *t, unsigned l, const char *element,
                    size_t rest, char *text, size_t size) {
  FILE *f = size ? fmemopen(text, size, "w") : NULL;
  if (!f) {
    snprintf(text, size, "%s", element);
    return;
  }
  fputs(element, f);
  layout_path(t, l, rest, f);
  fclose(f);
  text[size - 1] = '\0';
}
