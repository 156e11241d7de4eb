// SPDX-License-Identifier: Apache-2.0
// agreed.c: finds the winner that the tuned keys of a kernel agree on, for a key that was
// not tuned.
//
// Nothing is stored for it: the rule of model/agree.h is applied to the rows of the
// tunings. So it holds in each process, for as long as these rows do: for this text,
// machine, compiler, candidates and contract.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/agree.h"
#include "tables.h"

// Results of tunings here. In rows of a format before 4 the origin is 0.
#define TUNINGS                                                               \
  "WHERE origin <= 1 AND problem IN "                                         \
  "(SELECT id FROM problem WHERE kernel = ?1 AND unit = ?2) ORDER BY at DESC" \
  " LIMIT 512"

// Seconds for reading, for a call that must not wait, and for one that would be tuned.
static const double hurried = 0.005, patient = 1;
// Ratios of two medians that are no difference: within one phase of a tuning, and between
// its search and its final race, which another load of the machine may lie between.
static const double noise = 1.03, apart_noise = 1.15;

struct agreed_row {
  int64_t problem;
  uint64_t winner;
  bool unchecked; // ENDED_UNCHECKED
  bool slower;    // ENDED_SLOWER
  struct estimate original, best;
  uint64_t extent;
  long long key[MAX_KEYS];
};
struct agreed {
  struct store *store;
  const struct identity *id;
  const char *names; // the key's expressions
  bool compared;     // only winners whose outputs were compared count
  double until;
  bool cut; // the time did not permit to read all tuned keys
  unsigned n;
  struct agreed_row *rows;
};

// ---- the tuned keys -----------------------------------------------------------------

static bool agreed_is_ours(const struct agreed *a, const struct problem *p) {
  const struct identity *id = a->id;
  return p->unit == id->unit && p->threads == id->threads &&
      p->objective == id->objective && strcmp(p->kernel, id->kernel) == 0 &&
      strcmp(p->cpu, id->cpu) == 0 && strcmp(p->isa, id->isa) == 0 &&
      strcmp(p->key_names, a->names) == 0;
}

static bool agreed_holds(const struct agreed *a, const struct summary *m) {
  const struct identity *id = a->id;
  return m->origin == ORIGIN_HERE && m->ended != ENDED_LOST &&
      (!id->toolchain || strcmp(m->toolchain, id->toolchain) == 0) &&
      m->space == id->space && m->contract == id->contract &&
      (!a->compared || m->verified || !m->winner);
}

static void agreed_add(struct agreed *a, const struct summary *m) {
  struct problem p;
  void *block;
  struct agreed_row *r = &a->rows[a->n];
  if (store_find(a->store, &kind_problem, m->problem, &p, &block) &&
      agreed_is_ours(a, &p) && key_read(p.key, r->key, MAX_KEYS) == a->id->n_keys) {
    r->problem = m->problem;
    r->winner = m->winner;
    r->unchecked = m->ended == ENDED_UNCHECKED;
    r->slower = m->ended == ENDED_SLOWER;
    r->original = m->original;
    r->best = m->best;
    r->extent = m->extent;
    a->n++;
  }
  free(block);
}

// A single key whose outputs could not be compared says nothing of other keys.
static void agreed_drop_lone(struct agreed *a) {
  unsigned unchecked = 0, lone = 0;
  for (unsigned i = 0; i < a->n; i++)
    if (a->rows[i].unchecked) {
      unchecked++;
      lone = i;
    }
  if (unchecked == 1)
    a->rows[lone] = a->rows[--a->n];
}

// Reads the tuned keys, the latest first, as many as time permits.
static void agreed_read(struct agreed *a) {
  struct summary m;
  sqlite3_stmt *q = store_select(a->store, &kind_summary, TUNINGS);
  sqlite3_bind_text(q, 1, a->id->kernel, -1, SQLITE_STATIC);
  sqlite3_bind_int64(q, 2, (int64_t)a->id->unit);
  while (a->n < AGREE_MOST && (a->n == 0 || sys_now() < a->until) &&
         store_next(q, &kind_summary, &m) == SQLITE_ROW)
    if (agreed_holds(a, &m))
      agreed_add(a, &m);
  a->cut = sys_now() >= a->until;
  sqlite3_finalize(q);
  agreed_drop_lone(a);
}

// ---- how good the winner of one key is for another ----------------------------------

// Only a variant that ran, or that ended its process, says something of a key.
static enum opinion agreed_status(enum status status, unsigned samples) {
  switch (status) {
  case STATUS_OK:
    return samples > 0 ? OPINION_SAME : OPINION_NONE;
  case STATUS_WRONG:
  case STATUS_CRASH:
  case STATUS_TIMEOUT:
  case STATUS_EXIT:
    return OPINION_WORSE;
  default:
    return OPINION_NONE;
  }
}

// Reads what is known of VARIANT for the key of ROW. E: its time, where it ran.
static enum opinion agreed_look(const struct agreed *a, const struct agreed_row *row,
                                uint64_t variant, struct estimate *e) {
  struct record r;
  enum opinion opinion = OPINION_NONE;
  sqlite3_stmt *q =
      store_select(a->store, &kind_record, "WHERE problem = ?1 AND variant = ?2");
  sqlite3_bind_int64(q, 1, row->problem);
  sqlite3_bind_int64(q, 2, (int64_t)variant);
  *e = (struct estimate){ 0 };
  if (store_next(q, &kind_record, &r) == SQLITE_ROW && r.contract == a->id->contract) {
    *e = record_cost(&r);
    opinion = agreed_status(r.status, e->n);
  }
  sqlite3_finalize(q);
  return opinion;
}

// Times of the search are compared with times of the search, and times of the final race
// with times of the final race. The default's time is that of the final race: where it
// stayed, only a clear difference counts, and less than that is no opinion.
static enum opinion agreed_opinion(const void *data, unsigned row, unsigned winner) {
  const struct agreed *a = data;
  const struct agreed_row *r = &a->rows[row];
  struct estimate its = r->original, best = r->best, searched;
  if (a->rows[winner].winner) {
    enum opinion opinion = agreed_look(a, r, a->rows[winner].winner, &its);
    if (opinion != OPINION_SAME)
      return opinion;
    if (r->slower) // its times, of copies of the program, say nothing
      return OPINION_WORSE;
    if (r->winner && agreed_look(a, r, r->winner, &searched) == OPINION_SAME)
      best = searched;
    else if (!r->winner)
      best = r->original;
  }
  bool same = !stats_above(its, best) || its.median <= noise * best.median;
  bool phases = a->rows[winner].winner && !r->winner;
  return same                                             ? OPINION_SAME
      : phases && its.median <= apart_noise * best.median ? OPINION_NONE
                                                          : OPINION_WORSE;
}

unsigned store_count_keys(struct store *s, const struct identity *id) {
  sqlite3_stmt *q = NULL;
  const char *sql = "SELECT count(*) FROM problem WHERE kernel = ?1 AND unit = ?2";
  int n = 0;
  if (store_usable(s) && sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK) {
    sqlite3_bind_text(q, 1, id->kernel, -1, SQLITE_STATIC);
    sqlite3_bind_int64(q, 2, (int64_t)id->unit);
    if (store_step(q) == SQLITE_ROW)
      n = sqlite3_column_int(q, 0);
  }
  sqlite3_finalize(q);
  return n > 0 ? (unsigned)n : 0;
}

#define REVOKED                                                                    \
  "WHERE vals = ?1 AND revoked <> 0 AND problem IN (SELECT id FROM problem WHERE " \
  "kernel = ?2 AND unit = ?3)"

bool store_is_revoked(struct store *s, const struct identity *id, const char *values) {
  struct service v;
  bool revoked = false;
  sqlite3_stmt *q = store_usable(s) ? store_select(s, &kind_service, REVOKED) : NULL;
  sqlite3_bind_text(q, 1, values, -1, SQLITE_STATIC);
  sqlite3_bind_text(q, 2, id->kernel, -1, SQLITE_STATIC);
  sqlite3_bind_int64(q, 3, (int64_t)id->unit);
  while (!revoked && store_next(q, &kind_service, &v) == SQLITE_ROW)
    revoked = service_is_revoked(&v, id);
  sqlite3_finalize(q);
  return revoked;
}

// True if the winner M was revoked for a key of this kernel, or has failed
// for PROBLEM: then a comparison on one call's data is not enough.
static bool agreed_failed(const struct agreed *a, int64_t problem,
                          const struct summary *m) {
  const struct agreed_row own = { .problem = problem };
  struct estimate e;
  return m->winner &&
      (agreed_look(a, &own, m->winner, &e) == OPINION_WORSE ||
       store_is_revoked(a->store, a->id, m->values));
}

// ---- finding ------------------------------------------------------------------------

// Returns for how many keys the winner of row I was compared, of which some rows before
// it may be known. Sets *CUT if the time did not permit to count.
static unsigned agreed_checked(const struct agreed *a, const struct agree_row *rows,
                               unsigned i, bool *cut) {
  for (unsigned j = 0; j < i; j++)
    if (rows[j].winner == a->rows[i].winner)
      return rows[j].checked;
  bool counts = a->id->changing && !a->cut && sys_now() < a->until;
  *cut |= a->id->changing && !counts;
  return counts ? trust_count(a->store, a->id, a->rows[i].winner, NULL) : 0;
}

// Returns how many times as fast as the default the winners of the rows that agree were,
// at least.
static double agreed_gain(const struct agreed *a, const struct agreement *agreement) {
  double gain = INFINITY;
  for (unsigned i = 0; i < agreement->n; i++) {
    const struct agreed_row *r = &a->rows[agreement->rows[i]];
    gain = fmin(gain, r->best.median > 0 ? r->original.median / r->best.median : 0);
  }
  return isfinite(gain) ? gain : 0;
}

// Copies the tuning of ROW to OUT, as the winner of the keys that agree.
static bool agreed_take(const struct agreed *a, const struct agreed_row *row,
                        struct summary *out) {
  if (!store_find_summary(a->store, row->problem, out))
    return false;
  summary_agree(out);
  return true;
}

bool store_agreed(struct store *s, const struct identity *id, bool compared,
                  struct agreement *agreement, struct summary *out, char *why,
                  size_t size) {
  struct agree_row rows[AGREE_MOST];
  struct problem own;
  bool found = false, cut = false;
  if (!store_usable(s) || id->n_keys == 0 || id->n_keys > MAX_KEYS)
    return false;
  char *key = problem_of(id, &own);
  struct agreed a = { .store = s,
                      .id = id,
                      .names = own.key_names,
                      .compared = compared,
                      .until = sys_now() + (s->wait < STORE_WAIT ? hurried : patient),
                      .rows = key ? sys_malloc((AGREE_MOST + 1) * sizeof *a.rows)
                                  : NULL };
  if (a.rows)
    agreed_read(&a);
  for (unsigned i = 0; i < a.n; i++)
    rows[i] = (struct agree_row){ a.rows[i].key, a.rows[i].winner,
                                  agreed_checked(&a, rows, i, &cut), a.rows[i].extent };
  if (agree_find(id->key, id->n_keys, id->extent, rows, a.n, id->changing, agreed_opinion,
                 &a, agreement)) {
    const struct agreed_row *row = &a.rows[agreement->row];
    bool trusted = rows[agreement->row].checked > 0;
    agreement->checked = trusted ? trust_count(s, id, row->winner, agreement) : 0;
    agreement->cut = cut;
    agreement->gain = agreed_gain(&a, agreement);
    found = agreed_take(&a, row, out);
    if (found && agreed_failed(&a, own.id, out)) {
      store_summary_free(out);
      found = false;
    }
    agree_say(rows, agreement, id->n_keys, id->key_names, why, size);
  }
  free(a.rows);
  free(key);
  return found;
}
