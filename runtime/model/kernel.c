// SPDX-License-Identifier: Apache-2.0
// kernel.c: what depends on the language that a kernel was translated from.
#include <stdio.h>
#include <string.h>

#include "kernel.h"

bool kernel_is_launched(const struct autotune_kernel *k) {
  return k->gpu != NULL;
}

const char *kernel_instance(const struct autotune_kernel *k) {
  return k->gpu ? k->gpu->instance : NULL;
}

bool kernel_geometry(const struct autotune_kernel *k,
                     const struct autotune_value *const *values, void *const *args,
                     const struct autotune_machine *machine,
                     const struct autotune_launch *asked, struct autotune_launch *out) {
  return k->gpu->geometry(values, args, machine, asked, out) != 0;
}

static bool kernel_section_is_scratch(const struct autotune_section *s) {
  return s->access == AUTOTUNE_SCRATCH;
}

bool kernel_has_scratch(const struct autotune_kernel *k) {
  for (unsigned i = 0; i < k->n_sections; i++)
    if (kernel_section_is_scratch(&k->sections[i]))
      return true;
  return false;
}

const char *kernel_scratch_names(const struct autotune_kernel *k, char *text,
                                 size_t size) {
  size_t used = 0;
  *text = '\0';
  for (unsigned i = 0; i < k->n_sections && used < size; i++)
    if (kernel_section_is_scratch(&k->sections[i])) {
      int n = snprintf(text + used, size - used, "%s%s", used ? " or " : "",
                       k->sections[i].name);
      used += n > 0 ? (size_t)n : 0;
    }
  return text;
}

bool kernel_has_sections(const struct autotune_kernel *k) {
  for (unsigned i = 0; i < k->n_sections; i++)
    if (!kernel_section_is_scratch(&k->sections[i]))
      return true;
  return false;
}

// True if the directive at TEXT, after "omp", is carried out by each thread alone. A
// region of the kernel's own is; directives that stand in one are not told from others.
static bool kernel_is_alone(const char *text) {
  static const char *const words[] = { "parallel", "simd",  "declare", "threadprivate",
                                       "atomic",   "flush", "unroll",  "tile",
                                       "begin",    "end" };
  size_t n = strspn(text += strspn(text, " \t"), "abcdefghijklmnopqrstuvwxyz");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == n && memcmp(words[i], text, n) == 0)
      return true;
  return false;
}

bool kernel_cooperates(const struct autotune_kernel *k) {
  static const char *const functions[] = { "omp_get_thread_num", "omp_get_num_threads",
                                           "pthread_barrier_wait" };
  const char *text = k->n_units ? k->units[0].text : "";
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strstr(text, functions[i]))
      return true;
  for (const char *at = text; (at = strstr(at, "omp")); at += 3)
    if (at > text && strchr(" \t\"", at[-1]) && strchr(" \t", at[3]) &&
        !kernel_is_alone(at + 3))
      return true;
  return false;
}

// True if K is large enough for MEMBER.
#define KERNEL_HAS(k, member)                              \
  ((k)->size >= offsetof(struct autotune_kernel, member) + \
       sizeof((struct autotune_kernel *)0)->member)

const struct autotune_layout *const *kernel_layouts(const struct autotune_kernel *k) {
  return KERNEL_HAS(k, layouts) ? k->layouts : NULL;
}

const struct autotune_layout *kernel_ret_layout(const struct autotune_kernel *k) {
  return KERNEL_HAS(k, ret_layout) ? k->ret_layout : NULL;
}

bool kernel_returns_pointer(const struct autotune_kernel *k) {
  return k->ret_size == sizeof(void *) && k->ret_element == AUTOTUNE_POINTER;
}

autotune_rows_fn *kernel_rows(const struct autotune_kernel *k) {
  return KERNEL_HAS(k, rows) ? k->rows : NULL;
}

bool kernel_when_hot(const struct autotune_kernel *k) {
  return KERNEL_HAS(k, when_hot) && k->when_hot != 0;
}

struct autotune_gate *kernel_gate(const struct autotune_kernel *k) {
  return KERNEL_HAS(k, gate) && k->when_hot ? k->gate : NULL;
}

struct autotune_kernel kernel_copy(const struct autotune_kernel *k) {
  struct autotune_kernel copy = { .abi = 0 };
  size_t least = offsetof(struct autotune_kernel, layouts);
  size_t size = k->size < sizeof copy ? k->size : sizeof copy;
  memcpy(&copy, k, size > least ? size : least);
  copy.size = sizeof copy;
  return copy;
}
