// SPDX-License-Identifier: Apache-2.0
// pragma.c: writes the pragma of a kernel: the param of threads, and sections.
#include <string.h>

#include "suggest.h"

enum { MAX_WIDTH = 96 }; // of a line, if clauses are short enough

// True if S is of a variable that only the function of a statement has, which names
// it by itself.
static bool pragma_is_own(const struct section *s) {
  return strncmp(s->name, "autotune_", 9) == 0 &&
      strncmp(s->name, PLAINER_ALIAS, sizeof PLAINER_ALIAS - 1) != 0;
}

// Returns the name of S as the user writes it.
static const char *pragma_name(const struct model *m, const struct section *s) {
  size_t size = sizeof PLAINER_ALIAS - 1;
  if (strncmp(s->name, PLAINER_ALIAS, size) != 0)
    return nests_written(m, s->name);
  return arena_copy(s->name + size, strcspn(s->name + size, "["));
}

// Appends clauses for ACCESS. *WIDTH is the width of the line so far; 0: no line is
// begun.
static void pragma_sections(const struct model *m, const struct sections *found,
                            unsigned access, const char *clause, size_t *width,
                            struct text *t) {
  struct text c = { 0 };
  for (unsigned i = 0; i < found->n; i++)
    if (found->list[i].access == access && !pragma_is_own(&found->list[i]))
      text_printf(&c, "%s%s%s", c.size ? ", " : clause, c.size ? "" : "(",
                  pragma_name(m, &found->list[i]));
  if (!c.size)
    return;
  bool next = *width == 0 || *width + c.size > MAX_WIDTH;
  text_printf(t, next ? " \\\n    %s)" : " %s)", c.data);
  *width = (next ? 4 : *width + 1) + c.size + 1;
}

// Appends the number of threads that this process may use, and the smaller powers of two.
static void pragma_threads(const struct autotune_machine *m, const char *name,
                           struct text *t) {
  long long n = m->threads, power = 1;
  while (2 * power < n)
    power *= 2;
  text_printf(t, " \\\n    param(%s: %lld", name, n);
  for (; n > 1 && power > 0; power /= 2)
    text_printf(t, ", %lld", power);
  text_printf(t, ") constraint(%s <= AUTOTUNE_THREADS)", name);
}

// True if S may look at errno or at what floating-point operations raise.
static bool pragma_observes(const struct source *s) {
  static const char *const words[] = { "errno",        "math_errhandling",
                                       "fetestexcept", "feenableexcept",
                                       "fenv",         "cfenv" };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (lex_mentions((struct slice){ s->text, s->size }, slice_of(words[i])))
      return true;
  return false;
}

// Returns the flags that a variant of F may have in addition to the build's; "": none.
static const char *pragma_more_flags(const struct finding *f, enum digits digits) {
  static const char same[] = "-fno-math-errno -fno-trapping-math",
                    reordered[] = "-fassociative-math -freciprocal-math "
                                  "-fno-signed-zeros -fno-trapping-math -fno-math-errno";
  if (!f->numbers.real)
    return "";
  if (digits == DIGITS_FAST)
    return "-ffast-math";
  if (pragma_observes(f->file))
    return "";
  bool may = digits == DIGITS_CLOSE && !f->checked;
  return f->numbers.recurrent && may ? reordered : f->numbers.guarded ? same : "";
}

// Appends flags(…) and compiler(…). Few: each is a factor of the number of variants.
// Flags that change no number are tried, though errno and traps are lost, unless the file
// looks at these. In a patch, which its user reads, sums may be reordered, too.
static void pragma_flags(const struct finding *f, enum digits digits, struct text *t) {
  static const char wide[] = "-mprefer-vector-width=512";
  const char *more = pragma_more_flags(f, digits);
  bool vectors = plan_machine()->vector >= 64, longer = strlen(more) > 20;
  if (vectors || *more)
    text_printf(t, "%s flags(\"\"", longer ? " \\\n   " : "");
  if (*more)
    text_printf(t, ", \"%s\"", more);
  if (vectors)
    text_printf(t, ",%s \"%s%s%s\"", strlen(more) > 40 ? " \\\n   " : "", more,
                *more ? " " : "", wide);
  if (vectors || *more)
    text_printf(t, ")");
  if (f->varies)
    text_printf(t, " compiler(clang, gcc)");
}

// True if the atom NAME is a member of a struct.
static bool pragma_is_member(struct slice name) {
  return memchr(name.data, '.', name.size) || memmem(name.data, name.size, "->", 2);
}

// Appends key(…) where integers in structs count as arguments: by default only the
// integers among the arguments are the key. *WIDTH as in pragma_sections.
static void pragma_key(const struct model *m, size_t *width, struct text *t) {
  struct text key = { 0 };
  bool members = false;
  for (unsigned i = 0; i < m->k->n_args; i++)
    if (m->k->args[i].integer)
      text_printf(&key, "%s%s", key.size ? ", " : "",
                  nests_written(m, m->k->args[i].name));
  for (unsigned i = 0; i < m->n_atoms; i++)
    if (pragma_is_member(m->atoms[i])) {
      const char *when = member_condition(m, m->atoms[i]);
      text_printf(&key, "%s%s%s%.*s%s", key.size ? ", " : "", when ? when : "",
                  when ? " ? " : "", (int)m->atoms[i].size, m->atoms[i].data,
                  when ? " : 0" : "");
      members = true;
    }
  if (!members)
    return;
  text_printf(t, " \\\n    key(%s)", key.data);
  *width = 4 + key.size + 5;
}

// Appends the condition under which ATOM, of M, can be read to LIST, unless it is there.
static void pragma_pointer(const struct model *m, struct slice atom, const char ***list,
                           unsigned *n) {
  const char *when = member_condition(m, atom);
  for (unsigned i = 0; i < *n && when; i++)
    when = strcmp((*list)[i], when) == 0 ? NULL : when;
  if (when)
    *GROW(*list, *n) = when;
}

// Returns which pointers must not be null where what they lead to is read: "g && h";
// NULL: each call reads it anyway.
static const char *pragma_pointers(const struct model *m) {
  const char **list = NULL;
  struct text out = { 0 };
  unsigned n = 0;
  for (unsigned i = 0; i < m->n_atoms; i++)
    if (!m->is_loop[i])
      pragma_pointer(m, m->atoms[i], &list, &n);
  for (unsigned i = 0; i < m->n_arrays; i++)
    if (m->arrays[i]->member)
      pragma_pointer(m, m->arrays[i]->name, &list, &n);
  for (unsigned i = 0; i < n; i++)
    text_printf(&out, "%s%s", i ? " && " : "", list[i]);
  return out.data;
}

// Appends if(…) with what each call looks at. *WIDTH as in pragma_sections.
static void pragma_if(const struct finding *f, size_t *width, struct text *t) {
  const char *own = conditions_text(f->m, f->m->assumed, f->m->n_assumed),
             *pointers = f->plan.n || !f->sections.why ? pragma_pointers(f->m) : NULL;
  if (pointers) {
    text_printf(t, " \\\n    if(%s)", pointers);
    *width = 4 + strlen(pointers) + 4;
  }
  if (own && (f->plan.n || !f->sections.why)) {
    own = nests_written(f->m, own);
    text_printf(t, " \\\n    if(%s)", own);
    *width = 4 + strlen(own) + 4;
  }
  if (f->checked && !f->sections.why && f->sections.assumed)
    text_printf(t, " if(%s)", nests_written(f->m, f->sections.assumed));
}

// True if PLAN has a directive that cannot be left out by itself. The code as written may
// be faster with the variants' flags than with any directive.
static bool pragma_must(const struct plan *plan) {
  static const char optional[] = " optional\n";
  for (unsigned i = 0; i < plan->n; i++)
    for (const char *line = plan->list[i].text, *end; *line; line = end) {
      end = strchrnul(line, '\n') + 1;
      size_t size = (size_t)(end - line), own = sizeof optional - 1;
      if (size < own || memcmp(end - own, optional, own) != 0)
        return true;
    }
  return false;
}

const char *pragma_of_kernel(const struct finding *f, const char *threads,
                             enum digits digits, const char *indent) {
  struct text t = { 0 };
  const struct sections *found = &f->sections;
  text_printf(&t, "%s#pragma autotune kernel%s", indent,
              pragma_must(&f->plan) ? " optional" : "");
  pragma_flags(f, digits, &t);
  if (digits == DIGITS_EXACT)
    text_printf(&t, " verify(exact)");
  if (threads)
    pragma_threads(plan_machine(), threads, &t);
  size_t width = 0;
  pragma_key(f->m, &width, &t);
  pragma_if(f, &width, &t);
  if (!found->why && found->n) {
    for (unsigned access = AUTOTUNE_IN; access <= AUTOTUNE_INOUT; access++)
      pragma_sections(f->m, found, access, sections_access[access], &width, &t);
  }
  text_printf(&t, "\n");
  return t.data;
}
