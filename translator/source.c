// SPDX-License-Identifier: Apache-2.0
// source.c: a file's text, its lines, its tree.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "translator.h"

const TSLanguage *tree_sitter_c(void); // the grammar's one symbol; it has no header

static void find_lines(struct source *s)
{
  unsigned n = 1;
  for (size_t i = 0; i < s->size; i++)
    n += s->text[i] == '\n';
  s->lines = arena_alloc(n * sizeof *s->lines);
  s->n_lines = n;
  n = 1;
  for (size_t i = 0; i < s->size; i++)
    if (s->text[i] == '\n')
      s->lines[n++] = i + 1;
}

struct source *source_of(const char *path, const char *text, size_t size)
{
  struct source *s = arena_alloc(sizeof *s);
  *s = (struct source){ .path = path, .text = text, .size = size };
  find_lines(s);
  return s;
}

struct source *source_read(const char *path)
{
  FILE *f = fopen(path, "rb");
  if (!f)
    return NULL;
  struct text t = { 0 };
  char buffer[16384];
  size_t n;
  text_add(&t, "", 0);
  while ((n = fread(buffer, 1, sizeof buffer, f)) > 0 && t.size < UINT32_MAX / 2)
    text_add(&t, buffer, n);
  int error = ferror(f) ? errno : t.size >= UINT32_MAX / 2 ? EFBIG : 0;
  fclose(f);
  if (error) {
    errno = error;
    return NULL;
  }
  return source_of(path, t.data, t.size);
}

void source_parse(struct source *s)
{
  if (s->tree)
    return;
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, tree_sitter_c()))
    fatal("this libtree-sitter does not accept the C grammar");
  s->tree = ts_parser_parse_string(parser, NULL, s->text, (uint32_t)s->size);
  ts_parser_delete(parser);
  if (!s->tree)
    fatal("%s: Tree-sitter could not parse it", s->path);
}

void source_free(struct source *s)
{
  if (s->tree)
    ts_tree_delete(s->tree);
  s->tree = NULL;
}

unsigned source_line(const struct source *s, size_t offset, unsigned *column)
{
  unsigned low = 0, high = s->n_lines;
  while (high - low > 1) {
    unsigned middle = low + (high - low) / 2;
    if (s->lines[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  if (column)
    *column = (unsigned)(offset - s->lines[low]) + 1;
  return low + 1;
}

struct slice source_slice(const struct source *s, TSNode node)
{
  uint32_t start = ts_node_start_byte(node);
  return (struct slice){ s->text + start, ts_node_end_byte(node) - start };
}

static bool word_character(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

// Where the line that P stands in begins, continued lines joined; not before TEXT.
static const char *logical_line(const char *text, const char *p)
{
  while (p > text) {
    if (p[-1] == '\n') {
      const char *q = p - 1;
      if (q > text && q[-1] == '\r')
        q--;
      if (q == text || q[-1] != '\\')
        return p;
    }
    p--;
  }
  return p;
}

bool source_mentions_autotune(const char *text, size_t size)
{
  static const char word[] = "autotune";
  const size_t n = sizeof word - 1;
  const char *end = text + size, *seen = text; // no pragma's line goes on from before SEEN
  for (const char *p = text; (p = memmem(p, (size_t)(end - p), word, n)) != NULL; p += n) {
    if ((p > text && word_character(p[-1])) || (p + n < end && word_character(p[n])))
      continue;
    const char *line = logical_line(seen, p);
    if (memmem(line, (size_t)(p - line), "ragma", 5))
      return true;
    seen = p + n;
  }
  return false;
}
