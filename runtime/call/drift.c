// SPDX-License-Identifier: Apache-2.0
// drift.c: decides whether a tuned kernel has become slower (drift.h).
//
// Windows are judged by their median, so that single interruptions do not count, and by
// the lower end of its 95 % interval, so that noise does not. A machine that is busy now
// and then has normal windows in between, so many consecutive slow windows are required.
// A kernel that is slower than recorded from the beginning must be slower by more, since
// a program's calls have colder caches than those of a tuning.
#include <string.h>

#include "drift.h"
#include "base/base.h"

static const double slower = 1.15, from_the_beginning = 2;

struct drift drift_new(double recorded, double length) {
  return (struct drift){ .recorded = recorded, .length = length, .stride = 1 };
}

static void drift_keep(struct drift *d, double seconds) {
  if (++d->passed < d->stride)
    return;
  d->passed = 0;
  if (d->n == DRIFT_SAMPLES) { // drops every other sample to make room
    for (unsigned i = 0; i < DRIFT_SAMPLES / 2; i++)
      d->samples[i] = d->samples[2 * i];
    d->n = DRIFT_SAMPLES / 2;
    d->stride *= 2;
  }
  d->samples[d->n++] = seconds;
}

// Adds one of the first windows, which establish what is normal.
static bool drift_learn(struct drift *d, double median) {
  if (d->n_bases == 0)
    d->since = d->began;
  d->bases[d->n_bases++] = median;
  if (d->n_bases < DRIFT_BASE)
    return false;
  d->base = stats_median(d->bases, DRIFT_BASE).median;
  d->ratio = d->recorded > 0 ? d->base / d->recorded : 1;
  return d->ratio > from_the_beginning;
}

static bool drift_judge(struct drift *d, struct estimate e) {
  if (d->base <= 0)
    return drift_learn(d, e.median);
  bool slow = e.low > slower * d->base;
  d->fast = e.high * slower < d->base ? d->fast + 1 : 0;
  if (d->fast >= DRIFT_LONG) { // the first windows were not normal
    d->base = e.median;
    d->fast = 0;
  }
  if (slow && d->slow == 0)
    d->since = d->began;
  d->slow = slow ? d->slow + 1 : 0;
  d->ratio = e.median / d->base;
  return d->slow >= DRIFT_LONG;
}

bool drift_add(struct drift *d, double seconds, double now) {
  if (d->n == 0 && d->passed == 0)
    d->began = now;
  drift_keep(d, seconds);
  if (d->n < DRIFT_LEAST || now - d->began < d->length)
    return false;
  struct estimate e = stats_median(d->samples, d->n);
  d->n = d->passed = 0;
  d->stride = 1;
  return drift_judge(d, e);
}
