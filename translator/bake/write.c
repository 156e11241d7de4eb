// SPDX-License-Identifier: Apache-2.0
// write.c: writes a kernel into a baked file, by the template baked.c.in. For `void
// gemm(int n, …)`:
//
//   [before]  void gemm(int n, …);  static void gemm_untuned(int n, …);
//   static    void gemm_untuned(…) {as written}
//   [after]   gemm_tuned1, gemm_tuned2, …    after the alternative if one won
//             gemm_winner(key)               by ranges
//             void gemm(int n, …)            a switch
#include <stdlib.h>
#include <string.h>

#include "bake.h"
#include "front/reach/unit.h"

#define WORD(s) (int)(s).size, (s).data

static bool bake_applies(const struct kernel *k) {
  return k->baked && k->baked->n_winners;
}

// Returns a name that does not occur in the file or its headers.
static const char *bake_name(const struct emission *e, const char *what) {
  const char *name = arena_printf("%s_%s", e->k->main.name, what);
  while (memmem(e->x->text.data, e->x->text.size, name, strlen(name)) ||
         memmem(e->s->text, e->s->size, name, strlen(name)))
    name = arena_printf("%s_", name);
  return name;
}

static const char *bake_default(const struct emission *e) {
  return bake_applies(e->k) ? bake_name(e, "untuned") : NULL;
}

// ---- fields of the templates --------------------------------------------------------

static template_write bake_written, bake_trimmed, bake_conditions;

// clang-format off
#define THIS struct baked_function
static const struct template_field bake_winner_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, function), TEMPLATE_FIELD(THIS, UNSIGNED, number),
  TEMPLATE_WRITE("conditions", bake_conditions), TEMPLATE_END
};
#undef THIS
#define THIS struct bake_interval
static const struct template_field bake_interval_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, part), TEMPLATE_FIELD(THIS, STRING, low),
  TEMPLATE_FIELD(THIS, STRING, high), TEMPLATE_FIELD(THIS, BOOL, one),
  TEMPLATE_FIELD(THIS, UNSIGNED, winner), TEMPLATE_END
};
#undef THIS
static const struct template_field bake_part_fields[] = {
  TEMPLATE_SELF("part", STRING), TEMPLATE_END
};
#define THIS struct bake_row
static const struct template_field bake_row_fields[] = {
  TEMPLATE_LIST(THIS, "key", key, n_key, bake_part_fields),
  TEMPLATE_FIELD(THIS, UNSIGNED, winner), TEMPLATE_END
};
#undef THIS
#define THIS struct bake_view
static const struct template_field bake_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, untuned), TEMPLATE_FIELD(THIS, STRING, chooser),
  TEMPLATE_LIST(THIS, "winners", winners, n_winners, bake_winner_fields),
  TEMPLATE_LIST(THIS, "parts", parts, n_parts, bake_part_fields),
  TEMPLATE_LIST(THIS, "intervals", intervals, n_intervals, bake_interval_fields),
  TEMPLATE_LIST(THIS, "tuned", tuned, n_tuned, bake_row_fields),
  TEMPLATE_FIELD(THIS, UNSIGNED, only), TEMPLATE_FIELD(THIS, UNSIGNED, reach),
  TEMPLATE_FIELD(THIS, UNSIGNED, beyond), TEMPLATE_FIELD(THIS, BOOL, several),
  TEMPLATE_FIELD(THIS, BOOL, exact), TEMPLATE_WRITE("written", bake_written),
  TEMPLATE_WRITE("trimmed", bake_trimmed), TEMPLATE_END
};
#undef THIS
// clang-format on

// ---- winners ------------------------------------------------------------------------

static const struct function *function_of(const struct kernel *k, const unsigned *point) {
  long long chosen = k->choose >= 0 ? k->params[k->choose].values[point[k->choose]].i : 0;
  return chosen > 0 && chosen <= k->n_alternatives ? &k->alternatives[chosen - 1]
                                                   : &k->main;
}

static void params_set(const struct emission *e, const unsigned *point,
                       struct text *out) {
  for (unsigned i = 0; i < e->k->n_params; i++) {
    const struct param *p = &e->k->params[i];
    if (p->named && p->macro)
      text_printf(out, "#undef %s\n#define %s %s\n", p->macro, p->macro,
                  point ? p->values[point[i]].define : feed_default(e->s, e->k, p));
  }
}

// Returns TEXT without the prologue of macros if OUT already has one after FROM. Text
// before FROM may be in an #if that is false.
static struct slice without_prologue(struct slice text, const struct text *out,
                                     size_t from) {
  static const char begin[] = "#ifndef AUTOTUNE_DISTANCE\n", end[] = "#endif\n";
  const char *at = memmem(text.data, text.size, begin, sizeof begin - 1);
  if (!at || !memmem(out->data + from, out->size - from, begin, sizeof begin - 1))
    return text;
  at = strstr(at, end) + sizeof end - 1;
  return (struct slice){ at, (size_t)(text.data + text.size - at) };
}

// Writes function F of the kernel at POINT, as static.
static void write_function(const struct emission *e, const struct function *f,
                           const unsigned *point, const char *name, size_t from,
                           struct text *out) {
  struct text text = { 0 };
  loops_write_point(e->s, e->k, f, point, name, &text);
  struct lexer l = lexer_of((struct slice){ text.data, text.size });
  bool named = false;
  for (struct token t; !named && (t = lex(&l)).kind != TOKEN_END;) {
    if (slice_is(t.text, "extern"))
      memset((char *)t.text.data, ' ', t.text.size);
    named = slice_is(t.text, f->name);
  }
  bake_tidy(without_prologue((struct slice){ text.data, text.size }, out, from), out);
}

static void keys_of(const struct emission *e, unsigned winner, struct text *out) {
  const struct baked *b = e->k->baked;
  struct text t = { 0 };
  text_printf(&t, "%s for ", e->k->main.name);
  for (unsigned i = 0, n = 0; i < b->n_keys; i++)
    if (b->keys[i].winner == winner)
      text_printf(&t, "%s%s", n++ ? "; " : "", b->keys[i].name);
  text_printf(&t, ": %s", b->winners[winner - 1].values);
  text_printf(out, "\n/* ");
  bake_wrapped(out, "   ", 3, t.data);
  text_printf(out, " */\n");
}

// Writes winner INDEX. FROM is the offset in OUT of the first winner of the same
// function.
static void write_winner(const struct template_scope *scope, unsigned index, size_t from,
                         struct text *out) {
  const struct emission *e = emit_of(scope);
  const struct bake_view *v = e->data;
  const struct copies *c = e->k->baked->copies;
  const unsigned *point = v->winners[index].point;
  const char *name = v->winners[index].function;
  keys_of(e, index + 1, out);
  if (e->f != &e->k->main) {
    struct template_scope own = { bake_winner_fields, &v->winners[index], index, scope };
    template_render(e->templates, "prototype", &own, out);
  }
  text_printf(out, "#define %s %s\n", e->f->name, name);
  copies_rename(c, name, true, out);
  params_set(e, point, out);
  copies_write(c, out);
  write_function(e, e->f, point, name, from, out);
  text_printf(out, "#line 1 \"<autotune>\"\n#undef %s\n", e->f->name);
  copies_rename(c, name, false, out);
  params_set(e, NULL, out);
  copies_restore(c, out);
}

static bool write_uses_openmp(const struct text *out, size_t from) {
  return memmem(out->data + from, out->size - from, "#pragma omp", 11) != NULL;
}

// Writes the winners that are variants of E's function, which may be an alternative.
static void bake_written(const struct template_scope *scope, struct text *out) {
  const struct emission *e = emit_of(scope);
  const struct bake_view *v = e->data;
  size_t from = out->size;
  for (unsigned i = 0; i < v->n_winners; i++)
    if (function_of(e->k, v->winners[i].point) == e->f)
      write_winner(scope, i, from, out);
  if (v->n_winners && write_uses_openmp(out, from) && e->o->compiler &&
      !openmp_is_on(e->o))
    diag_warning(e->s, e->f->pragma->offset, e->f->pragma->end - e->f->pragma->offset,
                 "add -fopenmp", "winners of '%s' use OpenMP, and this build does not",
                 e->k->main.name);
}

// ---- functions of the templates -----------------------------------------------------

// Writes the header of E's function. Keeps the end of its line if that may end a comment
// or a directive.
static void bake_trimmed(const struct template_scope *scope, struct text *out) {
  const struct emission *e = emit_of(scope);
  struct slice head = { e->s->text + e->f->start, e->f->body_at - e->f->start };
  bool whole = memchr(head.data, '#', head.size) || memmem(head.data, head.size, "//", 2);
  while (!whole && strchr(" \t\r\n", head.data[head.size - 1]))
    head.size--;
  text_add(out, head.data, head.size);
}

// Writes the remaining conditions of the constraints: the tuned key fulfils them, but
// other keys of its range may not.
static void bake_conditions(const struct template_scope *scope, struct text *out) {
  const struct kernel *k = emit_of(scope)->k;
  const struct baked_function *w = scope->data;
  struct slice left;
  for (unsigned i = 0; i < k->n_constraints; i++)
    if (bake_constraint(k, k->baked, w->point, i, &left) == SOMETIMES)
      text_printf(out, "    if (!(%.*s))\n      break;\n", WORD(left));
  for (unsigned i = 0; i < k->n_conditions; i++)
    text_printf(out, "    if (!(%.*s))\n      break;\n", WORD(k->conditions[i]));
}

static void bake_prepare(struct emission *e) {
  struct bake_view *v = arena_alloc(sizeof *v);
  e->data = v;
  if (!bake_applies(e->k))
    return;
  const char *tuned = bake_name(e, "tuned");
  v->untuned = bake_default(e);
  v->chooser = bake_name(e, "winner");
  for (unsigned i = 0; i < e->k->baked->n_winners; i++)
    *GROW(v->winners, v->n_winners) =
        (struct baked_function){ arena_printf("%s%u", tuned, i + 1), i + 1,
                                 e->k->baked->winners[i].point };
  bake_ranges(e->k, v);
}

TEMPLATE_FILE(bake_template, "bake/baked.c.in");
static const char *const bake_files[] = { bake_template, emit_c_template,
                                          emit_shared_template, NULL };
const struct template bake_templates = { bake_files, emit_filters };
static const struct baking baking = { .templates = &bake_templates,
                                      .fields = bake_fields,
                                      .choose = bake_choose,
                                      .heading = bake_heading,
                                      .prepare = bake_prepare,
                                      .default_name = bake_default,
                                      .readable = true };

void bake_into(struct compile_options *o, const struct bake *b) {
  o->baking = &baking;
  o->bake = b;
}
