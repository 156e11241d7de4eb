// SPDX-License-Identifier: Apache-2.0
// markdown.c: the report for pull requests, as GitHub renders it: a table with a row for
// each kernel, key and machine, and folded details.
//
// Each text of a row is written in <code>, in which @names and #numbers are not links.
// Characters that mean something to Markdown or HTML are written as character references,
// which never count as structure.
#include <stdlib.h>
#include <string.h>

#include "model/key.h"
#include "model/value.h"
#include "report.h"
#include "tools/common/clean.h"
#include "base/units.h"

// ---- text ---------------------------------------------------------------------------

// Each of the following functions writes BEFORE as it is, and then its text.

static void put_literal(FILE *out, const char *before, const char *text) {
  char *clean = clean_text(text);
  fputs(before, out);
  for (const char *c = clean; *c; c++)
    if (strchr("&<>|*_`[]()\\~#@!:\"'$^{}", *c))
      fprintf(out, "&#%d;", *c);
    else
      fputc(*c, out);
  clean_free(clean);
}

static void put_code(FILE *out, const char *before, const char *text) {
  fputs(before, out);
  put_literal(out, "<code>", *text ? text : "\"\"");
  fputs("</code>", out);
}

// Writes those of "MR=6\nNR=64\n" that have an effect, each as code.
static void put_values(FILE *out, const char *before, const char *values) {
  const char *gap = "", *at = values;
  fputs(before, out);
  for (struct named_value s; value_next(&at, &s);) {
    char *one = clean_value(values, &s);
    if (!one)
      continue;
    put_code(out, gap, one);
    clean_free(one);
    gap = " ";
  }
}

static void markdown_put_cost(FILE *out, const char *before, const struct analysis *a,
                              double cost) {
  char text[64];
  fputs(before, out);
  fputs(objective_show(a->item->problem.objective, text, sizeof text, cost), out);
}

// ---- the table ----------------------------------------------------------------------

static bool markdown_has_winner(const struct analysis *a) {
  return a->item->finished && a->item->summary.winner;
}

static void put_outcome(FILE *out, const struct analysis *a) {
  if (markdown_has_winner(a) && a->has_original && a->best.median > 0)
    fprintf(out, "**%.2f x**", a->original.median / a->best.median);
  else if (a->item->provisional)
    put_literal(out, "", a->item->summary.source);
  else if (a->item->finished && a->item->summary.ended == ENDED_SLOWER)
    fputs("the default stays: what won is not clearly faster in the program", out);
  else
    fputs(a->item->finished ? "the default stays" : "unfinished", out);
}

static void markdown_put_row(FILE *out, const struct analysis *a) {
  const struct problem *p = &a->item->problem;
  char *key = key_describe(p->key, p->key_names);
  put_code(out, "| ", p->kernel);
  fputs(" | ", out);
  if (key && *key)
    put_code(out, "", key);
  free(key);
  fputs(" | ", out);
  if (a->has_original)
    markdown_put_cost(out, "", a, a->original.median);
  fputs(" | ", out);
  if (a->has_best)
    markdown_put_cost(out, "", a, a->best.median);
  fputs(" | ", out);
  put_outcome(out, a);
  fprintf(out, " | %u", a->tried);
  if (a->item->finished && a->item->summary.total_hint > a->tried)
    fprintf(out, " of %u", a->item->summary.total_hint);
  if (analysis_count_failed(a->statuses))
    fprintf(out, ", %u failed", analysis_count_failed(a->statuses));
  const char *answers = !a->item->finished ? ""
      : a->item->summary.inferred          ? "verified (inferred)"
      : a->item->summary.verified          ? "verified"
                                           : "**unverified**";
  fprintf(out, " | %s", answers);
  const char *deviation = a->item->finished ? a->item->summary.deviation : NULL;
  if (deviation && *deviation)
    put_literal(out, "; largest deviation ", deviation);
  const char *constants = a->item->finished ? a->item->summary.constants : NULL;
  if (constants && *constants)
    put_literal(out, "; constants: ", constants);
  const char *strict = a->item->finished ? a->item->summary.strict : NULL;
  if (strict && *strict)
    put_literal(out, "; compiled strictly: ", strict);
  if (a->item->stale)
    fprintf(out, "; **stale**: %s", stale_words[a->item->stale]);
  fputs(" |\n", out);
}

// ---- details ------------------------------------------------------------------------

static void put_interval(FILE *out, const struct analysis *a, const char *what,
                         struct estimate e) {
  markdown_put_cost(out, what, a, e.median);
  if (analysis_has_interval(e)) {
    markdown_put_cost(out, ", 95 % interval ", a, e.low);
    markdown_put_cost(out, " … ", a, e.high);
  }
  fprintf(out, " (%u run%s)\n", e.n, e.n == 1 ? "" : "s");
}

static void put_tuning(FILE *out, const struct analysis *a) {
  const struct summary *m = &a->item->summary;
  char when[CLEAN_MOMENT], took[64];
  if (m->winner) {
    put_values(out, "- winner: ", m->values);
    put_code(out, ", ", *m->compiler ? m->compiler : "compiler unknown");
    if (m->body && *m->body)
      put_code(out, "; its body came from outside: ", m->body);
    fputc('\n', out);
  }
  fprintf(out, "- tuned: %s", clean_moment(when, m->when));
  if (*m->source) {
    put_code(out, ", from ", m->source);
  } else {
    fprintf(out, ", in %s", units_seconds(took, sizeof took, m->total_seconds));
    put_code(out, "; ", m->search);
    put_literal(out, ": ", m->why);
  }
  fputc('\n', out);
}

static void put_answers(FILE *out, const struct summary *m) {
  if (!*m->covered)
    return;
  put_literal(out, "- answers: ", m->covered);
  fputc('\n', out);
}

static void put_influence(FILE *out, const struct analysis *a) {
  bool any = false;
  for (unsigned i = 0; i < a->n_params; i++) {
    const struct influence *p = &a->params[i];
    if (p->n_values < 2)
      continue;
    if (!any)
      fputs("\n| parameter | worst over best | the best time with each value |\n"
            "| --- | ---: | --- |\n",
            out);
    any = true;
    put_code(out, "| ", p->name);
    fprintf(out, " | %.2f x | ", p->ratio);
    for (unsigned v = 0; v < p->n_values; v++) {
      bool chosen = p->chosen && strcmp(p->chosen, p->values[v].value) == 0;
      put_code(out, v ? " · " : "", p->values[v].value);
      markdown_put_cost(out, chosen ? " **" : " ", a, p->values[v].best);
      fputs(chosen ? "**" : "", out);
    }
    fputs(" |\n", out);
  }
}

static void put_failures(FILE *out, const struct analysis *a) {
  bool any = false;
  for (int f = STATUS_OK + 1; f < STATUSES; f++) {
    const struct record *r = a->example[f];
    if (a->statuses[f] == 0)
      continue;
    if (!any)
      fputs("\n| failed | variants | one of them | what it said |\n"
            "| --- | ---: | --- | --- |\n",
            out);
    any = true;
    fprintf(out, "| %s | %u | ", status_words[f].name, a->statuses[f]);
    put_values(out, "", r ? r->values : "");
    fputs(" | ", out);
    bool said = r && f != STATUS_PENDING; // there it names the process of the trial
    char *message = clean_line(said ? r->message : "");
    if (*message)
      put_code(out, "", message);
    clean_free(message);
    fputs(" |\n", out);
  }
}

static void put_details(FILE *out, const struct analysis *a) {
  const struct problem *p = &a->item->problem;
  char *key = key_describe(p->key, p->key_names);
  put_code(out, "\n<details><summary>", p->kernel);
  if (key && *key)
    put_code(out, ", ", key);
  free(key);
  put_code(out, ": why, and what it cost</summary>\n\n- of ", p->file);
  put_code(out, " on ", p->cpu);
  if (p->threads)
    fprintf(out, ", %u thread%s", p->threads, p->threads == 1 ? "" : "s");
  fputc('\n', out);
  if (a->has_original)
    put_interval(out, a, "- default: ", a->original);
  if (a->has_best)
    put_interval(out, a,
                 markdown_has_winner(a) ? "- best: " : "- best variant: ", a->best);
  if (a->item->finished) {
    put_tuning(out, a);
    put_answers(out, &a->item->summary);
  }
  put_influence(out, a);
  put_failures(out, a);
  fputs("\n</details>\n", out);
}

void report_markdown(const struct listing *l, const struct analysis *all, FILE *out) {
  fputs("| kernel | for | default | best | speed-up | variants tried | answers |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | --- |\n",
        out);
  for (unsigned i = 0; i < l->n; i++)
    markdown_put_row(out, &all[i]);
  for (unsigned i = 0; i < l->n; i++)
    put_details(out, &all[i]);
  if (l->damaged)
    fprintf(out, "\n%u damaged row%s ignored\n", l->damaged,
            l->damaged == 1 ? " was" : "s were");
}
