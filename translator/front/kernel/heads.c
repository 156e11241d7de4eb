// SPDX-License-Identifier: Apache-2.0
// heads.c: writes heads of kernels such as `f(a, n) double *a; { … }` as `f(double *a,
// int n) { … }`, on the same lines. Callers pass the same arguments, except for a float,
// which callers without a prototype pass as double.
#include <string.h>

#include "kernel.h"

struct head {               // of a definition in the old style
  const char *open, *close; // the brackets around the names
  const char *body;         // the '{'
  struct slice *names;
  unsigned n;
};

// Reads `(a, n)` at L. Returns false if something else stands in the brackets.
static bool heads_names(struct lexer *l, struct head *h) {
  bool name = true; // comes next
  for (struct token t; (t = lex(l)).kind != TOKEN_END; name = !name) {
    if (!name && slice_is(t.text, ")")) {
      h->close = t.text.data;
      return true;
    }
    if (name ? t.kind != TOKEN_WORD || is_type_word(t.text) : !slice_is(t.text, ","))
      return false;
    if (name)
      *GROW(h->names, h->n) = t.text;
  }
  return false;
}

// Finds the head of the definition at AT. Returns false if its style is not old.
static bool heads_find(const struct source *s, size_t at, struct head *h) {
  struct lexer l = { s->text + at, s->text + s->size, true };
  struct token t = lex(&l);
  bool declared = false;
  while (t.kind == TOKEN_WORD || slice_is(t.text, "*"))
    t = lex(&l);
  *h = (struct head){ .open = t.text.data };
  if (!slice_is(t.text, "(") || !heads_names(&l, h))
    return false;
  for (t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (slice_is(t.text, "{")) {
      h->body = t.text.data;
      return declared;
    }
    if ((t.first && slice_is(t.text, "#")) || slice_is(t.text, "}") ||
        slice_is(t.text, "=") || (!declared && t.kind != TOKEN_WORD))
      return false;
    declared = true;
  }
  return false;
}

// Returns the end of the specifiers of DECLARATION, which declares NAME first.
static const char *heads_specifiers(struct slice declaration, struct slice name) {
  struct lexer l = lexer_of(declaration);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.text.data >= name.data || slice_is(t.text, "*") || slice_is(t.text, "("))
      return t.text.data;
  return name.data;
}

// Returns the declaration of NAME among those of H; empty: it has none, so it is an int.
static struct slice heads_declaration(const struct head *h, struct slice name) {
  const char *from = h->close + 1;
  struct lexer l = { from, h->body, false };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!slice_is(t.text, ";"))
      continue;
    unsigned n;
    bool pointer;
    struct slice all = { from, (size_t)(t.text.data - from) };
    struct slice *parts = slice_split(all, &n);
    struct slice first = n ? signature_declared_name(parts[0], &pointer) : all;
    const char *end = heads_specifiers(all, first);
    for (unsigned i = 0; i < n; i++) {
      struct text whole = { 0 };
      struct slice part = parts[i];
      if (i == 0)
        part = slice_after(part, (struct slice){ part.data, (size_t)(end - part.data) });
      text_printf(&whole, "%.*s %.*s", (int)(end - parts[0].data), parts[0].data,
                  (int)part.size, part.data);
      struct slice found = { whole.data, whole.size };
      if (slices_same(signature_declared_name(found, &pointer), name))
        return found;
    }
    from = l.p;
  }
  return (struct slice){ 0 };
}

// Diagnoses D, the declaration of NAME, if it is a float. *FINE becomes false.
static void heads_check(const struct source *s, struct slice name, struct slice d,
                        bool *fine) {
  bool pointer;
  signature_declared_name(d, &pointer);
  if (pointer || !lex_mentions(d, slice_of("float")))
    return;
  diag_error(s, (size_t)(name.data - s->text), name.size,
             "write the types of the arguments within the parentheses",
             "callers without a prototype pass '%.*s' as a double, not as a float",
             (int)name.size, name.data);
  *fine = false;
}

// Appends H with types between its brackets, and as many newlines as it has.
static void heads_write(const struct source *s, const struct head *h, struct text *out,
                        bool *fine) {
  unsigned lines = 0, written = 0;
  text_printf(out, "(");
  for (unsigned i = 0; i < h->n; i++) {
    struct slice d = heads_declaration(h, h->names[i]);
    char *blank = lex_blank(d.data ? d.data : "", d.size);
    heads_check(s, h->names[i], d, fine);
    text_printf(out, "%s", i ? ", " : "");
    if (d.size)
      text_printf(out, "%.*s", (int)d.size, blank);
    else
      text_printf(out, "int %.*s", (int)h->names[i].size, h->names[i].data);
  }
  text_printf(out, ")");
  for (const char *p = h->open; p < h->body; p++)
    lines += *p == '\n';
  for (; written < lines; written++)
    text_printf(out, "\n");
}

bool heads_rewrite(struct source *s, const struct pragma *pragmas, unsigned n,
                   bool *changed) {
  struct text out = { 0 };
  bool fine = true;
  const char *from = s->text;
  for (unsigned i = 0; i < n; i++) {
    struct head h;
    if (pragmas[i].kind == PRAGMA_LOOP ||
        !heads_find(s, after_gap(s, pragmas[i].end, s->size), &h))
      continue;
    text_add(&out, from, (size_t)(h.open - from));
    heads_write(s, &h, &out, &fine);
    from = h.body;
  }
  *changed = fine && from != s->text;
  if (!*changed)
    return fine;
  text_add(&out, from, (size_t)(s->text + s->size - from));
  *s = *source_of(s->path, out.data, out.size);
  return true;
}
