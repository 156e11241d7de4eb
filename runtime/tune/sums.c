// SPDX-License-Identifier: Apache-2.0
// sums.c: which texts may add in another order. A statement `L += x` adds to the same
// place in several iterations of a loop only if L does not name the loop's variable:
// `y[i] += x` in a loop over i adds to each element once, so no order of the iterations
// changes how it is rounded. Where that is not certain, the text counts as a sum.
#include <ctype.h>
#include <string.h>

#include "tune.h"

enum { DEEP = 16, NAME = 32 };
struct sums {
  const char *function; // whose loops are known: nobody calls it in a loop
  bool inside;          // of that function
  unsigned loops;
  char names[DEEP][NAME]; // of the loops' variables; "": not known
  bool found;
};

static bool sums_is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// True if the word at AT is WORD.
static bool sums_word(const char *at, const char *word) {
  size_t n = strlen(word);
  return strncmp(at, word, n) == 0 && !sums_is_word(at[n]);
}

// Returns the end of the lines from AT on, of which the first begins with `#`. Directives
// of C++ have the loop as written first, and then what they make of it.
static const char *sums_line(const char *at) {
  size_t n = strcspn(at, "\n");
  const bool other = strncmp(at, "#elif AUTOTUNE_P", strlen("#elif AUTOTUNE_P")) == 0;
  for (unsigned depth = other; depth > 0 && at[n]; n = strcspn(at, "\n")) {
    at += n + 1;
    depth += strncmp(at, "#if", strlen("#if")) == 0;
    depth -= strncmp(at, "#endif", strlen("#endif")) == 0;
  }
  return at + strcspn(at, "\n");
}

static const char *sums_skip(const char *at) {
  for (;; at++)
    if (*at == '#')
      at = sums_line(at) - 1;
    else if (!isspace((unsigned char)*at))
      return at;
}

// Returns what follows the string, or the brackets with what they hold, that begin at AT.
static const char *sums_after(const char *at) {
  unsigned depth = 0;
  if (*at == '"' || *at == '\'') {
    const char quote = *at++;
    while (*at && *at != quote)
      at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
  }
  for (; *at; at++) {
    depth += *at == '(' || *at == '[';
    depth -= *at == ')' || *at == ']';
    if (depth == 0)
      return at + 1;
  }
  return at;
}

// True if the N characters AT are an element of an array that has the variable of each
// loop alone as a subscript.
static bool sums_is_own(const struct sums *s, const char *at, size_t n) {
  for (unsigned i = 0; i < s->loops; i++) {
    char wanted[NAME + 3];
    size_t size = (size_t)snprintf(wanted, sizeof wanted, "[%s]", s->names[i]);
    bool has = false;
    int depth = 0;
    for (size_t k = 0; k + size <= n && !has; k++) {
      has = depth == 0 && memcmp(at + k, wanted, size) == 0;
      depth += at[k] == '[' ? 1 : at[k] == ']' ? -1 : 0;
    }
    if (!has || size == 2)
      return false;
  }
  return s->inside && s->loops > 0;
}

// True if TEXT declares the variable of N characters AT, and as an integer.
static bool sums_is_integer(const char *text, const char *at, size_t n) {
  static const char *const types[] = { "int",     "long",     "unsigned", "size_t",
                                       "short",   "char",     "int32_t",  "uint32_t",
                                       "int64_t", "uint64_t", "ptrdiff_t" };
  bool integer = false;
  for (const char *k = text; (k = strchr(k, *at)); k++) {
    const char *end = k;
    if (strncmp(k, at, n) != 0 || sums_is_word(k[n]) || k == text ||
        !isspace((unsigned char)k[-1]))
      continue;
    while (end > text && isspace((unsigned char)end[-1]))
      end--;
    if (end > text && (end[-1] == ',' || end[-1] == '*'))
      return false; // one of several, or a pointer
    const char *word = end;
    while (word > text && sums_is_word(word[-1]))
      word--;
    bool one = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
      one |= strlen(types[i]) == (size_t)(end - word) && sums_word(word, types[i]);
    if (!one && end > word && !sums_word(word, "return"))
      return false; // of another type, somewhere
    integer |= one;
  }
  return integer;
}

// Looks at the expression from AT to before END in TEXT.
static void sums_expression(struct sums *s, const char *text, const char *at,
                            const char *end) {
  const bool nested = memchr(at, '{', (size_t)(end - at)) != NULL; // a lambda
  for (const char *is = at; is < end && (is = memchr(is, '=', (size_t)(end - is)));
       is++) {
    const char before = is > at ? is[-1] : ' ';
    const bool operated = strchr("+-*/", before) != NULL;
    const char *last = is - operated, *from;
    if (is[1] == '=') {
      is++;
      continue;
    }
    if (strchr("!<>%&|^", before))
      continue;
    while (last > at && isspace((unsigned char)last[-1]))
      last--;
    for (from = last; from > at && !strchr(";{}(,", from[-1]);)
      from--;
    while (from < last && isspace((unsigned char)*from))
      from++;
    const size_t n = (size_t)(last - from);
    bool repeats = operated;
    for (const char *k = is + 1; n > 0 && !repeats && k + n <= end; k++)
      repeats = memcmp(k, from, n) == 0 && !sums_is_word(k[-1]) && !sums_is_word(k[n]);
    bool plain = n > 0;
    for (size_t i = 0; i < n; i++)
      plain = plain && sums_is_word(from[i]);
    if (repeats && (nested || !sums_is_own(s, from, n)) &&
        !(plain && sums_is_integer(text, from, n)))
      s->found = true;
  }
}

// Notes the variable of the loop whose header begins at AT: what the first `=` sets.
static void sums_enter(struct sums *s, const char *at) {
  char *name = s->names[s->loops < DEEP ? s->loops : DEEP - 1];
  const char *is = at + strcspn(at, "=;)"), *end = is, *from;
  while (end > at && isspace((unsigned char)end[-1]))
    end--;
  for (from = end; from > at && sums_is_word(from[-1]);)
    from--;
  const size_t n = *is == '=' ? (size_t)(end - from) : 0;
  const size_t used = n < NAME && s->loops < DEEP ? n : 0;
  memcpy(name, from, used);
  name[used] = '\0';
  s->loops += s->loops < DEEP;
}

// Returns what follows AT, without the macros of the translator that are whole statements
// or declarations at the head of a function.
static const char *sums_begin(const char *at) {
  static const char *const heads[] = { "AUTOTUNE_ASSUME_", "AUTOTUNE_CONSTANT_",
                                       "AUTOTUNE_EXISTS" };
  at = sums_skip(at);
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    if (strncmp(at, heads[i], strlen(heads[i])) == 0)
      return sums_begin(sums_after(at + strcspn(at, "(")));
  return at;
}

// Looks at the statement or declaration at AT in TEXT. Returns what follows.
static const char *sums_statement(struct sums *s, const char *text, const char *at) {
  const unsigned loops = s->loops;
  at = sums_begin(at);
  bool loop = sums_word(at, "for") || sums_word(at, "while") || sums_word(at, "do");
  if (*at == '{') {
    for (at = sums_begin(at + 1); *at && *at != '}' && !s->found; at = sums_skip(at))
      at = sums_statement(s, text, at);
    return *at ? at + 1 : at;
  }
  if (loop || sums_word(at, "if") || sums_word(at, "switch")) {
    bool counted = sums_word(at, "for");
    at += strspn(at, "abcdefghijklmnopqrstuvwxyz");
    at = sums_skip(at);
    if (loop)
      sums_enter(s, counted ? at : "");
    const char *header = at;
    at = *at == '(' ? sums_after(at) : at;
    sums_expression(s, text, header, at);
    at = sums_skip(sums_statement(s, text, at));
    while (sums_word(at, "else"))
      at = sums_skip(sums_statement(s, text, at + strlen("else")));
    s->loops = loops;
    return at;
  }
  const char *from = at;
  bool outer = s->inside, is_function = false;
  while (*at && !strchr(";{}", *at)) {
    is_function |= sums_word(at, s->function) && (at == text || !sums_is_word(at[-1]));
    at = strchr("([\"'", *at) ? sums_after(at) : at + 1;
  }
  sums_expression(s, text, from, at);
  if (*at == '{') { // of a function, a struct or an initializer
    s->inside |= is_function;
    at = sums_statement(s, text, at);
    s->inside = outer;
    return at;
  }
  return *at == ';' ? at + 1 : at;
}

bool sums_reorder(const char *text, const char *function) {
  struct sums s = { .function = function };
  for (const char *at = sums_skip(text); *at && !s.found;) {
    const char *next = sums_statement(&s, text, at);
    at = sums_skip(next > at ? next : at + 1);
  }
  return s.found;
}
