// SPDX-License-Identifier: Apache-2.0
// winner.c: the part of the text that says which variant runs, and how its answers and
// its times were checked.
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report.h"
#include "tools/common/clean.h"

// True if a tuning ended without any right variant.
static bool winner_was_none_right(const struct analysis *a) {
  return a->tried > 0 && a->statuses[STATUS_OK] == 0;
}

char *report_stays(const struct analysis *a) {
  const struct summary *m = &a->item->summary;
  char own[96];
  if (winner_was_none_right(a))
    return sys_strdup("the default stays: no variant was right");
  if (m->ended == ENDED_UNCHECKED)
    return sys_strdup("the default stays: what it changes cannot all be compared, and "
                      "`autotune cc --auto` runs no variant unchecked");
  if (m->ended == ENDED_SLOWER)
    return sys_printf("the default stays: what won is not clearly faster in the program: "
                      "%s",
                      own_calls_text(&m->own, own, sizeof own));
  return sys_strdup("the default stays: no variant was faster beyond the noise");
}

// Prints the most frequent way to fail; for problems without a correct variant.
static void winner_print_failure(const struct sheet *s, const struct analysis *a) {
  int most = STATUS_OK + 1;
  for (int f = most; f < STATUS_DROPPED; f++)
    if (a->statuses[f] > a->statuses[most])
      most = f;
  char *message = clean_line(a->example[most] ? a->example[most]->message : "");
  char *text = sys_printf("%s: %s", status_words[most].name, message);
  if (*message && text)
    sheet_line(s, "", text);
  free(text);
  clean_free(message);
}

// Prints why the answers say little, if the tuned call's data were weak.
static void winner_print_weak(const struct sheet *s, const struct summary *m) {
  char *text = sys_printf("provisional: %s", m->weak);
  if (text)
    sheet_line(s, "", text);
  free(text);
}

// Prints what the call that was tuned spent on page faults.
static void winner_print_cold(const struct sheet *s, const struct summary *m) {
  char number[32];
  units_seconds(number, sizeof number, m->cold);
  char *text = sys_printf("about %s of the tuned call, which was the first to touch its "
                          "memory: no trial has them, so the program gains less",
                          number);
  if (text)
    sheet_line(s, "page faults", text);
  free(text);
}

// Returns the reason for REFUSED, without "default: "; NULL: each has its own.
static const char *winner_refusal(enum refusal refused) {
  const char *text = refusal_words[refused].text, *reason = strstr(text, ": ");
  return reason ? reason + 2 : NULL;
}

char *report_unfinished(const struct listed *item) {
  if (item->provisional)
    return sys_printf("%s%s", item->summary.source,
                      summary_borrowed_until(&item->summary));
  const char *reason = winner_refusal(item->refused);
  if (item->n_records == 0 && reason)
    return sys_printf("none: %s", reason);
  if (item->n_records == 0)
    return sys_printf("none: no variant was tried; `autotune why %s` says why",
                      item->problem.kernel);
  return sys_strdup("none: the tuning did not come to its end");
}

// Prints TEXT, which is freed, as what runs.
static void winner_print_line(const struct sheet *s, char *text) {
  sheet_line(s, "winner", text ? text : "?");
  free(text);
}

// Prints how the winner compares with the default in the program's own calls.
static void winner_print_own_calls(const struct sheet *s, const struct summary *m) {
  char own[96];
  own_calls_text(&m->own, own, sizeof own);
  bool more = own_calls_judge(&m->own) == OWN_CALLS_MORE;
  char *text = sys_printf("%s%s", own, more ? ", so far" : "");
  sheet_line(s, "own calls", text ? text : own);
  free(text);
}

// Prints which variant runs, or why the default does.
static void winner_print_values(const struct sheet *s, const struct analysis *a) {
  const struct summary *m = &a->item->summary;
  if (!m->winner) {
    winner_print_line(s, report_stays(a));
    if (winner_was_none_right(a))
      winner_print_failure(s, a);
  } else {
    struct wrapped w = wrapped_label(s, "winner");
    wrapped_values(&w, m->values);
    fputc('\n', s->out);
    sheet_line(s, "", *m->compiler ? m->compiler : "compiler unknown");
  }
}

// Prints whether the answers were compared, and how much they deviate.
static void winner_print_answers(const struct sheet *s, const struct summary *m) {
  struct wrapped w = wrapped_label(s, "answers");
  w.paint = m->verified ? PAINT_END : PAINT_DOUBT;
  wrapped_text(&w,
               m->inferred       ? "verified against those of the default (inferred)"
                   : m->verified ? "verified against those of the default"
                                 : "unverified: there were no outputs to compare");
  if (m->winner && m->made_up) {
    char text[64];
    snprintf(text, sizeof text, "and on %u made-up set%s", m->made_up,
             m->made_up == 1 ? "" : "s");
    wrapped_text(&w, text);
  }
  if (m->winner && m->deviation && *m->deviation) {
    char *deviation = clean_text(m->deviation);
    wrapped_text(&w, "· largest deviation");
    wrapped_text(&w, deviation);
    clean_free(deviation);
  }
  if (m->winner && m->constants && *m->constants) {
    char *constants = clean_text(m->constants);
    wrapped_text(&w, "· constants:");
    wrapped_text(&w, constants);
    clean_free(constants);
  }
  if (m->winner && m->strict && *m->strict) {
    char *strict = clean_text(m->strict);
    wrapped_text(&w, "· compiled strictly:");
    wrapped_text(&w, strict);
    clean_free(strict);
  }
  fputc('\n', s->out);
  if (*m->covered)
    sheet_line(s, "", m->covered);
}

void report_winner(const struct sheet *s, const struct analysis *a) {
  const struct listed *item = a->item;
  const struct summary *m = &item->summary;
  if (item->provisional || !item->finished) {
    winner_print_line(s, report_unfinished(item));
    return;
  }
  winner_print_values(s, a);
  winner_print_answers(s, m);
  if (m->winner && *m->weak)
    winner_print_weak(s, m);
  if (summary_is_cold(m))
    winner_print_cold(s, m);
  if (m->winner && m->own.pairs)
    winner_print_own_calls(s, m);
}
