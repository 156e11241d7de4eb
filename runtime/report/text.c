// SPDX-License-Identifier: Apache-2.0
// text.c: the report for people: at most 100 columns, numbers aligned.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compile/static.h"
#include "report.h"

enum { COLUMNS = 100, LABEL = 13, MOST_EXAMPLES = 5, MOST_FASTEST = 10 };

// ---- numbers --------------------------------------------------------------------------

static const struct unit { double size; const char *name; } units[] = {
  { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "µs" }, { 1e-9, "ns" },
};

static const struct unit *unit_of(double seconds) {
  for (int i = 0; i < 3; i++)
    if (seconds >= units[i].size * 0.9995)
      return &units[i];
  return &units[3];
}

// Four digits that matter: "1.712", "84.12", "984.1", "0.0142".
static const char *digits(char *text, size_t size, double x) {
  int after = x >= 1000 ? 0 : x >= 100 ? 1 : x >= 10 ? 2 : x >= 1 ? 3 : x >= 0.1 ? 4 : 5;
  snprintf(text, size, "%.*f", after, x);
  return text;
}

const char *report_seconds(char *text, size_t size, double seconds) {
  char number[48];
  const struct unit *u = unit_of(seconds);
  snprintf(text, size, "%s %s", digits(number, sizeof number, seconds / u->size), u->name);
  return seconds > 0 ? text : "0 s";
}

static void print_rate(FILE *out, double work, double seconds) {
  char number[48];
  if (work > 0 && seconds > 0)
    fprintf(out, "%12s", digits(number, sizeof number, work / seconds * 1e-9));
  else
    fprintf(out, "%12s", "");
}

// ---- wrapped text ---------------------------------------------------------------------

// Columns that TEXT takes: continuation bytes of UTF-8 take none.
static size_t width(const char *text) {
  size_t n = 0;
  for (; *text; text++)
    n += (*text & 0xc0) != 0x80;
  return n;
}

struct wrapped { FILE *out; size_t column, indent; bool first; };

static struct wrapped begin_label(FILE *out, const char *label) {
  fprintf(out, "  %-*s", LABEL, label);
  return (struct wrapped){ out, LABEL + 2, LABEL + 2, true };
}

// A piece that is not broken, after GAP blanks or on a line of its own.
static void put_piece(struct wrapped *w, const char *piece, size_t gap) {
  size_t n = width(piece);
  if (!w->first && w->column + gap + n > COLUMNS) {
    fprintf(w->out, "\n%*s", (int)w->indent, "");
    w->column = w->indent;
  } else if (!w->first) {
    fprintf(w->out, "%*s", (int)gap, "");
    w->column += gap;
  }
  fputs(piece, w->out);
  w->column += n;
  w->first = false;
}

// Breaks TEXT at blanks.
static void put_text(struct wrapped *w, const char *text) {
  char *clean = report_clean(text), *rest = clean;
  for (char *word; (word = strsep(&rest, " "));)
    if (*word)
      put_piece(w, word, 1);
  report_clean_free(clean);
}

static void line(FILE *out, const char *label, const char *text) {
  struct wrapped w = begin_label(out, label);
  put_text(&w, text);
  fputc('\n', out);
}

// "MR=6\nNR=64\n" as "MR=6  NR=64", only what matters.
static void put_values(struct wrapped *w, const char *values) {
  const char *all = values;
  while (*values) {
    size_t n = strcspn(values, "\n");
    bool empty = n > 0 && values[n - 1] == '=';
    char *one = sys_printf("%.*s%s", (int)n, values, empty ? "\"\"" : "");
    char *clean = report_clean(one ? one : "?");
    if (*clean && report_matters(all, values, strcspn(values, "=")))
      put_piece(w, clean, 2);
    report_clean_free(clean);
    free(one);
    values += n + (values[n] == '\n');
  }
}

// ---- parts ----------------------------------------------------------------------------

static void print_head(const struct listed *item, FILE *out) {
  const struct problem *p = &item->problem;
  char *name = report_clean(p->kernel), *file = report_clean(p->file);
  fprintf(out, "\n%s  (%s)\n", name, file);
  report_clean_free(name);
  report_clean_free(file);
  char *key = problem_key_text(p);
  if (key && *key)
    line(out, "for", key);
  free(key);
  char *machine = p->threads == 0 // a device's
                      ? sys_printf("%s, %s", p->cpu, p->isa)
                      : sys_printf("%s, %u thread%s, %s", p->cpu, p->threads,
                                   p->threads == 1 ? "" : "s", p->isa);
  line(out, "on", machine ? machine : p->cpu);
  free(machine);
}

// Fewer than six runs have no 95 % interval of their median (stats.c).
static bool has_interval(struct estimate e) {
  return e.n >= 6;
}

static void print_time_row(FILE *out, const char *label, struct estimate e,
                           const struct summary *m) {
  char number[48], low[48], high[48], interval[160];
  const struct unit *u = unit_of(e.median);
  if (has_interval(e))
    snprintf(interval, sizeof interval, "%s … %s %s",
             digits(low, sizeof low, e.low / u->size),
             digits(high, sizeof high, e.high / u->size), u->name);
  else
    snprintf(interval, sizeof interval, "none: %u run%s", e.n, e.n == 1 ? "" : "s");
  // "%-*s" counts bytes: the ellipsis and µ are longer than wide.
  bool rates = m && (m->flops > 0 || m->bytes > 0);
  int pad = rates ? 24 + (int)(strlen(interval) - width(interval)) : 0;
  fprintf(out, "  %-*s%9s %-*s   %-*s", LABEL, label,
          digits(number, sizeof number, e.median / u->size),
          2 + (int)(strlen(u->name) - width(u->name)), u->name, pad, interval);
  if (rates)
    print_rate(out, m->flops, e.median);
  if (rates && m->bytes > 0)
    print_rate(out, m->bytes, e.median);
  fputc('\n', out);
}

static void print_times(const struct analysis *a, FILE *out) {
  const struct summary *m = a->item->finished ? &a->item->summary : NULL;
  if (!a->has_original && !a->has_best)
    return;
  fprintf(out, "\n  %-*s%12s   95 %% interval", LABEL, "", "median");
  if (m && (m->flops > 0 || m->bytes > 0))
    fprintf(out, "%23s", m->flops > 0 ? "GFLOP/s" : "");
  if (m && m->bytes > 0)
    fprintf(out, "%12s", "GB/s");
  fputc('\n', out);
  if (a->has_original)
    print_time_row(out, "default", a->original, m);
  if (a->has_best)
    print_time_row(out, m && m->winner ? "best" : "best variant", a->best, m);
  if (m && m->winner && a->has_original && a->best.median > 0) {
    double low = a->best.high > 0 ? a->original.low / a->best.high : 0;
    double high = a->best.low > 0 ? a->original.high / a->best.low : 0;
    fprintf(out, "  %-*s%9.2f x", LABEL, "speed-up", a->original.median / a->best.median);
    if (has_interval(a->original) && has_interval(a->best))
      fprintf(out, "    %.2f … %.2f x", low, high);
    fputc('\n', out);
  }
  fputc('\n', out);
}

// The most frequent way to fail, where all did.
static void print_failure(const struct analysis *a, FILE *out) {
  int most = FATE_OK + 1;
  for (int f = most; f < FATE_DROPPED; f++)
    if (a->fates[f] > a->fates[most])
      most = f;
  line(out, "winner", "the default stays: no variant was right");
  char *message = report_first_line(a->example[most] ? a->example[most]->message : "");
  char *text = sys_printf("%s: %s", fate_name((enum fate)most), message);
  if (*message && text)
    line(out, "", text);
  free(text);
  report_clean_free(message);
}

// What the winner's code looks like.
static void print_code(const struct analysis *a, FILE *out) {
  for (unsigned i = 0; i < a->item->n_records; i++) {
    const struct record *r = &a->item->records[i];
    struct features f;
    record_features(r, &f);
    char *text = r->variant == a->item->summary.winner ? features_describe(&f) : NULL;
    if (text)
      line(out, "code", text);
    free(text);
  }
}

static void print_winner(const struct analysis *a, FILE *out) {
  const struct listed *item = a->item;
  if (item->borrowed) {
    char *text = sys_printf("%s until it is tuned", item->summary.source);
    line(out, "winner", text ? text : item->summary.source);
    free(text);
    return;
  }
  if (!item->finished) {
    line(out, "winner", "none: the tuning did not come to its end");
    return;
  }
  const struct summary *m = &item->summary;
  if (!m->winner && a->tried > 0 && a->fates[FATE_OK] == 0) {
    print_failure(a, out);
  } else if (!m->winner) {
    line(out, "winner", "the default stays: no variant was faster beyond the noise");
  } else {
    struct wrapped w = begin_label(out, "winner");
    put_values(&w, m->values);
    fputc('\n', out);
    line(out, "", *m->compiler ? m->compiler : "compiler unknown");
  }
  line(out, "answers",
       m->verified ? "verified against those of the default"
                   : "unverified: there were no outputs to compare");
}

static void print_variants(const struct analysis *a, FILE *out) {
  const struct listed *item = a->item;
  struct wrapped w = begin_label(out, "variants");
  char text[128];
  snprintf(text, sizeof text, "%u tried", a->tried);
  put_piece(&w, text, 1);
  if (item->finished && item->summary.total_hint > a->tried) {
    snprintf(text, sizeof text, "of %u", item->summary.total_hint);
    put_piece(&w, text, 1);
  }
  for (int f = FATE_OK; f < FATES; f++) {
    if (a->fates[f] == 0)
      continue;
    snprintf(text, sizeof text, "· %u %s", a->fates[f],
             f == FATE_OK ? "right" : fate_name(f));
    put_piece(&w, text, 1);
  }
  if (item->finished && item->summary.same) {
    snprintf(text, sizeof text, "· %u had the same machine code as another",
             item->summary.same);
    put_piece(&w, text, 1);
  }
  if (a->n_running) {
    snprintf(text, sizeof text, "· %u being tried now", a->n_running);
    put_piece(&w, text, 1);
  }
  fputc('\n', out);
}

// A number and its unit stay on one line.
static void put_seconds(struct wrapped *w, const char *before, double seconds,
                        const char *after) {
  char number[64], piece[128];
  snprintf(piece, sizeof piece, "%s %s%s", before,
           report_seconds(number, sizeof number, seconds), after);
  put_piece(w, piece, 1);
}

static void print_tuning(const struct analysis *a, FILE *out) {
  if (!a->item->finished)
    return;
  const struct summary *m = &a->item->summary;
  char when[64];
  time_t t = (time_t)m->when;
  struct tm tm;
  strftime(when, sizeof when, "%Y-%m-%d %H:%M,", localtime_r(&t, &tm));
  struct wrapped w = begin_label(out, "tuned");
  put_piece(&w, when, 1);
  if (*m->source) { // what it took was not noted here
    put_piece(&w, "elsewhere; from", 1);
    put_text(&w, m->source);
    fprintf(out, ", %s\n", m->object ? "checked here" : "to be checked at its next call");
    return;
  }
  put_seconds(&w, "in", m->total_seconds, "");
  put_seconds(&w, "(compiling", m->compile_seconds, ",");
  put_seconds(&w, "verifying", m->verify_seconds, ",");
  put_seconds(&w, "timing", m->time_seconds, ")");
  fputc('\n', out);
  char *text = sys_printf("%s: %s", m->search, m->why);
  line(out, "search", text ? text : m->search);
  free(text);
}

// For each parameter the best time with each value, so that it is seen why this variant
// won.
static void print_why(const struct analysis *a, FILE *out) {
  bool any = false;
  for (unsigned i = 0; i < a->n_params; i++) {
    const struct influence *p = &a->params[i];
    if (p->n_values < 2)
      continue;
    if (!any)
      fprintf(out,
              "\n  why: the best time with each value of a parameter; * the winner's\n");
    any = true;
    char *name = report_clean(p->name);
    struct wrapped w = { out, 4, 8, false };
    w.column += (size_t)fprintf(out, "    %s  (%.2f x between best and worst value)",
                                name, p->ratio) -
                4;
    fprintf(out, "\n%*s", (int)w.indent, "");
    w.column = w.indent;
    w.first = true;
    for (unsigned v = 0; v < p->n_values; v++) {
      char number[48];
      const struct unit *u = unit_of(p->values[v].best);
      bool chosen = p->chosen && strcmp(p->chosen, p->values[v].value) == 0;
      char *value = report_clean(p->values[v].value);
      char *piece = sys_printf("%s: %s %s%s", *value ? value : "\"\"",
                               digits(number, sizeof number, p->values[v].best / u->size),
                               u->name, chosen ? " *" : "");
      put_piece(&w, piece ? piece : "?", 3);
      free(piece);
      report_clean_free(value);
    }
    fputc('\n', out);
    report_clean_free(name);
  }
}

static void print_quarantine(const struct analysis *a, bool verbose, FILE *out) {
  unsigned told = 0;
  for (unsigned i = 0; i < a->item->n_records; i++) {
    const struct record *r = &a->item->records[i];
    if (r->fate != FATE_PENDING || store_owner_lives(r))
      continue;
    if (told == 0)
      fprintf(out, "\n  quarantined: took the tuner down, and are not tried again\n");
    if (told++ == MOST_EXAMPLES && !verbose) {
      fprintf(out, "    …\n");
      return;
    }
    struct wrapped w = { out, 4, 8, true };
    fprintf(out, "    ");
    put_values(&w, r->values);
    fputc('\n', out);
  }
}

static void print_examples(const struct analysis *a, FILE *out) {
  for (int f = FATE_OK + 1; f < FATES; f++) {
    const struct record *r = a->example[f];
    if (!r || f == FATE_PENDING)
      continue;
    bool was = f == FATE_WRONG || f == FATE_DROPPED;
    fprintf(out, "\n  one that %s%s\n    ", was ? "was " : "", fate_name(f));
    struct wrapped w = { out, 4, 8, true };
    put_values(&w, r->values);
    char *message = report_first_line(r->message);
    fprintf(out, "\n        %s\n", *message ? message : "(it said nothing)");
    report_clean_free(message);
  }
}

static void print_fastest(const struct analysis *a, FILE *out) {
  for (unsigned i = 0; i < a->n_order && i < MOST_FASTEST; i++) {
    const struct estimate *e = &a->estimates[a->order[i]];
    const struct unit *u = unit_of(e->median);
    char number[48];
    if (i == 0)
      fprintf(out, "\n  fastest variants, before the final race\n");
    fprintf(out, "    %9s %-*s  ", digits(number, sizeof number, e->median / u->size),
            2 + (int)(strlen(u->name) - width(u->name)), u->name);
    struct wrapped w = { out, 18, 18, true };
    put_values(&w, a->item->records[a->order[i]].values);
    fputc('\n', out);
  }
}

// ---- all of it ------------------------------------------------------------------------

void report_text(const struct report_options *o, const char *folder,
                 const struct listing *l, const struct analysis *all, FILE *out) {
  fprintf(out, "autotune report of %s\n", folder);
  for (unsigned i = 0; i < l->n; i++) {
    const struct analysis *a = &all[i];
    print_head(a->item, out);
    print_times(a, out);
    print_winner(a, out);
    if (o->verbose && a->item->finished && a->item->summary.winner)
      print_code(a, out);
    print_variants(a, out);
    print_tuning(a, out);
    print_why(a, out);
    print_quarantine(a, o->verbose, out);
    if (o->verbose) {
      print_fastest(a, out);
      print_examples(a, out);
    }
  }
  if (l->damaged)
    fprintf(out, "\n%u damaged row%s ignored\n", l->damaged,
            l->damaged == 1 ? " was" : "s were");
}
