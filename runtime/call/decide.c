// SPDX-License-Identifier: Apache-2.0
// decide.c: decides which variant runs for a key. An undecided key is looked up in the
// store or tuned, by one thread at a time; other threads run the default variant
// meanwhile and do not wait. If the program must not wait either, background.c attends to
// the tuning.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/role.h"
#include "confirm.h"
#include "lead.h"
#include "live.h"
#include "run/cpu/module.h"
#include "run/cpu/stack.h"
#include "run/cpu/state.h"
#include "call/session/session.h"
#include "model/space.h"
#include "model/variant.h"
#include "keep/wisdom/wisdom.h"
#include "vain.h"

static atomic_bool busy; // a thread holds decide_take

bool decide_take(void) {
  return !atomic_exchange_explicit(&busy, true, memory_order_acquire);
}

void decide_release(void) {
  atomic_store_explicit(&busy, false, memory_order_release);
}

bool site_busy(void) {
  return atomic_load(&busy) || (background_goes() && !background_checks());
}

void decide_after_fork(void) {
  live_forget();
  background_forget();
  decide_release();
}

autotune_fn decide_current(const struct node *n) {
  return __atomic_load_n(&n->entry.code, __ATOMIC_ACQUIRE);
}

// The node may have been forgotten meanwhile.
autotune_fn decide_use(struct site *s, struct node *n) {
  autotune_fn code = decide_current(n);
  atomic_store_explicit(&s->last, n, memory_order_relaxed);
  if (decide_mode(s->kernel) != MODE_OFF && site_cooperates(s))
    return code; // team.c says why
  __atomic_store_n(&s->place->hot, &n->entry, __ATOMIC_RELEASE);
  if (atomic_load(&n->retired))
    __atomic_store_n(&s->place->hot, NULL, __ATOMIC_RELEASE);
  return code;
}

enum refusal decide_why_not(enum tuning_mode mode) {
  return mode == MODE_LOCKED ? REFUSED_LOCKED
      : mode == MODE_OFFLINE ? REFUSED_OFFLINE
      : mode == MODE_OFF     ? REFUSED_OFF
                             : REFUSED_NOT;
}

static void decide(struct node *n, struct variant_code code, const char *why) {
  site_note(&n->why, why);
  node_set(n, code); // it was the default's from the beginning
  atomic_store_explicit(&n->decided, true, memory_order_release);
}

void decide_default(struct node *n, const char *why) {
  decide(n, (struct variant_code){ .function = n->site->kernel->original }, why);
}

// ---- deciding -----------------------------------------------------------------------

bool decide_install(struct site *s, struct node *n, const char *path, const char *values,
                    uint64_t variant, const char *why) {
  char *message = NULL;
  struct variant_code code;
  bool loaded = site_load(n, path, values, &code, &message);
  if (loaded) {
    if (n->handle)
      site_keep(n, n->handle);
    n->handle = code.loaded;
    n->variant = variant;
    n->constants = code.constants;
    lead_installed(n, variant);
    atomic_store(&n->first.state, FIRST_TO_COME);
    site_note(&n->values, values);
    decide(n, code, why);
  } else if (!module_abandoned()) {
    log_once(AUTOTUNE_WARN, s->kernel->name, "%s: the tuned variant cannot be loaded: %s",
             s->kernel->name, message ? message : "no memory");
  }
  free(message);
  return loaded;
}

// Decides N as the default, because of NO, or TEXT, and of the reason noted before.
static void decide_refuse(struct node *n, enum refusal no, const char *text) {
  struct note *found = atomic_load(&n->why);
  text = text ? text : refusal_words[no].text;
  char *why = found ? sys_printf("%s: %s", text, found->text) : NULL;
  decide_default(n, why ? why : text);
  refuse(n, no, why ? why : text);
  free(why);
}

// Installs OUT, the check of a winner that was found elsewhere or whose code was lost: it
// was compiled and compared with the default. If it failed, a tuning follows, if that is
// allowed.
static void decide_checked(struct site *s, struct node *n, struct outcome *out) {
  struct recall *known = n->known;
  enum refusal no = decide_why_not(decide_mode(s->kernel));
  if (out->tuned && out->winner) {
    known->path = sys_strdup(out->path);
    known->service.variant = out->variant;
    known->service.revoked = REVOKED_NOT;
  }
  given_up_checked(s, n, known->path != NULL, out->cost);
  if (known->path && stored_adopt(s, n, known)) {
    log_message(AUTOTUNE_INFO, "%s: %s", s->kernel->name, atomic_load(&n->why)->text);
  } else if (!module_abandoned()) {
    const char *what = known->source[0] ? known->source
        : known->why[0]                 ? "the stored winner, checked again"
                                        : "the code of the stored winner is lost";
    snprintf(known->why, sizeof known->why, "%s: %.300s", what, out->why);
    log_message(known->suspect ? AUTOTUNE_WARN : AUTOTUNE_INFO, "%s: %s", s->kernel->name,
                known->why);
    site_note(&n->why, known->why);
    if (no)
      decide_refuse(n, no, NULL);
  }
  stored_free(n);
}

static bool current_is(const struct node *n, const char *values) {
  const struct note *now = atomic_load(&n->values);
  return now && strcmp(now->text, values) == 0 && !node_is_default(n);
}

void decide_outcome(struct site *s, struct node *n, struct outcome *out) {
  const struct autotune_kernel *k = s->kernel;
  if (n->known) {
    decide_checked(s, n, out);
    if (out->fd >= 0)
      close(out->fd);
    return;
  }
  given_up_tuned(n, out->tuned);
  if (out->verdict == VERDICT_NOTHING) // a call that does little: see doubt.c
    return doubt_again(n);
  char *values = out->tuned && out->winner ? variant_values(k, out->point, out->body)
                                           : NULL;
  bool refused = !out->tuned && !atomic_load(&n->decided);
  bool further = atomic_load(&n->rest.goes), nothing = further && !values;
  if (nothing) // what runs stays, and so does the reason for it
    log_message(AUTOTUNE_INFO, "%s: the search in the background found nothing better",
                k->name);
  else if (!refused)
    log_message(out->tuned ? AUTOTUNE_INFO : AUTOTUNE_WARN, "%s: %s", k->name, out->why);
  bool same = atomic_load(&n->decided) &&
      (!out->tuned || nothing || (values && current_is(n, values)));
  if (same && !nothing) // a race that changes nothing
    site_note(&n->why, out->why);
  else if (!same &&
           (!values ||
            !decide_install(s, n, out->path, values, out->variant, out->why)) &&
           !module_abandoned())
    decide_default(n, values ? "default: the tuned variant cannot be loaded" : out->why);
  if (refused)
    refuse(n, out->verdict == VERDICT_UNCHECKED ? REFUSED_UNCHECKED : REFUSED_FAILED,
           out->why);
  if (!same && !module_abandoned())
    reverify_install(n, &(struct service){ .variant = out->variant }, false,
                     out->original, out->seconds);
  if (module_abandoned()) // its kernel is being unloaded
    ;
  else if (!node_is_default(n)) {
    if (!same)
      confirm_begin(n, &(struct own_calls){ 0 }, out->original - out->seconds);
    watch_begin(n, out->tuned ? out->seconds : 0, 0);
  } else
    watch_end(n);
  if (!module_abandoned())
    doubt_begin(n, out->original);
  rest_end(n);
  if (!module_abandoned() && out->rest > 0)
    rest_begin(n, out->rest);
  if (out->fd >= 0)
    close(out->fd);
  free(values);
}

static void decide_take_provisional(const struct outcome *out, void *data) {
  provisional_install(data, out);
}

static void decide_tune(struct site *s, struct node *n, const struct call *call,
                        const struct plan *plan) {
  struct identity id = node_identity(n);
  id.extent = n->extent = target_extent(s->kernel, call);
  struct outcome *out = sys_malloc(sizeof *out);
  if (!out && atomic_load(&n->decided))
    return rest_end(n); // a race or a search that did not begin
  if (!out)
    return decide_default(n, "default: no memory");
  out->cost = 0;
  const struct session_listener l = { // for other threads, which do not wait
                                      .provisional = decide_take_provisional,
                                      .data = n
  };
  struct plan p = *plan;
  p.constants = plan_constants(n);
  team_plan(n, &p);
  if (p.background ? background_start(s, n, call, &p, out) != 0
                   : (session_run(s->kernel, &id, call, &p, &l, out), true))
    decide_outcome(s, n, out);
  free(out);
}

enum tuning_mode decide_mode(const struct autotune_kernel *k) {
  const struct options *o = options_get();
  int own = k->mode && !o->mode_set ? value_word(k->mode, mode_names) : -1;
  enum tuning_mode mode = own >= 0         ? (enum tuning_mode)own
      : kernel_when_hot(k) && !o->mode_set ? MODE_BACKGROUND
                                           : o->mode;
  bool other = o->kernel && strcmp(o->kernel, k->name) != 0;
  return other && mode != MODE_OFF ? MODE_LOCKED : mode;
}

// Compares the winner in N->known with the default on this call's data.
static void decide_check(struct site *s, struct node *n, const struct call *call,
                         bool is_background) {
  struct summary adopted = n->known->summary;
  adopted.source = n->known->source;
  if (n->known->entry)
    adopted.origin = ORIGIN_WISDOM;
  decide_tune(s, n, call,
              &(struct plan){ .kind = PLAN_CHECK,
                              .background = is_background,
                              .after = allowance_after(s->kernel),
                              .adopt = &adopted,
                              .points = n->known->point,
                              .suspect = n->known->suspect,
                              .service = &n->known->service,
                              .n_points = 1 });
}

// Decides N without tuning.
static void decide_provisional(struct site *s, struct node *n, const struct call *call,
                               enum refusal no) {
  struct outcome *out = sys_malloc(sizeof *out);
  if (out && provisional_checked(s, n, call, out))
    decide_outcome(s, n, out);
  else
    decide_refuse(n, no, NULL);
  free(out);
}

// For a tuned key that is watched: its timed calls also attend to a tuning in the
// background.
static void decide_race(struct site *s, struct node *n, const struct call *call) {
  struct plan plan;
  background_look(0);
  if (confirm_wants(n))
    confirm_refuse(n);
  else if (doubt_wants(n) && !background_goes() && target_may_fork(s->kernel)) {
    plan = plan_of(n);
    doubt_plan(n, &plan);
    decide_tune(s, n, call, &plan);
  } else if (rest_wants(n) && !background_goes() && target_may_fork(s->kernel)) {
    plan = plan_of(n);
    rest_plan(n, &plan);
    decide_tune(s, n, call, &plan);
  } else if (watch_wants_race(n) && !background_goes() && target_may_fork(s->kernel) &&
             watch_race(n, &plan))
    decide_tune(s, n, call, &plan);
  else if (reverify_wants(n))
    reverify_look(s, n, call);
}

// Without a compiler, or a process to try variants in, only results with stored code can
// run.
static bool decide_lacks(struct site *s, struct node *n) {
  const struct target *t = target_of(s->kernel);
  const char *why = t->lacks ? t->lacks(s->kernel, n->entry.key) : NULL;
  if (!why)
    return false;
  decide_refuse(n, REFUSED_LACKS, why);
  return true;
}

// Call it only while holding decide_take().
static void decide_work(struct site *s, struct node *n, const struct call *call) {
  enum tuning_mode mode = decide_mode(s->kernel);
  enum refusal no = decide_why_not(mode);
  bool again = mode == MODE_TUNE;
  enum refusal team = team_refuses(s);
  background_look(0);
  bool tuned = atomic_load(&n->asked) && background_goes() && !background_checks();
  if (!atomic_load(&n->decided) && !tuned && !team_join(n))
    return refuse(n, REFUSED_MEMORY, NULL);
  if (atomic_load(&n->decided) ||
      (!again && !atomic_load(&n->asked) && stored_ask(s, n))) {
    if (reverify_wants(n))
      reverify_look(s, n, call);
    return;
  }
  atomic_store(&n->asked, true);
  if (!hot_tunes(s) || !hot_leads(s, n))
    return refuse_for_now(n, REFUSED_COLD);
  if ((n->known || !vain_waits(s)) && allowance_begins(n))
    background_yield();
  if (!again && given_up_decides(s, n, call, no != REFUSED_NOT))
    return;
  struct plan plan = plan_of(n);
  struct note *why = atomic_load(&n->why);
  plan.why = why ? why->text : NULL;
  if (no && !n->known && (team || wisdom_given()))
    decide_refuse(n, no,
                  NULL); // with wisdom, what runs must not depend on this machine's store
  else if (no && !n->known && !background_goes()) // only one tuner runs at a time
    decide_provisional(s, n, call, no);
  else if (s->kernel->n_params == 0 || s->kernel->n_params > MAX_PARAMS ||
           !s->kernel->n_units)
    decide_refuse(n, REFUSED_PARAMS, NULL);
  else if (decide_lacks(s, n))
    stored_free(n);
  else if (team)
    refuse(n, team, NULL); // a later call may do better
  else if (background_goes())
    background_tell(n);
  else if (!no && !n->known && vain_waits(s))
    vain_tell(n);
  else if (!no && !allowance_begins(n))
    refuse_for_now(n, REFUSED_FRACTION);
  else if (n->known)
    decide_check(s, n, call, plan.background);
  else
    decide_tune(s, n, call, &plan);
  if (!atomic_load(&n->decided) && !n->known && !no && !plan.background && !team &&
      !background_goes())
    decide_tune(s, n, call, &plan); // the stored winner failed its check
}

struct decide_call {
  struct site *s;
  struct node *n;
  const struct call *call;
};

static void work_on(void *data) {
  struct decide_call *c = data;
  store_linger(true); // its end closes a file: here the thread cannot be cancelled
  decide_work(c->s, c->n, c->call);
  store_linger(false);
}

static void race_on(void *data) {
  struct decide_call *c = data;
  decide_race(c->s, c->n, c->call);
}

static void led_on(void *data) {
  const struct decide_call *c = data;
  background_look(0);
  if (reverify_wants(c->n))
    reverify_look(c->s, c->n, c->call);
}

static void recorded_on(void *data) {
  struct decide_call *c = data;
  bool looks = !atomic_load(&c->n->asked) && decide_mode(c->s->kernel) != MODE_TUNE;
  if (atomic_load(&c->n->decided) || (looks && stored_ask(c->s, c->n)))
    return;
  atomic_store(&c->n->asked, atomic_load(&c->n->asked) || looks);
  refuse(c->n, REFUSED_RECORDED, NULL);
}

static autotune_fn decide_miss(struct site *s, struct node *n, const struct call *call) {
  if (decide_mode(s->kernel) == MODE_OFF) {
    decide_default(n, refusal_words[REFUSED_OFF].text);
    return decide_use(s, n);
  }
  if (atomic_load(&n->asked) && team_refuses(s))
    return decide_current(n);
  if (!decide_take()) { // also a call from within a tuning
    if (!atomic_load(&n->why))
      refuse(n, REFUSED_THREAD, NULL);
    return decide_current(n);
  }
  if (!stack_run(work_on, &(struct decide_call){ s, n, call }))
    refuse(n, REFUSED_MEMORY, NULL);
  decide_release();
  return atomic_load(&n->decided) ? decide_use(s, n) : decide_current(n);
}

static autotune_fn miss_hushed(struct site *s, struct node *n, const struct call *call) {
  struct blocked_signals blocked_signals;
  fenv_t environment;
  sys_block_signals(&blocked_signals);
  state_enter(&environment);
  autotune_fn code = decide_miss(s, n, call);
  state_leave(&environment);
  sys_unblock_signals(&blocked_signals);
  return code;
}

// Counts the time that a call waits as a cost, too.
autotune_fn decide_key(struct site *s, struct node *n, const struct call *call) {
  double start = sys_now();
  autotune_fn code = miss_hushed(s, n, call);
  allowance_cost(s, sys_now() - start);
  return code;
}

// Runs WORK, which may use the store, on a stack of its own, with signals blocked and the
// floating-point state of the call kept.
static void decide_apart(struct decide_call *c, void (*work)(void *)) {
  struct blocked_signals blocked_signals;
  fenv_t environment;
  sys_block_signals(&blocked_signals);
  state_enter(&environment);
  stack_run(work, c);
  state_leave(&environment);
  sys_unblock_signals(&blocked_signals);
}

void decide_recorded(struct site *s, struct node *n, const struct call *call) {
  if (atomic_load(&n->refusal) == REFUSED_RECORDED || !decide_take())
    return;
  decide_apart(&(struct decide_call){ s, n, call }, recorded_on);
  decide_release();
  if (atomic_load(&n->decided))
    decide_use(s, n);
  else
    atomic_store_explicit(&s->last, n, memory_order_relaxed);
}

void decide_overlaps(struct node *n) {
  enum refusal noted = atomic_load(&n->refusal);
  if ((noted != REFUSED_NOT && noted != REFUSED_COLD) || background_goes() ||
      !decide_take())
    return;
  refuse_for_now(n, REFUSED_OVERLAP);
  decide_release();
}

static bool decide_has_work(const struct node *n) {
  return confirm_wants(n) || watch_wants_race(n) || doubt_wants(n) || rest_wants(n) ||
      reverify_wants(n);
}

// Calls WORK in this call, if a tuning in the background does, or WANTS and none goes on.
static void decide_attend(struct decide_call *c, void (*work)(void *),
                          bool (*wants)(const struct node *)) {
  if ((!background_goes() && !wants(c->n)) || !decide_take())
    return;
  bool refuses = background_checks() && confirm_wants(c->n);
  if (background_calls() || refuses || (!background_goes() && wants(c->n)))
    decide_apart(c, work);
  decide_release();
}

void decide_look(struct site *s, struct node *n, const struct call *call) {
  decide_attend(&(struct decide_call){ s, n, call }, race_on, decide_has_work);
}

void decide_look_led(struct site *s, struct node *n, const struct call *call) {
  decide_attend(&(struct decide_call){ s, n, call }, led_on, reverify_wants);
}

bool decide_led_wants(const struct node *n) {
  return background_goes() || reverify_wants(n);
}
