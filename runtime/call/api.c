// SPDX-License-Identifier: Apache-2.0
// api.c: the functions of autotune.h for programs. They answer from this process first,
// then from the store.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/tsan.h"
#include "model/value.h"
#include "site.h"

const char *autotune_status_text(enum autotune_status status) {
  static const char *const texts[] = {
    [AUTOTUNE_OK] = "ok",
    [AUTOTUNE_UNKNOWN_KERNEL] = "there is no kernel of that name in this process",
    [AUTOTUNE_UNKNOWN_PARAMETER] = "the kernel has no parameter of that name",
    [AUTOTUNE_NOT_TUNED] = "nothing is known for that key on this machine",
    [AUTOTUNE_NO_MEMORY] = "out of memory",
    [AUTOTUNE_NO_STORE] = "the folder of results cannot be used",
    [AUTOTUNE_TIMEOUT] = "it took longer",
    [AUTOTUNE_INVALID] = "an argument is out of range",
  };
  return (unsigned)status < sizeof texts / sizeof *texts ? texts[status]
                                                         : "unknown status";
}

const char *autotune_version(void) {
  return "autotune " AUTOTUNE_VERSION;
}

static struct site *api_find_kernel(struct site *list, const char *name) {
  while (list && strcmp(list->kernel->name, name) != 0)
    list = list->next;
  return list;
}

static struct node *node_for(struct site *s, const long long *key) {
  return key || s->kernel->n_keys == 0 ? site_find(s, key) : atomic_load(&s->last);
}

static const struct autotune_param *api_find_param(const struct autotune_kernel *k,
                                                   const char *name) {
  for (unsigned p = 0; p < k->n_params; p++)
    if (strcmp(k->params[p].name, name) == 0)
      return &k->params[p];
  return NULL;
}

// Returns the value of P in VALUES ("MR=6\nNR=64\n"), or NULL.
static const struct autotune_value *api_find_value(const struct autotune_param *p,
                                                   const char *values) {
  struct named_value s;
  if (!values || !value_find(values, p->name, strlen(p->name), &s))
    return NULL;
  unsigned v = value_choice(&s, p);
  return v < p->n_values ? &p->values[v] : NULL;
}

// Returns the default variant's value of P: the best value if the default won.
static const struct autotune_value *original_value(const struct autotune_param *p) {
  return p->original < p->n_values ? &p->values[p->original] : NULL;
}

static enum autotune_status best_stored(const struct site *s, const long long *key,
                                        const struct autotune_param *p,
                                        const struct autotune_value **value) {
  struct identity id = site_identity(s, key);
  struct summary m;
  char *message = NULL, *why = NULL;
  struct store *store = store_open(&message);
  free(message);
  if (!store)
    return AUTOTUNE_NOT_TUNED;
  bool found = store_winner(store, &id, &m, &why);
  store_close(store);
  free(why);
  if (!found)
    return AUTOTUNE_NOT_TUNED;
  *value = m.winner ? api_find_value(p, m.values) : original_value(p);
  store_summary_free(&m);
  return *value ? AUTOTUNE_OK : AUTOTUNE_NOT_TUNED;
}

static enum autotune_status api_best(const char *kernel, const long long *key,
                                     const char *parameter,
                                     const struct autotune_value **value) {
  struct site *s = api_find_kernel(sites_lock(), kernel);
  const struct autotune_param *p = s ? api_find_param(s->kernel, parameter) : NULL;
  enum autotune_status status = !s ? AUTOTUNE_UNKNOWN_KERNEL
      : p                          ? AUTOTUNE_NOT_TUNED
                                   : AUTOTUNE_UNKNOWN_PARAMETER;
  struct node *n = p ? node_for(s, key) : NULL;
  struct note *values = n && atomic_load(&n->decided) ? atomic_load(&n->values) : NULL;
  if (n)
    key = n->entry.key;
  *value = values ? api_find_value(p, values->text) : NULL;
  if (*value)
    status = AUTOTUNE_OK;
  else if (p && (key || s->kernel->n_keys == 0))
    status = best_stored(s, key, p, value);
  sites_unlock();
  return status;
}

static enum autotune_status best_hushed(const char *kernel, const long long *key,
                                        const char *parameter,
                                        const struct autotune_value **value) {
  struct blocked_signals blocked_signals;
  tsan_ignore();
  sys_block_signals(&blocked_signals);
  enum autotune_status status = api_best(kernel, key, parameter, value);
  sys_unblock_signals(&blocked_signals);
  tsan_heed();
  return status;
}

enum autotune_status autotune_best(const char *kernel, const long long *key,
                                   const char *parameter, const char **text) {
  const struct autotune_value *value;
  if (!kernel || !parameter || !text)
    return AUTOTUNE_INVALID;
  enum autotune_status status = best_hushed(kernel, key, parameter, &value);
  if (status == AUTOTUNE_OK)
    *text = value->text;
  return status;
}

enum autotune_status autotune_best_int(const char *kernel, const long long *key,
                                       const char *parameter, long long *number) {
  const struct autotune_value *value;
  if (!kernel || !parameter || !number)
    return AUTOTUNE_INVALID;
  enum autotune_status status = best_hushed(kernel, key, parameter, &value);
  if (status != AUTOTUNE_OK)
    return status;
  char *end;
  errno = 0;
  long long n = strtoll(value->text, &end, 0); // .i of a word is not its number
  if (errno || end == value->text || *end)
    return AUTOTUNE_INVALID;
  *number = n;
  return AUTOTUNE_OK;
}

static bool is_meant(const struct site *s, const char *kernel) {
  return !kernel || strcmp(s->kernel->name, kernel) == 0;
}

// Forgets in this process, then lets a running tuning of a forgotten key be cancelled.
static bool forget_here(const char *kernel, const long long *key) {
  bool known = !kernel;
  for (struct site *s = sites_lock(); s; s = s->next)
    if (is_meant(s, kernel)) {
      known = true;
      site_forget(s, key);
    }
  sites_unlock();
  background_wait(0);
  return known;
}

static bool forget_stored(const char *kernel, const long long *key) {
  char *message = NULL;
  struct store *store = store_open(&message);
  free(message);
  struct site *s = sites_lock();
  for (; store && s; s = s->next)
    if (is_meant(s, kernel))
      store_forget(store, s->kernel->name, site_facts(s).unit, key,
                   target_stored_keys(s->kernel));
  sites_unlock();
  if (store)
    store_close(store);
  return store != NULL;
}

enum autotune_status autotune_forget(const char *kernel, const long long *key) {
  struct blocked_signals blocked_signals;
  tsan_ignore();
  sys_block_signals(&blocked_signals);
  bool known = forget_here(kernel, key), done = forget_stored(kernel, key);
  sys_unblock_signals(&blocked_signals);
  tsan_heed();
  const char *cache = options_get()->cache;
  bool off = cache && *cache == '\0'; // the user asked for no store
  return !known ? AUTOTUNE_UNKNOWN_KERNEL : done || off ? AUTOTUNE_OK : AUTOTUNE_NO_STORE;
}

static void wait_a_little(double left) {
  struct blocked_signals blocked_signals;
  struct timespec nap = { 0, 2 * 1000 * 1000 };
  sys_block_signals(&blocked_signals);
  bool looked = background_wait(left < 0.02 ? left : 0.02);
  sys_unblock_signals(&blocked_signals);
  if (!looked)
    nanosleep(&nap, NULL);
}

static enum autotune_status api_wait(double seconds) {
  double end = seconds < 0 ? 1e300 : sys_now() + seconds;
  while (site_busy()) {
    double left = end - sys_now();
    if (left <= 0)
      return AUTOTUNE_TIMEOUT;
    wait_a_little(left);
  }
  return AUTOTUNE_OK;
}

enum autotune_status autotune_wait(double seconds) {
  tsan_ignore();
  enum autotune_status status = api_wait(seconds);
  tsan_heed();
  return status;
}

static enum autotune_status api_why(const char *kernel, const long long *key,
                                    char **text) {
  if (!kernel || !text)
    return AUTOTUNE_INVALID;
  struct site *s = api_find_kernel(sites_lock(), kernel);
  struct node *n = s ? node_for(s, key) : NULL;
  struct note *note = n ? atomic_load(&n->why) : NULL;
  const char *why = note ? note->text : s ? given_up_why(s, key) : NULL;
  char *copy = why ? sys_strdup(why) : NULL;
  sites_unlock();
  if (!s)
    return AUTOTUNE_UNKNOWN_KERNEL;
  if (!why)
    return AUTOTUNE_NOT_TUNED;
  if (!copy)
    return AUTOTUNE_NO_MEMORY;
  *text = copy;
  return AUTOTUNE_OK;
}

enum autotune_status autotune_why(const char *kernel, const long long *key, char **text) {
  tsan_ignore();
  enum autotune_status status = api_why(kernel, key, text);
  tsan_heed();
  return status;
}
