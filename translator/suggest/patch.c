// SPDX-License-Identifier: Apache-2.0
// patch.c: writes a unified diff that only inserts lines, with three lines of context.
#include <string.h>

#include "suggest.h"

enum { CONTEXT = 3 };

// Returns line I of the text, from 0, with its newline.
static struct slice patch_line_at(const struct source *s, unsigned i) {
  size_t from = s->lines[i], to = i + 1 < s->n_lines ? s->lines[i + 1] : s->size;
  return (struct slice){ s->text + from, to - from };
}

// Returns the number of lines, without the empty one after the last newline.
static unsigned count_lines(const struct source *s) {
  return s->n_lines && s->lines[s->n_lines - 1] == s->size ? s->n_lines - 1 : s->n_lines;
}

static unsigned patch_line_of(const struct source *s, const struct insertion *i) {
  return source_line(s, i->offset, NULL) - 1;
}

static bool has_carriage_returns(const struct source *s) {
  const char *end = memchr(s->text, '\n', s->size);
  return end && end > s->text && end[-1] == '\r';
}

// Writes the lines of TEXT, each after MARK. Returns their number.
static unsigned put_lines(const struct source *s, const char *text, const char *mark,
                          struct text *out) {
  unsigned n = 0;
  for (; *text; n++) {
    size_t size = strcspn(text, "\n");
    text_printf(out, "%s%.*s%s\n", mark, (int)size, text,
                has_carriage_returns(s) ? "\r" : "");
    text += size + (text[size] == '\n');
  }
  return n;
}

static int patch_by_offset(const struct insertion *a, const struct insertion *b) {
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void patch_sort(struct insertion *list, unsigned n) {
  for (unsigned i = 1; i < n; i++)
    for (unsigned j = i; j > 0 && patch_by_offset(&list[j], &list[j - 1]) < 0; j--) {
      struct insertion swapped = list[j];
      list[j] = list[j - 1];
      list[j - 1] = swapped;
    }
}

const char *patch_indent(const struct source *s, size_t offset) {
  size_t from = offset;
  while (from > 0 && s->text[from - 1] != '\n')
    from--;
  return arena_copy(s->text + from, offset - from);
}

bool patch_begins_line(const struct source *s, size_t offset) {
  const char *indent = patch_indent(s, offset);
  return indent[strspn(indent, " \t")] == '\0';
}

void patch_apply(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out) {
  size_t from = 0;
  for (unsigned i = 0; i < n; i++) {
    size_t at = s->lines[patch_line_of(s, &list[i])];
    text_add(out, s->text + from, at - from);
    put_lines(s, list[i].text, "", out);
    from = at;
  }
  text_add(out, s->text + from, s->size - from);
}

// Returns TEXT with continued lines joined.
static char *patch_joined(const char *text) {
  struct text t = { 0 };
  for (const char *p = text; *p; p++)
    if (p[0] == '\\' && p[1] == '\n')
      p++;
    else
      text_add(&t, p, 1);
  return t.data ? t.data : arena_copy("", 0);
}

unsigned patch_lines(const char *text) {
  unsigned n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

// A `#line` before the directives counts them. In the first lines of a file there is no
// such number, so a second `#line` stands behind them.
void patch_number(const struct source *s, const struct insertion *list, unsigned n,
                  struct text *out) {
  size_t from = 0;
  for (unsigned i = 0, next; i < n; i = next) {
    size_t at = s->lines[patch_line_of(s, &list[i])];
    struct text all = { 0 };
    for (next = i;
         next < n && patch_line_of(s, &list[next]) == patch_line_of(s, &list[i]); next++)
      text_printf(&all, "%s", patch_joined(list[next].text));
    unsigned line = source_where(s, at, NULL, NULL), lines = patch_lines(all.data);
    bool room = line > lines;
    text_add(out, s->text + from, at - from);
    text_printf(out, "#line %u\n%s", room ? line - lines : 1, all.data);
    if (!room)
      text_printf(out, "#line %u\n", line);
    from = at;
  }
  text_add(out, s->text + from, s->size - from);
}

static void put_context(const struct source *s, unsigned from, unsigned to,
                        struct text *out) {
  for (unsigned i = from; i < to; i++) {
    struct slice line = patch_line_at(s, i);
    text_printf(out, " %.*s", (int)line.size, line.data);
    if (!line.size || line.data[line.size - 1] != '\n')
      text_printf(out, "\n\\ No newline at end of file\n");
  }
}

void patch_write(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out) {
  const char *path = strncmp(s->path, "./", 2) == 0 ? s->path + 2 : s->path;
  const char *slash = *path == '/' ? "" : "/";
  unsigned lines = count_lines(s), added = 0;
  if (n)
    text_printf(out, "--- a%s%s\n+++ b%s%s\n", slash, path, slash, path);
  for (unsigned i = 0, next; i < n; i = next) {
    unsigned first = patch_line_of(s, &list[i]), last = first, more = 0;
    for (next = i + 1; next < n && patch_line_of(s, &list[next]) <= last + 2 * CONTEXT;
         next++)
      last = patch_line_of(s, &list[next]);
    unsigned from = first > CONTEXT ? first - CONTEXT : 0;
    unsigned to = last + CONTEXT < lines ? last + CONTEXT : lines;
    struct text hunk = { 0 };
    for (unsigned j = i, at = from; j < next; j++) {
      put_context(s, at, patch_line_of(s, &list[j]), &hunk);
      more += put_lines(s, list[j].text, "+", &hunk);
      at = patch_line_of(s, &list[j]);
      if (j + 1 == next)
        put_context(s, at, to, &hunk);
    }
    text_printf(out, "@@ -%u,%u +%u,%u @@\n", from + 1, to - from, from + 1 + added,
                to - from + more);
    text_add(out, hunk.data, hunk.size);
    added += more;
  }
}
