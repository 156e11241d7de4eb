// SPDX-License-Identifier: Apache-2.0
// emission.c: the parts of a translated file, rendered from templates.
#include <string.h>

#include "front/emit/emit.h"
#include "front/kernel/kernel.h"

// ---- macros of the user's -----------------------------------------------------------

static const struct macro *emission_macro(const struct emission *e, struct slice word) {
  const struct macro *m = expand_macro(e->x, word, e->order);
  return m && !m->builtin ? m : NULL;
}

// Adds WORD, of a template, to the hidden words if it is a macro of the user's. Macros
// named autotune_… are ours and stay.
static void emission_hide(void *data, struct slice word) {
  struct emission *e = data;
  bool ours = word.size > 9 &&
      (memcmp(word.data, "autotune_", 9) == 0 || memcmp(word.data, "AUTOTUNE_", 9) == 0);
  for (unsigned i = 0; i < e->n_hidden && !ours; i++)
    ours = slice_is(word, e->hidden[i]);
  if (!ours && emission_macro(e, word))
    *GROW(e->hidden, e->n_hidden) = arena_copy(word.data, word.size);
}

void emit_user(const struct template_scope *scope, struct slice text, struct text *out) {
  const struct emission *e = emit_of(scope);
  struct lexer l = lexer_of(text);
  bool show = false;
  for (struct token t; e->n_hidden && !show && (t = lex(&l)).kind != TOKEN_END;)
    show = t.kind == TOKEN_WORD && emission_macro(e, t.text);
  if (show) {
    text_add(out, "\n", 1);
    template_render(e->templates, "show", scope, out);
  }
  text_add(out, text.data, text.size);
  if (show) {
    text_add(out, "\n", 1);
    template_render(e->templates, "hide", scope, out);
  }
}

// ---- expressions --------------------------------------------------------------------

void emit_gap(struct text *out, struct slice previous, struct token t) {
  if (previous.data && previous.data + previous.size != t.text.data)
    text_add(out, " ", 1);
}

void emit_numbered(const struct template_scope *scope, struct slice text,
                   struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  struct text numbered = { 0 };
  struct lexer l = lexer_of(text);
  struct slice previous = { 0 };
  long long number;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    emit_gap(&numbered, previous, t);
    if (t.kind == TOKEN_WORD && kernel_arg(k, t.text) < 0 &&
        kernel_word(k, t.text, &number))
      text_printf(&numbered, "%lld", number);
    else
      text_add(&numbered, t.text.data, t.text.size);
  }
  emit_user(scope, (struct slice){ numbered.data, numbered.size }, out);
}

const struct template_filter emit_filters[] = { { "user", emit_user },
                                                { "numbered", emit_numbered },
                                                { .name = NULL } };

// ---- params -------------------------------------------------------------------------

static bool emission_defines(const struct source *s, const char *macro) {
  const char *p = s->text, *end = s->text + s->size;
  for (; (p = memmem(p, (size_t)(end - p), "define", 6)); p += 6) {
    struct lexer l = lexer_of((struct slice){ p + 6, (size_t)(end - p) - 6 });
    if (p > s->text && (p[-1] == '#' || p[-1] == ' ' || p[-1] == '\t') &&
        slice_is(lex(&l).text, macro))
      return true;
  }
  return false;
}

static void emission_params(struct emission *e) {
  for (unsigned i = 0; i < e->k->n_params; i++) {
    const struct param *p = &e->k->params[i];
    struct emit_macro m = { p->macro, i, NULL, NULL };
    if (!p->named || !p->macro)
      continue;
    if (p->kind == VALUE_INT || p->kind == VALUE_WORD) {
      m.type = "long long";
      m.member = "i";
    } else if (p->kind == VALUE_REAL) {
      m.type = "double";
      m.member = "d";
    }
    *GROW(e->macros, e->n_macros) = m;
    if (!emission_defines(e->s, p->macro))
      *GROW(e->own, e->n_own) = m;
  }
}

static void emission_layout(struct emission *e, const struct leaves *v) {
  if (!v || !v->described)
    return;
  *GROW(e->layouts, e->n_layouts) = *v;
  for (unsigned i = 0; i < v->n_words; i++)
    emission_hide(e, v->words[i]);
}

void emission_prepare(struct emission *e) {
  const struct item *item = expand_function(e->x, &e->k->main);
  e->order = item ? (size_t)(item->text.data - e->x->text.data) : SIZE_MAX;
  e->f = &e->k->main;
  for (unsigned i = 0; i < e->s->n_outlined && !e->outlined; i++)
    if (strcmp(e->s->outlined[i].name, e->k->main.name) == 0)
      e->outlined = &e->s->outlined[i];
  e->factors = factors_of(e->x, e->k, &e->n_factors);
  e->line = source_where(e->s, e->k->main.start, &e->file, NULL);
  for (const char *const *c = e->o->compiler; c && *c; c++)
    e->compiler = *c;
  emission_params(e);
  template_words(e->templates, emission_hide, e);
  for (unsigned i = 0; i < e->k->n_sections; i++)
    emission_layout(e, e->k->sections[i].leaves);
  emission_layout(e, e->k->result_leaves);
}

// ---- replay -------------------------------------------------------------------------

static void emission_symbols(struct emission *e, const struct unit *u) {
  for (unsigned i = 0; i < u->n_symbols; i++) {
    unsigned old = 0;
    while (old < e->n_symbols && strcmp(e->symbols[old].name, u->symbols[i].name) != 0)
      old++;
    if (old == e->n_symbols)
      *GROW(e->symbols, e->n_symbols) = u->symbols[i];
  }
}

// Returns the reason why calls of a kernel that needs these symbols cannot be captured;
// NULL: they can.
static const char *emission_refused(const struct emission *e) {
  for (unsigned i = 0; i < e->n_symbols; i++)
    if (e->symbols[i].function)
      return arena_printf("it needs the function '%s', which is in the program alone",
                          e->symbols[i].name);
    else if (!e->symbols[i].sized)
      return arena_printf("the size of '%s' is not known", e->symbols[i].name);
  return NULL;
}

void emission_replay(struct emission *e) {
  struct unit u = unit_replay(e->s, e->k, e->x);
  for (unsigned i = 0; i < e->n_units; i++)
    emission_symbols(e, &e->units[i]);
  emission_symbols(e, &u);
  e->refused = emission_refused(e);
  if (!e->refused) {
    e->replay = u.text;
    emit_render(e, "replay", &e->replay);
  }
}

// ---- rendering ----------------------------------------------------------------------

// Calls edits_insert, or template_render if EDITS is NULL.
static void emission_render(struct edits *edits, const struct emission *e,
                            const char *part, size_t at, struct text *out) {
  struct template_scope emission = { emit_fields, e, 0, NULL };
  struct template_scope kernel = { emit_kernel_fields, e->k, 0, &emission };
  struct template_scope own = { e->fields, e->data, 0, &kernel };
  const struct template_scope *scope = e->fields ? &own : &kernel;
  if (edits)
    edits_insert(edits, e->templates, part, scope, at);
  else
    template_render(e->templates, part, scope, out);
}

void emit_render(const struct emission *e, const char *part, struct text *out) {
  emission_render(NULL, e, part, 0, out);
}

void emit_insert(struct edits *edits, const struct emission *e, const char *part,
                 size_t at) {
  emission_render(edits, e, part, at, NULL);
}
