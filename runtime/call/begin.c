// SPDX-License-Identifier: Apache-2.0
// begin.c: autotune_begin and autotune_end, around the program's calls. The stub has
// already checked site->hot.
#include <errno.h>
#include <string.h>

#include "base/role.h"
#include "base/tsan.h"
#include "keep/capture/capture.h"
#include "confirm.h"
#include "lead.h"
#include "live.h"
#include "run/cpu/stack.h"
#include "vain.h"

// A call, and whether its sections are apart. That is looked at only where a variant may
// run or the call may be tuned, because rows take time.
struct begun {
  const struct autotune_kernel *kernel;
  struct call call;
  enum { APART_UNKNOWN, APART, APART_NOT } apart;
};

static bool begin_is_apart(struct begun *b) {
  if (b->apart == APART_UNKNOWN)
    b->apart = kernel_is_apart(b->kernel, b->call.args) ? APART : APART_NOT;
  return b->apart == APART;
}

// For a key that is tuned in the background or waits for its turn. Most calls have
// nothing to do, or an order to follow; these make no system call.
static bool begin_is_idle(struct begun *b, struct node *n,
                          struct autotune_call_state *state, autotune_fn *code) {
  enum refusal refusal = atomic_load_explicit(&n->refusal, memory_order_relaxed);
  *code = decide_current(n);
  if (refusal == REFUSED_REGION && team_refuses(n->site))
    return true;
  if (!atomic_load(&n->asked))
    return false;
  if (!background_goes() || background_checks())
    return (!atomic_load(&n->has_known) && vain_waits(n->site)) || !allowance_begins(n) ||
        given_up_waits(n);
  if (!decide_take())
    return true; // another thread attends to the tuning
  bool idle = !background_calls();
  bool orders = idle && live_is_for(n) && begin_is_apart(b);
  autotune_fn ordered = orders ? live_begin(n, state) : NULL;
  *code = ordered ? ordered : decide_current(n);
  decide_release();
  return idle;
}

struct begin_capture {
  const struct node *node;
  const struct call *call;
  struct autotune_call_state *state;
  bool begun;
};

static void begin_capture(void *data) {
  struct begin_capture *c = data;
  const struct node *n = c->node;
  c->begun = capture_begin(n->site->kernel, site_facts(n->site).unit, n->entry.key,
                           c->call->args, c->state);
}

// Captures the first call of a key to a file, if requested. That call runs the default
// variant.
static bool begin_captures(struct node *n, const struct call *call,
                           struct autotune_call_state *state) {
  const char *only = options_get()->kernel;
  if ((only && strcmp(only, n->site->kernel->name) != 0) ||
      atomic_exchange(&n->captured, true))
    return false;
  struct begin_capture c = { .node = n, .call = call, .state = state };
  return stack_run(begin_capture, &c) && c.begun;
}

// True if the code that N runs will not change but by a race.
static bool begin_is_final(const struct node *n) {
  return atomic_load_explicit(&n->decided, memory_order_acquire);
}

// For kernels that are tuned when hot: true if this call only has to be timed, and runs
// *CODE. Otherwise it goes on like a call of another kernel.
static bool begin_is_sample(struct site *s, const struct call *call,
                            struct autotune_call_state *state, autotune_fn *code) {
  struct node *n = site_find(s, call->key);
  if (n && begin_is_final(n)) {
    if (!site_cooperates(s) &&
        __atomic_load_n(&s->place->hot, __ATOMIC_RELAXED) != &n->entry)
      hot_enter(s);
    return false;
  }
  unsigned calls = hot_enter(s);
  state->reserved[2] = calls;
  if (hot_lets(s, n))
    return false;
  bool own = n || (n = hot_node(s, call->key));
  if (!own && !(n = atomic_load(&s->all)))
    return true; // no memory
  if (own)
    atomic_store_explicit(&s->last, n, memory_order_relaxed);
  state->node = n;
  state->code = own ? *code = decide_current(n) : NULL; // NULL: N has another key
  state->began = sys_now();
  return true;
}

// Returns what a call of N runs, whose key is decided. TIMED: it is to be timed.
static autotune_fn begin_decided(struct begun *b, struct site *s, struct node *n,
                                 struct autotune_call_state *state, bool *timed) {
  bool original = false;
  if ((*timed = watch_due(n) && begin_is_apart(b)))
    decide_look(s, n, &b->call);
  autotune_fn code = decide_use(s, n);
  return *timed && confirm_next(n, state, &original) && original ? b->kernel->original
                                                                 : code;
}

// Returns what a call runs that lead_of treats as one of N, whose key is another one.
static autotune_fn begin_led(struct begun *b, struct site *s, struct node *n,
                             struct autotune_call_state *state, bool *timed) {
  if (decide_led_wants(n) && begin_is_apart(b))
    decide_look_led(s, n, &b->call);
  return lead_code(s, n, state, timed);
}

// Returns what a call of N runs, whose key is not decided. Tunes it, perhaps.
static autotune_fn begin_undecided(struct begun *b, struct site *s, struct node *n,
                                   struct autotune_call_state *state, bool *timed) {
  autotune_fn code = b->kernel->original;
  bool tunes = !begin_is_idle(b, n, state, &code);
  if (tunes && begin_is_apart(b))
    code = decide_key(s, n, &b->call);
  else if (tunes)
    decide_overlaps(n);
  *timed = (state->reserved[2] || allowance_fraction(b->kernel) > 0) &&
      !atomic_load_explicit(&n->decided, memory_order_relaxed);
  return code;
}

// Returns what a call of S runs, and sets STATE.
static autotune_fn begin_with(struct begun *b, struct site *s,
                              struct autotune_call_state *state) {
  const struct autotune_kernel *k = b->kernel;
  autotune_fn code = k->original;
  bool shared = team_shares(s) && decide_mode(k) != MODE_OFF, timed = false;
  bool leads = !shared && !options_get()->capture;
  struct node *lead = leads ? lead_of(s, &b->call) : NULL;
  if (!lead && kernel_when_hot(k) && begin_is_sample(s, &b->call, state, &code))
    return shared ? k->original : code;
  struct node *n = lead ? lead : given_up_node(s, &b->call);
  if (shared) {
    if (n)
      team_refuse(n);
    return k->original;
  }
  if (n && options_get()->capture && begin_is_apart(b) &&
      begin_captures(n, &b->call, state)) {
    state->node = n;
    return code;
  }
  if (lead)
    code = begin_led(b, s, lead, state, &timed);
  else if (n)
    code = atomic_load_explicit(&n->decided, memory_order_acquire)
        ? begin_decided(b, s, n, state, &timed)
        : begin_undecided(b, s, n, state, &timed);
  bool first = n && !state->node && code != k->original && begin_is_final(n) &&
      begin_is_apart(b) && first_enter(n, state);
  if ((timed || first) && !state->node) {
    state->node = n;
    state->code = lead ? NULL : code;
    state->began = timed ? sys_now() : 0;
    state->reserved[1] |= first ? CALL_FIRST : 0;
  }
  return code;
}

static autotune_fn begin_call(struct autotune_site *place, const long long *key,
                              void *const *args, struct autotune_call_state *state) {
  const struct autotune_kernel *k = place->kernel;
  struct begun b = { .kernel = k, .call = { .args = args, .key = key } };
  state->node = NULL;
  state->reserved[0] = state->reserved[1] = state->reserved[2] = 0;
  state->capture = NULL;
  int error = errno;
  if (role_inside() || !kernel_is_known(k))
    return k->original;
  struct site *s = site_of(place);
  autotune_fn code = s ? begin_with(&b, s, state) : k->original;
  if (code != k->original && !begin_is_apart(&b)) {
    code = k->original;
    state->node = NULL; // the time is not that of STATE's code
  }
  errno = error;
  return code;
}

autotune_fn autotune_begin(struct autotune_site *place, const long long *key,
                           void *const *args, struct autotune_call_state *state) {
  tsan_ignore();
  autotune_fn code = begin_call(place, key, args, state);
  tsan_heed();
  return code;
}

void begin_launch(struct site *s, struct node *n, const struct call *call) {
  struct autotune_call_state state = { .node = NULL };
  struct begun b = { .kernel = s->kernel, .call = *call };
  autotune_fn code;
  if (atomic_load_explicit(&n->decided, memory_order_acquire))
    decide_use(s, n);
  else if (!begin_is_idle(&b, n, &state, &code))
    decide_key(s, n, call);
}

static void begin_end(struct autotune_call_state *state) {
  if (state->capture) {
    capture_end(state);
    return;
  }
  struct node *n = state->node;
  double seconds = sys_now() - state->began;
  if (state->reserved[1] & CALL_FIRST)
    first_leave(n);
  if (state->began <= 0)
    return; // it is not timed
  unsigned calls = (unsigned)state->reserved[2];
  if (calls)
    hot_see(n->site, state->code ? n : NULL, seconds, calls);
  if (state->reserved[1] & CALL_PAIRED)
    confirm_see(n, seconds);
  if (!atomic_load_explicit(&n->decided, memory_order_acquire))
    allowance_spend(n->site, seconds, calls ? calls : 1);
  else if (!calls && !state->code)
    lead_see(n->site, state, seconds);
  else if (n->watch && state->code == decide_current(n))
    watch_see(n, seconds);
  if (live_end(state) && decide_take()) {
    live_collect();
    decide_release();
  }
}

void autotune_end(struct autotune_call_state *state) {
  tsan_ignore();
  begin_end(state);
  tsan_heed();
}
