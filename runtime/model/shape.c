// SPDX-License-Identifier: Apache-2.0
// shape.c: a hash of a kernel's text that does not depend on names. Two kernels that
// differ only in names get each other's winners as hints.
//
// Each name is replaced by the place of its first appearance. Words of C and names that
// begin with two underscores keep their spelling, since a double is no float. Comments
// and blanks are left out.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/base.h"
#include "identity.h"

enum { SLOTS = 4096 }; // names that are told apart; beyond some thousand all count as one

struct shape {
  uint64_t hash;
  uint64_t names[SLOTS]; // hashes; 0: free. Open addressing
  unsigned places[SLOTS];
  unsigned n;
};

static const char *const words[] = {
  "auto",    "break",  "case",     "char",      "const",    "continue", "default",
  "do",      "double", "else",     "enum",      "extern",   "float",    "for",
  "goto",    "if",     "inline",   "int",       "long",     "register", "restrict",
  "return",  "short",  "signed",   "sizeof",    "static",   "struct",   "switch",
  "typedef", "typeof", "union",    "unsigned",  "void",     "volatile", "while",
  "define",  "undef",  "ifdef",    "ifndef",    "elif",     "endif",    "pragma",
  "omp",     "simd",   "parallel", "reduction", "schedule", "collapse",
};

static bool is_word(const char *text, size_t size) {
  if (size > 1 && text[0] == '_' && text[1] == '_')
    return true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == size && memcmp(words[i], text, size) == 0)
      return true;
  return false;
}

static void shape_mix(struct shape *s, const void *data, size_t size) {
  s->hash = XXH3_64bits_withSeed(data, size, s->hash);
}

// Returns the place at which the name appeared first.
static unsigned shape_place_of(struct shape *s, const char *text, size_t size) {
  uint64_t h = XXH3_64bits(text, size);
  h += h == 0;
  unsigned i = h % SLOTS;
  while (s->names[i] != 0 && s->names[i] != h)
    i = (i + 1) % SLOTS;
  if (s->names[i] == h)
    return s->places[i];
  if (s->n < SLOTS - SLOTS / 4) {
    s->names[i] = h;
    s->places[i] = s->n++;
  }
  return s->n;
}

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

// Returns the end of the literal that begins at P, or of what is left of it.
static const char *skip_quoted(const char *p) {
  char quote = *p++;
  while (*p && *p != quote)
    p += p[0] == '\\' && p[1] ? 2 : 1;
  return *p ? p + 1 : p;
}

static const char *shape_skip_comment(const char *p) {
  const char *end = p[1] == '*' ? strstr(p + 2, "*/") : strchr(p, '\n');
  return !end ? p + strlen(p) : p[1] == '*' ? end + 2 : end;
}

// Hashes one token; line ends count only where a directive begins or ends.
static const char *shape_take(struct shape *s, const char *p) {
  const char *end = p + 1;
  if (*p == '/' && (p[1] == '/' || p[1] == '*'))
    return shape_skip_comment(p);
  if (isspace((unsigned char)*p))
    return end;
  if (*p == '"' || *p == '\'')
    end = skip_quoted(p);
  else if (in_name(*p) || (*p == '.' && isdigit((unsigned char)p[1])))
    while (in_name(*end) || (isdigit((unsigned char)*p) && *end == '.'))
      end++;
  size_t size = (size_t)(end - p);
  if (in_name(*p) && !isdigit((unsigned char)*p) && !is_word(p, size)) {
    unsigned place = shape_place_of(s, p, size);
    shape_mix(s, &place, sizeof place);
  } else {
    shape_mix(s, p, size);
  }
  return end;
}

uint64_t shape_of(const char *text) {
  struct shape *s = sys_calloc(1, sizeof *s);
  if (!s)
    return 0;
  while (*text)
    text = shape_take(s, text);
  uint64_t hash = s->hash + (s->hash == 0);
  free(s);
  return hash;
}
