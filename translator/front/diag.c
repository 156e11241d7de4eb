// SPDX-License-Identifier: Apache-2.0
// diag.c: what is wrong, where, and what to do about it.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"

#define MAX_SHOWN 64 // errors; the rest is only counted
#define MAX_LINE 160 // bytes of a source line that are shown

static struct {
  unsigned errors, warnings;
  bool blocked;
} count;

unsigned diag_errors(void) {
  return count.errors;
}

void diag_reset(void) {
  count.errors = count.warnings = 0;
}

void diag_suppress(bool blocked_signals) {
  count.blocked = blocked_signals;
}

void fatal(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("autotune: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(1);
}

static bool continues_character(char c) // of UTF-8
{
  return ((unsigned char)c & 0xc0) == 0x80;
}

// The line that holds OFFSET, and below it the caret. Bytes that would upset a terminal
// show as '?'.
static void show_line(const struct source *s, size_t offset, size_t size) {
  size_t begin = offset, end = offset;
  while (begin > 0 && s->text[begin - 1] != '\n')
    begin--;
  while (end < s->size && s->text[end] != '\n')
    end++;
  if (end > begin && s->text[end - 1] == '\r')
    end--;
  if (offset > end)
    offset = end;
  if (offset - begin > MAX_LINE - 40)
    begin = offset - 40;
  while (begin < offset && continues_character(s->text[begin]))
    begin++;
  if (end - begin > MAX_LINE)
    end = begin + MAX_LINE;

  fputs("  ", stderr);
  for (size_t i = begin; i < end; i++) {
    unsigned char c = (unsigned char)s->text[i];
    fputc((c < ' ' && c != '\t') || c == 127 ? '?' : c, stderr);
  }
  fputs("\n  ", stderr);
  for (size_t i = begin; i < offset; i++)
    if (!continues_character(s->text[i]))
      fputc(s->text[i] == '\t' ? '\t' : ' ', stderr);
  fputc('^', stderr);
  for (size_t i = offset + 1; i < offset + size && i < end; i++)
    if (!continues_character(s->text[i]))
      fputc('~', stderr);
  fputc('\n', stderr);
}

static void diag_report(const struct source *s, size_t offset, size_t size,
                        const char *hint, const char *kind, const char *format,
                        va_list args) {
  unsigned column;
  const char *path;
  if (count.blocked)
    return;
  if (offset > s->size)
    offset = s->size;
  unsigned line = source_where(s, offset, &path, &column);
  fprintf(stderr, "%s:%u:%u: %s: ", path, line, column, kind);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  show_line(s, offset, size);
  if (hint)
    fprintf(stderr, "hint: %s\n", hint);
}

void diag_error(const struct source *s, size_t offset, size_t size, const char *hint,
                const char *format, ...) {
  if (++count.errors > MAX_SHOWN && !count.blocked) {
    if (count.errors == MAX_SHOWN + 1)
      fprintf(stderr, "%s: more errors are not shown\n", s->path);
    return;
  }
  va_list args;
  va_start(args, format);
  diag_report(s, offset, size, hint, "error", format, args);
  va_end(args);
}

void diag_warning(const struct source *s, size_t offset, size_t size, const char *hint,
                  const char *format, ...) {
  if (++count.warnings > MAX_SHOWN)
    return;
  va_list args;
  va_start(args, format);
  diag_report(s, offset, size, hint, "warning", format, args);
  va_end(args);
}

// Edits from A to B, where swapping neighbours is one edit (optimal string alignment).
static size_t diag_distance(struct slice a, const char *b, size_t nb) {
  enum { MAX = 64 };
  size_t rows[3][MAX + 1];
  if (a.size > MAX || nb > MAX)
    return MAX;
  size_t *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= nb; j++)
    above[j] = j;
  for (size_t i = 1; i <= a.size; i++) {
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      size_t d = above[j - 1] + (a.data[i - 1] != b[j - 1]);
      d = above[j] + 1 < d ? above[j] + 1 : d;
      d = row[j - 1] + 1 < d ? row[j - 1] + 1 : d;
      if (i > 1 && j > 1 && a.data[i - 1] == b[j - 2] && a.data[i - 2] == b[j - 1])
        d = before[j - 2] + 1 < d ? before[j - 2] + 1 : d;
      row[j] = d;
    }
    size_t *free_row = before;
    before = above, above = row, row = free_row;
  }
  return above[nb];
}

const char *nearest(struct slice word, const char *const *words) {
  const char *best = NULL;
  size_t best_distance = (word.size + 2) / 3;
  for (; *words; words++) {
    size_t d = diag_distance(word, *words, strlen(*words));
    if (d <= best_distance && (!best || d < best_distance) && d < word.size) {
      best = *words;
      best_distance = d;
    }
  }
  return best;
}
