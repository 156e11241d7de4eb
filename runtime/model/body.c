// SPDX-License-Identifier: Apache-2.0
// body.c: a body from outside in the place of the kernel's, in the text of a unit in C.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/base.h"
#include "kernel.h"
#include "space.h"
#include "variant.h"

// In values, before all parameters.
static const char name[] = "(body)=";

// ---- C, roughly ---------------------------------------------------------------------

static bool body_is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Returns what follows the literal or comment at AT; AT: there is none.
static const char *body_after_literal(const char *at) {
  if (at[0] == '/' && at[1] == '/')
    return at + strcspn(at, "\n");
  if (at[0] == '/' && at[1] == '*') {
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
  }
  if (*at != '"' && *at != '\'')
    return at;
  const char quote = *at++;
  while (*at && *at != quote && *at != '\n')
    at += 1 + (*at == '\\' && at[1]);
  return *at == quote ? at + 1 : at;
}

// Returns the end of the directive at AT, whose lines may go on with a backslash.
static const char *body_after_directive(const char *at) {
  do
    at += strcspn(at + 1, "\n") + 1;
  while (*at && at[-1] == '\\');
  return at;
}

// The last block that is in no other.
struct block {
  const char *begin, *end; // its braces; END: after the last
  bool whole;              // all braces have their partner
};

static struct block body_last_block(const char *text, const char *end) {
  struct block b = { NULL, NULL, false };
  const char *begin = NULL;
  unsigned depth = 0;
  bool fresh = true; // nothing but blanks stands before in the line
  for (const char *at = text, *next; at < end; at = next) {
    next = *at == '#' && fresh ? body_after_directive(at) : body_after_literal(at);
    if (next == at) {
      next++;
      if (*at == '{' && depth++ == 0)
        begin = at;
      if (*at == '}' && depth-- == 0)
        return b;
      if (*at == '}' && depth == 0)
        b = (struct block){ begin, at + 1, false };
    }
    fresh = *at == '\n' || (fresh && isspace((unsigned char)*at));
  }
  b.whole = depth == 0 && b.begin != NULL;
  return b;
}

// ---- the kernel's -------------------------------------------------------------------

// True if FLAGS are those of a text in C.
static bool body_is_c(const char *const *flags) {
  for (; flags && *flags; flags++)
    if (strncmp(*flags, "-x", 2) == 0)
      return false;
  return true;
}

// Finds the kernel's body in the text of UNIT, which ends with the entry. False: it is
// not in C, or has alternatives, or its braces are not plain.
static bool body_find(const struct autotune_unit *unit, struct block *out) {
  static const char mark[] = "\n#line 1 \"<autotune>\"\n", entry[] = "autotune_entry = ";
  const char *end = NULL;
  for (const char *at = unit->text; (at = strstr(at, mark)); at++)
    end = at;
  const char *first = end ? strstr(end, entry) : NULL;
  if (!first || strstr(first + 1, entry) || !body_is_c(unit->flags))
    return false;
  *out = body_last_block(unit->text, end);
  return out->whole;
}

bool variant_takes_bodies(const struct autotune_kernel *k, const choice *point) {
  const struct autotune_unit *unit = variant_unit(k, point);
  struct block block;
  return unit && !kernel_is_launched(k) && body_find(unit, &block);
}

char *variant_text_with(const struct autotune_kernel *k, const choice *point,
                        const char *body) {
  const struct autotune_unit *unit = variant_unit(k, point);
  struct block block;
  char *text = body ? NULL : variant_text(k, point), *whole;
  if (!body || !unit || !body_find(unit, &block) || !(whole = variant_text(k, point)))
    return text;
  size_t before = strlen(whole) - strlen(unit->text) + (size_t)(block.begin - unit->text);
  text =
      sys_printf("%.*s\n#line 1 \"<body>\"\n%s\n%s", (int)before, whole, body, block.end);
  free(whole);
  return text;
}

bool variant_calls(const struct autotune_kernel *k, const choice *point,
                   const char *function) {
  const struct autotune_unit *unit = variant_unit(k, point);
  size_t n = strlen(function);
  for (const char *at = unit ? unit->text : ""; (at = strstr(at, function)); at++)
    if (at[n + strspn(at + n, " \n")] == '(' &&
        (at == unit->text || !body_is_word(at[-1])))
      return true;
  return false;
}

// ---- one from outside ---------------------------------------------------------------

const char *variant_body_wrong(const char *body) {
  static const char *const words[] = { "asm", "__asm", "__asm__" };
  const char *end = body + strlen(body);
  while (end > body && isspace((unsigned char)end[-1]))
    end--;
  struct block b = body_last_block(body, end);
  if (strlen(body) > VARIANT_LONGEST_BODY)
    return "the body is too long";
  if (!b.whole || b.end != end || b.begin != body + strspn(body, " \t\r\n"))
    return "a body is a block: { … }";
  if (strstr(body, "??")) // perhaps a trigraph, which would hide what follows
    return "a body does not have \"??\"";
  bool fresh = true;
  for (const char *at = body, *next; at < end; at = next) {
    next = body_after_literal(at);
    if (*at == '#' && (!fresh || strncmp(at + 1, "pragma ", 7) != 0))
      return "a body has no directive but #pragma";
    if (next != at)
      continue;
    if ((*at == '\\' && at[1] == '\n') || (*at == '%' && at[1] == ':'))
      return "a body has no directive but #pragma";
    next += body_is_word(*at) ? strspn(at,
                                       "0123456789_"
                                       "abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
                              : 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (strlen(words[i]) == (size_t)(next - at) &&
          strncmp(at, words[i], strlen(words[i])) == 0)
        return "a body has no assembly";
    fresh = *at == '\n' || (fresh && isspace((unsigned char)*at));
  }
  return NULL;
}

uint64_t variant_body_hash(const char *body) {
  uint64_t h = XXH3_64bits(body, strlen(body));
  return h + !h;
}

char *variant_values(const struct autotune_kernel *k, const choice *point,
                     uint64_t body) {
  char *values = space_values(k, point);
  char *all = values && body
      ? sys_printf("%s%016llx\n%s", name, (unsigned long long)body, values)
      : NULL;
  if (!body)
    return values;
  free(values);
  return all;
}

const char *variant_without_body(const char *values) {
  if (strncmp(values, name, sizeof name - 1) != 0)
    return NULL;
  const char *end = strchr(values, '\n');
  return end ? end + 1 : NULL;
}
