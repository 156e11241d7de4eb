// SPDX-License-Identifier: Apache-2.0
// spelling.c: warns of pragmas that are nearly ours. Compilers ignore those, too.
#include <ctype.h>
#include <string.h>

#include "pragma.h"

// True if WORD is meant to be "autotune": letters in capitals, an underscore, one letter
// more or less, or another word joined to it.
static bool spelling_resembles(struct slice word) {
  static const char name[] = "autotune";
  static const char *const names[] = { name, NULL };
  char plain[32];
  size_t n = 0;
  for (size_t i = 0; i < word.size && n < sizeof plain; i++)
    if (word.data[i] != '_')
      plain[n++] = (char)tolower((unsigned char)word.data[i]);
  if (n == sizeof plain)
    return false;
  struct slice found = { plain, n };
  return nearest(found, names) ||
      (n >= sizeof name && memchr(word.data, '_', word.size) &&
       memcmp(plain, name, sizeof name - 1) == 0);
}

// Reads "auto-tune" and "auto tune" after WHO, its first word, as one word.
static struct slice spelling_joined(struct lexer l, struct token who) {
  struct slice all = who.text;
  struct token next = lex(&l);
  bool dash = slice_is(next.text, "-");
  if (dash)
    next = lex(&l);
  if (slice_is(who.text, "auto") && next.kind == TOKEN_WORD &&
      (slice_is(next.text, "tune") || (dash && slice_is(next.text, "tuning"))))
    all.size = (size_t)(next.text.data + next.text.size - who.text.data);
  return all;
}

// Warns if LINE, the rest of a line after `#pragma`, is nearly ours.
static void spelling_check_line(const struct source *s, struct lexer line) {
  static const char *const others[] = { "omp", "acc", "GCC", "clang", NULL };
  struct token who = lex(&line), first = who;
  bool other = slice_in(who.text, others), ours = slice_is(who.text, "autotune");
  if (other)
    who = lex(&line);
  struct slice word = spelling_joined(line, who);
  size_t at = (size_t)(first.text.data - s->text), found = (size_t)(word.data - s->text);
  if (who.kind != TOKEN_WORD || ours ||
      (word.size == who.text.size && !spelling_resembles(word)))
    return;
  diag_fix(s, at, found + word.size - at, "autotune");
  diag_warning(s, found, word.size, "write '#pragma autotune …'",
               "this pragma has no effect: %s'%.*s'",
               other ? arena_printf("'%.*s' must not be before ", (int)first.text.size,
                                    first.text.data)
                     : "it is spelled ",
               (int)word.size, word.data);
}

// Warns if LINE, the rest of a line after `#`, has a word like `pragma` before
// `autotune`.
static void spelling_check_hash(const struct source *s, struct lexer line) {
  static const char *const names[] = { "pragma", NULL };
  struct token word = lex(&line), who = lex(&line);
  if (word.kind != TOKEN_WORD || !slice_is(who.text, "autotune") ||
      !nearest(word.text, names))
    return;
  size_t at = (size_t)(word.text.data - s->text);
  diag_warning(s, at, word.text.size, diag_meant(s, at, word.text.size, "pragma"),
               "this line has no effect: '%.*s' is not a directive", (int)word.text.size,
               word.text.data);
}

void pragma_check_spelling(const struct source *s) {
  struct lexer l = lexer_of((struct slice){ s->text, s->size }), rest;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (!t.first || !slice_is(t.text, "#"))
      continue;
    struct lexer line = { l.p, lex_line_end(t.text.data, s->text + s->size), false };
    if (lex_directive(&l, &rest) == LINE_PRAGMA)
      spelling_check_line(s, rest);
    else
      spelling_check_hash(s, line);
  }
}
