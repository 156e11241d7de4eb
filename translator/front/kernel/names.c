// SPDX-License-Identifier: Apache-2.0
// names.c: resolves names in expressions, and finds out whether a param is used. Headers
// that stand next to the file are searched as text. A name that another header may
// declare is accepted, as the compiler reports it otherwise.
#include <string.h>

#include "front/include.h"
#include "front/lang/language.h"

const struct machine_name machine_names[] = {
  { "AUTOTUNE_L1D", "l1d", false },
  { "AUTOTUNE_L2", "l2", false },
  { "AUTOTUNE_L3", "l3", false },
  { "AUTOTUNE_LINE", "line", false },
  { "AUTOTUNE_VECTOR", "vector", false },
  { "AUTOTUNE_CORES", "cores", false },
  { "AUTOTUNE_THREADS", "threads", false },
  { "AUTOTUNE_SMEM_PER_BLOCK", "smem_per_block", true },
  { "AUTOTUNE_SMEM_PER_SM", "smem_per_sm", true },
  { "AUTOTUNE_REGISTERS", "registers", true },
  { "AUTOTUNE_SMS", "sms", true },
  { "AUTOTUNE_WARP", "warp", true },
  { "AUTOTUNE_MAX_THREADS", "max_threads", true },
  { "AUTOTUNE_CC", "cc", true },
  { NULL, NULL, false },
};

const struct machine_name *machine_name(struct slice name) {
  for (const struct machine_name *m = machine_names; m->name; m++)
    if (slice_is(name, m->name))
      return m;
  return NULL;
}

int kernel_arg(const struct kernel *k, struct slice name) {
  for (unsigned i = 0; i < k->n_args; i++)
    if (k->args[i].name && slice_is(name, k->args[i].name))
      return (int)i;
  return -1;
}

int kernel_param(const struct kernel *k, struct slice name) {
  for (unsigned i = 0; i < k->n_params; i++)
    if (k->params[i].named && slice_is(name, k->params[i].name))
      return (int)i;
  return -1;
}

bool is_machine_name(const struct kernel *k, struct slice name) {
  const struct machine_name *m = machine_name(name);
  return m && (!m->device || k->language->device);
}

const char *name_nearest(const struct kernel *k, struct slice name, unsigned uses) {
  const char **words = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < k->n_args; i++)
    *GROW(words, n) = k->args[i].name;
  for (unsigned i = 0; (uses & USE_PARAMS) && i < k->n_params; i++)
    if (k->params[i].named)
      *GROW(words, n) = k->params[i].name;
  for (const struct machine_name *m = machine_names; (uses & USE_MACHINE) && m->name; m++)
    if (!m->device || k->language->device)
      *GROW(words, n) = m->name;
  if (uses & USE_GRID)
    *GROW(words, n) = "gridDim";
  if (uses & USE_BLOCK)
    *GROW(words, n) = "blockDim";
  if (uses & USE_CEIL)
    *GROW(words, n) = "ceil";
  *GROW(words, n) = NULL;
  return nearest(name, words);
}

bool kernel_word(const struct kernel *k, struct slice name, long long *number) {
  for (unsigned i = 0; i < k->n_params; i++)
    for (unsigned j = 0; k->params[i].kind == VALUE_WORD && j < k->params[i].n_values;
         j++)
      if (slice_is(name, k->params[i].values[j].text)) {
        *number = k->params[i].values[j].i;
        return true;
      }
  return false;
}

/* ---- the words of a file and of the headers next to it --------------------------- */

struct search {
  struct slice word;
  const char *folder; // of the file
  const char **seen;
  unsigned n_seen;
  bool directives;     // those of loops count: they are uses, and declare nothing
  bool outside;        // words within definitions of functions do not count
  bool found, trusted; // trusted: a header was not found and may hold the word
};

static void search_text(struct search *q, struct slice text);

static void search_header(struct search *q, struct slice name) {
  static const struct include_folders none;
  const char *path = include_find(&none, q->folder, name, true);
  struct slice text;
  for (unsigned i = 0; path && i < q->n_seen; i++)
    if (strcmp(q->seen[i], path) == 0)
      return;
  if (!path || q->n_seen == 64 || !path_map(path, &text)) {
    q->trusted = true;
    return;
  }
  *GROW(q->seen, q->n_seen) = path;
  search_text(q, text);
}

// Searches the preprocessor line at L (after its '#') for the word. Names that it defines
// or tests are not uses, nor is `#pragma autotune kernel`. Follows `#include`.
static void search_directive(struct search *q, struct lexer *l) {
  struct lexer line = *l;
  struct slice word = lex(&line).text;
  enum line kind = lex_directive(l, &line);
  if (kind == LINE_INCLUDE) {
    struct token t = lex(&line);
    if (t.kind == TOKEN_STRING && t.text.size > 2)
      search_header(q, (struct slice){ t.text.data + 1, t.text.size - 2 });
    else if (!slice_is(t.text, "<"))
      q->trusted = true;
    return;
  }
  if (kind == LINE_DEFINE || kind == LINE_UNDEF || slice_is(word, "ifdef") ||
      slice_is(word, "ifndef"))
    lex(&line);
  if (kind == LINE_PRAGMA) {
    struct lexer ahead = line;
    if (slice_is(lex(&ahead).text, "autotune") &&
        (!q->directives || slice_is(lex(&ahead).text, "kernel")))
      return;
  }
  for (struct token t = lex(&line); t.kind != TOKEN_END; t = lex(&line))
    q->found = q->found || (t.kind == TOKEN_WORD && slices_same(t.text, q->word));
}

// Moves L past the definition of a function whose parentheses begin at L. False: they
// begin none, and L stays.
static bool search_skip_function(struct lexer *l) {
  struct lexer ahead = *l;
  struct token t = lex(&ahead);
  for (int depth = lex_bracket(t.text); depth > 0 && t.kind != TOKEN_END;) {
    t = lex(&ahead);
    depth += lex_bracket(t.text);
  }
  t = lex(&ahead);
  if (!slice_is(t.text, "{"))
    return false;
  for (int depth = 1; depth > 0 && t.kind != TOKEN_END;) {
    t = lex(&ahead);
    depth += lex_bracket(t.text);
  }
  *l = ahead;
  return true;
}

static void search_text(struct search *q, struct slice text) {
  struct lexer l = lexer_of(text);
  bool operator = false; // within _Pragma("…"), whose string is code
  for (struct token t = lex(&l); t.kind != TOKEN_END && !q->found; t = lex(&l)) {
    if (t.first && slice_is(t.text, "#")) {
      search_directive(q, &l);
    } else if (t.kind == TOKEN_WORD) {
      struct lexer ahead = l;
      q->found = slices_same(t.text, q->word);
      if (q->outside && !is_attribute(t.text) && slice_is(lex(&ahead).text, "("))
        search_skip_function(&l);
      operator = slice_is(t.text, "_Pragma");
    } else if (t.kind == TOKEN_STRING && operator) {
      struct lexer inside = lexer_of((struct slice){ t.text.data + 1, t.text.size - 1 });
      for (struct token u = lex(&inside); u.kind != TOKEN_END; u = lex(&inside))
        q->found = q->found || slices_same(u.text, q->word);
    }
  }
}

static struct search search_file(const struct source *s, struct slice word,
                                 bool directives) {
  struct search q = { .word = word,
                      .folder = path_folder(s->path),
                      .directives = directives };
  search_text(&q, (struct slice){ s->text, s->size });
  return q;
}

bool name_defined(const struct source *s, struct slice name, bool *system) {
  bool found = false;
  struct lexer l = lexer_of((struct slice){ s->text, s->size }), line;
  *system = false;
  for (struct token t = lex(&l); t.kind != TOKEN_END && !found; t = lex(&l)) {
    if (!t.first || !slice_is(t.text, "#"))
      continue;
    enum line kind = lex_directive(&l, &line);
    struct slice defined = lex(&line).text;
    found = kind == LINE_DEFINE && slices_same(defined, name);
    *system = *system || (kind == LINE_INCLUDE && slice_is(defined, "<"));
  }
  return found;
}

bool name_of_build(const struct source *s, struct slice name, bool *includes) {
  bool found = false;
  for (const char *const *a = s->args; a && *a; a++) {
    *includes |= strncmp(*a, "-include", 8) == 0 || strncmp(*a, "-imacros", 8) == 0;
    if (strncmp(*a, "-D", 2) != 0)
      continue;
    const char *macro = (*a)[2] || !a[1] ? *a + 2 : *++a;
    found |= slices_same(name, (struct slice){ macro, strcspn(macro, "=(") });
  }
  return found;
}

bool name_declared(const struct source *s, struct slice name, bool *quoted,
                   bool *system) {
  struct search q = search_file(s, name, false);
  bool defined = name_defined(s, name, system);
  defined |= name_of_build(s, name, &q.trusted);
  *quoted = q.trusted;
  return q.found || defined;
}

// True for names like those of system headers: INT_MAX, size_t.
static bool looks_like_systems(struct slice name) {
  bool capitals = true;
  for (size_t i = 0; i < name.size; i++)
    capitals = capitals && !(name.data[i] >= 'a' && name.data[i] <= 'z');
  return capitals || (name.size > 2 && memcmp(name.data + name.size - 2, "_t", 2) == 0);
}

/* ---- the checks ------------------------------------------------------------------ */

// True if K's head has NAME: a macro there may make an argument of it.
static bool names_in_head(const struct source *s, const struct kernel *k,
                          struct slice name) {
  const struct function *f = &k->main;
  return f->body_at > f->start &&
      lex_mentions((struct slice){ s->text + f->start, f->body_at - f->start }, name);
}

// True if NAME, a word of the file or of a header, may be declared where P, a pragma on a
// function, can use it.
static bool names_reaches(const struct source *s, const struct kernel *k,
                          const struct pragma *p, struct slice name) {
  struct search q = { .word = name, .folder = path_folder(s->path), .outside = true };
  bool system;
  search_text(&q, (struct slice){ s->text, p->offset });
  return q.found || q.trusted || names_in_head(s, k, name) || p->kind != PRAGMA_KERNEL ||
      k->language->cplusplus || s->n_outlined || name_defined(s, name, &system) ||
      name_of_build(s, name, &q.trusted);
}

// Reports NAME, a function that is called in a clause of P, unless a header may declare
// it.
static bool names_check_called(const struct source *s, const struct kernel *k,
                               const struct pragma *p, struct slice name) {
  bool quoted, system, declared = name_declared(s, name, &quoted, &system);
  if (is_keyword(name) || quoted || system || k->language->cplusplus ||
      (name.size > 2 && memcmp(name.data, "__", 2) == 0) ||
      (declared && names_reaches(s, k, p, name)))
    return true;
  diag_error(s, pragma_offset(p, name), name.size, NULL,
             "the function '%.*s' is not declared before the kernel", (int)name.size,
             name.data);
  return false;
}

// Reports NAME unless a header may declare it.
static bool names_unknown(const struct source *s, const struct kernel *k,
                          const struct pragma *p, struct slice name, unsigned uses) {
  bool quoted, system;
  size_t at = pragma_offset(p, name);
  const char *near = name_nearest(k, name, uses);
  bool declared = name_declared(s, name, &quoted, &system);
  if ((declared && names_reaches(s, k, p, name)) ||
      (!near && (quoted || (system && looks_like_systems(name)))))
    return true;
  diag_error(s, at, name.size, diag_meant(s, at, name.size, near),
             "'%.*s' is not an argument of the kernel%s", (int)name.size, name.data,
             uses & USE_PARAMS ? ", not a param, and not declared in this file"
                               : ", and not declared in this file");
  return false;
}

static bool names_check_name(const struct source *s, const struct kernel *k,
                             const struct pragma *p, struct slice name, unsigned uses,
                             const char *what) {
  static const char prefix[] = "AUTOTUNE_";
  size_t at = pragma_offset(p, name);
  long long number;
  if (kernel_arg(k, name) >= 0 || is_keyword(name) || is_type_word(name))
    return true;
  if (kernel_param(k, name) >= 0) {
    if (!(uses & USE_PARAMS))
      diag_error(s, at, name.size, NULL, "%s cannot depend on the param '%.*s'", what,
                 (int)name.size, name.data);
    return uses & USE_PARAMS;
  }
  if (name.size >= sizeof prefix - 1 &&
      memcmp(name.data, prefix, sizeof prefix - 1) == 0) {
    if ((uses & USE_MACHINE) && is_machine_name(k, name))
      return true;
    const char *near = name_nearest(k, name, USE_MACHINE);
    if (machine_name(name) && !is_machine_name(k, name))
      near = "it is for CUDA kernels, in .cu files";
    else
      near = diag_meant(s, at, name.size, (uses & USE_MACHINE) ? near : NULL);
    diag_error(s, at, name.size, near,
               uses & USE_MACHINE ? "%s uses the unknown name '%.*s'"
                                  : "%s cannot depend on '%.*s', the machine",
               what, (int)name.size, name.data);
    return false;
  }
  if ((uses & USE_PARAMS) && kernel_word(k, name, &number))
    return true;
  if (((uses & USE_GRID) && slice_is(name, "gridDim")) ||
      ((uses & USE_BLOCK) && slice_is(name, "blockDim")))
    return true;
  return names_unknown(s, k, p, name, uses);
}

bool names_check(const struct source *s, const struct kernel *k, const struct pragma *p,
                 struct slice expr, unsigned uses, const char *what) {
  struct lexer l = lexer_of(expr);
  bool member = false, tag = false, fine = syntax_check(s, k, p, expr, what);
  for (struct token t = lex(&l); t.kind != TOKEN_END && fine; t = lex(&l)) {
    struct lexer ahead = l;
    bool called = slice_is(lex(&ahead).text, "(");
    bool word = t.kind == TOKEN_WORD && !member && !tag;
    if (word && called && kernel_param(k, t.text) < 0)
      fine = kernel_arg(k, t.text) >= 0 || names_check_called(s, k, p, t.text);
    else if (word)
      fine = names_check_name(s, k, p, t.text, uses, what);
    member = slice_is(t.text, "->") || slice_is(t.text, ".");
    tag = is_tag(t.text);
  }
  return fine;
}

static bool names_declares(TSNode parent, TSNode identifier) {
  return node_is(parent, "declaration") ||
      (strstr(ts_node_type(parent), "declarator") &&
       ts_node_eq(ts_node_named_child(parent, 0), identifier));
}

// A macro with PARAM's name replaces every identifier of that name, also those that F
// declares.
void names_check_declared(const struct source *s, const struct function *f,
                          const struct param *param) {
  TSTreeCursor cursor = ts_tree_cursor_new(f->node);
  bool more = true;
  while (more) {
    TSNode n = ts_tree_cursor_current_node(&cursor);
    TSNode parent = { 0 };
    if (node_is(n, "identifier") && slice_is(source_slice(s, n), param->name))
      parent = ts_node_parent(n);
    if (parent.id && ts_node_start_byte(parent) >= f->body_at &&
        names_declares(parent, n)) {
      diag_error(s, ts_node_start_byte(n), strlen(param->name), NULL,
                 "the param '%s' hides this variable", param->name);
      break;
    }
    more = cursor_next(&cursor, true);
  }
  ts_tree_cursor_delete(&cursor);
}

void names_check_params(const struct source *s, const struct kernel *k) {
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *param = &k->params[i];
    if (!param->named)
      continue;
    struct search q = search_file(s, slice_of(param->name), true);
    q.found = q.found || (k->language->clauses_use && k->language->clauses_use(k, param));
    if (!q.found && !q.trusted)
      diag_error(s, param->offset, strlen(param->name),
                 "the kernel, a macro or a helper of the file should mention it",
                 "the param '%s' is used nowhere", param->name);
  }
}

// True if NAME is a word of TEXT, also within a string: _Pragma("…") and asm hold code.
// Comments and #line do not count.
static bool names_uses(struct slice text, const char *name) {
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct lexer word = l, rest;
    if (t.first && slice_is(t.text, "#") && slice_is(lex(&word).text, "line")) {
      lex_directive(&l, &rest);
      continue;
    }
    bool string = t.kind == TOKEN_STRING && t.text.size > 2;
    struct slice inside = { t.text.data + 1, t.text.size - 2 };
    if ((t.kind == TOKEN_WORD && slice_is(t.text, name)) ||
        (string && names_uses(inside, name)))
      return true;
  }
  return false;
}

// True if an #if of the file mentions NAME.
static bool names_in_condition(const struct source *s, const char *name) {
  struct lexer l = lexer_of((struct slice){ s->text, s->size }), line;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.first && slice_is(t.text, "#") &&
        line_is_conditional(lex_directive(&l, &line)) &&
        lex_mentions((struct slice){ line.p, (size_t)(l.p - line.p) }, slice_of(name)))
      return true;
  return false;
}

void names_check_used(const struct source *s, const struct kernel *k, struct slice unit) {
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *p = &k->params[i];
    bool used = !p->named || names_uses(unit, p->name) ||
        (k->language->clauses_use && k->language->clauses_use(k, p));
    for (unsigned j = 0; j <= k->n_alternatives && !used; j++) {
      const struct function *f = j ? &k->alternatives[j - 1] : &k->main;
      used = names_uses((struct slice){ s->text + f->start, f->end - f->start }, p->name);
    }
    if (!used && !names_in_condition(s, p->name))
      diag_warning(
          s, p->offset, strlen(p->name),
          "all its values give the same variant: use it in the kernel, or drop it",
          "'%s' and what it calls do not use the param '%s'", k->main.name, p->name);
  }
}
