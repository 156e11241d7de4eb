// SPDX-License-Identifier: Apache-2.0
// pragma.c: finds every `#pragma autotune …` and reads its clauses and arguments.
#include <ctype.h>
#include <string.h>

#include "pragma.h"

size_t pragma_offset(const struct pragma *p, struct slice s) {
  return p->offset + (size_t)(s.data - p->blanked);
}

bool pragma_has(const struct pragma *p, const char *clause) {
  for (unsigned i = 0; i < p->n_clauses; i++)
    if (strcmp(p->clauses[i].name, clause) == 0)
      return true;
  return false;
}

static void error_at(const struct source *s, const struct pragma *p, struct slice at,
                     const char *hint, const char *message) {
  diag_error(s, pragma_offset(p, at), at.size, hint, message, (int)at.size, at.data);
}

// Words that people write for others, and that are not the nearest by their letters.
static const struct {
  const char *written, *meant;
} usual[] = {
  { "input", "in" },
  { "inputs", "in" },
  { "output", "out" },
  { "outputs", "out" },
  { "readwrite", "inout" },
  { "unroll_jam", "unroll_and_jam" },
  { "jam", "unroll_and_jam" },
  { "distribute", "fission" },
  { "params", "param" },
  { "tolerance", "verify(rtol: 1e-5)" },
  { "rtol", "verify(rtol: 1e-5)" },
  { "atol", "verify(atol: 1e-9)" },
  { "budget", "search(auto, budget: 5s)" },
  { "until", "search(auto, until: 2%)" },
  { "threads", "num_threads" },
  { "size", "sizes" },
  { "order", "permutation" },
  { "vectorize", "simd" },
  { "vector", "simd" },
};

// True if one of WORDS is WORD, or is WORD and arguments.
static bool pragma_is_among(const char *word, const char *const *words) {
  struct slice name = { word, strcspn(word, "(") };
  for (; *words; words++)
    if (slice_is(name, *words))
      return true;
  return false;
}

// Returns the hint for WORD of P, and says how it is mended; NULL: it resembles none of
// WORDS.
static const char *did_you_mean(const struct source *s, const struct pragma *p,
                                struct slice word, const char *const *words) {
  const char *near = NULL;
  for (size_t i = 0; i < sizeof usual / sizeof *usual && !near; i++)
    if (slice_is(word, usual[i].written) && pragma_is_among(usual[i].meant, words))
      near = usual[i].meant;
  return diag_meant(s, pragma_offset(p, word), word.size,
                    near ? near : nearest(word, words));
}

// Returns what to do about NAME, which is no clause of P, but one of the other kind of
// pragma; NULL: it is none of these either.
static const char *pragma_other_kind(const struct pragma *p, struct slice name) {
  bool kernel = p->kind == PRAGMA_KERNEL;
  unsigned n;
  const struct clause_rule *r = clause_rules(kernel ? PRAGMA_LOOP : PRAGMA_KERNEL, &n);
  for (; n > 0; n--, r++)
    if (slice_is(name, r->name))
      return kernel ? "it is for loop directives: write it in a pragma above the loop"
                    : "it is for kernels: write it in '#pragma autotune kernel'";
  return NULL;
}

// Reads the body of a clause whose '(' has been read. False: it is not closed.
static bool read_body(struct lexer *l, struct clause *c) {
  const char *begin = l->p;
  char open[64];
  unsigned depth = 0;
  for (struct token t = lex(l); t.kind != TOKEN_END; t = lex(l)) {
    char ch = t.text.size == 1 && t.kind == TOKEN_PUNCTUATOR ? *t.text.data : 0;
    if (ch && strchr("([{", ch)) {
      if (depth == sizeof open)
        return false;
      open[depth++] = ch;
    } else if (ch && strchr(")]}", ch)) {
      if (depth == 0) {
        c->body = (struct slice){ begin, (size_t)(t.text.data - begin) };
        c->has_args = true;
        return ch == ')';
      }
      char want = open[--depth] == '(' ? ')' : open[depth] == '[' ? ']' : '}';
      if (ch != want)
        return false;
    }
  }
  return false;
}

static const struct clause_rule *pragma_check_name(const struct source *s,
                                                   const struct pragma *p,
                                                   struct slice name) {
  bool elsewhere;
  const struct clause_rule *rule = clause_rule(p, name, &elsewhere);
  size_t at = pragma_offset(p, name);
  if (rule)
    return rule;
  if (elsewhere)
    diag_error(s, at, name.size, NULL, "'%.*s' is not a clause of '%s'", (int)name.size,
               name.data, directive_name(p->directive));
  else {
    const char *other = pragma_other_kind(p, name);
    error_at(s, p, name, other ? other : did_you_mean(s, p, name, clause_names(p)),
             "unknown clause '%.*s'");
  }
  return NULL;
}

static bool is_repeated(const struct source *s, const struct pragma *p,
                        const struct clause *c) {
  for (unsigned i = 0; i < p->n_clauses; i++)
    if (strcmp(p->clauses[i].name, c->name) == 0) {
      diag_error(s, c->offset, c->size, NULL, "'%s' is given twice", c->name);
      return true;
    }
  return false;
}

// Adds C to P. A clause without a rule, or one that repeats but must not, is reported and
// left out.
static void keep_clause(const struct source *s, struct pragma *p, struct clause c,
                        struct slice name) {
  const struct clause_rule *rule = pragma_check_name(s, p, name);
  if (!rule)
    return;
  c.name = rule->name;
  c.own = rule->flags & CLAUSE_OWN;
  c.sets = rule->flags & CLAUSE_SETS;
  if (!(rule->flags & CLAUSE_REPEATS) && is_repeated(s, p, &c))
    return;
  if (c.has_args && rule->args == ARGS_NONE)
    diag_error(s, c.offset, c.size, NULL, "'%s' takes no arguments", c.name);
  else if (!c.has_args && rule->args == ARGS_MUST)
    diag_error(s, c.offset, c.size, arena_printf("write %s(…)", c.name),
               "'%s' needs arguments", c.name);
  else if (c.has_args)
    pragma_arguments(s, p, &c, rule);
  *GROW(p->clauses, p->n_clauses) = c;
}

// Returns what to do about T, which begins no clause of P; NULL: not known.
static const char *pragma_no_clause(const struct pragma *p, struct token t) {
  unsigned n;
  const struct clause_rule *r = clause_rules(p->kind, &n);
  if (slice_is(t.text, ";") || slice_is(t.text, ","))
    return "clauses are separated by blanks or single commas";
  if (slice_is(t.text, "--") || slice_is(t.text, "-"))
    return "clauses have no dashes";
  bool value = t.kind == TOKEN_NUMBER || slice_is(t.text, "(") || slice_is(t.text, "{");
  for (bool other; p->kind == PRAGMA_LOOP && value && !p->n_clauses && n > 0; n--, r++)
    if ((r->flags & CLAUSE_OWN) && clause_rule(p, slice_of(r->name), &other) == r)
      return arena_printf("write %s %s(…)", directive_name(p->directive), r->name);
  return NULL;
}

static void read_clauses(const struct source *s, struct pragma *p, struct lexer *l) {
  bool comma = true; // a comma may stand between two clauses
  for (struct token t = lex(l); t.kind != TOKEN_END; t = lex(l)) {
    if (slice_is(t.text, ",") && !comma) {
      comma = true;
      continue;
    }
    if (t.kind != TOKEN_WORD) {
      error_at(s, p, t.text, pragma_no_clause(p, t), "expected a clause, not '%.*s'");
      return;
    }
    comma = false;
    struct clause c = { .offset = pragma_offset(p, t.text), .size = t.text.size };
    struct lexer ahead = *l;
    struct token open = lex(&ahead);
    if (slice_is(open.text, "(")) {
      *l = ahead;
      if (!read_body(l, &c)) {
        error_at(s, p, open.text, NULL, "this bracket and those within do not match up");
        return;
      }
    }
    unsigned before = diag_errors();
    keep_clause(s, p, c, t.text);
    if (diag_errors() != before && (slice_is(open.text, "=") || slice_is(open.text, ":")))
      return; // that would be the next error
  }
}

// Reads the longest directive that the next words spell.
static bool pragma_read_directive(struct lexer *l, unsigned *kind) {
  size_t longest = 0;
  struct lexer best = *l;
  for (unsigned i = 0; i < DIR_KINDS; i++) {
    const char *name = directive_name(i);
    struct lexer ahead = *l;
    struct lexer words = lexer_of(slice_of(name));
    struct token word = lex(&words);
    while (word.kind == TOKEN_WORD) {
      struct slice t = lex(&ahead).text;
      if (!slices_same(t, word.text))
        break;
      word = lex(&words);
    }
    if (word.kind == TOKEN_END && strlen(name) > longest) {
      longest = strlen(name);
      best = ahead;
      *kind = i;
    }
  }
  *l = best;
  return longest > 0;
}

// Turns `alternative(NAME)` into a clause of that name with one argument.
static bool pragma_read_alternative(const struct source *s, struct pragma *p,
                                    struct lexer *l, struct slice word) {
  static const struct clause_rule rule = { "alternative", 0, ARGS_MUST, CLAUSE_ONE };
  struct clause c = { .name = "alternative",
                      .offset = pragma_offset(p, word),
                      .size = word.size };
  struct token open = lex(l);
  if (!slice_is(open.text, "(") || !read_body(l, &c)) {
    diag_error(s, c.offset, c.size, "write alternative(KERNEL)",
               "'alternative' needs the name of a kernel");
    return false;
  }
  unsigned before = diag_errors();
  pragma_arguments(s, p, &c, &rule);
  *GROW(p->clauses, p->n_clauses) = c;
  return diag_errors() == before;
}

// Reads the text after `autotune`. Returns false, after an error message, if the pragma
// is useless.
static bool pragma_read_pragma(const struct source *s, struct pragma *p,
                               struct lexer *l) {
  struct lexer ahead = *l;
  struct token t = lex(&ahead);
  if (t.kind == TOKEN_END) {
    diag_error(s, p->offset, p->end - p->offset,
               "write kernel on a function, alternative(KERNEL), or a loop directive",
               "'#pragma autotune' says nothing");
    return false;
  }
  if (slice_is(t.text, "kernel")) {
    p->kind = PRAGMA_KERNEL;
    *l = ahead;
  } else if (slice_is(t.text, "alternative")) {
    p->kind = PRAGMA_ALTERNATIVE;
    *l = ahead;
    if (!pragma_read_alternative(s, p, l, t.text))
      return false;
  } else if (pragma_read_directive(l, &p->directive)) {
    p->kind = PRAGMA_LOOP;
  } else {
    const struct pragma loop = { .kind = PRAGMA_LOOP };
    error_at(s, p, t.text,
             slice_is(t.text, "parallel")  ? "write 'parallel for' or 'parallel loop'"
                 : slice_is(t.text, "omp") ? "leave 'omp' away"
                 : slice_is(t.text, ":")   ? "leave the colon away"
                 : pragma_other_kind(&loop, t.text)
                 ? "write 'kernel' before the clauses of a kernel"
                 : did_you_mean(s, p, t.text, directive_words()),
             "unknown directive '%.*s'");
    return false;
  }
  read_clauses(s, p, l);
  return true;
}

static void check_needed(const struct source *s, const struct pragma *p) {
  unsigned n;
  const struct clause_rule *r = clause_rules(p->kind, &n);
  for (; p->kind == PRAGMA_LOOP && n > 0; n--, r++) {
    bool found = !clause_is_needed(r, p);
    for (unsigned i = 0; i < p->n_clauses; i++)
      found = found || strcmp(p->clauses[i].name, r->name) == 0;
    if (!found)
      diag_error(s, p->offset, p->end - p->offset,
                 arena_printf("write %s %s(…)", directive_name(p->directive), r->name),
                 "'%s' needs the clause '%s'", directive_name(p->directive), r->name);
  }
}

// Checks `_Pragma("autotune …")`: if the line it takes effect on comes from a macro, no
// text can be inserted there.
static void check_operator(const struct source *s, struct lexer l, struct slice word) {
  struct token open = lex(&l), string = lex(&l);
  if (!slice_is(open.text, "(") || string.kind != TOKEN_STRING)
    return;
  struct lexer inside =
      lexer_of((struct slice){ string.text.data + 1, string.text.size - 1 });
  if (slice_is(lex(&inside).text, "autotune"))
    diag_error(s, (size_t)(word.data - s->text), word.size,
               "write '#pragma autotune …' instead",
               "'_Pragma(\"autotune …\")' is not understood");
}

// Returns the pragma whose '#' is at HASH. Its line is known to be one of ours.
static struct pragma begin_pragma(const struct source *s, const char *hash,
                                  const char *end) {
  while (end > hash && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
    end--;
  return (struct pragma){ .offset = (size_t)(hash - s->text),
                          .end = (size_t)(end - s->text),
                          .blanked = lex_blank(hash, (size_t)(end - hash)) };
}

// True if nothing but pragmas and `#line` stand between L and a loop directive of ours.
static bool pragma_precedes_directive(struct lexer l) {
  struct lexer rest;
  for (;;) {
    struct token t = lex(&l);
    unsigned kind;
    if (t.kind == TOKEN_END || !t.first || !slice_is(t.text, "#"))
      return false;
    bool number = line_is_number(l);
    if (lex_directive(&l, &rest) != LINE_PRAGMA && !number)
      return false;
    if (!number && slice_is(lex(&rest).text, "autotune"))
      return pragma_read_directive(&rest, &kind);
  }
}

// Reads the pragma of OpenMP whose text after `omp` is at L. Returns true if it is a
// directive that shares out the loop that stands after the directives of ours in NEXT:
// then the loop that these make is shared out, as if P were one of ours.
static bool pragma_read_openmp(const struct source *s, struct pragma *p, struct lexer *l,
                               struct lexer next) {
  if (!pragma_precedes_directive(next) || !pragma_read_directive(l, &p->directive) ||
      !(directive_groups(p->directive) & GROUP_OPENMP))
    return false;
  p->kind = PRAGMA_LOOP;
  p->openmp = true;
  read_clauses(s, p, l);
  return true;
}

// Reports the line after P, whose end is at L, if it begins with a clause of P.
static void pragma_check_next(const struct source *s, const struct pragma *p,
                              struct lexer l) {
  bool other;
  struct token t = lex(&l);
  if (t.kind == TOKEN_WORD && !is_keyword(t.text) && slice_is(lex(&l).text, "(") &&
      clause_rule(p, t.text, &other))
    diag_error(s, (size_t)(t.text.data - s->text), t.text.size,
               "end the line before it with a backslash",
               "this clause is on a line that does not belong to the pragma");
}

struct pragma *pragma_all(const struct source *s, unsigned *n) {
  struct pragma *all = NULL;
  struct lexer l = lexer_of((struct slice){ s->text, s->size });
  *n = 0;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (slice_is(t.text, "_Pragma"))
      check_operator(s, l, t.text);
    if (!t.first || !slice_is(t.text, "#"))
      continue;
    const char *end = lex_line_end(t.text.data, s->text + s->size);
    struct lexer line = { l.p, end, false };
    struct slice who = slice_is(lex(&line).text, "pragma") ? lex(&line).text : t.text;
    bool openmp = slice_is(who, "omp");
    if (!openmp && !slice_is(who, "autotune"))
      continue;
    struct pragma p = begin_pragma(s, t.text.data, end);
    struct lexer rest = { p.blanked + (line.p - t.text.data),
                          p.blanked + (p.end - p.offset), false },
                 next = { end, s->text + s->size, true };
    unsigned before = diag_errors();
    if (openmp ? pragma_read_openmp(s, &p, &rest, next)
               : pragma_read_pragma(s, &p, &rest)) {
      if (diag_errors() == before)
        check_needed(s, &p);
      if (!openmp)
        pragma_check_next(s, &p, next);
      p.broken = diag_errors() != before;
      *GROW(all, *n) = p;
    }
    l = (struct lexer){ end, s->text + s->size, true };
  }
  return all;
}
