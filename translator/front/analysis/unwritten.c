// SPDX-License-Identifier: Apache-2.0
// unwritten.c: warns of an output that the kernel never writes. Nothing is compared then
// that a variant could get wrong. All of the kernel must be understood: a call, or
// another name for the array, could write it.
#include <string.h>

#include "analysis.h"
#include "autotune_abi.h"
#include "front/kernel/kernel.h"
#include "front/lang/language.h"
#include "front/reach/unit.h"

struct unwritten {
  const struct source *s;
  const struct kernel *k;
  const struct model *m;
  struct slice body; // of the kernel, as the compiler sees it
};

// True if NAME can only be written by its name: a pointer that the kernel is given, or an
// array of the file.
static bool unwritten_counts(const struct unwritten *u, struct slice name) {
  int arg = kernel_arg(u->k, name);
  const struct array *a = array_find(u->m, name);
  return arg >= 0 ? u->k->args[arg].pointer : a && a->global;
}

static void unwritten_check_section(const struct unwritten *u, const struct section *x) {
  struct slice name = section_array(x);
  const struct array *a = array_find(u->m, name);
  bool mentioned = lex_mentions(u->body, name);
  if ((x->access != AUTOTUNE_OUT && x->access != AUTOTUNE_INOUT) || x->returned ||
      !unwritten_counts(u, name))
    return;
  if (mentioned &&
      (!a || a->written || a->why || !ts_node_is_null(a->handed) || u->m->n_refusals))
    return;
  diag_warning(u->s, x->offset, strlen(x->name),
               mentioned ? arena_printf("write in(%s)", x->name)
                         : "take it away, or name what the kernel writes",
               "'%s' never writes '%.*s', which is declared as an output",
               u->k->main.name, (int)name.size, name.data);
}

void unwritten_check(const struct source *s, struct kernel *k,
                     const struct expansion *x) {
  static const char *const branches[] = { "preproc_if", "preproc_ifdef", NULL };
  const struct item *item = expand_function(x, &k->main);
  const char *open = item ? memchr(item->text.data, '{', item->text.size) : NULL;
  if (k->inferred || k->n_sections == 0 || k->verify == AUTOTUNE_VERIFY_OFF || !open)
    return;
  for (const char *const *b = branches; *b; b++)
    if (node_holds(k->main.node, *b)) // other variants may have other code
      return;
  struct unwritten u = { .s = s, .k = k, .m = scan_function(s, k, &k->main, x) };
  u.body = (struct slice){ open, (size_t)(item->text.data + item->text.size - open) };
  for (unsigned i = 0; i < k->n_sections; i++)
    unwritten_check_section(&u, &k->sections[i]);
}
