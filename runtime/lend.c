// SPDX-License-Identifier: Apache-2.0
// lend.c: something better than the default to run while a tuning goes on (in the tuner).
//
// What won for a key within a factor of 4 is among the first that are tried. Once it was run on this call's
// own data, agreed with the default and was faster, the program may borrow it: calls of this key that come
// before the tuning ends run it.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tune.h"

bool lend_wants(const struct tuning *t, const struct candidate *c) {
  double flops, bytes;
  bool verified;
  if (t->lent || !c->near || c->fate != FATE_OK || !c->object.data || !t->store)
    return false;
  worker_call(t->workers, &flops, &bytes, &verified);
  return verified && stats_slower(t->original, c->e);
}

// Links C into the store. False: that cannot be.
static bool link_object(struct tuning *t, const struct candidate *c, struct outcome *out) {
  char path[64], *why = NULL;
  uint64_t hash;
  int fd = sys_fails(SYS_OPEN) ? -1 : memfd_create("autotune-lent", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  bool linked = fd >= 0 && !sys_fails(SYS_JIT) &&
                t->jit->link_shared(c->object.data, c->object.size, path, &why) == 0;
  char *kept = linked ? objects_keep(path, &hash) : NULL;
  snprintf(out->path, sizeof out->path, "%s", kept ? kept : "");
  linked = kept != NULL;
  if (fd >= 0)
    close(fd);
  free(kept);
  free(why);
  return linked;
}

void lend(struct tuning *t, const struct candidate *c) {
  struct outcome *out = sys_malloc(sizeof *out);
  if (!out)
    return;
  *out = (struct outcome){ .winner = true, .fd = -1 };
  t->lent = true; // once, also where it fails
  tune_report(t, tune_silence(NULL));
  if (link_object(t, c, out)) {
    snprintf(out->why, sizeof out->why, "borrowed from %s until it is tuned: %.3g x over the default",
             c->from, t->original.median / c->e.median);
    memcpy(out->point, c->point, t->kernel->n_params * sizeof *c->point);
    session_lend(out);
  }
  free(out);
}
