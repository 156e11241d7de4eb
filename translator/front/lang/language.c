// SPDX-License-Identifier: Apache-2.0
// language.c: the table of languages.
#include "front/lang/language.h"

#include <string.h>

static const struct language *const languages[] = { &language_c, &language_cuda };

const struct language *language_of(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof languages / sizeof *languages; i++)
    if (strcmp(dot, languages[i]->suffix) == 0)
      return languages[i];
  return NULL;
}

const struct language *language_named(const char *option) {
  for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
    if (slice_in(slice_of(option), languages[i]->options))
      return languages[i];
  return NULL;
}

const struct language *language_default(void) {
  return languages[0];
}
