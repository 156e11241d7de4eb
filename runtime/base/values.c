// SPDX-License-Identifier: Apache-2.0
// values.c: parses each kind of value that users write, and suggests words in place of
// unknown ones.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

#define NAME(name) #name,
const char *const search_names[] = { SEARCHES(NAME) NULL };
const char *const mode_names[] = { "first",      "locked",  "off",  "online",
                                   "background", "offline", "tune", NULL };

// ---- words --------------------------------------------------------------------------

int value_word(const char *text, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (strcmp(text, words[i]) == 0)
      return i;
  return -1;
}

const char *value_extern(const char *text) {
  static const char name[] = "extern:";
  size_t n = sizeof name - 1;
  return strncmp(text, name, n) == 0 && text[n] ? text + n : NULL;
}

// Returns the number of edits from the N bytes at A to B. Swapping two neighbours is one
// edit (optimal string alignment). Texts of more than 64 bytes are far from every word.
static size_t values_distance(const char *a, size_t n, const char *b) {
  enum { MOST = 64 };
  size_t rows[3][MOST + 1], m = strlen(b);
  if (n > MOST || m > MOST)
    return SIZE_MAX;
  size_t *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= m; j++)
    above[j] = j;
  for (size_t i = 1; i <= n; i++) {
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t d = above[j - 1] + (a[i - 1] != b[j - 1]);
      d = above[j] + 1 < d ? above[j] + 1 : d;
      d = row[j - 1] + 1 < d ? row[j - 1] + 1 : d;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d = before[j - 2] + 1 < d ? before[j - 2] + 1 : d;
      row[j] = d;
    }
    size_t *oldest = before;
    before = above, above = row, row = oldest;
  }
  return above[m];
}

const char *value_nearest(const char *word, size_t size, const char *const *words) {
  const char *best = NULL;
  size_t least = (size + 2) / 3;
  for (; *words; words++) {
    size_t d = values_distance(word, size, *words);
    if (d <= least && (!best || d < least) && d < size) {
      best = *words;
      least = d;
    }
  }
  return best;
}

// ---- numbers with units -------------------------------------------------------------

// Returns NUMBER with the unit of SIZE bytes at UNIT in seconds; 0: not a unit of time.
static double values_seconds(double number, const char *unit, size_t size) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {
    { "s", 1 },  { "ms", 1e-3 }, { "us", 1e-6 }, { "min", 60 },
    { "m", 60 }, { "h", 3600 },  { "d", 86400 }, { "w", 7 * 86400 },
  };
  for (size_t u = 0; u < sizeof units / sizeof *units; u++)
    if (size == strlen(units[u].name) && memcmp(unit, units[u].name, size) == 0)
      return number * units[u].seconds;
  return 0;
}

// Returns the seconds of a budget that the SIZE bytes at WORD name; 0: they name none.
static double values_patience(const char *word, size_t size) {
  static const struct {
    const char *name;
    double seconds;
  } words[] = { { "quick", 2 }, { "normal", BUDGET_NORMAL }, { "patient", 60 } };
  for (size_t w = 0; w < sizeof words / sizeof *words; w++)
    if (size == strlen(words[w].name) && memcmp(word, words[w].name, size) == 0)
      return words[w].seconds;
  return 0;
}

// Reads a number above 0 at *P. Its unit is the text from there to a blank or a comma.
// Moves *P past both. False: there is no such number.
static bool values_quantity(const char **p, double *number, const char **unit,
                            size_t *size) {
  char *end;
  *number = strtod(*p, &end);
  bool found = end != *p && *number > 0 && isfinite(*number);
  *unit = end;
  *size = strcspn(end, ", ");
  *p = end + *size;
  return found;
}

// Adds one part of a budget, at *P, and moves *P past it. False: it is not valid, or its
// kind was given already.
static bool values_add_budget(struct budget *b, const char **p) {
  const char *unit;
  size_t size = strcspn(*p, ", ");
  double number, seconds = values_patience(*p, size);
  if (seconds > 0) {
    bool first = b->seconds == 0;
    b->seconds = seconds;
    *p += size;
    return first;
  }
  if (!values_quantity(p, &number, &unit, &size))
    return false;
  seconds = values_seconds(number, unit, size);
  if (seconds > 0 && b->seconds == 0 && isfinite(seconds))
    b->seconds = seconds;
  else if (size == 0 && b->variants == 0 && number == floor(number) && number <= 1e9)
    b->variants = (unsigned)number;
  else if (size == 1 && *unit == '%' && b->fraction == 0 && number <= 100)
    b->fraction = number / 100;
  else
    return false;
  return true;
}

bool value_budget(const char *text, struct budget *out) {
  struct budget b = { 0 };
  for (const char *p = text;;) {
    p += strspn(p, " ");
    if (!values_add_budget(&b, &p))
      return false;
    p += strspn(p, " ");
    if (*p == '\0')
      break;
    if (*p++ != ',')
      return false;
  }
  *out = b;
  return true;
}

// Adds one part of U, at *P, and moves *P past it. False: as for values_add_budget.
static bool values_add_until(struct until *u, const char **p) {
  static const char word[] = "roof";
  const char *unit;
  size_t size, n = strncmp(*p, word, sizeof word - 1) == 0 ? sizeof word - 1 : 0,
               blanks = n ? strspn(*p + n, " ") : 0;
  double number, *to = n ? &u->roof : &u->gain;
  *p += n + blanks;
  if ((n && !blanks) || *to > 0 || !values_quantity(p, &number, &unit, &size) ||
      size != 1 || *unit != '%')
    return false;
  *to = number / 100;
  return *to > 0 && (n ? *to <= 1 : *to < 1);
}

bool value_until(const char *text, struct until *out) {
  struct until u = { 0 };
  for (const char *p = text;; p++) {
    p += strspn(p, " ");
    if (!values_add_until(&u, &p))
      return false;
    p += strspn(p, " ");
    if (*p == '\0')
      break;
    if (*p != ',')
      return false;
  }
  *out = u;
  return true;
}

// ---- kinds of options ---------------------------------------------------------------
// Each function parses TEXT and stores the value at OUT. False: TEXT is not valid;
// nothing is stored.

static bool values_text(const char *text, void *out) {
  *(const char **)out = text;
  return true;
}

static bool values_folder(const char *text, void *out) {
  return values_text(strcmp(text, "off") == 0 ? "" : text, out);
}

static bool values_switch(const char *text, void *out) {
  (void)text;
  return *(bool *)out = true;
}

static bool values_budget(const char *text, void *out) {
  return value_budget(text, out);
}

static bool values_until(const char *text, void *out) {
  return value_until(text, out);
}

static bool values_time(const char *text, void *out) {
  const char *unit;
  size_t size;
  double number;
  text += strspn(text, " ");
  bool read = values_quantity(&text, &number, &unit, &size);
  double seconds = read ? values_seconds(number, unit, size) : 0;
  if (!(seconds > 0) || !isfinite(seconds) || text[strspn(text, " ")])
    return false;
  *(double *)out = seconds;
  return true;
}

static bool values_time_or_off(const char *text, void *out) {
  bool off = strcmp(text, "off") == 0;
  if (off)
    *(double *)out = 0;
  return off || values_time(text, out);
}

static bool values_bytes(const char *text, void *out) {
  static const char units[] = "KMGT";
  char *end;
  double number = strtod(text, &end);
  const char *unit = *end ? strchr(units, *end) : NULL;
  for (const char *u = units; unit && u <= unit; u++)
    number *= 1024;
  if (end == text || (*end && (!unit || end[1])) || !(number >= 1 && number < 1e18))
    return false;
  *(uint64_t *)out = (uint64_t)number;
  return true;
}

static bool values_limit(const char *text, void *out) {
  bool none = strcmp(text, "0") == 0;
  if (none)
    *(uint64_t *)out = 0;
  return none || values_bytes(text, out);
}

static bool values_whole(const char *text, void *out) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 0);
  if (errno || end == text || *end || *text == '-')
    return false;
  *(uint64_t *)out = number;
  return true;
}

static bool values_count(const char *text, void *out) {
  uint64_t number;
  if (!values_whole(text, &number) || number == 0 || number > UINT_MAX)
    return false;
  *(unsigned *)out = (unsigned)number;
  return true;
}

#define EXPECTS(text) text // tests/docs/messages.js searches for this word

static const struct {
  bool (*read)(const char *text, void *out);
  const char *refusal;
} values_kinds[] = {
  [SETTING_TEXT] = { values_text, NULL },
  [SETTING_FOLDER] = { values_folder, NULL },
  [SETTING_SEARCH] = { values_text, NULL },
  [SETTING_SWITCH] = { values_switch, NULL },
  [SETTING_BUDGET] = { values_budget,
                       EXPECTS(
                           "not a budget such as '5s', '200' (variants), '5%' (of the "
                           "time in the kernel) or '5s,200', and none of the words "
                           "quick, normal and patient") },
  [SETTING_UNTIL] = { values_until,
                      EXPECTS(
                          "not a share such as '2%' (of the time), 'roof 80%' (of the "
                          "machine's limit) or '2%,roof 80%'") },
  [SETTING_TIME_OR_OFF] = { values_time_or_off,
                            EXPECTS("neither 'off' nor a time such as '8s'") },
  [SETTING_AGE] = { values_time, EXPECTS("not an age such as 90d, 12h or 30min") },
  [SETTING_BYTES] = { values_bytes,
                      EXPECTS("not a number of bytes such as '4G' or '512M'") },
  [SETTING_LIMIT] = { values_limit,
                      EXPECTS("neither '0' (no limit) nor a number of bytes such as '4G' "
                              "or '512M'") },
  [SETTING_WHOLE] = { values_whole, EXPECTS("not a whole number") },
  [SETTING_COUNT] = { values_count, EXPECTS("not a whole number from 1 on") },
};

// ---- options ------------------------------------------------------------------------

// Returns "first, locked, off"; malloc'ed.
static char *values_list(const char *const *words) {
  char *list = sys_strdup(words[0]);
  for (unsigned i = 1; list && words[i]; i++) {
    char *longer = sys_printf("%s, %s", list, words[i]);
    free(list);
    list = longer;
  }
  return list;
}

static bool values_refuse_word(const char *text, const char *const *words, char **why) {
  const char *near = value_nearest(text, strlen(text), words);
  char *list = near ? NULL : values_list(words);
  *why = near ? sys_printf(EXPECTS("unknown value; did you mean '%s'?"), near)
              : sys_printf(EXPECTS("unknown value; there are %s"), list ? list : "");
  free(list);
  return false;
}

bool setting_read(const struct setting *o, const char *text, void *base, char **why) {
  void *to = (char *)base + o->at;
  *why = NULL;
  if (o->kind == SETTING_WORD) {
    int i = value_word(text, o->words);
    if (i < 0)
      return values_refuse_word(text, o->words, why);
    *(int *)to = i;
  } else if (o->kind == SETTING_SEARCH && value_word(text, search_names) < 0 &&
             strncmp(text, "list:", 5) != 0 && !value_extern(text)) {
    return values_refuse_word(text, search_names, why);
  } else if (o->kind != SETTING_NONE && !values_kinds[o->kind].read(text, to)) {
    *why = sys_strdup(values_kinds[o->kind].refusal);
    return false;
  }
  if (o->given)
    *(bool *)((char *)base + o->given) = true;
  return true;
}
