// SPDX-License-Identifier: Apache-2.0
// fit.c: puts the lines of kernels, which were found in the text that one build compiles
// (active.c), into the file as it is written. A pragma that would stand between an #if
// and its #endif, with its loop after these, stands before the #if; or it ends the #if,
// which begins again after it.
#include <string.h>

#include "suggest.h"

struct fit_open { // an #if that ends between a pragma and its loop
  const struct conditional *c;
  unsigned branch; // in which the pragma stands
};
struct fit {
  const struct source *file;
  struct fit_open *list; // from the outermost to the innermost
  unsigned n;
};

// Returns where the first token after AT begins that is of no directive.
static size_t fit_next(const struct source *s, size_t at) {
  struct lexer l = { s->text + at, s->text + s->size, true }, rest;
  struct token t;
  while ((t = lex(&l)).kind != TOKEN_END && t.first && slice_is(t.text, "#"))
    lex_directive(&l, &rest);
  return t.kind == TOKEN_END ? s->size : (size_t)(t.text.data - s->text);
}

// True if the lines from START to END are all of the kinds that ARE allows.
static bool fit_are(const struct source *s, size_t start, size_t end,
                    bool (*are)(enum line kind)) {
  struct lexer l = { s->text + start, s->text + end, true }, rest;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (!are(t.first && slice_is(t.text, "#") ? lex_directive(&l, &rest) : LINE_TEXT))
      return false;
  return true;
}

static bool fit_is_nothing(enum line kind) {
  return kind == LINE_PRAGMA || line_is_conditional(kind);
}

static bool fit_defines_nothing(enum line kind) {
  return kind == LINE_TEXT || kind == LINE_PRAGMA || line_is_conditional(kind);
}

// Finds the #ifs around AT that end before LOOP. False: another branch of one has code
// that would then stand between the two.
static bool fit_find(struct fit *f, const struct conditionals *all, size_t at,
                     size_t loop) {
  for (unsigned i = all->n; i-- > 0;) { // one that is around another comes after that
    const struct conditional *c = &all->list[i];
    unsigned branch = 0;
    if (c->lines[0].start >= at || c->lines[c->n - 1].start < at ||
        c->lines[c->n - 1].start >= loop)
      continue;
    while (c->lines[branch + 1].start < at)
      branch++;
    if (branch + 2 < c->n &&
        !fit_are(f->file, c->lines[branch + 1].start, c->lines[c->n - 1].start,
                 fit_is_nothing))
      return false;
    *GROW(f->list, f->n) = (struct fit_open){ c, branch };
  }
  return true;
}

static bool fit_is_blank(const char *text, size_t start, size_t end) {
  while (start < end && strchr(" \t\r\n", text[start]))
    start++;
  return start == end;
}

// Moves *AT before the #ifs that begin just before it.
static void fit_climb(struct fit *f, size_t *at) {
  while (f->n) {
    const struct fit_open *o = &f->list[f->n - 1];
    if (o->branch > 0 || !fit_is_blank(f->file->text, o->c->lines[0].end, *at))
      return;
    *at = f->file->lines[source_line(f->file, o->c->lines[0].start, NULL) - 1];
    f->n--;
  }
}

// Returns TEXT with the ends of the #ifs before it, and their beginnings after it.
static const char *fit_split(const struct fit *f, const char *text) {
  struct text out = { 0 };
  for (unsigned i = 0; i < f->n; i++)
    text_printf(&out, "#endif\n");
  text_printf(&out, "%s", text);
  for (unsigned i = 0; i < f->n; i++)
    for (unsigned j = 0; j <= f->list[i].branch; j++) {
      const struct conditional_line *l = &f->list[i].c->lines[j];
      text_printf(&out, "%.*s\n", (int)(l->end - l->start), f->file->text + l->start);
    }
  return out.data;
}

const char *fit_line(const struct source *file, const struct source *active,
                     struct insertion *line) {
  struct fit f = { .file = file };
  struct conditionals all = conditionals_of(file);
  size_t at = file->lines[source_line(file, line->offset, NULL) - 1];
  if (!fit_find(&f, &all, at, fit_next(active, at)))
    return "there is other code in another branch of the #if around its directive";
  fit_climb(&f, &at);
  if (f.n && !fit_are(file, f.list[0].c->lines[0].start, at, fit_defines_nothing))
    return "the #if around its directive defines something";
  line->offset = f.n ? at : at < line->offset ? at : line->offset;
  line->text = f.n ? fit_split(&f, line->text) : line->text;
  return NULL;
}

bool fit_is_divided(const struct source *file, size_t at) {
  unsigned line = source_line(file, at, NULL) - 1;
  const char *bare = file->bare;
  struct lexer rest;
  while (line > 0 && fit_is_blank(bare, file->lines[line - 1], file->lines[line]))
    line--;
  if (line == 0)
    return false;
  struct lexer l = { bare + file->lines[line - 1], bare + file->lines[line], true };
  return slice_is(lex(&l).text, "#") && line_is_conditional(lex_directive(&l, &rest));
}

bool fit_is_same(const struct source *file, const struct source *active, size_t start,
                 size_t end) {
  return memcmp(file->text + start, active->text + start, end - start) == 0;
}
