// SPDX-License-Identifier: Apache-2.0
// sample.c: how long a variant takes. As on the CPU (runner.c): the checked run warms up,
// what is read and written is put back before each timed run, the best so far may run in
// turns with the variant, and sampling ends once enough is known. What is different: the
// L2 cache is flushed before each run, as in a program that does other things in between,
// unless flush(off) says that the data of this kernel stays there. Only then, and with
// nothing to put back, short kernels are timed in batches.
#include <string.h>
#include <time.h>

#include "run.h"
#include "run/target.h"

static const double batch_below = 20e-6, batch_of = 50e-6;
enum { PATTERN = 0x5a, SLOW_AFTER = 3 };

// What runs in turns with the variant, to tell a slow variant from a slow moment.
struct rival {
  bool there;
  const struct loaded *code; // NULL: the default
  double seconds;            // what it takes when nothing else goes on
  unsigned batch;
  double samples[MAX_GPU_SAMPLES];
};

static double sample_now(void) { // never the clock of a test
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool sample_flushes(const struct gpu_run *r) {
  return !(r->call.flags & AUTOTUNE_GPU_NO_FLUSH);
}

static unsigned sample_batch_size(const struct gpu_run *r, double seconds) {
  if (r->restores || sample_flushes(r) || seconds >= batch_below)
    return 1;
  return (unsigned)(batch_of / (seconds > 1e-6 ? seconds : 1e-6));
}

gpu_result gpu_put_back(struct gpu_run *r) {
  gpu_result e = 0;
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++)
    if (r->pieces[i].region->access == AUTOTUNE_INOUT)
      e = gpu_buffer_load(r->api, &r->pieces[i].saved, r->pieces[i].region->base,
                          r->stream);
  return e;
}

// Filling as much memory as twice the cache leaves nothing else in it.
static gpu_result sample_flush(struct gpu_run *r) {
  char why[128];
  if (!sample_flushes(r) || r->info->l2 == 0)
    return 0;
  if (!r->flush.at &&
      !gpu_buffer_make(r->api, &r->flush, 2 * r->info->l2, true, why, sizeof why)) {
    log_once(AUTOTUNE_WARN, "gpu flush", "the L2 cache is not flushed between runs: %s",
             why);
    r->call.flags |= AUTOTUNE_GPU_NO_FLUSH;
    return 0;
  }
  return r->api->set_bytes(r->flush.at, PATTERN, r->flush.bytes, r->stream);
}

static bool sample_run_once(struct gpu_run *r, const struct loaded *l,
                            const struct trial_plan *p, unsigned batch, double *seconds,
                            struct gpu_answer *a) {
  gpu_result e = gpu_put_back(r);
  if (e == 0)
    e = sample_flush(r);
  return gpu_good(r, e, "restoring", a) && gpu_once(r, l, batch, p->limit, seconds, a);
}

static void sample_choose_rival(struct gpu_run *r, const struct loaded *l,
                                const struct trial_plan *p, struct rival *out) {
  const struct loaded *code = p->rival ? gpu_loaded(r, p->rival) : NULL;
  out->there = code && code != l && code->checked && p->rival_seconds > 0;
  out->code = code;
  out->seconds = p->rival_seconds;
  out->batch = sample_batch_size(r, out->seconds);
}

static double sample_least(const double *samples, unsigned n) {
  double best = samples[0];
  for (unsigned i = 1; i < n; i++)
    best = samples[i] < best ? samples[i] : best;
  return best;
}

// Is the variant slower than is wanted, whatever else the device does?
static bool sample_is_slow(const struct trial_plan *p, const struct gpu_answer *a,
                           const struct rival *rival) {
  unsigned n = a->n_samples;
  if (p->stop_above <= 0 || n < 2)
    return false;
  double slowdown = rival->there ? sample_least(rival->samples, n) / rival->seconds : 1;
  double best = sample_least(a->samples, n) / slowdown;
  return best > p->stop_above && (n >= SLOW_AFTER || best > 2 * p->stop_above);
}

static bool sample_is_enough(const struct trial_plan *p, const struct gpu_answer *a,
                             const struct rival *rival, double spent) {
  double sorted[MAX_GPU_SAMPLES];
  unsigned n = a->n_samples;
  if (n >= p->max_samples || n >= MAX_GPU_SAMPLES || spent > p->budget ||
      sample_is_slow(p, a, rival))
    return true;
  if (n < p->min_samples || (n > 16 && n % 8 != 0))
    return false;
  memcpy(sorted, a->samples, n * sizeof *sorted);
  return stats_precise(stats_median(sorted, n), p->precision);
}

// Where one run says enough: it used up the budget, or it is far slower than the best
// although nothing was cold.
static bool sample_is_settled(const struct gpu_run *r, const struct trial_plan *p,
                              double first) {
  bool slow = p->stop_above > 0 && first > 3 * p->stop_above && first > 1e-3 && r->warm;
  return slow || first > p->budget;
}

bool gpu_sample(struct gpu_run *r, const struct loaded *l, const struct trial_plan *p,
                double first, struct gpu_answer *a) {
  struct rival rival;
  double start = sample_now();
  bool good = true;
  a->slowdown = 1;
  if (sample_is_settled(r, p, first)) {
    a->samples[a->n_samples++] = first;
    return true;
  }
  if (first < batch_below * 10) // a short kernel's first run tells little
    good = sample_run_once(r, l, p, 1, &first, a);
  unsigned batch = sample_batch_size(r, first);
  sample_choose_rival(r, l, p, &rival);
  while (good) {
    unsigned n = a->n_samples;
    good = (!rival.there ||
            sample_run_once(r, rival.code, p, rival.batch, &rival.samples[n], a)) &&
        sample_run_once(r, l, p, batch, &a->samples[n], a);
    a->n_samples += good;
    if (good && sample_is_enough(p, a, &rival, sample_now() - start))
      break;
  }
  if (good && rival.there)
    a->slowdown = stats_median(rival.samples, a->n_samples).median / rival.seconds;
  a->time_seconds = sample_now() - start;
  return good;
}
