// SPDX-License-Identifier: Apache-2.0
// plan.c: decides which directives a function's loops may have, and which are worth
// trying. From each outermost loop inwards it looks for the first chain of loops whose
// iterations may be shared among threads, and adds the directives there. The vectors of
// depend.c are the proof; what cannot be proven becomes a note.
#include <string.h>

#include "base/base.h"
#include "suggest.h"

struct planner {
  struct model *m;
  const char *threads; // the param's name
  struct plan *plan;
  struct autotune_machine machine;
};

static void plan_note(struct plan *p, TSNode at, const char *text) {
  *GROW(p->notes, p->n_notes) = (struct note){ at, text };
}

// ---- directives ---------------------------------------------------------------------

static long long power_below(double x) {
  long long p = 1;
  while ((double)(2 * p) <= x)
    p *= 2;
  return p;
}

// Returns the side of three squares of double that fill a cache of BYTES.
static long long plan_side(long long bytes, long long otherwise) {
  double cells = (double)(bytes > 0 ? bytes : otherwise) / (3 * sizeof(double)), root = 1;
  while ((root + 1) * (root + 1) <= cells)
    root++;
  return power_below(root);
}

static const char *indent_of(const struct model *m, size_t offset) {
  size_t from = offset;
  while (from > 0 && m->source->text[from - 1] != '\n')
    from--;
  return arena_copy(m->source->text + from, offset - from);
}

static bool begins_line(const struct model *m, size_t offset) {
  const char *indent = indent_of(m, offset);
  return indent[strspn(indent, " \t")] == '\0';
}

static void put_variables(const struct band *b, struct text *t) {
  for (unsigned product = 0; product < 2; product++) {
    unsigned n = 0;
    for (unsigned i = 0; i < b->n_sums; i++)
      if ((b->sums[i].op == '*') == product)
        text_printf(t, "%s%.*s",
                    n++ ? ", "
                        : product ? " reduction(*: "
                                  : " reduction(+: ",
                    (int)b->sums[i].name.size, b->sums[i].name.data);
    text_printf(t, n ? ")" : "");
  }
  for (unsigned i = 0; i < b->n_own; i++)
    text_printf(t, "%s%.*s%s", i ? ", " : " private(", (int)b->own[i].name.size,
                b->own[i].name.data, i + 1 == b->n_own ? ")" : "");
}

static void put_orders(const struct band *b, struct text *t) {
  text_printf(t, "permutation({");
  for (unsigned i = 0; i < b->n_orders; i++)
    for (unsigned j = 0; j < b->n; j++)
      text_printf(t, "%s%u%s",
                  j ? ","
                      : i ? ", ("
                          : "(",
                  b->orders[i][j] + 1, j + 1 == b->n ? ")" : "");
  text_printf(t, "})");
}

static void put_sizes(const struct planner *p, const struct band *b, struct reuse r,
                      struct text *t) {
  long long near = plan_side(p->machine.l1d, 32 << 10),
            far = plan_side(p->machine.l2, 512 << 10);
  near = near < 8 ? 8 : near;
  far = far < 2 * near ? 2 * near : far;
  if (b->n == 2 && r.far)
    text_printf(t, "sizes({%lld, %lld, %lld}, {%lld, %lld, %lld})", near, near / 2,
                2 * near, near, near / 2, 2 * near);
  else if (b->n == 3)
    text_printf(t, "sizes({%lld, %lld}, {%lld, %lld}, {%lld, %lld})", near, 2 * near,
                near, 2 * near, far, 2 * far);
  else
    text_printf(t, "sizes({%lld, %lld}, {%lld, %lld})", near / 2, 2 * near, far, 4 * far);
}

// Adds the pragmas for B, from the farthest from the loop to the nearest.
static void put_band(struct planner *p, const struct band *b, bool shared) {
  TSNode loop = b->loops[0]->node;
  size_t at = model_offset(p->m, loop, NULL);
  const char *indent = indent_of(p->m, at);
  struct reuse r = band_reuse(p->m, b);
  struct text t = { 0 };
  bool alone = b->n == 1 && b->leaf && b->n_sums && b->v.n == 0;
  bool blocks = b->n > 1 && b->permutable && (r.again || r.near || r.far);
  if (!begins_line(p->m, at)) {
    plan_note(p->plan, loop,
              "this loop does not begin its line, so no pragma can stand on it");
    return;
  }
  if (!shared && b->parallel) {
    text_printf(&t, "%s#pragma autotune parallel for%s num_threads(%s)", indent,
                alone ? " simd" : "", p->threads);
    put_variables(b, &t);
    text_printf(&t, "\n");
    p->plan->threads = true;
  } else if (alone) {
    text_printf(&t, "%s#pragma autotune simd", indent);
    put_variables(b, &t);
    text_printf(&t, " optional\n");
  }
  if (blocks && r.again && b->leaf && band_is_rectangular(b))
    text_printf(&t, "%s#pragma autotune unroll_and_jam partial({4, 2, 1}%s)\n", indent,
                b->n > 2 ? ", {4, 2, 1}" : "");
  if (blocks) {
    text_printf(&t, "%s#pragma autotune tile ", indent);
    put_sizes(p, b, r, &t);
    text_printf(&t, "%s\n", r.again && b->n == 3 ? "" : " optional");
  }
  if (b->n_orders > 1 || !order_is_identity(b->orders[0], b->n)) {
    text_printf(&t, "%s#pragma autotune interchange ", indent);
    put_orders(b, &t);
    text_printf(&t, "\n");
  }
  if (t.size)
    *GROW(p->plan->list, p->plan->n) = (struct insertion){ at, t.data };
}

// ---- nests --------------------------------------------------------------------------

static bool plan_jumps(TSNode n) {
  return node_holds(n, "break_statement") || node_holds(n, "return_statement") ||
      node_holds(n, "goto_statement");
}

static void plan_inside(struct planner *p, TSNode n, bool shared);

// Stores the chain of loops that begins with LOOP and whose ranges are known. Returns
// their number.
static unsigned chain_of(const struct model *m, TSNode loop, struct iter **chain) {
  unsigned n = 0;
  bool written;
  while (n < MAX_LEVELS && node_is(loop, "for_statement") && model_iter(m, loop)) {
    model_offset(m, loop, &written);
    if (!written)
      break;
    chain[n++] = model_iter(m, loop);
    loop = nest_inner(&m->u, loop);
  }
  return n;
}

// Plans LOOP, which is in no chain. SHARED: threads share a loop around it.
static void plan_nest(struct planner *p, TSNode loop, bool shared) {
  struct iter *chain[MAX_LEVELS];
  unsigned n = chain_of(p->m, loop, chain);
  struct band first = { 0 };
  const char *why = NULL;
  TSNode at = loop;
  bool placed = false, written;
  model_offset(p->m, loop, &written);
  if (!written)
    plan_note(p->plan, loop, "nothing is proposed for this loop: it stands in a macro");
  else if (n == 0)
    plan_note(p->plan, loop, "nothing is proposed for this loop: its range is not known");
  for (unsigned from = 0; from < n && !placed && !plan_jumps(loop); from++) {
    struct band b = { .n = n - from };
    memcpy(b.loops, chain + from, b.n * sizeof *chain);
    const char *reason = NULL;
    TSNode where = loop;
    placed = band_fill(p->m, &b, shared, &reason, &where);
    if (placed)
      put_band(p, &b, shared);
    first = from == 0 ? b : first;
    why = why ? why : reason;
    at = from == 0 && reason ? where : at;
  }
  if (n && plan_jumps(loop))
    why = "it is left by a jump";
  if (why && !shared)
    plan_note(p->plan, at,
              arena_printf(
                  "the loop in line %u is not shared out among threads: %s",
                  source_line(p->m->source, model_offset(p->m, loop, NULL), NULL), why));
  if (!placed && first.permutable && first.n_orders && first.n > 1)
    put_band(p, &first, shared);
  TSNode body = node_field(n ? chain[n - 1]->node : loop, "body");
  plan_inside(p, body, shared || placed);
}

static void plan_inside(struct planner *p, TSNode n, bool shared) {
  if (node_is(n, "for_statement")) {
    plan_nest(p, n, shared);
    return;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    plan_inside(p, ts_node_named_child(n, i), shared);
}

const struct autotune_machine *plan_machine(void) {
  return &machine_get()->numbers;
}

struct plan plan_function(struct model *m, const char *threads) {
  struct plan plan = { 0 };
  struct planner p = {
    .m = m, .threads = threads, .plan = &plan, .machine = *plan_machine()
  };
  if (m->n_refusals && ts_node_eq(m->refusals[0].at, m->u.f->node))
    plan_note(&plan, m->u.f->node, m->refusals[0].text);
  else
    plan_inside(&p, node_field(m->u.f->node, "body"), false);
  return plan;
}
