// SPDX-License-Identifier: Apache-2.0
// history.c: `autotune report --history`: all results, one in a line, the newest first.
// The store keeps those of older texts of a kernel, so this is what became of it from
// commit to commit.
#include <stdlib.h>
#include <string.h>

#include "model/value.h"
#include "report.h"
#include "tools/common/clean.h"
#include "tools/common/results.h"

enum { WHEN = 18, COMMIT = 14, NUMBER = 11, MOST_OF_A_NAME = 60, LEAST_WINNER = 24 };
enum { LEAST_NAME = 6 };
enum { AROUND_NAME = WHEN + COMMIT + 2 + 3 * NUMBER };

// Sorts the newest first; equal ones as they are in the listing.
static int history_compare(const void *x, const void *y) {
  const struct analysis *a = *(const struct analysis *const *)x,
                        *b = *(const struct analysis *const *)y;
  double earlier = a->item->summary.when, later = b->item->summary.when;
  return earlier < later ? 1 : earlier > later ? -1 : a < b ? -1 : 1;
}

// True if L has results of several machines or numbers of threads.
static bool history_has_machines(const struct listing *l) {
  for (unsigned i = 1; i < l->n; i++)
    if (strcmp(l->items[i].problem.cpu, l->items[0].problem.cpu) != 0 ||
        l->items[i].problem.threads != l->items[0].problem.threads)
      return true;
  return false;
}

// Returns "matmul, n = 512", and the machine if MACHINE, cleaned. Free with clean_free.
static char *history_name(const struct problem *p, bool machine) {
  char *name = results_name(p), *cpu = machine ? results_machine(p->cpu) : NULL;
  char *longer = cpu ? sys_printf("%s (%s, %u thread%s)", name, cpu, p->threads,
                                  p->threads == 1 ? "" : "s")
                     : NULL;
  char *clean = longer ? clean_text(longer) : name;
  if (longer)
    clean_free(name);
  free(longer);
  free(cpu);
  return clean;
}

static void history_put(const struct sheet *s, const char *text, size_t width,
                        bool right) {
  size_t n = sheet_width(text);
  if (right)
    fprintf(s->out, "%*s", (int)(n < width ? width - n : 0), "");
  sheet_cut(s, text, width, !right);
}

static void history_cost(const struct sheet *s, const struct analysis *a, bool known,
                         struct estimate e) {
  char text[64] = "-";
  if (known && e.median > 0)
    objective_show(a->item->problem.objective, text, sizeof text, e.median);
  history_put(s, text, NUMBER, true);
}

// True if there is room for winners beside the names, which are WIDTH columns wide.
static bool history_has_room(const struct sheet *s, size_t width) {
  return !s->look.drawn || sheet_columns(s) >= AROUND_NAME + width + LEAST_WINNER;
}

// Prints the winner, up to the end of a terminal's line; on a line of its own where there
// is no room.
static void history_print_winner(const struct sheet *s, const struct analysis *a,
                                 size_t width) {
  const char *values = a->item->summary.values;
  char *text = NULL;
  size_t size = 0, before = history_has_room(s, width) ? AROUND_NAME + width : 0;
  FILE *f = open_memstream(&text, &size);
  const char *gap = "";
  if (f && !a->item->summary.winner)
    fputs(a->item->finished ? "(default)" : "-", f);
  for (struct named_value v; f && a->item->summary.winner && value_next(&values, &v);) {
    char *one = clean_value(a->item->summary.values, &v);
    if (one)
      fprintf(f, "%s%s", gap, one);
    gap = one ? " " : gap;
    clean_free(one);
  }
  fputs(before ? "  " : "\n  ", s->out);
  if (f && fclose(f) == 0)
    sheet_cut(s, text, s->look.drawn ? sheet_columns(s) - before - 2 : size, false);
  fputc('\n', s->out);
  free(text);
}

static void history_print(const struct sheet *s, const char *name, size_t width,
                          const struct analysis *a) {
  const struct summary *m = &a->item->summary;
  char moment[CLEAN_MOMENT], gain[32] = "-";
  bool finished = a->item->finished;
  clean_moment(moment, m->when);
  history_put(s, finished ? moment : "-", WHEN, false);
  char *commit = clean_text(m->commit ? m->commit : "");
  history_put(s, *commit ? commit : "-", COMMIT, false);
  clean_free(commit);
  history_put(s, name, width, false);
  fputs("  ", s->out);
  history_cost(s, a, a->has_original, a->original);
  history_cost(s, a, a->has_best && (!finished || m->winner), a->best);
  if (finished && a->has_original && a->has_best && a->best.median > 0)
    snprintf(gain, sizeof gain, "%.2f x",
             m->winner ? a->original.median / a->best.median : 1);
  history_put(s, gain, NUMBER, true);
  history_print_winner(s, a, width);
}

void report_history(const struct sheet *s, const struct listing *l,
                    const struct analysis *all) {
  const struct analysis **order = sys_calloc(l->n + 1, sizeof *order);
  char **names = sys_calloc(l->n + 1, sizeof *names);
  bool machines = history_has_machines(l);
  size_t width = LEAST_NAME;
  for (unsigned i = 0; order && names && i < l->n; i++) {
    order[i] = &all[i];
    names[i] = history_name(&l->items[i].problem, machines);
    size_t n = sheet_width(names[i]);
    width = n > width ? n : width;
  }
  size_t room = !s->look.drawn                      ? MOST_OF_A_NAME
      : sheet_columns(s) > AROUND_NAME + LEAST_NAME ? sheet_columns(s) - AROUND_NAME
                                                    : LEAST_NAME;
  width = width < room ? width : room;
  if (order && names) {
    qsort(order, l->n, sizeof *order, history_compare);
    fprintf(s->out, "%-*s%-*s%-*s%*s%*s%*s%s\n", WHEN, "tuned", COMMIT, "commit",
            (int)width + 2, "kernel", NUMBER, "before", NUMBER, "after", NUMBER, "gain",
            history_has_room(s, width) ? "  winner" : "");
  }
  for (unsigned i = 0; order && names && i < l->n; i++)
    history_print(s, names[order[i] - all], width, order[i]);
  for (unsigned i = 0; names && i < l->n; i++)
    clean_free(names[i]);
  free(names);
  free(order);
}
