// SPDX-License-Identifier: Apache-2.0
// signature.c: reads name, result and arguments of a function from the tokens of its
// header, because the grammar misreads macros that stand for attributes (`EXPORT void
// f(double *RESTRICT a)`).
#include <string.h>

#include "kernel.h"

// Finds the identifier of F's declarator. False: F does not have the form `type
// name(arguments)`.
static bool signature_find_name(const struct function *f, TSNode *name) {
  TSTreeCursor cursor = ts_tree_cursor_new(f->node);
  bool found = false, more = true;
  while (more && !found) {
    TSNode n = ts_tree_cursor_current_node(&cursor);
    if (ts_node_start_byte(n) >= f->body_at)
      break;
    if (node_is(n, "function_declarator")) {
      *name = ts_node_named_child(n, 0);
      if (!node_is(*name, "identifier"))
        break;
      found = true;
    }
    more = cursor_next(&cursor, true);
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

// True if keywords or a tag name the type, so that the other words near it are macros.
static bool has_plain_type(struct slice head) {
  struct lexer l = lexer_of(head);
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (is_attribute(t.text))
      skip_brackets(&l);
    else if (is_type_word(t.text) && !is_qualifier(t.text))
      return true;
  }
  return false;
}

void signature_result(struct slice head, struct kernel *k) {
  struct text out = { 0 };
  struct slice other = { NULL, 0 };
  struct lexer l = lexer_of(head);
  bool plain = has_plain_type(head), tag = false;
  size_t other_at = 0;
  text_add(&out, "", 0);
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (is_storage(t.text)) {
      k->is_static = k->is_static || slice_is(t.text, "static");
    } else if (is_attribute(t.text)) {
      skip_brackets(&l);
    } else if (slice_is(t.text, "[")) {
      l.p = t.text.data;
      skip_brackets(&l);
    } else if (is_typeof(t.text)) {
      const char *end = skip_brackets(&l);
      text_printf(&out, "%.*s ", (int)(end - t.text.data), t.text.data);
    } else if (tag || is_type_word(t.text) || t.kind != TOKEN_WORD) {
      text_printf(&out, "%.*s ", (int)t.text.size, t.text.data);
      tag = is_tag(t.text);
    } else { // the name of a typedef or a macro
      other = t.text;
      other_at = out.size;
      skip_brackets(&l);
    }
  }
  if (other.size && !plain) {
    struct text whole = { 0 };
    text_printf(&whole, "%.*s%.*s %s", (int)other_at, out.data, (int)other.size,
                other.data, out.data + other_at);
    out = whole;
  }
  k->result = slice_trim((struct slice){ out.data, out.size });
  k->returns = !slice_is(k->result, "void");
}

struct slice signature_declared_name(struct slice text, bool *pointer) {
  struct slice name = { NULL, 0 }, before = { NULL, 0 };
  struct lexer l = lexer_of(text);
  unsigned words = 0;
  bool grouped = false;
  *pointer = false;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (is_attribute(t.text) || is_typeof(t.text)) {
      skip_brackets(&l);
      words += is_typeof(t.text);
      continue;
    }
    if (t.kind == TOKEN_WORD && !is_qualifier(t.text) && !is_storage(t.text)) {
      before = name;
      name = t.text;
      words++;
    } else if (slice_is(t.text, "*")) {
      *pointer = true;
    } else if (slice_is(t.text, "(") && !grouped && words > 0) {
      grouped = *pointer = true;
    } else if (slice_is(t.text, "[") || slice_is(t.text, "(")) {
      *pointer = true;
      break;
    } else if (slice_is(t.text, ")")) {
      break;
    }
  }
  if (words < 2 || is_type_word(name) || is_tag(before))
    name.size = 0;
  return name;
}

void arg_classify(struct kernel_arg *a) {
  struct lexer l = lexer_of(a->specifiers);
  bool integer = true, real = true, any = false;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (is_attribute(t.text))
      skip_brackets(&l);
    if (is_attribute(t.text) || is_qualifier(t.text))
      continue;
    any = true;
    if (slice_is(t.text, "enum")) {
      real = false;
      break;
    }
    t.text = word_after_std(&l, t.text);
    integer = integer && is_integer_word(t.text);
    real = real && (is_real_word(t.text) || slice_is(t.text, "long"));
  }
  a->integer = any && integer && !a->pointer;
  a->real = any && real && !integer && !a->pointer;
}

static bool read_arg(const struct source *s, struct slice text, struct kernel *k) {
  bool pointer;
  struct slice name = signature_declared_name(text, &pointer);
  size_t at = (size_t)(text.data - s->text);
  if (slice_is(text, "...")) {
    diag_error(s, at, text.size, NULL, "a kernel cannot have variable arguments");
    return false;
  }
  if (name.size == 0) {
    diag_error(s, at, text.size, NULL, "this argument of the kernel has no name");
    return false;
  }
  struct kernel_arg *a = GROW(k->args, k->n_args);
  const char *end = text.data;
  struct lexer l = lexer_of(text);
  for (struct token t = lex(&l); t.text.data < name.data; t = lex(&l)) {
    if (slice_is(t.text, "*") || slice_is(t.text, "("))
      break;
    end = is_attribute(t.text) || is_typeof(t.text) ? skip_brackets(&l)
                                                    : t.text.data + t.text.size;
  }
  *a = (struct kernel_arg){ .name = arena_copy(name.data, name.size),
                            .text = text,
                            .specifiers = { text.data, (size_t)(end - text.data) },
                            .pointer = pointer };
  arg_classify(a);
  return true;
}

static bool signature_read_args(const struct source *s, struct function *f,
                                struct kernel *k, size_t at) {
  struct lexer l = { s->text + at, s->text + f->body_at, false };
  const char *open = lex(&l).text.data;
  l.p = open;
  const char *close = skip_brackets(&l) - 1;
  unsigned n;
  bool fine = true;
  if (close <= open)
    return true;
  struct slice *parts =
      slice_split((struct slice){ open + 1, (size_t)(close - open) - 1 }, &n);
  if (n == 1 && slice_is(parts[0], "void"))
    n = 0;
  for (unsigned i = 0; i < n; i++)
    fine = read_arg(s, parts[i], k) && fine;
  return fine;
}

// Returns a hint, for `int (*f(void))(int)` or for `KERNEL(f)(void)`.
static const char *header_hint(const struct source *s, const struct function *f) {
  struct lexer l = { s->text + f->start, s->text + f->body_at, false };
  struct token t = lex(&l);
  while (t.kind != TOKEN_END && !slice_is(t.text, "("))
    t = lex(&l);
  return slice_is(lex(&l).text, "*") ? "name the type of its result with typedef"
                                     : "write its name and parentheses without a macro";
}

bool signature_read(const struct source *s, struct function *f, struct kernel *k) {
  TSNode name;
  if (!signature_find_name(f, &name)) {
    diag_error(s, f->start, f->body_at - f->start, header_hint(s, f),
               "the kernel's header is not of the form 'type name(arguments)'");
    return false;
  }
  struct slice word = source_slice(s, name);
  f->name = arena_copy(word.data, word.size);
  f->name_at = ts_node_start_byte(name);
  signature_result((struct slice){ s->text + f->start, f->name_at - f->start }, k);
  return signature_read_args(s, f, k, f->name_at + word.size);
}

// Returns the next token of a type. Skips the argument's name, qualifiers of pointers and
// array bounds.
static struct token next_of_type(struct lexer *l, const char *name) {
  for (;;) {
    struct token t = lex(l);
    if (slice_is(t.text, "[")) {
      l->p = t.text.data;
      skip_brackets(l);
      t.text.size = 1;
      return t;
    }
    if (is_attribute(t.text))
      skip_brackets(l);
    else if (!is_storage(t.text) && !slice_is(t.text, name) &&
             !slice_is(t.text, "restrict") && !slice_is(t.text, "__restrict") &&
             !slice_is(t.text, "__restrict__"))
      return t;
  }
}

static bool same_type(const struct kernel_arg *a, const struct kernel_arg *b) {
  struct lexer la = lexer_of(a->text), lb = lexer_of(b->text);
  for (;;) {
    struct token ta = next_of_type(&la, a->name), tb = next_of_type(&lb, b->name);
    if (!slices_same(ta.text, tb.text))
      return false;
    if (ta.kind == TOKEN_END)
      return true;
  }
}

bool signature_same(const struct source *s, const struct kernel *k,
                    const struct kernel *alternative) {
  const struct function *f = &alternative->main;
  size_t size = strlen(f->name);
  if (alternative->n_args != k->n_args) {
    diag_error(s, f->name_at, size, NULL, "the kernel '%s' has %u arguments, this has %u",
               k->main.name, k->n_args, alternative->n_args);
    return false;
  }
  if (!slices_same(alternative->result, k->result)) {
    diag_error(s, f->name_at, size, NULL,
               "the kernel '%s' returns '%.*s', this returns '%.*s'", k->main.name,
               (int)k->result.size, k->result.data, (int)alternative->result.size,
               alternative->result.data);
    return false;
  }
  for (unsigned i = 0; i < k->n_args; i++)
    if (!same_type(&k->args[i], &alternative->args[i])) {
      struct slice text = alternative->args[i].text;
      diag_error(s, (size_t)(text.data - s->text), text.size, NULL,
                 "in the kernel '%s' this argument is '%.*s'", k->main.name,
                 (int)k->args[i].text.size, k->args[i].text.data);
      return false;
    }
  return true;
}
