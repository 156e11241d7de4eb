// SPDX-License-Identifier: Apache-2.0
// begin_timed.c: wraps the runtime's autotune_begin and measures how long it keeps a
// call.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <autotune_abi.h>
#include <dlfcn.h>
#include <time.h>

double
    begin_seconds; // of the last call that went through the runtime; the caller resets it

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

autotune_fn autotune_begin(struct autotune_site *site, const long long *key,
                           void *const *args, struct autotune_call_state *state) {
  static autotune_fn (*real)(struct autotune_site *, const long long *, void *const *,
                             struct autotune_call_state *);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "autotune_begin");
  double start = now();
  autotune_fn fn = real(site, key, args, state);
  begin_seconds += now() - start;
  return fn;
}
