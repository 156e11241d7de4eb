// SPDX-License-Identifier: Apache-2.0
// instances.c: for which arguments a file instantiates its templates. The compiler tells:
// an undefined template with the arguments as its own stands in each body, so that each
// instance is an error that names them.
#include <string.h>

#include "cxx.h"
#include "front/lang/language.h"

static const char instances_none[] = "the file does not instantiate it";
static const char instances_other[] = "it is instantiated with more than numbers";

enum { LONGEST_TYPE = 80 }; // that a message names

// Returns the head of the template ITEM: "template <typename T, int N>".
static struct slice instances_head(const struct item *item) {
  struct lexer l = lexer_of(item->text);
  if (!slice_is(lex(&l).text, "template") || !cut_skip_angles(&l))
    return (struct slice){ 0 };
  return (struct slice){ item->text.data, (size_t)(l.p - item->text.data) };
}

// Returns the template that K is, as the compiler sees it; NULL: it is none, or has
// no body.
static const struct item *instances_item(const struct expansion *x,
                                         const struct kernel *k) {
  const struct item *item = cxx_of(k)->n_params ? expand_function(x, &k->main) : NULL;
  return item && item->body && instances_head(item).size ? item : NULL;
}

// Appends ITEM with what shows the instances of the kernel whose number is WHICH.
static void instances_write(const struct kernel *k, const struct item *item,
                            unsigned which, struct text *out) {
  struct slice head = instances_head(item);
  const char *body = item->body + 1;
  text_printf(out, "%.*s struct autotune_show_%u;\n", (int)head.size, head.data, which);
  text_add(out, item->text.data, (size_t)(body - item->text.data));
  text_printf(out, " autotune_show_%u<", which);
  for (unsigned i = 0; i < cxx_of(k)->n_params; i++)
    text_printf(out, "%s%s", i ? ", " : "", cxx_of(k)->params[i].name);
  text_printf(out, "> autotune_seen;");
  text_add(out, body, (size_t)(item->text.data + item->text.size - body));
}

// True if TEXT names a number's type.
static bool instances_is_type(const struct expansion *x, struct slice text) {
  struct lexer l = lexer_of(text);
  bool any = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; any = true)
    if (t.kind != TOKEN_WORD || slice_is(t.text, "volatile"))
      return false;
  struct ctype type = any ? type_of_name(x, text) : (struct ctype){ 0 };
  return any && type.base == BASE_NUMBER && type.n == 0 && !type.complex;
}

// Returns how many of the N stand-ins LIST are integers: less is proven of these.
static unsigned instances_integers(const struct expansion *x, const struct stand_in *list,
                                   unsigned n) {
  unsigned integers = 0;
  for (unsigned i = 0; i < n; i++)
    integers += !list[i].constant.size &&
        type_of_name(x, list[i].text).base == BASE_NUMBER &&
        !type_of_name(x, list[i].text).real.size;
  return integers;
}

// Returns why K has no stand-in for P, whose argument is TEXT.
static const char *instances_why(const struct template_param *p, struct slice text) {
  static const char prefix[] = "autotune_type_"; // of a variable that the kernel captures
  size_t size = sizeof prefix - 1;
  if (strncmp(p->name, prefix, size) != 0 || text.size > LONGEST_TYPE)
    return instances_other;
  return arena_printf("'%s' is of type '%.*s', and only numbers, arrays and structs of "
                      "them are followed in C++",
                      p->name + size, (int)text.size, text.data);
}

// Sets the stand-ins of K to the arguments at the beginning of TEXT. False: they are no
// numbers, nor pointers to numbers.
static bool instances_take(const struct expansion *x, struct kernel *k,
                           struct slice text) {
  struct stand_in *list = NULL;
  unsigned n = 0, depth = 0;
  const char *from = text.data;
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    bool end = depth == 0 && slice_is(t.text, ">");
    depth += (unsigned)(lex_bracket(t.text) + slice_is(t.text, "<"));
    depth -= depth && slice_is(t.text, ">");
    if (!end && (depth || !slice_is(t.text, ",")))
      continue;
    struct slice one = slice_trim((struct slice){ from, (size_t)(t.text.data - from) });
    from = l.p;
    if (n == cxx_of(k)->n_params)
      return false;
    const struct template_param *p = &cxx_of(k)->params[n];
    struct slice target = one;
    while (target.size && target.data[target.size - 1] == '*')
      target = slice_trim((struct slice){ target.data, target.size - 1 });
    if (p->type && !instances_is_type(x, target)) {
      k->generic = instances_why(p, one);
      return false;
    }
    *GROW(list, n) = (struct stand_in){ slice_of(p->name), one, p->type_text };
    if (!end)
      continue;
    if (!k->n_stand_ins ||
        instances_integers(x, list, n) > instances_integers(x, k->stand_ins, n))
      k->stand_ins = list;
    k->n_stand_ins = n;
    return n == cxx_of(k)->n_params;
  }
  return false;
}

// Reads ERRORS, the compiler's words about the kernel whose number is WHICH.
static void instances_read(const struct expansion *x, struct kernel *k, unsigned which,
                           struct slice errors) {
  const char *mark = arena_printf("undefined template 'autotune_show_%u<", which), *at;
  const char *inner = arena_printf("::autotune_show_%u<", which);
  const char *end = errors.data + errors.size;
  k->generic = instances_none;
  for (const char *p = errors.data; p < end; p = at + 1) {
    at = memmem(p, (size_t)(end - p), "undefined template '", 20);
    if (!at)
      return;
    const char *newline = memchr(at, '\n', (size_t)(end - at)),
               *stop = newline ? newline : end;
    const char *found = memmem(at, (size_t)(stop - at), mark, strlen(mark));
    size_t size = strlen(mark);
    if (!found) {
      found = memmem(at, (size_t)(stop - at), inner, strlen(inner));
      size = strlen(inner);
    }
    if (!found)
      continue;
    found += size;
    k->generic = NULL;
    if (!instances_take(x, k, (struct slice){ found, (size_t)(stop - found) })) {
      k->generic = k->generic ? k->generic : instances_other;
      return;
    }
  }
}

// Returns TEXT with K's stand-ins.
static struct slice instances_put(const struct kernel *k, struct slice text) {
  struct text out = { 0 };
  struct lexer l = lexer_of(text);
  text_add(&out, "", 0);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct slice word = t.text;
    for (unsigned i = 0; i < k->n_stand_ins; i++)
      if (slices_same(k->stand_ins[i].name, t.text) && !k->stand_ins[i].constant.size)
        word = k->stand_ins[i].text;
    text_printf(&out, "%s%.*s", out.size ? " " : "", (int)word.size, word.data);
  }
  return (struct slice){ out.data, out.size };
}

// Puts the stand-ins into K's arguments.
static void instances_arguments(struct kernel *k) {
  for (unsigned i = 0; i < k->n_args; i++) {
    struct kernel_arg *a = &k->args[i];
    a->text = instances_put(k, a->text);
    a->specifiers = instances_put(k, a->specifiers);
    a->pointer = a->pointer || memchr(a->specifiers.data, '*', a->specifiers.size);
    if (!memchr(a->text.data, '&', a->text.size))
      arg_classify(a);
  }
}

void cxx_instances(struct kernel *kernels, unsigned n, const struct expansion *x,
                   const struct compile_options *o) {
  struct text text = { 0 }, errors = { 0 };
  const char *at = x->text.data, *end = at + x->text.size;
  bool any = false;
  for (unsigned j = 0; j < x->items.n; j++) // in the order of the text
    for (unsigned i = 0; i < n; i++) {
      const struct item *item = instances_item(x, &kernels[i]);
      if (item != &x->items.list[j] || item->text.data < at)
        continue;
      text_add(&text, at, (size_t)(item->text.data - at));
      instances_write(&kernels[i], item, i, &text);
      at = item->text.data + item->text.size;
      any = true;
    }
  if (any) {
    text_add(&text, at, (size_t)(end - at));
    cxx_trial_errors(&text, o, &errors);
  }
  for (unsigned i = 0; i < n; i++) {
    struct kernel *k = &kernels[i];
    if (!cxx_of(k)->n_params)
      continue;
    instances_read(x, k, i,
                   (struct slice){ errors.data ? errors.data : "", errors.size });
    if (k->generic)
      k->n_stand_ins = 0;
    else
      instances_arguments(k);
  }
}
