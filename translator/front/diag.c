// SPDX-License-Identifier: Apache-2.0
// diag.c: prints errors and warnings with their place, the source line and a hint.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "front.h"

#define MAX_SHOWN 64 // errors; the rest is only counted
#define MAX_LINE 160 // bytes of a source line that are shown

static struct {
  unsigned errors, warnings;
  bool tries;          // nothing is printed
  struct noted *noted; // since diag_try
  unsigned n_noted;
} count;

static unsigned kept_errors, kept_warnings; // from before diag_try

unsigned diag_errors(void) {
  return count.errors;
}

void diag_reset(void) {
  count.errors = count.warnings = 0;
}

void diag_try(void) {
  kept_errors = count.errors;
  kept_warnings = count.warnings;
  count.errors = count.warnings = 0;
  count.noted = NULL;
  count.n_noted = 0;
  count.tries = true;
}

const char *diag_tried(void) {
  count.errors = kept_errors;
  count.warnings = kept_warnings;
  count.tries = false;
  for (unsigned i = 0; i < count.n_noted; i++)
    if (!count.noted[i].left)
      return count.noted[i].text;
  return NULL;
}

const struct noted *diag_noted(unsigned *n) {
  *n = count.n_noted;
  return count.noted;
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

// Prints the line that holds OFFSET, and a caret below it. Bytes that would disturb a
// terminal are shown as '?'.
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
  if (count.tries)
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

// Notes an error of diag_try.
static void diag_note(const struct source *s, size_t offset, bool left,
                      const char *format, va_list args) {
  char text[512];
  struct noted noted = { .text = text, .left = left };
  if (!count.tries)
    return;
  vsnprintf(text, sizeof text, format, args);
  noted.text = arena_printf("%s", text);
  noted.line = source_where(s, offset < s->size ? offset : s->size, &noted.path, NULL);
  *GROW(count.noted, count.n_noted) = noted;
}

void diag_left(const struct source *s, size_t offset, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diag_note(s, offset, true, format, args);
  va_end(args);
}

void diag_error(const struct source *s, size_t offset, size_t size, const char *hint,
                const char *format, ...) {
  if (++count.errors > MAX_SHOWN && !count.tries) {
    if (count.errors == MAX_SHOWN + 1)
      fprintf(stderr, "%s: more errors are not shown\n", s->path);
    return;
  }
  va_list args;
  va_start(args, format);
  diag_note(s, offset, false, format, args);
  va_end(args);
  va_start(args, format);
  diag_report(s, offset, size, hint, "error", format, args);
  va_end(args);
}

void diag_untuned(const struct source *s, size_t offset, size_t size, const char *hint,
                  const char *format, ...) {
  va_list args;
  va_start(args, format);
  diag_note(s, offset, false, format, args);
  va_end(args);
  va_start(args, format);
  if (count.tries)
    count.errors++;
  else if (++count.warnings <= MAX_SHOWN)
    diag_report(s, offset, size, hint, "warning", format, args);
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

const char *nearest(struct slice word, const char *const *words) {
  return value_nearest(word.data, word.size, words);
}
