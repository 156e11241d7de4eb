// SPDX-License-Identifier: Apache-2.0
// diag.c: prints errors and warnings with their place, the source line and a hint, and
// keeps them.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/terminal.h"
#include "front.h"

#define MAX_SHOWN 64 // errors; the rest is only counted
#define MAX_LINE 160 // bytes of a source line that are shown

struct diagnostics {
  struct diagnostic *list;
  unsigned n;
};

static struct {
  unsigned errors, warnings;
  bool tries, silent; // nothing is printed
  bool hidden;        // the last diagnostic was one too many
  enum diag_colour colour;
  struct fix fix; // of the next diagnostic
  struct diagnostics noted, all;
} count;

static unsigned kept_errors, kept_warnings; // from before diag_try

unsigned diag_errors(void) {
  return count.errors;
}

void diag_reset(void) {
  count.errors = count.warnings = 0;
  count.fix = (struct fix){ 0 };
  count.noted = count.all = (struct diagnostics){ 0 };
}

void diag_try(void) {
  kept_errors = count.errors;
  kept_warnings = count.warnings;
  count.errors = count.warnings = 0;
  count.noted = (struct diagnostics){ 0 };
  count.tries = true;
}

const char *diag_tried(void) {
  count.errors = kept_errors;
  count.warnings = kept_warnings;
  count.tries = false;
  for (unsigned i = 0; i < count.noted.n; i++)
    if (!count.noted.list[i].left)
      return count.noted.list[i].text;
  return NULL;
}

const struct diagnostic *diag_noted(unsigned *n) {
  *n = count.noted.n;
  return count.noted.list;
}

const struct diagnostic *diag_all(unsigned *n) {
  *n = count.all.n;
  return count.all.list;
}

void diag_silence(void) {
  count.silent = true;
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

// ---- colours ------------------------------------------------------------------------

const char *const diag_colour_words[] = { "auto", "always", "never", NULL };

void diag_colour(enum diag_colour when) {
  count.colour = when;
}

bool diag_coloured(void) {
  return count.colour == COLOUR_AUTO ? terminal_coloured(stderr)
                                     : count.colour == COLOUR_ALWAYS;
}

enum paint { // the first three as enum diag_level
  PAINT_ERROR,
  PAINT_WARNING,
  PAINT_NOTE,
  PAINT_PLACE,
  PAINT_CARET,
  PAINT_OFF
};

// Returns what begins or ends P on this terminal.
static const char *diag_paint(enum paint p) {
  static const char *const codes[] = { "\033[1;31m", "\033[1;35m", "\033[1;36m",
                                       "\033[1m",    "\033[1;32m", "\033[0m" };
  return diag_coloured() ? codes[p] : "";
}

// ---- printing -----------------------------------------------------------------------

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
  fprintf(stderr, "%s^", diag_paint(PAINT_CARET));
  for (size_t i = offset + 1; i < offset + size && i < end; i++)
    if (!continues_character(s->text[i]))
      fputc('~', stderr);
  fprintf(stderr, "%s\n", diag_paint(PAINT_OFF));
}

static const char *const level_words[] = { "error", "warning", "note" };

// Prints D, of the bytes at OFFSET.
static void diag_print(const struct source *s, const struct diagnostic *d, size_t offset,
                       size_t size) {
  const char *off = diag_paint(PAINT_OFF);
  fprintf(stderr, "%s%s:%u:%u:%s ", diag_paint(PAINT_PLACE), d->place.path, d->place.line,
          d->place.column, off);
  fprintf(stderr, "%s%s:%s %s\n", diag_paint((enum paint)d->level), level_words[d->level],
          off, d->text);
  if (size || d->level != DIAG_NOTE)
    show_line(s, offset, size);
  if (d->hint)
    fprintf(stderr, "%shint:%s %s\n", diag_paint(PAINT_NOTE), off, d->hint);
}

// ---- fixes --------------------------------------------------------------------------

// Returns the place of SIZE bytes at OFFSET of S, as far as they are in one line.
static struct marked diag_place(const struct source *s, size_t offset, size_t size) {
  struct marked p;
  if (offset > s->size)
    offset = s->size;
  if (size > s->size - offset)
    size = s->size - offset;
  const char *newline = memchr(s->text + offset, '\n', size);
  if (newline)
    size = (size_t)(newline - s->text) - offset;
  p.line = source_where(s, offset, &p.path, &p.column);
  p.end = p.column + (unsigned)size;
  p.text = (struct slice){ s->text + offset, size };
  return p;
}

void diag_fix(const struct source *s, size_t offset, size_t size, const char *text) {
  struct marked p = diag_place(s, offset, size);
  if (p.text.size == size)
    count.fix = (struct fix){ p, text };
}

const char *diag_meant(const struct source *s, size_t offset, size_t size,
                       const char *near) {
  if (!near)
    return NULL;
  if (!strchr(near, '(')) // else arguments are to be written, too
    diag_fix(s, offset, size, near);
  return arena_printf("did you mean '%s'?", near);
}

// ---- diagnostics --------------------------------------------------------------------

static const char *diag_text(const char *format, va_list args) {
  char *text = NULL;
  int size = vasprintf(&text, format, args);
  const char *copy = size < 0 ? format : arena_copy(text, (size_t)size);
  free(text);
  return copy;
}

// Finds in the text that the user wrote what stands at *OFFSET of *S, in which statements
// are functions.
static void diag_find_written(const struct source **s, size_t *offset) {
  const struct source *w = (*s)->written;
  const char *path, *other;
  unsigned column, line = source_where(*s, *offset, &path, &column);
  for (unsigned i = 0; w && i < w->n_lines; i++)
    if (source_where(w, w->lines[i], &other, NULL) == line && strcmp(other, path) == 0) {
      *offset = w->lines[i] + column - 1;
      *s = w;
      return;
    }
}

// Keeps D unless it is HIDDEN, and prints it. Takes the fix.
static void diag_keep(const struct source *s, size_t offset, size_t size,
                      struct diagnostic d, bool hidden, const char *format,
                      va_list args) {
  struct diagnostics *to = count.tries ? &count.noted : &count.all;
  d.fix = count.fix;
  count.fix = (struct fix){ 0 };
  count.hidden = hidden;
  if (hidden)
    return;
  diag_find_written(&s, &offset);
  d.place = diag_place(s, offset, size);
  d.text = diag_text(format, args);
  *GROW(to->list, to->n) = d;
  if (!count.tries && !count.silent)
    diag_print(s, &d, offset < s->size ? offset : s->size, size);
}

void diag_left(const struct source *s, size_t offset, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diag_keep(s, offset, 0, (struct diagnostic){ .left = true }, !count.tries, format,
            args);
  va_end(args);
}

void diag_note(const struct source *s, size_t offset, size_t size, const char *format,
               ...) {
  struct diagnostic d = { .level = DIAG_NOTE };
  va_list args;
  va_start(args, format);
  diag_keep(s, offset, size, d, count.tries || (size && count.hidden), format, args);
  va_end(args);
}

void diag_error(const struct source *s, size_t offset, size_t size, const char *hint,
                const char *format, ...) {
  bool hidden = ++count.errors > MAX_SHOWN && !count.tries;
  va_list args;
  if (count.errors == MAX_SHOWN + 1 && hidden && !count.silent)
    fprintf(stderr, "%s: more errors are not shown\n", s->path);
  va_start(args, format);
  diag_keep(s, offset, size, (struct diagnostic){ .hint = hint }, hidden, format, args);
  va_end(args);
}

void diag_untuned(const struct source *s, size_t offset, size_t size, const char *hint,
                  const char *format, ...) {
  struct diagnostic d = { .level = DIAG_WARNING, .hint = hint };
  va_list args;
  if (count.tries)
    count.errors++;
  else
    count.warnings++;
  va_start(args, format);
  diag_keep(s, offset, size, d, !count.tries && count.warnings > MAX_SHOWN, format, args);
  va_end(args);
}

void diag_warning(const struct source *s, size_t offset, size_t size, const char *hint,
                  const char *format, ...) {
  struct diagnostic d = { .level = DIAG_WARNING, .hint = hint };
  va_list args;
  va_start(args, format);
  diag_keep(s, offset, size, d, ++count.warnings > MAX_SHOWN || count.tries, format,
            args);
  va_end(args);
}

const char *nearest(struct slice word, const char *const *words) {
  return value_nearest(word.data, word.size, words);
}
