// SPDX-License-Identifier: Apache-2.0
// instances.c: what a kernel that is a template reaches through its arguments. The unit
// is made before they are known, so it has all that the file names where a launch may
// lead to it.
#include "items.h"

// True for types of the toolkit that templates are made for: their header is needed then.
static bool is_toolkit_type(struct slice word) {
  static const char *const types[] = { "half",
                                       "half2",
                                       "__half",
                                       "__half2",
                                       "nv_bfloat16",
                                       "nv_bfloat162",
                                       "__nv_bfloat16",
                                       "__nv_bfloat162",
                                       "__nv_fp8_e4m3",
                                       "__nv_fp8_e5m2",
                                       "cuComplex",
                                       "cuFloatComplex",
                                       "cuDoubleComplex",
                                       NULL };
  return slice_in(word, types);
}

// Reaches the types named in statements with launches: a launch may instantiate a
// template with them.
void reach_instances(struct cuda_reach *r, const struct source *s) {
  struct lexer l = lexer_of((struct slice){ s->text, s->size });
  bool statement = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    size_t at = (size_t)(t.text.data - s->text);
    if (t.kind == TOKEN_WORD && slice_is(t.text, r->k->main.name) &&
        (at < cxx_of(r->k)->start || at > r->k->main.end))
      statement = true;
    else if (slice_is(t.text, ";"))
      statement = false;
    if (statement && is_toolkit_type(t.text))
      reach_see_word(r, t.text);
    const struct item *i;
    for (const struct name *n = NULL; statement && t.kind == TOKEN_WORD &&
         (i = reach_next_item(r, t.text, &n)) != NULL;)
      if (i->kind == ITEM_CODE && !i->function && (i->type || !reach_is_variable(i)) &&
          reach_for_device(r, i))
        reach_see_word(r, t.text);
  }
}

// Reaches device classes that are named as arguments of templates anywhere in the file,
// `run<Add>(…)`, and functors anywhere: `run(Add{ 2 })`. Device functions too, if its
// arguments may be functions: `run<add>(…)`.
void reach_template_arguments(struct cuda_reach *r, const struct source *s) {
  struct lexer l = lexer_of((struct slice){ s->text, s->size });
  struct slice previous = { 0 };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; previous = t.text) {
    struct lexer ahead = l;
    struct slice next = lex(&ahead).text;
    bool argument = t.kind == TOKEN_WORD &&
        (slice_is(previous, "<") || slice_is(previous, ",")) &&
        (slice_is(next, ">") || slice_is(next, ",") || slice_is(next, "<"));
    bool qualified = t.kind == TOKEN_WORD && slice_is(previous, ":") &&
        (slice_is(next, ">") || slice_is(next, ","));
    if (argument && is_toolkit_type(t.text))
      reach_see_word(r, t.text);
    const struct item *i;
    for (const struct name *n = NULL;
         t.kind == TOKEN_WORD && (i = reach_next_item(r, t.text, &n)) != NULL;) {
      size_t at = (size_t)(t.text.data - s->text);
      bool own = i->s == s && at >= i->start && at < i->end;
      if (r->functions && (argument || qualified) && i->function && !own &&
          reach_for_device(r, i))
        reach_see_word(r, t.text);
      if (i->kind == ITEM_CODE && i->type && !own &&
          (argument || reach_mentions(r, i->text, "operator", 0)) &&
          reach_mentions(r, i->text, "__device__", 0))
        reach_see_word(r, t.text);
    }
  }
}
