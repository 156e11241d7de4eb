// SPDX-License-Identifier: Apache-2.0
// won.c: compares the suggestions for a file with the results of programs that were built
// with them (`autotune cc --auto`), and keeps the kernels that became faster.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "front/lang/language.h"
#include "outcomes.h"
#include "suggest.h"

// ---- the names of kernels -----------------------------------------------------------

static int won_by_place(const void *a, const void *b) {
  const struct suggested *p = a, *q = b;
  return p->at < q->at ? -1 : p->at > q->at;
}

// True if NAME, without namespaces, is that of K, or may be: a loop's name begins with
// the words of its function's.
static bool won_is_name(const struct suggested *k, const char *name) {
  struct lexer l = lexer_of(slice_of(k->function));
  struct text out = { 0 };
  text_add(&out, "", 0);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END && !slice_is(t.text, "<");)
    if (t.kind == TOKEN_WORD)
      text_printf(&out, "%s%.*s", out.size ? "_" : "", (int)t.text.size, t.text.data);
  return strncmp(name, out.data, out.size) == 0 &&
      name[out.size] == (k->whole ? '\0' : '_');
}

// Returns the names under which programs know the kernels of FOUND, which are sorted by
// their places; NULL for a name that cannot be told. Loops are suggested only where the
// file has no pragmas of its own (suggest_file), so then all its kernels are in FOUND.
static const char **won_names(const struct source *s, const struct compile_options *o,
                              const struct suggestions *found) {
  const char **names = arena_alloc((found->n_kernels + 1) * sizeof *names);
  struct text patched = { 0 };
  unsigned n;
  patch_apply(s, found->list, found->n, &patched);
  const struct kernel *list =
      translate_outlined(source_of(s->path, patched.data, patched.size), o, &n);
  for (unsigned i = 0; i < found->n_kernels; i++) {
    const struct suggested *k = &found->kernels[i];
    if (n == found->n_kernels && won_is_name(k, list[i].main.name))
      names[i] = arena_printf("%s%s",
                              s->language->scope ? s->language->scope(&list[i]) : "",
                              list[i].main.name);
    else
      names[i] = k->whole ? k->function : NULL;
  }
  return names;
}

// ---- what won -----------------------------------------------------------------------

static void won_say(const struct source *s, const struct suggested *k,
                    const struct outcome *outcome) {
  struct stat st;
  notes_say(s, k->at,
            arena_printf("%s %s: %s", k->what, outcome->won ? "won" : "is left out",
                         outcome->text));
  // the name of a loop depends on its text; the name of a function does not
  if (outcome->won && k->whole && stat(s->path, &st) == 0 &&
      (double)st.st_mtime > outcome->when)
    notes_say(
        s, k->at,
        arena_printf("the file was changed after %s had won: see whether the change "
                     "concerns it",
                     k->what));
}

// Puts the lines of K, found in ACTIVE, into FILE. Returns NULL, or the reason why that
// is impossible.
static const char *won_fit(const struct source *file, const struct source *active,
                           const struct compile_options *o, struct suggested *k) {
  const char *why = NULL;
  size_t first;
  if (!fit_is_same(file, active, k->at, k->end))
    why = FIT_DIVIDED;
  else if (openmp_above(file, k->at, &first) != openmp_above(active, k->at, &first))
    why = "this build does not read the directive of OpenMP before it";
  for (unsigned i = 0; i < k->n && !why; i++)
    why = fit_line(file, active, &k->list[i]);
  patch_sort(k->list, k->n);
  return why ? why : refused_why(file, k->list, k->n, o);
}

void won_keep(const struct source *file, const struct compile_options *o,
              const struct outcomes *outcomes, struct suggestions *found) {
  struct insertion *list = NULL;
  const struct source *s = found->source;
  unsigned n = 0, kept = 0;
  qsort(found->kernels, found->n_kernels, sizeof *found->kernels, won_by_place);
  const char **names = won_names(s, o, found);
  for (unsigned i = 0; i < found->n_kernels; i++) {
    struct suggested *k = &found->kernels[i];
    struct outcome outcome = names[i]
        ? outcomes_find(outcomes, names[i], s->path)
        : (struct outcome){ .text = "its name in the results cannot be told" };
    const char *why = outcome.won ? won_fit(file, s, o, k) : NULL;
    if (why)
      outcome = (struct outcome){ .text = why };
    won_say(s, k, &outcome);
    if (!outcome.won)
      continue;
    for (unsigned j = 0; j < k->n; j++)
      *GROW(list, n) = k->list[j];
    found->kernels[kept++] = *k;
  }
  patch_sort(list, n);
  found->source = file;
  found->list = list;
  found->n = n;
  found->n_kernels = kept;
}
