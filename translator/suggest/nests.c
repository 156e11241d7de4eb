// SPDX-License-Identifier: Apache-2.0
// nests.c: reads loops of a file as kernels of their own, as if each had a pragma. They
// become functions (statement/statement.h), so all that suggests directives for functions
// does so for loops.
#include <string.h>

#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "suggest.h"

static unsigned nests_around(TSNode n) {
  unsigned loops = 0;
  for (n = ts_node_parent(n); !ts_node_is_null(n); n = ts_node_parent(n))
    loops += node_is_loop(n);
  return loops;
}

bool nests_hold(TSNode n) {
  return node_holds(node_is(n, "for_statement") ? node_field(n, "body") : n,
                    "for_statement");
}

void nests_inside(const struct source *s, TSNode n, const char *function,
                  struct nests *nests) {
  if (node_is(n, "for_statement")) {
    nests_collect(s, node_field(n, "body"), function, nests);
    return;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    nests_collect(s, ts_node_named_child(n, i), function, nests);
}

void nests_collect(const struct source *s, TSNode n, const char *function,
                   struct nests *nests) {
  size_t at = ts_node_start_byte(n), first = at;
  bool loop = node_is(n, "for_statement");
  unsigned openmp = loop || node_is(n, "compound_statement") ? openmp_above(s, at, &first)
                                                             : 0;
  bool region = !loop && (openmp & OPENMP_PARALLEL) && !(openmp & OPENMP_OTHER);
  if (!loop && !region) {
    for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
      nests_collect(s, ts_node_named_child(n, i), function, nests);
    return;
  }
  if (!openmp && openmp_within(s, at, ts_node_end_byte(n))) {
    nests_inside(s, n, function, nests); // the author's parallel loops are worth more
    return;
  }
  if (openmp & OPENMP_OTHER) {
    struct slice word = openmp_other(s, first, at);
    notes_say(
        s, at,
        word.size
            ? arena_printf("no kernel is proposed here: 'omp %.*s' concerns more than a "
                           "loop",
                           (int)word.size, word.data)
            : "no kernel is proposed here: there is more between #if and #endif than "
              "its directive of OpenMP: put that into an #if of its own");
    return;
  }
  if ((openmp & OPENMP_FOR) && !(openmp & OPENMP_PARALLEL)) {
    notes_say(s, at,
              "this loop is left as it is: the threads of a region around it share it, "
              "and all of them must run the same variant");
    nests_inside(s, n, function, nests);
    return;
  }
  if (nests_around(n) > 1 && !nests_hold(n) && !openmp)
    return;
  if (patch_begins_line(s, at))
    *GROW(nests->list, nests->n) = (struct nest_kernel){
      .loop = n, .at = openmp ? first : at, .openmp = openmp, .function = function
    };
  else
    notes_say(s, at,
              "this loop does not begin its line, so no pragma can be put before it");
}

void nests_sort(struct nests *nests) {
  for (unsigned i = 1; i < nests->n; i++)
    for (unsigned j = i; j > 0 &&
         ts_node_start_byte(nests->list[j].loop) <
             ts_node_start_byte(nests->list[j - 1].loop);
         j--) {
      struct nest_kernel swapped = nests->list[j];
      nests->list[j] = nests->list[j - 1];
      nests->list[j - 1] = swapped;
    }
}

// Returns the lines that make a kernel of K: a #line, so that all other lines keep
// their numbers, and the pragma.
static const char *nests_lines(const struct source *s, const struct nest_kernel *k) {
  struct text t = { 0 };
  unsigned line = source_line(s, k->at, NULL);
  source_resume(s, s->lines[line - 2], &t); // a function's head is before it
  text_printf(&t, "#pragma autotune kernel\n");
  return t.data;
}

static bool nests_same_line(const struct source *a, size_t at, const struct source *b,
                            size_t other, unsigned difference) {
  const char *path, *other_path;
  unsigned line = source_where(a, at, &path, NULL),
           other_line = source_where(b, other, &other_path, NULL);
  return line == other_line + difference && strcmp(path, other_path) == 0;
}

// Reads the loops of LIST together that have no WHY. Returns NULL, or the first error.
static const char *nests_read(const struct source *s, struct nest_kernel *list,
                              unsigned n, const struct compile_options *o) {
  struct insertion *lines = NULL;
  struct text all = { 0 };
  unsigned n_lines = 0;
  for (unsigned i = 0; i < n; i++)
    if (!list[i].why)
      *GROW(lines, n_lines) =
          (struct insertion){ .offset = list[i].at, .text = nests_lines(s, &list[i]) };
  patch_apply(s, lines, n_lines, &all);
  struct source *outlined = source_of(s->path, all.data, all.size);
  unsigned n_kernels;
  diag_try();
  struct kernel *kernels = translate_outlined(outlined, o, &n_kernels);
  const char *why = diag_tried();
  const struct expansion *x = why ? NULL
                                  : expand_file(outlined, kernels, n_kernels, "clang", o);
  if (x && s->language->instances)
    s->language->instances(kernels, n_kernels, x, o);
  for (unsigned i = 0; i < n && x; i++)
    for (unsigned j = 0; j < n_kernels; j++)
      if (!list[i].why &&
          nests_same_line(s, list[i].at, outlined, kernels[j].main.pragma->offset, 1) &&
          expand_function(x, &kernels[j].main)) {
        list[i].source = outlined;
        list[i].k = &kernels[j];
        list[i].x = x;
        expand_classify(x, &kernels[j]);
      }
  return why ? why : x ? NULL : "it cannot be preprocessed";
}

// True if the line of D, an error or a kernel that is left out, may be of K.
static bool nests_is_of(const struct source *s, const struct nest_kernel *k,
                        const struct diagnostic *d) {
  const char *path;
  unsigned first = source_where(s, k->at, &path, NULL),
           last = source_where(s, ts_node_end_byte(k->loop), NULL, NULL);
  bool within = d->place.line >= first && d->place.line <= last;
  return strcmp(path, d->place.path) == 0 &&
      (d->place.line + 1 == first || (within && !d->left));
}

// Sets WHY of those loops that the last nests_read noted something of. Returns their
// number.
static unsigned nests_blame(const struct source *s, struct nest_kernel *list, unsigned n,
                            const struct compile_options *o) {
  unsigned n_noted, blamed = 0;
  const struct diagnostic *noted = diag_noted(&n_noted);
  for (unsigned i = 0; i < n_noted; i++) {
    unsigned found = 0;
    for (unsigned j = 0; j < n; j++)
      found += !list[j].why && nests_is_of(s, &list[j], &noted[i]);
    for (unsigned j = 0; j < n; j++)
      if (!list[j].why && nests_is_of(s, &list[j], &noted[i])) {
        list[j].why = found == 1 ? noted[i].text : nests_read(s, &list[j], 1, o);
        blamed += list[j].why != NULL;
      }
  }
  return blamed;
}

void nests_outline(const struct source *s, struct nest_kernel *list, unsigned n,
                   const struct compile_options *o) {
  struct compile_options leaves = *o;
  const char *why = n ? "" : NULL;
  leaves.leaves = true;
  for (unsigned blamed = 1; why && blamed;) {
    why = nests_read(s, list, n, &leaves);
    blamed = nests_blame(s, list, n, &leaves);
  }
  for (unsigned i = 0; i < n && why; i++) // it is not known which ones are to blame
    if (!list[i].why && !list[i].k)
      list[i].why = nests_read(s, &list[i], 1, o);
}

const struct outlined *nests_outlined(const struct model *m) {
  for (unsigned i = 0; i < m->source->n_outlined; i++)
    if (strcmp(m->source->outlined[i].name, m->k->main.name) == 0)
      return &m->source->outlined[i];
  return NULL;
}

const char *nests_written(const struct model *m, const char *text) {
  const struct outlined *o = nests_outlined(m);
  struct text out = { 0 };
  struct lexer l = lexer_of(slice_of(text));
  const char *from = text;
  text_add(&out, "", 0);
  for (struct token t; o && (t = lex(&l)).kind != TOKEN_END;)
    for (unsigned i = 0; i < o->n_views; i++)
      if (o->views[i].size && slice_is(t.text, o->views[i].size)) {
        text_add(&out, from, (size_t)(t.text.data - from));
        text_printf(&out, "%s.size()", o->views[i].name);
        from = l.p;
      }
  text_printf(&out, "%s", from);
  return out.data;
}

void nests_own(struct model *m) {
  const struct outlined *o = nests_outlined(m);
  for (unsigned i = 0; o && i < o->n_views; i++)
    for (unsigned j = 0; o->views[i].owner && j < m->n_arrays; j++)
      if (slice_is(m->arrays[j]->name, o->views[i].name))
        m->arrays[j]->restricted = true;
}

size_t nests_offset(const struct source *s, const struct nest_kernel *k, size_t at) {
  unsigned first = source_line(s, ts_node_start_byte(k->loop), NULL),
           last = source_line(s, ts_node_end_byte(k->loop), NULL);
  for (unsigned line = first; line <= last; line++)
    if (nests_same_line(k->source, at, s, s->lines[line - 1], 0))
      return s->lines[line - 1];
  return ts_node_start_byte(k->loop);
}
