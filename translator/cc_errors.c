// SPDX-License-Identifier: Apache-2.0
// cc_errors.c: what the compiler says of a translated file.
//
// An error in the declaration of a kernel is one again in each function that is generated from it,
// as "<autotune>:17:3: error: …"; the user needs the one in the user's line only.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc.h"

bool cc_errors_coloured(void)
{
  const char *terminal = getenv("TERM");
  return isatty(2) && terminal && strcmp(terminal, "dumb") != 0;
}

static const char *skip_colours(const char *p, const char *end)
{
  while (end - p > 1 && p[0] == '\033' && p[1] == '[') {
    for (p += 2; p < end && (*p == ';' || (*p >= '0' && *p <= '9'));)
      p++;
    p += p < end;                       // m or K
  }
  return p;
}

enum line_kind { OURS, THEIRS, CONTINUED };

static bool mentions(const char *line, const char *end, const char *const *words)
{
  for (; *words; words++)
    if (memmem(line, (size_t)(end - line), *words, strlen(*words)))
      return true;
  return false;
}

// Lines of source, carets and notes belong to the message before them.
static enum line_kind kind_of(const char *line, const char *end)
{
  static const char name[] = "<autotune>:";
  static const char *const begins[] = { "error: ", "warning: ", ": In function ", ": At top level:",
                                        "In file included from ", " generated.", NULL };
  const char *p = skip_colours(line, end);
  if (!mentions(p, end, begins))
    return CONTINUED;
  return (size_t)(end - p) >= sizeof name - 1 && memcmp(p, name, sizeof name - 1) == 0 ? OURS : THEIRS;
}

struct text cc_errors_filter(struct text printed)
{
  struct text kept = { 0 };
  bool keep = true, error = false;
  const char *p = printed.data, *end = p + printed.size;
  text_add(&kept, "", 0);
  while (p < end) {
    const char *newline = memchr(p, '\n', (size_t)(end - p)), *next = newline ? newline + 1 : end;
    enum line_kind kind = kind_of(p, next);
    keep = kind == CONTINUED ? keep : kind == THEIRS;
    if (keep)
      text_add(&kept, p, (size_t)(next - p));
    error |= keep && kind == THEIRS && memmem(p, (size_t)(next - p), "error: ", 7);
    p = next;
  }
  return error ? kept : printed;
}
