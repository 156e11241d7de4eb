// SPDX-License-Identifier: Apache-2.0
// naming.c: prepares text for the parser where a macro makes the name of a function. Of
// `static void NAME(scale, _3)(int n, double *x) {` the macro's arguments become blank,
// so that its name stands for the function's; of `KERNEL(scale)(int n, double *x) {` its
// parentheses, so that it stands for the type. The compiler still gets the text as
// written.
#include "front.h"
#include "front/lang/language.h"

// Moves L after the group that it is before. False: there is none.
static bool naming_skip(struct lexer *l) {
  struct lexer ahead = *l;
  if (!slice_is(lex(&ahead).text, "("))
    return false;
  const char *end = skip_brackets(l);
  return end > ahead.p;
}

// True if L is before `(…)(…) {`. *END: where the first group ends.
static bool naming_applies(struct lexer l, const char **end) {
  if (!naming_skip(&l))
    return false;
  *end = l.p;
  return naming_skip(&l) && slice_is(lex(&l).text, "{");
}

static bool naming_is_word(const struct source *s, struct token t) {
  return t.kind == TOKEN_WORD && !is_keyword(t.text) &&
      (!s->language->cplusplus ||
       (!word_of_cplusplus(t.text) && !slice_is(t.text, "operator")));
}

void naming_prepare(const struct source *s, char *copy) {
  struct lexer l = lexer_of((struct slice){ s->text, s->size }), rest;
  unsigned depth = 0;
  bool typed = false; // a type may stand before the name
  const char *end;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (t.first && slice_is(t.text, "#")) {
      lex_directive(&l, &rest);
      continue;
    }
    depth += slice_is(t.text, "{") ? 1 : slice_is(t.text, "}") && depth ? -1u : 0;
    if (depth == 0 && typed && naming_is_word(s, t) && naming_applies(l, &end))
      for (const char *p = l.p; p < end; p++)
        if (*p != '\n')
          copy[p - s->text] = ' ';
    typed = t.kind == TOKEN_WORD || slice_is(t.text, "*");
  }
}

bool naming_hides(const struct source *s, TSNode d, struct slice *name) {
  size_t from = ts_node_end_byte(node_field(d, "declarator")),
         to = ts_node_start_byte(node_field(d, "parameters")),
         start = ts_node_start_byte(node_field(d, "declarator"));
  struct lexer l = { s->text + from, s->text + to, false };
  *name = slice_trim((struct slice){ s->text + start, to - start });
  return lex(&l).kind != TOKEN_END;
}
