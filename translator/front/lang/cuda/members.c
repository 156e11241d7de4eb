// SPDX-License-Identifier: Apache-2.0
// members.c: leaves members of classes out that only the host has. NVRTC accepts no
// function that is only `__host__`, and knows no streams and containers, as in `friend
// std::ostream &operator<<(…)`.
#include <ctype.h>
#include <string.h>

#include "items.h"

static bool members_has(const struct cuda_reach *r, struct slice text, const char *word) {
  return reach_mentions(r, text, word, 0);
}

// True for a word like MY_DEVICE that no file of the user's defines: it may be an
// attribute.
static bool has_unknown_macro(const struct cuda_reach *r, struct slice head) {
  struct lexer l = lexer_of(head);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    bool upper = t.kind == TOKEN_WORD && memchr(t.text.data, '_', t.text.size);
    for (size_t i = 0; i < t.text.size; i++)
      upper = upper && !islower((unsigned char)t.text.data[i]);
    const struct name *n = NULL;
    if (upper && !items_named(&r->items, NAME_ORDINARY, t.text, &n))
      return true;
  }
  return false;
}

// True if I, a member, is a function that only the host can call: it has no `__device__`.
// Virtual ones have their place in the class, and constants may need constexpr ones.
static bool is_host_member(const struct cuda_reach *r, const struct item *i) {
  struct slice head = item_head(i), rest = slice_after(i->text, head);
  struct lexer l = lexer_of(rest);
  bool assigned = slice_is(lex(&l).text, "="); // default, delete, 0
  if (!i->function || i->type || assigned || members_has(r, head, "virtual") ||
      members_has(r, head, "override") || members_has(r, head, "constexpr"))
    return false;
  return !members_has(r, head, "__device__") && !has_unknown_macro(r, head);
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

// True if TEXT, of a class, uses what NVRTC has no way for, as in `std::vector<int>
// all;`.
static bool has_host_types(struct slice text) {
  static const char *const names[] = { "basic_string_view",
                                       "basic_string",
                                       "string",
                                       "wstring",
                                       "string_view",
                                       "vector",
                                       "deque",
                                       "list",
                                       "map",
                                       "set",
                                       "unordered_map",
                                       "unordered_set",
                                       "multimap",
                                       "function",
                                       "ostream",
                                       "istream",
                                       "ofstream",
                                       "ifstream",
                                       "stringstream",
                                       "shared_ptr",
                                       "thread",
                                       "mutex",
                                       "unique_ptr",
                                       "queue",
                                       "stack",
                                       NULL };
  struct lexer l = lexer_of(text);
  struct slice last[3] = { { 0 } };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    if (slice_is(last[0], "std") && slice_is(last[1], ":") && slice_is(last[2], ":") &&
        slice_in(t.text, names))
      return true;
    last[0] = last[1], last[1] = last[2], last[2] = t.text;
  }
  return false;
}

// True if the user's functions called WORD are all of the host.
static bool is_host_function(const struct cuda_reach *r, struct slice word) {
  const struct item *i;
  bool any = false;
  for (const struct name *n = NULL;
       (i = items_named(&r->items, NAME_ORDINARY, word, &n)) != NULL; any = true)
    if (!i->function || i->kind != ITEM_CODE ||
        members_has(r, item_head(i), "__device__") ||
        members_has(r, item_head(i), "constexpr") || has_unknown_macro(r, item_head(i)))
      return false;
  return any;
}

// True if TEXT, of a class, calls one of them.
static bool calls_host_function(const struct cuda_reach *r, struct slice text) {
  struct lexer l = lexer_of(text);
  struct slice previous = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    struct lexer ahead = l;
    struct slice next = lex(&ahead).text;
    if (t.kind == TOKEN_WORD && (slice_is(next, "(") || slice_is(next, "<")) &&
        !slice_is(previous, ".") && !slice_is(previous, "->") &&
        !slice_is(previous, ":") && is_host_function(r, t.text))
      return true;
  }
  return false;
}

void members_leave_out(const struct cuda_reach *r, struct item *i) {
  size_t head = (size_t)(i->head_end - i->text.data);
  bool done = i->text.data != i->s->text + i->start; // for another kernel
  bool variable = i->n_names && i->names[i->n_names - 1].name.data >= i->head_end &&
      !members_has(r, item_head(i), "enum") && !members_has(r, item_head(i), "typedef");
  if (!i->type || done || variable || head >= i->text.size || i->text.data[head] != '{')
    return;
  i->text.data = arena_copy(i->text.data, i->text.size);
  i->head_end = i->text.data + head;
  blank_members(r, i->head_end, i->text.data + i->text.size);
  i->host = has_host_types(i->text) ||
      calls_host_function(r, slice_after(i->text, item_head(i)));
}
