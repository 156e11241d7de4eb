// SPDX-License-Identifier: Apache-2.0
// plainer.c: forms of C++ that the grammar of C does not read, but that C can say:
// std::sqrt(x), std::size_t, static_cast<int>(x), double(i), auto i = 0.
#include <string.h>

#include "analysis.h"
#include "front/kernel/kernel.h"

// True if WORD names the same in the namespace std and in C.
static bool plainer_is_shared(struct slice word) {
  return model_is_pure(word) || (is_integer_word(word) && !word_of_c(word));
}

// Reads what follows static_cast into OUT.
static bool plainer_cast(struct lexer *l, struct text *out) {
  struct lexer ahead = *l;
  struct token t = lex(&ahead);
  bool any = false;
  if (!slice_is(t.text, "<"))
    return false;
  text_printf(out, "(");
  for (; !slice_is((t = lex(&ahead)).text, ">"); any = true) {
    if (t.kind != TOKEN_WORD)
      return false;
    text_printf(out, " %.*s", (int)t.text.size, t.text.data);
  }
  text_printf(out, ")");
  *l = ahead;
  return any;
}

// True if a value in parentheses comes next, and no declarator or list of types.
static bool plainer_is_value(struct lexer l) {
  bool open = slice_is(lex(&l).text, "(");
  struct token t = lex(&l);
  return open && !slice_is(t.text, "*") && !slice_is(t.text, "&") &&
      !slice_is(t.text, ")") && !is_type_word(t.text);
}

// True if `i = 0` comes next, with any number that is an int.
static bool plainer_is_int(struct lexer l) {
  long long number;
  bool named = lex(&l).kind == TOKEN_WORD && slice_is(lex(&l).text, "=");
  struct slice value = lex(&l).text, end = lex(&l).text;
  return named && value.size < 10 && read_integer(value, &number) &&
      !memchr("uUlL", value.data[value.size - 1], 4) &&
      (slice_is(end, ";") || slice_is(end, ","));
}

bool plainer_take(struct lexer *l, struct slice before, struct slice word,
                  struct text *out) {
  struct lexer ahead = *l;
  struct slice name = word_after_std(&ahead, word);
  if (!slices_same(name, word)) {
    if (!plainer_is_shared(name))
      return false;
    text_printf(out, "%.*s", (int)name.size, name.data);
    *l = ahead;
    return true;
  }
  if (slice_is(word, "static_cast"))
    return plainer_cast(l, out);
  if (slice_is(word, "auto") && plainer_is_int(*l)) {
    text_printf(out, "int");
    return true;
  }
  bool number = (is_integer_word(word) || is_real_word(word)) && !slice_is(word, "enum");
  bool operand = before.size && lex_bracket(before) >= 0 && !is_type_word(before) &&
      (slice_is(before, "return") || strchr("=+-*/%(,[?:&|!", *before.data));
  if (!number || !operand || !plainer_is_value(*l))
    return false;
  text_printf(out, "(%.*s)", (int)word.size, word.data);
  return true;
}
