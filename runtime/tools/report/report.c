// SPDX-License-Identifier: Apache-2.0
// report.c: reads the store, draws conclusions, and has them shown as text, Markdown or
// JSON.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/value.h"
#include "report.h"

// ---- harmless text ------------------------------------------------------------------

// The length of the well-formed UTF-8 character at S that a terminal only shows; 0:
// none. C1 controls (U+0080 … U+009F), overlong forms, surrogates and what is beyond
// U+10FFFF are refused.
static int shown_character(const unsigned char *s) {
  if (s[0] >= 0x20 && s[0] < 0x7f)
    return 1;
  int n = s[0] >= 0xc2 && s[0] < 0xe0 ? 2
      : s[0] >= 0xe0 && s[0] < 0xf0   ? 3
      : s[0] >= 0xf0 && s[0] < 0xf5   ? 4
                                      : 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  if ((s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xe0 && s[1] < 0xa0) ||
      (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
      (s[0] == 0xf4 && s[1] >= 0x90))
    return 0;
  return n;
}

static char unknown[] = "?";

char *report_clean(const char *s) {
  char *copy = sys_malloc(strlen(s) + 1), *to = copy;
  if (!copy)
    return unknown;
  while (*s) {
    int n = shown_character((const unsigned char *)s);
    if (n == 0) {
      *to++ = *s == '\t' ? ' ' : '?';
      s++;
    }
    for (; n > 0; n--)
      *to++ = *s++;
  }
  *to = '\0';
  return copy;
}

void report_clean_free(char *s) {
  if (s != unknown)
    free(s);
}

char *report_value(const char *values, const struct named_value *s) {
  char *text = value_matters(values, s) ? value_text(s, "\"\"") : NULL;
  char *clean = text ? report_clean(text) : NULL;
  free(text);
  return clean;
}

char *report_first_line(const char *message) {
  size_t n = strcspn(message, "\n");
  char *line = sys_malloc(n + 1);
  if (!line)
    return unknown;
  memcpy(line, message, n);
  line[n] = '\0';
  char *clean = report_clean(line);
  free(line);
  return clean;
}

// ---- what all of them say alike -----------------------------------------------------

const char *report_moment(char text[REPORT_MOMENT], double when) {
  static const double year_10000 = 253402300800;
  time_t t = when >= 0 && when < year_10000 ? (time_t)when : -1;
  struct tm tm;
  if (t < 0 || !localtime_r(&t, &tm) ||
      !strftime(text, REPORT_MOMENT, "%Y-%m-%d %H:%M", &tm))
    strcpy(text, "?");
  return text;
}

bool report_has_interval(struct estimate e) {
  return e.n >= 6;
}

unsigned report_count_failed(const unsigned statuses[STATUSES]) {
  unsigned n = 0;
  for (int f = STATUS_OK + 1; f < STATUSES; f++)
    n += f == STATUS_DROPPED ? 0 : statuses[f];
  return n;
}

// ---- nothing to report --------------------------------------------------------------

static void print_empty_json(FILE *out) {
  fputs("{\"format\": 1, \"kernels\": []}\n", out);
}

static void print_names(const struct listing *l, FILE *out) {
  for (unsigned i = 0; i < l->n; i++) {
    if (i && strcmp(l->items[i].problem.kernel, l->items[i - 1].problem.kernel) == 0)
      continue;
    char *name = report_clean(l->items[i].problem.kernel);
    fprintf(out, "%s%s", i ? ", " : "", name);
    report_clean_free(name);
  }
}

static const char begin[] =
    "programs built with `autotune cc` measure at their first calls";

// Says that nothing was measured and what there is instead. 1.
static int report_say_nothing(const struct report_options *o, const char *folder,
                              struct store *s, FILE *out) {
  struct listing all = { 0 };
  if (o->json) {
    print_empty_json(out);
    return 1;
  }
  if (o->kernel && store_list(s, NULL, &all) == 0 && all.n > 0) {
    fprintf(out, "%s: kernel '%s' was never measured; those that were: ", folder,
            o->kernel);
    print_names(&all, out);
    fprintf(out, "\n");
  } else {
    fprintf(out, "%s: nothing was ever measured; %s\n", folder, begin);
  }
  store_list_free(&all);
  return 1;
}

// ---- the report ---------------------------------------------------------------------

static int report_show(const struct report_options *o, const char *folder,
                       const struct listing *l, FILE *out) {
  struct analysis *all = sys_calloc(l->n, sizeof *all);
  int status = all ? 0 : -1;
  for (unsigned i = 0; i < l->n && status == 0; i++)
    status = analysis_make(&all[i], &l->items[i]);
  if (status == 0 && o->html)
    status = report_page(o, folder, l, all, out) == 0 ? 0 : 1;
  else if (status == 0 && o->json)
    status = report_json(o, folder, l, all, out);
  else if (status == 0 && o->markdown)
    report_markdown(l, all, out);
  else if (status == 0)
    report_text(o, folder, l, all, out);
  if (status < 0)
    fprintf(out, "autotune report: out of memory\n");
  for (unsigned i = 0; all && i < l->n; i++)
    analysis_free(&all[i]);
  free(all);
  return status == 0 ? 0 : 1;
}

int report_print(const struct report_options *o, FILE *out) {
  char *message = NULL;
  char *folder = o->folder ? sys_strdup(o->folder) : folder_default(&message);
  struct store *s = folder ? store_open_in(folder, false, &message) : NULL;
  if (!s) {
    if (o->json)
      print_empty_json(out);
    else
      fprintf(out, "nothing was ever measured: %s; %s\n", message ? message : "no memory",
              begin);
    free(message);
    free(folder);
    return 1;
  }
  struct listing l;
  int status = store_list(s, o->kernel, &l);
  if (status != 0)
    log_message(AUTOTUNE_WARN, "%s/results.db could not be read to its end", folder);
  status = l.n ? report_show(o, folder, &l, out) : report_say_nothing(o, folder, s, out);
  store_list_free(&l);
  store_close(s);
  free(folder);
  return status;
}
