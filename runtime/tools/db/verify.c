// SPDX-License-Identifier: Apache-2.0
// verify.c: `autotune db verify`: checks all that is kept, and changes nothing.
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "keep/store/store.h"

// Prints the errors that SQLite finds in the file, at most 20. Returns their number.
static unsigned check_pages(struct store *s) {
  sqlite3_stmt *q = NULL;
  unsigned bad = 0;
  store_allow(s, 5);
  int rc = sqlite3_prepare_v2(s->db, "PRAGMA integrity_check(20)", -1, &q, NULL);
  while (rc == SQLITE_OK && (rc = store_step(q)) == SQLITE_ROW) {
    const char *answer = (const char *)sqlite3_column_text(q, 0);
    rc = SQLITE_OK;
    if (answer && strcmp(answer, "ok") == 0)
      continue;
    bad++;
    fprintf(stderr, "%s: error: %s\n", s->path, answer ? answer : "no answer");
  }
  sqlite3_finalize(q);
  if (rc != SQLITE_DONE) {
    bad++;
    fprintf(stderr, "%s: error: %s\n", s->path, sqlite3_errstr(rc));
  }
  return bad;
}

static unsigned check_rows(struct store *s, struct listing *l) {
  if (store_list(s, NULL, l) != 0) {
    fprintf(stderr, "%s: error: it could not be read to its end\n", s->path);
    return 1;
  }
  if (l->damaged)
    fprintf(stderr, "%s: error: %u row%s with a wrong checksum\n", s->path, l->damaged,
            l->damaged == 1 ? "" : "s");
  return l->damaged;
}

// Checks the objects that rows name, and counts them in *N. Returns how many are missing
// or damaged. These are reported on standard output only, since they are made again when
// needed.
static unsigned check_objects(const struct store *s, const struct listing *l,
                              unsigned *n) {
  unsigned missing = 0;
  for (unsigned i = 0; i < l->n; i++) {
    uint64_t hash =
        l->items[i].finished || l->items[i].provisional ? l->items[i].summary.object : 0;
    char *path = hash ? objects_find_in(s->folder, hash) : NULL;
    *n += hash != 0;
    if (hash && !path) {
      missing++;
      printf("%s/objects/%016llx.so: it is missing or not what its name says; it is made "
             "again when it is needed\n",
             s->folder, (unsigned long long)hash);
    }
    free(path);
  }
  return missing;
}

static int verify_store(const char *folder) {
  struct store *s = results_open(folder, false);
  struct listing l = { 0 };
  unsigned objects = 0;
  if (!s)
    return 1;
  unsigned bad = check_pages(s);
  bad += check_rows(s, &l);
  unsigned missing = check_objects(s, &l, &objects);
  unsigned winners = 0, records = 0;
  for (unsigned i = 0; i < l.n; i++) {
    winners += l.items[i].finished;
    records += l.items[i].n_records;
  }
  const char *state = bad ? "damaged"
      : missing           ? "whole, but compiled variants are missing"
                          : "whole";
  printf("%s: %s: %u key%s, %u with a result, %u variant%s tried, %u of %u compiled "
         "winners\n",
         s->path, state, l.n, l.n == 1 ? "" : "s", winners, records,
         records == 1 ? "" : "s", objects - missing, objects);
  store_list_free(&l);
  store_close(s);
  return bad || missing;
}

static int verify_file(const char *path) {
  struct wisdom w = { 0 };
  int status = wisdom_read(&w, path, results_complain, NULL);
  unsigned all = w.n, bad = w.bad;
  wisdom_sort(&w);
  if (status == 0)
    printf("%s: %u line%s, %u bad, %u of the same as a better one\n", path, all + bad,
           all + bad == 1 ? "" : "s", bad, all - w.n);
  wisdom_free(&w);
  return status != 0 || bad;
}

int db_verify(const struct arguments *a) {
  const struct db_options *o = a->options;
  int status = 0;
  for (unsigned i = 0; i < a->n; i++)
    status |= verify_file(a->words[i]);
  if (a->n == 0 || o->folder)
    status |= verify_store(o->folder);
  return status;
}
