// SPDX-License-Identifier: Apache-2.0
// reverify.c: checks winners again with the data of the program's own calls: the first
// call of each process, and later calls at growing intervals. A forked process does it
// with a copy of the call's memory (tune/reverify.c), while the program goes on. If the
// results differ, the winner is revoked: here, and by that process in the store.
//
// The cost counts in full: the fork, the pages that the program copies meanwhile, and the
// processor's time of the check. account.c says what is allowed, and ration.c for all
// winners and runs of the program together.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "account.h"
#include "call/session/session.h"
#include "model/kernel.h"
#include "model/value.h"
#include "run/cpu/openmp.h"
#include "site.h"

static const double longest_fork = 1e-3;   // seconds: no call waits longer
static const double own = 4e-3, FORKS = 6; // of a check, apart from runs of the kernel
static const double ask_again = 0.1, measure_again = 1, fork_again = 60; // seconds

// Used while holding decide_take(), but for the atomic members.
struct reverify {
  struct account account;
  struct service service;  // its values are a note of the node
  _Atomic double earned;   // seconds in calls
  _Atomic double due;      // sys_now; INFINITY: it is not checked any more
  atomic_ullong calls;     // so far, in this process
  uint64_t right, looking; // the calls that were found right and are being checked, last
  double runs;             // seconds of a run of the default and of the winner
  double begun;            // of the present check
  bool stored;             // the winner comes from an earlier process
  bool disturbed;          // the last forks took longer than such a program's should
  bool waits;              // a check was due, and others go on or have used up the credit
  struct variant_code suspended; // the winner, while the default runs; function NULL: no
  time_t seen; // when it was last seen right there; 0: never, as far as known
};

// ---- which winners ------------------------------------------------------------------

// True if T's winners can be checked while the program goes on, so that no call waits.
static bool reverify_can(const struct target *t) {
  return t->takes_loaded && t->synchronous;
}

bool reverify_is_wanted(const struct autotune_kernel *k) {
  enum tuning_mode mode = decide_mode(k);
  const struct target *t = target_of(k);
  if (options_get()->reverify == REVERIFY_OFF || mode == MODE_OFF || mode == MODE_TUNE ||
      k->verify == AUTOTUNE_VERIFY_OFF)
    return false;
  bool can = reverify_can(t);
  if (!can)
    log_once_of(AUTOTUNE_INFO, k->name, "reverify-target",
                "%s: its winner is not checked again: that is done for kernels in C only",
                k->name);
  return can;
}

// Adds WHAT to the reason why this variant runs, once.
static void reverify_note(struct node *n, const char *what) {
  struct note *why = atomic_load(&n->why);
  if (why && strstr(why->text, what))
    return;
  char *text = sys_printf("%s%s%s", why ? why->text : "", why ? "; " : "", what);
  if (text)
    site_note(&n->why, text);
  free(text);
}

void reverify_install(struct node *n, const struct service *service, bool stored,
                      double original, double best) {
  struct reverify *r = n->reverify;
  struct note *values = atomic_load(&n->values);
  if (!node_is_default(n) && values && !reverify_can(target_of(n->site->kernel)))
    reverify_note(n,
                  "not checked again on later calls: that is done for kernels in C only");
  if (node_is_default(n) || !values || !reverify_is_wanted(n->site->kernel) ||
      (!r && !(r = sys_calloc(1, sizeof *r))))
    return;
  double now = sys_now(), ago = service->seen > 0 ? sys_unix() - service->seen : 1e9;
  r->account = (struct account){ .looks = service->looks,
                                 .last = stored ? now - (ago > 0 ? ago : 0) : now,
                                 .fresh = stored };
  r->service = *service;
  r->service.values = values->text;
  r->service.why = "";
  r->runs = original + best;
  r->stored = stored;
  r->seen = (time_t)service->seen;
  r->right = stored ? 0 : 1; // the call on whose data it was tuned
  atomic_store(&r->calls, r->right);
  atomic_store(&r->earned, 0);
  atomic_store(&r->due, account_due(&r->account));
  __atomic_store_n(&n->reverify, r, __ATOMIC_RELEASE);
}

// ---- counting -----------------------------------------------------------------------

static void reverify_add(_Atomic double *sum, double seconds) {
  double old = atomic_load_explicit(sum, memory_order_relaxed);
  while (!atomic_compare_exchange_weak(sum, &old, old + seconds))
    ;
}

void reverify_count(struct node *n, unsigned calls, double seconds) {
  struct reverify *r = __atomic_load_n(&n->reverify, __ATOMIC_ACQUIRE);
  if (r && calls)
    atomic_fetch_add_explicit(&r->calls, calls, memory_order_relaxed);
  if (r && seconds > 0)
    reverify_add(&r->earned, seconds);
}

bool reverify_wants(const struct node *n) {
  struct reverify *r = __atomic_load_n(&n->reverify, __ATOMIC_ACQUIRE);
  return r && sys_now() >= atomic_load_explicit(&r->due, memory_order_relaxed);
}

// ---- beginning ----------------------------------------------------------------------

static void reverify_postpone(struct reverify *r, double now, double seconds) {
  atomic_store(&r->due, now + seconds);
}

// True if the program, which has PAGES pages, may be forked now. No call may wait for
// long. If the last forks, which took FORK seconds, were slower than those of a program
// of this size, other work of the machine was in their way, and only another one tells if
// it still is.
static bool reverify_may_fork(struct node *n, double now, double pages, double fork) {
  struct reverify *r = n->reverify;
  char what[160];
  bool small = session_fork_expected(pages, 0, 0) <= longest_fork;
  if (fork <= longest_fork || (small && r->disturbed)) {
    r->disturbed = false;
    return target_may_fork(n->site->kernel);
  }
  if (small) {
    r->disturbed = true;
    reverify_postpone(r, now, measure_again);
    return false;
  }
  snprintf(what, sizeof what,
           "not checked again: copying the program's page tables takes about %.2g ms",
           1e3 * fork);
  const char *name = n->site->kernel->name;
  log_once_of(AUTOTUNE_INFO, name, "reverify-fork", "%s: %s", name, what);
  reverify_note(n, what);
  reverify_postpone(r, now, fork_again);
  return false;
}

// True if regions of the program have a thread for each processor. What keeps one of them
// from running keeps all of them waiting.
static bool reverify_disturbs(void) {
  return openmp_threads() >= machine_threads();
}

unsigned reverify_waiting(struct site *sites) {
  unsigned waiting = 0;
  if (!decide_take())
    return 0;
  for (struct site *s = sites; s; s = s->next)
    for (struct node *n = atomic_load(&s->all); n; n = n->all) {
      const struct reverify *r = n->reverify;
      waiting += r && r->waits && r->account.looks == 0 && isfinite(atomic_load(&r->due));
    }
  decide_release();
  return waiting;
}

// True if it makes no difference whether a check will cost A or B.
static bool reverify_same(const struct reverify *r, double now, double a, double b) {
  double earned = atomic_load(&r->earned);
  return account_ask(&r->account, now, earned, a) ==
      account_ask(&r->account, now, earned, b) &&
      loss_lets_check(a) == loss_lets_check(b) &&
      loss_affords_check(a) == loss_affords_check(b) &&
      (a <= ACCOUNT_CHEAP) == (b <= ACCOUNT_CHEAP);
}

// Returns the seconds that the first check will cost, where FORK is what a fork of PAGES
// takes. What a copy of a page takes is measured only if it matters: that takes longer
// than all else in a first call.
static double reverify_expected(const struct reverify *r, double now, double pages,
                                double fork) {
  double known = own + (FORKS - 1) * fork + 1.5 * r->runs;
  double most = known + fork + loss_most_copies(pages);
  return reverify_same(r, now, known + fork, most) ? most : known + loss_expected();
}

void reverify_look(struct site *s, struct node *n, const struct call *call) {
  struct reverify *r = n->reverify;
  double now = sys_now(), pages = session_pages(), fork = session_fork_seconds(pages);
  if (!reverify_wants(n) || node_is_default(n))
    return;
  if (background_goes()) {
    r->waits = true;
    return;
  }
  if (!reverify_may_fork(n, now, pages, fork))
    return;
  double expected = r->account.cost > 0 ? r->account.cost
                                        : reverify_expected(r, now, pages, fork);
  enum account_answer answer =
      account_ask(&r->account, now, atomic_load(&r->earned), expected);
  bool yields = r->account.looks > 0 && loss_others_wait();
  bool refused = answer == ACCOUNT_GRANTED && (yields || !loss_lets_check(expected));
  r->waits = refused && loss_affords_check(expected);
  if (answer == ACCOUNT_WAIT || refused)
    return reverify_postpone(r, now, fmax(ask_again, account_due(&r->account) - now));
  struct outcome *out = sys_malloc(sizeof *out);
  const struct plan plan = { .kind = PLAN_CHECK,
                             .background = true,
                             .loaded = decide_current(n),
                             .service = &r->service,
                             .outlives = expected <= ACCOUNT_CHEAP,
                             .gentle = answer == ACCOUNT_GRANTED && reverify_disturbs() };
  uint64_t calls = atomic_load(&r->calls);
  r->looking = calls > 0 ? calls : 1;
  if (atomic_load(&n->first.state) == FIRST_RETURNED)
    r->service.ended = 0;
  r->begun = now;
  if (!out || background_start(s, n, call, &plan, out) != 0)
    reverify_postpone(r, now, fork_again);
  atomic_store(&r->due, out ? now + fork_again : now + ask_again);
  free(out);
}

// ---- the end ------------------------------------------------------------------------

// Charges the present check, whose processes took COST, to the account.
static void reverify_charge(struct reverify *r, double cost) {
  account_pay(&r->account, r->begun, cost + loss_end(true));
  loss_check(cost);
  atomic_store(&r->due, account_due(&r->account));
}

void reverify_suspend(struct node *n, const struct outcome *out) {
  struct reverify *r = n->reverify;
  if (!r || r->suspended.function)
    return;
  log_message(AUTOTUNE_INFO,
              "%s: the winner seems to be wrong on call %llu: %.300s; the default runs "
              "until it was compared with the kernel as written",
              n->site->kernel->name, (unsigned long long)r->looking, out->why);
  r->suspended =
      (struct variant_code){ decide_current(n), atomic_load(&n->code), n->constants };
  node_set(n, (struct variant_code){ .function = n->site->kernel->original });
  site_note(&n->values, "");
}

// Ends the suspension: the winner runs again only if the second look found it right.
static void reverify_resume(struct node *n, enum verdict verdict) {
  struct reverify *r = n->reverify;
  if (!r->suspended.function)
    return;
  if (verdict == VERDICT_RIGHT) {
    node_set(n, r->suspended);
    site_note(&n->values, r->service.values);
  } else if (verdict != VERDICT_WRONG && verdict != VERDICT_ENDED) {
    reverify_note(n, "the default runs in its place: it seemed to be wrong");
  }
  r->suspended = (struct variant_code){ 0 };
}

void reverify_cancel(struct node *n) {
  struct reverify *r = n->reverify;
  if (!r)
    return;
  reverify_charge(r, r->account.cost > 0 ? r->account.cost : own);
  atomic_store(&r->due, sys_now() + ask_again);
  reverify_resume(n, VERDICT_NONE);
}

// Writes which results may be wrong: "of calls 1 to 17".
static void reverify_doubt(const struct reverify *r, char *text, size_t size) {
  unsigned long long from = r->right, to = r->looking;
  int n = from > 0 ? snprintf(text, size, "between calls %llu and %llu", from, to)
                   : snprintf(text, size, "of calls up to %llu", to);
  if (from > 0 || !r->stored || n < 0 || (size_t)n >= size)
    return;
  n += snprintf(text + n, size - (size_t)n, " and of earlier runs");
  struct tm when;
  if (r->seen > 0 && (size_t)n < size && localtime_r(&r->seen, &when) &&
      strftime(text + n, size - (size_t)n, " since %F %H:%M", &when) == 0)
    text[n] = '\0';
}

void reverify_revoke(struct node *n, const char *why) {
  const struct autotune_kernel *k = n->site->kernel;
  struct target_code *handle = n->handle;
  watch_end(n);
  if (n->reverify)
    atomic_store(&n->reverify->due, INFINITY);
  node_set(n, (struct variant_code){ .function = k->original });
  given_up_forget(n->site);
  n->handle = NULL;
  if (handle)
    site_keep(n, handle); // another thread may be running it
  site_note(&n->values, "");
  site_note(&n->why, why);
}

// Revokes the winner of N, which is wrong: other threads run the default from their next
// call on.
static void reverify_found(struct node *n, const struct outcome *out) {
  struct reverify *r = n->reverify;
  char doubt[160], why[700], *name = value_line(r->service.values);
  const char *point = name ? name : "";
  reverify_doubt(r, doubt, sizeof doubt);
  if (out->verdict == VERDICT_WRONG)
    snprintf(
        why, sizeof why,
        "the variant %.200s gives other results than the default on call %llu: %.200s",
        point, (unsigned long long)r->looking, out->why);
  else
    snprintf(why, sizeof why,
             "the variant %.200s ends the process on the data of call %llu: %.200s",
             point, (unsigned long long)r->looking, out->why);
  log_message(AUTOTUNE_WARN,
              "%s: %s; it is revoked, the default runs from now on; results %s may be "
              "wrong",
              n->site->kernel->name, why, doubt);
  char *text = sys_printf("default: revoked: %s", why);
  reverify_revoke(n, text ? text : "default: revoked");
  free(text);
  free(name);
}

// True if another call of K may have outputs.
static bool reverify_may_have_outputs(const struct autotune_kernel *k) {
  bool outputs = k->ret_size > 0 || !kernel_has_sections(k);
  for (unsigned i = 0; i < k->n_sections; i++)
    outputs |= (k->sections[i].access & AUTOTUNE_OUT) != 0;
  return outputs;
}

// Says that nothing was compared. A later call may have outputs where this one had none,
// such as for n = 0.
static void reverify_say_nothing(struct node *n) {
  const struct autotune_kernel *k = n->site->kernel;
  struct reverify *r = n->reverify;
  if (reverify_may_have_outputs(k)) {
    log_once_of(AUTOTUNE_INFO, k->name, "reverify-outputs",
                "%s: not checked again on call %llu: it has no outputs to compare",
                k->name, (unsigned long long)r->looking);
    return;
  }
  atomic_store(&r->due, INFINITY);
  log_once_of(AUTOTUNE_INFO, k->name, "reverify-outputs",
              "%s: its winner is not checked again: there are no outputs to compare",
              k->name);
  reverify_note(n, "not checked again: there are no outputs to compare");
}

void reverify_settle(struct node *n, const struct outcome *out) {
  struct reverify *r = n->reverify;
  const char *name = n->site->kernel->name;
  reverify_charge(r, out->cost);
  reverify_resume(n, out->verdict);
  switch (out->verdict) {
  case VERDICT_RIGHT:
    r->right = r->looking;
    r->service.seen = sys_unix();
    r->service.looks++;
    log_message(
        AUTOTUNE_DEBUG,
        "%s: checked again on call %llu: right; it took %.2g ms; check %u of this winner",
        name, (unsigned long long)r->looking, 1e3 * r->account.cost, r->service.looks);
    break;
  case VERDICT_WRONG:
  case VERDICT_ENDED:
    reverify_found(n, out);
    break;
  case VERDICT_RESTLESS:
    log_once_of(
        AUTOTUNE_INFO, name, "reverify-restless",
        "%s: not checked again on call %llu: run twice on its data, the kernel as "
        "written gives two results (%s)",
        name, (unsigned long long)r->looking, out->why);
    break;
  case VERDICT_NOTHING:
  case VERDICT_UNCHECKED: // of tunings
    reverify_say_nothing(n);
    break;
  case VERDICT_NONE:
    log_message(AUTOTUNE_DEBUG, "%s: not checked again on call %llu: %s", name,
                (unsigned long long)r->looking, out->why);
    break;
  }
}
