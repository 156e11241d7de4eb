// SPDX-License-Identifier: Apache-2.0
// kernel.c: what depends on the language that a kernel was translated from.
#include <ctype.h>
#include <stddef.h>
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
  out->stream = asked->stream;
  return k->gpu->geometry(values, args, machine, asked, out) != 0;
}

const struct autotune_prepared *kernel_prepared(const struct autotune_kernel *k,
                                                unsigned *n) {
  bool has = k->gpu && k->abi >= 5; // before, struct autotune_gpu ends earlier
  *n = has ? k->gpu->n_prepared : 0;
  return *n ? k->gpu->prepared : NULL;
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

// True if the directive at TEXT, after "omp", is carried out by each thread alone.
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

// Returns the end of the line at TEXT, after lines that a backslash joins to it.
static const char *kernel_line_end(const char *text) {
  while (*text && (*text != '\n' || text[-1] == '\\'))
    text++;
  return text;
}

// Brackets that are open, now and at each #if that is.
struct kernel_depths {
  int depth, n, at_if[16];
};

// True if the directive at WORD leaves as many brackets open as the other branches of its
// #if, or has nothing to do with them. False: that, or what it says, is not sure.
static bool kernel_is_balanced(struct kernel_depths *d, const char *word) {
  const int most = sizeof d->at_if / sizeof *d->at_if;
  if (strncmp(word, "pragma", 6) == 0 || strncmp(word, "line", 4) == 0)
    return true;
  if (strncmp(word, "if", 2) == 0 && d->n < most) {
    d->at_if[d->n++] = d->depth;
    return true;
  }
  if ((strncmp(word, "el", 2) != 0 && strncmp(word, "endif", 5) != 0) || d->n == 0 ||
      d->at_if[d->n - 1] != d->depth)
    return false;
  d->n -= word[1] == 'n';
  return true;
}

// Returns the last character of the literal, comment or directive that begins at AT, or
// AT. NULL: it is not sure how the text goes on.
static const char *kernel_skip(struct kernel_depths *d, const char *at) {
  const char *end = at + 1;
  if (*at == '#' && !kernel_is_balanced(d, end + strspn(end, " \t")))
    return NULL;
  if (*at == '#' || strncmp(at, "//", 2) == 0)
    return kernel_line_end(end) - 1;
  if (strncmp(at, "/*", 2) == 0)
    return (end = strstr(at + 2, "*/")) ? end + 1 : NULL;
  if (*at != '"' && *at != '\'')
    return at;
  while (*end && *end != *at)
    end += end[0] == '\\' && end[1] ? 2 : 1;
  return *end ? end : NULL;
}

// Returns the end of the statement that is the parallel region of the directive whose
// line ends at LINE_END. Where that end is not sure, returns LINE_END.
static const char *kernel_after_region(const char *line_end) {
  struct kernel_depths d = { 0 };
  for (const char *at = line_end; at && *at; at++) {
    d.depth += strchr("({[", *at) != NULL;
    d.depth -= strchr(")}]", *at) != NULL;
    bool ends = d.depth == 0 && strchr(";}", *at);
    if (ends && d.n == 0)
      return at + 1;
    if (ends || d.depth < 0)
      return line_end;
    at = kernel_skip(&d, at);
    if (!at)
      return line_end;
  }
  return line_end;
}

static bool kernel_is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// True if the name at AT, in TEXT, is declared there: a word that is no statement's
// stands before it, and not in a macro.
static bool kernel_declares(const char *text, const char *at) {
  static const char *const words[] = { "return", "else", "do", "case" };
  const char *line = at;
  while (line > text && line[-1] != '\n')
    line--;
  if (line[strspn(line, " \t")] == '#')
    return false;
  while (at > text && strchr(" \t\n", at[-1]))
    at--;
  size_t n = 0;
  while (at - n > text && kernel_is_letter(at[-1 - (ptrdiff_t)n]))
    n++;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == n && memcmp(words[i], at - n, n) == 0)
      return false;
  return n > 0;
}

// True if at AT, in TEXT, stands a call of a function of the threads of a region.
static bool kernel_asks(const char *text, const char *at) {
  static const char *const functions[] = { "omp_get_thread_num", "omp_get_num_threads",
                                           "pthread_barrier_wait" };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strncmp(at, functions[i], strlen(functions[i])) == 0)
      return !kernel_declares(text, at);
  return false;
}

// Returns where "omp" or a barrier stands next, from AT on. OMP, BARRIER: the next ones
// of each that were found before, or NULL.
static const char *kernel_next(const char *at, const char **omp, const char **barrier) {
  if (*omp && *omp < at)
    *omp = strstr(at, "omp");
  if (*barrier && *barrier < at)
    *barrier = strstr(at, "pthread_barrier_wait");
  return !*omp || (*barrier && *barrier < *omp) ? *barrier : *omp;
}

// Directives and calls in a region of the kernel's own are for that region's threads.
bool kernel_cooperates(const struct autotune_kernel *k) {
  const char *text = k->n_units ? k->units[0].text : "", *at = text, *end = NULL;
  const char *omp = strstr(text, "omp"), *barrier = strstr(text, "pthread_barrier_wait");
  for (; (at = kernel_next(at, &omp, &barrier)); at++) {
    if (end && at > end) { // of the line of a region's directive
      at = kernel_after_region(end) - 1;
      end = NULL;
    } else if (kernel_asks(text, at))
      return true;
    else if (strncmp(at, "omp", 3) == 0 && at > text && strchr(" \t\"", at[-1]) &&
             strchr(" \t", at[3])) {
      if (!kernel_is_alone(at + 3))
        return true;
      if (at[-1] != '"' && strncmp(at + 3 + strspn(at + 3, " \t"), "parallel", 8) == 0)
        end = kernel_line_end(at);
    }
  }
  return false;
}

// True if UNIT says of itself all that there is to know of its types. That of a template
// of C++ does not, nor does a text that includes others.
static bool kernel_unit_is_whole(const struct autotune_unit *unit) {
  for (const char *const *flag = unit->flags; flag && *flag; flag++)
    if (strcmp(*flag, "-xc++") == 0)
      return false;
  return !strstr(unit->text, "#include") && !strstr(unit->text, "_Float");
}

bool kernel_may_write(const struct autotune_kernel *k, const char *type) {
  for (unsigned i = 0; i < k->n_units; i++)
    if (!kernel_unit_is_whole(&k->units[i]) || strstr(k->units[i].text, type))
      return true;
  return k->n_units == 0;
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

bool kernel_is_known(const struct autotune_kernel *k) {
  return k->abi >= AUTOTUNE_ABI_OLDEST && k->abi <= AUTOTUNE_ABI;
}

bool kernel_is_apart(const struct autotune_kernel *k, void *const *args) {
  return !KERNEL_HAS(k, apart) || !k->apart || k->apart(args);
}

double kernel_until_roof(const struct autotune_kernel *k) {
  return KERNEL_HAS(k, until_roof) ? k->until_roof : 0;
}

bool kernel_refuses_unchecked(const struct autotune_kernel *k) {
  return kernel_when_hot(k) && k->verify != AUTOTUNE_VERIFY_OFF;
}

struct autotune_kernel kernel_copy(const struct autotune_kernel *k) {
  struct autotune_kernel copy = { .abi = 0 };
  size_t least = offsetof(struct autotune_kernel, layouts);
  size_t size = k->size < sizeof copy ? k->size : sizeof copy;
  memcpy(&copy, k, size > least ? size : least);
  copy.size = sizeof copy;
  return copy;
}
