// SPDX-License-Identifier: Apache-2.0
// words.c: checks the words in OpenMP's clauses. A misspelled word in a set would show
// much later, in variants that do not compile. A word that resembles none may be a macro
// of the build, and is accepted unless it has small letters only.
#include <string.h>

#include "front/kernel/kernel.h"
#include "loops.h"

static const struct rule {
  const char *clause, *words[8];
} rules[] = {
  { "schedule", { "static", "dynamic", "guided", "auto", "runtime" } },
  { "proc_bind", { "primary", "master", "close", "spread" } },
  { "default", { "shared", "none", "private", "firstprivate" } },
  { "order", { "concurrent" } },
  { "bind", { "teams", "parallel", "thread" } },
};

static const struct rule *words_rule_of(const char *clause) {
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strcmp(rules[i].clause, clause) == 0)
      return &rules[i];
  return NULL;
}

// Returns the words of R: "words are a, b and c".
static const char *words_list(const struct rule *r) {
  struct text t = { 0 };
  for (unsigned i = 0; r->words[i]; i++)
    text_printf(&t, "%s%s", !i ? "write " : r->words[i + 1] ? ", " : " or ", r->words[i]);
  return t.data;
}

// True if TEXT, which stands at OFFSET, is a valid word there; otherwise reports an
// error.
static bool check_word(struct builder *b, const struct rule *r, struct slice text,
                       size_t offset) {
  struct lexer l = lexer_of(text);
  struct token word = lex(&l);
  bool system;
  for (const char *const *w = r->words; *w; w++)
    if (slice_is(word.text, *w))
      return true;
  const char *near = nearest(word.text, r->words);
  bool small = true;
  for (size_t i = 0; i < word.text.size; i++)
    small &= word.text.data[i] >= 'a' && word.text.data[i] <= 'z';
  if ((!near && !small) || word.kind != TOKEN_WORD || lex(&l).kind != TOKEN_END ||
      name_defined(b->s, word.text, &system))
    return true;
  return FAIL(b, offset, word.text.size,
              near ? diag_meant(b->s, offset, word.text.size, near) : words_list(r),
              "'%s' does not take '%.*s'", r->clause, (int)word.text.size,
              word.text.data);
}

bool words_check(struct builder *b, const struct loop_directive *d) {
  for (unsigned i = 0; i < d->n_clauses; i++) {
    const struct dir_clause *c = &d->clauses[i];
    const struct rule *r = words_rule_of(c->name);
    if (!r || c->n_args == 0)
      continue;
    const struct dir_arg *a = &c->args[0]; // the second argument of schedule is a number
    int param = arg_param(b, a);
    const struct param *p = param >= 0 ? &b->k->params[param] : NULL;
    for (unsigned j = 0; p && j < p->n_values; j++)
      if (!check_word(b, r, slice_of(p->values[j].text), p->values[j].offset))
        return false;
    if (!p &&
        !check_word(b, r, slice_trim(a->text),
                    pragma_offset(c->pragma, slice_trim(a->text))))
      return false;
  }
  return true;
}
