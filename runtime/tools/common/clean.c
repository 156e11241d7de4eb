// SPDX-License-Identifier: Apache-2.0
// clean.c: makes texts of rows harmless to a terminal.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "clean.h"
#include "model/value.h"

// Returns the bytes of the UTF-8 character at S; 0: it is malformed, or does more than
// show a character. Refuses C1 controls (U+0080 … U+009F), overlong forms, surrogates and
// numbers above U+10FFFF.
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

char *clean_text(const char *s) {
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

void clean_free(char *s) {
  if (s != unknown)
    free(s);
}

char *clean_value(const char *values, const struct named_value *s) {
  char *text = value_matters(values, s) ? value_text(s, "\"\"") : NULL;
  char *clean = text ? clean_text(text) : NULL;
  free(text);
  return clean;
}

char *clean_line(const char *message) {
  size_t n = strcspn(message, "\n");
  char *line = sys_malloc(n + 1);
  if (!line)
    return unknown;
  memcpy(line, message, n);
  line[n] = '\0';
  char *clean = clean_text(line);
  free(line);
  return clean;
}

const char *clean_moment(char text[CLEAN_MOMENT], double when) {
  static const double year_10000 = 253402300800;
  time_t t = when >= 0 && when < year_10000 ? (time_t)when : -1;
  struct tm tm;
  if (t < 0 || !localtime_r(&t, &tm) ||
      !strftime(text, CLEAN_MOMENT, "%Y-%m-%d %H:%M", &tm))
    strcpy(text, "?");
  return text;
}
