// SPDX-License-Identifier: Apache-2.0
// launch.c: a launch of a kernel that runs on a device. For the entry used last, a launch
// takes a comparison of keys, the variant's geometry and the driver's launch; all others
// proceed like plain calls (begin.c).
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/role.h"
#include "site.h"

static struct node *launch_node_at(struct autotune_entry *e) {
  return (struct node *)(void *)((char *)e - offsetof(struct node, entry));
}

// Handles a failed launch of N's CODE; nothing has run. The default runs instead. The
// stored winner is loaded again, once.
static void launch_forget(struct autotune_site *place, struct node *n,
                          struct target_code *code, const char *error) {
  const struct autotune_kernel *k = place->kernel;
  if (!decide_take())
    return; // another call may do it
  if (atomic_load(&n->code) == code) {
    __atomic_store_n(&place->hot, NULL, __ATOMIC_RELEASE);
    node_set(n, (struct variant_code){ .function = k->original });
    log_message(AUTOTUNE_INFO, "%s: the tuned variant cannot be launched: %s", k->name,
                error);
    site_note(&n->why, "default: the tuned variant cannot be launched");
    bool again = n->failures++ == 0;
    atomic_store(&n->asked, !again);
    atomic_store(&n->decided, !again);
  }
  decide_release();
}

static int launch_node(struct autotune_site *place, struct node *n,
                       const struct call *call) {
  struct target_code *code = atomic_load_explicit(&n->code, memory_order_acquire);
  char why[256];
  if (!code)
    return AUTOTUNE_LAUNCH_DEFAULT;
  int rc = target_of(place->kernel)->launch(code, call, why, sizeof why);
  if (__builtin_expect(rc != TARGET_LOST, 1))
    return rc;
  launch_forget(place, n, code, why);
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
  const struct target *t = target_of(k);
  struct site *s = site_of(place);
  struct node *n = s ? given_up_node(s, call) : NULL;
  if (!n)
    return AUTOTUNE_LAUNCH_DEFAULT;
  if (atomic_load_explicit(&n->decided, memory_order_acquire)) {
    begin_launch(s, n, call);
    return launch_node(place, n, call);
  }
  if (decide_mode(k) != MODE_OFF && launch_is_refused(n, call))
    return AUTOTUNE_LAUNCH_DEFAULT;
  bool recorded = decide_mode(k) != MODE_OFF && t->records(call);
  int before = t->pause();
  if (recorded)
    decide_recorded(s, n, call);
  else
    begin_launch(s, n, call);
  t->resume(before);
  return launch_node(place, n, call);
}

int autotune_launch_kernel(struct autotune_site *place, const long long *key,
                           void *const *args, const struct autotune_launch *asked) {
  struct autotune_entry *e = __atomic_load_n(&place->hot, __ATOMIC_ACQUIRE);
  const struct autotune_kernel *k = place->kernel;
  const struct call call = { .args = args, .launch = asked, .key = key };
  bool same = e != NULL;
  for (unsigned i = 0; same && i < k->n_keys; i++)
    same = e->key[i] == key[i];
  if (same)
    return launch_node(place, launch_node_at(e), &call);
  if (role_inside() || !kernel_is_known(k) || !kernel_is_launched(k))
    return AUTOTUNE_LAUNCH_DEFAULT;
  int error = errno;
  int rc = launch_miss(place, &call);
  errno = error;
  return rc;
}
