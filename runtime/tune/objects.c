// SPDX-License-Identifier: Apache-2.0
// objects.c: compiles one variant and waits for it, during the search and after it.
#include <stdlib.h>

#include "tune.h"

bool object_compile(struct tuning *t, struct candidate *c, bool *late) {
  uint64_t ticket = (uint64_t)(c - t->candidates) + 1;
  struct compiled got = { 0 };
  bool over = false;
  late = late ? late : &over;
  *late = false;
  if (c->object.data && !c->in_part)
    return true;
  object_free(&c->object);
  c->in_part = false;
  if (pool_submit_body(t->pool, c->point, c->body, false, ticket, c->variant) != 0)
    return false;
  t->in_flight++;
  while (t->in_flight > 0 && sys_now() < t->deadline && !role_stopping()) {
    tune_report(t, tune_silence(NULL));
    if (t->online)
      online_step(t);
    if (!pool_take(t->pool, &got, t->online ? 0.001 : 0.25))
      continue;
    t->in_flight--;
    free(got.point);
    if (got.ticket == ticket && got.status == 0) {
      c->object = got.object;
      t->summary.compile_seconds += got.object.seconds;
      return true;
    }
    object_free(&got.object); // a late result of the search
    if (got.ticket == ticket)
      return false;
  }
  *late = true;
  return false;
}

void object_compile_alone(struct tuning *t, const struct candidate *c, uint64_t ticket,
                          uint64_t mark, struct compiled *got) {
  struct shared_memory *shared = t->host->shared;
  const bool before = t->n == 0; // the search, which pauses its own pool at times
  *got = (struct compiled){ .status = -1 };
  if (!before && !t->alone && (t->alone = pool_new(t->kernel, 1))) {
    pool_watch(t->alone, shared ? shared->compiling : NULL, COMPILING);
    pool_constants(t->alone, t->id->key, t->constants);
  }
  struct pool *pool = before ? t->pool : t->alone;
  bool waits = pool &&
      (c ? pool_submit_body(pool, c->point, c->body, false, ticket, mark)
         : pool_submit(pool, NULL, ticket, mark)) == 0;
  while (waits && !role_stopping()) {
    tune_report(t, tune_silence(NULL));
    waits = !pool_take(pool, got, 0.25);
  }
  free(got->point);
  got->point = NULL;
  t->summary.compile_seconds += got->object.seconds;
}
