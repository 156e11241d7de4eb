// SPDX-License-Identifier: Apache-2.0
// site.c: the keys of each kernel and their results, in tables that are read without a
// lock.
//
// Nothing in a table is freed before the site is closed, since another thread may be
// about to use it.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/role.h"
#include "base/tsan.h"
#include "run/cpu/openmp.h"
#include "run/cpu/stack.h"
#include "confirm.h"
#include "lead.h"

static struct {
  pthread_once_t once;
  pthread_mutex_t lock; // of the list of sites; never taken by a call that finds its key
  struct site *sites;
  atomic_bool exiting; // the program is ending: other threads may still run loaded code
} runtime = { .once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER };

// ---- the process --------------------------------------------------------------------

// In the child of a fork: the thread that held the lock or was tuning does not exist
// here.
static void site_after_fork(void) {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  runtime.lock = fresh;
  decide_after_fork();
  session_forget();
  hot_after_fork(runtime.sites);
  allowance_after_fork();
  loss_after_fork();
}

// Runs before any destructor that was registered before the last site was made. Among
// these is what closes sites in C++, which each registers just before it is made.
static void at_exit(void) {
  if (atomic_exchange(&runtime.exiting, true) || role_inside() ||
      pthread_mutex_trylock(&runtime.lock) != 0)
    return;
  struct blocked_signals blocked_signals; // a file may have reached its limit
  sys_block_signals(&blocked_signals);
  for (struct site *s = runtime.sites; s; s = s->next)
    for (struct node *n = atomic_load(&s->all); n; n = n->all)
      first_at_exit(n);
  background_at_exit();
  refuse_at_exit(runtime.sites);
  confirm_keep(runtime.sites, NULL);
  hot_at_exit(runtime.sites);
  loss_at_exit(reverify_waiting(runtime.sites));
  sys_unblock_signals(&blocked_signals);
  pthread_mutex_unlock(&runtime.lock);
}

static void site_begin(void) {
  pthread_atfork(NULL, NULL, site_after_fork);
  hot_begin();
  openmp_begin();
  ring_begun();
}

struct site *sites_lock(void) {
  pthread_mutex_lock(&runtime.lock);
  return runtime.sites;
}

void sites_unlock(void) {
  pthread_mutex_unlock(&runtime.lock);
}

// ---- sites --------------------------------------------------------------------------

// Notes a called kernel for `autotune tune`, which reports kernels that were not called.
static void tell_called(const struct autotune_kernel *k) {
  const char *path = options_get()->called;
  char *line = path ? sys_printf("%s\n", k->name) : NULL;
  int fd = line ? sys_open(path, O_WRONLY | O_APPEND | O_NOFOLLOW, 0) : -1;
  if (fd >= 0) {
    (void)!sys_write_all(fd, line, strlen(line));
    close(fd);
  }
  free(line);
}

// Makes the runtime's half of DATA, a place, unless it exists.
static void site_make(void *data) {
  struct autotune_site *place = data;
  pthread_once(&runtime.once, site_begin);
  struct site *list = sites_lock();
  struct site *s = place->state;
  if (!s && (s = sys_calloc(1, sizeof *s))) {
    s->kernel = place->kernel;
    s->place = place;
    s->target = target_of(place->kernel);
    hot_recall(s);
    s->next = list;
    runtime.sites = s;
    __atomic_store_n((struct site **)&place->state, s, __ATOMIC_RELEASE);
    atexit(at_exit);
    tell_called(s->kernel);
  }
  sites_unlock();
}

// Returns the runtime's half of PLACE, made by the first caller; NULL: no memory.
struct site *site_of(struct autotune_site *place) {
  struct site **half = (struct site **)&place->state;
  struct site *s = __atomic_load_n(half, __ATOMIC_ACQUIRE);
  if (!s && stack_run(site_make, place))
    s = __atomic_load_n(half, __ATOMIC_ACQUIRE);
  return s;
}

struct facts site_facts(const struct site *s) {
  struct site *own = (struct site *)s; // what it says is the same before and after
  const struct autotune_kernel *k = s->kernel;
  if (atomic_load_explicit(&s->knows, memory_order_acquire))
    return s->facts;
  struct facts f = { identity_unit(k), identity_space(k), identity_contract(k) };
  if (!atomic_exchange(&own->knowing, true)) {
    own->facts = f;
    atomic_store_explicit(&own->knows, true, memory_order_release);
  }
  return f;
}

bool site_cooperates(struct site *s) {
  if (atomic_load_explicit(&s->cooperates, memory_order_relaxed) == 0)
    atomic_store(&s->cooperates, kernel_cooperates(s->kernel) ? 1 : -1);
  return atomic_load_explicit(&s->cooperates, memory_order_relaxed) > 0;
}

struct identity site_identity(const struct site *s, const long long *key) {
  const struct autotune_kernel *k = s->kernel;
  struct facts facts = site_facts(s);
  struct target_identity here;
  target_of(k)->identify(k, key, &here);
  return (struct identity){
    .unit = facts.unit,
    .kernel = k->name,
    .file = k->file,
    .cpu = here.cpu,
    .isa = here.isa,
    .threads = here.threads,
    .key = key,
    .n_keys = target_stored_keys(k),
    .key_names = k->keys,
    .toolchain = here.toolchain,
    .space = facts.space,
    .contract = facts.contract,
    .device = here.device,
    .objective = objective_of(k),
  };
}

// ---- keys ---------------------------------------------------------------------------

static struct node *_Atomic *site_bucket(struct site *s, const long long *key) {
  uint64_t h = 0;
  for (unsigned i = 0; i < s->kernel->n_keys; i++)
    h = (h ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15u;
  return &s->buckets[h >> 58];
}

static bool same_key(const struct site *s, const long long *a, const long long *b) {
  for (unsigned i = 0; i < s->kernel->n_keys; i++)
    if (a[i] != b[i])
      return false;
  return true;
}

static struct node *find_from(const struct site *s, struct node *n,
                              const long long *key) {
  while (n && !same_key(s, n->entry.key, key))
    n = atomic_load_explicit(&n->next, memory_order_acquire);
  return n;
}

struct node *site_find(struct site *s, const long long *key) {
  return find_from(s, atomic_load_explicit(site_bucket(s, key), memory_order_acquire),
                   key);
}

// Returns the node of KEY, made if it does not exist; NULL: no memory.
struct node *node_of(struct site *s, const long long *key) {
  struct node *_Atomic *b = site_bucket(s, key);
  struct node *head = atomic_load_explicit(b, memory_order_acquire), *n;
  if ((n = find_from(s, head, key)))
    return n;
  size_t size = s->kernel->n_keys * sizeof *key;
  struct node *made = sys_calloc(1, sizeof *made + size);
  if (!made)
    return NULL;
  if (size)
    memcpy(made->entry.key, key, size);
  made->entry.code = s->kernel->original;
  made->site = s;
  do {
    if ((n = find_from(s, head, key))) { // another thread added it first
      free(made);
      return n;
    }
    atomic_store_explicit(&made->next, head, memory_order_relaxed);
  } while (!atomic_compare_exchange_weak_explicit(b, &head, made, memory_order_acq_rel,
                                                  memory_order_acquire));
  atomic_fetch_add(&s->n_nodes, 1);
  struct node *all = atomic_load(&s->all);
  do
    made->all = all;
  while (!atomic_compare_exchange_weak(&s->all, &all, made));
  return made;
}

void site_note(_Atomic(struct note *) *list, const char *text) {
  struct note *old = atomic_load(list);
  if (old && strcmp(old->text, text) == 0)
    return;
  struct note *n = sys_malloc(sizeof *n + strlen(text) + 1);
  if (!n)
    return;
  strcpy(n->text, text);
  do
    n->next = old;
  while (!atomic_compare_exchange_weak(list, &old, n));
}

// ---- the end of a site --------------------------------------------------------------

static void unlink_node(struct site *s, struct node *n) {
  struct node *_Atomic *at = site_bucket(s, n->entry.key);
  struct node *expected = n;
  if (atomic_compare_exchange_strong(at, &expected, atomic_load(&n->next)))
    return;
  for (struct node *i = atomic_load(at); i; i = atomic_load(&i->next))
    if (atomic_load(&i->next) == n)
      atomic_store(&i->next, atomic_load(&n->next));
}

void site_forget(struct site *s, const long long *key) {
  for (struct node *n = atomic_load(&s->all); n; n = n->all)
    if (!atomic_load(&n->retired) && (!key || same_key(s, n->entry.key, key))) {
      unlink_node(s, n);
      atomic_store(&n->retired, true);
      atomic_fetch_sub(&s->n_nodes, 1);
    }
  given_up_forget(s);
  atomic_store(&s->last, NULL);
  launch_cool(s);
}

bool site_load(struct node *n, const char *path, const char *values,
               struct variant_code *out, char **message) {
  const struct autotune_kernel *k = n->site->kernel;
  return target_of(k)->load(k, n->entry.key, path, values, out, message);
}

void node_set(struct node *n, struct variant_code code) {
  if (atomic_load_explicit(&n->code, memory_order_relaxed) != code.loaded)
    atomic_store_explicit(&n->code, code.loaded, memory_order_release);
  if (__atomic_load_n(&n->entry.code, __ATOMIC_RELAXED) != code.function)
    __atomic_store_n(&n->entry.code, code.function, __ATOMIC_RELEASE);
}

bool node_is_default(const struct node *n) {
  return !atomic_load_explicit(&n->code, memory_order_acquire) &&
      __atomic_load_n(&n->entry.code, __ATOMIC_ACQUIRE) == n->site->kernel->original;
}

static void site_unload(const struct site *s, struct target_code *code) {
  if (code)
    target_of(s->kernel)->unload(code);
}

static void free_notes(struct note *n) {
  for (struct note *next; n; n = next) {
    next = n->next;
    free(n);
  }
}

void site_keep(struct node *n, struct target_code *handle) {
  struct kept *k = sys_malloc(sizeof *k);
  if (!k)
    return; // no memory: it is never unloaded
  *k = (struct kept){ n->kept, handle };
  n->kept = k;
}

static void free_kept(const struct site *s, struct kept *k) {
  for (struct kept *next; k; k = next) {
    next = k->next;
    site_unload(s, k->handle);
    free(k);
  }
}

static void free_site(struct site *s) {
  struct node *n = atomic_load(&s->all), *next;
  for (; n; n = next) {
    next = n->all;
    free_notes(atomic_load(&n->why));
    free_notes(atomic_load(&n->values));
    stored_free(n);
    team_free(n);
    free(n->watch);
    free(n->reverify);
    confirm_free(n);
    site_unload(s, n->handle);
    site_unload(s, n->provisional);
    free_kept(s, n->kept);
    free(n);
  }
  lead_free(s);
  given_up_free(s);
  free(s);
}

void autotune_site_close(struct autotune_site *place) {
  struct site *s = place->state;
  // At exit other threads may still run the variants; in a tuner nothing is cleaned up.
  if (!s || atomic_load(&runtime.exiting) || role_inside())
    return;
  tsan_ignore();
  sites_lock();
  for (struct site **at = &runtime.sites; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      break;
    }
  __atomic_store_n(&place->hot, NULL, __ATOMIC_RELEASE);
  place->state = NULL;
  sites_unlock();
  confirm_keep(s, s->next);
  if (background_leave(s))
    free_site(s);
  tsan_heed();
}
