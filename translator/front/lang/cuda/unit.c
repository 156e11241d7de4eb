// SPDX-License-Identifier: Apache-2.0
// unit.c: writes the kernel unit as text for NVRTC: the reached items in the order of the
// file, the kernel as a device function, the entry that calls it. Params are macros,
// defined before it.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "items.h"

// Returns the last item of the kernel and its alternatives: after it they can be called.
// An argument of its template may be a function that is defined later in its namespace.
static unsigned last_own(const struct cuda_reach *r) {
  unsigned last = 0;
  for (unsigned n = 0; n < r->items.n; n++)
    if (r->items.list[n].own)
      last = n;
  const struct item *own = &r->items.list[last];
  for (unsigned n = last; r->functions && n < r->items.n; n++) {
    const struct item *i = &r->items.list[n];
    if (i->reached && i->function && i->scope == own->scope && i->chain == own->chain)
      last = n;
  }
  return last;
}

// Closes unnamed namespaces for the entry and opens them again: in an unnamed namespace
// its name could not be found from outside.
static void add_entry(const struct cuda_reach *r, const struct item *i,
                      struct text *out) {
  unsigned closed = 0;
  const struct items *items = &r->items;
  for (int s = i->scope; s >= 0 && items->list[s].n_names == 0;
       s = items->list[s].scope, closed++)
    text_printf(out, "}\n"); // also `extern "C" {`, which does no harm
  body_entry(r, out);
  int scopes[64];
  unsigned n = 0;
  for (int s = i->scope; n < closed && n < 64; s = items->list[s].scope)
    scopes[n++] = s;
  while (n-- > 0) {
    struct slice open = items->list[scopes[n]].text;
    text_printf(out, "%.*s\n", (int)open.size, open.data);
  }
}

static bool unit_is_written(const struct cuda_reach *r, const struct item *i) {
  if (i->kind == ITEM_CLOSE || i->kind == ITEM_ELSE || i->kind == ITEM_ENDIF)
    return i->opener >= 0 && r->items.list[i->opener].reached;
  return i->reached;
}

// Adds the items, and closes scopes that the file leaves open, for instance if an #if
// holds the end of one.
static void add_items(const struct cuda_reach *r, const struct compile_options *o,
                      struct text *out) {
  unsigned last = last_own(r);
  for (unsigned n = 0; n < r->items.n; n++) {
    const struct item *i = &r->items.list[n];
    if (!unit_is_written(r, i))
      continue;
    if (i->own)
      cuda_outside(cuda_of(r->k), true, out);
    if (i->kind == ITEM_CODE)
      source_resume(i->s, i->start, out);
    if (i->kind == ITEM_INCLUDE)
      predefine_write(r, o, false, out);
    if (i->kind != ITEM_INCLUDE || !toolkit_write(r->toolkit, i, &r->seen, out))
      body_write(r, i, out);
    if (i->kind == ITEM_INCLUDE)
      predefine_write(r, o, true, out);
    if (n == last && !i->own)
      cuda_outside(cuda_of(r->k), true, out);
    if (n == last)
      add_entry(r, i, out);
    if (i->own || n == last)
      cuda_outside(cuda_of(r->k), false, out);
  }
}

// ---- flags --------------------------------------------------------------------------

// Returns an option of the build in NVRTC's spelling; NULL: NVRTC has no such option.
static const char *own_flag(const char *const **a) {
  static const char *const plain[] = { "use_fast_math", "lineinfo",
                                       "extra-device-vectorization" };
  static const char *const valued[] = { "maxrregcount", "ftz", "prec-div", "prec-sqrt",
                                        "fmad" };
  const char *word = **a;
  if (strcmp(word, "-ffast-math") == 0)
    return "--use_fast_math";
  if (strncmp(word, "-std=", 5) == 0 || strncmp(word, "--std=", 6) == 0) {
    const char *standard = strrchr(word, '+');
    return standard && atoi(standard + 1) >= 17 && atoi(standard + 1) <= 20
        ? arena_printf("-std=c++%s", standard + 1)
        : NULL;
  }
  if (*word != '-')
    return NULL;
  word += word[1] == '-' ? 2 : 1;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(word, plain[i]) == 0)
      return arena_printf("--%s", word);
  for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
    size_t n = strlen(valued[i]);
    if (strncmp(word, valued[i], n) == 0 && word[n] == '=')
      return arena_printf("--%s", word);
    if (strcmp(word, valued[i]) == 0 && (*a)[1])
      return arena_printf("--%s=%s", word, *++*a);
  }
  return NULL;
}

// True if OPTION of ptxas, with its value or without, changes code.
static bool unit_takes_ptxas(struct slice option) {
  static const char *const names[] = { "opt-level",
                                       "Ofast-compile",
                                       "Ofc",
                                       "allow-expensive-optimizations",
                                       "def-load-cache",
                                       "dlcm",
                                       "def-store-cache",
                                       "dscm",
                                       "force-load-cache",
                                       "flcm",
                                       "force-store-cache",
                                       "fscm",
                                       "fmad",
                                       "maxrregcount",
                                       "device-function-maxrregcount",
                                       "func-maxrregcount",
                                       "disable-optimizer-constants",
                                       "disable-optimizer-consts",
                                       "dont-merge-basicblocks",
                                       "no-bb-merge",
                                       "optimize-float-atomics",
                                       "opt-fp-atomics",
                                       "register-usage-level",
                                       "regUsageLevel",
                                       "return-at-end",
                                       "ret-end",
                                       "legacy-bar-warp-wide-behavior",
                                       NULL };
  while (option.size && *option.data == '-')
    option.data++, option.size--;
  const char *equals = memchr(option.data, '=', option.size);
  if (equals)
    option.size = (size_t)(equals - option.data);
  return slice_in(option, names) ||
      (option.size && *option.data == 'O' && option.size < 3);
}

// Adds what the build tells ptxas of code: VALUE of -Xptxas, options with commas or
// blanks between.
static void unit_add_ptxas(const char *value, struct cuda_unit *u) {
  bool takes = false;
  for (size_t n; *(value += strspn(value, ", ")); value += n) {
    n = strcspn(value, ", ");
    struct slice part = { value, n };
    takes = *value == '-' ? unit_takes_ptxas(part) : takes; // or the value of the last
    if (takes)
      *GROW(u->flags, u->n_flags) = arena_printf("--ptxas-options=%.*s", (int)n, value);
  }
}

// Adds families of architectures, such as sm_100f, that WORD names: code may ask for them
// by name. For all else the device says what its variants are compiled for.
static void unit_add_families(const char *word, struct cuda_unit *u) {
  for (const char *p = word; (p = strchr(p, '_')) != NULL; p++) {
    size_t digits = strspn(p + 1, "0123456789");
    const char *end = p + 1 + digits;
    if (digits && *end == 'f' && !isalnum((unsigned char)end[1]))
      *GROW(u->flags, u->n_flags) =
          arena_printf("--build-family=sm_%.*s", (int)digits + 1, p + 1);
  }
}

// Adds what option A of the build says by itself of code for a device. False: nothing.
static bool unit_add_device(const char *a, struct cuda_unit *u) {
  static const char *const naming[] = { "-arch=", "-code=", "-gencode=" };
  if (strncmp(a, "-Xptxas=", 8) == 0) {
    unit_add_ptxas(a + 8, u);
    return true;
  }
  for (size_t i = 0; i < sizeof naming / sizeof *naming; i++)
    if (strncmp(a, naming[i], strlen(naming[i])) == 0) {
      unit_add_families(a, u);
      return true;
    }
  return false;
}

// True if `{ .x = 1 }` is in the unit: NVRTC takes that in C++20 only, nvcc in all.
static bool has_designators(const struct cuda_reach *r) {
  for (unsigned n = 0; n < r->items.n; n++) {
    const struct item *i = &r->items.list[n];
    if (!unit_is_written(r, i) || i->kind != ITEM_CODE)
      continue;
    struct lexer l = lexer_of(i->text);
    struct slice previous = { 0 };
    for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
      struct lexer ahead = l;
      if (slice_is(t.text, ".") && (slice_is(previous, "{") || slice_is(previous, ",")) &&
          lex(&ahead).kind == TOKEN_WORD && slice_is(lex(&ahead).text, "="))
        return true;
    }
  }
  return false;
}

static void add_flags(const struct cuda_reach *r, const struct compile_options *o,
                      struct cuda_unit *u) {
  bool standard = has_designators(r);
  if (standard)
    *GROW(u->flags, u->n_flags) = "-std=c++20";
  for (const char *const *a = o->args; a && *a; a++) {
    const char *flag = unit_add_device(*a, u) ? NULL : own_flag(&a);
    if (!flag || (standard && strncmp(flag, "-std=", 5) == 0))
      continue;
    standard = standard || strncmp(flag, "-std=", 5) == 0;
    *GROW(u->flags, u->n_flags) = flag;
  }
  if (!standard)
    *GROW(u->flags, u->n_flags) = "-std=c++17";
  *GROW(u->flags, u->n_flags) =
      "-default-device"; // allows what --expt-relaxed-constexpr does, and more
  if (names_has(&r->seen, slice_of("__int128")) ||
      names_has(&r->seen, slice_of("__int128_t")) ||
      names_has(&r->seen, slice_of("__uint128_t")))
    *GROW(u->flags, u->n_flags) = "-device-int128";
  if (!prologue_needs_toolkit(r))
    return;
  const char *folder = r->toolkit->folder, *cccl = arena_printf("%s/cccl", folder);
  *GROW(u->flags, u->n_flags) = arena_printf("-I%s", folder);
  if (access(cccl, F_OK) == 0)
    *GROW(u->flags, u->n_flags) = arena_printf("-I%s", cccl);
}

static bool is_unnamed(const struct cuda_reach *r) {
  for (int s = r->items.list[last_own(r)].scope; s >= 0; s = r->items.list[s].scope) {
    struct lexer l = lexer_of(r->items.list[s].text);
    if (r->items.list[s].n_names == 0 && !slice_is(lex(&l).text, "extern"))
      return true;
  }
  return false;
}

// Adds each symbol once, also if several items declare it.
static void unit_add_symbols(const struct cuda_reach *r, struct cuda_unit *u) {
  for (unsigned n = 0; n < r->n_variables; n++) {
    const struct variable *v = &r->variables[n];
    bool known = false;
    for (unsigned i = 0; i < u->n_symbols; i++)
      known = known || slice_is(v->name, u->symbols[i].name);
    if (!known)
      *GROW(u->symbols, u->n_symbols) =
          (struct cuda_symbol){ .name = arena_copy(v->name.data, v->name.size),
                                .qualified = v->qualified,
                                .constant = v->constant };
  }
}

struct cuda_unit cuda_unit_build(const struct source *s, const struct kernel *kernels,
                                 unsigned n_kernels, const struct kernel *k,
                                 struct items *items, const struct compile_options *o) {
  struct cuda_unit u = { .n_flags = 0 };
  const struct cuda_reach *r = cuda_reach(s, kernels, n_kernels, k, items, o);
  prologue_write(r, o, &u.text);
  predefine_write(r, o, true, &u.text);
  add_items(r, o, &u.text);
  add_flags(r, o, &u);
  u.unnamed = is_unnamed(r);
  unit_add_symbols(r, &u);
  lacks_check(r, s);
  return u;
}
