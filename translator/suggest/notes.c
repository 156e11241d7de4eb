// SPDX-License-Identifier: Apache-2.0
// notes.c: the messages of `autotune suggest`: what a proposal assumes, and why there is
// none.
#include <string.h>

#include "suggest.h"

void notes_say(const struct source *s, size_t at, const char *text) {
  diag_note(s, at, 0, "%s", text);
}

// Prints the arrays that other objects may overlap, as far as their declarations show.
static void notes_assumed(const struct finding *f) {
  const struct model *m = f->m;
  const struct sections *found = &f->sections;
  struct text names = { 0 }, rows = { 0 };
  unsigned arguments = 0;
  bool written = false;
  for (unsigned i = 0; i < m->n_arrays; i++) {
    const struct array *a = m->arrays[i];
    arguments += !a->local && (a->read || a->written);
    struct slice name = a->name;
    size_t alias = sizeof PLAINER_ALIAS - 1;
    if (strncmp(name.data, PLAINER_ALIAS, alias) == 0)
      name = (struct slice){ name.data + alias, name.size - alias };
    else if (strncmp(name.data, "autotune_", 9) == 0) // of the statement's function
      continue;
    if (a->local || a->global || a->restricted || !(a->read || a->written))
      continue;
    written |= a->written;
    text_printf(&names, "%s'%.*s'", names.size ? ", " : "", (int)name.size, name.data);
  }
  if (names.size && written && arguments > 1)
    notes_say(f->file, f->at,
              arena_printf("assumed: no other array overlaps %s; "
                           "'restrict' would say so",
                           names.data));
  for (unsigned i = 0; i < m->n_arrays; i++)
    if (m->arrays[i]->rows && m->arrays[i]->written)
      text_printf(&rows, "%s'%.*s'", rows.size ? ", " : "", (int)m->arrays[i]->name.size,
                  m->arrays[i]->name.data);
  if (rows.size)
    notes_say(f->file, f->at,
              arena_printf("assumed: no two rows of %s overlap", rows.data));
  if (!ts_node_is_null(found->row))
    notes_say(m->source, model_offset(m, found->row, NULL),
              "assumed: subscripts stay within their rows");
  if (!ts_node_is_null(found->beyond) && !found->why)
    notes_say(m->source, model_offset(m, found->beyond, NULL),
              "assumed: the array has this element also where the condition is not met");
  if (found->assumed)
    notes_say(f->file, f->at,
              arena_printf("assumed of each call: %s", nests_written(m, found->assumed)));
}

// Prints TEXT for the place N of F's model. A place in text that the user does not have
// is F's beginning.
static void notes_at(const struct finding *f, TSNode n, const char *text) {
  if (ts_node_eq(n, f->m->u.f->node))
    notes_say(f->file, f->at, text);
  else
    notes_say(f->m->source, model_offset(f->m, n, NULL), text);
}

void notes_print(const struct finding *f) {
  const struct model *m = f->m;
  const struct plan *plan = &f->plan;
  const struct sections *found = &f->sections;
  for (unsigned i = 0; i < plan->n_around; i++)
    notes_say(m->source, plan->around[i].line.offset,
              arena_printf("clauses of this loop's own directive vary: %s",
                           plan->around[i].why));
  if (plan->n == 0 && f->varies && plan->n_around == 0) {
    notes_say(f->file, f->at,
              arena_printf("of %s only compilers and flags vary%s%s", f->what,
                           plan->n_notes ? ": " : "",
                           plan->n_notes ? plan->notes[0].text : ""));
    return;
  }
  if (plan->n == 0 && plan->n_around)
    return;
  if (plan->n == 0 && plan->n_notes) { // one reason is enough
    notes_at(f, plan->notes[0].at,
             arena_printf("%s is left as it is: %s", f->what, plan->notes[0].text));
    return;
  }
  for (unsigned i = 0; i < plan->n_notes; i++)
    notes_say(m->source, model_offset(m, plan->notes[i].at, NULL), plan->notes[i].text);
  if (plan->n == 0)
    notes_say(f->file, f->at,
              arena_printf("%s is left as it is%s%s", f->what, m->n_refusals ? ": " : "",
                           m->n_refusals ? m->refusals[0].text : ""));
  if (plan->n && found->why)
    notes_say(
        m->source, model_offset(m, found->at, NULL),
        arena_printf("no sections: %s; without out(…) nothing is verified", found->why));
  if (plan->n)
    notes_assumed(f);
}
