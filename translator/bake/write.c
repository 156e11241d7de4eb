// SPDX-License-Identifier: Apache-2.0
// write.c: a kernel in a baked file. For `void gemm(int n, …)`, in the order of the text:
//
//   [before]  void gemm(int n, …);  static void gemm_untuned(int n, …);
//   static    void gemm_untuned(…) {as written}
//   [after]   gemm_tuned1, gemm_tuned2, …    each under its params, with copies of what
//   mentions
//                                            them; behind the alternative where one won
//             gemm_winner(key)               by ranges
//             void gemm(int n, …)            a switch
#include <stdlib.h>
#include <string.h>

#include "bake.h"

#define WORD(s) (int)(s).size, (s).data

static bool bake_applies(const struct kernel *k) {
  return k->baked && k->baked->n_winners;
}

// ---- names --------------------------------------------------------------------------

// A name that nothing in the file or its headers has.
static const char *own_name(const struct emission *e, const char *what) {
  const char *name = arena_printf("%s_%s", e->k->main.name, what);
  while (memmem(e->x->text.data, e->x->text.size, name, strlen(name)) ||
         memmem(e->s->text, e->s->size, name, strlen(name)))
    name = arena_printf("%s_", name);
  return name;
}

static const char *default_name(const struct emission *e) {
  return own_name(e, "untuned");
}

static const char *winner_name(const struct emission *e, unsigned index) {
  return arena_printf("%s%u", own_name(e, "tuned"), index + 1);
}

static const char *bake_default(const struct emission *e) {
  return default_name(e);
}

// ---- one winner ---------------------------------------------------------------------

static const struct function *function_of(const struct kernel *k, const unsigned *point) {
  long long chosen = k->choose >= 0 ? k->params[k->choose].values[point[k->choose]].i : 0;
  return chosen > 0 && chosen <= k->n_alternatives ? &k->alternatives[chosen - 1]
                                                   : &k->main;
}

// With the end of its line where that may end a comment or a directive.
static void bake_write_header(const struct emission *e, const struct function *f) {
  struct slice head = { e->s->text + f->start, f->body_at - f->start };
  bool whole = memchr(head.data, '#', head.size) || memmem(head.data, head.size, "//", 2);
  while (!whole && strchr(" \t\r\n", head.data[head.size - 1]))
    head.size--;
  text_add(e->out, head.data, head.size);
}

static void write_prototype(const struct emission *e, const char *name) {
  struct slice result = e->k->returns ? e->k->result : slice_of("void");
  text_printf(e->out, "static %.*s %s(", WORD(result), name);
  emit_parameters(e, "");
  text_printf(e->out, ");\n");
}

static void params_set(const struct emission *e, const unsigned *point) {
  for (unsigned i = 0; i < e->k->n_params; i++) {
    const struct param *p = &e->k->params[i];
    if (p->named && p->macro)
      text_printf(e->out, "#undef %s\n#define %s %s\n", p->macro, p->macro,
                  point ? p->values[point[i]].define : feed_default(e->s, e->k, p));
  }
}

// TEXT without what it defines for all functions, where OUT has that from FROM on: what
// stands in front of that may be left out by an #if.
static struct slice without_prologue(struct slice text, const struct text *out,
                                     size_t from) {
  static const char begin[] = "#ifndef AUTOTUNE_DISTANCE\n", end[] = "#endif\n";
  const char *at = memmem(text.data, text.size, begin, sizeof begin - 1);
  if (!at || !memmem(out->data + from, out->size - from, begin, sizeof begin - 1))
    return text;
  at = strstr(at, end) + sizeof end - 1;
  return (struct slice){ at, (size_t)(text.data + text.size - at) };
}

// The function F of the kernel as POINT has it, static.
static void write_function(const struct emission *e, const struct function *f,
                           const unsigned *point, const char *name, size_t from) {
  struct text text = { 0 };
  loops_write_point(e->s, e->k, f, point, name, &text);
  struct lexer l = lexer_of((struct slice){ text.data, text.size });
  bool named = false;
  for (struct token t; !named && (t = lex(&l)).kind != TOKEN_END;) {
    if (slice_is(t.text, "extern"))
      memset((char *)t.text.data, ' ', t.text.size);
    named = slice_is(t.text, f->name);
  }
  bake_tidy(without_prologue((struct slice){ text.data, text.size }, e->out, from),
            e->out);
}

static void keys_of(const struct emission *e, unsigned winner) {
  const struct baked *b = e->k->baked;
  struct text t = { 0 };
  text_printf(&t, "%s for ", e->k->main.name);
  for (unsigned i = 0, n = 0; i < b->n_keys; i++)
    if (b->keys[i].winner == winner)
      text_printf(&t, "%s%s", n++ ? "; " : "", b->keys[i].name);
  text_printf(&t, ": %s", b->winners[winner - 1].values);
  text_printf(e->out, "\n/* ");
  bake_wrapped(e->out, "   ", 3, t.data);
  text_printf(e->out, " */\n");
}

// What belongs to the same function of the source begins at FROM.
static void write_winner(const struct emission *e, const struct copies *c, unsigned index,
                         size_t from) {
  const unsigned *point = e->k->baked->winners[index].point;
  const struct function *f = function_of(e->k, point);
  const char *name = winner_name(e, index);
  keys_of(e, index + 1);
  if (f != &e->k->main)
    write_prototype(e, name);
  text_printf(e->out, "#define %s %s\n", f->name, name);
  copies_rename(c, name, true, e->out);
  params_set(e, point);
  copies_write(c, e->out);
  write_function(e, f, point, name, from);
  text_printf(e->out, "#line 1 \"<autotune>\"\n#undef %s\n", f->name);
  copies_rename(c, name, false, e->out);
  params_set(e, NULL);
  copies_restore(c, e->out);
}

// ---- the switch ---------------------------------------------------------------------

static void write_arguments(const struct emission *e) {
  for (unsigned i = 0; i < e->k->n_args; i++)
    text_printf(e->out, "%s%s", i ? ", " : "", e->k->args[i].name);
}

// The tuned key itself fulfils the constraint; others of its range may not.
static void write_conditions(const struct emission *e, const unsigned *point) {
  struct slice left;
  for (unsigned i = 0; i < e->k->n_constraints; i++)
    if (bake_constraint(e->k, e->k->baked, point, i, &left) == SOMETIMES)
      text_printf(e->out, "    if (!(%.*s))\n      break;\n", WORD(left));
}

static void bake_write_call(const struct emission *e, const char *indent,
                            const char *name) {
  text_printf(e->out, "%s%s%s(", indent, e->k->returns ? "return " : "", name);
  write_arguments(e);
  text_printf(e->out, ");\n");
}

static void write_switch(const struct emission *e) {
  const struct baked *b = e->k->baked;
  text_printf(e->out, "\n");
  bake_write_header(e, &e->k->main);
  text_printf(e->out, "\n{\n  switch (%s(", own_name(e, "winner"));
  for (unsigned i = 0; i < e->k->n_keys; i++)
    text_printf(e->out, "%s(long long)(%.*s)", i ? ", " : "", WORD(e->k->keys[i]));
  text_printf(e->out, ")) {\n");
  for (unsigned i = 0; i < b->n_winners; i++) {
    text_printf(e->out, "  case %u:\n", i + 1);
    write_conditions(e, b->winners[i].point);
    bake_write_call(e, "    ", winner_name(e, i));
    text_printf(e->out, e->k->returns ? "" : "    return;\n");
  }
  text_printf(e->out, "  }\n");
  bake_write_call(e, "  ", default_name(e));
  text_printf(e->out, "}\n");
}

// ---- in place of a stub -------------------------------------------------------------

static void bake_before(const struct emission *e, const struct function *f) {
  if (f != &e->k->main) { // which nobody may call but the switch
    bake_write_header(e, f);
    text_printf(e->out, " AUTOTUNE_UNUSED;\n");
    return;
  }
  if (!bake_applies(e->k))
    return;
  bake_write_header(e, f);
  text_printf(e->out, ";\n");
  write_prototype(e, default_name(e));
  for (unsigned i = 0; i < e->k->baked->n_winners; i++)
    write_prototype(e, winner_name(e, i));
}

static bool write_uses_openmp(const struct text *out, size_t from) {
  return memmem(out->data + from, out->size - from, "#pragma omp", 11) != NULL;
}

static bool has_openmp(const struct compile_options *o) {
  for (const char *const *a = o->args; a && *a; a++)
    if (strncmp(*a, "-fopenmp", 8) == 0)
      return true;
  return false;
}

static void bake_after(const struct emission *e, const struct function *f) {
  if (!bake_applies(e->k))
    return;
  const struct baked *b = e->k->baked;
  size_t from = e->out->size;
  for (unsigned i = 0; i < b->n_winners; i++)
    if (function_of(e->k, b->winners[i].point) == f)
      write_winner(e, b->copies, i, from);
  if (write_uses_openmp(e->out, from) && e->o->compiler && !has_openmp(e->o))
    diag_warning(e->s, f->pragma->offset, f->pragma->end - f->pragma->offset,
                 "add -fopenmp", "winners of '%s' use OpenMP, and this build does not",
                 e->k->main.name);
  if (f != &e->k->main)
    return;
  bake_ranges(e->k, own_name(e, "winner"), e->out);
  write_switch(e);
}

static const struct baking baking = { .choose = bake_choose,
                                      .heading = bake_heading,
                                      .applies = bake_applies,
                                      .before = bake_before,
                                      .after = bake_after,
                                      .name = bake_default };

void bake_into(struct compile_options *o, const struct bake *b) {
  o->baking = &baking;
  o->bake = b;
}
