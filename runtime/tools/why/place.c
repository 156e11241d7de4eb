// SPDX-License-Identifier: Apache-2.0
// place.c: kernels by the place where they stood when they were tuned, and by names that
// people know. A loop's name ends with a hash; people know the function and the line. An
// instance of a template has its arguments in its name.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/results.h"
#include "why.h"

// True if KERNEL is the function of N characters at NAME, or a loop in it, in any
// namespace.
static bool place_is_function(const char *kernel, const char *name, size_t n) {
  for (const char *at = kernel; at; at = strstr(at, "::")) {
    at += strncmp(at, "::", 2) == 0 ? 2 : 0;
    if (strncmp(at, name, n) == 0 && strchr("_<", at[n]))
      return true;
  }
  return false;
}

// True if the characters at END end the name of a function: those of a loop's hash, or of
// a template's arguments, may follow.
static bool place_ends_name(const char *end) {
  size_t hash = *end == '_' ? strspn(end + 1, "0123456789abcdef") : 0;
  return *end == '\0' || *end == '<' || (hash == 6 && place_ends_name(end + 7));
}

// True if KERNEL is called NAME in some namespace, or is an instance of NAME or a loop in
// it.
static bool place_is_named(const char *kernel, const char *name) {
  size_t n = strlen(name);
  for (const char *at = kernel; at; at = strstr(at, "::")) {
    at += strncmp(at, "::", 2) == 0 ? 2 : 0;
    if (n > 0 && strncmp(at, name, n) == 0 && place_ends_name(at + n))
      return true;
  }
  return false;
}

// True if ITEM stood at PLACE, "main:29" or "solve.c:29", or is called so without its
// hash, its namespace and its template's arguments.
static bool place_is(const struct listed *item, const char *place) {
  const char *colon = strrchr(place, ':'), *file = sys_file_name(item->problem.file);
  size_t n = colon ? (size_t)(colon - place) : 0;
  if (n == 0 || colon[-1] == ':' || !isdigit((unsigned char)colon[1]))
    return place_is_named(item->problem.kernel, place);
  if (strtoul(colon + 1, NULL, 10) != item->summary.line)
    return false;
  return place_is_function(item->problem.kernel, place, n) ||
      (strlen(file) == n && strncmp(file, place, n) == 0);
}

char **place_kernels(struct store *s, const char *place) {
  struct listing all = { 0 };
  char **names = NULL;
  size_t n = 0;
  if (store_list(s, NULL, &all) == 0)
    names = sys_calloc(all.n + 1, sizeof *names);
  for (unsigned i = 0; names && i < all.n; i++) {
    const char *kernel = all.items[i].problem.kernel;
    bool seen = !place_is(&all.items[i], place);
    for (size_t j = 0; j < n && !seen; j++)
      seen = strcmp(names[j], kernel) == 0;
    if (!seen && (names[n] = sys_strdup(kernel)))
      n++;
  }
  store_list_free(&all);
  return names;
}

void place_free(char **names) {
  for (char **name = names; name && *name; name++)
    free(*name);
  free(names);
}
