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

// True if an operand may come after BEFORE.
static bool plainer_is_operand(struct slice before) {
  return before.size && lex_bracket(before) >= 0 && !is_type_word(before) &&
      (slice_is(before, "return") || strchr("=+-*/%(,[?:&|!", *before.data));
}

bool plainer_take(struct lexer *l, struct slice before, struct slice word,
                  const struct kernel *k, struct text *out) {
  struct lexer ahead = *l;
  for (unsigned i = 0; i < k->n_stand_ins; i++)
    if (slices_same(k->stand_ins[i].name, word) && !k->stand_ins[i].constant.size &&
        !slice_is(before, ".") && !slice_is(before, "->")) {
      struct slice text = k->stand_ins[i].text;
      bool value = plainer_is_operand(before) && plainer_is_value(*l);
      text_printf(out, value ? "(%.*s)" : "%.*s", (int)text.size, text.data);
      return true;
    }
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
  if (!number || !plainer_is_operand(before) || !plainer_is_value(*l))
    return false;
  text_printf(out, "(%.*s)", (int)word.size, word.data);
  return true;
}

bool plainer_reference(struct lexer *l, const struct kernel *k, struct slice paren,
                       struct text *out, struct text *first, struct text *last) {
  struct lexer ahead = *l;
  bool reference = slice_is(paren, "(") && slice_is(lex(&ahead).text, "&");
  struct slice name = lex(&ahead).text;
  int arg = reference ? kernel_arg(k, name) : -1;
  if (arg < 0 || !slice_is(lex(&ahead).text, ")"))
    return false;
  struct slice type = k->args[arg].specifiers;
  struct lexer next = ahead;
  if (slice_is(lex(&next).text, "["))
    return false;
  *l = ahead;
  if (lex_mentions(type, slice_of("const")) || k->args[arg].pointer) {
    text_printf(out, " %.*s", (int)name.size, name.data);
    return true;
  }
  text_printf(out, "(*autotune_to_%.*s)", (int)name.size, name.data);
  const char *own = arena_copy(name.data, name.size);
  text_printf(first, " %.*s %s = *autotune_to_%s;", (int)type.size, type.data, own, own);
  text_printf(last, " *autotune_to_%s = %s;", own, own);
  return true;
}
