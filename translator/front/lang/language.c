// SPDX-License-Identifier: Apache-2.0
// language.c: the table of languages.
#include "front/lang/language.h"

#include <string.h>

static const struct language *const languages[] = { &language_c, &language_cxx,
                                                    &language_cuda };

static bool language_among(const char *path, const char *const *suffixes) {
  const char *dot = strrchr(path, '.');
  return dot && suffixes && slice_in(slice_of(dot), suffixes);
}

const struct language *language_of(const char *path) {
  for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
    if (language_among(path, languages[i]->suffixes) ||
        language_among(path, languages[i]->headers))
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

const struct language *language_as_cplusplus(const struct language *l) {
  return l->cplusplus ? l : &language_cxx;
}

bool language_is_header(const char *path) {
  for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
    if (language_among(path, languages[i]->headers))
      return true;
  return false;
}
