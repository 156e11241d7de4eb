// SPDX-License-Identifier: Apache-2.0
// site.c: what to call for a key. The stub has looked at site->hot already; here is the table of all
// keys, read without a lock. A key that is not decided is looked up in the store or tuned, by one thread
// at a time; all others run the default variant meanwhile and wait for nobody.
//
// Nothing that is in a table is freed before the site is closed: another thread may be about to use it.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "site.h"

static struct {
  pthread_once_t once;
  pthread_mutex_t lock;       // of the list of sites; never taken by a call that finds its key
  struct site *sites;
  atomic_bool busy;           // somebody asks the store or tunes
  atomic_bool exiting;        // the program ends: other threads may still run what we loaded
} runtime = { .once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER };

// ---- the process ---------------------------------------------------------------------------------

// In the child of a fork the thread that held the lock or was tuning is not there.
static void after_fork(void) {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  runtime.lock = fresh;
  atomic_store(&runtime.busy, false);
  session_forget();
}

// Runs before any destructor of the program, because it was registered after them.
static void at_exit(void) {
  atomic_store(&runtime.exiting, true);
}

static void begin(void) {
  pthread_atfork(NULL, NULL, after_fork);
  atexit(at_exit);
}

struct site *sites_lock(void) {
  pthread_mutex_lock(&runtime.lock);
  return runtime.sites;
}

void sites_unlock(void) {
  pthread_mutex_unlock(&runtime.lock);
}

bool site_busy(void) {
  return atomic_load(&runtime.busy);
}

// ---- sites ---------------------------------------------------------------------------------------

static uint64_t hash_text(uint64_t seed, const char *text) {
  return XXH3_64bits_withSeed(text, strlen(text) + 1, seed);
}

// The kernel's name, every unit's text and flags, and the shape of its arguments.
static uint64_t hash_unit(const struct autotune_kernel *k) {
  uint64_t h = hash_text(0, k->name);
  for (unsigned i = 0; i < k->n_units; i++) {
    h = hash_text(hash_text(h, k->units[i].compiler), k->units[i].text);
    for (const char *const *f = k->units[i].flags; f && *f; f++)
      h = hash_text(h, *f);
  }
  for (unsigned i = 0; i < k->n_args; i++)
    h = XXH3_64bits_withSeed(&k->args[i].size, sizeof k->args[i].size, h);
  return h;
}

// The runtime's half of PLACE, made by whoever comes first; NULL: no memory.
static struct site *site_of(struct autotune_site *place) {
  struct site *s = __atomic_load_n((struct site **)&place->state, __ATOMIC_ACQUIRE);
  if (s)
    return s;
  pthread_once(&runtime.once, begin);
  struct site *list = sites_lock();
  s = place->state;
  if (!s && (s = sys_calloc(1, sizeof *s))) {
    s->kernel = place->kernel;
    s->place = place;
    s->unit = hash_unit(s->kernel);
    s->next = list;
    runtime.sites = s;
    __atomic_store_n((struct site **)&place->state, s, __ATOMIC_RELEASE);
  }
  sites_unlock();
  return s;
}

struct identity site_identity(const struct site *s, const long long *key) {
  const struct machine *m = machine_identity();
  const struct autotune_kernel *k = s->kernel;
  bool one_compiler = k->n_units == 1 && strcmp(k->units[0].compiler, "clang") == 0;
  return (struct identity){
    .unit = s->unit, .kernel = k->name, .file = k->file, .cpu = m->cpu, .isa = m->isa,
    .threads = (unsigned)m->numbers.threads, .key = key, .n_keys = k->n_keys,
    .key_names = k->keys, .toolchain = one_compiler ? AUTOTUNE_TOOLCHAIN : NULL,
  };
}

// ---- keys ------------------------------------------------------------------------------------------

static struct node *_Atomic *bucket(struct site *s, const long long *key) {
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

static struct node *find_from(const struct site *s, struct node *n, const long long *key) {
  while (n && !same_key(s, n->entry.key, key))
    n = atomic_load_explicit(&n->next, memory_order_acquire);
  return n;
}

struct node *site_find(struct site *s, const long long *key) {
  return find_from(s, atomic_load_explicit(bucket(s, key), memory_order_acquire), key);
}

// The node of KEY, made where there is none; NULL: no memory.
static struct node *node_of(struct site *s, const long long *key) {
  struct node *_Atomic *b = bucket(s, key);
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
  do {
    if ((n = find_from(s, head, key))) { // somebody else was faster
      free(made);
      return n;
    }
    atomic_store_explicit(&made->next, head, memory_order_relaxed);
  } while (!atomic_compare_exchange_weak_explicit(b, &head, made, memory_order_acq_rel,
                                                  memory_order_acquire));
  struct node *all = atomic_load(&s->all);
  do
    made->all = all;
  while (!atomic_compare_exchange_weak(&s->all, &all, made));
  return made;
}

static void add_note(_Atomic(struct note *) *list, const char *text) {
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

// Sets what the stub looks at first, unless the node has been forgotten meanwhile.
static autotune_fn use(struct site *s, struct node *n) {
  autotune_fn code = n->entry.code;
  atomic_store_explicit(&s->last, n, memory_order_relaxed);
  __atomic_store_n(&s->place->hot, &n->entry, __ATOMIC_RELEASE);
  if (atomic_load(&n->retired))
    __atomic_store_n(&s->place->hot, NULL, __ATOMIC_RELEASE);
  return code;
}

static void decide(struct node *n, autotune_fn code, const char *why) {
  add_note(&n->why, why);
  if (n->entry.code != code) // it is the default's from the beginning
    n->entry.code = code;
  atomic_store_explicit(&n->decided, true, memory_order_release);
}

// ---- deciding ----------------------------------------------------------------------------------------

// Loads the shared object at PATH for N. False: it cannot be, and that was said.
static bool install(struct site *s, struct node *n, const char *path, const char *values,
                    const char *why) {
  char *message = NULL;
  autotune_fn code = module_load(path, s->kernel->symbols, s->kernel->n_symbols, &n->handle,
                                 &message);
  if (code) {
    add_note(&n->values, values);
    decide(n, code, why);
  } else {
    log_once(AUTOTUNE_WARN, s->kernel->name, "%s: the tuned variant cannot be loaded: %s",
             s->kernel->name, message ? message : "no memory");
  }
  free(message);
  return code != NULL;
}

static bool adopt(struct site *s, struct node *n, const struct summary *m) {
  char why[256];
  double speedup = m->best.median > 0 ? m->original.median / m->best.median : 0;
  if (m->winner == 0) {
    snprintf(why, sizeof why, "default: an earlier run found nothing better (%u variants)", m->tried);
    decide(n, s->kernel->original, why);
    return true;
  }
  char *path = m->object ? objects_find(m->object) : NULL;
  snprintf(why, sizeof why, "stored: %.3g x over the default, found in an earlier run (%u variants)",
           speedup, m->tried);
  bool installed = path && install(s, n, path, m->values, why);
  free(path);
  return installed;
}

// The winner of an earlier run. Asked once for a key: what other processes find later is for later runs.
static bool ask_store(struct site *s, struct node *n) {
  struct identity id = site_identity(s, n->entry.key);
  struct summary m;
  char *message = NULL, *why = NULL;
  bool found = false;
  struct store *store = store_open(&message);
  if (store) {
    found = store_winner(store, &id, &m, &why);
    store_close(store);
  }
  bool adopted = found && adopt(s, n, &m);
  if (found)
    store_summary_free(&m);
  if (why)
    log_message(AUTOTUNE_INFO, "%s: %s", s->kernel->name, why);
  if (why && !adopted)
    add_note(&n->why, why);
  atomic_store(&n->asked, true);
  free(why);
  free(message);
  return adopted;
}

static void tune(struct site *s, struct node *n, void *const *args) {
  const struct autotune_kernel *k = s->kernel;
  struct identity id = site_identity(s, n->entry.key);
  struct outcome *out = sys_malloc(sizeof *out);
  if (!out)
    return decide(n, k->original, "default: no memory");
  int rc = session_run(k, &id, args, &(struct plan){ .kind = PLAN_SEARCH }, out);
  char *values = rc == 0 && out->winner ? space_values(k, out->point) : NULL;
  log_message(rc == 0 ? AUTOTUNE_INFO : AUTOTUNE_WARN, "%s: %s", k->name, out->why);
  if (!values || !install(s, n, out->path, values, out->why))
    decide(n, k->original, values ? "default: the tuned variant cannot be loaded" : out->why);
  if (out->fd >= 0)
    close(out->fd);
  free(values);
  free(out);
}

static enum tuning_mode mode_of(const struct autotune_kernel *k) {
  const struct options *o = options_get();
  if (o->mode_set || !k->mode)
    return o->mode;
  return strcmp(k->mode, "off") == 0 ? MODE_OFF
         : strcmp(k->mode, "locked") == 0 ? MODE_LOCKED : MODE_FIRST;
}

// By the one thread that is `busy`.
static void work(struct site *s, struct node *n, void *const *args) {
  bool locked = mode_of(s->kernel) == MODE_LOCKED;
  if (atomic_load(&n->decided) || (!atomic_load(&n->asked) && ask_store(s, n)))
    return;
  if (locked)
    decide(n, s->kernel->original, "default: locked, and nothing is known for this key");
  else if (s->kernel->n_params == 0 || s->kernel->n_params > MAX_PARAMS || !s->kernel->n_units)
    decide(n, s->kernel->original, "default: the kernel has no parameters, or too many");
  else if (openmp_in_parallel())
    add_note(&n->why, "default: called inside a parallel region"); // a later call may do better
  else
    tune(s, n, args);
}

static autotune_fn miss(struct site *s, struct node *n, void *const *args) {
  if (mode_of(s->kernel) == MODE_OFF) {
    decide(n, s->kernel->original, "default: tuning is off");
    return use(s, n);
  }
  if (atomic_load(&n->asked) && openmp_in_parallel())
    return s->kernel->original;
  if (atomic_exchange(&runtime.busy, true)) { // also a call from within a tuning
    if (!atomic_load(&n->why))
      add_note(&n->why, "default: a kernel is being tuned in another thread");
    return s->kernel->original;
  }
  work(s, n, args);
  atomic_store(&runtime.busy, false);
  return atomic_load(&n->decided) ? use(s, n) : s->kernel->original;
}

static autotune_fn miss_hushed(struct site *s, struct node *n, void *const *args) {
  struct hush hush;
  sys_hush(&hush);
  autotune_fn code = miss(s, n, args);
  sys_unhush(&hush);
  return code;
}

autotune_fn autotune_begin(struct autotune_site *place, const long long *key, void *const *args,
                           struct autotune_call_state *state) {
  const struct autotune_kernel *k = place->kernel;
  state->node = NULL;
  int error = errno;
  if (session_inside() || k->abi != AUTOTUNE_ABI)
    return k->original;
  struct site *s = site_of(place);
  struct node *n = s ? node_of(s, key) : NULL;
  autotune_fn code = k->original;
  if (n && atomic_load_explicit(&n->decided, memory_order_acquire))
    code = use(s, n);
  else if (n)
    code = miss_hushed(s, n, args);
  errno = error;
  return code;
}

void autotune_end(struct autotune_call_state *state) {
  (void)state;
}

// ---- the end of a site ------------------------------------------------------------------------------

static void unlink_node(struct site *s, struct node *n) {
  struct node *_Atomic *at = bucket(s, n->entry.key);
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
    }
  atomic_store(&s->last, NULL);
  __atomic_store_n(&s->place->hot, NULL, __ATOMIC_RELEASE);
}

static void free_notes(struct note *n) {
  for (struct note *next; n; n = next) {
    next = n->next;
    free(n);
  }
}

static void free_site(struct site *s) {
  struct node *n = atomic_load(&s->all), *next;
  for (; n; n = next) {
    next = n->all;
    free_notes(atomic_load(&n->why));
    free_notes(atomic_load(&n->values));
    if (n->handle)
      dlclose(n->handle);
    free(n);
  }
  free(s);
}

void autotune_site_close(struct autotune_site *place) {
  struct site *s = place->state;
  // At exit other threads may still run the variants; in a tuner nothing is cleaned up.
  if (!s || atomic_load(&runtime.exiting) || session_inside())
    return;
  sites_lock();
  for (struct site **at = &runtime.sites; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      break;
    }
  __atomic_store_n(&place->hot, NULL, __ATOMIC_RELEASE);
  place->state = NULL;
  sites_unlock();
  free_site(s);
}
