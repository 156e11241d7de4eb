// SPDX-License-Identifier: Apache-2.0
// given_up.c: keys with a new value in nearly every call, such as a position or a
// counter.
//
// Where the tuned keys agree on a winner, the part in which they differ is given up
// (model/agree.h): a new value takes that winner after a comparison with the default on
// its first call's data, and is not tuned. Where the comparison fails, the value is tuned
// as always, and its result takes part in the next decision. Where the keys do not agree,
// tunings are limited to a fraction of the time. Kernels that are tuned when hot have
// keys that nobody chose: where a part changes from call to call, two tunings that agree
// are enough. lead.c says when their new values need no comparison. The number of keys
// that a process remembers is limited, too; calls with further keys run the default.
#include <stdlib.h>
#include <string.h>

#include "keep/wisdom/wisdom.h"
#include "model/agree.h"
#include "lead.h"

enum {
  MOST_KEYS = 4096,  // of one kernel in one process
  FREE_TUNINGS = 16, // of one kernel in one process; more of them are limited
  MANY_VALUES = 8,   // of one part, if tunings are to be limited
  MOST_CACHED = 64,  // agreements of one kernel that a process keeps
};
static const double tuning_fraction = 0.1; // of the time since the first tuning

// An agreement. Never changed once it is published, and freed with its site.
struct given_up {
  struct given_up *next;
  struct agreement agreement;
  struct summary winner; // its `winner` is 0: the default
  char why[192];
  uint64_t extent;  // of the call that it was found for
  long long like[]; // the key that it was found for
};

// ---- agreements ---------------------------------------------------------------------

static void given_up_drop(struct given_up *g) {
  if (g)
    store_summary_free(&g->winner);
  free(g);
}

void given_up_free(struct site *s) {
  for (struct given_up *g = s->agreements, *next; g; g = next) {
    next = g->next;
    given_up_drop(g);
  }
}

void given_up_forget(struct site *s) {
  atomic_store(&s->given_up, NULL);
  atomic_store(&s->lead, NULL);
}

// True if G holds for KEY, as far as the key tells. The parts that are not stored say
// which device it is.
static bool given_up_spans(const struct site *s, const struct given_up *g,
                           const long long *key) {
  unsigned stored = target_stored_keys(s->kernel);
  size_t rest = (s->kernel->n_keys - stored) * sizeof *key;
  return g && memcmp(g->like + stored, key + stored, rest) == 0 &&
      agree_covers(&g->agreement, g->like, key, stored);
}

// True if G holds for CALL. Counters are such only where calls touch the same memory.
static bool given_up_covers(const struct site *s, const struct given_up *g,
                            const struct call *call) {
  return given_up_spans(s, g, call->key) &&
      (!g->agreement.counters || target_extent(s->kernel, call) == g->extent);
}

uint64_t given_up_changing(const struct site *s) {
  struct agree_row rows[AGREE_MOST];
  unsigned n = 0;
  if (!kernel_when_hot(s->kernel))
    return 0;
  for (struct node *i = atomic_load(&s->all); i && n < AGREE_MOST; i = i->all)
    rows[n++] = (struct agree_row){ .key = i->entry.key };
  return s->heat.earlier.changing |
      agree_parts(rows, n, target_stored_keys(s->kernel), AGREE_CHANGES);
}

// Says once a kernel and process that a part is given up; quietly, if an earlier process
// has tuned its values.
static void given_up_say(const struct site *s, const struct given_up *g) {
  char topic[32];
  bool trusts = lead_trusts(s, &g->agreement, &g->winner);
  const char *then = trusts ? "neither tuned nor compared with the default"
      : g->winner.winner    ? "compared with the default, not tuned"
                            : "not tuned";
  snprintf(topic, sizeof topic, "given-up %llx %d",
           (unsigned long long)g->agreement.parts, trusts);
  if (kernel_when_hot(s->kernel)) {
    log_once_of(AUTOTUNE_INFO, s->kernel->name, topic, "%s: %s; a new value is %s",
                s->kernel->name, g->why, then);
    return;
  }
  log_once_of(s->tunings > 0 ? AUTOTUNE_WARN : AUTOTUNE_INFO, s->kernel->name, topic,
              "%s: %s; a new value is %s; write key(…) without it to save this",
              s->kernel->name, g->why, then);
}

// True if the agreed winner of G exists and has the text that was tuned.
static bool given_up_is_current(const struct autotune_kernel *k,
                                const struct given_up *g) {
  choice point[MAX_PARAMS];
  return !g->winner.winner ||
      (identity_point(k, g->winner.values, point) &&
       (!g->winner.text || identity_text(k, point) == g->winner.text));
}

static enum opinion given_up_never(const void *data, unsigned row, unsigned winner) {
  (void)data, (void)row, (void)winner;
  return OPINION_WORSE;
}

// Without a store: finds an agreement among the keys that this process has tuned, of
// which only the winners are known.
static bool given_up_here(const struct site *s, const struct identity *id,
                          struct given_up *g) {
  struct agree_row rows[AGREE_MOST];
  const char *values[AGREE_MOST];
  unsigned n = 0;
  for (struct node *i = atomic_load(&s->all); i && n < AGREE_MOST; i = i->all) {
    const struct note *note = atomic_load(&i->values);
    if (!i->tuned || atomic_load(&i->retired) || atomic_load(&i->team))
      continue;
    values[n] = node_is_default(i) || !note ? "" : note->text;
    uint64_t winner = *values[n] ? identity_values(values[n]) : 0;
    rows[n++] =
        (struct agree_row){ .key = i->entry.key, .winner = winner, .extent = i->extent };
  }
  if (!agree_find(id->key, id->n_keys, id->extent, rows, n, id->changing, given_up_never,
                  NULL, &g->agreement))
    return false;
  agree_say(rows, &g->agreement, id->n_keys, id->key_names, g->why, sizeof g->why);
  g->winner = (struct summary){ .winner = rows[g->agreement.row].winner,
                                .values = values[g->agreement.row],
                                .verified = s->kernel->n_sections > 0,
                                .contract = id->contract,
                                .space = id->space };
  summary_agree(&g->winner);
  g->winner.block = record_own(&kind_summary, &g->winner);
  return g->winner.block != NULL;
}

// Finds an agreement for ID in the store, or in wisdom. Where nothing may depend on this
// machine's store, only wisdom counts.
static bool given_up_find(const struct site *s, const struct identity *id, bool locked,
                          struct given_up *g) {
  const struct autotune_kernel *k = s->kernel;
  enum tuning_mode mode = decide_mode(k);
  bool hurries = mode == MODE_BACKGROUND || mode == MODE_ONLINE;
  bool compared = (locked && k->verify != AUTOTUNE_VERIFY_OFF) ||
      kernel_refuses_unchecked(k);
  char *message = NULL;
  struct store *store = store_open_within(hurries ? 0.001 : STORE_WAIT, &message);
  bool found = store && !(locked && wisdom_given()) &&
      store_agreed(store, id, compared, &g->agreement, &g->winner, g->why, sizeof g->why);
  if (!found && !store && !locked)
    found = given_up_here(s, id, g);
  if (!found && wisdom_agreed(id, &g->agreement, &g->winner, g->why, sizeof g->why))
    found = !store || !store_is_revoked(store, id, g->winner.values);
  if (store)
    store_close(store);
  free(message);
  return found;
}

// Looks for an agreement that holds for N's key. NULL: there is none.
static struct given_up *given_up_look(struct site *s, const struct node *n,
                                      const struct call *call, bool locked) {
  struct identity id = node_identity(n);
  id.extent = kernel_when_hot(s->kernel) ? 0 : target_extent(s->kernel, call);
  id.changing = given_up_changing(s);
  size_t size = s->kernel->n_keys * sizeof *n->entry.key;
  struct given_up *g = sys_calloc(1, sizeof *g + size);
  if (!g || !given_up_find(s, &id, locked, g) || !given_up_is_current(s->kernel, g)) {
    given_up_drop(g);
    return NULL;
  }
  memcpy(g->like, n->entry.key, size);
  g->extent = id.extent;
  given_up_say(s, g);
  return g;
}

// Keeps G, if it holds for a range of keys, so that these need not be looked up. False:
// the caller has to free G.
static bool given_up_keep(struct site *s, struct given_up *g) {
  if (!g->agreement.clean || g->agreement.cut || s->n_agreements >= MOST_CACHED)
    return false;
  s->n_agreements++;
  g->next = s->agreements;
  s->agreements = g;
  atomic_store(&s->given_up, g);
  return true;
}

// ---- one key ------------------------------------------------------------------------

static void given_up_wait(struct node *n, double until, const char *why) {
  refuse(n, REFUSED_KEYS, why);
  atomic_store(&n->not_before, until);
}

bool given_up_waits(const struct node *n) {
  double until = atomic_load_explicit(&n->not_before, memory_order_relaxed);
  return until > 0 && sys_now() < until;
}

// Makes G's winner a stored result that must be checked. False: no memory.
static bool given_up_recall(struct node *n, const struct given_up *g) {
  struct recall *known = sys_calloc(1, sizeof *known);
  if (!known)
    return false;
  known->kind = RECALL_POINT;
  known->stored = g->winner;
  known->stored.block = record_own(&kind_summary, &known->stored);
  known->summary = known->stored;
  snprintf(known->source, sizeof known->source, "%s", g->why);
  n->known = known;
  if (known->stored.block &&
      identity_point(n->site->kernel, known->summary.values, known->point))
    return true;
  if (!known->stored.block)
    known->stored = (struct summary){ .block = NULL };
  stored_free(n);
  return false;
}

// Lets N take G's winner as it is. False: it has to be compared.
static bool given_up_trusts(struct node *n, const struct call *call,
                            const struct given_up *g) {
  if (!lead_trusts(n->site, &g->agreement, &g->winner) || !given_up_recall(n, g))
    return false;
  snprintf(n->known->source, sizeof n->known->source,
           "%.130s; compared with the default for %u others", g->why,
           g->agreement.checked);
  bool taken = lead_take(n, call, &g->agreement, g->like, n->known);
  stored_free(n);
  return taken;
}

// Lets N take G's winner. True: N is decided, or has to wait; false: N->known is to be
// checked, or it cannot be had.
static bool given_up_take(struct node *n, const struct call *call,
                          const struct given_up *g) {
  char why[320];
  if (given_up_trusts(n, call, g))
    return true;
  if (!g->winner.winner) {
    snprintf(why, sizeof why, "default: %s", g->why);
    decide_default(n, why);
    return true;
  }
  if (checks_next() > sys_now()) {
    snprintf(why, sizeof why,
             "default for now: %s; comparisons with the default have had their share of "
             "the time",
             g->why);
    log_once_of(
        AUTOTUNE_WARN, n->site->kernel->name, g->why,
        "%s: comparing each new value of its key with the default takes too long: "
        "most calls with a new value run the default; write key(…) with the values "
        "that matter",
        n->site->kernel->name);
    given_up_wait(n, checks_next(), why);
    return true;
  }
  given_up_recall(n, g);
  return false;
}

// ---- tunings without end ------------------------------------------------------------

// Returns the part of the key with the most values among the keys of this process, and
// how many it had.
static unsigned given_up_busiest(const struct site *s, unsigned *values) {
  struct agree_row rows[AGREE_MOST];
  unsigned n = 0, busiest = 0;
  for (struct node *i = atomic_load(&s->all); i && n < AGREE_MOST; i = i->all)
    if (atomic_load(&i->decided))
      rows[n++] = (struct agree_row){ .key = i->entry.key };
  *values = 0;
  for (unsigned p = 0; p < s->kernel->n_keys; p++) {
    unsigned all = 0;
    for (unsigned i = 0; i < n; i++) {
      unsigned j = 0;
      while (j < i && rows[j].key[p] != rows[i].key[p])
        j++;
      all += j == i;
    }
    if (all > *values) {
      *values = all;
      busiest = p;
    }
  }
  return busiest;
}

// True if N must wait, because its kernel was tuned too often.
static bool given_up_limits(struct site *s, struct node *n) {
  const struct autotune_kernel *k = s->kernel;
  double next = s->tuning_first + s->tuning_seconds / tuning_fraction;
  unsigned values;
  if (s->tunings < FREE_TUNINGS || sys_now() >= next)
    return false;
  unsigned part = given_up_busiest(s, &values);
  if (values < MANY_VALUES)
    return false;
  const char *name = k->keys && k->keys[part] ? k->keys[part] : "the key";
  char why[192];
  snprintf(why, sizeof why, "default for now: %.64s has too many values to tune each",
           name);
  log_once_of(
      AUTOTUNE_WARN, k->name, why,
      "%s: %.64s has had %u values, and each was tuned: %u tunings took %.3g "
      "s; from now on they take at most %g %% of the time; write key(…) without it, "
      "or with a class of it, such as key(%.64s / 64)",
      k->name, name, values, s->tunings, s->tuning_seconds, 100 * tuning_fraction, name);
  given_up_wait(n, next, why);
  return true;
}

// ---- for decide.c and begin.c -------------------------------------------------------

// True if there are as many tuned keys as an agreement takes, as far as known.
static bool given_up_may_agree(const struct site *s, const struct node *n) {
  unsigned least = kernel_when_hot(s->kernel) ? AGREE_FEW : AGREE_COUNTERS;
  return n->others + s->tunings >= least || wisdom_given();
}

bool given_up_decides(struct site *s, struct node *n, const struct call *call,
                      bool locked) {
  const struct autotune_kernel *k = s->kernel;
  bool hot = kernel_when_hot(k); // what the default is best for needs no allowance
  if (n->known || k->n_keys == 0 || k->n_keys > MAX_KEYS || k->n_params == 0 ||
      k->n_params > MAX_PARAMS || (background_goes() && !hot) || !target_may_fork(k) ||
      (!locked && !hot && !allowance_begins(n)))
    return false;
  bool alone = !atomic_load(&n->team);
  struct given_up *g = alone ? atomic_load(&s->given_up) : NULL, *own = NULL;
  if (alone && !n->refused && !given_up_covers(s, g, call)) {
    bool looks = given_up_may_agree(s, n);
    // The first look comes with the one for the key itself: there may be no later call.
    if (looks && hot && n->looked && !hot_may_ask(s))
      return true; // a later call may look
    n->looked = n->looked || looks;
    double start = sys_now();
    g = own = looks ? given_up_look(s, n, call, locked) : NULL;
    hot_asked(sys_now() - start);
    if (own && given_up_keep(s, own))
      own = NULL;
  }
  if (g && g->winner.winner && !n->refused && g->agreement.gain > 1 &&
      objective_get(objective_of(k))->is_seconds)
    atomic_store(&n->found, 1 - 1 / g->agreement.gain);
  bool funded = !hot || (!background_goes() && (locked || allowance_begins(n)));
  bool costs = g && g->winner.winner && !lead_trusts(s, &g->agreement, &g->winner);
  bool usable = g && !n->refused && (funded || !costs);
  bool decided = usable && given_up_take(n, call, g);
  given_up_drop(own);
  if (decided || n->known || !funded)
    return decided;
  if (!locked && given_up_limits(s, n))
    return true;
  if (!locked)
    s->tuning_began = sys_now();
  return false;
}

void given_up_checked(struct site *s, struct node *n, bool good, double seconds) {
  if (n->known->summary.origin != ORIGIN_AGREED)
    return;
  checks_spend(seconds);
  struct given_up *g = atomic_load(&s->given_up);
  if (good && g && lead_needs_comparisons(&g->agreement, &g->winner) &&
      kernel_when_hot(s->kernel) && s->n_agreements < MOST_CACHED / 2)
    given_up_forget(s); // the next look counts this comparison, too
  if (good)
    return;
  n->refused = true;
  atomic_store(&n->found, 0);
  atomic_store(&n->own, true);
  given_up_forget(s);
  s->tuning_began = sys_now();
}

void given_up_tuned(struct node *n, bool tuned) {
  struct site *s = n->site;
  double now = sys_now();
  if (s->tuning_began == 0)
    return;
  n->tuned = tuned;
  if (s->tunings++ == 0)
    s->tuning_first = s->tuning_began;
  s->tuning_seconds += now - s->tuning_began;
  s->tuning_began = 0;
  given_up_forget(s);
}

const char *given_up_why(const struct site *s, const long long *key) {
  const struct given_up *g = atomic_load(&s->given_up);
  return key && given_up_spans(s, g, key) ? g->why : NULL;
}

struct node *given_up_node(struct site *s, const struct call *call) {
  const long long *key = call->key;
  const struct given_up *g = atomic_load_explicit(&s->given_up, memory_order_acquire);
  bool covered = g && given_up_covers(s, g, call);
  if (covered && !g->winner.winner)
    return NULL; // the default is best for the whole range
  struct node *n = site_find(s, key);
  if (n || (covered && checks_next() > sys_now()))
    return n;
  if (atomic_load_explicit(&s->n_nodes, memory_order_relaxed) >= MOST_KEYS) {
    log_once_of(
        AUTOTUNE_WARN, s->kernel->name, "keys",
        "%s: called with more than %d keys; calls with others run the default; write "
        "key(…) with the values that matter",
        s->kernel->name, MOST_KEYS);
    return NULL;
  }
  return node_of(s, key);
}
