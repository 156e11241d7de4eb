// SPDX-License-Identifier: Apache-2.0
// sample.c: one run of those that tell what a variant costs (measure.c). Other
// than on a processor, the L2 cache is flushed before each run, as in a program that does
// other work between calls, unless flush(off) says that the kernel's data stays there.
// It is flushed by reading: memory that was written would be written back while the
// kernel runs. Only with flush(off), and if nothing is put back, short kernels run in
// batches. Else a sample of a short kernel is the mean of as many runs: events are a part
// of a microsecond apart from what they stand for. A device that had nothing to do for a
// while works before it is measured, until its clocks have risen.
#include "run.h"
#include "run/measure.h"

enum { PATTERN = 0x5a, MOST_RUNS = 16 /* of a sample */, READS = 8 };
static const double idle = 0.5, warming = 0.05; // seconds

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

// Makes the memory of twice the L2 cache, of zeros. False: there is no room, or no cache.
static bool sample_has_memory(struct gpu_run *r, gpu_result *e) {
  char why[128];
  *e = 0;
  if (r->flush.at || r->info->l2 == 0)
    return r->flush.at != 0;
  if (gpu_buffer_make(r->api, &r->flush, 2 * r->info->l2, true, why, sizeof why)) {
    *e = r->api->set_bytes(r->flush.at, 0, r->flush.bytes, r->stream);
    return *e == 0;
  }
  if (sample_flushes(r))
    log_once(AUTOTUNE_WARN, "gpu flush", "the L2 cache is not flushed between runs: %s",
             why);
  r->call.flags |= AUTOTUNE_GPU_NO_FLUSH;
  return false;
}

// Reads that memory; fills it, where there is no kernel that reads.
static gpu_result sample_read(struct gpu_run *r) {
  gpu_result e = 0;
  if (sample_has_memory(r, &e) && !gpu_read(r, &r->flush, &e))
    e = r->api->set_bytes(r->flush.at, PATTERN, r->flush.bytes, r->stream);
  return e;
}

// Keeps the device busy for a while, if it was not.
static bool sample_warm(struct gpu_run *r, struct gpu_answer *a) {
  double start = measure_clock(), now = start;
  gpu_result e = 0;
  bool works = start - r->busy_until > idle && sample_has_memory(r, &e);
  while (works && e == 0 && now - start < warming) {
    for (unsigned i = 0; i < READS && e == 0; i++)
      e = sample_read(r);
    e = e ? e : gpu_await(r, 0);
    now = measure_clock();
  }
  return gpu_good(r, e, "warming up", a);
}

// Runs a variant for measure(); struct measure says how.
static bool sample_run(void *data, enum measure_what which, unsigned batch,
                       struct sample *out) {
  const struct sampling *m = data;
  struct gpu_run *r = m->run;
  bool together = !r->restores && !sample_flushes(r);
  unsigned runs = together ? 1 : batch < MOST_RUNS ? batch : MOST_RUNS;
  struct sample one;
  *out = (struct sample){ 0 };
  for (unsigned i = 0; i < runs; i++) {
    gpu_result e = gpu_put_back(r);
    if (e == 0)
      e = sample_flushes(r) ? sample_read(r) : 0;
    if (!gpu_good(r, e, "restoring", m->answer) ||
        !gpu_once(r, which == MEASURE_RIVAL ? m->rival : m->code, together ? batch : 1,
                  m->plan, &one, m->answer))
      return false;
    out->cost += one.cost / runs;
    out->seconds += one.seconds / runs;
  }
  r->busy_until = measure_clock();
  return true;
}

bool gpu_sample(struct gpu_run *r, const struct loaded *l, const struct trial_plan *p,
                struct sample first, struct gpu_answer *a) {
  const struct loaded *rival = p->rival ? gpu_loaded(r, p->rival) : NULL;
  struct sampling data = { r, l, rival, p, a };
  const struct measure m = {
    .plan = p,
    .rival = rival && rival != l && rival->checked && p->rival_sample.cost > 0,
    .batches = true,
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
  bool good = sample_warm(r, a) && measure(&m, first, &out);
  a->n_samples = out.n;
  a->slowdown = out.slowdown;
  a->run_seconds = out.run_seconds;
  a->time_seconds = out.seconds;
  return good;
}
