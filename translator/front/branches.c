// SPDX-License-Identifier: Apache-2.0
// branches.c: prepares text for the parser where branches of an #if open or close braces.
// The parser needs each brace once, so all but one branch become blank. The compiler
// still gets the text as written.
#include <string.h>

#include "front.h"

struct stretch {
  size_t start, end;
};
struct branched { // an #if with its branches
  struct slice condition;
  int depth;             // of braces where it begins
  int *nets;             // braces that each branch leaves open
  struct stretch *lines; // of #if, #elif, #else, #endif
  unsigned n_nets, n_lines;
  bool otherwise; // it has an #else
  bool dips;      // a branch closes a brace that is opened before the #if
};
struct branches {
  char *copy;
  struct branched *open, *waiting; // WAITING: for an #if that closes their braces
  unsigned n_open, n_waiting;
  int depth;
};

static void branches_blank(struct branches *b, size_t start, size_t end) {
  for (size_t i = start; i < end; i++)
    if (b->copy[i] != '\n')
      b->copy[i] = ' ';
}

// Makes G's directives blank, and all branches but KEPT.
static void branches_keep(struct branches *b, const struct branched *g, unsigned kept) {
  for (unsigned i = 0; i < g->n_lines; i++) {
    branches_blank(b, g->lines[i].start, g->lines[i].end);
    if (i != kept && i + 1 < g->n_lines)
      branches_blank(b, g->lines[i].end, g->lines[i + 1].start);
  }
}

// Returns the braces that branch I of G leaves open; 0 for an #else that is not there.
static int branches_net(const struct branched *g, unsigned i) {
  return i < g->n_nets ? g->nets[i] : 0;
}

// Finds the #if before G with the same condition, whose braces G closes, and keeps the
// same branch of both: the first, or the #else if one of them has it.
static bool branches_pair(struct branches *b, const struct branched *g) {
  for (unsigned i = b->n_waiting; i-- > 0;) {
    const struct branched *w = &b->waiting[i];
    const unsigned kept = w->n_nets > 1 || g->n_nets > 1;
    if (branches_net(w, 0) != -branches_net(g, 0) ||
        branches_net(w, 1) != -branches_net(g, 1) ||
        !slices_same(w->condition, g->condition))
      continue;
    branches_keep(b, w, kept);
    branches_keep(b, g, kept);
    b->n_waiting = i;
    return true;
  }
  return false;
}

// Decides about G, which is complete. Returns the braces that it leaves open.
static int branches_decide(struct branches *b, struct branched *g) {
  bool same = g->otherwise, never = slice_is(g->condition, "0"), changes = g->dips;
  unsigned kept = never ? 1 : 0;
  for (unsigned i = 0; i < g->n_nets; i++) {
    same = same && g->nets[i] == g->nets[0];
    changes = changes || g->nets[i];
  }
  if (!changes)
    return 0;
  if (g->depth <= 0) // outside of functions, such as `extern "C" {` for C++
    return same ? g->nets[0] : 0;
  if (never || same) {
    branches_keep(b, g, kept);
    return kept < g->n_nets ? g->nets[kept] : 0;
  }
  if (g->n_nets == 1 && g->nets[0] == 0) { // `} else if (…) {`
    branches_keep(b, g, 0);
    return 0;
  }
  const bool pairs = g->n_nets == 1 || (g->n_nets == 2 && g->otherwise);
  if (pairs && !branches_pair(b, g))
    *GROW(b->waiting, b->n_waiting) = *g;
  return g->nets[0];
}

// Reads the directive KIND in the line AT, with REST after its word.
static void branches_read(struct branches *b, enum line kind, struct stretch at,
                          struct slice word, struct slice rest) {
  struct branched *g = b->n_open ? &b->open[b->n_open - 1] : NULL;
  if (kind == LINE_IF) {
    bool plain = slice_is(word, "if");
    struct slice condition = { plain ? rest.data : word.data,
                               rest.size + (size_t)(plain ? 0 : rest.data - word.data) };
    g = GROW(b->open, b->n_open);
    *g = (struct branched){ .condition = slice_trim(condition), .depth = b->depth };
  }
  if (!g)
    return;
  *GROW(g->lines, g->n_lines) = at;
  if (kind == LINE_IF)
    return;
  *GROW(g->nets, g->n_nets) = b->depth - g->depth;
  g->otherwise = g->otherwise || slice_is(word, "else");
  b->depth = g->depth;
  if (kind == LINE_ENDIF) {
    b->n_open--;
    b->depth += branches_decide(b, g);
  }
}

void branches_prepare(const struct source *s, char *copy) {
  struct branches b = { .copy = copy };
  struct lexer l = lexer_of((struct slice){ s->text, s->size });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (t.first && slice_is(t.text, "#")) {
      struct lexer ahead = l, rest;
      struct slice word = lex(&ahead).text;
      enum line kind = lex_directive(&l, &rest);
      struct stretch at = { (size_t)(t.text.data - s->text), (size_t)(l.p - s->text) };
      if (kind == LINE_IF || kind == LINE_ELSE || kind == LINE_ENDIF)
        branches_read(&b, kind, at, word,
                      (struct slice){ rest.p, (size_t)(l.p - rest.p) });
      continue;
    }
    b.depth += slice_is(t.text, "{") ? 1 : slice_is(t.text, "}") ? -1 : 0;
    if (b.depth == 0)
      b.n_waiting = 0; // no brace of them is open after the function
    for (unsigned i = 0; i < b.n_open; i++)
      b.open[i].dips |= b.depth < b.open[i].depth;
  }
}
