// SPDX-License-Identifier: Apache-2.0
// db.c: `autotune db list`, `forget`, `export`, and what the other commands of it share.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db.h"
#include "model/key.h"
#include "tools/report/report.h"
#include "base/units.h"

// ---- opening ------------------------------------------------------------------------

void db_complain(void *data, const char *file, unsigned line, const char *what) {
  (void)data;
  if (line)
    fprintf(stderr, "%s:%u: error: %s\n", file, line, what);
  else
    fprintf(stderr, "%s: error: %s\n", file, what);
}

char *db_folder(const char *folder) {
  char *message = NULL, *path = folder ? sys_strdup(folder) : folder_default(&message);
  if (!path)
    fprintf(stderr, "autotune: %s\n", message ? message : "no memory");
  free(message);
  return path;
}

struct store *db_open(const char *folder, bool keep) {
  char *message = NULL, *path = db_folder(folder);
  if (path && keep) {
    char *absolute = path[0] == '/' ? NULL : realpath(".", NULL);
    char *given = absolute ? sys_printf("%s/%s", absolute, path) : sys_strdup(path);
    free(absolute);
    free(path);
    path = given ? folder_check(given, &message) : NULL;
    free(given);
  }
  struct store *s = path ? store_open_in(path, keep, &message) : NULL;
  if (!s && (path || message))
    fprintf(stderr, "autotune: %s\n", message ? message : "no memory");
  free(message);
  free(path);
  return s;
}

static int load_store(const char *folder, struct loaded *out) {
  struct store *s = db_open(folder, false);
  int status = s ? store_list(s, NULL, &out->listing) : -1;
  if (s && status != 0)
    fprintf(stderr, "%s: error: it could not be read to its end\n", folder);
  if (s)
    store_close(s);
  return status == 0 && wisdom_add_listing(&out->wisdom, &out->listing, NULL, 0) ? 0 : -1;
}

int db_load(const char *path, struct loaded *out) {
  static const char name[] = "results.db";
  struct stat st;
  size_t n = strlen(path), tail = strlen(name);
  *out = (struct loaded){ 0 };
  int status;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
    status = load_store(path, out);
  } else if (n >= tail && strcmp(path + n - tail, name) == 0) {
    char *folder = n > tail ? sys_printf("%.*s", (int)(n - tail - 1), path)
                            : sys_strdup(".");
    status = folder ? load_store(*folder ? folder : "/", out) : -1;
    free(folder);
  } else {
    status = wisdom_read(&out->wisdom, path, db_complain, NULL);
  }
  wisdom_sort(&out->wisdom);
  return status;
}

void db_unload(struct loaded *l) {
  wisdom_free(&l->wisdom);
  store_list_free(&l->listing);
}

// ---- names --------------------------------------------------------------------------

char *db_machine(const char *cpu) {
  const char *brand = strchr(cpu, ' '), *end = strstr(cpu, " family ");
  if (!brand || !end || brand >= end)
    return sys_strdup(cpu);
  return sys_printf("%.*s", (int)(end - brand - 1), brand + 1);
}

char *db_key(const struct problem *p) {
  return key_describe(p->key, p->key_names);
}

bool db_key_matches(const struct problem *p, const char *spec) {
  return key_matches(p->key, p->key_names, spec);
}

// ---- list ---------------------------------------------------------------------------

static char *db_seconds(double s) {
  char text[64];
  return sys_strdup(units_seconds(text, sizeof text, s));
}

static char *db_date(double when) {
  char text[REPORT_MOMENT];
  return sys_strdup(report_moment(text, when));
}

// Is there a kernel of the INDEX-th one's name in another file?
static bool has_namesake(const struct wisdom *w, unsigned index) {
  const struct problem *p = &w->entries[index].problem;
  for (unsigned i = 0; i < w->n; i++)
    if (strcmp(w->entries[i].problem.kernel, p->kernel) == 0 &&
        strcmp(w->entries[i].problem.file, p->file) != 0)
      return true;
  return false;
}

static void db_add_winner(struct grid *g, const struct wisdom *w, unsigned index) {
  const struct wisdom_entry *e = &w->entries[index];
  const struct summary *m = &e->summary;
  grid_add(g,
           has_namesake(w, index)
               ? sys_printf("%s (%s)", e->problem.kernel, e->problem.file)
               : sys_strdup(e->problem.kernel));
  grid_add(g, db_key(&e->problem));
  grid_add(g, db_machine(e->problem.cpu));
  grid_add(g, sys_printf("%u", e->problem.threads));
  grid_add(g, db_seconds(m->original.median));
  grid_add(g, m->winner ? db_seconds(m->best.median) : sys_strdup("(default)"));
  grid_add(g,
           m->winner && m->best.median > 0
               ? sys_printf("%.2f x", m->original.median / m->best.median)
               : sys_strdup(""));
  grid_add(g, db_date(m->when));
  grid_add(g,
           *m->source ? sys_strdup(m->source)
                      : sys_strdup(m->verified ? "" : "unverified"));
}

int db_list(const char *folder, FILE *out) {
  static const char *const heading[] = { "kernel",   "for",     "machine",
                                         "threads",  "default", "best",
                                         "speed-up", "when",    "" };
  struct loaded l = { 0 };
  char *path = db_folder(folder);
  int status = path ? db_load(path, &l) : -1;
  struct grid g = { .columns = sizeof heading / sizeof *heading, .right = "lllrrrrll" };
  for (unsigned i = 0; i < g.columns; i++)
    grid_add(&g, sys_strdup(heading[i]));
  for (unsigned i = 0; i < l.wisdom.n; i++)
    db_add_winner(&g, &l.wisdom, i);
  if (l.wisdom.n)
    grid_print(&g, out);
  else if (status == 0)
    fprintf(out, "%s: no kernel was tuned to an end\n", path);
  if (l.listing.damaged)
    fprintf(out, "%u damaged row%s ignored; `autotune db prune` takes them out\n",
            l.listing.damaged, l.listing.damaged == 1 ? " was" : "s were");
  grid_free(&g);
  int n = (int)l.wisdom.n;
  db_unload(&l);
  free(path);
  return status != 0 ? 2 : n == 0;
}

// ---- forget -------------------------------------------------------------------------

int db_forget(const char *folder, const char *kernel, const char *key, FILE *out) {
  struct store *s = db_open(folder, false);
  struct listing l = { 0 };
  long long numbers[MAX_KEYS];
  unsigned forgotten = 0;
  if (!s)
    return 2;
  int status = store_list(s, kernel, &l);
  for (unsigned i = 0; i < l.n && status == 0; i++)
    if (db_key_matches(&l.items[i].problem, key)) {
      unsigned n = key_read(l.items[i].problem.key, numbers, MAX_KEYS);
      status = n > MAX_KEYS
          ? -1
          : store_forget(s, kernel, l.items[i].problem.unit, numbers, n);
      forgotten++;
    }
  store_list_free(&l);
  store_close(s);
  if (status != 0)
    fprintf(stderr, "autotune db: the rows could not be taken out\n");
  else if (forgotten)
    fprintf(out, "%s: %u forgotten\n", kernel, forgotten);
  else
    fprintf(out, "%s: nothing is known%s\n", kernel, key ? " for that key" : "");
  return status != 0 ? 2 : forgotten == 0;
}

// ---- export -------------------------------------------------------------------------

int db_export(const char *folder, const char *const *kernels, unsigned n,
              const char *output, FILE *out) {
  struct store *s = db_open(folder, false);
  struct listing l = { 0 };
  struct wisdom w = { 0 };
  if (!s)
    return 2;
  int status = store_list(s, NULL, &l) == 0 && wisdom_add_listing(&w, &l, kernels, n) ? 0
                                                                                      : 2;
  if (status != 0)
    fprintf(stderr, "autotune db: the results could not be read to their end\n");
  wisdom_sort(&w);
  if (status == 0 && w.n == 0) {
    fprintf(stderr, "autotune db: there is no winner to export\n");
    status = 1;
  }
  if (status == 0 && wisdom_write(&w, output, out) != 0) {
    fprintf(stderr, "%s: error: %s\n", output ? output : "standard output",
            strerror(errno));
    status = 2;
  }
  wisdom_free(&w);
  store_list_free(&l);
  store_close(s);
  return status;
}
