/* SPDX-License-Identifier: Apache-2.0 */
/* constants.c: integers of the key whose values are constants in a variant. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "constants.h"

/* The first unit says it for all: they differ only in what compilers' headers make of
 * the file. */
uint64_t constants_of(const struct autotune_kernel *k) {
  static const char ifdef[] = "\n#ifdef AUTOTUNE_KEY_";
  const char *p = k->n_units && !kernel_is_launched(k) ? k->units[0].text : "";
  uint64_t parts = 0;
  while ((p = strstr(p, ifdef))) {
    p += sizeof ifdef - 1;
    unsigned long part = strtoul(p, NULL, 10);
    if (part < k->n_keys && part < MAX_KEYS)
      parts |= UINT64_C(1) << part;
  }
  return parts;
}

static bool constants_has(uint64_t parts, unsigned i) {
  return i < MAX_KEYS && (parts >> i & 1);
}

/* Writes VALUE as C has it. */
static const char *constants_number(long long value, char *text, size_t size) {
  if (value == LLONG_MIN)
    snprintf(text, size, "(-%lldLL - 1)", LLONG_MAX);
  else if (value < INT_MIN || value > INT_MAX)
    snprintf(text, size, "(%lldLL)", value);
  else
    snprintf(text, size, "(%lld)", value);
  return text;
}

char *constants_lines(const struct autotune_kernel *k, const long long *key,
                      uint64_t parts) {
  char *text = NULL, number[32];
  size_t size = 0;
  unsigned n = 0;
  FILE *f = parts ? open_memstream(&text, &size) : NULL;
  for (unsigned i = 0; f && i < k->n_keys; i++)
    if (constants_has(parts, i)) {
      constants_number(key[i], number, sizeof number);
      fprintf(f, "#define AUTOTUNE_KEY_%u %s\n", i, number);
      n++;
    }
  if (!f)
    return NULL;
  fprintf(f,
          "extern const long long autotune_constants[%u]\n"
          "  __attribute__((__visibility__(\"default\"), __used__));\n"
          "const long long autotune_constants[%u] = { %u",
          2 * n + 1, 2 * n + 1, n);
  for (unsigned i = 0; i < k->n_keys; i++)
    if (constants_has(parts, i))
      fprintf(f, ", %u, AUTOTUNE_KEY_%u", i, i);
  fprintf(f, " };\n");
  if (fclose(f) == 0)
    return text;
  free(text);
  return NULL;
}

static const char *constants_name(const struct autotune_kernel *k, unsigned i) {
  return k->keys && k->keys[i] ? k->keys[i] : "the key";
}

const char *constants_say(const struct autotune_kernel *k, const long long *key,
                          uint64_t parts, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < k->n_keys && used < size; i++)
    if (constants_has(parts, i))
      used += (size_t)snprintf(text + used, size - used, "%s%s = %lld", used ? ", " : "",
                               constants_name(k, i), key[i]);
  return text;
}

bool constants_name_any(const struct autotune_kernel *k, const char *text,
                        uint64_t parts) {
  for (const char *p = text; p && *p; p = strchr(p, ',')) {
    p += strspn(p, ", ");
    for (unsigned i = 0; i < k->n_keys; i++) {
      const char *name = constants_name(k, i);
      size_t n = strlen(name);
      if (constants_has(parts, i) && strncmp(p, name, n) == 0 &&
          strncmp(p + n, " = ", 3) == 0)
        return true;
    }
  }
  return false;
}

bool constants_fit(const struct autotune_kernel *k, const long long *stated,
                   const long long *key, uint64_t *parts, char **message) {
  long long n = stated ? stated[0] : 0;
  *parts = 0;
  if (n < 0 || n > MAX_KEYS) {
    *message = sys_strdup("its constants are damaged");
    return false;
  }
  for (long long i = 0; i < n; i++) {
    long long part = stated[1 + 2 * i], value = stated[2 + 2 * i];
    bool known = part >= 0 && part < k->n_keys && part < MAX_KEYS;
    if (!known || key[part] != value) {
      *message = known ? sys_printf("it was compiled for %s = %lld, not for %lld",
                                    constants_name(k, (unsigned)part), value, key[part])
                       : sys_printf("it was compiled for a key of another kernel");
      return false;
    }
    *parts |= UINT64_C(1) << part;
  }
  return true;
}
