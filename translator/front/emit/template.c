// SPDX-License-Identifier: Apache-2.0
// template.c: fills templates in (template.h). Templates are parsed again each time,
// because they have only a few hundred lines.
#include <math.h>
#include <string.h>

#include "front/emit/template.h"

struct rendering {
  const struct template *t;
  const struct template_scope *scope;
  struct text *out;
};

// A hole in a line, from `${` to `}`.
struct hole {
  const char *start, *end; // with the line's blanks and newline if it is alone
  char sign;               // one of # ? / > @, `e` for else, 0
  struct slice name, filter;
  bool alone;
};

// ---- values -------------------------------------------------------------------------

static void template_real(struct text *out, double d) {
  if (isnan(d))
    text_printf(out, "0.0");
  else if (isinf(d))
    text_printf(out, d < 0 ? "-__builtin_inf()" : "__builtin_inf()");
  else
    text_printf(out, "%.17e", d);
}

static const struct template_scope *template_find(const struct template_scope *s,
                                                  struct slice name,
                                                  const struct template_field **field) {
  for (; s; s = s->outer)
    for (*field = s->fields; (*field)->name; ++*field)
      if (slice_is(name, (*field)->name))
        return s;
  fatal("templates: there is no field '%.*s'", (int)name.size, name.data);
}

// Reads the value of F as text. False: the text is NULL, which a filter treats unlike "".
static bool template_value(const struct template_scope *s, const struct template_field *f,
                           struct text *out) {
  const char *at = (const char *)s->data + f->offset;
  struct slice text;
  switch (f->kind) {
  case FIELD_STRING:
    text.data = *(const char *const *)at;
    text.size = text.data ? strlen(text.data) : 0;
    text_add(out, text.data, text.size);
    return text.data != NULL;
  case FIELD_SLICE:
    memcpy(&text, at, sizeof text);
    text_add(out, text.data, text.size);
    break;
  case FIELD_UNSIGNED:
    text_printf(out, "%u", *(const unsigned *)at);
    break;
  case FIELD_INT:
    text_printf(out, "%d", *(const int *)at);
    break;
  case FIELD_LONG:
    text_printf(out,
                *(const long long *)at == INT64_MIN ? "-9223372036854775807LL - 1"
                                                    : "%lldLL",
                *(const long long *)at);
    break;
  case FIELD_REAL:
    template_real(out, *(const double *)at);
    break;
  case FIELD_BOOL:
    text_printf(out, "%d", *(const bool *)at);
    break;
  case FIELD_LIST:
    text_printf(out, "%u", *(const unsigned *)((const char *)s->data + f->count));
    break;
  case FIELD_WRITE:
    f->write(s, out);
    break;
  }
  return true;
}

static bool template_test(const struct rendering *r, struct slice name) {
  struct text value = { 0 };
  if (slice_is(name, "@"))
    return r->scope->index > 0;
  const struct template_field *f;
  const struct template_scope *s = template_find(r->scope, name, &f);
  template_value(s, f, &value);
  bool number = f->kind != FIELD_STRING && f->kind != FIELD_SLICE &&
      f->kind != FIELD_WRITE;
  return value.size &&
      !(number && slice_is((struct slice){ value.data, value.size }, "0"));
}

// ---- holes --------------------------------------------------------------------------

static bool template_blank(const char *p, const char *end) {
  while (p < end && *p == ' ')
    p++;
  return p == end;
}

// Finds the next hole in [P, END). False: there is none.
static bool template_hole(const char *p, const char *end, struct hole *h) {
  const char *start = memmem(p, (size_t)(end - p), "${", 2), *line = start;
  const char *close = start ? memchr(start, '}', (size_t)(end - start)) : NULL;
  if (!close)
    return false;
  struct slice inside = { start + 2, (size_t)(close - start) - 2 };
  const char *bar = memchr(inside.data, '|', inside.size);
  *h = (struct hole){ .start = start, .end = close + 1 };
  h->sign = slice_is(inside, "else") ? 'e'
      : strchr("#?/>", *inside.data) ? *inside.data
                                     : 0;
  inside.data += h->sign && h->sign != 'e';
  h->name = (struct slice){ inside.data, (size_t)((bar ? bar : close) - inside.data) };
  if (bar)
    h->filter = (struct slice){ bar + 1, (size_t)(close - bar) - 1 };
  while (line[-1] != '\n') // a part's first line follows one
    line--;
  const char *newline = memchr(close, '\n', (size_t)(end - close));
  h->alone = newline && template_blank(line, start) && template_blank(close + 1, newline);
  if (h->alone) {
    h->start = line;
    h->end = newline + 1;
  }
  return true;
}

// Returns the `/` of the block that begins before P, and sets *OTHER to its `else`, whose
// start is NULL if there is none.
static struct hole template_close(const char *p, const char *end, struct hole *other) {
  struct hole h;
  unsigned depth = 0;
  *other = (struct hole){ 0 };
  for (; template_hole(p, end, &h); p = h.end) {
    if (h.sign == '/' && depth == 0)
      return h;
    if (h.sign == 'e' && depth == 0)
      *other = h;
    depth += h.sign == '#' || h.sign == '?' ? 1u : h.sign == '/' ? -1u : 0;
  }
  fatal("templates: a block has no end");
}

// ---- parts --------------------------------------------------------------------------

// Reads the next part in the file at *P and moves *P to its end. False: there are no
// more.
static bool template_part(const char **p, struct slice *name, struct slice *text) {
  static const char begin[] = "\n=== ";
  const char *start = strstr(*p, begin);
  if (!start)
    return false;
  start += sizeof begin - 1;
  *name = (struct slice){ start, strcspn(start, ": \n") };
  start += strcspn(start, "\n") + 1;
  const char *end = strstr(start - 1, begin);
  *p = end = end ? end : start + strlen(start);
  while (end > start && end[-1] == '\n')
    end--;
  *text = (struct slice){ start, (size_t)(end - start) + (end > start) };
  return true;
}

static struct slice template_named(const struct template *t, struct slice name) {
  struct slice found, text;
  for (const char *const *file = t->files; *file; file++)
    for (const char *p = *file; template_part(&p, &found, &text);)
      if (slices_same(found, name))
        return text;
  fatal("templates: there is no part '%.*s'", (int)name.size, name.data);
}

// ---- rendering ----------------------------------------------------------------------

static void template_text(const struct rendering *r, const char *p, const char *end);

static void template_list(const struct rendering *r, struct slice name, const char *p,
                          const char *end) {
  const struct template_field *f;
  const struct template_scope *s = template_find(r->scope, name, &f);
  const char *data = s->data;
  unsigned n = *(const unsigned *)(data + f->count);
  for (unsigned i = 0; i < n; i++) {
    const char *list = *(const char *const *)(data + f->offset);
    struct template_scope element = { f->fields, list + i * f->size, i, r->scope };
    template_text(&(struct rendering){ r->t, &element, r->out }, p, end);
  }
}

static void template_fill(const struct rendering *r, const struct hole *h) {
  const struct template_field *f;
  struct text value = { 0 };
  if (slice_is(h->name, "@")) {
    text_printf(r->out, "%u", r->scope->index);
    return;
  }
  const struct template_scope *s = template_find(r->scope, h->name, &f);
  bool any = template_value(s, f, h->filter.size ? &value : r->out);
  struct slice text = { value.data, value.size };
  if (slice_is(h->filter, "string")) {
    if (any)
      text_literal(r->out, text.data, text.size);
    else
      text_printf(r->out, "0");
  } else if (h->filter.size) {
    const struct template_filter *filter = r->t->filters;
    while (filter->name && !slice_is(h->filter, filter->name))
      filter++;
    if (!filter->name)
      fatal("templates: there is no filter '%.*s'", (int)h->filter.size, h->filter.data);
    filter->write(r->scope, text, r->out);
  }
}

static void template_value_of(const struct rendering *r, const struct hole *h) {
  size_t before = r->out->size;
  template_fill(r, h);
  if (h->alone && r->out->size > before && r->out->data[r->out->size - 1] != '\n')
    text_add(r->out, "\n", 1);
}

// Renders the block that begins with *H, and sets *H to its end.
static void template_block(const struct rendering *r, struct hole *h, const char *end) {
  struct hole other, close = template_close(h->end, end, &other);
  if (h->sign == '#')
    template_list(r, h->name, h->end, close.start);
  else if (template_test(r, h->name))
    template_text(r, h->end, other.start ? other.start : close.start);
  else if (other.start)
    template_text(r, other.end, close.start);
  *h = close;
}

static void template_text(const struct rendering *r, const char *p, const char *end) {
  struct hole h;
  for (; template_hole(p, end, &h); p = h.end) {
    text_add(r->out, p, (size_t)(h.start - p));
    if (h.sign == '#' || h.sign == '?') {
      template_block(r, &h, end);
    } else if (h.sign == '>') {
      struct slice part = template_named(r->t, h.name);
      template_text(r, part.data, part.data + part.size - (part.size && !h.alone));
    } else {
      template_value_of(r, &h);
    }
  }
  text_add(r->out, p, (size_t)(end - p));
}

void template_render(const struct template *t, const char *part,
                     const struct template_scope *scope, struct text *out) {
  struct slice text = template_named(t, slice_of(part));
  template_text(&(struct rendering){ t, scope, out }, text.data, text.data + text.size);
}

void template_words(const struct template *t, void (*seen)(void *, struct slice),
                    void *data) {
  struct slice name, text;
  struct hole h;
  for (const char *const *file = t->files; *file; file++)
    for (const char *p = *file; template_part(&p, &name, &text);) {
      const char *end = text.data + text.size;
      char *plain = arena_copy(text.data, text.size);
      for (const char *at = text.data; template_hole(at, end, &h); at = h.end)
        memset(plain + (h.start - text.data), ' ', (size_t)(h.end - h.start));
      struct lexer l = lexer_of((struct slice){ plain, text.size });
      for (struct token token; (token = lex(&l)).kind != TOKEN_END;)
        if (token.kind == TOKEN_WORD)
          seen(data, token.text);
    }
}
