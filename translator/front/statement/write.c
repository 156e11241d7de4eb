// SPDX-License-Identifier: Apache-2.0
// write.c: the function that a statement becomes, and the call in its place.
#include <string.h>

#include "front/emit/emit.h"
#include "statement.h"

#define WORD(s) (int)(s).size, (s).data

// Appends the words of C's type. INSIDE the new function the parameter of its template
// stands for `auto`.
static void write_specifiers(const struct capture *c, bool inside, struct text *out) {
  const char *from = c->specifiers.data, *end = from + c->specifiers.size;
  struct lexer l = lexer_of(c->specifiers);
  if (inside && c->constant && !lex_mentions(c->specifiers, slice_of("const")))
    text_printf(out, "const ");
  for (struct token t; inside && c->deduced && (t = lex(&l)).kind != TOKEN_END;) {
    if (!slice_is(t.text, "auto"))
      continue;
    text_add(out, from, (size_t)(t.text.data - from));
    text_printf(out, "autotune_type_%.*s", WORD(c->name));
    from = l.p;
  }
  text_add(out, from, (size_t)(end - from));
}

// Appends the declaration of C with BEFORE and AFTER around its name: "double
// (*autotune_x)". INSIDE: in the new function.
static void write_declared(const struct capture *c, bool inside, const char *before,
                           const char *name, const char *after, struct text *out) {
  const char *behind = c->at + c->name.size,
             *end = c->declarator.data + c->declarator.size;
  write_specifiers(c, inside, out);
  text_printf(out, " ");
  for (const char *p = c->declarator.data; p < c->at; p++)
    if (*p != '&' || p[1] != '&') // the name of `T &&x` is no rvalue
      text_add(out, p, 1);
  text_printf(out, "%s%s%s%.*s", before, name, after, (int)(end - behind), behind);
}

static const char *write_name(const struct capture *c) {
  return arena_copy(c->name.data, c->name.size);
}

static const char *write_copy(const struct capture *c) {
  return arena_printf("autotune_to_%.*s", WORD(c->name));
}

// ---- the function -------------------------------------------------------------------

// True if C is no parameter of the new function.
static bool write_is_own(const struct capture *c) {
  return c->pass == PASS_OWN || c->pass == PASS_OWN_VALUE;
}

// Appends the head of the template that the new function is in C++, if it is one.
static void write_template(const struct statement *st, struct text *out) {
  struct text names = { 0 };
  for (unsigned i = 0; i < st->n_parameters; i++)
    if (st->parameters[i].used)
      text_printf(&names, "%s%.*s", names.size ? ", " : "", WORD(st->parameters[i].text));
  for (unsigned i = 0; i < st->n_captures; i++)
    if (st->captures[i].deduced && !write_is_own(&st->captures[i]))
      text_printf(&names, "%stypename autotune_type_%.*s", names.size ? ", " : "",
                  WORD(st->captures[i].name));
  if (names.size)
    text_printf(out, "template <%s> ", names.data);
}

static void write_parameters(const struct statement *st, struct text *out) {
  bool any = false;
  for (unsigned i = 0; i < st->n_captures; i++) {
    const struct capture *c = &st->captures[i];
    if (write_is_own(c))
      continue;
    text_printf(out, any ? ", " : "");
    any = true;
    if (c->pass == PASS_VALUE && c->local_size)
      text_printf(out, "%.*s %.*s[]", WORD(c->specifiers),
                  (int)(c->at + c->name.size - c->declarator.data), c->declarator.data);
    else if (c->pass == PASS_VALUE)
      write_declared(c, true, "", write_name(c), "", out);
    else if (c->pass == PASS_COPY)
      write_declared(c, true, "(*", write_copy(c), ")", out);
    else if (st->cplusplus && c->aliased && c->shape == SHAPE_PLAIN)
      write_declared(c, true, "&", write_name(c), "", out);
    else // view.c knows by (&x) that nothing else leads to the variable
      write_declared(c, true, st->cplusplus ? "(&" : "(*", write_name(c), ")", out);
    if (c->size)
      text_printf(out, ", std::size_t %s", c->size);
  }
  text_printf(out, any ? "" : "void");
}

static void write_variables(const struct statement *st, struct text *out) {
  for (unsigned i = 0; i < st->n_captures; i++) {
    const struct capture *c = &st->captures[i];
    if (!write_is_own(c) && c->pass != PASS_COPY)
      continue;
    struct slice whole = c->pass == PASS_OWN_VALUE ? statement_text(st, c->declared)
                                                   : (struct slice){ 0 };
    text_printf(out, " ");
    if (whole.size)
      text_printf(out, "%.*s %.*s", WORD(c->specifiers), WORD(whole));
    else
      write_declared(c, true, "", write_name(c), "", out);
    if (c->pass == PASS_COPY)
      text_printf(out, " = *%s", write_copy(c));
    text_printf(out, ";");
  }
}

// Appends what copies variables back. CALL: in the function around the statement, where
// they may be members.
static void write_back(const struct statement *st, bool call, struct text *out) {
  for (unsigned i = 0; i < st->n_captures; i++) {
    const struct capture *c = &st->captures[i];
    if (c->pass == PASS_COPY && call)
      text_printf(out, " %s%s = %s;", c->by_this ? "this->" : "", write_name(c),
                  write_copy(c));
    else if (c->pass == PASS_COPY)
      text_printf(out, "*%s = %s; ", write_copy(c), write_name(c));
  }
}

// The place in the statement where a variable that is passed by its place is named.
struct mention {
  size_t at;
  const struct capture *c;
};

// Returns the first mention from FROM on; C is NULL if there is none.
static struct mention write_next(const struct statement *st, size_t from) {
  struct mention best = { SIZE_MAX, NULL };
  for (unsigned i = 0; i < st->n_captures; i++) {
    const struct capture *c = &st->captures[i];
    for (unsigned j = 0; c->pass == PASS_PLACE && !st->cplusplus && j < c->n_mentions;
         j++)
      if (c->mentions[j] >= from && c->mentions[j] < best.at)
        best = (struct mention){ c->mentions[j], c };
  }
  return best;
}

// Appends the statement as written, but for variables that are passed by their places,
// `this->` and members of containers.
static void write_statement(const struct statement *st, struct text *out) {
  size_t at = st->from, end = statement_end(st);
  for (unsigned i = 0; i < st->n_drops; at = st->drops[i++].end) {
    text_add(out, st->s->text + at, st->drops[i].start - at);
    text_printf(out, "%s", st->drops[i].text);
  }
  for (struct mention m; (m = write_next(st, at)).c; at = m.at + m.c->name.size) {
    text_add(out, st->s->text + at, m.at - at);
    text_printf(out, "(*%.*s)", WORD(m.c->name));
  }
  text_add(out, st->s->text + at, end - at);
}

// ---- the pragma ---------------------------------------------------------------------

// Appends the name of C, a word of a clause, so that it means the same in the function.
// SECTION: it is all of one.
static void write_clause_name(const struct capture *c, bool section, struct text *out) {
  const char *name = c->pass == PASS_COPY ? write_copy(c) : write_name(c);
  if (section)
    text_printf(out, "%s[0:1]", name);
  else
    text_printf(out, "(*%s)", name);
}

static bool write_is_access(struct slice word) {
  for (unsigned i = 1; i <= 4; i++)
    if (slice_is(word, sections_access[i]))
      return true;
  return false;
}

// Appends the clauses of the pragma, from the word `kernel` on. Sets *SECTIONS if there
// are sections among them, and notes in SEEN which variables they name.
static void write_clauses(const struct statement *st, bool *sections, struct names *seen,
                          struct text *out) {
  const struct pragma *p = st->p;
  const char *text = st->s->text + p->offset, *from = text, *end = st->s->text + p->end;
  struct lexer l = lexer_of((struct slice){ p->blanked, p->end - p->offset });
  struct slice before = { 0 }, clause = { 0 };
  unsigned depth = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; before = t.text) {
    struct lexer ahead = l;
    struct slice next = lex(&ahead).text;
    int bracket = lex_bracket(t.text);
    depth += (unsigned)bracket;
    if (slice_is(t.text, "this") && slice_is(next, "->")) {
      text_add(out, from, (size_t)(text + (t.text.data - p->blanked) - from));
      l = ahead;
      from = text + (l.p - p->blanked);
      continue;
    }
    if (depth == 0 && t.kind == TOKEN_WORD)
      clause = t.text;
    *sections = *sections || (depth == 0 && write_is_access(t.text));
    const struct capture *c = depth && t.kind == TOKEN_WORD && !slice_is(before, ".") &&
            !slice_is(before, "->")
        ? captures_named(st, t.text)
        : NULL;
    bool named = c && (c->pass == PASS_COPY || c->pass == PASS_PLACE);
    if (c && st->cplusplus && write_is_access(clause))
      names_put(seen, t.text);
    if (c && c->view) {
      struct slice use = views_clause_use(&l) == VIEWS_SIZE ? slice_of(c->size) : c->name;
      text_add(out, from, (size_t)(text + (t.text.data - p->blanked) - from));
      text_printf(out, "%.*s", WORD(use));
      from = text + (l.p - p->blanked);
      continue;
    }
    if (!named || (st->cplusplus && c->pass == PASS_PLACE))
      continue;
    bool whole = write_is_access(clause) && depth == 1 &&
        (slice_is(before, "(") || slice_is(before, ",")) &&
        (slice_is(next, ")") || slice_is(next, ","));
    size_t at = (size_t)(t.text.data - p->blanked);
    text_add(out, from, (size_t)(text + at - from));
    write_clause_name(c, whole, out);
    from = text + at + t.text.size;
    if (write_is_access(clause))
      names_put(seen, t.text);
  }
  text_add(out, from, (size_t)(end - from));
}

static void write_pragma(const struct statement *st, struct text *out) {
  bool sections = false;
  struct names seen = { 0 };
  if (st->p->kind == PRAGMA_LOOP) {
    text_printf(out, "#pragma autotune kernel\n");
    return;
  }
  write_clauses(st, &sections, &seen, out);
  for (unsigned i = 0; sections && i < st->n_captures; i++) {
    const struct capture *c = &st->captures[i];
    bool place = c->pass == PASS_PLACE && c->shape == SHAPE_PLAIN && !st->cplusplus;
    bool reference = st->cplusplus && c->changed && !c->constant &&
        (c->pass == PASS_PLACE || c->shape == SHAPE_REFERENCE);
    if (reference && !names_has(&seen, c->name))
      text_printf(out, " inout(%s)", write_name(c));
    if ((c->pass == PASS_COPY || place) && !names_has(&seen, c->name))
      text_printf(out, " inout(%s[0:1])", place ? write_name(c) : write_copy(c));
  }
  text_printf(out, "\n");
}

// ---- conditions ---------------------------------------------------------------------

// Appends the directives of the #ifs that are open in the function before the statement,
// so that the new function is there if the statement is. Returns their number.
static unsigned write_conditions(const struct statement *st, struct text *out) {
  struct slice *lines = NULL;
  unsigned n = 0, *starts = NULL, depth = 0;
  struct slice text = { st->s->text, st->p->offset };
  struct directive d;
  for (size_t at = st->f.start; directive_next(text, &at, &d);) {
    enum line kind = line_kind(d.word);
    if (!line_is_conditional(kind))
      continue;
    if (kind == LINE_IF)
      *GROW(starts, depth) = n;
    if (kind == LINE_ENDIF && depth) {
      n = starts[--depth];
      continue;
    }
    struct slice line = { st->s->text + d.offset, d.end - d.offset };
    if (depth)
      *GROW(lines, n) = line;
  }
  for (unsigned i = 0; i < n; i++)
    text_add(out, lines[i].data, lines[i].size);
  return depth;
}

void statement_write_function(const struct statement *st, size_t at, struct text *out) {
  const struct source *s = st->s;
  // Nothing stands at the line of AT but the text there.
  if (at > 0 && s->text[at - 1] != '\n')
    text_printf(out, "\n");
  source_resume(s, st->p->offset, out);
  unsigned conditions = write_conditions(st, out);
  emit_resume(s, st->p->offset, out);
  write_pragma(st, out);
  source_resume(s, ts_node_start_byte(st->node), out);
  write_template(st, out);
  text_printf(out, "static %svoid %s(", made_target(st), st->name);
  write_parameters(st, out);
  text_printf(out, ") {");
  text_printf(out, "%s", st->usings);
  write_variables(st, out);
  text_printf(out, "\n");
  emit_resume(s, st->from, out);
  write_statement(st, out);
  text_printf(out, "\n");
  write_back(st, false, out);
  text_printf(out, "}\n");
  while (conditions-- > 0)
    text_printf(out, "#endif\n");
  emit_resume(s, at, out);
}

// ---- the call -----------------------------------------------------------------------

static void write_arguments(const struct statement *st, struct text *out) {
  bool any = false;
  for (unsigned i = 0; i < st->n_captures; i++) {
    const struct capture *c = &st->captures[i];
    bool address = c->pass == PASS_PLACE && !st->cplusplus;
    if (write_is_own(c))
      continue;
    text_printf(out, any ? ", " : "");
    any = true;
    if (c->pass == PASS_COPY)
      text_printf(out, "&%s", write_copy(c));
    else
      text_printf(out, "%s%s%s",
                  c->by_this    ? "this->"
                      : address ? "&"
                                : "",
                  write_name(c), c->view ? ".data()" : "");
    if (c->size)
      text_printf(out, ", %s%s.size()", c->by_this ? "this->" : "", write_name(c));
  }
}

void statement_write_call(const struct statement *st, struct text *out, size_t *call) {
  const struct source *s = st->s;
  text_printf(out, "\n");
  source_resume(s, st->p->offset, out);
  text_printf(out, "{");
  for (unsigned i = 0; i < st->n_captures; i++)
    if (st->captures[i].pass == PASS_COPY) {
      text_printf(out, " ");
      write_declared(&st->captures[i], false, "", write_copy(&st->captures[i]), "", out);
      text_printf(out, " = %s%s;", st->captures[i].by_this ? "this->" : "",
                  write_name(&st->captures[i]));
    }
  text_printf(out, " if (");
  *call = out->size;
  text_printf(out, "(%s", st->name);
  bool any = false;
  for (unsigned i = 0; i < st->n_parameters; i++)
    if (st->parameters[i].used) {
      text_printf(out, "%s%.*s", any ? ", " : "<", WORD(st->parameters[i].name));
      any = true;
    }
  text_printf(out, any ? ">(" : "(");
  write_arguments(st, out);
  text_printf(out, "), 1)) {");
  write_back(st, true, out);
  text_printf(out, " } else {\n");
  emit_resume(s, st->p->end, out);
}
