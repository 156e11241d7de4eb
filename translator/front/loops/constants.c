// SPDX-License-Identifier: Apache-2.0
// constants.c: integers of the key as constants in variants. A variant is made for one
// key, so the values of these arguments are known when it is compiled: the runtime
// defines AUTOTUNE_KEY_i as the value of key i (runtime/model/constants.c). Where it does
// not, the text is the kernel as before.
//
// That an argument has this value at the head of the kernel is always true, also where
// the kernel changes it later. It does not reach the functions that compilers make of
// OpenMP's regions, because these read the variable through its address. So an argument
// that nothing can change is hidden by a constant of the same name, which compilers
// replace by its value before they make such functions.
#include <string.h>

#include "front/analysis/analysis.h"
#include "front/lang/language.h"
#include "loops.h"

// Returns the argument that is key I of K, if it is an integer that is passed by value;
// NULL: it is not.
static const struct kernel_arg *constants_arg(const struct kernel *k, unsigned i) {
  struct slice key = slice_trim(k->keys[i]);
  for (unsigned a = 0; a < k->n_args; a++) {
    const struct kernel_arg *arg = &k->args[a];
    if (arg->name && slice_is(key, arg->name))
      return arg->integer && !arg->pointer &&
              !(arg->text.size && memchr(arg->text.data, '&', arg->text.size))
          ? arg
          : NULL;
  }
  return NULL;
}

const char *constants_name(const struct kernel *k, unsigned i) {
  const struct kernel_arg *arg = constants_arg(k, i);
  bool chosen = arg && !k->constants_given;
  for (unsigned c = 0; arg && c < k->n_constants; c++)
    chosen = chosen || slice_is(k->constants[c], arg->name);
  return chosen ? arg->name : NULL;
}

// True if CALL is of a function that is known to take numbers by value.
static bool constants_takes_values(const struct source *s, TSNode call) {
  static const char builtin[] = "__builtin_";
  TSNode called = node_field(call, "function");
  struct slice name = source_slice(s, called);
  return node_is(called, "identifier") &&
      (model_is_pure(name) ||
       (name.size > sizeof builtin &&
        memcmp(name.data, builtin, sizeof builtin - 1) == 0));
}

// True if a constant may take the place of NAME in N, in C++: no function, which may take
// it by reference, and no macro has it as an argument, and no type is taken from it.
static bool constants_is_plain(const struct source *s, TSNode n, struct slice name) {
  static const char *const others[] = {
    "argument_list",      "lambda_expression",    "decltype",
    "gnu_asm_expression", "macro_type_specifier", NULL
  };
  if (node_is(n, "call_expression") && constants_takes_values(s, n))
    n = node_field(n, "arguments");
  else if (node_is_any(n, others) && node_mentions(s, n, name))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!constants_is_plain(s, ts_node_named_child(n, i), name))
      return false;
  return true;
}

static bool constants_may_hide(const struct builder *b, unsigned i, struct slice name) {
  return !usage_changes(&b->u, b->f->node, name) &&
      (b->k->language->cplusplus ? constants_is_plain(b->s, b->f->node, name)
                                 : i < 64 && (b->k->kept >> i & 1));
}

void constants_write_macros(const struct builder *b, struct text *out) {
  if (b->fixed || b->f != &b->k->main)
    return;
  for (unsigned i = 0; i < b->k->n_keys; i++)
    if (constants_name(b->k, i))
      text_printf(
          out,
          "\n#ifdef AUTOTUNE_KEY_%u\n"
          "#define AUTOTUNE_ASSUME_%u(n) { typedef char \\\n"
          "  autotune_fits[sizeof(n) <= sizeof(long long) ? 1 : -1] "
          "__attribute__((__unused__)); \\\n"
          "  if ((n) != (__typeof__(n))AUTOTUNE_KEY_%u) __builtin_unreachable(); }\n"
          "#define AUTOTUNE_CONSTANT_%u(n) \\\n"
          "  const __typeof__(n) n = (__typeof__(n))AUTOTUNE_KEY_%u;\n"
          "#else\n"
          "#define AUTOTUNE_ASSUME_%u(n)\n"
          "#define AUTOTUNE_CONSTANT_%u(n)\n"
          "#endif\n",
          i, i, i, i, i, i, i);
}

bool constants_write(const struct builder *b, struct text *out) {
  bool any = false;
  if (b->resolve || b->fixed || b->f != &b->k->main)
    return false;
  for (unsigned i = 0; i < b->k->n_keys; i++) {
    const char *name = constants_name(b->k, i);
    if (name)
      text_printf(out, " AUTOTUNE_ASSUME_%u(%s)", i, name);
    any = any || name;
  }
  if (!any)
    return false;
  text_printf(out, " {");
  for (unsigned i = 0; i < b->k->n_keys; i++) {
    const char *name = constants_name(b->k, i);
    if (name && constants_may_hide(b, i, slice_of(name)))
      text_printf(out, " AUTOTUNE_CONSTANT_%u(%s)", i, name);
  }
  return true;
}

void constants_check(const struct source *s, const struct kernel *k) {
  for (unsigned c = 0; c < k->n_constants; c++) {
    bool found = false;
    struct slice name = k->constants[c];
    for (unsigned i = 0; i < k->n_keys; i++)
      found = found || (slices_same(slice_trim(k->keys[i]), name) && constants_arg(k, i));
    if (!found)
      diag_warning(
          s, pragma_offset(k->main.pragma, name), name.size,
          "constants are integer arguments that are passed by value and are parts of the "
          "key by themselves",
          "'%.*s' is no constant in variants", (int)name.size, name.data);
  }
}

bool constants_any(const struct kernel *k) {
  bool any = false;
  for (unsigned i = 0; i < k->n_keys; i++)
    any = any || constants_name(k, i);
  return any;
}

void constants_drop(struct kernel *k) {
  k->constants_given = true;
  k->n_constants = 0;
}
