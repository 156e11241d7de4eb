// SPDX-License-Identifier: Apache-2.0
// reschedule.c: `reschedule` runs all iterations of a nest in an order that isl finds
// (front/affine), in tiles:
//
//     for each sum of the tiles' numbers in the first two loops   // a wave
//       #pragma omp for
//       for each tile of that sum
//         for each tile of the other loops
//           the tile
//
// A tile depends only on tiles that are no later in any loop, so those of a wave do not
// depend on each other. If the iterations of one loop do not, its tiles are shared out
// among threads instead, and there are no waves.
#include <string.h>

#include "front/affine/affine.h"
#include "front/analysis/trial.h"
#include "loops.h"

static const struct loop_directive *reschedule_of_kind(const struct builder *b,
                                                       TSNode loop,
                                                       enum directive_kind kind) {
  unsigned n;
  const struct loop_directive **list = directives_of(&b->u, loop, &n);
  for (unsigned i = 0; i < n; i++)
    if (list[i]->kind == kind && directive_present(b, list[i]))
      return list[i];
  return NULL;
}

enum { WHOLE_TILE = 3 }; /* loops of a tile that `registers` needs */
const struct loop_directive *reschedule_present(const struct builder *b, TSNode loop) {
  return reschedule_of_kind(b, loop, DIR_RESCHEDULE);
}

const struct loop_directive *chain_present(const struct builder *b, TSNode block) {
  return reschedule_of_kind(b, block, DIR_CHAIN);
}

// ---- what it may stand on -----------------------------------------------------------

bool reschedule_check(struct builder *b, const struct loop_directive *d, unsigned least) {
  const char *own = directive_name(d->kind);
  const struct dir_clause *c = directive_clause(d, "sizes");
  for (unsigned i = 0; i < b->f->n_directives; i++) {
    const struct loop_directive *other = &b->f->directives[i];
    if (other != d && node_within(other->loop, d->loop))
      return FAIL_AT(b, other, "remove one of them",
                     "'%s' cannot stand on or in loops that '%s' orders",
                     directive_name(other->kind), own);
  }
  if (lex_mentions(b->lead, slice_of("omp")))
    return FAIL_AT(b, d, NULL, "'%s' cannot order a loop under a pragma of OpenMP", own);
  if (c->n_args < least || c->n_args > AFFINE_DEPTH)
    return FAIL_AT(b, d, "give a size for each loop of a tile",
                   c->n_args < least ? "'%s' needs two sizes at least"
                                     : "'%s' has more sizes than a nest has loops",
                   own);
  for (unsigned i = 0; i < c->n_args; i++)
    if (!arg_is_positive(b, d->pragma, &c->args[i], "a size"))
      return false;
  c = directive_clause(d, "registers");
  if (c && c->n_args != 2)
    return FAIL(b, c->offset, strlen("registers"), "write 'registers(ROWS, COLUMNS)'",
                "'registers' needs two numbers");
  for (unsigned i = 0; c && i < c->n_args; i++)
    if (!arg_is_positive(b, d->pragma, &c->args[i], "a number of rows or columns"))
      return false;
  return true;
}

const char *reschedule_unknown(const struct model *m, TSNode loop, TSNode *at) {
  for (unsigned i = 0; i < m->n_unranged; i++)
    if (m->unranged[i].text &&
        model_offset(m, m->unranged[i].at, NULL) == ts_node_start_byte(loop))
      return m->unranged[i].text;
  if (m->n_refusals)
    *at = m->refusals[0].at;
  return m->n_refusals ? m->refusals[0].text : "its range is not known";
}

static void reschedule_find_in(const struct source *s, struct kernel *k,
                               struct function *f, const struct expansion *x) {
  struct model *m = NULL;
  for (unsigned i = 0; i < f->n_directives; i++) {
    struct loop_directive *d = &f->directives[i];
    if (d->kind != DIR_RESCHEDULE)
      continue;
    if (!m) {
      m = scan_function(s, k, f, x);
      split_assume(m);
    }
    struct iter *root = order_iter(m, d->loop);
    const struct dir_clause *c = directive_clause(d, "registers");
    unsigned sizes = directive_clause(d, "sizes")->n_args,
             tiled = c && sizes < WHOLE_TILE ? WHOLE_TILE : sizes;
    struct affine *a = root ? affine_of(m, root, tiled, c != NULL) : NULL;
    if (a && !a->why && c && !affine_has_blocks(a)) {
      diag_error(
          s, c->offset, strlen("registers"), "remove it",
          "no tile of these loops has only statements that update one element along a loop, "
          "as a sum does");
      continue;
    }
    if (a && !a->why) {
      d->affine = a;
      continue;
    }
    size_t at = d->pragma->offset, end = d->pragma->end;
    bool written = false;
    TSNode place = a ? a->at : (TSNode){ 0 };
    const char *why = a ? a->why : reschedule_unknown(m, d->loop, &place);
    size_t seen = ts_node_is_null(place) ? at : model_offset(m, place, &written);
    diag_error(s, at, end - at, NULL, "'reschedule' cannot order these loops: %s", why);
    if (written && seen != at)
      diag_note(s, seen, 1, "it is here");
  }
}

void reschedule_find(const struct source *s, struct kernel *k,
                     const struct expansion *x) {
  reschedule_find_in(s, k, &k->main, x);
  for (unsigned i = 0; i < k->n_alternatives; i++)
    reschedule_find_in(s, k, &k->alternatives[i], x);
}

// ---- text ---------------------------------------------------------------------------

struct writer { /* of one part */
  const struct builder *b;
  const struct affine_part *p;
  const struct dir_clause *sizes;
  const char *share; /* `#pragma omp for …`, a line; or "" */
  bool registers;    /* tiles run in blocks where that is right */
  struct text *out;
};

// Returns the size of tiles in LOOP. A name may stand for 0, or less. A loop without a
// size is not cut.
static const char *writer_cut(const struct writer *w, unsigned loop) {
  if (loop >= w->sizes->n_args)
    return "(1LL << 48)";
  const char *size = arg_text(w->b, &w->sizes->args[loop]);
  return arena_printf("AUTOTUNE_MORE((long long)(%s), 1LL)", size);
}

// The same of the loop in place AT.
static const char *writer_size(const struct writer *w, unsigned at) {
  return writer_cut(w, w->p->loop[at]);
}

// Opens the range of the tile NUMBER in the loop in place AT: what there is of it.
static void writer_open(const struct writer *w, unsigned at, const char *number) {
  unsigned loop = w->p->loop[at];
  const char *size = writer_size(w, at);
  text_printf(w->out,
              "const long long autotune_low%u = AUTOTUNE_MORE((%s) * (%s), (%s)), "
              "autotune_high%u = AUTOTUNE_LESS((%s + 1) * (%s), (%s) + 1);\n",
              loop, number, size, w->p->first[at], loop, number, size, w->p->last[at]);
}

// Writes a tile that runs in blocks if that is right for all of it, and what they copy
// fits on the stack. Otherwise it is divided into small tiles, some of which run in
// blocks.
static void writer_blocks(const struct writer *w) {
  const struct affine_part *p = w->p;
  text_printf(w->out,
              "const int autotune_right = autotune_rows > 1 && %s, "
              "autotune_whole = autotune_right && %s;\n",
              p->blocked, p->fits);
  for (unsigned i = 0; i < p->n; i++) {
    unsigned loop = p->loop[i];
    text_printf(w->out,
                "const long long autotune_from%u = autotune_low%u, "
                "autotune_until%u = autotune_high%u, autotune_step%u = "
                "autotune_whole || autotune_rows <= 1 ? "
                "AUTOTUNE_MORE(autotune_high%u - autotune_low%u, 1LL) : "
                "autotune_right ? %uLL : autotune_columns;\n",
                loop, loop, loop, loop, loop, loop, loop, p->piece);
  }
  for (unsigned i = 0; i < p->n; i++) // from the outermost loop of the order on
    text_printf(w->out,
                "for (long long autotune_low%u = autotune_from%u; autotune_low%u < "
                "autotune_until%u; autotune_low%u += autotune_step%u) {\n"
                "const long long autotune_high%u = "
                "AUTOTUNE_LESS(autotune_low%u + autotune_step%u, autotune_until%u);\n",
                i, i, i, i, i, i, i, i, i, i);
  text_printf(w->out,
              "if (autotune_whole || (autotune_rows > 1 && %s && %s)) {\n%s} else "
              "{\n%s}\n",
              p->blocked, p->fits, p->block, p->code);
  for (unsigned i = 0; i < p->n; i++)
    text_printf(w->out, "}\n");
}

// Writes the iterations that run before all others of a tile.
static void writer_early(const struct writer *w) {
  const struct affine_early *e = w->p->early;
  unsigned loop = e->loop;
  text_printf(w->out,
              "const long long autotune_early0 = (%s), "
              "autotune_early1 = (%s) ? (%s) + 1 : autotune_early0;\n"
              "for (long long autotune_low%u = autotune_early0; "
              "autotune_low%u < autotune_early1; autotune_low%u += %s) {\n"
              "const long long autotune_high%u = "
              "AUTOTUNE_LESS(autotune_low%u + %s, autotune_early1);\n",
              e->first, e->some, e->last, loop, loop, loop, writer_cut(w, loop), loop,
              loop, writer_cut(w, loop));
  if (w->registers)
    text_printf(w->out, "if (autotune_rows > 1 && %s) {\n%s} else {\n%s}\n", e->blocked,
                e->block, e->code);
  else
    text_printf(w->out, "%s", e->code);
  text_printf(w->out, "}\n");
}

// Writes a tile that has buffers, unless there is no memory for them.
static void writer_local(const struct writer *w) {
  const struct affine_part *p = w->p;
  text_printf(w->out, "if (autotune_memory && !(%s)) {\n", p->stores);
  buffers_widths(p->buffers, p->n_buffers, w->out);
  buffers_begin(p->buffers, p->n_buffers, w->out);
  buffers_origins(p->buffers, p->n_buffers, w->out);
  text_printf(w->out, "%s} else {\n%s}\n", p->local, p->code);
}

// Writes the memory of each thread for the buffers of a tile of any part of A.
static void writer_memory(const struct writer *w, const struct affine *a) {
  for (unsigned i = 0; i < w->sizes->n_args; i++)
    text_printf(w->out, "const long long autotune_size%u = %s;\n", i, writer_cut(w, i));
  text_printf(w->out, "long long autotune_bytes = 0;\n");
  for (unsigned i = 0; i < a->n; i++) // a variable, for macros double their arguments
    if (a->parts[i].local)
      text_printf(w->out,
                  "const long long autotune_bytes%u = %s;\n"
                  "autotune_bytes = AUTOTUNE_MORE(autotune_bytes, autotune_bytes%u);\n",
                  i, buffers_bytes(a->parts[i].buffers, a->parts[i].n_buffers, false), i);
  text_printf(w->out,
              "char *const autotune_heap = "
              "(char *)__builtin_malloc((__SIZE_TYPE__)autotune_bytes + %d);\n"
              "char *const autotune_memory = autotune_heap ? autotune_heap + "
              "(%d - (__SIZE_TYPE__)autotune_heap %% %d) : autotune_heap;\n",
              BUFFER_LINE, BUFFER_LINE, BUFFER_LINE);
}

// Writes the loops over tiles from place AT on, and the tile.
static void writer_rest(const struct writer *w, unsigned at) {
  if (at == w->p->n) {
    if (w->p->early)
      writer_early(w);
    if (w->p->local)
      writer_local(w);
    else if (w->registers && w->p->block)
      writer_blocks(w);
    else
      text_printf(w->out, "%s", w->p->code);
    return;
  }
  const char *size = writer_size(w, at);
  text_printf(w->out,
              "for (long long autotune_tile%u = AUTOTUNE_FLOOR((%s), (%s)), "
              "autotune_end%u = AUTOTUNE_FLOOR((%s), (%s)); "
              "autotune_tile%u <= autotune_end%u; autotune_tile%u++) {\n",
              at, w->p->first[at], size, at, w->p->last[at], size, at, at, at);
  writer_open(w, at, arena_printf("autotune_tile%u", at));
  writer_rest(w, at + 1);
  text_printf(w->out, "}\n");
}

static void writer_ends(const struct writer *w, unsigned at, const char *first,
                        const char *last) {
  const char *size = writer_size(w, at);
  text_printf(w->out,
              "const long long autotune_begin%u = AUTOTUNE_FLOOR((%s), (%s)), "
              "autotune_end%u = AUTOTUNE_FLOOR((%s), (%s));\n",
              at, first, size, at, last, size);
}

static void writer_wave(const struct writer *w) {
  const struct affine_part *p = w->p;
  writer_ends(w, 0, p->first[0], p->last[0]);
  writer_ends(w, 1, p->second_first, p->second_last);
  text_printf(
      w->out,
      "if (autotune_begin0 <= autotune_end0 && autotune_begin1 <= autotune_end1)\n"
      "for (long long autotune_wave = autotune_begin0 + autotune_begin1; "
      "autotune_wave <= autotune_end0 + autotune_end1; autotune_wave++) {\n%s"
      "for (long long autotune_tile0 = "
      "AUTOTUNE_MORE(autotune_begin0, autotune_wave - autotune_end1); "
      "autotune_tile0 <= "
      "AUTOTUNE_LESS(autotune_end0, autotune_wave - autotune_begin1); "
      "autotune_tile0++) {\n",
      w->share);
  writer_open(w, 0, "autotune_tile0");
  writer_open(w, 1, "(autotune_wave - autotune_tile0)");
  text_printf(w->out,
              "if (autotune_high%u <= (%s) || autotune_low%u > (%s))\ncontinue;\n",
              p->loop[1], p->first[1], p->loop[1], p->last[1]);
  writer_rest(w, 2);
  text_printf(w->out, "}\n}\n");
}

static void writer_part(const struct writer *w) {
  const struct affine_part *p = w->p;
  if (p->outer_first) {
    text_printf(w->out,
                "for (long long autotune_outer%u = (%s); autotune_outer%u <= (%s); "
                "autotune_outer%u++) {\nif (!(%s))\ncontinue;\n",
                p->outer, p->outer_first, p->outer, p->outer_last, p->outer,
                p->outer_some);
    return;
  }
  if (p->ends) {
    text_printf(w->out, "}\n");
    return;
  }
  text_printf(w->out, "%s{\n", p->n == 0 && *w->share ? "#pragma omp single\n" : "");
  if (p->n == 0) {
    text_printf(w->out, "%s", p->code);
  } else if (p->wave) {
    writer_wave(w);
  } else {
    writer_ends(w, 0, p->first[0], p->last[0]);
    text_printf(w->out,
                "%sfor (long long autotune_tile0 = autotune_begin0; "
                "autotune_tile0 <= autotune_end0; autotune_tile0++) {\n",
                w->share);
    writer_open(w, 0, "autotune_tile0");
    writer_rest(w, 1);
    text_printf(w->out, "}\n");
  }
  text_printf(w->out, "}\n");
}

const char *reschedule_clause(const struct builder *b, const struct loop_directive *d,
                              const char *name) {
  struct text t = { 0 };
  const struct dir_clause *c = directive_clause(d, name);
  text_add(&t, "", 0);
  if (c)
    openmp_clause(b, &t, c);
  return t.data;
}

void reschedule_write(struct builder *b, const struct loop_directive *d,
                      struct text *out) {
  if (!reschedule_check(b, d, d->affine && d->affine->depth > 1 ? 2 : 1))
    return;
  const struct affine *a = d->affine;
  const struct dir_clause *c = directive_clause(d, "registers");
  size_t from = ts_node_start_byte(d->loop), to = ts_node_end_byte(d->loop);
  const char *team = reschedule_clause(b, d, "num_threads"),
             *how = reschedule_clause(b, d, "schedule");
  struct text body = { 0 };
  struct moved m = { 0 };
  bool threads = *team || *how;
  b->copies++;
  if (!a) { // it is too early: what macros stand for is not known
    cut_write(b, from, to, out);
    return;
  }
  struct writer w = { .b = b,
                      .sizes = directive_clause(d, "sizes"),
                      .registers = c != NULL,
                      .share = threads ? arena_printf("#pragma omp for%s\n", how) : "",
                      .out = &body };
  if (c)
    text_printf(&body, "enum { autotune_rows = %s, autotune_columns = %s };\n",
                arg_text(b, &c->args[0]), arg_text(b, &c->args[1]));
  const char *last = cut_last(b, d->loop);
  text_printf(&body, "%sconst long long " AFFINE_LAST " = %s;\n", a->symbols,
              last ? last : a->last);
  if (affine_has_buffers(a))
    writer_memory(&w, a);
  for (unsigned i = 0; i < a->n; i++) {
    w.p = &a->parts[i];
    writer_part(&w);
  }
  text_printf(&body, affine_has_buffers(a) ? "__builtin_free(autotune_heap);\n" : "");
  const struct region *r =
      region_of(slice_of(arena_printf("#pragma omp parallel for%s%s", team, how)));
  if (a->condition) { // in braces: the loops may end with an `if`
    text_printf(out, "if (!(%s)) {\n", a->condition);
    cut_write(b, from, to, out);
    text_printf(out, "\n} else\n");
  }
  write_line(b, out, from);
  if (threads && r && b->functions && outline(b, d->loop, NULL, 0, r, &m)) {
    const char *name = outline_name(b);
    struct text function = { 0 };
    text_printf(out, "%s%s(%s);\n", r->team, name, m.args.data);
    text_printf(&function,
                "static __attribute__((__noinline__)) void %s(%s)\n{\n%s%s%s}\n", name,
                m.params.data, m.begin.size ? m.begin.data : "", body.data,
                m.end.size ? m.end.data : "");
    text_add(b->functions, function.data, function.size);
  } else {
    text_printf(out, "%s{\n%s}\n",
                threads ? arena_printf("#pragma omp parallel%s\n", team) : "", body.data);
  }
}

static bool reschedule_applies(struct builder *b, const struct nest *n,
                               const struct loop_directive *d) {
  (void)n;
  return FAIL_AT(b, d, NULL, "'reschedule' is not followed by the loop that it orders");
}

const struct transformation transform_reschedule = { .applies = reschedule_applies };
