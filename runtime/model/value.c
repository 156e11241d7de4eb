// SPDX-License-Identifier: Apache-2.0
// value.c: values of parameters as text, and names that contain a line.
#include "value.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool value_next(const char **text, struct named_value *s) {
  for (const char *line = *text; *line;) {
    size_t size = strcspn(line, "\n"), name = strcspn(line, "=\n");
    *text = line + size + (line[size] == '\n');
    *s = (struct named_value){ line, line + name + 1, name, size - name - 1 };
    if (name < size)
      return true;
    line = *text;
  }
  return false;
}

bool value_find(const char *values, const char *name, size_t size,
                struct named_value *out) {
  while (value_next(&values, out))
    if (out->name_size == size && memcmp(out->name, name, size) == 0)
      return true;
  return false;
}

bool value_is(const struct named_value *s, const char *text) {
  return strlen(text) == s->size && memcmp(s->value, text, s->size) == 0;
}

unsigned value_choice(const struct named_value *s, const struct autotune_param *p) {
  unsigned v = 0;
  while (v < p->n_values && !value_is(s, p->values[v].text))
    v++;
  return v;
}

size_t value_length(const struct named_value *s) {
  return s->name_size + 1 + s->size;
}

char *value_text(const struct named_value *s, const char *empty) {
  return sys_printf("%.*s%s", (int)value_length(s), s->name, s->size ? "" : empty);
}

static bool same_name(const struct named_value *a, const struct named_value *b) {
  return a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}

// True if VALUES omit all directives of the kernel. Those of an alternative stay.
static bool value_is_plain(const char *values) {
  static const char name[] = "directives", chosen[] = "algorithm";
  struct named_value s;
  return value_find(values, name, sizeof name - 1, &s) && value_is(&s, "no") &&
      !value_find(values, chosen, sizeof chosen - 1, &s);
}

bool value_matters(const char *values, const struct named_value *s) {
  struct place own, its;
  struct named_value other;
  if (!place_read(s->name, s->name_size, &own))
    return true;
  if (value_is_plain(values))
    return false;
  if (own.rest == s->name_size)
    return true;
  while (value_next(&values, &other))
    if (value_is(&other, "no") && !same_name(&other, s) &&
        place_read(other.name, other.name_size, &its) && its.line == own.line &&
        its.rest < other.name_size)
      return false;
  return true;
}

bool place_read(const char *name, size_t size, struct place *p) {
  const char *at = memchr(name, '@', size);
  size_t i = at ? (size_t)(at + 1 - name) : size;
  *p = (struct place){ .stem = i };
  for (; i < size && isdigit((unsigned char)name[i]); i++)
    p->line = 10 * p->line + (unsigned long)(name[i] - '0');
  p->rest = i;
  for (i += i < size && name[i] == '.'; i < size && isdigit((unsigned char)name[i]); i++)
    p->number = 10 * p->number + (unsigned long)(name[i] - '0');
  return p->rest > p->stem;
}

bool place_before(const struct place *a, const struct place *b) {
  return a->line != b->line ? a->line < b->line : a->number < b->number;
}

bool place_same(const char *a, size_t n, const char *b, size_t m) {
  struct place p, q;
  if (!place_read(a, n, &p) || !place_read(b, m, &q))
    return n == m && memcmp(a, b, n) == 0;
  return p.stem == q.stem && memcmp(a, b, p.stem) == 0 && n - p.rest == m - q.rest &&
      memcmp(a + p.rest, b + q.rest, n - p.rest) == 0;
}

// ---- what is offered ----------------------------------------------------------------

bool offered_next(const char **text, struct offered *p) {
  const char *s = *text;
  char *end;
  size_t name = strcspn(s, "\t\n"), kind = s[name] ? strcspn(s + name + 1, "\t\n") : 0;
  *p = (struct offered){
    .name = s, .name_size = name, .kind = s + name + 1, .kind_size = kind
  };
  if (s[name] != '\t' || s[name + 1 + kind] != '\t')
    return false;
  p->when = (int)strtol(s + name + kind + 2, &end, 10);
  if (*end != '\t')
    return false;
  p->original = (unsigned)strtoul(end + 1, &end, 10);
  p->values = end;
  *text = end + strcspn(end, "\n");
  *text += **text == '\n';
  return true;
}

bool offered_value(const char **at, const char **value, size_t *size) {
  if (**at != '\t')
    return false;
  *value = *at + 1;
  *size = strcspn(*value, "\t\n");
  *at = *value + *size;
  return true;
}

static bool offered_has(const struct offered *p, const struct named_value *s) {
  const char *value;
  size_t size;
  if (!place_same(p->name, p->name_size, s->name, s->name_size))
    return false; // a line changes when the file is edited
  for (const char *at = p->values; offered_value(&at, &value, &size);)
    if (size == s->size && memcmp(value, s->value, size) == 0)
      return true;
  return false;
}

bool offered_all(const char *params, const char *values) {
  unsigned offered = 0, named = 0;
  struct offered p;
  for (const char *at = params; offered_next(&at, &p);)
    offered++;
  for (struct named_value s; value_next(&values, &s); named++) {
    bool found = false;
    for (const char *at = params; !found && offered_next(&at, &p);)
      found = offered_has(&p, &s);
    if (!found)
      return false;
  }
  return named == offered;
}

char *value_line(const char *values) {
  char *line = sys_strdup(values);
  size_t n = line ? strlen(line) : 0;
  while (n > 0 && line[n - 1] == '\n')
    line[--n] = '\0';
  for (size_t i = 0; i < n; i++)
    if (line[i] == '\n')
      line[i] = ' ';
  return line;
}
