// SPDX-License-Identifier: Apache-2.0
// sample.c: one run of those that tell what a variant costs (measure.c). Other
// than on a processor, the L2 cache is flushed before each run, as in a program that does
// other work between calls, unless flush(off) says that the kernel's data stays there.
// Only with flush(off), and if nothing is put back, short kernels run in batches.
#include "run.h"
#include "run/measure.h"

enum { PATTERN = 0x5a };

struct sampling {
  struct gpu_run *run;
  const struct loaded *code, *rival; // NULL: the default
  const struct trial_plan *plan;
  struct gpu_answer *answer;
};

static bool sample_flushes(const struct gpu_run *r) {
  return !(r->call.flags & AUTOTUNE_GPU_NO_FLUSH);
}

gpu_result gpu_put_back(struct gpu_run *r) {
  gpu_result e = 0;
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++)
    if (r->pieces[i].region->access == AUTOTUNE_INOUT)
      e = gpu_buffer_load(r->api, &r->pieces[i].saved, r->pieces[i].region->base,
                          r->stream);
  return e;
}

// Flushes the L2 cache by filling memory of twice its size.
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

// Runs a variant for measure(); struct measure says how.
static bool sample_run(void *data, enum measure_what which, unsigned batch,
                       struct sample *out) {
  const struct sampling *m = data;
  struct gpu_run *r = m->run;
  gpu_result e = gpu_put_back(r);
  if (e == 0)
    e = sample_flush(r);
  return gpu_good(r, e, "restoring", m->answer) &&
      gpu_once(r, which == MEASURE_RIVAL ? m->rival : m->code, batch, m->plan, out,
               m->answer);
}

bool gpu_sample(struct gpu_run *r, const struct loaded *l, const struct trial_plan *p,
                struct sample first, struct gpu_answer *a) {
  const struct loaded *rival = p->rival ? gpu_loaded(r, p->rival) : NULL;
  struct sampling data = { r, l, rival, p, a };
  const struct measure m = {
    .plan = p,
    .rival = rival && rival != l && rival->checked && p->rival_sample.cost > 0,
    .batches = !r->restores && !sample_flushes(r),
    .shortest = 1e-6,
    .capacity = MAX_GPU_SAMPLES,
    .run = sample_run,
    .clock = measure_clock,
    .data = &data,
  };
  struct measured out = { .samples = a->samples };
  a->slowdown = 1;
  if (measure_settled(p, first, r->warm, 0)) {
    a->samples[a->n_samples++] = first.cost;
    a->run_seconds = first.seconds;
    return true;
  }
  bool good = measure(&m, first, &out);
  a->n_samples = out.n;
  a->slowdown = out.slowdown;
  a->run_seconds = out.run_seconds;
  a->time_seconds = out.seconds;
  return good;
}
