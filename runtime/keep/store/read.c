// SPDX-License-Identifier: Apache-2.0
// read.c: one winner, one variant, and why there is no winner.
#include <stdlib.h>
#include <string.h>

#include "model/key.h"
#include "tables.h"

// ---- one row ------------------------------------------------------------------------

// Steps to the first good row of Q. A broken file is replaced, and then there is none.
static bool first_row(struct store *s, sqlite3_stmt *q, const struct table *t,
                      struct cell *cells) {
  int rc = q ? SQLITE_ROW : SQLITE_ERROR;
  while (q && (rc = store_step(q)) == SQLITE_ROW)
    if (row_read(q, t, cells))
      return true;
  if (rc != SQLITE_DONE) {
    sqlite3_reset(q);
    s->trouble = rc;
  }
  return false;
}

// Ends the statement, and the file where it turned out to be broken.
static void read_end(struct store *s, sqlite3_stmt *q) {
  sqlite3_finalize(q);
  int rc = s->trouble;
  s->trouble = 0;
  if (rc)
    store_recover(s, rc);
}

// The texts of M copied to one block that begins with `values`. False: no memory.
static bool own_summary(struct summary *m) {
  const char **texts[] = { &m->values, &m->compiler, &m->search,
                           &m->why,    &m->machine,  &m->source };
  const int n_texts = sizeof texts / sizeof *texts;
  size_t size = 0;
  for (int i = 0; i < n_texts; i++)
    size += strlen(*texts[i]) + 1;
  char *block = sys_malloc(size);
  if (!block)
    return false;
  for (int i = 0; i < n_texts; i++) {
    size_t n = strlen(*texts[i]) + 1;
    *texts[i] = memcpy(block, *texts[i], n);
    block += n;
  }
  return true;
}

void store_summary_free(struct summary *m) {
  free((void *)m->values);
  memset(m, 0, sizeof *m);
}

bool store_find_summary(struct store *s, int64_t problem, struct summary *out,
                        char **toolchain) {
  struct cell cells[STORE_CELLS];
  sqlite3_stmt *q = store_select(s, &table_winner, "WHERE problem = ?1");
  sqlite3_bind_int64(q, 1, problem);
  bool found = first_row(s, q, &table_winner, cells) && cells[0].i == problem &&
      summary_of(cells, out);
  if (found && !(*toolchain = sys_strdup(cells[1].data)))
    found = false;
  if (found && !own_summary(out)) {
    free(*toolchain);
    found = false;
  }
  read_end(s, q);
  return found;
}

// ---- why there is no winner ---------------------------------------------------------

enum { UNIT = 1, CPU = 2, ISA = 4, THREADS = 8, NAMES = 16, KEY = 32 };

struct nearest {
  struct problem problem; // its texts are copies
  char *texts[6];
  unsigned differs;
  unsigned n_keys; // tuned for, of those looked at, where nothing else differs
};

static unsigned read_differences(const struct problem *p, const struct identity *id,
                                 const struct cell *ours) {
  return (p->unit != id->unit ? UNIT : 0) | (strcmp(p->cpu, ours[4].data) ? CPU : 0) |
      (strcmp(p->isa, ours[5].data) ? ISA : 0) |
      (p->threads != id->threads ? THREADS : 0) |
      (strcmp(p->key_names, ours[8].data) ? NAMES : 0) |
      (strcmp(p->key, ours[7].data) ? KEY : 0);
}

static void forget_texts(struct nearest *n) {
  for (int i = 0; i < 6; i++) {
    free(n->texts[i]);
    n->texts[i] = NULL;
  }
}

static void read_take(struct nearest *n, const struct problem *p, unsigned differs) {
  forget_texts(n);
  n->problem = *p;
  n->differs = differs;
  const char **texts[] = { &n->problem.kernel, &n->problem.file, &n->problem.cpu,
                           &n->problem.isa,    &n->problem.key,  &n->problem.key_names };
  for (int i = 0; i < 6; i++) {
    n->texts[i] = sys_strdup(*texts[i]);
    *texts[i] = n->texts[i] ? n->texts[i] : "";
  }
  n->problem.toolchain = n->problem.family = "";
}

// Was PROBLEM tuned? What it has borrowed does not count.
static bool read_has_winner(struct store *s, int64_t problem) {
  struct cell cells[STORE_CELLS];
  struct summary m;
  sqlite3_stmt *q = store_select(s, &table_winner, "WHERE problem = ?1");
  sqlite3_bind_int64(q, 1, problem);
  bool found = first_row(s, q, &table_winner, cells) &&
      !(summary_of(cells, &m) && summary_is_provisional(&m));
  read_end(s, q);
  return found && s->db;
}

// The problem of the same kernel that has a winner and differs least, of those that there
// is time to look at: with a thousand keys that may be long for a call that does not
// wait.
static bool find_nearest(struct store *s, const struct identity *id,
                         const struct cell *ours, struct nearest *n) {
  struct cell cells[STORE_CELLS];
  struct problem p;
  bool any = false;
  double until = sys_now() + s->wait;
  sqlite3_stmt *q = store_select(s, &table_problem, "WHERE kernel = ?1 LIMIT 1000");
  sqlite3_bind_text(q, 1, ours[1].data, (int)ours[1].size, SQLITE_STATIC);
  for (unsigned n_seen = 0; n_seen == 0 || sys_now() < until; n_seen++) {
    if (!first_row(s, q, &table_problem, cells))
      break;
    if (!problem_of(cells, &p) || !read_has_winner(s, p.id))
      continue;
    unsigned differs = read_differences(&p, id, ours);
    n->n_keys += differs == KEY;
    if (!any || __builtin_popcount(differs) < __builtin_popcount(n->differs) ||
        differs == KEY)
      read_take(n, &p, differs);
    any = true;
  }
  read_end(s, q);
  return any;
}

static bool is_other_file(const struct problem *p, const struct identity *id) {
  const char *a = strrchr(p->file, '/'), *b = strrchr(id->file, '/');
  return strcmp(a ? a + 1 : p->file, b ? b + 1 : id->file) != 0;
}

static void describe_nearest(FILE *f, const struct nearest *n, const struct identity *id,
                             const struct cell *ours) {
  const char *sep = "";
  if (n->differs & UNIT)
    fprintf(f,
            is_other_file(&n->problem, id) ? "tuned in another file: %s"
                                           : "text or build flags changed",
            n->problem.file),
        sep = "; ";
  if (n->differs & CPU)
    fprintf(f, "%scpu %s → %s", sep, n->problem.cpu, id->cpu), sep = "; ";
  if (n->differs & ISA)
    fprintf(f, "%sinstruction set %s → %s", sep, n->problem.isa, id->isa), sep = "; ";
  if (n->differs & THREADS)
    fprintf(f, "%sthreads %u → %u", sep, n->problem.threads, id->threads), sep = "; ";
  if (n->differs & NAMES)
    fprintf(f, "%skey expressions changed", sep), sep = "; ";
  if (n->differs & KEY && !(n->differs & NAMES)) {
    char *key = key_describe(ours[7].data, ours[8].data),
         *other = key_describe(n->problem.key, n->problem.key_names);
    fprintf(f, "%snever tuned for %s; tuned for %s", sep, key ? key : "this key",
            other ? other : "others");
    if (n->n_keys > 1)
      fprintf(f, " and %u other key%s", n->n_keys - 1, n->n_keys == 2 ? "" : "s");
    free(key);
    free(other);
  }
  if (!n->differs)
    fprintf(f, "tuned before, but its row is damaged");
}

static char *read_explain(struct store *s, const struct identity *id) {
  struct cell ours[STORE_CELLS];
  struct nearest n = { .differs = 63 };
  char *key = NULL, *text = NULL;
  size_t size = 0;
  if (!s->db || !problem_cells(id, ours, &key))
    return NULL;
  // Cells are NUL-terminated wherever nothing was cut, and what is cut is only described.
  if (!find_nearest(s, id, ours, &n)) {
    text = sys_strdup("never tuned");
  } else {
    FILE *f = open_memstream(&text, &size);
    if (f) {
      describe_nearest(f, &n, id, ours);
      fclose(f);
    }
  }
  forget_texts(&n);
  free(key);
  return text;
}

// ---- the public calls ---------------------------------------------------------------

bool store_winner(struct store *s, const struct identity *id, struct summary *out,
                  char **why) {
  if (why)
    *why = NULL;
  int64_t problem = problem_id(id);
  if (!store_usable(s) || !problem) {
    if (why)
      *why = sys_strdup("no store");
    return false;
  }
  char *toolchain = NULL;
  if (store_find_summary(s, problem, out, &toolchain)) {
    bool same = !id->toolchain || strcmp(id->toolchain, toolchain) == 0;
    if (!same && why)
      *why = sys_printf("compiler %s → %s", toolchain, id->toolchain);
    free(toolchain);
    if (!same)
      store_summary_free(out);
    return same;
  }
  if (why)
    *why = read_explain(s, id);
  return false;
}

// Without a time a good variant is as good as unknown.
static enum knowledge read_judge(const struct record *r, enum status *status,
                                 struct estimate *e, struct features *features) {
  char self[128];
  *status = r->status;
  *e = (struct estimate){ 0 };
  if (r->status == STATUS_DROPPED)
    return KNOWN_NOTHING;
  if (r->status == STATUS_PENDING && store_owner_lives(r)) {
    store_owner(self, sizeof self);
    return strcmp(self, r->message) == 0 ? KNOWN_NOTHING : KNOWN_TAKEN;
  }
  *e = stats_of(r->samples, r->n_samples);
  if (e->n == 0 && r->status == STATUS_OK)
    return KNOWN_NOTHING;
  if (features)
    record_features(r, features);
  return KNOWN_RESULT;
}

enum knowledge store_look(struct store *s, const struct identity *id, uint64_t variant,
                          enum status *status, struct estimate *e,
                          struct features *features) {
  struct cell cells[STORE_CELLS];
  struct record r;
  int64_t problem = problem_id(id);
  enum knowledge known = KNOWN_NOTHING;
  if (!store_usable(s) || !problem)
    return KNOWN_NOTHING;
  sqlite3_stmt *q =
      store_select(s, &table_variant, "WHERE problem = ?1 AND variant = ?2");
  sqlite3_bind_int64(q, 1, problem);
  sqlite3_bind_int64(q, 2, (int64_t)variant);
  if (first_row(s, q, &table_variant, cells) && cells[0].i == problem &&
      record_of(cells, &r) && r.variant == variant)
    known = read_judge(&r, status, e, features);
  read_end(s, q);
  return known;
}

bool store_known(struct store *s, const struct identity *id, uint64_t variant,
                 enum status *status, struct estimate *e, struct features *features) {
  return store_look(s, id, variant, status, e, features) == KNOWN_RESULT;
}

// ---- what others write --------------------------------------------------------------

bool store_changed(struct store *s) {
  sqlite3_stmt *q = NULL;
  int version = s->version;
  if (!store_usable(s))
    return false;
  if (sqlite3_prepare_v2(s->db, "PRAGMA data_version", -1, &q, NULL) == SQLITE_OK &&
      store_step(q) == SQLITE_ROW)
    version = sqlite3_column_int(q, 0);
  sqlite3_finalize(q);
  bool changed = version != s->version;
  s->version = version;
  return changed;
}

void store_news(struct store *s, const struct identity *id, double *since,
                void (*see)(const struct record *r, void *data), void *data) {
  struct cell cells[STORE_CELLS];
  struct record r;
  int64_t problem = problem_id(id);
  double last = *since;
  if (!store_usable(s) || !problem)
    return;
  sqlite3_stmt *q =
      store_select(s, &table_variant, "WHERE problem = ?1 AND at >= ?2 LIMIT 5000");
  sqlite3_bind_int64(q, 1, problem);
  sqlite3_bind_double(q, 2, *since);
  while (first_row(s, q, &table_variant, cells)) {
    if (cells[0].i != problem || !record_of(cells, &r) || r.status == STATUS_PENDING)
      continue;
    last = cells[10].d > last ? cells[10].d : last;
    see(&r, data);
  }
  read_end(s, q);
  *since = last;
}
