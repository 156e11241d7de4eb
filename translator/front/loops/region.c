// SPDX-License-Identifier: Apache-2.0
// region.c: splits `parallel for` into the region that starts threads and the `for` in it
// that shares out the loop, so that a function can stand between them (outline.c):
//
//     #pragma omp parallel for num_threads(2) schedule(static) private(t)
//
//     #pragma omp parallel num_threads(2)     in the kernel, before a call
//     #pragma omp for schedule(static) nowait   in the function, where t is a variable
#include <string.h>

#include "loops.h"

enum place { NOWHERE, TEAM, SHARE, BOTH_ENDS, OWN, FIRST };

// Where each clause goes. With any other clause a directive is not split: the loop gives
// values to variables of the kernel (lastprivate, linear), or depends on what surrounds
// it (ordered).
static const struct {
  const char *name;
  enum place place;
} clauses[] = {
  { "num_threads", TEAM },   { "proc_bind", TEAM },
  { "copyin", TEAM },        { "if", TEAM },
  { "schedule", SHARE },     { "collapse", SHARE },
  { "order", SHARE },        { "safelen", SHARE },
  { "simdlen", SHARE },      { "nontemporal", SHARE },
  { "aligned", SHARE },      { "default", NOWHERE },
  { "shared", NOWHERE },     { "private", OWN },
  { "firstprivate", FIRST }, { "reduction", BOTH_ENDS },
};

static bool region_is_name(struct slice s) {
  struct lexer l = lexer_of(s);
  struct token t = lex(&l);
  return t.kind == TOKEN_WORD && lex(&l).kind == TOKEN_END;
}

// Adds the names of LIST. False: one of them is no name of a variable.
static bool region_add(struct slice list, struct slice **names, unsigned *n) {
  unsigned m;
  struct slice *some = slice_split(list, &m);
  for (unsigned i = 0; i < m; i++) {
    if (!region_is_name(some[i]))
      return false;
    *GROW(*names, *n) = some[i];
  }
  return m > 0;
}

// Adds the variables of `reduction(BODY)`. False: it has a modifier or a part of an
// array.
static bool region_add_sums(struct region *r, struct slice body) {
  const char *colon = memchr(body.data, ':', body.size);
  if (!colon || memchr(body.data, ',', (size_t)(colon - body.data)))
    return false;
  size_t before = (size_t)(colon + 1 - body.data);
  return region_add((struct slice){ colon + 1, body.size - before }, &r->sums,
                    &r->n_sums);
}

// Puts the clause NAME(BODY) in its place. False: the directive cannot be split.
static bool region_put(struct region *r, struct slice name, struct slice body,
                       struct text *team, struct text *share) {
  size_t i = 0;
  while (i < sizeof clauses / sizeof *clauses && !slice_is(name, clauses[i].name))
    i++;
  if (i == sizeof clauses / sizeof *clauses || !body.size)
    return false;
  enum place place = clauses[i].place;
  if (place == OWN)
    return region_add(body, &r->own, &r->n_own);
  if (place == FIRST)
    return region_add(body, &r->first, &r->n_first);
  if (place == BOTH_ENDS && !region_add_sums(r, body))
    return false;
  if (place != NOWHERE)
    text_printf(place == SHARE ? share : team, " %.*s(%.*s)", (int)name.size, name.data,
                (int)body.size, body.data);
  return true;
}

const struct region *region_of(struct slice pragma) {
  static const char *const words[] = { "#", "pragma", "omp", "parallel", "for" };
  struct slice text = { lex_blank(pragma.data, pragma.size), pragma.size };
  struct lexer l = lexer_of(text);
  struct region *r = arena_alloc(sizeof *r);
  struct text team = { 0 }, share = { 0 };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!slice_is(lex(&l).text, words[i]))
      return NULL;
  struct token t = lex(&l);
  bool simd = slice_is(t.text, "simd");
  text_printf(&team, "#pragma omp parallel");
  text_printf(&share, simd ? "#pragma omp for simd" : "#pragma omp for");
  for (t = simd ? lex(&l) : t; t.kind != TOKEN_END; t = lex(&l)) {
    const char *open = l.p, *close;
    if (slice_is(t.text, ","))
      continue;
    close = skip_brackets(&l);
    struct lexer inside = { open, close, false };
    struct slice bracket = lex(&inside).text;
    if (!slice_is(bracket, "(") || (simd && slice_is(t.text, "if"))) // of both
      return NULL;
    const char *from = bracket.data + 1;
    struct slice body = slice_trim((struct slice){ from, (size_t)(close - 1 - from) });
    if (!region_put(r, t.text, body, &team, &share))
      return NULL;
  }
  text_printf(&team, "\n");
  text_printf(&share, " nowait\n"); // threads wait at the end of the region
  r->team = team.data;
  r->share = share.data;
  return r;
}
