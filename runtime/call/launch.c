// SPDX-License-Identifier: Apache-2.0
// launch.c: a launch of a kernel that runs on a device. For the entry used last, and for
// three used before it, a launch takes a comparison of keys, the variant's geometry and
// the driver's launch; all others proceed like plain calls (begin.c).
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/role.h"
#include "site.h"

static struct node *launch_node_at(struct autotune_entry *e) {
  return (struct node *)(void *)((char *)e - offsetof(struct node, entry));
}

void launch_cool(struct site *s) {
  __atomic_store_n(&s->place->hot, NULL, __ATOMIC_RELEASE);
  for (unsigned i = 0; i < WARM; i++)
    atomic_store(&s->warm[i], NULL);
}

// Keeps N, which was the hot node of S until now.
static void launch_keep(struct site *s, struct node *n) {
  unsigned next = atomic_fetch_add_explicit(&s->warm_next, 1, memory_order_relaxed);
  for (unsigned i = 0; i < WARM; i++)
    if (atomic_load_explicit(&s->warm[i], memory_order_relaxed) == n)
      return;
  atomic_store_explicit(&s->warm[next % WARM], n, memory_order_release);
  if (!atomic_load(&n->decided) || atomic_load(&n->retired))
    launch_cool(s);
}

static bool launch_is_for(const struct autotune_entry *e, const long long *key,
                          unsigned n_keys) {
  for (unsigned i = 0; i < n_keys; i++)
    if (e->key[i] != key[i])
      return false;
  return true;
}

// Returns the hot or warm node of KEY; NULL: it is none of these.
static struct node *launch_find(const struct autotune_site *place,
                                const struct autotune_entry *hot, const long long *key) {
  unsigned n_keys = place->kernel->n_keys;
  if (!hot)
    return NULL;
  struct node *n = launch_node_at((struct autotune_entry *)(uintptr_t)hot);
  if (__builtin_expect(launch_is_for(hot, key, n_keys), 1))
    return n;
  struct site *s = n->site;
  for (unsigned i = 0; i < WARM; i++)
    if ((n = atomic_load_explicit(&s->warm[i], memory_order_acquire)) &&
        launch_is_for(&n->entry, key, n_keys))
      return n;
  return NULL;
}

// Handles a failed launch of N's CODE; nothing has run. The default runs instead. The
// stored winner is loaded again, once.
__attribute__((noinline)) static void launch_forget(struct node *n,
                                                    struct target_code *code) {
  char error[256];
  const struct autotune_kernel *k = n->site->kernel;
  if (!decide_take())
    return; // another call may do it
  if (atomic_load(&n->code) == code) {
    n->site->target->lost(code, error, sizeof error);
    node_set(n, (struct variant_code){ .function = k->original });
    log_message(AUTOTUNE_INFO, "%s: the tuned variant cannot be launched: %s", k->name,
                error);
    site_note(&n->why, "default: the tuned variant cannot be launched");
    bool again = n->failures++ == 0;
    atomic_store(&n->asked, !again);
    atomic_store(&n->decided, !again);
    launch_cool(n->site);
  }
  decide_release();
}

static inline __attribute__((always_inline)) int launch_node(struct node *n,
                                                             const struct call *call) {
  struct target_code *code = atomic_load_explicit(&n->code, memory_order_acquire);
  if (!code)
    return AUTOTUNE_LAUNCH_DEFAULT;
  int rc = n->site->target->launch(code, call);
  if (__builtin_expect(rc != TARGET_LOST, 1))
    return rc;
  launch_forget(n, code);
  return AUTOTUNE_LAUNCH_DEFAULT;
}

static void launch_refuse(struct node *n, const char *why) {
  site_note(&n->why, why);
  atomic_store(&n->decided, true);
}

// True, after a message once, if N can be neither looked up nor tuned.
static bool launch_is_refused(struct node *n, const struct call *call) {
  const struct autotune_kernel *k = n->site->kernel;
  char text[256];
  if (!kernel_instance(k)) {
    log_once(AUTOTUNE_WARN, k->name,
             "%s: not tuned: a template argument has no name at file scope", k->name);
    launch_refuse(n, "default: its template arguments cannot be spelled elsewhere");
    return true;
  }
  const char *why = target_of(k)->obstacle(k, call->key);
  if (!why)
    return false;
  log_once(AUTOTUNE_WARN, "cuda", "CUDA kernels run as they are: %s", why);
  snprintf(text, sizeof text, "default: %s", why);
  launch_refuse(n, text);
  return true;
}

static int launch_miss(struct autotune_site *place, const struct call *call) {
  const struct autotune_kernel *k = place->kernel;
  struct autotune_entry *hot = __atomic_load_n(&place->hot, __ATOMIC_ACQUIRE);
  struct site *s = site_of(place);
  struct node *n = s ? given_up_node(s, call) : NULL;
  if (!n)
    return AUTOTUNE_LAUNCH_DEFAULT;
  if (atomic_load_explicit(&n->decided, memory_order_acquire)) {
    begin_launch(s, n, call);
    if (hot && __atomic_load_n(&place->hot, __ATOMIC_ACQUIRE) == &n->entry)
      launch_keep(s, launch_node_at(hot));
    return launch_node(n, call);
  }
  const struct target *t = s->target;
  if (decide_mode(k) != MODE_OFF && launch_is_refused(n, call))
    return AUTOTUNE_LAUNCH_DEFAULT;
  bool recorded = decide_mode(k) != MODE_OFF && t->records(call);
  int before = t->pause();
  if (recorded)
    decide_recorded(s, n, call);
  else
    begin_launch(s, n, call);
  t->resume(before);
  return launch_node(n, call);
}

// All launches but those of hot and warm nodes.
__attribute__((noinline)) static int launch_otherwise(struct autotune_site *place,
                                                      const struct call *call) {
  const struct autotune_kernel *k = place->kernel;
  if (role_inside() || !kernel_is_known(k) || !kernel_is_launched(k))
    return AUTOTUNE_LAUNCH_DEFAULT;
  int error = errno;
  int rc = launch_miss(place, call);
  errno = error;
  return rc;
}

int autotune_launch_kernel(struct autotune_site *place, const long long *key,
                           void *const *args, const struct autotune_launch *asked) {
  struct autotune_entry *e = __atomic_load_n(&place->hot, __ATOMIC_ACQUIRE);
  const struct call call = { .args = args, .launch = asked, .key = key };
  struct node *n = launch_find(place, e, key);
  return __builtin_expect(n != NULL, 1) ? launch_node(n, &call)
                                        : launch_otherwise(place, &call);
}
