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

// Appends what makes a pointer of K's argument NAME, which is declared as TYPE: AT and
// its name. The first and the last statement of the function copy what it points to.
static void plainer_copy(struct slice type, const char *at, struct slice name,
                         struct text *out, struct text *first, struct text *last) {
  const char *own = arena_copy(name.data, name.size);
  int size = (int)type.size;
  text_printf(out, "(*%s%s)", at, own);
  text_printf(first, " %.*s %s = *%s%s;", size, type.data, own, at, own);
  if (!lex_mentions(type, slice_of("const")))
    text_printf(last, " *%s%s = %s;", at, own, own);
}

// True if an argument of K points to integers that it may change.
static bool plainer_points(const struct kernel *k) {
  for (unsigned i = 0; i < k->n_args; i++) {
    struct lexer l = lexer_of(k->args[i].specifiers);
    bool integer = false;
    for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
      integer = integer || !is_real_word(word_after_std(&l, t.text));
    if (k->args[i].pointer && integer &&
        !lex_mentions(k->args[i].specifiers, slice_of("const")))
      return true;
  }
  return false;
}

// Does the same for `&x`, to which other arguments may lead, too.
static bool plainer_alias(struct lexer *l, const struct kernel *k, struct text *out,
                          struct text *first, struct text *last) {
  struct lexer ahead = *l, next;
  struct slice name = lex(&ahead).text;
  int arg = kernel_arg(k, name);
  next = ahead;
  struct slice end = lex(&next).text;
  if (arg < 0 || k->args[arg].pointer || (!slice_is(end, ",") && !slice_is(end, ")")))
    return false;
  struct slice type = k->args[arg].specifiers;
  if (k->args[arg].integer && plainer_points(k))
    return false;
  *l = ahead;
  if (k->args[arg].integer)
    text_printf(out, "%.*s", (int)name.size, name.data);
  else
    plainer_copy(type, PLAINER_ALIAS, name, out, first, last);
  return true;
}

bool plainer_reference(struct lexer *l, const struct kernel *k, struct slice paren,
                       struct text *out, struct text *first, struct text *last) {
  struct lexer ahead = *l;
  if (slice_is(paren, "&"))
    return plainer_alias(l, k, out, first, last);
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
  if (lex_mentions(type, slice_of("const")) || k->args[arg].pointer)
    text_printf(out, " %.*s", (int)name.size, name.data);
  else
    plainer_copy(type, "autotune_to_", name, out, first, last);
  return true;
}
