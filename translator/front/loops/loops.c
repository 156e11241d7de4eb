// SPDX-License-Identifier: Apache-2.0
// loops.c: writes a function with each annotated nest replaced by all structures that its
// params can select, one complete nest in each branch of an #if.
#include <string.h>

#include "front/affine/affine.h"
#include "loops.h"

static bool loops_decides(const struct param *p) {
  return p->kind == VALUE_CHOICE || p->kind == VALUE_TUPLE;
}

// Adds P to V's params, unless a nest around this one has chosen its value.
static void add_once(struct variants *v, int p) {
  int **list = &v->params;
  unsigned *n = &v->n, i = 0;
  if (v->b->held[p])
    return;
  while (i < *n && (*list)[i] < p)
    i++;
  if (i < *n && (*list)[i] == p)
    return;
  *GROW(*list, *n) = p;
  for (unsigned j = *n - 1; j > i; j--)
    (*list)[j] = (*list)[j - 1];
  (*list)[i] = p;
}

static void find_params(struct variants *v) {
  unsigned n;
  const struct loop_directive **ds = directives_of_chain(v->b, v->root, &n);
  for (unsigned i = 0; i < n; i++) {
    for (int p = ds[i]->present; p >= 0 && p != v->b->k->choose;
         p = v->b->k->params[p].when)
      add_once(v, p);
    for (unsigned j = 0; j < ds[i]->n_clauses; j++) {
      const struct dir_clause *c = &ds[i]->clauses[j];
      int p = c->n_args ? arg_param(v->b, &c->args[0]) : -1;
      if (p >= 0 && loops_decides(&v->b->k->params[p]))
        add_once(v, p);
    }
  }
}

bool variants_matters(const struct variants *v, unsigned i) {
  const struct param *params = v->b->k->params;
  int when = params[v->params[i]].when;
  bool decided = when >= 0 && v->b->held[when];
  for (unsigned j = 0; j < i && !decided; j++)
    decided = v->params[j] == when;
  return !decided || params[when].values[v->b->point[when]].i != 0;
}

// Writes macros for orders: #if cannot compare a tuple, but it can compare a number made
// of its members.
static void write_order_macros(struct text *out) {
  text_printf(
      out, "#ifndef AUTOTUNE_ORDER2\n#define AUTOTUNE_ORDER2(a, b) ((a) * 32 + (b))\n");
  for (unsigned n = 3; n <= 8; n++) {
    char names[64] = "a";
    for (unsigned i = 1; i + 1 < n; i++)
      snprintf(names + strlen(names), sizeof names - strlen(names), ", %c", 'a' + (int)i);
    text_printf(out,
                "#define AUTOTUNE_ORDER%u(%s, z) (AUTOTUNE_ORDER%u(%s) * 32 + (z))\n", n,
                names, n - 1, names);
  }
  text_printf(out, "#endif\n");
}

static void order_condition(struct text *t, const struct param *p,
                            const struct value *value) {
  long long number = 0;
  for (unsigned i = 0; i < value->n_items; i++)
    number = number * 32 + value->items[i].i;
  text_printf(t, "AUTOTUNE_APPLY(AUTOTUNE_ORDER%u, %s) == %lld", value->n_items, p->macro,
              number);
}

static const char *loops_condition(const struct variants *v) {
  struct text t = { 0 };
  for (unsigned i = 0; i < v->n; i++) {
    const struct param *p = &v->b->k->params[v->params[i]];
    const struct value *value = &p->values[v->b->point[v->params[i]]];
    if (!variants_matters(v, i) || p->n_values < 2)
      continue;
    text_printf(&t, t.size ? " && " : "");
    if (p->kind == VALUE_TUPLE)
      order_condition(&t, p, value);
    else
      text_printf(&t, "%s == %s", p->macro, value->define);
  }
  return t.size ? t.data : NULL;
}

// Returns where BODY begins. A `fission` before a loop without braces around it is part
// of the body, because it ends the chain of loops.
static size_t body_begins(const struct builder *b, struct body body) {
  return fission_of(&b->u, body.first)
      ? ts_node_end_byte(ts_node_prev_sibling(body.first))
      : ts_node_start_byte(body.first);
}

// Sets the text of N's parts, with the nests in them replaced, and counts the bodies in
// each.
static void write_parts(struct builder *b, struct nest *n) {
  for (unsigned i = 0; i < n->n_parts; i++) {
    struct part *p = &n->parts[i];
    struct text t = { 0 };
    unsigned before = b->copies;
    struct slice lead = b->lead;
    text_add(&t, "", 0);
    write_range(b, body_begins(b, p->body), ts_node_end_byte(p->body.last), &t);
    b->lead = lead;
    p->text = t.data;
    p->copies = b->copies > before ? b->copies - before : 1;
    b->copies = before;
  }
}

// Writes a block whose `fuse` is absent, or fused only some of the loops.
static void write_around(struct builder *b, struct nest *n, TSNode block,
                         struct text *out) {
  size_t from = ts_node_start_byte(block), to = ts_node_end_byte(block);
  if (!n) {
    write_line(b, out, from);
    write_range(b, from, to, out);
    return;
  }
  write_line(b, out, from);
  write_range(b, from, n->from, out);
  text_add(out, "\n", 1);
  nest_write(b, n, out);
  write_line(b, out, n->to);
  write_range(b, n->to, to, out);
}

// True if ROOT is no loop, and this variant has none of its directives.
static bool fused_away(const struct builder *b, TSNode root) {
  unsigned n;
  const struct loop_directive **ds = directives_of(&b->u, root, &n);
  for (unsigned i = 0; i < n; i++)
    if (directive_present(b, ds[i]))
      return false;
  return !node_is(root, "for_statement");
}

static void write_nest(struct variants *v) {
  struct builder *b = v->b;
  const struct loop_directive *fission = fission_present(b, v->root);
  if (fission) {
    fission_visit(v, fission);
    return;
  }
  const struct loop_directive *order = reschedule_present(b, v->root);
  if (order) {
    reschedule_write(b, order, v->out);
    return;
  }
  const struct loop_directive *chain = chain_present(b, v->root);
  if (chain) {
    chain_write(b, chain, v->out);
    return;
  }
  if (fused_away(b, v->root)) {
    write_around(b, NULL, v->root, v->out);
    return;
  }
  struct nest *n = nest_build(b, v->root);
  if (n)
    write_parts(b, n);
  if (!n || b->failed)
    return;
  if (ts_node_is_null(n->block) || !ts_node_eq(n->block, v->root))
    nest_write(b, n, v->out);
  else
    write_around(b, n, v->root, v->out);
}

static void write_variant(struct variants *v) {
  struct builder *b = v->b;
  struct text functions = { 0 }, *all = b->functions;
  const char *cond = b->fixed ? NULL : loops_condition(v);
  if (cond)
    text_printf(v->out, "%s %s\n", v->written++ ? "#elif" : "#if", cond);
  b->functions = all ? &functions : NULL;
  write_nest(v);
  b->functions = all;
  if (cond)
    text_add(v->out, "\n", 1);
  if (functions.size && b->fixed)
    text_add(all, functions.data, functions.size);
  else if (functions.size)
    text_printf(all, "#if %s\n%s#endif\n", cond ? cond : "1", functions.data);
  if (b->copies > MAX_COPIES) {
    unsigned n;
    const struct loop_directive **list = directives_of(&b->u, v->root, &n);
    const struct pragma *p = n ? list[0]->pragma : b->f->directives[0].pragma;
    FAIL(b, p->offset, p->end - p->offset,
         "list the permutations, or make fewer directives optional",
         "directives make more than %u copies of this loop's body", MAX_COPIES);
  }
}

static void visit_from(struct variants *v, unsigned i) {
  if (v->b->failed)
    return;
  if (i == v->n || v->b->fixed) {
    v->visit(v);
    return;
  }
  int p = v->params[i];
  bool matters = variants_matters(v, i);
  unsigned n = v->b->resolve || !matters ? 1 : v->b->k->params[p].n_values;
  v->b->held[p] = matters;
  for (unsigned j = 0; j < n; j++) {
    v->b->point[p] = j;
    visit_from(v, i + 1);
  }
  v->b->point[p] = 0;
  v->b->held[p] = false;
}

void variants_visit(struct variants *v) {
  find_params(v);
  visit_from(v, 0);
}

// Returns the other pragmas directly before the directives at OFFSET, which stay with the
// loop. Moves *OFFSET before them.
static struct slice find_lead(const struct builder *b, size_t from, size_t *offset) {
  const char *text = b->s->text;
  size_t end = *offset, lead = *offset;
  while (end > from && text[end - 1] != '\n')
    end--;
  while (end > from) {
    size_t begin = end - 1;
    while (begin > from && text[begin - 1] != '\n')
      begin--;
    struct lexer l = lexer_of((struct slice){ text + begin, end - begin });
    if (!slice_is(lex(&l).text, "#"))
      break;
    bool number = line_is_number(l);
    if (!number && !slice_is(lex(&l).text, "pragma"))
      break;
    end = begin;
    lead = number ? lead : begin;
  }
  struct slice s = slice_trim((struct slice){ text + lead, *offset - lead });
  *offset = lead;
  return s;
}

// Writes the nest of D, which stands at or after FROM. Returns where its text ends.
static size_t write_directive(struct builder *b, const struct loop_directive *d,
                              size_t from, struct text *out) {
  size_t at = d->pragma->offset, end = ts_node_end_byte(d->loop);
  struct variants v = { .b = b, .root = d->loop, .visit = write_variant, .out = out };
  b->lead = find_lead(b, from, &at);
  cut_write(b, from, at, out);
  text_add(out, "\n", 1);
  variants_visit(&v);
  text_printf(out, v.written ? "#endif" : "");
  write_line(b, out, end);
  return end;
}

// Writes the loop A, which stands at or after FROM. Returns where its text ends.
static size_t write_author(struct builder *b, const struct author *a, size_t from,
                           struct text *out) {
  struct text loop = { 0 };
  cut_write(b, from, a->from, out);
  text_add(&loop, "", 0);
  write_range(b, a->start, a->end, &loop);
  author_write(b, a, (struct slice){ loop.data, loop.size }, out);
  write_line(b, out, a->end);
  return a->end;
}

void write_range(struct builder *b, size_t from, size_t to, struct text *out) {
  unsigned i = 0, j = 0;
  while (!b->failed) {
    while (i < b->f->n_directives && b->f->directives[i].pragma->offset < from)
      i++;
    while (j < b->n_authors && b->authors[j].from < from)
      j++;
    size_t ours = i < b->f->n_directives ? b->f->directives[i].pragma->offset : to,
           author = j < b->n_authors ? b->authors[j].from : to;
    if (ours >= to && author >= to)
      break;
    from = ours < author ? write_directive(b, &b->f->directives[i], from, out)
                         : write_author(b, &b->authors[j], from, out);
  }
  cut_write(b, from, to, out);
}

struct builder builder_of(const struct source *s, const struct kernel *k,
                          const struct function *f) {
  unsigned n = k->n_params + f->n_directives + 1; // permutations become params
  struct builder b = { .s = s,
                       .k = k,
                       .f = f,
                       .u = usage_of(s, f, f->node),
                       .point = arena_alloc(n * sizeof(unsigned)),
                       .held = arena_alloc(n * sizeof(bool)) };
  b.authors = authors_of(s, f, &b.u, &b.n_authors);
  return b;
}

void loops_check(const struct source *s, struct kernel *k, struct function *f) {
  struct text scratch = { 0 }, functions = { 0 };
  if (f->n_directives == 0)
    return;
  fission_depend(s, k, f);
  struct builder b = builder_of(s, k, f);
  b.change = k;
  b.resolve = true;
  b.functions = &functions;
  write_range(&b, f->start, f->end, &scratch);
  b.resolve = false;
  b.copies = 0;
  write_range(&b, f->start, f->end, &scratch);
  if (!b.failed) {
    shared_check(&b);
    fission_check(&b);
  }
}

// Writes the function from FROM on, which is at or before its body.
static void loops_write_from(struct builder *b, size_t from, struct text *out) {
  size_t body = b->f->body_at;
  bool block = false;
  write_line(b, out, from);
  if (b->s->text[body] == '{') {
    write_range(b, from, ++body, out);
    block = constants_write(b, out);
    exists_write(b, out);
    from = body;
  }
  write_range(b, from, b->f->end, out);
  text_printf(out, block ? "}" : "");
}

// Writes the macros that generated loops of F use.
static void loops_write_macros(const struct function *f, struct text *out) {
  bool schedule = false;
  for (unsigned i = 0; i < f->n_directives; i++)
    schedule = schedule || directive_groups(f->directives[i].kind) & GROUP_SCHEDULE;
  text_printf(out, "%s%s%s", f->n_directives ? "\n" : "",
              f->n_directives ? loops_prologue : "", schedule ? code_prologue : "");
}

static void loops_write_function(struct builder *b, struct text *before,
                                 struct text *out) {
  struct text functions = { 0 };
  b->functions = &functions;
  loops_write_from(b, b->f->start, out);
  text_add(out, "\n", 1);
  exists_write_macro(out, before);
  constants_write_macros(b, before);
  if (b->n_cuts)
    text_printf(before, "\n%s", cut_prologue);
  loops_write_macros(b->f, before);
  if (b->f->n_directives && !b->fixed)
    write_order_macros(before);
  text_add(before, functions.data, functions.size);
}

void loops_write(const struct source *s, const struct kernel *k, const struct function *f,
                 struct text *before, struct text *out) {
  struct builder b = builder_of(s, k, f);
  cut_begin(&b);
  loops_write_function(&b, before, out);
}

void loops_write_body(const struct source *s, const struct kernel *k,
                      const struct function *f, struct text *before, struct text *out) {
  struct builder b = builder_of(s, k, f);
  struct text functions = { 0 };
  cut_begin(&b);
  b.functions = before ? &functions : NULL;
  loops_write_from(&b, f->body_at, out);
  if (before) {
    exists_write_macro(out, before);
    text_add(before, functions.data, functions.size);
  }
}

void loops_write_prologue(const struct source *s, const struct kernel *k,
                          const struct function *f, struct text *out) {
  struct builder b = builder_of(s, k, f);
  cut_begin(&b);
  if (b.n_cuts)
    text_printf(out, "\n%s", cut_prologue);
  constants_write_macros(&b, out);
  if (!f->n_directives)
    return;
  loops_write_macros(f, out);
  write_order_macros(out);
}

void loops_write_point(const struct source *s, const struct kernel *k,
                       const struct function *f, const unsigned *point, const char *name,
                       struct text *out) {
  struct builder b = builder_of(s, k, f);
  struct text definition = { 0 };
  b.fixed = name;
  for (unsigned i = 0; i < k->n_params; i++)
    b.point[i] = point[i];
  loops_write_function(&b, out, &definition);
  text_add(out, definition.data, definition.size);
}
