// SPDX-License-Identifier: Apache-2.0
// provisional.c: a variant for the program to run while a tuning goes on (in the tuner).
//
// Winners for keys within a factor of 4 are among the first variants tried. Once such a
// variant was run on this call's own data, agreed with the default and was faster, the
// program may run it in calls of this key until the tuning ends.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "keep/store/store.h"
#include "keep/store/tables.h"
#include "tune.h"

bool provisional_wants(const struct tuning *t, const struct candidate *c) {
  double flops, bytes;
  bool verified;
  if (t->provisional || !c->near || c->status != STATUS_OK || !c->object.data ||
      !t->store)
    return false;
  t->target->call(t->workers, &flops, &bytes, &verified);
  return verified && stats_above(t->original, c->e);
}

// Links C into the store. False: it cannot be linked.
static bool link_object(struct tuning *t, const struct candidate *c, struct outcome *out,
                        uint64_t *hash) {
  char path[64], *why = NULL;
  int fd = sys_fails(SYS_OPEN) ? -1 : memfd_create("autotune-lent", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  bool linked = fd >= 0 && tune_link(t, c, path, &why);
  char *kept = linked ? objects_keep(path, hash) : NULL;
  snprintf(out->path, sizeof out->path, "%s", kept ? kept : "");
  linked = kept != NULL;
  if (fd >= 0)
    close(fd);
  free(kept);
  free(why);
  return linked;
}

// Stores C as the provisional winner: if this process ends before the tuning does, the
// next process has it at once.
static void provisional_keep(struct tuning *t, const struct candidate *c,
                             uint64_t object) {
  char source[128];
  struct summary before;
  if (store_tuning(t->store, problem_id(t->id), NULL, &before))
    return store_summary_free(&before); // do not replace a winner
  snprintf(source, sizeof source, "borrowed from %s", c->from);
  struct summary m = { .winner = c->variant,
                       .values = c->values,
                       .compiler = c->compiler,
                       .object = object,
                       .space = t->id->space,
                       .text = identity_text(t->kernel, c->point),
                       .search = "",
                       .why = "",
                       .machine = "",
                       .source = source,
                       .origin = ORIGIN_PROVISIONAL };
  t->target->call(t->workers, &m.flops, &m.bytes, &m.verified);
  m.inferred = t->kernel->inferred;
  store_summary(t->store, t->id, &m);
}

void provisional_offer(struct tuning *t, struct candidate *c) {
  struct outcome *out = sys_malloc(sizeof *out);
  if (!out)
    return;
  *out = (struct outcome){ .winner = true, .fd = -1 };
  t->provisional = true; // tried once, also if it fails
  tune_report(t, tune_silence(NULL));
  uint64_t hash = 0;
  if (imagine_agrees(t, c) && link_object(t, c, out, &hash)) {
    snprintf(out->why, sizeof out->why,
             "borrowed from %s until it is tuned: %.3g x over the default", c->from,
             t->original.median / c->e.median);
    memcpy(out->point, c->point, t->kernel->n_params * sizeof *c->point);
    provisional_keep(t, c, hash);
    t->host->provisional(t->host->data, out);
  }
  free(out);
}
