// SPDX-License-Identifier: Apache-2.0
// fix.c: `autotune check --fix`: makes the changes that diagnostics propose.
//
// Only files that the command line names are changed, and only where they have the text
// that the diagnostic is about: a `#line` may name a file or a line that it is not in.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "front/include.h"

struct edit {
  const struct fix *fix;
  size_t offset;
};
struct edits {
  struct edit *list;
  unsigned n;
};

// Sets *OFFSET to where M is in S. False: S has another text there.
static bool fix_find(const struct source *s, const struct marked *m, size_t *offset) {
  if (m->line == 0 || m->line > s->n_lines)
    return false;
  size_t at = s->lines[m->line - 1] + m->column - 1;
  *offset = at;
  return at <= s->size && m->text.size <= s->size - at &&
      memcmp(s->text + at, m->text.data, m->text.size) == 0;
}

// True if E and an edit of ALL would change the same bytes.
static bool fix_overlaps(const struct edits *all, struct edit e) {
  size_t end = e.offset + e.fix->place.text.size;
  for (unsigned i = 0; i < all->n; i++) {
    size_t from = all->list[i].offset, to = from + all->list[i].fix->place.text.size;
    if (from == e.offset || (from < end && e.offset < to))
      return true;
  }
  return false;
}

// Adds E to ALL, which is sorted.
static void fix_insert(struct edits *all, struct edit e) {
  GROW(all->list, all->n);
  unsigned i = all->n - 1;
  for (; i > 0 && all->list[i - 1].offset > e.offset; i--)
    all->list[i] = all->list[i - 1];
  all->list[i] = e;
}

static struct text fix_text(const struct source *s, const struct edits *all) {
  struct text out = { 0 };
  size_t from = 0;
  text_add(&out, "", 0);
  for (unsigned i = 0; i < all->n; i++) {
    const struct edit *e = &all->list[i];
    text_add(&out, s->text + from, e->offset - from);
    text_add(&out, e->fix->text, strlen(e->fix->text));
    from = e->offset + e->fix->place.text.size;
  }
  text_add(&out, s->text + from, s->size - from);
  return out;
}

static void fix_say(const char *name, const struct edits *all) {
  for (unsigned i = 0; i < all->n; i++) {
    const struct fix *f = all->list[i].fix;
    printf("%s:%u:%u: ", name, f->place.line, f->place.column);
    if (f->place.text.size)
      printf("changed '%.*s' to '%s'\n", (int)f->place.text.size, f->place.text.data,
             f->text);
    else
      printf("added '%s'\n", f->text);
  }
}

// Replaces the file at PATH, or the one that a link there leads to. Returns 0, or -1 and
// errno.
static int fix_write(const char *path, const struct text *out) {
  char *real = realpath(path, NULL);
  int result = real && access(real, W_OK) == 0 ? file_replace(real, out) : -1, e = errno;
  free(real);
  errno = e;
  return result;
}

static bool fix_file(const struct diagnostic *list, unsigned n, const char *name) {
  struct source *s = source_read(name);
  struct edits all = { 0 };
  for (unsigned i = 0; i < n && s; i++) {
    struct edit e = { &list[i].fix, 0 };
    if (e.fix->text && path_same(e.fix->place.path, name) &&
        fix_find(s, &e.fix->place, &e.offset) && !fix_overlaps(&all, e))
      fix_insert(&all, e);
  }
  if (all.n == 0)
    return true;
  struct text out = fix_text(s, &all);
  if (fix_write(name, &out) != 0) {
    fprintf(stderr, "autotune check: %s: not changed: %s\n", name, strerror(errno));
    return false;
  }
  fix_say(name, &all);
  return true;
}

// True if PATH is one of NAMES.
static bool fix_is_named(const char *path, const char *const *names) {
  for (; *names; names++)
    if (path_same(path, *names))
      return true;
  return false;
}

bool fix_apply(const struct diagnostic *all, unsigned n, const char *const *names) {
  bool fine = true;
  for (const char *const *name = names; *name; name++)
    fine = fix_file(all, n, *name) && fine;
  for (unsigned i = 0; i < n; i++)
    if (all[i].fix.text && !fix_is_named(all[i].fix.place.path, names))
      fprintf(stderr,
              "autotune check: %s:%u: not changed: only files that are named are\n",
              all[i].fix.place.path, all[i].fix.place.line);
  return fine;
}
