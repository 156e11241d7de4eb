// SPDX-License-Identifier: Apache-2.0
// Tests which series of call times count as a drift.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call/drift.h"
#include "model/space.h"

enum { PER_SECOND = 100 };

// Returns the seconds that a call takes at second T, before noise.
typedef double series(double t);

// Returns the second at which SHAPE, with NOISE (a fraction, exponential above the least
// time), becomes a drift; -1: not within SECONDS.
static double drifts_at(series *shape, double noise, double recorded, double seconds) {
  struct drift d = drift_new(recorded, 1);
  uint64_t rng = 7;
  for (unsigned i = 0; i < seconds * PER_SECOND; i++) {
    double t = (double)i / PER_SECOND;
    double call = shape(t) * (1 - noise * log(1 - rng_unit(&rng)));
    if (drift_add(&d, call, 1000 + t))
      return t;
  }
  return -1;
}

static double steady(double t) {
  (void)t;
  return 1e-3;
}
static double step(double t) {
  return t < 60 ? 1e-3 : 1.3e-3;
}
static double small_step(double t) {
  return t < 60 ? 1e-3 : 1.05e-3;
}
static double faster(double t) {
  return t < 60 ? 1e-3 : 0.5e-3;
}
static double ramp(double t) {
  return 1e-3 * (1 + t / 1000);
}
static double spikes(double t) {
  return fmod(t, 0.1) < 0.011 ? 50e-3 : 1e-3;
}
static double busy_now_and_then(double t) {
  return fmod(t, 20) < 5 ? 2e-3 : 1e-3;
}
static double busy_at_first(double t) {
  return t < 10 || t > 100 ? 2e-3 : 1e-3;
}
static double alternates(double t) {
  return fmod(t, 0.02) < 0.01 ? 1e-3 : 3e-3;
}
static double for_a_while(double t) {
  return t > 60 && t < 66 ? 2e-3 : 1e-3;
}

static void test_no_drift(void **state) {
  (void)state;
  static series *const calm[] = { steady,     small_step,        faster,
                                  spikes,     busy_now_and_then, alternates,
                                  for_a_while };
  for (size_t i = 0; i < sizeof calm / sizeof *calm; i++)
    for (double noise = 0; noise < 0.5; noise += 0.2) {
      double at = drifts_at(calm[i], noise, 0, 600);
      if (at >= 0)
        print_error("series %zu, noise %g: drifts at %g s\n", i, noise, at);
      assert_true(at < 0);
    }
}

static void test_step(void **state) {
  (void)state;
  for (double noise = 0; noise < 0.25; noise += 0.1) {
    double at = drifts_at(step, noise, 0, 600);
    assert_true(at >= 60 + DRIFT_LONG - 1 && at < 60 + 4 * DRIFT_LONG);
  }
}

static void test_ramp(void **state) {
  (void)state;
  double at = drifts_at(ramp, 0.05, 0, 600); // 15 % are reached after 150 s
  assert_true(at > 140 && at < 260);
}

// The first times are above normal; the base is corrected, and a later rise is a drift.
static void test_base_is_mended(void **state) {
  (void)state;
  double at = drifts_at(busy_at_first, 0.05, 0, 200);
  assert_true(at > 100 && at < 100 + 4 * DRIFT_LONG);
}

static void test_recorded(void **state) {
  (void)state;
  assert_true(drifts_at(steady, 0.1, 0.9e-3, 600) < 0);
  assert_true(drifts_at(steady, 0.1, 0.6e-3, 600) < 0); // colder caches
  double at = drifts_at(steady, 0.1, 0.4e-3, 600);
  assert_true(at >= DRIFT_BASE - 1 && at < 2 * DRIFT_BASE);
}

// One call a minute, and a million a second.
static void test_rates(void **state) {
  (void)state;
  struct drift slow = drift_new(0, 1), fast = drift_new(0, 1);
  bool drifted = false;
  for (int i = 0; i < 300 && !drifted; i++)
    drifted = drift_add(&slow, i < 60 ? 1 : 1.5, 60.0 * i);
  assert_true(drifted && slow.ratio > 1.4 && slow.ratio < 1.6 && slow.since >= 60 * 50);
  drifted = false;
  for (int i = 0; i < 40 * 1000 * 1000 && !drifted; i += 4)
    drifted = drift_add(&fast, i < 10 * 1000 * 1000 ? 1e-7 : 2e-7, 1e-6 * i);
  assert_true(drifted && fast.n == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_no_drift), cmocka_unit_test(test_step),
    cmocka_unit_test(test_ramp),     cmocka_unit_test(test_base_is_mended),
    cmocka_unit_test(test_recorded), cmocka_unit_test(test_rates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
