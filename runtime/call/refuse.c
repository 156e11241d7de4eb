// SPDX-License-Identifier: Apache-2.0
// refuse.c: calls that are not tuned, and the reason: refusal_words in model/record.c has
// a line for each. A reason is noted in the node for autotune_why, said once, and stored
// for `autotune why`.
#include <stdlib.h>
#include <string.h>

#include "run/cpu/stack.h"
#include "site.h"

static const char *refuse_text(const struct node *n, enum refusal reason) {
  const struct note *note = atomic_load(&n->why);
  return note ? note->text : refusal_words[reason].text;
}

// Writes the reason to S.
static void refuse_store(struct store *s, const struct node *n, enum refusal reason) {
  struct identity id = node_identity(n);
  store_asked(s, &id, n->site->kernel, reason, refuse_text(n, reason), NULL);
}

// LATE: at the end of the process.
static void refuse_say(const struct node *n, enum refusal reason, const char *text,
                       bool late) {
  const char *name = n->site->kernel->name;
  const char *only = options_get()->kernel; // all others are locked, as was asked
  bool asked = reason == REFUSED_LOCKED && only && strcmp(only, name) != 0;
  enum autotune_level level = refusal_words[reason].warns && !asked ? AUTOTUNE_WARN
                                                                    : AUTOTUNE_INFO;
  char *topic = sys_printf("%s %s", name, text);
  if (late)
    log_once(level, topic ? topic : text, "%s: not tuned in this run: %s", name, text);
  else
    log_once(level, topic ? topic : text, "%s: %s", name, text);
  free(topic);
}

void refuse(struct node *n, enum refusal reason, const char *text) {
  const struct refusal_words *words = &refusal_words[reason];
  site_note(&n->why, text ? text : words->text);
  if (atomic_exchange(&n->refusal, reason) == reason || !words->lasts)
    return;
  refuse_say(n, reason, refuse_text(n, reason), false);
  struct store *s = store_open_briefly();
  if (s) {
    refuse_store(s, n, reason);
    store_close(s);
  }
}

void refuse_for_now(struct node *n, enum refusal reason) {
  if (!n->provisional)
    refuse(n, reason, NULL);
}

void refuse_shared(struct node *n) {
  const char *text = refusal_words[REFUSED_TEAM].text;
  const struct identity id = team_identity(n);
  if (!atomic_load(&n->decided))
    site_note(&n->why, text);
  refuse_say(n, REFUSED_TEAM, text, false);
  struct store *s = store_open_briefly();
  if (s) {
    store_asked(s, &id, n->site->kernel, REFUSED_TEAM, text, NULL);
    store_close(s);
  }
}

// True if N was refused for a reason that could have passed, but did not. A node that
// another thread is tuning is no such node; for those that are cold see hot_at_exit.
static bool refuse_is_left(const struct node *n) {
  enum refusal reason = atomic_load(&n->refusal);
  return reason != REFUSED_NOT && reason != REFUSED_COLD &&
      !refusal_words[reason].lasts && !atomic_load(&n->decided) &&
      !atomic_load(&n->retired) && (reason != REFUSED_THREAD || !atomic_load(&n->asked));
}

static void refuse_rest(void *data) {
  struct store *store = store_open_briefly(); // NULL: it is locked, and stays so
  for (struct site *s = data; s; s = s->next)
    for (struct node *n = atomic_load(&s->all); n; n = n->all)
      if (refuse_is_left(n)) {
        enum refusal reason = atomic_load(&n->refusal);
        refuse_say(n, reason, refuse_text(n, reason), true);
        if (store)
          refuse_store(store, n, reason);
      }
  if (store)
    store_close(store);
}

// Warns if AUTOTUNE_KERNEL names a kernel that was not seen: it may be misspelled, never
// called, or called so seldom that nothing looked at it.
static void refuse_check_name(const struct site *sites) {
  enum { MOST = 64 };
  const char *only = options_get()->kernel, *names[MOST + 1] = { NULL };
  unsigned n = 0;
  bool found = !only || !sites;
  for (const struct site *s = sites; s && !found; s = s->next) {
    found = strcmp(s->kernel->name, only) == 0;
    if (n < MOST)
      names[n++] = s->kernel->name;
  }
  const char *near = found ? NULL : value_nearest(only, strlen(only), names);
  if (!found)
    log_once(AUTOTUNE_WARN, "AUTOTUNE_KERNEL",
             "AUTOTUNE_KERNEL: no kernel '%s' was seen in this process%s%s%s", only,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

void refuse_at_exit(struct site *sites) {
  bool any = false;
  refuse_check_name(sites);
  for (struct site *s = sites; s && !any; s = s->next)
    for (struct node *n = atomic_load(&s->all); n && !any; n = n->all)
      any = refuse_is_left(n);
  if (any)
    stack_run(refuse_rest, sites);
}
