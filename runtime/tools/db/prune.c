// SPDX-License-Identifier: Apache-2.0
// prune.c: `autotune db prune`: deletes damaged rows, rows of problems that are gone,
// objects that no row names, broken databases that were set aside, and temporary files
// of killed processes. Young temporary files stay, since a process may be writing them.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "db.h"
#include "keep/store/store.h"

enum { YOUNG = 3600 /* seconds */ };

struct pruned {
  unsigned rows, objects, files;
};

// ---- rows ---------------------------------------------------------------------------

// The primary keys of damaged rows.
struct key_list {
  sqlite3_value **values;
  unsigned n;
};

static void prune_add_key(struct key_list *l, sqlite3_stmt *q, unsigned n_keys) {
  sqlite3_value **more = sys_realloc(l->values, (l->n + n_keys) * sizeof *more);
  if (!more)
    return;
  l->values = more;
  for (unsigned i = 0; i < n_keys; i++)
    more[l->n++] = sqlite3_value_dup(sqlite3_column_value(q, (int)i));
}

static bool is_good(const struct kind *k, sqlite3_stmt *q) {
  struct cell cells[STORE_CELLS];
  union row row;
  return row_read(q, k, cells) && row_take(k, cells, &row);
}

static int find_damaged(struct store *s, const struct kind *k, struct key_list *l) {
  sqlite3_stmt *q = store_select(s, k, "");
  int rc = q ? SQLITE_ROW : SQLITE_ERROR;
  while (q && (rc = store_step(q)) == SQLITE_ROW)
    if (!is_good(k, q))
      prune_add_key(l, q, k->n_keys);
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int delete_damaged(struct store *s, const struct kind *k, unsigned *rows) {
  struct key_list l = { 0 };
  sqlite3_stmt *q = NULL;
  char *sql = k->n_keys == 1
      ? sys_printf("DELETE FROM %s WHERE %s IS ?1", k->name, k->facts[0].column)
      : sys_printf("DELETE FROM %s WHERE %s IS ?1 AND %s IS ?2", k->name,
                   k->facts[0].column, k->facts[1].column);
  int rc = find_damaged(s, k, &l);
  if (rc == SQLITE_OK)
    rc = sql ? sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) : SQLITE_NOMEM;
  for (unsigned i = 0; rc == SQLITE_OK && i < l.n; i += k->n_keys) {
    for (unsigned n = 0; n < k->n_keys; n++)
      sqlite3_bind_value(q, (int)n + 1, l.values[i + n]);
    rc = store_step(q) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
    *rows += (unsigned)sqlite3_changes(s->db);
    sqlite3_reset(q);
  }
  sqlite3_finalize(q);
  for (unsigned i = 0; i < l.n; i++)
    sqlite3_value_free(l.values[i]);
  free(l.values);
  free(sql);
  return rc;
}

static int delete_where(struct store *s, const char *sql, double before, unsigned *rows) {
  sqlite3_stmt *q = NULL;
  int rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
  if (rc == SQLITE_OK) {
    sqlite3_bind_double(q, 1, before);
    rc = store_step(q);
    *rows += (unsigned)sqlite3_changes(s->db);
  }
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

// Deletes problems whose newest row is not younger than BEFORE, then all rows without a
// problem.
static int delete_useless(struct store *s, double before, unsigned *rows) {
  static const char *const statements[] = {
    "DELETE FROM problem WHERE max("
    " coalesce((SELECT max(at) FROM variant WHERE problem = problem.id), 0),"
    " coalesce((SELECT max(at) FROM winner WHERE problem = problem.id), 0),"
    " coalesce((SELECT max(at) FROM asked WHERE problem = problem.id), 0)) <= ?1",
    "DELETE FROM variant WHERE problem NOT IN (SELECT id FROM problem)",
    "DELETE FROM winner WHERE problem NOT IN (SELECT id FROM problem)",
    "DELETE FROM asked WHERE problem NOT IN (SELECT id FROM problem)",
    "DELETE FROM course WHERE problem NOT IN (SELECT id FROM problem)",
    "DELETE FROM service WHERE problem NOT IN (SELECT id FROM problem)",
  };
  int rc = SQLITE_OK;
  for (size_t i = 0; i < sizeof statements / sizeof *statements && rc == SQLITE_OK; i++)
    rc = delete_where(s, statements[i], before, rows);
  return rc;
}

// Deletes the problems that are stale; the rows of these follow.
static int delete_stale(struct store *s, const struct listing *l, unsigned *rows) {
  sqlite3_stmt *q = NULL;
  int rc = sqlite3_prepare_v2(s->db, "DELETE FROM problem WHERE id = ?1", -1, &q, NULL);
  for (unsigned i = 0; rc == SQLITE_OK && i < l->n; i++) {
    if (l->items[i].stale == STALE_NOT)
      continue;
    sqlite3_bind_int64(q, 1, l->items[i].problem.id);
    rc = store_step(q) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
    *rows += (unsigned)sqlite3_changes(s->db);
    sqlite3_reset(q);
  }
  sqlite3_finalize(q);
  return rc;
}

static int prune_rows(struct store *s, const struct db_options *o, unsigned *rows) {
  double before = o->older_than > 0 ? (double)time(NULL) - o->older_than : 0;
  struct listing l = { 0 };
  if (o->stale && store_list(s, NULL, &l) != 0)
    l.n = l.n_stale = 0; // it is damaged; the next time
  store_allow(s, 5);     // the user asked for it
  int rc = store_run(s->db, "PRAGMA synchronous=FULL; BEGIN IMMEDIATE");
  bool begun = rc == SQLITE_OK;
  for (int i = 0; i < KINDS && rc == SQLITE_OK; i++)
    rc = delete_damaged(s, kinds[i], rows);
  if (rc == SQLITE_OK)
    rc = delete_stale(s, &l, rows);
  if (rc == SQLITE_OK)
    rc = delete_useless(s, before, rows);
  store_list_free(&l);
  if (!begun)
    return rc;
  rc = store_end(s, rc);
  if (rc == SQLITE_OK && *rows)
    store_run(s->db, "VACUUM"); // fails if another process reads; the next prune does it
  return rc;
}

// ---- files --------------------------------------------------------------------------

static bool is_young(const char *path) {
  struct stat st;
  return lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
      time(NULL) - st.st_mtime < YOUNG;
}

static bool remove_file(const char *folder, const char *name, bool young_too) {
  char *path = sys_printf("%s/%s", folder, name);
  bool gone = path && (young_too || !is_young(path)) && unlink(path) == 0;
  free(path);
  return gone;
}

static bool is_named(const struct listing *l, uint64_t hash) {
  for (unsigned i = 0; i < l->n; i++)
    if ((l->items[i].finished || l->items[i].provisional) &&
        l->items[i].summary.object == hash)
      return true;
  return false;
}

static void prune_objects(const char *folder, const struct listing *l, bool all,
                          struct pruned *p) {
  char *path = sys_printf("%s/objects", folder);
  DIR *d = path ? opendir(path) : NULL;
  for (struct dirent *e; d && (e = readdir(d));) {
    uint64_t hash;
    if (object_of_name(e->d_name, &hash))
      p->objects += (all || !is_named(l, hash)) && remove_file(path, e->d_name, all);
    else if (strncmp(e->d_name, "tmp-", 4) == 0)
      p->files += remove_file(path, e->d_name, false);
  }
  if (d)
    closedir(d);
  free(path);
}

// Deletes databases that were set aside, with their journals, and unfinished ones.
static void prune_leftovers(const char *folder, struct pruned *p) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));)
    if (strncmp(e->d_name, "results.db.bad-", 15) == 0)
      p->files += remove_file(folder, e->d_name, true);
    else if (strncmp(e->d_name, "results.db.new-", 15) == 0)
      p->files += remove_file(folder, e->d_name, false);
  if (d)
    closedir(d);
}

int db_prune(const struct arguments *a) {
  const struct db_options *o = a->options;
  struct store *s = results_open(o->folder, false);
  struct pruned p = { 0 };
  struct listing l = { 0 };
  if (!s)
    return 2;
  int rc = prune_rows(s, o, &p.rows);
  if (rc != SQLITE_OK)
    fprintf(stderr, "%s: error: %s\n", s->path, sqlite3_errstr(rc));
  if (rc == SQLITE_OK && store_list(s, NULL, &l) == 0)
    prune_objects(s->folder, &l, o->objects, &p);
  if (rc == SQLITE_OK) {
    prune_leftovers(s->folder, &p);
    printf("%u row%s, %u object%s and %u other file%s taken out\n", p.rows,
           p.rows == 1 ? "" : "s", p.objects, p.objects == 1 ? "" : "s", p.files,
           p.files == 1 ? "" : "s");
  }
  store_list_free(&l);
  store_close(s);
  return rc == SQLITE_OK ? 0 : 2;
}
