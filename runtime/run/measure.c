// SPDX-License-Identifier: Apache-2.0
// measure.c: what a run of a variant costs. The run that is checked comes first. Only
// where it is long is it a sample as well (else page faults, cold caches, threads that
// start are a part of it). Before
// each measured run what is read and written is put back, outside of the measured part.
// The best variant so far may run in turns with this one, to tell a slow variant from a
// slow moment. A kernel of less than 20 us is measured in batches of about 50 us, unless
// something is put back between runs: repeated on its own result it would compute
// something else. Nothing is subtracted.
#include <string.h>
#include <time.h>

#include "measure.h"

static const double batch_below = 20e-6, batch_of = 50e-6;
enum { FEW = 3 };

static unsigned measure_batch(const struct measure *m, double seconds) {
  if (!m->batches || seconds >= batch_below)
    return 1;
  return (unsigned)(batch_of / (seconds > m->shortest ? seconds : m->shortest));
}

static double measure_least(const double *costs, unsigned n) {
  double best = costs[0];
  for (unsigned i = 1; i < n; i++)
    best = costs[i] < best ? costs[i] : best;
  return best;
}

// True if the variant costs more than the plan wants, whatever else the machine does. A
// variant that is only somewhat slower is not given up before the system has found cores
// for its threads.
static bool measure_is_slow(const struct measure *m, const struct measured *out,
                            const double *rivals, double spent) {
  const struct trial_plan *p = m->plan;
  if (p->stop_above <= 0 || out->n < 2)
    return false;
  double slowdown = m->rival ? measure_least(rivals, out->n) / p->rival_sample.cost : 1;
  double best = measure_least(out->samples, out->n) / slowdown;
  bool settled = m->settling > 0 && spent >= m->settling;
  settled |= (m->settling <= 0 || m->rival) && out->n >= FEW;
  return best > p->stop_above && (settled || best > 2 * p->stop_above);
}

static bool measure_is_enough(const struct measure *m, const struct measured *out,
                              const double *rivals, double spent) {
  const struct trial_plan *p = m->plan;
  double sorted[MEASURE_MAX];
  unsigned n = out->n;
  if (n >= p->max_samples || n >= m->capacity || spent > p->budget ||
      measure_is_slow(m, out, rivals, spent))
    return true;
  if (n < p->min_samples || (n > 16 && n % 8 != 0))
    return false;
  memcpy(sorted, out->samples, n * sizeof *sorted);
  return stats_precise(stats_median(sorted, n), p->precision);
}

// Runs a short kernel a few times first, since its first runs say little. *FIRST: the
// last of them.
static bool measure_warm_up(const struct measure *m, struct sample *first) {
  if (first->seconds >= 10 * batch_below)
    return true;
  if (!m->run(m->data, MEASURE_VARIANT, 1, first))
    return false;
  return first->seconds >= batch_below ||
      m->run(m->data, MEASURE_VARIANT, m->batches ? 4 : 1, first);
}

bool measure(const struct measure *m, struct sample first, struct measured *out) {
  double rivals[MEASURE_MAX], start = m->clock();
  struct sample rival = { 0 }, own;
  out->n = 0;
  out->slowdown = 1;
  out->run_seconds = 0;
  bool good = measure_warm_up(m, &first);
  unsigned batch = measure_batch(m, first.seconds);
  unsigned rival_batch = measure_batch(m, m->plan->rival_sample.seconds);
  if (m->counts && !m->rival) {
    out->samples[out->n++] = first.cost;
    out->run_seconds = first.seconds;
  }
  while (good &&
         (out->n == 0 || !measure_is_enough(m, out, rivals, m->clock() - start))) {
    good = (!m->rival || m->run(m->data, MEASURE_RIVAL, rival_batch, &rival)) &&
        m->run(m->data, MEASURE_VARIANT, batch, &own);
    if (!good)
      break;
    rivals[out->n] = rival.cost;
    out->samples[out->n++] = own.cost;
    out->run_seconds += (own.seconds - out->run_seconds) / out->n;
  }
  if (good && m->rival)
    out->slowdown = stats_median(rivals, out->n).median / m->plan->rival_sample.cost;
  out->seconds = m->clock() - start;
  return good;
}

bool measure_settled(const struct trial_plan *p, struct sample first, bool warm,
                     double memory) {
  const double part = 0.05;
  if (p->max_samples > 1 && memory > part * first.seconds)
    return false;
  bool slow = warm && p->stop_above > 0 && first.cost > 3 * p->stop_above &&
      first.seconds > 1e-3;
  return slow || first.seconds > p->budget;
}

int measure_take(struct trial *out, const double *costs, unsigned n, double run_seconds) {
  for (unsigned i = 0; i < n; i++)
    if (!(costs[i] >= 0 && costs[i] < 1e18))
      n = 0;
  if (out->status == STATUS_OK && n == 0) {
    out->status = STATUS_CRASH;
    snprintf(out->message, sizeof out->message, "its measurements were destroyed");
  }
  out->run_seconds = run_seconds > 0 && run_seconds < 1e9 ? run_seconds : 0;
  out->samples = n ? sys_malloc(n * sizeof *out->samples) : NULL;
  if (n && !out->samples)
    return -1;
  for (out->n_samples = 0; out->n_samples < n; out->n_samples++)
    out->samples[out->n_samples] = costs[out->n_samples];
  return 0;
}

double measure_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
