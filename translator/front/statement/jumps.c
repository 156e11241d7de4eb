// SPDX-License-Identifier: Apache-2.0
// jumps.c: diagnoses what a statement cannot do in a function of its own: leave it, be
// entered in its middle, and depend on the function around it.
#include <string.h>

#include "statement.h"

static const char around[] =
    "put the pragma on a loop or block that holds all of it, or on the function";

// Where a node stands within the statement.
struct inside {
  bool loop, other_switch;
};

static void jumps_leave(struct statement *st, TSNode n, const char *what) {
  statement_refuse(st, around, "'%s' on line %u leaves the kernel", what,
                   statement_line(st, n));
}

// True if a jump outside of the statement, or one to a computed address, may lead to
// LABEL.
static bool jumps_into(const struct statement *st, TSNode n, struct slice label) {
  if (ts_node_eq(n, st->node))
    return false;
  if (node_is(n, "goto_statement") && node_mentions(st->s, n, label))
    return true;
  struct slice text = statement_text(st, n);
  if (node_is(n, "goto_statement"))
    return slices_same(statement_text(st, node_field(n, "label")), label) ||
        lex_mentions(text, label);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (jumps_into(st, ts_node_named_child(n, i), label))
      return true;
  return false;
}

static bool jumps_has_label(const struct statement *st, TSNode n, struct slice label) {
  if (node_is(n, "labeled_statement") &&
      slices_same(statement_text(st, node_field(n, "label")), label))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (jumps_has_label(st, ts_node_named_child(n, i), label))
      return true;
  return false;
}

static void jumps_goto(struct statement *st, TSNode n) {
  struct slice label = statement_text(st, node_field(n, "label"));
  if (!label.size || !jumps_has_label(st, st->node, label))
    jumps_leave(st, n, arena_printf("goto %.*s", (int)label.size, label.data));
}

static void jumps_label(struct statement *st, TSNode n) {
  struct slice label = statement_text(st, node_field(n, "label"));
  if (jumps_into(st, st->function, label))
    statement_refuse(st, around, "the label '%.*s' on line %u is jumped to from outside",
                     (int)label.size, label.data, statement_line(st, n));
}

// Functions and macros that concern the function that they are called in.
static void jumps_call(struct statement *st, TSNode n) {
  static const char *const own[] = { "setjmp",
                                     "_setjmp",
                                     "sigsetjmp",
                                     "__sigsetjmp",
                                     "__builtin_setjmp",
                                     "alloca",
                                     "__builtin_alloca",
                                     "va_start",
                                     "va_arg",
                                     "va_end",
                                     "va_copy",
                                     "__builtin_va_arg",
                                     "__builtin_return_address",
                                     "__builtin_frame_address",
                                     NULL };
  struct slice name = statement_text(st, n);
  if (slice_in(name, own))
    statement_refuse(st, "move it out of the kernel",
                     "'%.*s' on line %u concerns the function around the kernel",
                     (int)name.size, name.data, statement_line(st, n));
}

static void jumps_declaration(struct statement *st, TSNode n) {
  struct slice word = statement_text(st, node_child(n, "storage_class_specifier"));
  if (usage_keeps(st->s, n) && slice_is(word, "static"))
    statement_refuse(st, "declare it before the kernel",
                     "the static variable on line %u keeps a value between runs",
                     statement_line(st, n));
}

static void jumps_node(struct statement *st, TSNode n, struct inside in) {
  bool leaves = !in.loop && (!in.other_switch || node_is(n, "continue_statement"));
  if (node_is(n, "return_statement"))
    jumps_leave(st, n, "return");
  else if (leaves && node_is(n, "break_statement"))
    jumps_leave(st, n, "break");
  else if (leaves && node_is(n, "continue_statement"))
    jumps_leave(st, n, "continue");
  else if (node_is(n, "goto_statement"))
    jumps_goto(st, n);
  else if (node_is(n, "labeled_statement"))
    jumps_label(st, n);
  else if (node_is(n, "case_statement") && !in.other_switch)
    statement_refuse(st, around, "the 'case' on line %u belongs to a switch around it",
                     statement_line(st, n));
  else if (node_is(n, "identifier"))
    jumps_call(st, n);
  else if (node_is(n, "declaration"))
    jumps_declaration(st, n);
  else if (strncmp(ts_node_type(n), "gnu_asm", 7) == 0)
    statement_refuse(st, "move it out of the kernel",
                     "'asm' on line %u cannot be in a kernel of its own",
                     statement_line(st, n));
}

static void jumps_walk(struct statement *st, TSNode n, struct inside in) {
  if (!st->fine)
    return;
  jumps_node(st, n, in);
  if (node_is_loop(n))
    in.loop = true;
  if (node_is(n, "switch_statement")) {
    // A `break` in it stays in it, a `continue` does not.
    in.other_switch = true;
  }
  for (uint32_t i = 0; i < ts_node_child_count(n); i++)
    jumps_walk(st, ts_node_child(n, i), in);
}

// ---- OpenMP -------------------------------------------------------------------------

// Returns the words of `#pragma omp …` after `omp`; empty: LINE is another one.
static struct slice jumps_openmp(struct slice line) {
  struct lexer l = lexer_of(line);
  if (!slice_is(lex(&l).text, "#") || !slice_is(lex(&l).text, "pragma") ||
      !slice_is(lex(&l).text, "omp"))
    return (struct slice){ 0 };
  return (struct slice){ l.p, (size_t)(l.end - l.p) };
}

// Diagnoses directives that all threads of a team must meet, where the team comes from
// outside: its threads could run different variants.
static void jumps_teams(struct statement *st) {
  static const char *const shared[] = { "for",       "sections", "single", "barrier",
                                        "workshare", "cancel",   "loop",   NULL };
  const struct source *s = st->s;
  size_t inside = 0; // the end of the last statement with a team of its own
  for (size_t at = st->from; at < statement_end(st);) {
    const char *end = lex_line_end(s->text + at, s->text + statement_end(st));
    struct slice words =
        jumps_openmp((struct slice){ s->text + at, (size_t)(end - s->text) - at });
    struct lexer l = lexer_of(words);
    struct slice first = words.size ? lex(&l).text : words;
    if (slice_is(first, "parallel") || slice_is(first, "target")) {
      size_t next = after_branch(s, (size_t)(end - s->text), s->size);
      TSNode n = ts_node_descendant_for_byte_range(st->function, (uint32_t)next,
                                                   (uint32_t)next + 1);
      while (!ts_node_is_null(ts_node_parent(n)) &&
             ts_node_start_byte(ts_node_parent(n)) == next)
        n = ts_node_parent(n);
      size_t last = ts_node_end_byte(n);
      inside = last > inside ? last : inside;
    } else if (first.size && slice_in(first, shared) && at >= inside) {
      statement_refuse(st, "put the pragma on the whole parallel region",
                       "'omp %.*s' in it needs all threads of the region around it",
                       (int)first.size, first.data);
    }
    at = (size_t)(end - s->text) + 1;
  }
}

void jumps_check(struct statement *st) {
  jumps_walk(st, st->node, (struct inside){ 0 });
  if (st->fine)
    jumps_teams(st);
}
