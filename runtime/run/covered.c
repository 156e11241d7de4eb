// SPDX-License-Identifier: Apache-2.0
// covered.c: what "verified" covered: "compared: C[0:n*n] (1024 doubles), the value
// returned, memory besides sections (2 MiB looked at); not compared: scratch(work[0:n])".
#include <stdarg.h>
#include <stdio.h>

#include "covered.h"
#include "model/kernel.h"
#include "model/memory.h"

struct covered_list {
  char *text;
  size_t size, used;
  const char *label; // before the first of what follows; NULL: it has been written
};

static void covered_add(struct covered_list *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void covered_add(struct covered_list *l, const char *format, ...) {
  va_list args;
  int n =
      snprintf(l->text + l->used, l->size - l->used, "%s", l->label ? l->label : ", ");
  l->used += n > 0 ? (size_t)n : 0;
  l->used = l->used < l->size ? l->used : l->size - 1;
  l->label = NULL;
  va_start(args, format);
  n = vsnprintf(l->text + l->used, l->size - l->used, format, args);
  va_end(args);
  l->used += n > 0 ? (size_t)n : 0;
  l->used = l->used < l->size ? l->used : l->size - 1;
}

// Writes "1024 doubles", "300 bytes" or "2.0 MiB" into TEXT, which is returned.
static const char *covered_amount(const struct autotune_section *s, size_t bytes,
                                  char *text, size_t size) {
  const char *noun = s && s->element == AUTOTUNE_F64 ? "double"
      : s && s->element == AUTOTUNE_F32              ? "float"
                                                     : NULL;
  size_t n = noun ? bytes / (s->element == AUTOTUNE_F64 ? 8 : 4) : bytes;
  if (noun)
    snprintf(text, size, "%zu %s%s", n, noun, n == 1 ? "" : "s");
  else if (bytes < 1 << 14)
    snprintf(text, size, "%zu byte%s", bytes, bytes == 1 ? "" : "s");
  else if (bytes < 1 << 20)
    snprintf(text, size, "%.1f KiB", (double)bytes / (1 << 10));
  else
    snprintf(text, size, "%.1f MiB", (double)bytes / (1 << 20));
  return text;
}

static void covered_sections(struct covered_list *l, const struct coverage *c) {
  const struct autotune_kernel *k = c->kernel;
  unsigned more = 0;
  char amount[64];
  for (unsigned i = 0; i < k->n_sections; i++) {
    const struct autotune_section *s = &k->sections[i];
    if (s->access == AUTOTUNE_SCRATCH || (i < COVERED_SECTIONS && c->bytes[i] == 0))
      continue;
    if (i >= COVERED_SECTIONS)
      more++;
    else if (s->access == AUTOTUNE_IN)
      covered_add(l, "%s (unchanged)", s->name);
    else
      covered_add(l, "%s (%s)", s->name,
                  covered_amount(s, c->bytes[i], amount, sizeof amount));
  }
  if (more)
    covered_add(l, "%u more section%s", more, more == 1 ? "" : "s");
}

void covered_text(const struct coverage *c, char *text, size_t size) {
  const struct autotune_kernel *k = c->kernel;
  struct covered_list l = { text, size, 0, "compared: " };
  char amount[64];
  *text = '\0';
  if (k->verify == AUTOTUNE_VERIFY_OFF) {
    snprintf(text, size, "compared: nothing, because of verify(off)");
    return;
  }
  covered_sections(&l, c);
  if (k->ret_size && !kernel_returns_pointer(k))
    covered_add(&l, "the value returned");
  if (c->watched && c->looked)
    covered_add(&l, "%s (%s looked at)", c->rest,
                covered_amount(NULL, c->looked, amount, sizeof amount));
  else if (c->watched)
    covered_add(&l, "%s", c->rest);
  if (c->state)
    covered_add(&l, "the state of thread and process");
  l.label = l.used ? "; not compared: " : "not compared: ";
  if (kernel_returns_pointer(k) && !memory_is_returned(k))
    covered_add(&l, "what the returned pointer leads to");
  for (unsigned i = 0; i < k->n_sections; i++)
    if (k->sections[i].access == AUTOTUNE_SCRATCH)
      covered_add(&l, "scratch(%s)", k->sections[i].name);
  if (!c->watched)
    covered_add(&l, "%s", c->rest);
  else if (c->left_out)
    covered_add(&l, "%s", c->left_out);
  if (c->watched && c->restless)
    covered_add(&l, "%s that the default leaves otherwise in each run",
                covered_amount(NULL, c->restless, amount, sizeof amount));
}
