// SPDX-License-Identifier: Apache-2.0
// plan.c: decides which directives a function's loops may have, and which are worth
// trying. From each outermost loop inwards it looks for the first chain of loops whose
// iterations may be shared among threads, and adds the directives there. The vectors of
// depend.c are the proof; what cannot be proven becomes a note.
#include <string.h>

#include "base/base.h"
#include "suggest.h"

// Starting threads takes about as long as SHORT operations. A loop that runs at most FEW
// times does not count among those that start them again and again.
// DEEPEST: a loop around others is planned twice, as it is and divided, so the time
// doubles with each level. Loops below that level are not divided.
enum { SHORT = 5000, FEW = 8, DEEPEST = 5 };

struct planner {
  struct model *m;
  const char *threads; // the param's name
  struct plan *plan;
  struct autotune_machine machine;
  bool team;      // as in plan_function
  unsigned depth; // of loops that are planned whole and divided
  struct gain gain;
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

// True if in each of B's orders no bounds depend on the loop in place AT.
static bool put_may_jam(const struct band *b, unsigned at) {
  for (unsigned i = 0; i < b->n_orders; i++)
    for (unsigned j = 0; j < b->n; j++)
      if (j != b->orders[i][at] &&
          band_bounds_mention(b->loops[j], b->loops[b->orders[i][at]]))
        return false;
  return true;
}

// Adds register blocks of the first loop or two in B's orders, if there may be some.
static void put_jam(const struct band *b, const char *indent, struct text *t) {
  static const char factors[] = "{4, 2, 1}";
  bool first = put_may_jam(b, 0), second = b->n > 2 && put_may_jam(b, 1);
  if (!first && !second)
    return;
  text_printf(t, "%s#pragma autotune unroll_and_jam partial(%s", indent,
              first ? factors : "1");
  text_printf(t, b->n > 2 ? ", %s)\n" : ")\n", second ? factors : "1");
}

static void put_parallel(struct planner *p, const struct band *b, const char *indent,
                         const char *simd, struct text *t) {
  text_printf(t, "%s#pragma autotune parallel for%s num_threads(%s)", indent, simd,
              p->threads);
  put_variables(b, t);
  reduce_put(p->m, &b->reduced, t);
  text_printf(t, "\n");
  p->plan->threads = true;
}

// Adds what the pragmas for B gain to P. S: as for put_band. BLOCKS: they have blocks in
// which elements are used again.
static void put_gain(struct planner *p, const struct band *b, const struct strip *s,
                     bool blocks) {
  unsigned inner = (s ? s->order : b->orders[0])[b->n - 1];
  bool better = 2 * band_cost_of(p->m, b, inner) <= band_cost_of(p->m, b, b->n - 1) ||
      (band_waits(b, b->n - 1) && !band_waits(b, inner));
  p->gain = gain_both(p->gain,
                      (struct gain){ .depth = b->leaf && blocks ? b->n : 0,
                                     .reordered = b->leaf && better,
                                     .starts = UINT_MAX });
}

// Adds the pragmas for B, from the farthest from the loop to the nearest. S: NULL, or the
// blocks that threads share. AROUND: the number of loops around B that are not shared.
static void put_band(struct planner *p, const struct band *b, const struct strip *s,
                     bool shared, unsigned around) {
  TSNode loop = divide_stand(p->m, b->loops[0]->node);
  size_t at = model_offset(p->m, loop, NULL);
  const char *indent = patch_indent(p->m->source, at);
  struct reuse r = band_reuse(p->m, b);
  struct text t = { 0 };
  bool alone = b->n == 1 && b->leaf && b->n_sums && b->v.n == 0;
  bool blocks = b->n > 1 && b->permutable && (r.again || r.near || r.far);
  if (!patch_begins_line(p->m->source, at)) {
    plan_note(p->plan, loop,
              "this loop does not begin its line, so no pragma can be put before it");
    return;
  }
  put_gain(p, b, s, !s && blocks && r.again);
  if (around < p->gain.starts && !shared && (s || b->parallel))
    p->gain.starts = around;
  if (s) {
    struct band inside = *b;
    memcpy(inside.orders[0], s->order, sizeof inside.orders[0]);
    inside.n_orders = 1;
    put_parallel(p, b, indent, "", &t);
    if (b->n > 2 && b->leaf && blocks && r.again)
      put_jam(&inside, indent, &t);
    strip_put(b, s, indent, &t);
    *GROW(p->plan->list, p->plan->n) = (struct insertion){ .offset = at, .text = t.data };
    return;
  }
  if (!shared && b->parallel) {
    put_parallel(p, b, indent, alone ? " simd" : "", &t);
  } else if (alone || (p->team && b->n == 1 && b->leaf && b->v.n == 0)) {
    text_printf(&t, "%s#pragma autotune simd", indent);
    put_variables(b, &t);
    text_printf(&t, " optional\n");
  }
  if (blocks && r.again && b->leaf)
    put_jam(b, indent, &t);
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
    *GROW(p->plan->list, p->plan->n) = (struct insertion){ .offset = at, .text = t.data };
}

// ---- nests --------------------------------------------------------------------------

bool plan_jumps(TSNode n) {
  return node_holds(n, "break_statement") || node_holds(n, "return_statement") ||
      node_holds(n, "goto_statement");
}

// Where a loop is: threads share a loop around it; the number of loops around it that are
// not shared.
struct around {
  bool shared;
  unsigned loops;
};

static void plan_inside(struct planner *p, TSNode n, struct around a);
static void plan_nest(struct planner *p, TSNode loop, struct around a);

// True if LOOP takes too little time to be worth a directive; then a note says so.
static bool plan_is_short(struct planner *p, TSNode loop) {
  double work = work_of(p->m, loop);
  if (work < SHORT)
    plan_note(p->plan, loop,
              arena_printf(
                  "the loop in line %u takes at most %.0f "
                  "operations, less than starting threads",
                  source_where(p->m->source, model_offset(p->m, loop, NULL), NULL, NULL),
                  work));
  return work < SHORT;
}

// Stores in AROUND[i] how many unshared loops are around CHAIN[i], if A is around CHAIN.
static void plan_count(const struct planner *p, struct around a,
                       struct iter *const *chain, unsigned n, unsigned *around) {
  for (unsigned i = 0; i < n; i++) {
    around[i] = a.loops;
    a.loops += work_trips(p->m, chain[i]->node) > FEW;
  }
}

// Returns the loop that is all that LOOP holds, but for declarations that can move
// inwards. Where macros were replaced, they must be able to move in the file as well.
static TSNode chain_next(const struct model *m, TSNode loop) {
  struct slice declarations;
  TSNode inner = nest_inner(&m->u, loop), none = { 0 };
  if (!ts_node_is_null(inner))
    return inner;
  inner = nest_after_declarations(&m->u, loop, &declarations);
  if (ts_node_is_null(inner) || !m->view)
    return inner;
  bool written;
  TSNode outer = node_for_at(m->function->node, model_offset(m, loop, &written));
  struct usage u = usage_of(m->source, m->function, m->function->node);
  return written && !ts_node_is_null(outer) &&
          !ts_node_is_null(nest_after_declarations(&u, outer, &declarations))
      ? inner
      : none;
}

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
    loop = chain_next(m, loop);
  }
  return n;
}

// Places the directives for the outermost band of CHAIN that allows some. Returns false
// if there is none; *WHY and *AT say why threads do not share the first loop, unless
// NULL.
static bool plan_chain(struct planner *p, struct iter *const *chain, unsigned n,
                       struct around a, const char **why, TSNode *at) {
  struct band first = { 0 };
  unsigned around[MAX_LEVELS];
  plan_count(p, a, chain, n, around);
  for (unsigned from = 0; from < n; from++) {
    struct band b = { .n = n - from };
    memcpy(b.loops, chain + from, b.n * sizeof *chain);
    const char *reason = NULL;
    TSNode where = chain[0]->node;
    if (!divide_may_stand(p->m, b.loops[0]->node))
      continue;
    if (from && work_of(p->m, b.loops[0]->node) < SHORT)
      break;
    bool fits = band_fill(p->m, &b, a.shared, &reason, &where);
    if (fits && b.n == 1 && b.leaf && around[from] > 1) {
      b.parallel = false;
      *why = *why ? *why : "threads would start again for each iteration of two loops";
    }
    struct strip s;
    if (!a.shared && strip_find(p->m, &b, &s)) {
      put_band(p, &b, &s, false, around[from]);
      return true;
    }
    if (!fits && !a.shared && around[from] <= 1 && reduce_find(p->m, &b, &b.reduced)) {
      b.n = 1; // the loops in it keep their order
      fits = b.parallel = true;
    }
    if (fits) {
      put_band(p, &b, NULL, a.shared, around[from]);
      return b.parallel || a.shared;
    }
    first = from == 0 ? b : first;
    *why = *why ? *why : reason;
    *at = from == 0 && reason ? where : *at;
  }
  if (first.permutable && first.n_orders && first.n > 1)
    put_band(p, &first, NULL, a.shared, around[0]);
  return false;
}

// Returns why nothing is proposed for LOOP, whose iterations are not known.
static const char *plan_unranged(const struct model *m, TSNode loop) {
  const char *why = NULL;
  for (unsigned i = 0; i < m->n_unranged; i++)
    if (ts_node_eq(m->unranged[i].at, loop))
      why = m->unranged[i].text;
  return arena_printf("nothing is proposed for this loop: its range is not known%s%s",
                      why ? ": " : "", why ? why : "");
}

// Plans the nest of LOOP, whose N loops CHAIN are known, without dividing it.
static void plan_whole(struct planner *p, TSNode loop, struct iter *const *chain,
                       unsigned n, struct around a) {
  unsigned around[MAX_LEVELS], line;
  const char *why = NULL;
  TSNode at = loop;
  bool placed = false, written;
  model_offset(p->m, loop, &written);
  if (!written)
    plan_note(p->plan, loop, "nothing is proposed for this loop: it is inside a macro");
  else if (n == 0)
    plan_note(p->plan, loop, plan_unranged(p->m, loop));
  else if (plan_is_short(p, loop))
    return;
  else if (plan_jumps(loop))
    why = "it is left by a jump";
  else
    placed = plan_chain(p, chain, n, a, &why, &at);
  line = source_where(p->m->source, model_offset(p->m, divide_stand(p->m, loop), NULL),
                      NULL, NULL);
  if (why && !a.shared)
    plan_note(p->plan, at,
              arena_printf("the loop in line %u is not shared out among threads: %s",
                           line, why));
  plan_count(p, a, chain, n, around);
  a.loops = n ? around[n - 1] + 1 : a.loops + 1;
  a.shared = a.shared || placed;
  plan_inside(p, node_field(n ? chain[n - 1]->node : loop, "body"), a);
}

// Plans PART of the nest of LOOP. A is around LOOP, and INSIDE around PART.
static void plan_part(struct planner *p, TSNode loop, const struct focus *part,
                      struct around a, struct around inside) {
  struct body body = { part->first, part->last };
  p->m->u.focus = part;
  if (node_is(part->first, "for_statement"))
    plan_nest(p, loop, a);
  else
    for (TSNode n = body.first; !ts_node_is_null(n); n = body_next(body, n))
      plan_inside(p, n, inside);
  p->m->u.focus = part->outer;
}

// Plans the N loops CHAIN, of which those from FIRST on are divided into PARTS.
static void plan_divided(struct planner *p, struct iter *const *chain, unsigned n,
                         unsigned first, const struct focus *parts, unsigned n_parts,
                         struct around a) {
  TSNode loop = chain[first]->node, at;
  size_t place = model_offset(p->m, divide_stand(p->m, loop), NULL);
  unsigned around[MAX_LEVELS];
  const char *why = NULL;
  plan_count(p, a, chain, n, around);
  a.shared = (first > 0 && plan_chain(p, chain, first, a, &why, &at)) || a.shared;
  a.loops = around[first];
  *GROW(p->plan->list, p->plan->n) =
      (struct insertion){ .offset = place,
                          .text = arena_printf("%s#pragma autotune fission\n",
                                               patch_indent(p->m->source, place)) };
  for (unsigned i = 0; i < n_parts; i++)
    plan_part(p, loop, &parts[i], a, (struct around){ a.shared, around[n - 1] + 1 });
}

// Adds what OTHER has planned to P.
static void plan_adopt(struct planner *p, const struct planner *other) {
  for (unsigned i = 0; i < other->plan->n; i++)
    *GROW(p->plan->list, p->plan->n) = other->plan->list[i];
  for (unsigned i = 0; i < other->plan->n_notes; i++)
    *GROW(p->plan->notes, p->plan->n_notes) = other->plan->notes[i];
  p->plan->threads = p->plan->threads || other->plan->threads;
  p->gain = gain_both(p->gain, other->gain);
}

// Plans LOOP, which is in no chain: as it is, and divided if that may be. Keeps the
// better plan.
static void plan_nest(struct planner *p, TSNode loop, struct around a) {
  size_t place;
  unsigned openmp = openmp_above(p->m->source, model_offset(p->m, loop, NULL), &place);
  if (openmp) { // its author's directives stand where ours would
    struct iter *below[MAX_LEVELS];
    a.shared = true;
    if (exchange_propose(p->m, below, chain_of(p->m, loop, below), p->plan))
      return;
    if (!(openmp & OPENMP_SIMD))
      plan_inside(p, node_field(loop, "body"), a);
    return;
  }
  struct iter *chain[MAX_LEVELS];
  struct focus *parts = NULL;
  unsigned n_parts, n = chain_of(p->m, loop, chain);
  if (n > 0 && a.loops == 0 && !a.shared && !p->team && p->depth == 0 &&
      work_of(p->m, loop) >= SHORT &&
      reschedule_propose_blocks(p->m, chain[0], p->threads, p->plan))
    return;
  unsigned first = divide_find(p->m, chain, n, &parts, &n_parts);
  struct plan plans[2] = { { .around = p->plan->around, .n_around = p->plan->n_around } };
  struct planner whole = *p, divided = *p;
  plans[1] = plans[0];
  whole.plan = &plans[0], divided.plan = &plans[1];
  whole.gain = divided.gain = NO_GAIN;
  whole.depth = divided.depth = p->depth + 1;
  plan_whole(&whole, loop, chain, n, a);
  if (first < n && p->depth < DEEPEST)
    plan_divided(&divided, chain, n, first, parts, n_parts, a);
  struct planner *best = gain_is_more(divided.gain, whole.gain) ? &divided : &whole;
  bool shared = best->gain.starts == 0 || a.shared || p->team;
  if (n == 0 || a.loops > 0 || shared ||
      !reschedule_propose(p->m, chain[0], p->threads, p->plan))
    plan_adopt(p, best);
}

static void plan_inside(struct planner *p, TSNode n, struct around a) {
  if (node_is(n, "for_statement")) {
    plan_nest(p, n, a);
    return;
  }
  a.loops += node_is(n, "while_statement") || node_is(n, "do_statement");
  struct body joined;
  bool joins = node_is(n, "compound_statement") && a.loops == 0 && !a.shared &&
      !p->team && chain_propose(p->m, n, p->threads, p->plan, &joined);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!joins || !body_covers(joined, ts_node_named_child(n, i)))
      plan_inside(p, ts_node_named_child(n, i), a);
}

const struct autotune_machine *plan_machine(void) {
  return &machine_get()->numbers;
}

// Returns NULL if M's function has only directives of OpenMP among which directives of
// ours may stand: each is of one loop, and of nothing else. Otherwise the reason.
static const char *plan_why_not_openmp(const struct model *m) {
  size_t start = m->function->start, end = m->function->end;
  unsigned found = openmp_within(m->source, start, end);
  struct slice word = openmp_other(m->source, start, end);
  if (found & OPENMP_OTHER)
    return arena_printf("'omp %.*s' in it concerns more than a loop", (int)word.size,
                        word.data);
  return found & OPENMP_SEVERAL
      ? "'collapse' or 'ordered' of OpenMP concerns more than one loop"
      : NULL;
}

struct plan plan_function(struct model *m, const char *threads, bool shared) {
  struct plan plan = { 0 };
  struct planner p = { .m = m,
                       .threads = threads,
                       .plan = &plan,
                       .machine = *plan_machine(),
                       .team = shared,
                       .gain = NO_GAIN };
  const char *openmp = plan_why_not_openmp(m);
  if (shared && !once_sets_up(m->source, m))
    team_propose(m, threads, &plan);
  if (m->n_refusals && ts_node_eq(m->refusals[0].at, m->u.f->node))
    plan_note(&plan, m->u.f->node, m->refusals[0].text);
  else if (once_sets_up(m->source, m))
    plan_note(&plan, m->u.f->node, "it only sets up arrays, once");
  else if (openmp)
    plan_note(&plan, m->u.f->node, openmp);
  else
    plan_inside(&p, node_field(m->u.f->node, "body"),
                (struct around){ .shared = shared });
  return plan;
}
