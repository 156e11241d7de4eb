// SPDX-License-Identifier: Apache-2.0
// overview.c: the first screen of the report: for each result its name, its two times and
// its gain, and a line that says why.
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "tools/common/clean.h"
#include "tools/common/results.h"

enum { TIME = 12, GAIN = 12, LEAST_NAME = 8, WHY = 4, MOST_REASONS = 3 };
static const double MATTERS = 1.05; // of a parameter: the worst value by the best

// ---- names --------------------------------------------------------------------------

// Returns the kernel and the key of L's result INDEX. If another result has the same, the
// file, the threads and the machine follow.
static char *overview_name(const struct listing *l, unsigned index) {
  const struct problem *p = &l->items[index].problem;
  char *name = results_name(p), *machine = results_machine(p->cpu), *longer = NULL;
  for (unsigned i = 0; i < l->n && !longer; i++)
    if (i != index && strcmp(l->items[i].problem.kernel, p->kernel) == 0 &&
        strcmp(l->items[i].problem.key, p->key) == 0)
      longer = sys_printf("%s (%s, %u thread%s, %s)", name, sys_file_name(p->file),
                          p->threads, p->threads == 1 ? "" : "s",
                          machine ? machine : "?");
  if (!longer)
    longer = sys_strdup(name);
  free(machine);
  clean_free(name);
  name = longer ? clean_text(longer) : NULL;
  free(longer);
  return name;
}

// ---- why ----------------------------------------------------------------------------

// Returns the winner's values that mattered most, "TILE=8 (4.14 x)", malloc'ed; all
// values if it is not known how much they matter.
static char *overview_values(const struct analysis *a) {
  char *text = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < a->n_params && n < MOST_REASONS; i++) {
    const struct influence *p = &a->params[i];
    if (p->n_values < 2 || !p->chosen || p->ratio < MATTERS)
      continue;
    const char *value = *p->chosen ? p->chosen : "\"\"";
    char *more = sys_printf("%s%s%s=%s (%.2f x)", text ? text : "", text ? "  " : "",
                            p->name, value, p->ratio);
    free(text);
    text = more;
    n++;
  }
  char *values = text ? NULL : sys_strdup(a->item->summary.values);
  for (char *c = values; c && *c; c++)
    if (*c == '\n')
      *c = c[1] ? ' ' : '\0';
  return text ? text : values;
}

static char *overview_why(const struct analysis *a) {
  const struct listed *item = a->item;
  if (item->stale)
    return sys_printf("stale: %s", stale_words[item->stale]);
  if (item->provisional || !item->finished)
    return report_unfinished(item);
  return item->summary.winner ? overview_values(a) : report_stays(a);
}

// ---- lines --------------------------------------------------------------------------

static void overview_put(const struct sheet *s, const char *text, int width) {
  fprintf(s->out, "%*s", width + (int)(strlen(text) - sheet_width(text)), text);
}

static void overview_print_numbers(const struct sheet *s, const struct analysis *a) {
  const struct listed *item = a->item;
  enum objective_kind kind = item->problem.objective;
  bool won = item->finished && item->summary.winner;
  bool best = a->has_best && (won || !item->finished);
  char text[64], gain[64];
  overview_put(
      s,
      a->has_original ? objective_show(kind, text, sizeof text, a->original.median) : "",
      TIME);
  overview_put(s,
               best ? objective_show(kind, text, sizeof text, a->best.median)
                   : item->finished ? "(default)"
                                    : "",
               TIME);
  snprintf(gain, sizeof gain, "%.2f x", a->original.median / a->best.median);
  if (won && a->has_original && a->best.median > 0) {
    fputs(sheet_paint(s, PAINT_GOOD), s->out);
    overview_put(s, gain, GAIN);
    fputs(sheet_paint(s, PAINT_END), s->out);
  }
  fputc('\n', s->out);
}

static void overview_print_reason(const struct sheet *s, const char *text) {
  char *clean = clean_text(text);
  if (*clean) {
    fprintf(s->out, "%*s", WHY, "");
    sheet_cut(s, clean, sheet_columns(s) - WHY, false);
    fputc('\n', s->out);
  }
  clean_free(clean);
}

static void overview_print_line(const struct sheet *s, const char *name, size_t width,
                                const struct analysis *a) {
  fputs(sheet_paint(s, PAINT_BOLD), s->out);
  sheet_cut(s, name, width, true);
  fputs(sheet_paint(s, PAINT_END), s->out);
  overview_print_numbers(s, a);
  const struct own_calls *own = &a->item->summary.own;
  char *why = overview_why(a), text[128];
  overview_print_reason(s, why ? why : "");
  // The default may be inlined there, and the compiler may know its arguments.
  if (!a->item->stale && a->item->finished && a->item->summary.winner && own->pairs)
    overview_print_reason(s, own_calls_text(own, text, sizeof text));
  free(why);
}

void report_overview(const struct sheet *s, const struct listing *l,
                     const struct analysis *all) {
  size_t width = LEAST_NAME, most = sheet_columns(s) - TIME - TIME - GAIN;
  char **names = sys_calloc(l->n + 1, sizeof *names);
  for (unsigned i = 0; names && i < l->n; i++) {
    names[i] = overview_name(l, i);
    size_t n = names[i] ? sheet_width(names[i]) : 0;
    width = n > width ? n : width;
  }
  width = width < most ? width : most;
  fprintf(s->out, "\n%*s%*s%*s%*s\n", (int)width, "", TIME, "before", TIME, "after", GAIN,
          "gain");
  for (unsigned i = 0; names && i < l->n; i++) {
    overview_print_line(s, names[i] ? names[i] : "?", width, &all[i]);
    clean_free(names[i]);
  }
  free(names);
}
