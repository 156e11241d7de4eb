// SPDX-License-Identifier: Apache-2.0
// team.c: proposes to explore the clauses of the author's own parallel loops: schedule
// where some iterations may take longer than others, num_threads there and where the team
// is small, collapse where the loop has too few iterations for the threads. The default
// stays the author's version.
#include <string.h>

#include "suggest.h"

enum {
  SHORT = 5000,      // operations: starting threads takes about as long
  SMALL = 50 * SHORT // operations: the fewer threads, the less they cost
};

// The variables of a loop that depend on which of its iterations runs.
struct team {
  struct model *m;
  TSNode loop;
  struct slice *names;
  unsigned n;
};

static bool team_knows(const struct team *t, struct slice name) {
  for (unsigned i = 0; i < t->n; i++)
    if (slices_same(t->names[i], name))
      return true;
  return false;
}

// True if N mentions such a variable.
static bool team_mentions(const struct team *t, TSNode n) {
  if (ts_node_is_null(n))
    return false;
  if (node_is(n, "identifier") && team_knows(t, model_text(t->m, n)))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (team_mentions(t, ts_node_named_child(n, i)))
      return true;
  return false;
}

static void team_add(struct team *t, TSNode name) {
  if (node_is(name, "identifier") && !team_knows(t, model_text(t->m, name)))
    *GROW(t->names, t->n) = model_text(t->m, name);
}

// Adds the variables that N sets from others of T.
static void team_follow(struct team *t, TSNode n) {
  if (node_is(n, "assignment_expression") && team_mentions(t, node_field(n, "right")))
    team_add(t, node_field(n, "left"));
  if (node_is(n, "init_declarator") && team_mentions(t, node_field(n, "value")))
    team_add(t, declarator_name(node_field(n, "declarator")));
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    team_follow(t, ts_node_named_child(n, i));
}

// Adds the variable of T's loop: that of its initialiser.
static void team_begin(struct team *t, TSNode n) {
  if (ts_node_is_null(n))
    return;
  if (node_is(n, "init_declarator"))
    team_add(t, declarator_name(node_field(n, "declarator")));
  else if (node_is(n, "assignment_expression"))
    team_add(t, node_field(n, "left"));
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    team_begin(t, ts_node_named_child(n, i));
}

// Returns the body of the function NAME of the file; null: it has none there.
static TSNode team_callee(const struct team *t, struct slice name) {
  TSNode root = ts_tree_root_node(t->m->source->tree);
  for (uint32_t i = 0; i < ts_node_named_child_count(root); i++) {
    TSNode f = ts_node_named_child(root, i);
    TSNode d = node_is(f, "function_definition") ? declarator_of_function(f)
                                                 : (TSNode){ 0 };
    if (!ts_node_is_null(d) &&
        slices_same(source_slice(t->m->source, node_field(d, "declarator")), name))
      return node_field(f, "body");
  }
  return (TSNode){ 0 };
}

// True if the number of iterations of a loop in N may depend on data: it is left early.
static bool team_searches(TSNode n, bool loop) {
  static const char *const leaves[] = { "return_statement", "break_statement",
                                        "goto_statement", NULL };
  if (ts_node_is_null(n))
    return false;
  if (node_is(n, "while_statement") || node_is(n, "do_statement") ||
      (loop && node_is_any(n, leaves)))
    return true;
  loop = (loop || node_is(n, "for_statement")) && !node_is(n, "switch_statement");
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (team_searches(ts_node_named_child(n, i), loop))
      return true;
  return false;
}

// True if N holds what takes long: a loop, a call of a function of the file.
static bool team_is_long(const struct team *t, TSNode n) {
  if (ts_node_is_null(n))
    return false;
  if (node_is_loop(n) || node_is(n, "continue_statement"))
    return true;
  if (node_is(n, "call_expression") &&
      !model_is_pure(model_text(t->m, node_field(n, "function"))))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (team_is_long(t, ts_node_named_child(n, i)))
      return true;
  return false;
}

// Returns the place in N, a part of T's loop, for which some iterations of the loop may
// take longer than others: null if there is none.
static TSNode team_uneven(const struct team *t, TSNode n) {
  TSNode found = { 0 };
  if (node_is(n, "for_statement") &&
      (team_mentions(t, node_field(n, "condition")) ||
       team_mentions(t, node_field(n, "initializer"))))
    return n;
  if (node_is(n, "while_statement") || node_is(n, "do_statement"))
    return n;
  if (node_is(n, "if_statement") && team_mentions(t, node_field(n, "condition")) &&
      (team_is_long(t, node_field(n, "consequence")) ||
       team_is_long(t, node_field(n, "alternative"))))
    return n;
  if (node_is(n, "call_expression") &&
      team_searches(team_callee(t, model_text(t->m, node_field(n, "function"))), false))
    return n;
  for (uint32_t i = 0; i < ts_node_named_child_count(n) && ts_node_is_null(found); i++)
    found = team_uneven(t, ts_node_named_child(n, i));
  return found;
}

static TSNode team_find_uneven(struct model *m, TSNode loop) {
  struct team t = { .m = m, .loop = loop };
  TSNode body = node_field(loop, "body");
  team_begin(&t, node_field(loop, "initializer"));
  for (unsigned before = 0; before != t.n;) {
    before = t.n;
    team_follow(&t, body);
  }
  return team_uneven(&t, body);
}

// ---- what to propose ---------------------------------------------------------------

// Returns the argument of the clause NAME in LINE; empty: it has none. *HAS: it is there.
static struct slice team_clause(struct slice line, const char *name, bool *has) {
  struct lexer l = lexer_of(line);
  *has = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!slice_is(t.text, name))
      continue;
    *has = true;
    struct lexer ahead = l;
    const char *from = l.p;
    if (slice_is(lex(&ahead).text, "(")) {
      const char *to = skip_brackets(&l);
      return slice_trim((struct slice){ from, (size_t)(to - from) });
    }
    return (struct slice){ 0 };
  }
  return (struct slice){ 0 };
}

static bool team_has(struct slice line, const char *name) {
  bool has;
  team_clause(line, name, &has);
  return has;
}

// Returns the chunks to try for a loop of TRIPS iterations, infinite if not known.
static const char *team_chunks(double trips, long long threads) {
  static const unsigned chunks[] = { 1, 16, 128 };
  struct text t = { 0 };
  for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
    if (i == 0 || chunks[i] * 2.0 * (double)threads <= trips)
      text_printf(&t, "%s%u", i ? ", " : "", chunks[i]);
  return t.data;
}

// True if the two outermost loops of LOOP's nest may be shared out as one.
static bool team_collapses(struct model *m, TSNode loop) {
  struct band b = { .n = 2 };
  const char *why = NULL;
  TSNode at, inner = nest_inner(&m->u, loop);
  b.loops[0] = model_iter(m, loop);
  b.loops[1] = node_is(inner, "for_statement") ? model_iter(m, inner) : NULL;
  return m->n_refusals == 0 && b.loops[0] && b.loops[1] &&
      band_fill(m, &b, true, &why, &at) && b.v.n == 0 && b.n_sums == 0 &&
      band_is_rectangular(&b);
}

// The clauses that vary, and why.
struct team_choice {
  bool schedule, threads, collapse;
  const char *why;
};

static struct team_choice team_choose(struct model *m, TSNode loop, struct slice line,
                                      bool region) {
  struct team_choice c = { 0 };
  long long own, threads = plan_machine()->threads;
  bool has;
  double work = work_of(m, loop), trips = work_trips(m, loop);
  struct slice asked = team_clause(line, "schedule", &has);
  TSNode uneven = team_find_uneven(m, loop);
  unsigned at = source_where(
      m->source, model_offset(m, ts_node_is_null(uneven) ? loop : uneven, NULL), NULL,
      NULL);
  if (work < SHORT)
    return c;
  if (!ts_node_is_null(uneven))
    c.why = arena_printf("line %u may make some iterations longer than others", at);
  else if (has && !lex_mentions(asked, slice_of("static")))
    c.why = "its author has chosen a schedule";
  if (c.why && race_may(m, loop, line))
    c.why = NULL;
  c.schedule = c.why != NULL;
  asked = team_clause(line, "num_threads", &has);
  struct slice inside = { asked.data + 1, asked.size > 2 ? asked.size - 2 : 0 };
  bool few = has && read_integer(slice_trim(inside), &own) && own < threads;
  c.threads = !region && (c.schedule || few || work < SMALL);
  c.collapse = trips < 4 * (double)threads && !team_has(line, "collapse") &&
      team_collapses(m, loop);
  if (!c.why && few)
    c.why = "its author asks for few threads";
  else if (!c.why && c.threads)
    c.why = "it is short";
  else if (!c.why && c.collapse)
    c.why = "it has few iterations";
  return c;
}

// True if all threads have ended the shared loop before LOOP when one begins LOOP: else
// the two have the same schedule, and LOOP may rely on it. OWN: where the directive of
// LOOP begins.
static bool team_waits(const struct model *m, TSNode loop, size_t own) {
  static const char *const waiting[] = { "for",    "parallel", "sections",
                                         "single", "barrier",  NULL };
  const struct function *f = m->function;
  struct slice text = { m->source->text + f->start, f->end - f->start };
  struct lexer l = { m->source->text + f->body_at, m->source->text + own, true }, line;
  bool ahead = false;
  if (!lex_mentions(text, slice_of("nowait")))
    return true;
  for (TSNode n = ts_node_parent(loop); !ts_node_is_null(n); n = ts_node_parent(n))
    if (node_is_loop(n))
      return false; // the loop before it may stand below it
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (!t.first || !slice_is(t.text, "#") || lex_directive(&l, &line) != LINE_PRAGMA ||
        !slice_is(lex(&line).text, "omp"))
      continue;
    if (slice_in(lex(&line).text, waiting))
      ahead = lex_mentions((struct slice){ line.p, (size_t)(line.end - line.p) },
                           slice_of("nowait"));
  }
  return !ahead;
}

// Proposes a directive that varies clauses of the author's pragma on LOOP, if some clause
// may gain time.
static void team_put(struct model *m, TSNode loop, const char *threads,
                     struct plan *plan) {
  bool written;
  size_t at = model_offset(m, loop, &written);
  const char *words = "";
  struct slice line = { 0 };
  unsigned found = openmp_nearest(m->source, at, &words, &line);
  if (!written || !(found & OPENMP_FOR) || (found & OPENMP_OTHER) ||
      team_has(line, "ordered") || team_has(line, "nowait") || team_has(line, "copyin") ||
      !team_waits(m, loop, (size_t)(line.data - m->source->bare)))
    return;
  struct team_choice c = team_choose(m, loop, line, !(found & OPENMP_PARALLEL));
  struct text t = { 0 };
  if (!c.why)
    return;
  text_printf(&t, "%s#pragma autotune %s", patch_indent(m->source, at), words);
  if (c.schedule) // sums that dynamic schedules make differ from run to run
    text_printf(&t, " schedule(%s, {%s})",
                team_has(line, "reduction") ? "static" : "{dynamic, static}",
                team_chunks(work_trips(m, loop), plan_machine()->threads));
  if (c.collapse)
    text_printf(&t, " collapse({1, 2})");
  if (c.threads && plan_machine()->threads > 1)
    text_printf(&t, " num_threads(%s)", threads);
  text_printf(&t, " optional\n");
  plan->threads = plan->threads || (c.threads && plan_machine()->threads > 1);
  *GROW(plan->around, plan->n_around) =
      (struct around_line){ { .offset = at, .text = t.data }, loop, c.why };
}

static void team_walk(struct model *m, TSNode n, const char *threads, struct plan *plan) {
  if (node_is(n, "for_statement"))
    team_put(m, n, threads, plan);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    team_walk(m, ts_node_named_child(n, i), threads, plan);
}

void team_propose(struct model *m, const char *threads, struct plan *plan) {
  struct slice file = { m->source->text, m->source->size };
  if (lex_mentions(file, slice_of("threadprivate")) || !vary_any_thread(m))
    return;
  team_walk(m, node_field(m->u.f->node, "body"), threads, plan);
}
