// SPDX-License-Identifier: Apache-2.0
// chain.c: `chain` runs the nests of a block in the tiles that front/affine finds:
//
//     memory for the buffers of a tile
//     nests that run before all tiles
//     #pragma omp for
//     for each tile
//       for each nest, in the order of the source
//         what the tile needs of it, into its buffer
//
// If threads share the tiles, there are two more choices. Threads share the outermost
// loop of each nest instead. Or they share pieces of the outermost loop of the tiles:
// from one tile to the next in a piece, the buffers keep what that needs again.
//
// Each thread has buffers of its own. They are on its stack if they are small. If there
// is no memory for them in one of the threads, the code as written runs.
#include "autotune_abi.h"
#include "front/affine/affine.h"
#include "front/analysis/trial.h"
#include "loops.h"

enum { CHAIN_STACK = 65536 }; /* bytes */
enum { CHAIN_PIECES = 64 };   /* of the outermost loop of a nest that threads share */

// ---- what it may stand on -----------------------------------------------------------

struct chaining {
  const struct source *s;
  struct kernel *k;
  struct loop_directive *d;
  struct model *m;
};

static bool chain_fails(const struct chaining *c, TSNode at, const char *why) {
  size_t begin = c->d->pragma->offset, end = c->d->pragma->end;
  bool written = false;
  size_t seen = ts_node_is_null(at) ? begin : model_offset(c->m, at, &written);
  diag_error(c->s, begin, end - begin, NULL, "'chain' cannot join these nests: %s", why);
  if (written && seen != begin)
    diag_note(c->s, seen, 1, "it is here");
  return false;
}

// Reports an array in `local` whose contents others see.
static bool chain_check_section(const struct chaining *c, struct slice name) {
  const struct kernel *k = c->k;
  size_t begin = c->d->pragma->offset, size = c->d->pragma->end - begin;
  const char *hint =
      arena_printf("name it in scratch(%.*s[…])", (int)name.size, name.data);
  bool named = false;
  for (unsigned i = 0; i < k->n_sections; i++) {
    const struct section *x = &k->sections[i];
    bool same = slices_same(section_array(x), name);
    named = named || same;
    if (same && x->access != AUTOTUNE_SCRATCH) {
      diag_error(c->s, begin, size, hint,
                 "'%.*s' is local, and %s(%s) says that it is not", (int)name.size,
                 name.data, sections_access[x->access], x->name);
      return false;
    }
  }
  const struct array *a = array_find(c->m, name);
  if (named || (a && a->local) || k->verify == AUTOTUNE_VERIFY_OFF)
    return true;
  diag_error(
      c->s, begin, size, hint,
      "'%.*s' is local, but no section names it, so what is in it would be compared",
      (int)name.size, name.data);
  return false;
}

// Stores in *LOCAL the arrays that nothing reads after the nests.
static bool chain_read_local(const struct chaining *c, struct array ***local,
                             unsigned *n) {
  const struct dir_clause *clause = directive_clause(c->d, "local");
  for (unsigned i = 0; i < clause->n_args; i++) {
    struct slice name = clause->args[i].text;
    struct array *a = array_find(c->m, name);
    if (!a)
      return chain_fails(
          c, (TSNode){ 0 },
          arena_printf("'%.*s' is no array that they use", (int)name.size, name.data));
    if (a->why)
      return chain_fails(c, a->at, a->why);
    if (!chain_check_section(c, name))
      return false;
    *GROW(*local, *n) = a;
  }
  return true;
}

// Sets *ALL to the loops in D's block, in the model, and *LAST to the last one. False,
// after an error: there is something else than loops that are known.
static bool chain_loops(const struct chaining *c, struct body *all, struct iter **last) {
  const TSNode block = c->d->loop, none = { 0 };
  struct note why = { none, NULL };
  unsigned n = 0;
  for (uint32_t i = 0; i < ts_node_named_child_count(block); i++) {
    TSNode loop = ts_node_named_child(block, i);
    if (node_is(loop, "comment"))
      continue;
    *last = node_is(loop, "for_statement") ? order_iter(c->m, loop) : NULL;
    if (*last) {
      all->first = n++ ? all->first : (*last)->node;
      all->last = (*last)->node;
      continue;
    }
    why.text = node_is(loop, "for_statement")
        ? reschedule_unknown(c->m, loop, &why.at)
        : "a block of loops must stand below it, with nothing else in it";
    return chain_fails(c, why.at, why.text);
  }
  return n > 1 || chain_fails(c, none, "there are fewer than two");
}

static void chain_find_one(struct chaining *c) {
  struct iter *last = NULL;
  struct array **local = NULL;
  unsigned n = 0;
  struct body all;
  if (!chain_loops(c, &all, &last) || !chain_read_local(c, &local, &n))
    return;
  struct chain *chain =
      chain_of(c->m, all, last, directive_clause(c->d, "sizes")->n_args, local, n);
  if (chain->why)
    chain_fails(c, chain->at, chain->why);
  else
    c->d->chain = chain;
}

void chain_find(const struct source *s, struct kernel *k, const struct expansion *x) {
  for (unsigned i = 0; i <= k->n_alternatives; i++) {
    struct function *f = i ? &k->alternatives[i - 1] : &k->main;
    struct chaining c = { .s = s, .k = k };
    for (unsigned j = 0; j < f->n_directives; j++) {
      c.d = &f->directives[j];
      if (c.d->kind != DIR_CHAIN)
        continue;
      if (!c.m) {
        c.m = scan_function(s, k, f, x);
        split_assume(c.m);
      }
      chain_find_one(&c);
    }
  }
}

// ---- text ---------------------------------------------------------------------------

struct chainer {
  const struct builder *b;
  const struct chain *c;
  const struct dir_clause *sizes;
  bool threads, constant; /* the sizes of tiles are constant expressions */
  const char *how;        /* the clause `schedule` */
  struct text *out;
};

static const char *chainer_share(const struct chainer *w, unsigned loops) {
  if (!w->threads)
    return "";
  return loops > 1 ? arena_printf("#pragma omp for collapse(%u)%s\n", loops, w->how)
                   : arena_printf("#pragma omp for%s\n", w->how);
}

static void chainer_sizes(struct chainer *w) {
  w->constant = true;
  for (unsigned i = 0; i < w->c->n; i++) {
    const struct dir_arg *a = &w->sizes->args[i];
    w->constant = w->constant && (arg_param(w->b, a) >= 0 || is_digits(a->text));
  }
  for (unsigned i = 0; i < w->c->n; i++) {
    const char *size = arg_text(w->b, &w->sizes->args[i]);
    text_printf(
        w->out,
        w->constant
            ? "enum { autotune_size%u = AUTOTUNE_MORE((%s), 1) };\n"
            : "const long long autotune_size%u = AUTOTUNE_MORE((long long)(%s), 1LL);\n",
        i, size);
  }
}

// Writes the memory of all buffers. Afterwards *autotune_failed is not 0 if a thread has
// none.
static void chainer_memory(const struct chainer *w) {
  const struct tile_buffer *list = w->c->buffers;
  unsigned n = w->c->n_buffers;
  bool constant = w->constant;
  for (unsigned i = 0; i < n; i++)
    constant = constant && list[i].constant;
  const char *bytes = buffers_bytes(list, n, false);
  buffers_widths(list, n, w->out);
  text_printf(w->out, "const long long autotune_bytes = %s;\n",
              buffers_bytes(list, n, true));
  const char *on_stack = constant ? arena_printf("autotune_bytes <= %d", CHAIN_STACK)
                                  : "0";
  text_printf(w->out,
              "__attribute__((__aligned__(%d))) char autotune_stack[%s];\n"
              "char *const autotune_heap = %s ? (char *)0 : "
              "(char *)__builtin_malloc((__SIZE_TYPE__)autotune_bytes + %d);\n"
              "char *const autotune_memory = %s ? autotune_stack : "
              "autotune_heap + (%d - (__SIZE_TYPE__)autotune_heap %% %d);\n",
              BUFFER_LINE,
              constant ? arena_printf("(%s) <= %d ? (%s) : 1", bytes, CHAIN_STACK, bytes)
                       : "1",
              on_stack, BUFFER_LINE, on_stack, BUFFER_LINE, BUFFER_LINE);
  text_printf(w->out, "if (!(%s) && !autotune_heap)\n{\n%s*autotune_failed = 1;\n}\n",
              on_stack, w->threads ? "#pragma omp atomic write\n" : "");
  buffers_begin(list, n, w->out);
  text_printf(w->out, w->threads ? "#pragma omp barrier\n" : "");
}

static void chainer_apart(const struct chainer *w, const struct chain_part *p) {
  if (!p->first) {
    text_printf(w->out, "%s{\n%s}\n", w->threads ? "#pragma omp single\n" : "", p->code);
    return;
  }
  text_printf(
      w->out,
      "{\nconst long long autotune_begin = (%s), autotune_end = (%s), autotune_size = "
      "AUTOTUNE_MORE((autotune_end - autotune_begin) / %d + 1, 1LL);\n%s"
      "for (long long autotune_first = autotune_begin; "
      "autotune_first <= autotune_end; autotune_first += autotune_size) {\n"
      "const long long autotune_low0 = autotune_first, autotune_high0 = "
      "AUTOTUNE_LESS(autotune_first + autotune_size, autotune_end + 1);\n%s}\n}\n",
      p->first, p->last, CHAIN_PIECES, chainer_share(w, 1), p->code);
}

static void chainer_counts(const struct chainer *w) {
  const struct chain *c = w->c;
  for (unsigned i = 0; i < c->n; i++)
    text_printf(w->out,
                "const long long autotune_begin%u = (%s), autotune_end%u = (%s), "
                "autotune_count%u = autotune_end%u < autotune_begin%u ? 0 : "
                "(autotune_end%u - autotune_begin%u) / autotune_size%u + 1;\n",
                i, c->first[i], i, c->last[i], i, i, i, i, i, i);
}

// Opens the loops over tiles, of which there are FIRST in the outermost one.
static void chainer_loops(const struct chainer *w, const char *first) {
  text_printf(w->out, "%s", chainer_share(w, w->c->n));
  for (unsigned i = 0; i < w->c->n; i++)
    text_printf(w->out,
                "for (long long autotune_tile%u = 0; autotune_tile%u < %s; "
                "autotune_tile%u++)\n",
                i, i, i ? arena_printf("autotune_count%u", i) : first, i);
  text_printf(w->out, "{\n");
}

// Writes the values of the loop AT in the tile NUMBER.
static void chainer_range(const struct chainer *w, unsigned at, const char *number) {
  text_printf(w->out,
              "const long long autotune_low%u = autotune_begin%u + %s * autotune_size%u, "
              "autotune_high%u = AUTOTUNE_LESS(autotune_low%u + autotune_size%u, "
              "autotune_end%u + 1);\n",
              at, at, number, at, at, at, at, at);
}

static void chainer_tiles(const struct chainer *w) {
  chainer_counts(w);
  chainer_loops(w, "autotune_count0");
  for (unsigned i = 0; i < w->c->n; i++)
    chainer_range(w, i, arena_printf("autotune_tile%u", i));
  buffers_origins(w->c->buffers, w->c->n_buffers, w->out);
  text_printf(w->out, "%s}\n", w->c->code);
}

// Writes the move of what buffer AT keeps for the next tile to its beginning.
static void chainer_move(const struct chainer *w, unsigned at) {
  unsigned first = at * MAX_SUBSCRIPTS;
  text_printf(
      w->out,
      "{\nconst long long autotune_moved = autotune_origin%u - autotune_before%u, "
      "autotune_row = 1LL",
      first, at);
  for (unsigned i = 1; i < w->c->buffers[at].n; i++)
    text_printf(w->out, " * autotune_width%u", first + i);
  text_printf(
      w->out,
      ";\nif (autotune_moved > 0 && autotune_moved < autotune_width%u)\n"
      "__builtin_memmove(autotune_local%u, autotune_local%u + autotune_moved * "
      "autotune_row, sizeof *autotune_local%u * (__SIZE_TYPE__)((autotune_width%u - "
      "autotune_moved) * autotune_row));\n}\n",
      first, at, at, at, first);
}

// Writes pieces of the outermost loop, which threads share, each with its tiles one after
// the other.
static void chainer_slide(const struct chainer *w) {
  const struct chain *c = w->c;
  struct text others = { 0 };
  chainer_counts(w);
  for (unsigned i = 1; i < c->n; i++)
    text_printf(&others, " / AUTOTUNE_MORE(autotune_count%u, 1)", i);
  text_printf(w->out,
              "const long long autotune_pieces = AUTOTUNE_LESS(autotune_count0, "
              "AUTOTUNE_MORE(%dLL%s, 1LL)), autotune_rows = autotune_pieces ? "
              "(autotune_count0 + autotune_pieces - 1) / autotune_pieces : 0;\n",
              4 * CHAIN_PIECES, others.size ? others.data : "");
  chainer_loops(w, "autotune_pieces");
  for (unsigned i = 1; i < c->n; i++)
    chainer_range(w, i, arena_printf("autotune_tile%u", i));
  for (unsigned i = 0; i < c->n_done; i++)
    text_printf(w->out, "long long autotune_done%u = -(1LL << 62);\n", i);
  for (unsigned i = 0; i < c->n_buffers; i++)
    text_printf(w->out, "long long autotune_before%u = 0;\n", i);
  text_printf(
      w->out,
      "const long long autotune_first = autotune_tile0 * autotune_rows, "
      "autotune_after = AUTOTUNE_LESS(autotune_first + autotune_rows, "
      "autotune_count0);\n"
      "for (long long autotune_row = autotune_first; autotune_row < autotune_after; "
      "autotune_row++) {\n");
  chainer_range(w, 0, "autotune_row");
  buffers_origins(c->buffers, c->n_buffers, w->out);
  text_printf(w->out, "if (autotune_row > autotune_first) {\n");
  for (unsigned i = 0; i < c->n_buffers; i++)
    chainer_move(w, i);
  text_printf(w->out, "}\n");
  for (unsigned i = 0; i < c->n_buffers; i++)
    text_printf(w->out, "autotune_before%u = autotune_origin%u;\n", i,
                i * MAX_SUBSCRIPTS);
  text_printf(w->out, "%s", c->slid);
  for (unsigned i = 0; i < c->n_done; i++)
    text_printf(w->out, "autotune_done%u = (%s) + 1;\n", i, c->done[i]);
  text_printf(w->out, "}\n}\n");
}

enum { CHAIN_APART, CHAIN_RECOMPUTE, CHAIN_SHIFT }; // as in front/kernel/directives.c

static void chainer_body(struct chainer *w, const char *last, long long how) {
  text_printf(w->out, "%sconst long long " AFFINE_LAST " = %s;\n", w->c->symbols,
              last ? last : w->c->last_value);
  if (how == CHAIN_APART) {
    for (unsigned i = 0; i < w->c->n_whole; i++)
      chainer_apart(w, &w->c->whole[i]);
    return;
  }
  chainer_sizes(w);
  chainer_memory(w);
  text_printf(w->out, "if (!*autotune_failed) {\n");
  for (unsigned i = 0; i < w->c->n_apart; i++)
    chainer_apart(w, &w->c->apart[i]);
  if (how == CHAIN_SHIFT && w->c->slid)
    chainer_slide(w);
  else
    chainer_tiles(w);
  text_printf(w->out, "}\n__builtin_free(autotune_heap);\n");
}

static TSNode chain_last(TSNode block) {
  uint32_t n = ts_node_named_child_count(block);
  while (!node_is(ts_node_named_child(block, n - 1), "for_statement"))
    n--;
  return ts_node_named_child(block, n - 1);
}

void chain_write(struct builder *b, const struct loop_directive *d, struct text *out) {
  if (!reschedule_check(b, d, 1))
    return;
  size_t from = ts_node_start_byte(d->loop), to = ts_node_end_byte(d->loop);
  const char *team = reschedule_clause(b, d, "num_threads");
  struct text body = { 0 };
  struct moved m = { 0 };
  b->copies++;
  if (!d->chain) { // it is too early: what macros stand for is not known
    cut_write(b, from, to, out);
    return;
  }
  struct chainer w = { .b = b,
                       .c = d->chain,
                       .sizes = directive_clause(d, "sizes"),
                       .how = reschedule_clause(b, d, "schedule"),
                       .out = &body };
  w.threads = *team || *w.how;
  const struct dir_clause *choice = directive_clause(d, "tiles");
  int param = choice ? choice->args[0].param : -1;
  long long how = param < 0 ? CHAIN_RECOMPUTE
                            : b->k->params[param].values[b->point[param]].i;
  chainer_body(&w, cut_last(b, chain_last(d->loop)), how);
  const char *condition = d->chain->condition;
  const struct region *r =
      region_of(slice_of(arena_printf("#pragma omp parallel for%s%s", team, w.how)));
  text_printf(out, "{\nint autotune_failed[1] = { %s };\nif (!*autotune_failed) {\n",
              condition ? arena_printf("!(%s)", condition) : "0");
  write_line(b, out, from);
  if (w.threads && r && b->functions && outline(b, d->loop, NULL, 0, r, &m)) {
    const char *name = outline_name(b);
    struct text function = { 0 };
    text_printf(out, "%s%s(%s%sautotune_failed);\n", r->team, name,
                m.args.size ? m.args.data : "", m.args.size ? ", " : "");
    text_printf(&function,
                "static __attribute__((__noinline__)) void %s(%s%sint *autotune_failed)\n"
                "{\n%s%s%s}\n",
                name, m.params.size ? m.params.data : "", m.params.size ? ", " : "",
                m.begin.size ? m.begin.data : "", body.data,
                m.end.size ? m.end.data : "");
    text_add(b->functions, function.data, function.size);
  } else {
    text_printf(out, "%s{\n%s}\n",
                w.threads ? arena_printf("#pragma omp parallel%s\n", team) : "",
                body.data);
  }
  text_printf(out, "}\nif (*autotune_failed)\n");
  cut_write(b, from, to, out);
  text_printf(out, "\n}\n");
}

static bool chain_applies(struct builder *b, const struct nest *n,
                          const struct loop_directive *d) {
  (void)n;
  return FAIL_AT(b, d, "put it before '{ for … for … }'",
                 "'chain' is not followed by a block of loops");
}

const struct transformation transform_chain = { .applies = chain_applies };
