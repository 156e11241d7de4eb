// SPDX-License-Identifier: Apache-2.0
// Runs CUDA kernels in the program, and tests what is described, saved, checked, timed
// and put back. (RELIABILITY: V4.) Uses the emulator if AUTOTUNE_EMULATOR names it, else
// a device.
#include <math.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/cuda/compare.cu.h"
#include "run/cuda/run.h"
#include "gpu_fixture.h"
#include "run/target.h"

#define ADD UNIT("if (i < n) c[i] += a[i];")
#define ADD_OTHERWISE UNIT("if (i < n) { float x = c[i]; c[i] = a[i] + x; }")
#define COPY UNIT("if (i < n) c[i] = 2 * a[i];")

static struct gpu_variant variant_of(uint64_t ticket, const char *text) {
  const struct cubin *c = cubin_of(text);
  return (struct gpu_variant){
    .ticket = ticket, .cubin = c->data, .size = c->size, .launch = launch_of(64)
  };
}

static struct gpu_run *run_of_call(void) {
  struct gpu_call c = described();
  char why[256] = "";
  struct gpu_run *r = gpu_run_new(api, &c, why, sizeof why);
  if (!r)
    fail_msg("%s", why);
  return r;
}

static struct gpu_run *run_with_reference(const char *text) {
  struct gpu_answer a;
  set_original(text);
  struct gpu_run *r = run_of_call();
  gpu_run_reference(r, original, &times, &a);
  assert_string_equal(a.message, "");
  assert_int_equal(a.status, STATUS_OK);
  assert_true(a.n_samples >= 5 && a.samples[0] > 0);
  return r;
}

// Tries the test's one variant. Returns its answer; all memory has been put back.
static struct gpu_answer tried_with(const char *text, const char *variant,
                                    const struct trial_plan *plan) {
  struct gpu_run *r = run_with_reference(text);
  struct gpu_variant v = variant_of(1, variant);
  struct gpu_answer a;
  assert_untouched();
  gpu_run_try(r, &v, plan, &a);
  assert_untouched();
  gpu_run_free(r);
  return a;
}

static void assert_wrong(const struct gpu_answer *a, const char *message) {
  assert_int_equal(a->status, STATUS_WRONG);
  assert_false(a->sticky);
  assert_int_equal(a->n_samples, 0);
  size_t n = strlen(message); // the host does not count how many differ
  bool ends = a->message[n] == '\0' || strncmp(a->message + n, " (", 2) == 0;
  if (strncmp(a->message, message, n) != 0 || !ends)
    fail_msg("%s", a->message);
}

// ---- right ones ---------------------------------------------------------------------

static void in_place(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  struct gpu_answer a = tried_with(ADD, ADD_OTHERWISE, &times);
  assert_string_equal(a.message, "");
  assert_int_equal(a.status, STATUS_OK);
  assert_true(a.n_samples >= 5 && a.samples[0] > 0 && a.samples[0] < 5);
  assert_true(a.facts.registers > 0 && a.facts.blocks > 0 && a.facts.occupancy > 0);
  assert_true(a.facts.waves > 0 && a.facts.tail >= 0 && a.facts.tail < 1);
}

static void whole_allocations(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  set_sections(0);
  struct gpu_answer a = tried_with(ADD, ADD_OTHERWISE, &times);
  assert_int_equal(a.status, STATUS_OK);
  a = tried_with(ADD, COPY, &times);
  assert_wrong(&a, "c: element 0 is 2 instead of 1");
  if (!getenv("AUTOTUNE_EMULATE"))
    assert_non_null(strstr(a.message, " (999 of 1000 differ, by up to 998)"));
}

static void flush_off_and_batches(void **state) {
  (void)state;
  begin_call(AUTOTUNE_OUT);
  gpu_of_call.flags |= AUTOTUNE_GPU_NO_FLUSH;
  struct gpu_answer a = tried_with(COPY, COPY, &times);
  assert_int_equal(a.status, STATUS_OK);
  assert_true(a.n_samples >= 5);
}

static struct {
  unsigned fills, reads, elapsed;
  unsigned reads_before; // the first launch that is timed
} seen;
static struct gpu_api real;

static gpu_result fill(gpu_pointer p, unsigned char value, size_t bytes, gpu_stream s) {
  seen.fills += bytes == 2 * gpu_info_get(0)->l2;
  return real.set_bytes(p, value, bytes, s);
}

static gpu_result watch_launch(gpu_function f, unsigned gx, unsigned gy, unsigned gz,
                               unsigned bx, unsigned by, unsigned bz, unsigned shared,
                               gpu_stream s, void **args, void **extra) {
  seen.reads += f != original_function;
  return real.launch(f, gx, gy, gz, bx, by, bz, shared, s, args, extra);
}

// Events that tell no more than even microseconds, of a kernel of 5.
static gpu_result elapsed(float *milliseconds, gpu_event from, gpu_event to) {
  if (seen.elapsed++ == 2) // two runs were checked
    seen.reads_before = seen.reads;
  real.event_elapsed(milliseconds, from, to);
  *milliseconds = seen.elapsed % 2 ? 0.004f : 0.006f;
  return 0;
}

// The device works before the default is timed, the L2 cache is flushed by reading, and
// samples of a short kernel are means.
static void short_kernels(void **state) {
  (void)state;
  const struct gpu_api *before = api;
  struct gpu_api doubled = *api;
  real = *api;
  doubled.set_bytes = fill;
  doubled.launch = watch_launch;
  doubled.event_elapsed = elapsed;
  begin_call(AUTOTUNE_INOUT);
  set_original(ADD);
  api = &doubled;
  struct gpu_run *r = run_of_call();
  struct gpu_answer a;
  gpu_run_reference(r, original, &times, &a);
  gpu_run_free(r);
  api = before;
  assert_string_equal(a.message, "");
  if (getenv("AUTOTUNE_EMULATE")) // there is no kernel that reads
    assert_true(seen.reads == 0 && seen.fills > seen.elapsed);
  else
    assert_true(seen.fills == 1 && seen.reads_before >= 8 && seen.reads > seen.elapsed);
  for (unsigned i = 0; i < a.n_samples; i++)
    assert_true(a.samples[i] > 4.7e-6 && a.samples[i] < 5.3e-6);
}

static void beside_a_rival(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  struct gpu_run *r = run_with_reference(ADD);
  struct gpu_variant first = variant_of(1, ADD), second = variant_of(2, ADD_OTHERWISE);
  struct gpu_answer a;
  gpu_run_try(r, &first, &times, &a);
  assert_int_equal(a.status, STATUS_OK);
  struct trial_plan plan = times;
  plan.rival = 1;
  plan.rival_sample =
      (struct sample){ 1e-9, 1e-9 }; // so the rival takes many times as long
  gpu_run_try(r, &second, &plan, &a);
  assert_int_equal(a.status, STATUS_OK);
  assert_true(a.slowdown > 1.5);
  assert_untouched();
  gpu_run_free(r);
}

// Times the default again, as in a final race.
static void default_is_timed(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  struct gpu_run *r = run_with_reference(ADD);
  struct gpu_variant v = { .launch = launch_of(BLOCK) };
  struct gpu_answer a;
  gpu_run_try(r, &v, &times, &a);
  assert_int_equal(a.status, STATUS_OK);
  assert_true(a.n_samples >= 5);
  assert_untouched();
  gpu_run_free(r);
}

// Sums that threads add up in any order agree within the tolerance, but not bit for bit.
static void atomics(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  static float data[N];
  for (int i = 0; i < N; i++)
    data[i] = 0.1f + (float)i * 1e-3f;
  device_write(call.a, data, sizeof data);
  set_original(UNIT("if (i < n) atomicAdd(c + i % 7, a[i]);"));
  const char *backwards = UNIT("i = n - 1 - i; if (i >= 0) atomicAdd(c + i % 7, a[i]);");
  struct gpu_variant v = variant_of(1, backwards);
  for (int exact = 0; exact < 2; exact++) {
    struct gpu_answer a;
    kernel.verify = exact ? AUTOTUNE_VERIFY_EXACT : AUTOTUNE_VERIFY_DEFAULT;
    struct gpu_run *r = run_of_call();
    gpu_run_reference(r, original, &checks, &a);
    if (a.status ==
        STATUS_OK) // on a device, the default itself may differ when bits are compared
      gpu_run_try(r, &v, &checks, &a);
    assert_int_equal(a.status, exact ? STATUS_WRONG : STATUS_OK);
    gpu_run_free(r);
  }
}

// The part of an allocation that the kernel does not write does not affect the
// comparison.
static void garbage_in_an_allocation(void **state) {
  (void)state;
  static float data[N];
  begin_call(AUTOTUNE_INOUT);
  set_sections(0);
  for (int i = 0; i < N; i++)
    data[i] = i < 900 ? (float)i : 1e30f;
  device_write(call.c, data, sizeof data);
  set_original(UNIT("if (i < 900) c[i] += a[i];"));
  struct gpu_run *r = run_of_call();
  struct gpu_answer a;
  gpu_run_reference(r, original, &checks, &a);
  assert_string_equal(a.message, "");
  struct gpu_variant right =
      variant_of(1, UNIT("if (i < 900) { float x = c[i]; c[i] = a[i] + x; }"));
  struct gpu_variant off =
      variant_of(2, UNIT("if (i < 900) c[i] += a[i] + (i == 700 ? 9 : 0);"));
  gpu_run_try(r, &right, &checks, &a);
  assert_int_equal(a.status, STATUS_OK);
  gpu_run_try(r, &off, &checks, &a);
  assert_wrong(&a, "c: element 700 is 710 instead of 701");
  gpu_run_free(r);
}

static unsigned legacy_waits;
static gpu_result (*real_record)(gpu_event e, gpu_stream s);

static gpu_result record(gpu_event e, gpu_stream s) {
  legacy_waits += s == (gpu_stream)(uintptr_t)1;
  return real_record(e, s);
}

// Writes of other streams are not the kernel's, and must be there before the memory is
// saved.
static void other_streams_first(void **state) {
  (void)state;
  struct gpu_api watched = *api;
  const struct gpu_api *before = api;
  real_record = watched.event_record;
  watched.event_record = record;
  for (int whole = 0; whole < 2; whole++) {
    begin_call(AUTOTUNE_INOUT);
    set_sections(whole ? 0 : 2);
    legacy_waits = 0;
    api = &watched;
    struct gpu_run *r = run_of_call();
    gpu_run_free(r);
    api = before;
    assert_int_equal(legacy_waits, whole);
  }
}

// Values that are written again unchanged still count for the root mean square.
static void nothing_new_in_an_allocation(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  set_sections(0);
  struct gpu_answer a = tried_with(UNIT("if (i < n) c[i] = i;"),
                                   UNIT("if (i < n) c[i] = i + 1e-5f;"), &checks);
  assert_string_equal(a.message, "");
}

// ---- the largest deviation ----------------------------------------------------------

// The deviation that is closest to what is allowed is told, whichever is the largest.
static void largest_deviation(void **state) {
  (void)state;
  const char *near_ten = "8.2e-05 relative, 0.0009 absolute, c[10]";
  const char *off = UNIT("if (i < n) c[i] += a[i] + (i == 717 || i == 900 ? 1e-3f "
                         ": i == 10 ? 9e-4f : 0);");
  for (int whole = 0; whole < 2; whole++) {
    begin_call(AUTOTUNE_INOUT);
    set_sections(whole ? 0 : 2);
    struct gpu_answer a = tried_with(ADD, off, &times);
    assert_int_equal(a.status, STATUS_OK);
    assert_string_equal(a.deviation, near_ten);
    assert_true(a.deviation_part > 0.01 && a.deviation_part < 0.02);
    a = tried_with(ADD, ADD_OTHERWISE, &times);
    assert_string_equal(a.deviation, "bit for bit the same");
  }
  begin_call(AUTOTUNE_INOUT);
  kernel.verify = AUTOTUNE_VERIFY_OFF;
  struct gpu_answer a = tried_with(ADD, off, &times);
  assert_string_equal(a.deviation, "");
  begin_call(AUTOTUNE_INOUT);
  const char *zero = UNIT("if (i < n) c[i] = i == 5 ? -0.0f : i;");
  const char *plus = UNIT("if (i < n) c[i] = i == 5 ? 0.0f : i;");
  a = tried_with(zero, plus, &checks);
  assert_int_equal(a.status, STATUS_OK);
  assert_string_equal(a.deviation, "0 relative, 0 absolute, c[5]");
  const char *tiny = UNIT("if (i < n) c[i] = i == 5 ? 1e-6f : i;");
  a = tried_with(plus, tiny, &checks);
  assert_int_equal(a.status, STATUS_OK);
  assert_string_equal(a.deviation, "1e-06 absolute, of 0, c[5]");
}

// ---- data that say little ------------------------------------------------------------

// Returns why the data of c and a say little, with the default TEXT.
static const char *weak_with(const char *text, enum autotune_access access, float a,
                             float last) {
  static struct gpu_answer answer;
  static float data[N];
  begin_call(access);
  for (int i = 0; i < N; i++)
    data[i] = i == N - 1 ? last : a;
  device_write(call.a, data, sizeof data);
  set_original(text);
  struct gpu_run *r = run_of_call();
  gpu_run_reference(r, original, &checks, &answer);
  assert_string_equal(answer.message, "");
  gpu_run_free(r);
  begin_call(access);
  return answer.weak;
}

static void weak_data(void **state) {
  (void)state;
  const char *scaled = UNIT("if (i < n) c[i] = 2 * a[i];");
  const char *own = UNIT("if (i < n) c[i] = i;");
  const char *constant = UNIT("if (i < n) c[i] = 7;");
  assert_string_equal(weak_with(scaled, AUTOTUNE_OUT, 0, 0),
                      "the input a[0:n] holds only zeros");
  assert_string_equal(weak_with(scaled, AUTOTUNE_OUT, 3, 3),
                      "the input a[0:n] holds only equal numbers");
  assert_string_equal(weak_with(scaled, AUTOTUNE_OUT, 0, 1), "");
  assert_string_equal(weak_with(constant, AUTOTUNE_OUT, 0, 1),
                      "the output c[0:n] holds only equal numbers");
  assert_string_equal(weak_with(own, AUTOTUNE_INOUT, 0, 1),
                      "the output c[0:n] holds what they held before");
  assert_string_equal(weak_with(own, AUTOTUNE_OUT, 0, 1), "");
}

// ---- rounding, measured -------------------------------------------------------------

// Fills `a`, which no float can hold exactly: 0.001 … 1, and FIRST in front.
static void begin_fractions(float first) {
  static float data[N];
  begin_call(AUTOTUNE_OUT);
  for (int i = 0; i < N; i++)
    data[i] = i ? 1e-3f * (float)i : first;
  device_write(call.a, data, sizeof data);
}

static void assert_fractions(float first) {
  static float data[N];
  device_read(data, call.a, sizeof data);
  for (int i = 0; i < N; i++)
    assert_true(data[i] == (i ? 1e-3f * (float)i : first));
  begin_call(AUTOTUNE_OUT);
}

// Makes a run with the default TEXT, and measures it. *FOUND is malloc'ed.
static struct gpu_run *run_measured(const char *text, char **found, size_t *bytes) {
  struct gpu_run *r = run_with_reference(text);
  struct gpu_variant v = variant_of(77, text);
  struct gpu_answer a;
  v.launch = launch_of(BLOCK);
  gpu_run_written(r, &v, &checks, &a, found, bytes);
  assert_string_equal(a.message, "");
  assert_int_equal(a.status, STATUS_OK);
  assert_non_null(*found);
  return r;
}

static enum status tried(struct gpu_run *r, uint64_t ticket, const char *text) {
  struct gpu_variant v = variant_of(ticket, text);
  struct gpu_answer a;
  gpu_run_try(r, &v, &checks, &a);
  return a.status;
}

// One large number among small ones hides no error of those.
static void mixed_scales(void **state) {
  (void)state;
  char *found;
  size_t bytes;
  const char *right = UNIT("if (i < n) c[i] = 3 * a[i];");
  const char *rounds = UNIT("if (i < n) c[i] = a[i] + 2 * a[i] * 1.0000002f;");
  const char *wrong = UNIT("if (i < n) c[i] = 3 * a[i] + (i == 500 ? 0.5f : 0);");
  begin_fractions(1e9f);
  struct gpu_run *r = run_measured(right, &found, &bytes);
  assert_int_equal(tried(r, 1, wrong), STATUS_OK); // as if nothing was measured
  assert_true(gpu_run_tolerate(r, found, bytes));
  assert_int_equal(tried(r, 2, wrong), STATUS_WRONG);
  assert_int_equal(tried(r, 3, rounds), STATUS_OK);
  gpu_run_free(r);
  free(found);
  assert_fractions(1e9f);
}

// Outputs that are nothing but rounding may have other digits.
static void residuals(void **state) {
  (void)state;
  char *found;
  size_t bytes;
  const char *residual =
      UNIT("if (i < n) { float p = a[i] * 1.1f; c[i] = fmaf(a[i], 1.1f, -p); }");
  const char *other = UNIT(
      "if (i < n) { float p = 1.1f * a[i] * 1.0000001f; c[i] = fmaf(a[i], 1.1f, -p); }");
  const char *wrong = UNIT(
      "if (i < n) { float p = a[i] * 1.1f; c[i] = fmaf(a[i], 1.1f, -p) + 0.01f * a[i]; }");
  begin_fractions(0.5f);
  struct gpu_run *r = NULL;
  // On a busy machine the default runs less often with nudged inputs, and shows less.
  for (unsigned i = 0, fate = STATUS_WRONG; i < 5 && fate == STATUS_WRONG; i++) {
    if (r) {
      gpu_run_free(r);
      free(found);
    }
    r = run_measured(residual, &found, &bytes);
    assert_int_equal(tried(r, 1, other), STATUS_WRONG);
    assert_true(gpu_run_tolerate(r, found, bytes));
    fate = tried(r, 2, other);
  }
  assert_int_equal(tried(r, 3, other), STATUS_OK);
  assert_int_equal(tried(r, 4, wrong), STATUS_WRONG);
  gpu_run_free(r);
  free(found);
  assert_fractions(0.5f);
}

// Rounding decides one element in ten. Such an element may differ, the others may not.
static void undetermined(void **state) {
  (void)state;
  char *found;
  size_t bytes;
  static char flipped[512], wild[512], determined[512];
  const char *signs =
      "c[i] = i %% 10 == 5 ? (fmaf(a[i], 1.1f, -(a[i] * 1.1f)) > 0 ? 1 : -1) : a[i];";
  static char text[512], body[256];
  snprintf(body, sizeof body, signs);
  snprintf(text, sizeof text, UNIT("if (i < n) %s"), body);
  begin_fractions(0.5f);
  struct gpu_run *r = run_measured(text, &found, &bytes);
  const struct gpu_noise *n = (const struct gpu_noise *)(const void *)found;
  unsigned region = r->call.regions[0].access == AUTOTUNE_OUT ? 0 : 1;
  assert_true(n[region].bits > 0 && n[region].furthest > 0);
  int one = -1, all = 0;
  for (int i = 0; i < N; i++)
    if (found[n[region].bits + (size_t)i / 8] >> i % 8 & 1) {
      assert_int_equal(i % 10, 5);
      one = i;
      all++;
    }
  assert_true(all > 10 && all <= 100);
  const char *unit = UNIT("if (i < n) { %s if (i == %d) c[i] = %s; }");
  snprintf(flipped, sizeof flipped, unit, body, one, "-c[i]");
  snprintf(wild, sizeof wild, unit, body, one, "1000");
  snprintf(determined, sizeof determined, unit, body, one + 1, "-c[i]");
  assert_int_equal(tried(r, 1, flipped), STATUS_WRONG);
  assert_true(gpu_run_tolerate(r, found, bytes));
  assert_int_equal(tried(r, 2, flipped), STATUS_OK);
  assert_int_equal(tried(r, 3, wild), STATUS_WRONG);
  assert_int_equal(tried(r, 4, determined), STATUS_WRONG);
  gpu_run_free(r);
  free(found);
  assert_fractions(0.5f);
}

// What comes from a process that a variant may have damaged is not believed.
static void damaged_tolerances(void **state) {
  (void)state;
  char *found;
  size_t bytes;
  const char *right = UNIT("if (i < n) c[i] = 3 * a[i];");
  begin_fractions(1e9f);
  struct gpu_run *r = run_measured(right, &found, &bytes);
  struct gpu_noise *n = (struct gpu_noise *)(void *)found;
  unsigned region = r->call.regions[0].access == AUTOTUNE_OUT ? 0 : 1;
  assert_true(n[region].known && !n[1 - region].known);
  struct gpu_noise good = n[region];
  assert_false(gpu_run_tolerate(r, found, sizeof *n));
  n[region].atols[700] = NAN;
  assert_false(gpu_run_tolerate(r, found, bytes));
  n[region] = good;
  n[region].atols[9] = -1;
  assert_false(gpu_run_tolerate(r, found, bytes));
  n[region] = good;
  n[region].furthest = INFINITY;
  assert_false(gpu_run_tolerate(r, found, bytes));
  n[region] = good;
  n[region].bits = bytes - 8;
  assert_false(gpu_run_tolerate(r, found, bytes));
  n[region].bits = SIZE_MAX;
  assert_false(gpu_run_tolerate(r, found, bytes));
  assert_int_equal(tried(r, 1, right), STATUS_OK); // compared as if nothing was measured
  n[region] = good;
  assert_true(gpu_run_tolerate(r, found, bytes));
  gpu_run_free(r);
  free(found);
  assert_fractions(1e9f);
}

// Where the kernel as written already differs when NVRTC makes it, variants may, too.
static void compiled_otherwise(void **state) {
  (void)state;
  begin_fractions(0.5f);
  const char *text = UNIT("if (i < n) c[i] = 3 * a[i];");
  const char *nvrtc = UNIT("if (i < n) c[i] = 3 * a[i] * (i == 9 ? 1.001f : 1);");
  struct gpu_run *r = run_with_reference(text);
  struct gpu_variant v = variant_of(77, nvrtc);
  struct gpu_answer a;
  char *found;
  size_t bytes;
  assert_int_equal(tried(r, 1, nvrtc), STATUS_OK); // 2.7e-5 of 0.027 is within 1e-4 * 1.7
  gpu_run_written(r, &v, &checks, &a, &found, &bytes);
  assert_int_equal(a.status, STATUS_OK);
  assert_true(gpu_run_tolerate(r, found, bytes));
  free(found);
  assert_int_equal(tried(r, 2, nvrtc), STATUS_OK);
  assert_int_equal(
      tried(r, 3, UNIT("if (i < n) c[i] = 3 * a[i] * (i == 300 ? 1.001f : 1);")),
      STATUS_WRONG);
  gpu_run_free(r);
  assert_fractions(0.5f);
}

// ---- wrong ones ---------------------------------------------------------------------

static void one_element(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  const char *off = UNIT("if (i < n) c[i] += a[i] + (i == 717 ? 0.5f : 0);");
  struct gpu_answer a = tried_with(ADD, off, &times);
  assert_wrong(&a, "c[0:n]: element 717 is 718.5 instead of 718");
  kernel.verify = AUTOTUNE_VERIFY_OFF;
  a = tried_with(ADD, off, &times);
  assert_int_equal(a.status, STATUS_OK);
}

static void not_a_number(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  const char *nan =
      UNIT("if (i < n) c[i] = i == 9 ? __int_as_float(0x7fc00000) : c[i] + a[i];");
  const char *other =
      UNIT("if (i < n) c[i] = i == 9 ? __int_as_float(0x7fc00001) : c[i] + a[i];");
  struct gpu_answer a = tried_with(ADD, nan, &checks);
  assert_wrong(&a, "c[0:n]: element 9 is nan instead of 10");
  a = tried_with(nan, other, &checks); // both are NaN
  assert_string_equal(a.message, "");
  a = tried_with(nan, ADD, &checks);
  assert_wrong(&a, "c[0:n]: element 9 is 10 instead of nan");
}

// Earlier contents must not be taken for a result.
static void work_left_out(void **state) {
  (void)state;
  begin_call(AUTOTUNE_OUT);
  struct gpu_answer a =
      tried_with(COPY, UNIT("if (i < n && i != 3) c[i] = 2 * a[i];"), &checks);
  assert_int_equal(a.status, STATUS_WRONG);
  assert_non_null(strstr(a.message, "c[0:n]: element 3 is "));
}

static void changed_input(void **state) {
  (void)state;
  begin_call(AUTOTUNE_OUT);
  struct gpu_run *r = run_with_reference(COPY);
  struct gpu_variant v =
      variant_of(1, UNIT("if (i < n) { c[i] = 2 * a[i]; ((float *)a)[i] = 7; }"));
  struct gpu_answer a;
  gpu_run_try(r, &v, &checks, &a);
  assert_wrong(&a, "a[0:n]: it is only read, and was changed");
  gpu_run_free(r);
  begin_call(AUTOTUNE_OUT);
}

// With isolate(off) no helper would notice.
static void beside_the_section(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  gpu_of_call.flags |= AUTOTUNE_GPU_NO_ISOLATE;
  call.c_first = 100;
  call.c_count = 800;
  const char *right = UNIT("if (i >= 100 && i < 900) c[i] += a[i];");
  struct gpu_answer a =
      tried_with(right, UNIT("if (i >= 100 && i < 901) c[i] += a[i];"), &checks);
  assert_wrong(&a, "memory next to c[0:n] was changed");
  a = tried_with(right, UNIT("if (i >= 99 && i < 900) c[i] += a[i];"), &checks);
  assert_wrong(&a, "memory next to c[0:n] was changed");
  a = tried_with(right, right, &checks);
  assert_int_equal(a.status, STATUS_OK);
}

static void no_repetition(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  call.c_count = 10; // and c[10], which is not declared, counts the runs
  set_original(UNIT("if (i < 10) c[i] = c[10]; if (i == 11) c[10] += 1;"));
  struct gpu_run *r = run_of_call();
  struct gpu_answer a;
  gpu_run_reference(r, original, &times, &a);
  assert_int_equal(a.status, STATUS_WRONG);
  const char *message = "the kernel as written does not repeat itself: c[0:n]: element 0";
  assert_non_null(strstr(a.message, message));
  gpu_run_free(r);
}

// ---- workspaces ----------------------------------------------------------------------

#define WORK "((float *)a)"

static void scratch(bool on) {
  begin_call(AUTOTUNE_OUT);
  sections[1].access = on ? AUTOTUNE_SCRATCH : AUTOTUNE_IN;
}

// `a` is a workspace: variants may leave anything there, but not read what was in it.
static void workspaces(void **state) {
  (void)state;
  const char *uses = UNIT("if (i < n) { " WORK "[i] = i; c[i] = 2 * a[i]; }");
  const char *other = UNIT("if (i < n) { " WORK "[n - 1 - i] = 7 * i; c[i] = 2 * i; }");
  const char *reads = UNIT("if (i < n) c[i] = 2 * i + (i == 9 ? a[i] - 1 : 0);");
  scratch(true);
  struct gpu_answer a = tried_with(uses, other, &times);
  assert_string_equal(a.message, "");
  assert_int_equal(a.status, STATUS_OK);
  a = tried_with(uses, reads, &checks);
  assert_int_equal(a.status, STATUS_WRONG);
  assert_non_null(strstr(a.message, "c[0:n]: element 9"));
  scratch(false);
}

// The default reads what the run before has left there.
static void workspace_that_is_read(void **state) {
  (void)state;
  struct gpu_answer a;
  scratch(true);
  set_original(UNIT("if (i < n) { c[i] = a[i]; " WORK "[i] += 1; }"));
  struct gpu_run *r = run_of_call();
  gpu_run_reference(r, original, &times, &a);
  assert_int_equal(a.status, STATUS_WRONG);
  const char *message = "a[0:n] is declared scratch, but the kernel reads what was in it "
                        "(c[0:n]: element 0 is 2 instead of 1";
  if (!strstr(a.message, message))
    fail_msg("%s", a.message);
  gpu_run_free(r);
  assert_untouched();
  scratch(false);
}

// Without other sections all of `c` is compared but for the workspace in it.
static void workspace_in_an_allocation(void **state) {
  (void)state;
  begin_call(AUTOTUNE_SCRATCH);
  set_sections(1);
  call.c_first = 100;
  call.c_count = 200;
  struct gpu_call c = described();
  assert_int_equal(c.n_regions, 3);
  for (int i = 0; i < 3; i++)
    assert_int_equal(c.regions[i].access, i == 1 ? AUTOTUNE_SCRATCH : AUTOTUNE_INOUT);
  assert_int_equal(c.regions[0].bytes, 400);
  assert_int_equal(c.regions[2].base, call.c + 1200);
  const char *uses = UNIT("if (i < n) c[i] = 2 * i;");
  struct gpu_answer a = tried_with(
      uses, UNIT("if (i < n) c[i] = i >= 100 && i < 300 ? 5 : 2 * i;"), &times);
  assert_string_equal(a.message, "");
  a = tried_with(uses, UNIT("if (i < n) c[i] = i >= 100 && i < 301 ? 5 : 2 * i;"),
                 &checks);
  assert_wrong(&a, "c: element 0 is 5 instead of 600");
}

static void workspace_in_an_output(void **state) {
  (void)state;
  static struct gpu_call c;
  struct autotune_launch asked = launch_of(BLOCK);
  char why[256] = "";
  scratch(true);
  gpu_pointer a = call.a;
  call.a = call.c + 4 * (N - 1);
  call.n = 1;
  call.c_count = N;
  assert_int_equal(
      gpu_call_describe(&kernel, call_args, &asked, NULL, &c, why, sizeof why), -1);
  assert_string_equal(why, "the section a[0:n] is scratch, and overlaps c[0:n]");
  call.a = a;
  scratch(false);
}

static void other_formats(void **state) {
  (void)state;
  static const struct {
    enum autotune_element e;
    const char *kernel, *wrong, *message;
  } of[] = {
    { AUTOTUNE_F16, "short", "0x3c00", "element 6 is 1 instead of 2" },
    { AUTOTUNE_BF16, "short", "0x3f80", "element 6 is 1 instead of 2" },
    { AUTOTUNE_F64, "double", "1", "element 6 is 1 instead of 2" },
    { AUTOTUNE_BYTES, "unsigned char", "1", "byte 6 is 0x01 instead of 0x02" },
  };
  static const char *const two[] = { "0x4000", "0x4000", "2", "2" };
  static char text[4][512], other[4][512];
  for (int i = 0; i < 4; i++) {
    const char *unit = UNIT("%s *t = (%s *)c; if (i < 8) t[i] = i == 6 ? %s : %s;");
    struct gpu_answer a;
    begin_call(AUTOTUNE_INOUT);
    sections[0].element = of[i].e;
    call.c_count = 16;
    snprintf(text[i], sizeof text[i], unit, of[i].kernel, of[i].kernel, two[i], two[i]);
    snprintf(other[i], sizeof other[i], unit, of[i].kernel, of[i].kernel, of[i].wrong,
             two[i]);
    a = tried_with(text[i], other[i], &checks);
    assert_int_equal(a.status, STATUS_WRONG);
    assert_non_null(strstr(a.message, of[i].message));
    a = tried_with(text[i], text[i], &checks);
    assert_int_equal(a.status, STATUS_OK);
  }
}

// ---- launches -----------------------------------------------------------------------

static void cannot_be_launched(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  struct gpu_run *r = run_with_reference(ADD);
  struct gpu_variant v = variant_of(1, ADD), broken = v,
                     greedy = variant_of(3, ADD_OTHERWISE);
  static const char junk[256] = "this is no cubin";
  struct gpu_answer a;
  v.launch.block.x = 4096;
  gpu_run_try(r, &v, &checks, &a);
  assert_int_equal(a.status, STATUS_LOAD);
  assert_false(a.sticky);
  assert_non_null(strstr(a.message, "blocks of 4096 threads"));
  broken.ticket = 2;
  broken.cubin = junk;
  broken.size = sizeof junk;
  gpu_run_try(r, &broken, &checks, &a);
  assert_int_equal(a.status, STATUS_LOAD);
  assert_false(a.sticky);
  greedy.launch.shared = 1 << 20;
  gpu_run_try(r, &greedy, &checks, &a);
  assert_int_equal(a.status, STATUS_LOAD);
  assert_false(a.sticky);
  greedy.launch.shared = 64 << 10; // more than a kernel gets without opting in
  gpu_run_try(r, &greedy, &times, &a);
  assert_string_equal(a.message, "");
  assert_int_equal(a.status, STATUS_OK);
  assert_untouched();
  gpu_run_free(r);
}

static void too_slow(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  struct gpu_run *r = run_with_reference(ADD);
  struct gpu_variant v = variant_of(
      1,
      UNIT("if (i < n) { volatile float x = 0; for (int k = 0; k < 100000; k++) x += 1;"
           " c[i] += a[i] + (x < 0); }"));
  struct trial_plan plan = checks;
  struct gpu_answer a;
  plan.limit = 1e-6;
  gpu_run_try(r, &v, &plan, &a);
  assert_int_equal(a.status, STATUS_TIMEOUT);
  assert_false(a.sticky);
  assert_untouched();
  plan.limit = 20;
  gpu_run_try(r, &v, &plan, &a);
  assert_int_equal(a.status, STATUS_OK);
  gpu_run_free(r);
}

// ---- variables of the program -------------------------------------------------------

static gpu_pointer counter, factor;
static int locate(gpu_pointer p, void **address, size_t *bytes) {
  *address = (void *)(uintptr_t)p;
  *bytes = 4;
  return 0;
}
static int locate_counter(void **address, size_t *bytes) {
  return locate(counter, address, bytes);
}
static int locate_factor(void **address, size_t *bytes) {
  return locate(factor, address, bytes);
}

#define VARIABLES                                            \
  "extern \"C\" __device__ int *autotune_symbol_counter;\n"  \
  "extern \"C\" __device__ float *autotune_symbol_factor;\n" \
  "__device__ int *autotune_symbol_counter; __device__ float *autotune_symbol_factor;\n"

static void variables(void **state) {
  (void)state;
  static const struct autotune_gpu_symbol symbols[] = { { "counter", locate_counter, 1 },
                                                        { "factor", locate_factor, 0 } };
  struct autotune_gpu gpu = gpu_of_call;
  int count = 41;
  float by = 3;
  begin_call(AUTOTUNE_OUT);
  counter = device_new(4);
  factor = device_new(4);
  device_write(counter, &count, 4);
  device_write(factor, &by, 4);
  gpu.symbols = symbols;
  gpu.n_symbols = 2;
  kernel.gpu = &gpu;
  // A default has no such pointers: this text stands for the code of the program's
  // compiler.
  const char *text = VARIABLES UNIT("if (i < n) c[i] = a[i] * *autotune_symbol_factor;"
                                    " if (i == 0) *autotune_symbol_counter += 1;");
  const char *twice = VARIABLES UNIT("if (i < n) c[i] = a[i] * *autotune_symbol_factor;"
                                     " if (i == 0) *autotune_symbol_counter += 2;");
  set_original(text);
  gpu_pointer at;
  size_t bytes;
  assert_int_equal(
      api->module_global(&at, &bytes, original_module, "autotune_symbol_counter"), 0);
  device_write(at, &counter, sizeof counter);
  assert_int_equal(
      api->module_global(&at, &bytes, original_module, "autotune_symbol_factor"), 0);
  device_write(at, &factor, sizeof factor);
  struct gpu_run *r = run_of_call();
  struct gpu_variant right = variant_of(1, text), wrong = variant_of(2, twice);
  struct gpu_answer a;
  gpu_run_reference(r, original, &times, &a);
  assert_string_equal(a.message, "");
  gpu_run_try(r, &right, &times, &a);
  assert_string_equal(a.message, "");
  gpu_run_try(r, &wrong, &times, &a);
  assert_wrong(&a, "counter: byte 0 is 0x2b instead of 0x2a");
  gpu_run_free(r);
  kernel.gpu = &gpu_of_call;
  assert_untouched();
  device_read(&count, counter, 4);
  assert_int_equal(count, 41);
}

// ---- calls --------------------------------------------------------------------------

static void assert_refused(const char *message) {
  struct gpu_call *c = test_malloc(sizeof *c);
  struct autotune_launch asked = launch_of(BLOCK);
  char why[256] = "";
  assert_int_equal(
      gpu_call_describe(&kernel, call_args, &asked, NULL, c, why, sizeof why), -1);
  assert_string_equal(why, message);
  test_free(c);
}

static void refused_calls(void **state) {
  (void)state;
  static float here[N];
  void *pinned = NULL;
  begin_call(AUTOTUNE_INOUT);
  gpu_pointer c = call.c;
  call.c_count = N + 1;
  assert_refused("c[0:n] goes 4 bytes beyond the memory it lies in");
  call.c_count = 0;
  call.c = (gpu_pointer)(uintptr_t)here;
  assert_refused("c[0:n] points to no memory of this device");
  set_sections(0);
  assert_refused("c points to no memory of this device");
  assert_int_equal(api->host_allocate(&pinned, sizeof here, 0), 0);
  call.c = (gpu_pointer)(uintptr_t)pinned;
  assert_refused("c points to memory of the host, which is not saved");
  api->host_release(pinned);
  call.c = c;
}

// ---- memory that is mapped piece by piece -------------------------------------------

enum { PIECE = 1024 }; // bytes
static __typeof__(((struct gpu_api *)NULL)->range) real_range;
static __typeof__(((struct gpu_api *)NULL)->pointer_attribute) real_attribute;
static gpu_pointer on_another_device; // the piece that another device has; 0: none

// As the driver's for memory of cuMemMap: the piece that P is in.
static gpu_result range_of_piece(gpu_pointer *base, size_t *bytes, gpu_pointer p) {
  gpu_result e = real_range(base, bytes, p);
  gpu_pointer end = *base + *bytes;
  if (e == 0) {
    *base += (p - *base) / PIECE * PIECE;
    *bytes = end - *base < PIECE ? end - *base : PIECE;
  }
  return e;
}

static gpu_result attribute_of_piece(void *data, int attribute, gpu_pointer p) {
  enum { ORDINAL = 9, IPC_CAPABLE = 10, POOL = 17 };
  if (attribute == POOL)
    *(void **)data = NULL;
  else if (attribute == IPC_CAPABLE)
    *(unsigned char *)data = 0;
  else if (attribute == ORDINAL && on_another_device &&
           p / PIECE == on_another_device / PIECE)
    *(int *)data = 1;
  else
    return real_attribute(data, attribute, p);
  return 0;
}

// All pieces are saved and put back, from whichever of them an argument points to.
static void mapped_piece_by_piece(void **state) {
  (void)state;
  struct gpu_api *driver = (struct gpu_api *)(uintptr_t)api;
  begin_call(AUTOTUNE_INOUT);
  real_range = driver->range;
  real_attribute = driver->pointer_attribute;
  driver->range = range_of_piece;
  driver->pointer_attribute = attribute_of_piece;
  for (int whole = 0; whole < 2; whole++) {
    set_sections(whole ? 0 : 2);
    struct gpu_answer a = tried_with(ADD, ADD_OTHERWISE, &times);
    assert_string_equal(a.message, "");
    a = tried_with(ADD, UNIT("if (i < n) c[i] += a[i] + (i == 990);"), &checks);
    assert_wrong(&a,
                 whole ? "c: element 990 is 992 instead of 991"
                       : "c[0:n]: element 990 is 992 instead of 991");
  }
  struct gpu_allocation whole, found;
  assert_int_equal(gpu_place_of(api, 0, call.c, &whole), PLACE_HERE);
  assert_true(whole.base == call.c && whole.bytes >= N * sizeof(float));
  assert_int_equal(gpu_place_of(api, 0, call.c + 3 * PIECE, &found), PLACE_HERE);
  assert_true(found.base == whole.base && found.bytes == whole.bytes);
  on_another_device = call.c + 2 * PIECE;
  assert_refused("c points to memory of another device");
  on_another_device = 0;
  driver->pointer_attribute = real_attribute; // of the driver's own memory a range is all
  assert_int_equal(gpu_place_of(api, 0, call.c + PIECE, &found), PLACE_HERE);
  assert_true(found.base == call.c + PIECE && found.bytes == PIECE);
  driver->range = real_range;
}

static void null_is_fine(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  gpu_pointer a = call.a;
  set_sections(0);
  call.a = 0;
  struct gpu_call c = described();
  assert_int_equal(c.n_regions, 1);
  assert_int_equal(c.n_allocations, 1);
  call.a = a;
}

static void overlapping_sections(void **state) {
  (void)state;
  begin_call(AUTOTUNE_OUT);
  gpu_pointer a = call.a;
  call.a = call.c + 4 * 500; // read from the half of c that is written
  call.n = 500;
  call.c_count = 750;
  struct gpu_call c = described();
  assert_int_equal(c.n_regions, 1);
  assert_int_equal(c.regions[0].access, AUTOTUNE_INOUT);
  assert_int_equal(c.regions[0].element, AUTOTUNE_F32);
  assert_int_equal(c.regions[0].base, call.c);
  assert_int_equal(c.regions[0].bytes, 4 * N);
  const char *shift = UNIT("if (i < n) c[i] = a[i] + 1; if (i < 250) c[500 + i] = 5;");
  set_original(shift);
  struct gpu_run *r = run_of_call();
  struct gpu_answer answer;
  gpu_run_reference(r, original, &times, &answer);
  assert_string_equal(answer.message, "");
  struct gpu_variant right = variant_of(1, shift);
  struct gpu_variant late =
      variant_of(2, UNIT("if (i < 250) c[500 + i] = 5; if (i < n) c[i] = a[i] + 1;"));
  gpu_run_try(r, &right, &times, &answer);
  assert_string_equal(answer.message, "");
  gpu_run_try(r, &late, &checks, &answer);
  assert_wrong(&answer, "c[0:n]: element 0 is 6 instead of 501");
  gpu_run_free(r);
  call.a = a;
  assert_untouched();
}

// Addresses within a structure that is passed by value.
static void structures(void **state) {
  (void)state;
  static struct {
    int n;
    gpu_pointer data;
  } tensor;
  static const struct autotune_arg args[] = { { "t", sizeof tensor, 0 } };
  static void *list[] = { &tensor };
  struct autotune_kernel k = kernel;
  struct gpu_call *c = test_malloc(sizeof *c);
  struct autotune_launch asked = launch_of(BLOCK);
  char why[256] = "";
  begin_call(AUTOTUNE_INOUT);
  tensor.n = N;
  tensor.data = call.c + 16;
  set_sections(0);
  k.n_sections = 0;
  k.n_args = 1;
  k.args = args;
  struct autotune_gpu gpu = gpu_of_call;
  gpu.n_written = 0;
  k.gpu = &gpu;
  assert_int_equal(gpu_call_describe(&k, list, &asked, NULL, c, why, sizeof why), 0);
  assert_int_equal(c->n_pointers, 1);
  assert_int_equal(c->pointers[0].offset, 8);
  assert_int_equal(c->n_regions, 1);
  assert_int_equal(c->regions[0].base, call.c);
  assert_int_equal(c->regions[0].access, AUTOTUNE_INOUT);
  // Memory that the device can write through the argument, but that cannot be put back.
  void *pinned = NULL;
  assert_int_equal(api->host_allocate(&pinned, 64, 0), 0);
  tensor.data = (gpu_pointer)(uintptr_t)pinned;
  assert_int_equal(gpu_call_describe(&k, list, &asked, NULL, c, why, sizeof why), -1);
  assert_string_equal(why, "t points to memory of the host, which is not saved");
  static char here[8];
  tensor.data = (gpu_pointer)(uintptr_t)here;
  assert_int_equal(gpu_call_describe(&k, list, &asked, NULL, c, why, sizeof why), 0);
  api->host_release(pinned);
  test_free(c);
}

// As a driver that does not look at what it is given.
static gpu_result replace_any(void *map, void *address) {
  memcpy(map, &address, sizeof address);
  return 0;
}

static struct {
  gpu_pointer a, b;
  char rest[GPU_MAP - 16];
} large;
static const struct autotune_arg large_args[] = { { "t", sizeof large, 0 } };
static void *large_list[] = { &large };

static struct autotune_kernel kernel_of_large(struct autotune_gpu *gpu) {
  struct autotune_kernel k = kernel;
  *gpu = gpu_of_call;
  gpu->n_written = 0;
  begin_call(AUTOTUNE_INOUT);
  set_sections(0);
  large.a = call.c + 16;
  large.b = call.a;
  k.gpu = gpu;
  k.n_sections = 0;
  k.n_args = 1;
  k.args = large_args;
  return k;
}

// A structure as large as a tensor map: all its words count.
static void as_large_as_a_map(void **state) {
  (void)state;
  struct gpu_api *driver = (struct gpu_api *)(uintptr_t)api;
  __typeof__(api->map_replace) replace = api->map_replace;
  struct autotune_gpu gpu;
  struct autotune_kernel k = kernel_of_large(&gpu);
  struct gpu_call *c = test_malloc(sizeof *c);
  struct autotune_launch asked = launch_of(BLOCK);
  char why[256] = "";
  driver->map_replace = replace_any;
  assert_int_equal(gpu_call_describe(&k, large_list, &asked, NULL, c, why, sizeof why),
                   0);
  driver->map_replace = replace;
  assert_int_equal(c->n_pointers, 2);
  assert_int_equal(c->pointers[0].map, large.a);
  assert_int_equal(c->pointers[1].offset, 8);
  assert_int_equal(c->pointers[1].map, 0);
  assert_int_equal(c->n_regions, 2);
  test_free(c);
}

// Values of many variants are memory of one allocation; one that cannot be used leaves
// out its variants alone.
static void prepared_values(void **state) {
  (void)state;
  enum { VALUES = 100 };
  static const struct autotune_prepared list[] = { { .arg = 0, .text = "t = f(W)" } };
  static unsigned char values[VALUES * sizeof large], out[GPU_ARGS];
  static bool made[VALUES];
  static char *reasons[VALUES];
  struct autotune_gpu gpu;
  struct autotune_kernel k = kernel_of_large(&gpu);
  struct gpu_prepared p = { .n = 1, .list = list };
  struct gpu_call *c = test_malloc(sizeof *c);
  struct autotune_launch asked = launch_of(BLOCK);
  void *pinned = NULL;
  char why[256] = "";
  p.sets[0] =
      (struct gpu_prepared_set){ &k, sizeof large, VALUES, made, reasons, values };
  assert_int_equal(api->host_allocate(&pinned, 64, 0), 0);
  for (unsigned v = 0; v < VALUES; v++) {
    made[v] = true;
    large.a = v == 7 ? (gpu_pointer)(uintptr_t)pinned : call.c + 4 * v;
    memcpy(values + v * sizeof large, &large, sizeof large);
  }
  large.a = call.c;
  if (gpu_call_describe(&k, large_list, &asked, &p, c, why, sizeof why) != 0)
    fail_msg("%s", why);
  assert_int_equal(c->n_regions, 2);
  assert_int_equal(c->prepared_bytes, sizeof large);
  for (unsigned v = 0; v < VALUES; v++)
    assert_int_equal(made[v], v != 7);
  p.sets[0].n = 1;
  p.sets[0].made = made + 7;
  p.sets[0].why = reasons + 7;
  assert_false(gpu_prepared_take(&p, c, NULL, out, why, sizeof why));
  assert_string_equal(why, "t points to memory of the host, which is not saved");
  // A file with such values is as large as it says, or is refused.
  struct gpu_answer a;
  assert_true(gpu_variant_fits(c, 0, 1000, sizeof large, &a));
  assert_true(gpu_variant_fits(c, 500, 1000, 0, &a));
  assert_true(gpu_variant_fits(c, 872, 1000, sizeof large, &a));
  assert_false(gpu_variant_fits(c, 873, 1000, sizeof large, &a));
  assert_false(gpu_variant_fits(c, 0, 100, sizeof large, &a));
  assert_false(gpu_variant_fits(c, 0, 1000, sizeof large - 1, &a));
  assert_int_equal(a.status, STATUS_LOAD);
  free(reasons[7]);
  api->host_release(pinned);
  test_free(c);
}

// What fits into a call's arguments fits into a winner's.
static void prepared_arguments_of_winners(void **state) {
  (void)state;
  enum { ARGS = 17, SIZE = 144 };
  static struct autotune_arg args[ARGS];
  static struct autotune_prepared list[ARGS];
  struct autotune_kernel k = kernel;
  struct autotune_gpu gpu = gpu_of_call;
  size_t bytes = 0;
  for (unsigned i = 0; i < ARGS; i++) {
    args[i] = (struct autotune_arg){ "t", SIZE, 0 };
    list[i] = (struct autotune_prepared){ .arg = i, .text = "t = f(W)" };
    assert_int_equal(gpu_prepared_place(&bytes, SIZE), i * SIZE);
  }
  assert_int_equal(gpu_prepared_place(&bytes, GPU_MAP) % GPU_MAP, 0);
  k.args = args;
  k.n_args = ARGS;
  k.gpu = &gpu;
  gpu.prepared = list;
  gpu.n_prepared = ARGS;
  struct gpu_cache *c = gpu_cache_new(&k);
  assert_non_null(c);
  gpu_cache_free(c);
}

static void contexts_are_put_back(void **state) {
  (void)state;
  gpu_context before, after;
  begin_call(AUTOTUNE_INOUT);
  struct gpu_call c = described();
  char why[256];
  assert_int_equal(api->context_get(&before), 0);
  assert_int_equal(api->context_set(NULL), 0);
  struct gpu_run *r = gpu_run_new(api, &c, why, sizeof why);
  assert_non_null(r);
  assert_int_equal(api->context_get(&after), 0);
  assert_null(after);
  assert_int_equal(api->context_set(before), 0);
  gpu_run_free(r);
  assert_int_equal(api->context_get(&after), 0);
  assert_ptr_equal(before, after);
}

// All allocated memory is released.
static void nothing_is_kept(void **state) {
  (void)state;
  size_t before = 0, after = 0, total;
  begin_call(AUTOTUNE_INOUT);
  gpu_run_free(run_with_reference(ADD)); // modules and the like stay loaded from now on
  assert_int_equal(api->memory_info(&before, &total), 0);
  for (int i = 0; i < 5; i++)
    gpu_run_free(run_with_reference(ADD));
  assert_int_equal(api->memory_info(&after, &total), 0);
  assert_int_equal(before, after);
}

// If the environment keeps the comparing kernel from being compiled, these tests cover
// the host.
static void who_compares(void **state) {
  (void)state;
  const char *emulate = getenv("AUTOTUNE_EMULATE");
  begin_call(AUTOTUNE_INOUT);
  struct gpu_run *r = run_with_reference(ADD);
  assert_true((r->compare == NULL) == (emulate && strstr(emulate, "nvrtc")));
  gpu_run_free(r);
}

// ---- memory that is short -----------------------------------------------------------

// The device has room for the call's memory only.
static void copies_on_the_host(void **state) {
  (void)state;
  begin_call(AUTOTUNE_INOUT);
  struct gpu_run *r = run_with_reference(ADD);
  assert_true(r->pieces[0].saved.host && r->pieces[0].saved.bytes == 4 * N);
  assert_true(r->pieces[0].expected.host && r->pieces[0].expected.bytes == 4 * N);
  gpu_run_free(r);
}

static gpu_result none_on_device(gpu_pointer *p, size_t bytes) {
  (void)p, (void)bytes;
  return GPU_OUT_OF_MEMORY;
}
static gpu_result none_on_host(void **p, size_t bytes, unsigned flags) {
  (void)p, (void)bytes, (void)flags;
  return GPU_OUT_OF_MEMORY;
}

// The kernel is not tuned, and nothing is run.
static void no_room_at_all(void **state) {
  (void)state;
  struct gpu_api full = *api;
  char why[256] = "";
  full.allocate = none_on_device;
  full.host_allocate = none_on_host;
  begin_call(AUTOTUNE_INOUT);
  struct gpu_call c = described();
  assert_null(gpu_run_new(&full, &c, why, sizeof why));
  assert_non_null(strstr(why, "no room for a copy of 0.0 MiB"));
  assert_untouched();
}

static int run_small(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(copies_on_the_host),
    cmocka_unit_test(in_place),
    cmocka_unit_test(whole_allocations),
    cmocka_unit_test(garbage_in_an_allocation),
    cmocka_unit_test(nothing_new_in_an_allocation),
    cmocka_unit_test(other_streams_first),
    cmocka_unit_test(largest_deviation),
    cmocka_unit_test(weak_data),
    cmocka_unit_test(mixed_scales),
    cmocka_unit_test(residuals),
    cmocka_unit_test(undetermined),
    cmocka_unit_test(damaged_tolerances),
    cmocka_unit_test(compiled_otherwise),
    cmocka_unit_test(one_element),
    cmocka_unit_test(not_a_number),
    cmocka_unit_test(work_left_out),
    cmocka_unit_test(atomics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// ---- calls of the driver that fail, and errors that stay ----------------------------

// Runs BODY in a process whose device is as EMULATE says.
static int in_child(int (*body)(void), const char *emulate) {
  int status = 0;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    setenv("AUTOTUNE_EMULATE", emulate, 1);
    begin_device();
    begin_call(AUTOTUNE_INOUT);
    set_original(ADD);
    _exit(body());
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status;
}

static bool is_untouched(void) {
  static float data[N];
  for (int i = 0; i < 3; i++) // the fault may be due here
    if (api->copy_to_host(data, call.c, sizeof data, NULL) == 0 &&
        api->stream_synchronize(NULL) == 0)
      break;
  for (int i = 0; i < N; i++)
    if (data[i] != (float)i)
      return false;
  return true;
}

// Returns 0 if each failure has a message, and either the memory is as before or the
// device is lost.
static int tune_a_little(void) {
  struct gpu_call c = described();
  char why[256] = "";
  struct gpu_answer a = { .sticky = false };
  struct trial_plan few = times;
  few.min_samples = few.max_samples = 2;
  struct gpu_run *r = gpu_run_new(api, &c, why, sizeof why);
  if (!r)
    return !*why || !is_untouched();
  gpu_run_reference(r, original, &few, &a);
  bool told = a.status == STATUS_OK || *a.message;
  if (a.status == STATUS_OK) {
    struct gpu_variant v = variant_of(1, ADD_OTHERWISE);
    gpu_run_try(r, &v, &few, &a);
    told &= a.status == STATUS_OK || *a.message;
  }
  bool kept = a.sticky || is_untouched();
  gpu_run_free(r);
  return !told + 2 * !kept;
}

static void calls_that_fail(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int first, last, step;
  } faults[] = {
    // the first ones are this test's own
    { "copy", 3, 24, 1 },    { "copy", 25, 100, 9 }, { "event", 1, 12, 1 },
    { "event", 13, 100, 9 }, { "sync", 3, 8, 1 },    { "memory", 3, 10, 1 },
    { "load", 2, 3, 1 },     { "launch", 1, 8, 1 },
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    for (int n = faults[i].first; n <= faults[i].last; n += faults[i].step) {
      char emulate[64];
      snprintf(emulate, sizeof emulate, "fault=%s:%d", faults[i].name, n);
      int status = in_child(tune_a_little, emulate);
      if (status != 0)
        fail_msg("%s: status %d", emulate, status);
    }
}

static int deadly_variant(void) {
  struct gpu_answer a;
  struct gpu_run *r = run_with_reference(ADD);
  struct gpu_variant bad = variant_of(1, UNIT("if (i == 0) c[1ll << 33] = 1;"));
  struct gpu_variant good = variant_of(2, ADD);
  gpu_run_try(r, &bad, &times, &a);
  bool told = a.status == STATUS_CRASH && a.sticky &&
      strstr(a.message, "CUDA_ERROR_ILLEGAL_ADDRESS");
  gpu_run_try(r, &good, &times, &a);
  told &= a.status == STATUS_CRASH && a.sticky && *a.message && !gpu_run_restore(r);
  gpu_run_free(r);
  return !told;
}

// The program waits for it for a while, and then reports that the device is lost.
static int endless_variant(void) {
  struct gpu_answer a;
  struct gpu_run *r = run_with_reference(ADD);
  struct gpu_variant bad = variant_of(1, UNIT("while (((volatile float *)a)[0] == 1) ;"));
  struct trial_plan plan = checks;
  plan.limit = 0.1;
  gpu_run_try(r, &bad, &plan, &a);
  bool told = a.status == STATUS_TIMEOUT && a.sticky &&
      strstr(a.message, "no end after 0.1 s");
  gpu_run_free(r);
  return !told;
}

static void errors_that_stay(void **state) {
  (void)state;
  assert_int_equal(in_child(deadly_variant, ""), 0);
  assert_int_equal(in_child(endless_variant, "timeout=1"), 0);
}

// This process must not use the device, because it could not be forked then.
static int run_faults(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(calls_that_fail),
    cmocka_unit_test(errors_that_stay),
  };
  if (!nvrtc_get(NULL) || !nvrtc_get(NULL)->emulated) {
    printf("skipped: only the emulator's calls fail when they are told to\n");
    return 77;
  }
  architecture_of_tests = 80;
  cubin_of(ADD);
  cubin_of(ADD_OTHERWISE);
  // Compiles here, so that no child need do it.
  const struct gpu_info info = { .cc = architecture_of_tests };
  struct gpu_run none = { .info = &info };
  const struct cubin *compare = cubin_of(compare_text);
  gpu_compare_adopt(&none, compare->data, compare->size);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Argument `small`: a device with hardly any memory; `faults`: one whose calls fail.
int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "faults") == 0)
    return run_faults();
  begin_device();
  if (argc > 1 && strcmp(argv[1], "small") == 0)
    return run_small();
  if (argc > 1) // the name of a test
    cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(in_place),
    cmocka_unit_test(who_compares),
    cmocka_unit_test(whole_allocations),
    cmocka_unit_test(mapped_piece_by_piece),
    cmocka_unit_test(as_large_as_a_map),
    cmocka_unit_test(prepared_values),
    cmocka_unit_test(prepared_arguments_of_winners),
    cmocka_unit_test(garbage_in_an_allocation),
    cmocka_unit_test(nothing_new_in_an_allocation),
    cmocka_unit_test(other_streams_first),
    cmocka_unit_test(flush_off_and_batches),
    cmocka_unit_test(short_kernels),
    cmocka_unit_test(beside_a_rival),
    cmocka_unit_test(default_is_timed),
    cmocka_unit_test(atomics),
    cmocka_unit_test(largest_deviation),
    cmocka_unit_test(weak_data),
    cmocka_unit_test(mixed_scales),
    cmocka_unit_test(residuals),
    cmocka_unit_test(undetermined),
    cmocka_unit_test(damaged_tolerances),
    cmocka_unit_test(compiled_otherwise),
    cmocka_unit_test(one_element),
    cmocka_unit_test(not_a_number),
    cmocka_unit_test(work_left_out),
    cmocka_unit_test(changed_input),
    cmocka_unit_test(beside_the_section),
    cmocka_unit_test(no_repetition),
    cmocka_unit_test(workspaces),
    cmocka_unit_test(workspace_that_is_read),
    cmocka_unit_test(workspace_in_an_allocation),
    cmocka_unit_test(workspace_in_an_output),
    cmocka_unit_test(other_formats),
    cmocka_unit_test(cannot_be_launched),
    cmocka_unit_test(too_slow),
    cmocka_unit_test(variables),
    cmocka_unit_test(refused_calls),
    cmocka_unit_test(null_is_fine),
    cmocka_unit_test(overlapping_sections),
    cmocka_unit_test(structures),
    cmocka_unit_test(contexts_are_put_back),
    cmocka_unit_test(nothing_is_kept),
    cmocka_unit_test(no_room_at_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
