// SPDX-License-Identifier: Apache-2.0
// cut.c: reads one declaration at file or namespace scope, from its first token to its
// end.
#include "cut.h"

// True if WORD, at the start of a line, begins a declaration after a macro without `;`.
static bool begins_declaration(struct slice word) {
  static const char *const words[] = {
    "template",     "namespace", "typedef",   "using",      "static",     "extern",
    "struct",       "class",     "enum",      "__global__", "__device__", "__host__",
    "__constant__", "inline",    "constexpr", NULL
  };
  return slice_in(word, words);
}

static bool is_class_word(struct slice word) {
  return word_of_cplusplus(word) & WORD_TAG;
}

// ---- groups -------------------------------------------------------------------------

// Skips a directive within a declaration, whose `#` has been read. Of several branches
// the first decides the depth of brackets after them: DEPTHS keeps the depth before them.
struct depths {
  unsigned at[64], n;
  unsigned closed; // #endifs without an #if
};

static void cut_skip_directive(struct lexer *l, struct depths *d, unsigned *depth) {
  struct lexer rest;
  enum line kind = lex_directive(l, &rest);
  if (kind == LINE_IF && d->n < sizeof d->at / sizeof *d->at)
    d->at[d->n++] = *depth;
  else if (kind == LINE_ELSE && d->n)
    *depth = d->at[d->n - 1];
  else if (kind == LINE_ENDIF && d->n)
    d->n--;
  else if (kind == LINE_ENDIF)
    d->closed++;
}

// Moves L past the bracket that closes the one just read.
bool cut_skip_group(struct lexer *l) {
  struct depths d = { .n = 0 };
  unsigned depth = 1;
  for (struct token t; depth && (t = lex(l)).kind != TOKEN_END;) {
    if (t.first && slice_is(t.text, "#"))
      cut_skip_directive(l, &d, &depth);
    else
      depth += (unsigned)lex_bracket(t.text);
  }
  return depth == 0;
}

bool cut_skip_angles(struct lexer *l) {
  struct lexer ahead = *l;
  if (!slice_is(lex(&ahead).text, "<"))
    return false;
  unsigned depth = 1;
  struct slice previous = { 0 };
  for (struct token t; depth && (t = lex(&ahead)).kind != TOKEN_END; previous = t.text) {
    if (slice_is(t.text, "<"))
      depth++;
    else if (slice_is(t.text, ">"))
      depth--;
    else if (slice_is(t.text, ">>"))
      depth -= depth < 2 ? depth : 2;
    else if (slice_is(t.text, "(") || (slice_is(t.text, "{") && slice_is(previous, "]")))
      cut_skip_group(&ahead); // `[] { … }`
    else if (slice_is(t.text, ";") || slice_is(t.text, "{"))
      return false;
  }
  *l = ahead;
  return depth == 0;
}

// ---- one declaration ----------------------------------------------------------------

struct declaration {
  struct item *item;
  struct token previous;  // the previous token at depth 0
  struct slice qualifier; // S of `S::run`
  bool has_class, is_enum, has_tag, is_typedef, is_using;
  bool parameters, initialised, members; // seen: (…), `=`, `:` after (…)
};

static void add_name(struct item *i, struct slice name) {
  if (name.size && !word_of_cplusplus(name))
    GROW(i->names, i->n_names)->name = name;
}

// Adds the names of `{ A, B = 1, C }`. BODY begins inside the bracket.
static void add_enumerators(struct item *i, struct slice body) {
  struct lexer l = lexer_of(body);
  bool next = true;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (t.kind == TOKEN_WORD && next)
      add_name(i, t.text);
    next = slice_is(t.text, ",");
    if (lex_bracket(t.text) > 0)
      cut_skip_group(&l);
  }
}

// Adds the `*name` or `::name` before a `)`, which `typedef void (*name)(int)` and `float
// (*name)[4]` declare.
static void add_inner_name(struct item *i, struct slice group) {
  struct lexer l = lexer_of(group);
  if (!slice_is(lex(&l).text, "*") &&
      !slice_is(lex(&(struct lexer){ group.data, group.data + group.size, false }).text,
                "&"))
    return;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && !word_of_cplusplus(t.text)) {
      add_name(i, t.text);
      return;
    }
}

static void see_head_end(struct declaration *d, const char *at) {
  if (!d->item->head_end)
    d->item->head_end = at;
}

static void see_parentheses(struct cutter *c, struct declaration *d, struct token t) {
  const char *inside = c->l.p;
  cut_skip_group(&c->l);
  struct slice group = { inside, (size_t)(c->l.p - inside) };
  if (word_of_cplusplus(d->previous.text) & WORD_ATTRIBUTE)
    return;
  if (d->previous.kind == TOKEN_WORD && !word_of_cplusplus(d->previous.text) &&
      !d->parameters && !d->initialised) {
    add_name(d->item, d->previous.text);
    add_name(d->item, d->qualifier);
    d->item->function = !d->is_typedef;
    d->parameters = true;
  } else if (!d->parameters && !d->initialised) {
    add_inner_name(d->item, group);
  }
  d->previous = t;
  d->previous.text = (struct slice){ c->l.p - 1, 1 };
}

// Handles `{`. True if the declaration ends with the group.
static bool see_brace(struct cutter *c, struct declaration *d, struct token t) {
  bool after_parentheses = slice_is(d->previous.text, ")");
  bool word = d->previous.kind == TOKEN_WORD || slice_is(d->previous.text, ">") ||
      slice_is(d->previous.text, ">>");
  bool body = false;
  if (!d->initialised && d->has_class && !after_parentheses && !d->item->type) {
    d->item->type = true;
    d->item->function = d->parameters = false; // the parentheses were a macro's
    see_head_end(d, t.text.data);
    if (!d->has_tag && d->previous.kind == TOKEN_WORD &&
        !word_of_cplusplus(d->previous.text))
      add_name(d->item, d->previous.text);
  } else if (!d->initialised && d->parameters) {
    body = !(d->members && word);
    if (body)
      see_head_end(d, t.text.data);
  } else {
    if (!d->initialised && d->previous.kind == TOKEN_WORD)
      add_name(d->item, d->previous.text);
    see_head_end(d, t.text.data);
    d->initialised = true;
  }
  const char *inside = c->l.p;
  cut_skip_group(&c->l);
  if (d->item->type && d->is_enum && !d->parameters && !d->initialised)
    add_enumerators(d->item, (struct slice){ inside, (size_t)(c->l.p - inside) - 1 });
  d->previous = t;
  d->previous.text = (struct slice){ c->l.p - 1, 1 };
  return body;
}

// Handles `operator` and the name after it, up to its parameters.
static void see_operator(struct cutter *c, struct declaration *d) {
  d->item->operator_function = true;
  d->item->function = d->parameters = true;
  struct lexer ahead = c->l;
  struct token t = lex(&ahead);
  if (slice_is(t.text, "(")) { // operator()
    (void)lex(&ahead);
    c->l = ahead;
  } else {
    for (; t.kind != TOKEN_END && !slice_is(t.text, "("); t = lex(&ahead))
      c->l = ahead;
  }
}

static bool is_joint(struct slice text) {
  static const char *const joints[] = { "&&", "||", "&", "|", "!", ":", "::", NULL };
  return slice_in(text, joints);
}

// Moves L past what follows `requires`: names with angle brackets, groups, and `requires
// (…) { … }`, with && and || between.
static void cut_skip_requires(struct lexer *l) {
  bool operand = true; // one must come next
  for (;;) {
    struct lexer ahead = *l;
    struct token t = lex(&ahead);
    if (is_joint(t.text)) {
      operand = true;
    } else if (!operand) {
      return;
    } else if (slice_is(t.text, "(")) {
      cut_skip_group(&ahead);
      operand = false;
    } else if (slice_is(t.text, "requires")) {
      struct lexer group = ahead;
      if (slice_is(lex(&group).text, "(") && cut_skip_group(&group))
        ahead = group;
      group = ahead;
      if (slice_is(lex(&group).text, "{") && cut_skip_group(&group))
        ahead = group;
      operand = false;
    } else if (t.kind == TOKEN_WORD) {
      cut_skip_angles(&ahead);
      operand = false;
    } else {
      return;
    }
    *l = ahead;
  }
}

static void declaration_see_word(struct cutter *c, struct declaration *d,
                                 struct token t) {
  struct slice word = t.text;
  if (!slice_is(d->previous.text, ":"))
    d->qualifier = (struct slice){ 0 };
  if (is_class_word(word) && !d->parameters && !d->initialised) {
    d->is_enum = slice_is(word, "enum") || (d->is_enum && d->has_class);
    d->has_class = true;
  } else if (slice_is(word, "template")) {
    cut_skip_angles(&c->l);
  } else if (slice_is(word, "requires")) {
    cut_skip_requires(&c->l);
  } else if (slice_is(word, "operator")) {
    see_operator(c, d);
  } else if (slice_is(word, "typedef")) {
    d->is_typedef = true;
  } else if (slice_is(word, "using")) {
    d->is_using = true;
  } else if (slice_is(word, "namespace") && d->is_using) {
    d->item->using_namespace = true;
  }
}

// True for a `:` that is not half of `::`.
static bool is_single_colon(const struct cutter *c, const struct declaration *d,
                            struct slice text) {
  bool second = text.data > d->item->text.data && text.data[-1] == ':';
  return slice_is(text, ":") && !second && !(c->l.p < c->l.end && *c->l.p == ':');
}

static void see_colon(struct declaration *d) {
  if (d->has_class && !d->parameters && d->previous.kind == TOKEN_WORD && !d->has_tag) {
    struct slice tag = d->previous.text;
    add_name(d->item, tag);
    d->has_tag = true;
  }
  d->members |= d->parameters;
}

// Handles angle brackets: of a specialisation's tag, `struct S<T> : …`, or of a
// qualifier, `S<T>::run`.
static void see_angles(struct cutter *c, struct declaration *d) {
  struct lexer l = { c->l.p - 1, c->l.end, false };
  if (d->previous.kind != TOKEN_WORD || d->initialised || !cut_skip_angles(&l))
    return;
  struct lexer ahead = l;
  struct slice next = lex(&ahead).text;
  if (slice_is(next, ":") && !d->has_class) {
    d->qualifier = d->previous.text;
  } else if (slice_is(next, "(") || slice_is(next, "=") ||
             (d->has_class && (slice_is(next, ":") || slice_is(next, "{")))) {
    add_name(d->item, d->previous.text);
    d->has_tag |= d->has_class && !slice_is(next, "(");
    if (slice_is(next, "(") && !word_of_cplusplus(d->previous.text) && !d->initialised)
      d->item->function = d->parameters = true;
  }
  c->l = l;
}

// True for `struct S;`, also of a template.
static bool is_forward(struct slice text) {
  struct lexer l = lexer_of(text);
  struct token t = lex(&l);
  if (slice_is(t.text, "template")) {
    cut_skip_angles(&l);
    t = lex(&l);
  }
  bool class = is_class_word(t.text);
  while (is_class_word((t = lex(&l)).text))
    ;
  struct slice next = lex(&l).text;
  return class && t.kind == TOKEN_WORD && (slice_is(next, ";") || slice_is(next, ":"));
}

// Handles T, which neither ends the declaration nor opens a group.
static void see_other(struct cutter *c, struct declaration *d, struct token t) {
  if (t.kind == TOKEN_WORD) {
    declaration_see_word(c, d, t);
  } else if (slice_is(t.text, "[")) {
    cut_skip_group(&c->l);
  } else if (slice_is(t.text, "=")) {
    see_head_end(d, t.text.data);
    d->initialised = !d->parameters;
  } else if (slice_is(t.text, ",")) {
    d->initialised = false;
  } else if (slice_is(t.text, "<")) {
    see_angles(c, d);
  } else if (is_single_colon(c, d, t.text)) {
    see_colon(d);
  } else if (slice_is(t.text, ":") && d->previous.kind == TOKEN_WORD &&
             !d->qualifier.size) {
    d->qualifier = d->previous.text;
  }
  d->previous = t;
}

// Adds the word before T as a name if T ends the name of a variable or a type.
static void see_name_end(struct declaration *d, struct token t) {
  static const char *const ends[] = { "=", ";", ",", "[", NULL };
  if (slice_in(t.text, ends) && d->previous.kind == TOKEN_WORD && !d->initialised &&
      !d->parameters)
    add_name(d->item, d->previous.text);
}

// Handles T in C++. True if the declaration ends with the group that T opens.
static bool see_in_cplusplus(struct cutter *c, struct declaration *d, struct token t) {
  see_name_end(d, t);
  if (slice_is(t.text, "{"))
    return see_brace(c, d, t);
  if (slice_is(t.text, "("))
    see_parentheses(c, d, t);
  else
    see_other(c, d, t);
  return false;
}

// True if GROUP is `(a, n)` and a declaration comes next, of one of these arguments.
static bool see_untyped(const struct cutter *c, struct slice group) {
  struct lexer l = lexer_of(group), next = c->l;
  bool name = true; // comes next
  struct token t = lex(&l);
  while (!slice_is((t = lex(&l)).text, ")")) {
    if (name ? t.kind != TOKEN_WORD || word_of_c(t.text) : !slice_is(t.text, ","))
      return false;
    name = !name;
  }
  while ((t = lex(&next)).first && slice_is(t.text, "#")) { // a linemarker
    struct lexer rest;
    lex_directive(&next, &rest);
  }
  return t.kind == TOKEN_WORD && !(word_of_c(t.text) & WORD_ATTRIBUTE);
}

// Handles T in preprocessed C; declare.c reads the names. True if the declaration ends
// with the group that T opens.
static bool see_in_c(struct cutter *c, struct declaration *d, struct token t) {
  bool first = t.text.data == d->item->text.data; // after `int f(x) int x;`
  bool body = slice_is(t.text, "{") && ((d->parameters && !d->initialised) || first);
  bool named = slice_is(t.text, "(") && !d->parameters && !d->initialised &&
      d->previous.kind == TOKEN_WORD && !word_of_c(d->previous.text);
  d->parameters |= slice_is(t.text, "(") &&
      !(word_of_c(d->previous.text) & WORD_ATTRIBUTE);
  d->initialised |= slice_is(t.text, "=");
  if (body)
    d->item->body = t.text.data;
  d->previous = t;
  if (lex_bracket(t.text) > 0) {
    body = cut_skip_group(&c->l) && body;
    d->previous.text = (struct slice){ c->l.p - 1, 1 };
    struct slice group = { t.text.data, (size_t)(c->l.p - t.text.data) };
    if (named && see_untyped(c, group))
      d->item->untyped = group;
  }
  return body;
}

struct item cut_declaration(struct cutter *c, struct token t) {
  struct item i = { .kind = ITEM_CODE, .text = t.text };
  struct declaration d = { .item = &i };
  struct depths depths = { .n = 0 };
  unsigned depth = 0;
  c->complete = false;
  struct lexer before;
  for (bool first = true; t.kind != TOKEN_END;
       first = false, before = c->l, t = lex(&c->l)) {
    bool line = t.first && !first;
    if (line && slice_is(t.text, "#")) {
      cut_skip_directive(&c->l, &depths, &depth);
    } else if (slice_is(t.text, ";") && !i.untyped.size) {
      c->complete = true; // in this branch of an #if within it
      if (c->cplusplus && !depths.n)
        see_name_end(&d, t);
    } else if (!first &&
               (slice_is(t.text, "}") ||
                (line && c->cplusplus && d.parameters && !d.initialised &&
                 begins_declaration(t.text)))) {
      c->l = before;
      break;
    } else {
      c->complete |= (c->cplusplus ? see_in_cplusplus : see_in_c)(c, &d, t);
    }
    if (c->complete && !depths.n)
      break;
  }
  c->closed = depths.closed;
  i.text.size = (size_t)(c->l.p - i.text.data);
  i.type = i.type || (d.has_class && is_forward(i.text));
  if (!i.head_end)
    i.head_end = c->l.p;
  return i;
}
