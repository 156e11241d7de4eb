// SPDX-License-Identifier: Apache-2.0
// key.c: keys of calls as text.
#include "key.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

bool key_next(const char **numbers, const char **names, struct key_part *part) {
  const char *text = *numbers, *name = *names;
  char *end;
  if (!*text)
    return false;
  *part = (struct key_part){ name, text, strcspn(name, "\n"), strcspn(text, ","),
                             strtoll(text, &end, 10) };
  *numbers = text + part->size + (text[part->size] == ',');
  *names = name + part->name_size + (name[part->name_size] == '\n');
  return true;
}

unsigned key_read(const char *numbers, long long *key, unsigned most) {
  unsigned n = 0;
  for (const char *s = numbers; *s; n++) {
    char *end;
    long long number = strtoll(s, &end, 10);
    if (n < most)
      key[n] = number;
    if (end == s || (*end && *end != ',') || (*end == ',' && !end[1]))
      return UINT_MAX;
    s = end + (*end == ',');
  }
  return n;
}

char *key_print(const long long *key, const char *const *names, unsigned n,
                const char **names_text) {
  size_t size = 2 + 22 * (size_t)n;
  for (unsigned i = 0; i < n; i++)
    size += strlen(names ? names[i] : "") + 1;
  char *block = sys_calloc(1, size), *p = block;
  for (unsigned i = 0; block && i < n; i++)
    p += sprintf(p, "%s%lld", i ? "," : "", key[i]);
  *names_text = block ? ++p : NULL;
  for (unsigned i = 0; block && i < n; i++)
    p += sprintf(p, "%s%s", i ? "\n" : "", names ? names[i] : "");
  return block;
}

char *key_describe(const char *numbers, const char *names) {
  struct key_part part;
  size_t size = 2 * strlen(numbers) + strlen(names) + 1;
  for (const char *s = numbers; *s; s++)
    size += 5; // ", " and " = "
  char *out = sys_malloc(size), *to = out;
  if (!out)
    return NULL;
  *out = '\0';
  while (key_next(&numbers, &names, &part))
    to += sprintf(to, "%s%.*s%s%.*s", to > out ? ", " : "", (int)part.name_size,
                  part.name, part.name_size ? " = " : "", (int)part.size, part.text);
  return out;
}

// Finds the part called NAME, of SIZE bytes; 0: the INDEX-th.
static bool key_find(const char *numbers, const char *names, const char *name,
                     size_t size, unsigned index, struct key_part *part) {
  for (unsigned i = 0; key_next(&numbers, &names, part); i++)
    if (size ? part->name_size == size && memcmp(part->name, name, size) == 0
             : i == index)
      return true;
  return false;
}

// Returns how many parts of the key SPEC gives; UINT_MAX: one of them is another, or SPEC
// cannot be read.
static unsigned key_given(const char *numbers, const char *names, const char *spec) {
  unsigned n = 0;
  for (const char *s = spec; *s; n++) {
    struct key_part part;
    size_t size = strcspn(s, ","), name = strcspn(s, "=,");
    const char *value = s[name] == '=' ? s + name + 1 : s;
    if (s[name] != '=')
      name = 0;
    while (name > 0 && isspace((unsigned char)s[name - 1]))
      name--;
    char *end;
    long long wanted = strtoll(value, &end, 0);
    if (end == value || end != s + size || !key_find(numbers, names, s, name, n, &part) ||
        part.number != wanted)
      return UINT_MAX;
    s += size + (s[size] == ',');
    s += strspn(s, " ");
  }
  return n;
}

bool key_matches(const char *numbers, const char *names, const char *spec) {
  return !spec || key_given(numbers, names, spec) == key_read(numbers, NULL, 0);
}

bool key_matches_part(const char *numbers, const char *names, const char *spec) {
  return !spec || key_given(numbers, names, spec) != UINT_MAX;
}

int key_compare(const char *a, const char *b) {
  struct key_part x, y;
  const char *none = "", *nothing = "";
  while (*a && *b && key_next(&a, &none, &x) && key_next(&b, &nothing, &y))
    if (x.number != y.number)
      return x.number < y.number ? -1 : 1;
  return strcmp(a, b);
}

double key_distance(const long long *a, const long long *b, unsigned n) {
  double sum = 0;
  for (unsigned i = 0; i < n; i++) {
    // At zero and between signs there is no ratio: the step over 0 counts as one more.
    double x = fabs((double)a[i]) + (a[i] == 0), y = fabs((double)b[i]) + (b[i] == 0);
    sum += fabs(log2(x / y)) + ((a[i] < 0) != (b[i] < 0)) + ((a[i] == 0) != (b[i] == 0));
  }
  return sum;
}
