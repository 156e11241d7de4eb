// SPDX-License-Identifier: Apache-2.0
// edits.c: replaces parts of the source. Everything else stays at its line and column.
#include <string.h>

#include "front/emit/emit.h"

void edits_add(struct edits *e, size_t start, size_t end, struct text text) {
  unsigned i = e->n;
  struct edit edit = { start, end, text };
  *GROW(e->list, e->n) = edit;
  for (; i > 0 && e->list[i - 1].start > start; i--)
    e->list[i] = e->list[i - 1];
  e->list[i] = edit;
}

void edits_newlines(const struct source *s, size_t start, size_t end, struct text *out) {
  for (size_t i = start; i < end; i++)
    if (s->text[i] == '\n' || s->text[i] == '\r')
      text_add(out, s->text + i, 1);
}

void edits_blank(struct edits *e, const struct pragma *pragmas, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    struct text lines = { 0 };
    if (pragmas[i].openmp)
      continue;
    edits_newlines(e->s, pragmas[i].offset, pragmas[i].end, &lines);
    edits_add(e, pragmas[i].offset, pragmas[i].end, lines);
  }
}

void emit_resume(const struct source *s, size_t at, struct text *out) {
  const char *path;
  unsigned column, line = source_where(s, at, &path, &column);
  text_printf(out, "#line %u ", line);
  text_literal(out, path, strlen(path));
  text_printf(out, "\n%*s", (int)column - 1, "");
}

void edits_insert(struct edits *e, const struct template *t, const char *part,
                  const struct template_scope *scope, size_t at) {
  struct text text = { 0 };
  text_add(&text, "\n", 1);
  template_render(t, part, scope, &text);
  emit_resume(e->s, at, &text);
  edits_add(e, at, at, text);
}

void edits_apply(const struct edits *e, const struct text *heading, struct text *out) {
  const struct source *s = e->s;
  size_t at = s->size >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; // the mark
  text_add(out, s->text, at);
  if (heading->size) {
    text_add(out, heading->data, heading->size);
    emit_resume(s, 0, out);
  }
  for (unsigned i = 0; i < e->n; i++) {
    text_add(out, s->text + at, e->list[i].start - at);
    text_add(out, e->list[i].text.data, e->list[i].text.size);
    at = e->list[i].end;
  }
  text_add(out, s->text + at, s->size - at);
}
