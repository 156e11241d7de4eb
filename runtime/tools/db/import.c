// SPDX-License-Identifier: Apache-2.0
// import.c: `autotune db import` and `merge`. An imported winner has no object code: the
// first call compiles it and compares its outputs with the default's before using it.
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "keep/store/store.h"

// ---- import -------------------------------------------------------------------------

// True if the store has the same winner already, or a better one, which is not replaced.
static bool is_known(struct store *s, int64_t problem, const struct wisdom_entry *e) {
  struct wisdom_entry known = { 0 };
  if (!store_find_summary(s, problem, &known.summary))
    return false;
  known.problem.toolchain = known.summary.toolchain;
  bool same = strcmp(known.summary.toolchain, e->problem.toolchain) == 0 &&
      strcmp(known.summary.values, e->summary.values) == 0;
  bool better = same || !wisdom_better(e, &known);
  store_summary_free(&known.summary);
  return better;
}

// Writes E unless it is known, and counts it in *TAKEN. Returns SQLite's status.
static int import_one(struct store *s, const struct wisdom_entry *e, unsigned *taken) {
  struct problem p = e->problem;
  struct summary m = e->summary;
  m.problem = p.id = problem_hash(&p);
  m.toolchain = p.toolchain;
  if (is_known(s, p.id, e))
    return SQLITE_OK;
  char *source = sys_printf("wisdom %s", sys_file_name(e->origin));
  m.source = source ? source : "wisdom";
  m.origin = ORIGIN_WISDOM;
  int rc = store_put(s, &kind_problem, &p);
  if (rc == SQLITE_OK)
    rc = store_put(s, &kind_summary, &m);
  free(source);
  ++*taken;
  return rc;
}

static int import_all(struct store *s, const struct wisdom *w, unsigned *taken) {
  store_allow(s, 5); // the user asked for it
  int rc = store_run(s->db, "PRAGMA synchronous=FULL; BEGIN IMMEDIATE");
  if (rc != SQLITE_OK)
    return rc;
  for (unsigned i = 0; i < w->n && rc == SQLITE_OK; i++)
    rc = import_one(s, &w->entries[i], taken);
  return store_end(s, rc);
}

int db_import(const struct arguments *a) {
  const struct db_options *o = a->options;
  struct wisdom w = { 0 };
  unsigned taken = 0;
  int status = 0;
  for (unsigned i = 0; i < a->n; i++)
    if (wisdom_read(&w, a->words[i], results_complain, NULL) != 0)
      status = 2;
  wisdom_sort(&w);
  struct store *s = status == 0 ? results_open(o->folder, true) : NULL;
  if (!s) {
    wisdom_free(&w);
    return 2;
  }
  int rc = import_all(s, &w, &taken);
  if (rc != SQLITE_OK)
    fprintf(stderr, "%s: error: %s\n", s->path, sqlite3_errstr(rc));
  else
    printf("%u imported, %u known already, %u bad line%s left out\n", taken, w.n - taken,
           w.bad, w.bad == 1 ? "" : "s");
  status = rc != SQLITE_OK ? 2 : w.bad > 0;
  store_close(s);
  wisdom_free(&w);
  return status;
}

// ---- merge --------------------------------------------------------------------------

int db_merge(const struct arguments *a) {
  const struct db_options *o = a->options;
  const char *const *files = a->words; // OURS, THEIRS and perhaps BASE
  struct wisdom w[3] = { 0 }, out;
  int status = 0;
  for (unsigned i = 0; i < a->n; i++) {
    if (wisdom_read(&w[i], files[i], results_complain, NULL) != 0)
      status = 2;
    // Bad lines in BASE lose no winner.
    if (i < 2 && w[i].bad)
      status = 2;
    wisdom_sort(&w[i]);
  }
  if (status == 0 && wisdom_merge(&w[0], &w[1], a->n > 2 ? &w[2] : NULL, &out)) {
    status = results_write(&out, o->output);
    wisdom_drop(&out);
  } else {
    fprintf(stderr, "autotune db: nothing was merged\n");
    status = 2;
  }
  for (int i = 0; i < 3; i++)
    wisdom_free(&w[i]);
  return status;
}
