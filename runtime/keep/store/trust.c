// SPDX-License-Identifier: Apache-2.0
// trust.c: for how many keys a winner that keys agree on was compared with the default,
// and whether anything is known that speaks against it.
#include <stdlib.h>

#include "model/agree.h"
#include "tables.h"

enum { MOST_COUNTED = 16 }; // keys

#define OF_KERNEL "problem IN (SELECT id FROM problem WHERE kernel = ?1 AND unit = ?2"
// Keys of this machine that took the winner over, and compared it.
#define COMPARED                                                                      \
  "WHERE variant = ?3 AND contract = ?4 AND space = ?5 AND origin = ?6 "              \
  "AND " OF_KERNEL " AND cpu = ?7 AND isa = ?8 AND threads = ?9 AND objective = ?10 " \
  "AND key_names = ?11)"
#define FAILED \
  "WHERE variant = ?3 AND contract = ?4 AND fate IN (?5, ?6, ?7) AND " OF_KERNEL ")"
#define ENDED "WHERE variant = ?3 AND (ended > 0 OR revoked <> 0) AND " OF_KERNEL ")"

static sqlite3_stmt *trust_select(struct store *s, const struct kind *k,
                                  const char *where, const struct identity *id,
                                  uint64_t variant) {
  sqlite3_stmt *q = store_select(s, k, where);
  sqlite3_bind_text(q, 1, id->kernel, -1, SQLITE_STATIC);
  sqlite3_bind_int64(q, 2, (int64_t)id->unit);
  sqlite3_bind_int64(q, 3, (int64_t)variant);
  return q;
}

// True if VARIANT was wrong, or ended a process, for any key; or if that cannot be read.
static bool trust_is_lost(struct store *s, const struct identity *id, uint64_t variant) {
  struct record r;
  struct service v;
  sqlite3_stmt *q = trust_select(s, &kind_record, FAILED, id, variant);
  sqlite3_bind_int64(q, 4, (int64_t)id->contract);
  sqlite3_bind_int(q, 5, STATUS_WRONG);
  sqlite3_bind_int(q, 6, STATUS_CRASH);
  sqlite3_bind_int(q, 7, STATUS_EXIT);
  bool lost = store_next(q, &kind_record, &r) != SQLITE_DONE;
  sqlite3_finalize(q);
  int rc = SQLITE_ROW;
  q = trust_select(s, &kind_service, ENDED, id, variant);
  while (!lost && (rc = store_next(q, &kind_service, &v)) == SQLITE_ROW)
    lost = v.ended > 0 || service_is_revoked(&v, id);
  sqlite3_finalize(q);
  return lost || rc != SQLITE_DONE || entered_doubts(variant);
}

// True if WITHIN holds for the key of PROBLEM. NULL: it is not looked at.
static bool trust_covers(struct store *s, const struct identity *id, int64_t problem,
                         const struct agreement *within) {
  long long key[MAX_KEYS];
  struct problem p;
  void *block = NULL;
  bool covered = !within ||
      (store_find(s, &kind_problem, problem, &p, &block) &&
       key_read(p.key, key, MAX_KEYS) == id->n_keys &&
       agree_spans(within, id->key, key, id->n_keys));
  free(block);
  return covered;
}

unsigned trust_count(struct store *s, const struct identity *id, uint64_t variant,
                     const struct agreement *within) {
  struct summary m;
  struct problem own;
  unsigned n = 0;
  char *key = variant ? problem_of(id, &own) : NULL;
  if (!key || trust_is_lost(s, id, variant)) {
    free(key);
    return 0;
  }
  sqlite3_stmt *q = trust_select(s, &kind_summary, COMPARED, id, variant);
  sqlite3_bind_int64(q, 4, (int64_t)id->contract);
  sqlite3_bind_int64(q, 5, (int64_t)id->space);
  sqlite3_bind_int(q, 6, ORIGIN_AGREED);
  sqlite3_bind_text(q, 7, id->cpu, -1, SQLITE_STATIC);
  sqlite3_bind_text(q, 8, id->isa, -1, SQLITE_STATIC);
  sqlite3_bind_int64(q, 9, id->threads);
  sqlite3_bind_int64(q, 10, id->objective);
  sqlite3_bind_text(q, 11, own.key_names, -1, SQLITE_STATIC);
  while (n < MOST_COUNTED && store_next(q, &kind_summary, &m) == SQLITE_ROW)
    n += m.verified && trust_covers(s, id, m.problem, within);
  sqlite3_finalize(q);
  free(key);
  return n;
}
