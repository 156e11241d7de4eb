// SPDX-License-Identifier: Apache-2.0
// members.c: leaves members of classes out that only the host has. NVRTC accepts no
// function that is only `__host__`, and knows no streams and containers, as in `friend
// std::ostream &operator<<(…)`.
#include <string.h>

#include "items.h"

static bool members_has(const struct cuda_reach *r, struct slice text, const char *word) {
  return reach_mentions(r, text, word, 0);
}

// True if I, a member, is a function that only the host can call. Without an attribute
// all functions are the host's; but they may be needed where they can be compiled, so
// these are left out only where they use the host's library. Virtual ones have their
// place in the class.
static bool is_host_member(const struct cuda_reach *r, const struct item *i) {
  struct slice head = item_head(i);
  if (!i->function || i->type || members_has(r, head, "__device__") ||
      members_has(r, head, "virtual") || members_has(r, head, "override") ||
      members_has(r, head, "constexpr"))
    return false;
  return members_has(r, head, "__host__") || members_has(r, i->text, "std") ||
      members_has(r, i->text, "ostream") || members_has(r, i->text, "FILE") ||
      members_has(r, i->text, "cudaMalloc") || members_has(r, i->text, "cudaMemcpy") ||
      members_has(r, i->text, "cudaFree");
}

static void make_blank(char *p, const char *end) {
  for (; p < end; p++)
    if (*p != '\n')
      *p = ' ';
}

// Moves L past `public:` if T begins it.
static bool skip_access(struct lexer *l, struct token t) {
  static const char *const words[] = { "public", "private", "protected", NULL };
  struct lexer ahead = *l;
  if (!slice_in(t.text, words) || !slice_is(lex(&ahead).text, ":"))
    return false;
  *l = ahead;
  return true;
}

// Makes such members blank in the class whose `{` is at OPEN. The text is a copy.
static void blank_members(const struct cuda_reach *r, const char *open, const char *end) {
  struct cutter c = { .l = { open + 1, end, true }, .cplusplus = true };
  for (struct token t; (t = lex(&c.l)).kind != TOKEN_END && !slice_is(t.text, "}");) {
    struct lexer rest;
    if (t.first && slice_is(t.text, "#"))
      lex_directive(&c.l, &rest);
    else if (!slice_is(t.text, ";") && !skip_access(&c.l, t)) {
      struct item i = cut_declaration(&c, t);
      if (is_host_member(r, &i))
        make_blank((char *)i.text.data, i.text.data + i.text.size);
      else if (i.type && i.head_end < i.text.data + i.text.size)
        blank_members(r, i.head_end, i.text.data + i.text.size);
    }
  }
}

void members_leave_out(const struct cuda_reach *r, struct item *i) {
  size_t head = (size_t)(i->head_end - i->text.data);
  bool copied = i->text.data != i->s->text + i->start; // done for another kernel
  bool variable = i->n_names && i->names[i->n_names - 1].name.data >= i->head_end &&
      !members_has(r, item_head(i), "enum");
  if (!i->type || copied || variable || head >= i->text.size || i->text.data[head] != '{')
    return;
  i->text.data = arena_copy(i->text.data, i->text.size);
  i->head_end = i->text.data + head;
  blank_members(r, i->head_end, i->text.data + i->text.size);
}
