// SPDX-License-Identifier: Apache-2.0
// share.c: processes that tune the same problem at the same time do it together, by way
// of the store.
//
// Each process looks there before it compiles and before it runs a variant. It leaves
// to the others the variants that they are trying, and learns their results between
// trials. Their times may be worse than they would be alone; the final race finds that
// out, in which the winner that is stored by then must be beaten.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tune.h"

enum { MOST_PEERS = 64 };
static const double often = 0.1;  // seconds between two looks
static const double overlap = 2;  // seconds a row may be late, by a lock
static const double patience = 2; // seconds to wait for others at the end

// ---- the other processes ------------------------------------------------------------

// Each process locks one byte of a file for as long as it lives, so that a killed process
// leaves nothing there. The first process searches in the order of its seed, every other
// one in another order.
unsigned share_join(const struct identity *id) {
  const char *cache = options_get()->cache;
  char *message = NULL;
  const char *folder = cache && !*cache ? NULL : folder_open(&message);
  char *path = folder ? sys_printf("%s/peers", folder) : NULL;
  int fd = path ? sys_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600) : -1;
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
  unsigned rank = 0;
  uint64_t base = id->unit * 31 + id->threads;
  for (unsigned i = 0; i < id->n_keys; i++)
    base = base * 31 + (uint64_t)id->key[i];
  base &= 0xffffffff;
  free(message);
  free(path);
  if (fd < 0)
    return 0;
  for (; rank < MOST_PEERS; rank++) {
    lock.l_start = (off_t)(base * MOST_PEERS + rank);
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES))
      break;
  }
  return rank; // the descriptor stays open
}

// ---- one variant --------------------------------------------------------------------

enum knowledge share_look(struct tuning *t, struct candidate *c) {
  struct looked r = { .status = STATUS_PENDING };
  enum knowledge known = KNOWN_NOTHING;
  if (t->store)
    known = store_look(t->store, t->id, c->variant, &r, &c->features);
  if (known == KNOWN_RESULT) {
    c->status = r.status;
    c->e = r.cost;
    c->slowdown = r.slowdown;
    c->part = r.part;
    c->compile_seconds = r.compile_seconds;
    c->verify_seconds = r.verify_seconds;
    c->time_seconds = r.time_seconds;
    t->recalled++;
    candidate_note(t, c, NULL);
  } else if (known == KNOWN_TAKEN) {
    object_free(&c->object); // most likely it need not run here
    c->code = 0;
    c->taken = true;
    t->sharing.taken++;
  }
  return known;
}

// ---- news ---------------------------------------------------------------------------

static struct candidate *share_find(const struct tuning *t, uint64_t variant) {
  for (unsigned i = 0; i < t->n; i++)
    if (t->candidates[i].variant == variant)
      return &t->candidates[i];
  return NULL;
}

// Returns the candidate that R records, and adds it if it is not there; NULL: it does
// not exist here.
static struct candidate *share_candidate_of(struct tuning *t, const struct record *r) {
  choice point[MAX_PARAMS];
  struct candidate *c = share_find(t, r->variant);
  if (c || tune_asked(t) >= t->max_variants ||
      !identity_point(t->kernel, r->values, point) || !space_allows(&t->space, point))
    return c;
  c = candidate_give(
      t, point, t->summary.tried == t->recalled ? "an earlier run" : "another process");
  if (!c || !candidate_identify(t, c))
    return NULL;
  return c->variant == r->variant ? c : NULL; // by another compiler: try it here
}

static void share_learn(const struct record *r, void *data) {
  struct tuning *t = data;
  bool nothing = r->status == STATUS_DROPPED ||
      (r->status == STATUS_OK && r->n_samples == 0);
  struct candidate *c = nothing ? NULL : share_candidate_of(t, r);
  if (!c || c->done)
    return;
  struct estimate e = record_cost(r);
  if (r->n_samples && e.n == 0)
    return; // no memory
  record_features(r, &c->features);
  c->status = r->status;
  c->e = e;
  c->slowdown = r->slowdown;
  c->part = r->part;
  c->compile_seconds = r->compile_seconds;
  c->verify_seconds = r->verify_seconds;
  c->time_seconds = r->time_seconds;
  candidate_keep_refusal(t, r->status, r->message);
  t->recalled++;
  candidate_note(t, c, r->message);
}

// Retries candidates claimed by a process that died.
static void take_up(struct tuning *t) {
  for (unsigned i = 0; i < t->n && t->sharing.taken > 0; i++) {
    struct candidate *c = &t->candidates[i];
    if (!c->taken || (!c->done && t->in_flight >= t->ahead))
      continue;
    c->taken = false;
    t->sharing.taken--;
    if (!c->done && share_look(t, c) == KNOWN_NOTHING)
      explore_submit(t, c);
  }
}

void share_news(struct tuning *t) {
  struct sharing *s = &t->sharing;
  double now = sys_now();
  if (!t->store || t->plan->kind == PLAN_RACE ||
      (s->looked > 0 && now - s->looked < often))
    return;
  bool first = s->looked == 0;
  s->looked = now;
  if (store_changed(t->store) || first) {
    store_news(t->store, t->id, &s->since, share_learn, t);
    s->since -= overlap;
  }
  take_up(t);
}

bool share_waits(struct tuning *t) {
  struct sharing *s = &t->sharing;
  if (s->taken == 0)
    return false;
  if (s->waits == 0)
    s->waits = sys_now() + patience;
  nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000 * 1000 }, NULL);
  return sys_now() < s->waits;
}

// ---- the end ------------------------------------------------------------------------

struct candidate *share_rival(struct tuning *t) {
  struct summary m;
  struct candidate *c = NULL;
  if (!t->store || t->plan->kind == PLAN_RACE || !store_winner(t->store, t->id, &m, NULL))
    return NULL;
  struct record r = { .variant = m.winner, .values = m.values };
  if (m.winner && (c = share_candidate_of(t, &r)) && !c->done)
    share_look(t, c); // a candidate that came from elsewhere has no time of its own
  store_summary_free(&m);
  return c && c->status == STATUS_OK && c->e.n > 0 ? c : NULL;
}

// ---- progress for others to see -----------------------------------------------------

void share_phase(const struct tuning *t, enum phase phase, const char *why) {
  double now = sys_now(), unix_now = sys_unix();
  struct progress c = { .phase = phase,
                        .began = unix_now - (now - t->began),
                        .until = unix_now + (t->deadline - now),
                        .expected = t->expected,
                        .original = t->original.median,
                        .why = why };
  // After a stop request do not take the store's lock: the next process may be waiting
  // for it.
  if (t->store && t->plan->kind != PLAN_CHECK && !role_stopping())
    store_progress(t->store, t->id, &c);
}

void share_waiting(struct tuning *t) {
  char *message = NULL;
  t->store = store_open(&message);
  free(message); // setup_store says it
  share_phase(t, PHASE_SEARCH, "");
  if (t->store)
    store_close(t->store);
  t->store = NULL;
}
