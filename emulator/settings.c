/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c:
 * AUTOTUNE_EMULATE="devices=2,memory=64M,cc=90,timeout=2,idle,verbose,early,
 * exclusive=/tmp/lock,fault=illegal:3+": the emulated machine, and which of its calls
 * fail. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

enum { MAX_FAULTS = 8 };
static const char *const fault_names[] = {
  [FAULT_ILLEGAL] = "illegal", [FAULT_TRAP] = "trap",     [FAULT_ASSERT] = "assert",
  [FAULT_TIMEOUT] = "timeout", [FAULT_LAUNCH] = "launch", [FAULT_MEMORY] = "memory",
  [FAULT_LOAD] = "load",       [FAULT_SYNC] = "sync",     [FAULT_COPY] = "copy",
  [FAULT_EVENT] = "event",     [FAULT_IPC] = "ipc",       [FAULT_NVRTC] = "nvrtc",
  [FAULT_INIT] = "init",
};

static struct {
  pthread_once_t once;
  struct settings s;
  struct {
    enum fault what;
    unsigned long from;
    bool all;
  } faults[MAX_FAULTS];
  unsigned n_faults;
  atomic_ulong calls[FAULT_INIT + 1];
} state = { .once = PTHREAD_ONCE_INIT };

static size_t settings_bytes_of(const char *text) {
  char *end;
  double n = strtod(text, &end);
  int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  return n > 0 ? (size_t)(n * (double)(1ull << shift)) : 0;
}

/* Adds the fault "illegal:3+". */
static void fault_add(const char *text) {
  size_t n = strcspn(text, ":");
  for (unsigned f = 1; f <= FAULT_INIT && state.n_faults < MAX_FAULTS; f++)
    if (strlen(fault_names[f]) == n && !strncmp(text, fault_names[f], n)) {
      char *end = NULL;
      unsigned long from = text[n] ? strtoul(text + n + 1, &end, 10) : 1;
      state.faults[state.n_faults].what = f;
      state.faults[state.n_faults].from = from ? from : 1;
      state.faults[state.n_faults++].all = end && *end == '+';
    }
}

static void setting_read(const char *name, const char *value) {
  struct settings *s = &state.s;
  if (!strcmp(name, "devices"))
    s->devices = atoi(value) < 0    ? 0
        : atoi(value) > MAX_DEVICES ? MAX_DEVICES
                                    : atoi(value);
  else if (!strcmp(name, "memory") && settings_bytes_of(value))
    s->memory = settings_bytes_of(value);
  else if (!strcmp(name, "cc") && atoi(value) >= 10)
    s->cc = atoi(value);
  else if (!strcmp(name, "timeout") && strtod(value, NULL) > 0)
    s->timeout = strtod(value, NULL);
  else if (!strcmp(name, "exclusive") && *value && !s->exclusive)
    s->exclusive = strdup(value);
  else if (!strcmp(name, "idle"))
    s->idle = strcmp(value, "0") != 0;
  else if (!strcmp(name, "verbose"))
    s->verbose = strcmp(value, "0") != 0;
  else if (!strcmp(name, "early"))
    s->early = strcmp(value, "0") != 0;
  else if (!strcmp(name, "fault"))
    fault_add(value);
}

static void read_once(void) {
  state.s = (struct settings){
    .devices = 1, .cc = 80, .memory = (size_t)4 << 30, .timeout = 20
  };
  const char *text = getenv("AUTOTUNE_EMULATE");
  char *copy = text ? strdup(text) : NULL, *rest = NULL;
  for (char *word = copy ? strtok_r(copy, ", ", &rest) : NULL; word;
       word = strtok_r(NULL, ", ", &rest)) {
    char *value = strchr(word, '=');
    if (value)
      *value++ = 0;
    setting_read(word, value ? value : "");
  }
  free(copy);
}

const struct settings *settings_get(void) {
  pthread_once(&state.once, read_once);
  return &state.s;
}

const struct limits *limits_get(void) {
  static const struct limits before = { 99 << 10, 100 << 10, 1536, 16 },
                             hopper = { SHARED_MOST, 228 << 10, 2048, 32 };
  return settings_get()->cc < 90 ? &before : &hopper;
}

bool fault_due(enum fault f) {
  settings_get();
  if (!state.n_faults)
    return false;
  unsigned long call = atomic_fetch_add(&state.calls[f], 1) + 1;
  for (unsigned i = 0; i < state.n_faults; i++)
    if (state.faults[i].what == f &&
        (state.faults[i].from == call ||
         (state.faults[i].all && call > state.faults[i].from)))
      return true;
  return false;
}
