// SPDX-License-Identifier: Apache-2.0
// file.c: reads, sorts, merges and writes files of wisdom.
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/key.h"
#include "model/variant.h"
#include "wisdom.h"

enum { LARGEST = 64 << 20, MOST_LINES = 1 << 20 };

// ---- lists --------------------------------------------------------------------------

bool wisdom_add(struct wisdom *w, const struct wisdom_entry *e) {
  if ((w->n & (w->n - 1)) == 0) { // a power of two: full
    size_t room = w->n ? 2 * (size_t)w->n : 1;
    struct wisdom_entry *more = sys_realloc(w->entries, room * sizeof *more);
    if (!more)
      return false;
    w->entries = more;
  }
  w->entries[w->n++] = *e;
  return true;
}

void wisdom_drop(struct wisdom *w) {
  free(w->entries);
  *w = (struct wisdom){ 0 };
}

void wisdom_free(struct wisdom *w) {
  for (unsigned i = 0; i < w->n; i++)
    free(w->entries[i].block);
  wisdom_drop(w);
}

static bool file_is_wanted(const char *kernel, const char *const *kernels, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (strcmp(kernels[i], kernel) == 0)
      return true;
  return n == 0;
}

bool wisdom_add_listing(struct wisdom *w, const struct listing *l,
                        const char *const *kernels, unsigned n) {
  for (unsigned i = 0; i < l->n; i++) {
    const struct listed *item = &l->items[i];
    struct wisdom_entry e = { .problem = item->problem,
                              .summary = item->summary,
                              .origin = "",
                              .stale = item->stale };
    if (item->finished && item->summary.ended != ENDED_UNCHECKED &&
        file_is_wanted(item->problem.kernel, kernels, n) && !wisdom_add(w, &e))
      return false;
  }
  return true;
}

// ---- order --------------------------------------------------------------------------

static int compare_numbers(double a, double b) {
  return a < b ? -1 : a > b;
}

int wisdom_compare(const struct wisdom_entry *a, const struct wisdom_entry *b) {
  const struct problem *p = &a->problem, *q = &b->problem;
  int c = strcmp(p->kernel, q->kernel);
  c = c ? c : strcmp(p->key_names, q->key_names);
  c = c ? c : key_compare(p->key, q->key);
  c = c ? c : strcmp(p->cpu, q->cpu);
  c = c ? c : strcmp(p->isa, q->isa);
  c = c ? c : compare_numbers(p->threads, q->threads);
  c = c ? c : compare_numbers(p->objective, q->objective);
  return c ? c : p->unit < q->unit ? -1 : p->unit > q->unit;
}

bool wisdom_better(const struct wisdom_entry *a, const struct wisdom_entry *b) {
  const struct summary *m = &a->summary, *o = &b->summary;
  int c = compare_numbers(m->verified, o->verified);
  c = c ? c : compare_numbers((double)(long long)m->when, (double)(long long)o->when);
  c = c ? c : compare_numbers(m->best.n, o->best.n);
  c = c ? c : compare_numbers(o->best.median, m->best.median);
  c = c ? c : strcmp(a->problem.toolchain, b->problem.toolchain);
  return (c ? c : strcmp(m->values, o->values)) > 0;
}

// Sorts by identity; of entries with the same identity, the better one is first.
static int file_by_identity(const void *a, const void *b) {
  int c = wisdom_compare(a, b);
  return c ? c : wisdom_better(a, b) ? -1 : wisdom_better(b, a);
}

void wisdom_sort(struct wisdom *w) {
  unsigned n = 0;
  if (w->n)
    qsort(w->entries, w->n, sizeof *w->entries, file_by_identity);
  for (unsigned i = 0; i < w->n; i++)
    if (n > 0 && wisdom_compare(&w->entries[n - 1], &w->entries[i]) == 0)
      free(w->entries[i].block);
    else
      w->entries[n++] = w->entries[i];
  w->n = n;
}

// ---- reading ------------------------------------------------------------------------

// Returns the bytes of the file at PATH, with a NUL after them, malloc'ed; NULL and *WHY.
static char *file_read_all(const char *path, size_t *size, const char **why) {
  int fd = sys_open(path, O_RDONLY | O_NONBLOCK, 0);
  struct stat st;
  char *data = NULL;
  *why = NULL;
  if (fd < 0 || fstat(fd, &st) != 0)
    *why = strerror(errno);
  else if (!S_ISREG(st.st_mode))
    *why = "it is not a file";
  else if (st.st_size > LARGEST)
    *why = "it is too large";
  else if (!(data = sys_malloc((size_t)st.st_size + 1)))
    *why = "no memory";
  int got = data ? sys_read_all(fd, data, (size_t)st.st_size) : -1;
  if (data && got < 0) {
    *why = strerror(errno);
    free(data);
    data = NULL;
  }
  if (fd >= 0)
    close(fd);
  *size = got > 0 ? (size_t)got : 0;
  if (data)
    data[*size] = '\0';
  return data;
}

int wisdom_read(struct wisdom *w, const char *path, wisdom_complain *complain,
                void *data) {
  const char *why;
  size_t size;
  char message[160], *all = file_read_all(path, &size, &why);
  unsigned number = 0;
  int status = all ? 0 : -1;
  if (!all)
    complain(data, path, 0, why);
  for (char *line = all, *end = all + size; all && line < end && status == 0;) {
    char *stop = memchr(line, '\n', (size_t)(end - line));
    size_t n = (size_t)((stop ? stop : end) - line), used = n;
    struct wisdom_entry e;
    while (used > 0 && (line[used - 1] == '\r' || line[used - 1] == ' '))
      used--;
    if (++number > MOST_LINES) {
      complain(data, path, number, "there are too many lines; the rest is left out");
      w->bad++;
      break;
    }
    if (used > 0 && !wisdom_parse(line, used, &e, message, sizeof message)) {
      complain(data, path, number, message);
      w->bad++;
    } else if (used > 0) {
      e.origin = path;
      e.line = number;
      status = wisdom_add(w, &e) ? 0 : -1;
      if (status != 0)
        free(e.block);
    }
    line += n + 1;
  }
  free(all);
  return status;
}

// ---- writing ------------------------------------------------------------------------

static int write_lines(const void *what, FILE *f) {
  const struct wisdom *w = what;
  for (unsigned i = 0; i < w->n; i++) {
    if (variant_without_body(w->entries[i].summary.values)) {
      log_message(AUTOTUNE_WARN,
                  "the winner of %s is left out: its body came from outside",
                  w->entries[i].problem.kernel);
      continue;
    }
    char *line = wisdom_print(&w->entries[i]);
    if (!line) {
      errno = ENOMEM;
      return -1;
    }
    fprintf(f, "%s\n", line);
    free(line);
  }
  return fflush(f) == 0 && !ferror(f) ? 0 : -1;
}

// A device, a pipe or a link is written to and never replaced: root would lose /dev/null.
static bool file_is_replaceable(const char *path) {
  struct stat st;
  return lstat(path, &st) != 0 || S_ISREG(st.st_mode);
}

// Lets WRITE write WHAT to FD, and closes it. SYNC: waits for the disk. 0, or -1 and
// errno.
static int file_fill(int fd, int (*write)(const void *what, FILE *f), const void *what,
                     bool sync) {
  FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
  int status = f ? write(what, f) : -1;
  if (status == 0 && sync)
    status = sys_fsync(fd);
  int error = errno;
  if (f && fclose(f) != 0 && status == 0) {
    error = errno;
    status = -1;
  }
  errno = error;
  return status;
}

int wisdom_write_file(const char *path, int (*write)(const void *what, FILE *f),
                      const void *what) {
  static atomic_uint counter;
  if (!file_is_replaceable(path))
    return file_fill(sys_open(path, O_WRONLY | O_TRUNC | O_CREAT, 0666), write, what,
                     false);
  char *temporary =
      sys_printf("%s.new-%ld-%u", path, (long)getpid(), atomic_fetch_add(&counter, 1));
  int fd = temporary ? sys_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666)
                     : -1;
  int status = file_fill(fd, write, what, true);
  if (status == 0)
    status = sys_rename(temporary, path);
  int error = errno;
  if (status != 0 && fd >= 0)
    unlink(temporary);
  free(temporary);
  errno = error;
  return status;
}

int wisdom_write(const struct wisdom *w, const char *path) {
  return path ? wisdom_write_file(path, write_lines, w) : write_lines(w, stdout);
}

// ---- merging ------------------------------------------------------------------------

static const struct wisdom_entry *file_find(const struct wisdom *w,
                                            const struct wisdom_entry *e) {
  return w && w->n ? bsearch(e, w->entries, w->n, sizeof *e,
                             (int (*)(const void *, const void *))wisdom_compare)
                   : NULL;
}

// True if the lines of A and B are the same.
static bool file_is_same(const struct wisdom_entry *a, const struct wisdom_entry *b) {
  char *x = wisdom_print(a), *y = wisdom_print(b);
  bool same = x && y && strcmp(x, y) == 0;
  free(x);
  free(y);
  return same;
}

// Adds to OUT what is left of E, which one side has and OTHER may have. A change of one
// side wins over no change. An entry that one side removed and the other did not change
// is gone. Otherwise the better entry stays.
static bool file_merge_one(const struct wisdom_entry *e, const struct wisdom *other,
                           const struct wisdom *base, struct wisdom *out) {
  const struct wisdom_entry *theirs = file_find(other, e), *before = file_find(base, e);
  if (!theirs && before && file_is_same(before, e))
    return true;
  if (theirs && before && file_is_same(before, e))
    e = theirs;
  else if (theirs && !(before && file_is_same(before, theirs)) &&
           wisdom_better(theirs, e))
    e = theirs;
  return wisdom_add(out, e);
}

bool wisdom_merge(const struct wisdom *ours, const struct wisdom *theirs,
                  const struct wisdom *base, struct wisdom *out) {
  *out = (struct wisdom){ 0 };
  for (unsigned i = 0; i < ours->n; i++)
    if (!file_merge_one(&ours->entries[i], theirs, base, out))
      return false;
  for (unsigned i = 0; i < theirs->n; i++)
    if (!file_find(ours, &theirs->entries[i]) &&
        !file_merge_one(&theirs->entries[i], ours, base, out))
      return false;
  if (out->n)
    qsort(out->entries, out->n, sizeof *out->entries, file_by_identity);
  return true;
}
