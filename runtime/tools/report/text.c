// SPDX-License-Identifier: Apache-2.0
// text.c: the report for people, with aligned numbers. On a terminal it is as wide as the
// terminal, with colours, and with bars in place of lists of times; elsewhere it is text
// of at most 100 columns.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/key.h"
#include "compile/static.h"
#include "report.h"
#include "tools/common/clean.h"
#include "base/units.h"

enum {
  MOST_EXAMPLES = 5,
  MOST_FASTEST = 10,
  MOST_BARS = 16,
  LEAST_ROW = 52,
  FULL_ROW = 78
};

// ---- parts --------------------------------------------------------------------------

static void print_rate(const struct sheet *s, double work, double seconds) {
  char number[48];
  if (work > 0 && seconds > 0)
    fprintf(s->out, "%12s", units_digits(number, sizeof number, work / seconds * 1e-9));
  else
    fprintf(s->out, "%12s", "");
}

static void print_head(const struct sheet *s, const struct listed *item) {
  const struct problem *p = &item->problem;
  char *name = clean_text(p->kernel), *file = clean_text(p->file);
  unsigned line = item->finished ? item->summary.line : 0;
  fprintf(s->out, "\n%s%s%s  (%s", sheet_paint(s, PAINT_BOLD), name,
          sheet_paint(s, PAINT_END), file);
  if (line)
    fprintf(s->out, ":%u", line);
  fputs(")\n", s->out);
  clean_free(name);
  clean_free(file);
  char *key = key_describe(p->key, p->key_names);
  if (key && *key)
    sheet_line(s, "for", key);
  free(key);
  char *machine = p->threads == 0 // a device's
      ? sys_printf("%s, %s", p->cpu, p->isa)
      : sys_printf("%s, %u thread%s, %s", p->cpu, p->threads, p->threads == 1 ? "" : "s",
                   p->isa);
  sheet_line(s, "on", machine ? machine : p->cpu);
  free(machine);
  if (item->stale)
    sheet_line(s, "stale", stale_words[item->stale]);
}

// Prints what a program spends in a kernel that is tuned when hot.
static void print_usage(const struct sheet *s, const struct listed *item) {
  const struct usage *u = &item->usage;
  char call[64];
  char *text = u->share > 0 && item->refused == REFUSED_NOT
      ? sys_printf("%.0f %% of the program's time, %s a call, before it was tuned",
                   100 * u->share, units_seconds(call, sizeof call, u->seconds))
      : NULL;
  if (text)
    sheet_line(s, "hot", text);
  free(text);
}

// True if there is room for the interval next to the rates of M.
static bool text_is_wide(const struct sheet *s, const struct summary *m) {
  return !m || (m->flops <= 0 && m->bytes <= 0) || sheet_columns(s) >= FULL_ROW;
}

// True if M has bytes, and there is room for them next to the other columns.
static bool shows_bytes(const struct sheet *s, const struct summary *m) {
  return m && m->bytes > 0 && (m->flops <= 0 || sheet_columns(s) >= LEAST_ROW);
}

static void print_cost_row(const struct sheet *s, const char *label, struct estimate e,
                           const struct summary *m, enum objective_kind kind) {
  char number[48], low[48], high[48], interval[160];
  const struct measure_unit *u = objective_get(kind)->unit(e.median);
  bool timed = objective_get(kind)->is_seconds;
  if (analysis_has_interval(e))
    snprintf(interval, sizeof interval, "%s … %s %s",
             units_digits(low, sizeof low, e.low / u->size),
             units_digits(high, sizeof high, e.high / u->size), u->name);
  else
    snprintf(interval, sizeof interval, "none: %u run%s", e.n, e.n == 1 ? "" : "s");
  // "%-*s" counts bytes, and the ellipsis and µ have more bytes than columns.
  bool rates = m && (m->flops > 0 || m->bytes > 0);
  int pad = rates ? 24 + (int)(strlen(interval) - sheet_width(interval)) : 0;
  wrapped_label(s, label);
  fprintf(s->out, "%9s %-*s", units_digits(number, sizeof number, e.median / u->size),
          2 + (int)(strlen(u->name) - sheet_width(u->name)), u->name);
  if (text_is_wide(s, m))
    fprintf(s->out, "   %-*s", pad, interval);
  if (rates && (m->flops > 0 || text_is_wide(s, m)))
    print_rate(s, timed ? m->flops : 0, e.median);
  if (shows_bytes(s, m))
    print_rate(s, timed ? m->bytes : 0, e.median);
  fputc('\n', s->out);
}

static void print_times(const struct sheet *s, const struct analysis *a) {
  const struct summary *m = a->item->finished ? &a->item->summary : NULL;
  if (!a->has_original && !a->has_best)
    return;
  bool wide = text_is_wide(s, m);
  fprintf(s->out, "\n  %-*s%12s%s", LABEL, "", "median", wide ? "   95 % interval" : "");
  if (m && (m->flops > 0 || (m->bytes > 0 && wide)))
    fprintf(s->out, "%*s", wide ? 23 : 12, m->flops > 0 ? "GFLOP/s" : "");
  if (shows_bytes(s, m))
    fprintf(s->out, "%12s", "GB/s");
  fputc('\n', s->out);
  if (a->has_original)
    print_cost_row(s, "default", a->original, m, a->item->problem.objective);
  if (a->has_best)
    print_cost_row(s, m && m->winner ? "best" : "best variant", a->best, m,
                   a->item->problem.objective);
  if (m && m->winner && a->has_original && a->best.median > 0) {
    double low = a->best.high > 0 ? a->original.low / a->best.high : 0;
    double high = a->best.low > 0 ? a->original.high / a->best.low : 0;
    wrapped_label(s, "speed-up");
    fprintf(s->out, "%s%9.2f x%s", sheet_paint(s, PAINT_GOOD),
            a->original.median / a->best.median, sheet_paint(s, PAINT_END));
    if (analysis_has_interval(a->original) && analysis_has_interval(a->best) &&
        sheet_columns(s) >= LEAST_ROW)
      fprintf(s->out, "    %.2f … %.2f x", low, high);
    fputc('\n', s->out);
    if (m->as_written > 0) {
      wrapped_label(s, "");
      fprintf(s->out, "%9.2f x    over the same code with the same flags\n",
              m->as_written / a->best.median);
    }
  }
  fputc('\n', s->out);
}

// Prints the winner's body, if it came from outside.
static void print_body(const struct sheet *s, const struct summary *m) {
  if (!m->winner || !m->body || !*m->body)
    return;
  sheet_line(s, "body", "from outside, in place of the kernel's");
  for (const char *line = m->body, *end; *line; line = end + (*end == '\n')) {
    end = line + strcspn(line, "\n");
    char *copy = sys_printf("%.*s", (int)(end - line), line);
    char *clean = clean_text(copy ? copy : "");
    fprintf(s->out, "    %s\n", clean);
    clean_free(clean);
    free(copy);
  }
}

// Describes the code of the winner.
static void print_code(const struct sheet *s, const struct analysis *a) {
  for (unsigned i = 0; i < a->item->n_records; i++) {
    const struct record *r = &a->item->records[i];
    struct features f;
    record_features(r, &f);
    char *text = r->variant == a->item->summary.winner ? features_describe(&f) : NULL;
    if (text)
      sheet_line(s, "code", text);
    free(text);
  }
}

static void text_print_variants(const struct sheet *s, const struct analysis *a) {
  const struct listed *item = a->item;
  struct wrapped w = wrapped_label(s, "variants");
  char text[128];
  snprintf(text, sizeof text, "%u tried", a->tried);
  wrapped_piece(&w, text, 1);
  if (item->finished && item->summary.total_hint > a->tried) {
    snprintf(text, sizeof text, "of %u", item->summary.total_hint);
    wrapped_piece(&w, text, 1);
  }
  for (int f = STATUS_OK; f < STATUSES; f++) {
    if (a->statuses[f] == 0)
      continue;
    snprintf(text, sizeof text, "· %u %s", a->statuses[f], status_words[f].name);
    w.paint = f == STATUS_OK ? PAINT_GOOD : f == STATUS_DROPPED ? PAINT_END : PAINT_BAD;
    wrapped_piece(&w, text, 1);
  }
  w.paint = PAINT_END;
  if (item->finished && item->summary.same) {
    snprintf(text, sizeof text, "· %u had", item->summary.same);
    wrapped_piece(&w, text, 1);
    wrapped_text(&w, "the same machine code as another");
  }
  if (a->n_running) {
    snprintf(text, sizeof text, "· %u being tried now", a->n_running);
    wrapped_piece(&w, text, 1);
  }
  fputc('\n', s->out);
}

// Prints BEFORE, the time and AFTER without a line break between them.
static void text_put_seconds(struct wrapped *w, const char *before, double seconds,
                             const char *after) {
  char number[64], piece[128];
  snprintf(piece, sizeof piece, "%s %s%s", before,
           units_seconds(number, sizeof number, seconds), after);
  wrapped_piece(w, piece, 1);
}

static void print_tuning(const struct sheet *s, const struct analysis *a) {
  if (!a->item->finished)
    return;
  const struct summary *m = &a->item->summary;
  char when[CLEAN_MOMENT], dated[CLEAN_MOMENT + 1];
  snprintf(dated, sizeof dated, "%s,", clean_moment(when, m->when));
  struct wrapped w = wrapped_label(s, "tuned");
  wrapped_piece(&w, dated, 1);
  if (*m->source) { // its times are not known here
    wrapped_piece(&w, "elsewhere; from", 1);
    wrapped_text(&w, m->source);
    fprintf(s->out, ", %s\n",
            m->object ? "checked here" : "to be checked at its next call");
    return;
  }
  text_put_seconds(&w, "in", m->total_seconds, "");
  text_put_seconds(&w, "(compiling", m->compile_seconds, ",");
  text_put_seconds(&w, "verifying", m->verify_seconds, ",");
  text_put_seconds(&w, "timing", m->time_seconds, ")");
  fputc('\n', s->out);
  char *text = sys_printf("%s: %s", m->search, m->why);
  sheet_line(s, "search", text ? text : m->search);
  free(text);
}

static void print_title(const struct sheet *s, const char *title) {
  fputc('\n', s->out);
  struct wrapped w = wrapped_begin(s, 2, 4);
  wrapped_text(&w, title);
  fputc('\n', s->out);
}

static const char *shown_value(const char *clean) {
  return *clean ? clean : "\"\"";
}

static void text_print_list(const struct sheet *s, const struct influence *p,
                            enum objective_kind kind) {
  struct wrapped w = wrapped_begin(s, 8, 8);
  for (unsigned v = 0; v < p->n_values; v++) {
    char text[64];
    bool chosen = p->chosen && strcmp(p->chosen, p->values[v].value) == 0;
    char *value = clean_text(p->values[v].value);
    char *piece = sys_printf("%s: %s%s", shown_value(value),
                             objective_show(kind, text, sizeof text, p->values[v].best),
                             chosen ? " *" : "");
    wrapped_piece(&w, piece ? piece : "?", 3);
    free(piece);
    clean_free(value);
  }
  fputc('\n', s->out);
}

// Prints a bar for each value; a shorter bar is a lower cost.
static void print_bars(const struct sheet *s, const struct influence *p,
                       enum objective_kind kind) {
  enum { BEFORE = 6, TIME = 11, BEHIND = 5 };
  size_t columns = sheet_columns(s), widest = 0;
  double most = 0;
  for (unsigned v = 0; v < p->n_values; v++) {
    char *value = clean_text(p->values[v].value);
    size_t n = sheet_width(shown_value(value));
    widest = n > widest ? n : widest;
    most = p->values[v].best > most ? p->values[v].best : most;
    clean_free(value);
  }
  widest = widest < columns / 3 ? widest : columns / 3;
  for (unsigned v = 0; v < p->n_values; v++) {
    char text[64];
    bool chosen = p->chosen && strcmp(p->chosen, p->values[v].value) == 0;
    char *value = clean_text(p->values[v].value);
    const char *time = objective_show(kind, text, sizeof text, p->values[v].best);
    fprintf(s->out, "      %s", chosen ? sheet_paint(s, PAINT_GOOD) : "");
    sheet_cut(s, shown_value(value), widest, true);
    fprintf(s->out, "%*s  ", TIME + (int)(strlen(time) - sheet_width(time)), time);
    sheet_bar(s, most > 0 ? p->values[v].best / most : 0,
              columns - BEFORE - widest - TIME - BEHIND, false);
    fprintf(s->out, "%s%s\n", chosen ? " *" : "",
            chosen ? sheet_paint(s, PAINT_END) : "");
    clean_free(value);
  }
}

// Prints the best time with each value of each parameter, which shows why this variant
// won.
static void print_why(const struct sheet *s, const struct analysis *a) {
  bool any = false;
  for (unsigned i = 0; i < a->n_params; i++) {
    const struct influence *p = &a->params[i];
    if (p->n_values < 2)
      continue;
    if (!any)
      print_title(s, "why: the best time with each value of a parameter; * the winner's");
    any = true;
    char *name = clean_text(p->name);
    struct wrapped w = wrapped_begin(s, 4, 6);
    w.paint = PAINT_BOLD;
    char ratio[48];
    snprintf(ratio, sizeof ratio, "(%.2f x", p->ratio);
    wrapped_piece(&w, name, 1);
    w.paint = PAINT_END;
    wrapped_piece(&w, ratio, 2);
    wrapped_text(&w, "between best and worst value)");
    fputc('\n', s->out);
    if (s->look.drawn && p->n_values <= MOST_BARS)
      print_bars(s, p, a->item->problem.objective);
    else
      text_print_list(s, p, a->item->problem.objective);
    clean_free(name);
  }
}

static void print_quarantine(const struct sheet *s, const struct analysis *a,
                             bool verbose) {
  unsigned told = 0;
  for (unsigned i = 0; i < a->item->n_records; i++) {
    const struct record *r = &a->item->records[i];
    if (r->status != STATUS_PENDING || store_owner_lives(r))
      continue;
    if (told == 0)
      print_title(s, "quarantined: took the tuner down, and are not tried again");
    if (told++ == MOST_EXAMPLES && !verbose) {
      fprintf(s->out, "    …\n");
      return;
    }
    struct wrapped w = wrapped_begin(s, 4, 8);
    wrapped_values(&w, r->values);
    fputc('\n', s->out);
  }
}

static void print_examples(const struct sheet *s, const struct analysis *a) {
  for (int f = STATUS_OK + 1; f < STATUSES; f++) {
    const struct record *r = a->example[f];
    if (!r || f == STATUS_PENDING)
      continue;
    bool was = f == STATUS_WRONG || f == STATUS_DROPPED;
    fprintf(s->out, "\n  one that %s%s\n", was ? "was " : "", status_words[f].name);
    struct wrapped w = wrapped_begin(s, 4, 8);
    wrapped_values(&w, r->values);
    char *message = clean_line(r->message);
    fprintf(s->out, "\n        %s\n", *message ? message : "(it said nothing)");
    clean_free(message);
  }
}

// Prints how slow the machine was while R was timed, if that is known and matters, or
// that R was not run as a whole.
static void print_moment(const struct sheet *s, const struct record *r) {
  bool usual = fabs(r->slowdown - 1) < 0.05 || !(r->slowdown > 0);
  char text[32] = "";
  if (!usual)
    snprintf(text, sizeof text, "%.2f x", r->slowdown);
  if (r->part > 0)
    snprintf(text, sizeof text, "in part");
  fprintf(s->out, "%8s  ", text);
}

static void print_fastest(const struct sheet *s, const struct analysis *a) {
  for (unsigned i = 0; i < a->n_order && i < MOST_FASTEST; i++) {
    const struct estimate *e = &a->estimates[a->order[i]];
    const struct measure_unit *u =
        objective_get(a->item->problem.objective)->unit(e->median);
    char number[48];
    if (i == 0)
      print_title(s,
                  "fastest variants, as measured, and how many times as slow as "
                  "usual the machine was meanwhile, where that matters");
    fprintf(s->out, "    %9s %-*s",
            units_digits(number, sizeof number, e->median / u->size),
            2 + (int)(strlen(u->name) - sheet_width(u->name)), u->name);
    print_moment(s, &a->item->records[a->order[i]]);
    struct wrapped w = { .sheet = s, .column = 26, .indent = 26, .first = true };
    wrapped_values(&w, a->item->records[a->order[i]].values);
    fputc('\n', s->out);
  }
}

// ---- all of it ----------------------------------------------------------------------

static void print_all(const struct sheet *s, const struct report_options *o,
                      const char *folder, const struct listing *l,
                      const struct analysis *all) {
  fprintf(s->out, "autotune report of %s\n", folder);
  report_overview(s, l, all);
  for (unsigned i = 0; i < l->n; i++) {
    const struct analysis *a = &all[i];
    print_head(s, a->item);
    print_usage(s, a->item);
    print_times(s, a);
    report_winner(s, a);
    if (a->item->finished)
      print_body(s, &a->item->summary);
    if (o->verbose && a->item->finished && a->item->summary.winner)
      print_code(s, a);
    text_print_variants(s, a);
    print_tuning(s, a);
    print_why(s, a);
    print_quarantine(s, a, o->verbose);
    if (o->verbose) {
      print_fastest(s, a);
      print_examples(s, a);
    }
  }
  if (l->n_stale)
    fprintf(s->out, "\n%u stale result%s: `autotune db prune --stale` takes %s out\n",
            l->n_stale, l->n_stale == 1 ? "" : "s", l->n_stale == 1 ? "it" : "them");
  if (l->damaged)
    fprintf(s->out, "\n%u damaged row%s ignored\n", l->damaged,
            l->damaged == 1 ? " was" : "s were");
}

void report_text(const struct report_options *o, const char *folder,
                 const struct listing *l, const struct analysis *all, FILE *out) {
  struct sheet s = { out, o->look };
  char *text = NULL;
  size_t size = 0;
  FILE *buffer = o->look.drawn && !o->look.unicode ? open_memstream(&text, &size) : NULL;
  if (buffer)
    s.out = buffer;
  print_all(&s, o, folder, l, all);
  if (buffer && fclose(buffer) == 0)
    sheet_ascii(out, text);
  free(text);
}
