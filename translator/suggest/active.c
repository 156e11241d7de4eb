// SPDX-License-Identifier: Apache-2.0
// active.c: the text of a file that the build compiles. Where an #if stands within
// braces, the preprocessors of the build's compiler and of Clang say which of its
// branches they keep: each branch of a copy has a mark. Where both agree, the directives
// and the other branches become blank, and all that suggests pragmas reads what is left.
// Pragmas are then put into the file as it is written (fit.c), or into that text.
#include <stdlib.h>
#include <string.h>

#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "suggest.h"

#define ACTIVE_MARK "#pragma autotune_active "

struct active {
  const struct source *s;
  struct conditional *list; // those within braces, where a brace that one branch alone
  unsigned n;               // opens may hide some
  // how often Clang and the build's own compiler read on after the line of each number
  unsigned *kept[2];
  bool openmp; // one of the two reads `#pragma omp`
};

// ---- which branches are kept --------------------------------------------------------

// True if C asks for the number of a line, which marks change.
static bool active_counts(const struct source *s, const struct conditional *c) {
  for (unsigned i = 0; i < c->n; i++) {
    struct slice line = { s->text + c->lines[i].start,
                          c->lines[i].end - c->lines[i].start };
    if (lex_mentions(line, slice_of("__LINE__")) ||
        lex_mentions(line, slice_of("__COUNTER__")))
      return true;
  }
  return false;
}

static int active_by_place(const void *a, const void *b) {
  const struct conditional_line *p = a, *q = b;
  return p->start < q->start ? -1 : p->start > q->start;
}

// Returns the text of A with a mark in each branch and after each #endif.
static struct text active_marked(const struct active *a) {
  struct conditional_line *lines = NULL;
  struct text out = { 0 };
  unsigned n = 0;
  size_t from = 0;
  for (unsigned i = 0; i < a->n; i++)
    for (unsigned j = 0; j < a->list[i].n; j++)
      *GROW(lines, n) = a->list[i].lines[j];
  if (n)
    qsort(lines, n, sizeof *lines, active_by_place);
  for (unsigned i = 0; i < n; i++) {
    text_add(&out, a->s->text + from, lines[i].end - from);
    text_printf(&out, "\n" ACTIVE_MARK "%u", lines[i].number);
    from = lines[i].end;
  }
  text_add(&out, a->s->text + from, a->s->size - from);
  text_printf(&out, "\n#ifdef _OPENMP\n" ACTIVE_MARK "openmp\n#endif\n");
  return out;
}

// Counts in KEPT the N marks that are left in OUT.
static void active_read(struct active *a, const struct text *out, unsigned *kept,
                        unsigned n) {
  const size_t size = sizeof ACTIVE_MARK - 1;
  const char *p = out->data, *end = p ? p + out->size : p;
  for (; p && (p = memmem(p, (size_t)(end - p), ACTIVE_MARK, size)) != NULL; p += size) {
    unsigned long number = strtoul(p + size, NULL, 10);
    if (p[size] == 'o')
      a->openmp = true;
    else if (number < n)
      kept[number]++;
  }
}

// Asks the preprocessors about the N lines of all #ifs. False: one failed.
static bool active_ask(struct active *a, unsigned n, const struct compile_options *o) {
  struct text in = active_marked(a), out;
  for (unsigned who = 0; who < 2; who++) {
    a->kept[who] = a->kept[0];
    if (who == 1 && !o->compiler)
      break;
    a->kept[who] = arena_alloc((n + 1) * sizeof **a->kept);
    if (!preprocess_text(&in, who == 1, o, &out))
      return false;
    active_read(a, &out, a->kept[who], n);
  }
  return true;
}

// ---- the text -----------------------------------------------------------------------

static void active_blank(char *copy, size_t start, size_t end) {
  for (size_t i = start; i < end; i++)
    if (copy[i] != '\n' && copy[i] != '\r')
      copy[i] = ' ';
}

// True if both preprocessors keep the same branch of C, and read C once: a file may
// include itself. AUTHOR: no branch that is left out may have directives of OpenMP, as a
// build with OpenMP may follow.
static bool active_agrees(const struct active *a, const struct conditional *c,
                          bool author) {
  if (a->kept[0][c->lines[c->n - 1].number] != 1)
    return false;
  for (unsigned i = 0; i + 1 < c->n; i++) {
    const struct conditional_line *l = &c->lines[i];
    unsigned kept = a->kept[0][l->number];
    if (kept != a->kept[1][l->number] ||
        (author && !kept && openmp_within(a->s, l->end, l[1].start)))
      return false;
  }
  return true;
}

static bool active_resolve(const struct active *a, bool author, char *copy) {
  bool any = false;
  for (unsigned i = 0; i < a->n; i++) {
    const struct conditional *c = &a->list[i];
    if (!active_agrees(a, c, author))
      continue;
    for (unsigned j = 0; j < c->n; j++)
      active_blank(copy, c->lines[j].start, c->lines[j].end);
    for (unsigned j = 0; j + 1 < c->n; j++)
      if (!a->kept[0][c->lines[j].number])
        active_blank(copy, c->lines[j].end, c->lines[j + 1].start);
    any = true;
  }
  return any;
}

// Makes directives of OpenMP in S blank, which the build does not read.
static bool active_drop_openmp(const struct source *s, char *copy) {
  struct lexer l = lexer_of((struct slice){ s->text, s->size }), rest;
  bool any = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!t.first || !slice_is(t.text, "#") || lex_directive(&l, &rest) != LINE_PRAGMA ||
        !slice_is(lex(&rest).text, "omp"))
      continue;
    active_blank(copy, (size_t)(t.text.data - s->text), (size_t)(l.p - s->text));
    any = true;
  }
  return any;
}

// True if an option of O is about OpenMP: -fopenmp, -fopenmp-simd, -qopenmp.
static bool active_has_openmp(const struct compile_options *o) {
  for (const char *const *a = o->args; a && *a; a++)
    if (strstr(*a, "openmp") || strcmp(*a, "-mp") == 0)
      return true;
  return false;
}

struct source *active_text(struct source *s, const struct compile_options *o,
                           bool automatic) {
  struct active a = { .s = s };
  if (!lex_mentions((struct slice){ s->text, s->size }, slice_of("for")))
    return s;
  struct conditionals all = conditionals_of(s);
  bool inert = automatic && !active_has_openmp(o) && openmp_within(s, 0, s->size);
  for (unsigned i = 0; i < all.n; i++)
    if (all.list[i].depth > 0 && !active_counts(s, &all.list[i]))
      *GROW(a.list, a.n) = all.list[i];
  if ((a.n == 0 && !inert) || !active_ask(&a, all.n_lines, o))
    return s;
  char *copy = arena_copy(s->text, s->size);
  bool changed = active_resolve(&a, !automatic, copy);
  if (inert && !a.openmp)
    changed |= active_drop_openmp(s, copy);
  return changed ? source_of(s->path, copy, s->size) : s;
}
