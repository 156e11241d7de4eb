// SPDX-License-Identifier: Apache-2.0
// Races in which a simulated machine runs the arms: the best is found however noisy calls
// are, the default stays if no arm beats it, and an arm that is clearly slower runs
// seldom.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/space.h"
#include "tune/halving.h"

struct machine_model {
  uint64_t rng;
  double noise;        // of one call, as a fraction
  double spikes, size; // how many calls take SIZE times as long
  double drift;        // fraction by which everything becomes slower in a round
};

static double uniform(struct machine_model *m) {
  return (double)(rng_next(&m->rng) >> 11) / 9007199254740992.0;
}

static double call(struct machine_model *m, double seconds, unsigned round) {
  double sum = 0;
  for (int i = 0; i < 12; i++)
    sum += uniform(m);
  double t = seconds * exp(m->noise * (sum - 6)) * (1 + m->drift * round);
  return uniform(m) < m->spikes ? t * m->size : t;
}

enum { MOST = 64 };
struct race_result {
  int winner;
  unsigned calls, runs[MOST];
};

// Races the default and N others that take TIMES; one of them comes each second round.
static struct race_result run_race(struct machine_model *m, const double *times, int n) {
  struct halving h;
  struct race_result r = { 0 };
  int arm_of[ARMS] = { 0 }, next = 1, order[ARMS];
  unsigned rounds = 0;
  halving_init(&h);
  for (int guard = 0; guard < 1000 && !h.over; guard++) {
    int room = next <= n ? halving_room(&h) : -1;
    if (room > 0) {
      halving_join(&h, room);
      arm_of[room] = next++;
    }
    if (next > n && guard > 2 * n)
      halving_close(&h);
    unsigned racing = halving_round(&h, order, &rounds);
    for (unsigned k = 0; racing && k < rounds; k++)
      for (unsigned i = 0; i < racing; i++) {
        int arm = order[(i + k) % racing];
        unsigned round = h.round - rounds + k;
        halving_sample(&h, arm, round, call(m, times[arm_of[arm]], round));
        r.runs[arm_of[arm]]++;
        r.calls++;
      }
    halving_judge(&h);
    for (int i = 1; i < ARMS; i++)
      if (h.arms[i].state == ARM_OUT && next <= n)
        h.arms[i].state = ARM_FREE;
  }
  assert_true(h.over);
  r.winner = arm_of[halving_winner(&h)];
  return r;
}

static const struct machine_model machines[] = {
  { .noise = 0.003 },
  { .noise = 0.03 },
  { .noise = 0.1, .spikes = 0.05, .size = 5 },
  { .noise = 0.02, .drift = 0.01 },
  { .noise = 0.05, .spikes = 0.1, .size = 20, .drift = -0.004 },
};
enum { MACHINES = sizeof machines / sizeof *machines, TIMES = 100 };

static void test_the_best_is_found(void **state) {
  (void)state;
  static const double times[] = { 1, 0.95, 1.2, 0.7, 0.9, 0.5, 1.1, 0.8, 0.6, 1.3, 0.75 };
  for (unsigned i = 0; i < MACHINES; i++) {
    unsigned found = 0, calls = 0;
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
      struct machine_model m = machines[i];
      m.rng = seed;
      struct race_result r = run_race(&m, times, 10);
      found += r.winner == 5;
      calls += r.calls;
      assert_true(times[r.winner] < 0.8);
    }
    print_message("machine %u: best found %u of %d, %.0f calls\n", i, found, TIMES,
                  (double)calls / TIMES);
    assert_true(found >= TIMES * 95 / 100);
  }
}

static void test_the_default_stays(void **state) {
  (void)state;
  static const double times[] = { 1, 1, 1.02, 1.1, 1.5, 1, 1.05, 1 };
  for (unsigned i = 0; i < MACHINES; i++) {
    unsigned stays = 0;
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
      struct machine_model m = machines[i];
      m.rng = seed;
      struct race_result r = run_race(&m, times, 7);
      stays += r.winner == 0;
      assert_true(times[r.winner] < 1.06);
    }
    print_message("machine %u: the default stays %u of %d\n", i, stays, TIMES);
    assert_true(stays >= TIMES * 95 / 100);
  }
}

// However many arms are alike, the luckiest of them is compared with the default in
// rounds of its own.
static void test_luck_does_not_win(void **state) {
  (void)state;
  double times[31];
  for (int i = 0; i < 31; i++)
    times[i] = 1;
  for (unsigned i = 0; i < 3; i++) {
    unsigned stays = 0;
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
      struct machine_model m = machines[i];
      m.rng = seed;
      stays += run_race(&m, times, 30).winner == 0;
    }
    print_message("machine %u: thirty do not beat it %u of %d\n", i, stays, TIMES);
    assert_true(stays >= TIMES * 93 / 100);
  }
}

static void test_the_slow_run_seldom(void **state) {
  (void)state;
  static const double times[] = { 1, 3, 0.5, 1.6, 2 };
  struct machine_model m = { .rng = 7, .noise = 0.02 };
  struct race_result r = run_race(&m, times, 4);
  assert_int_equal(r.winner, 2);
  assert_in_range(r.runs[1], 1, 2); // one call may be slow for any reason
  assert_in_range(r.runs[3], 1, 3);
  assert_in_range(r.runs[4], 1, 3);
  assert_in_range(r.runs[0], 6, 16);
}

static void test_alone_nothing_is_run(void **state) {
  (void)state;
  struct halving h;
  int order[ARMS];
  unsigned rounds;
  halving_init(&h);
  assert_int_equal(halving_round(&h, order, &rounds), 0);
  halving_judge(&h);
  halving_close(&h);
  assert_true(h.over);
  assert_int_equal(halving_winner(&h), 0);
}

// There are more newcomers than arms, and the best one cannot be run any more.
static void test_arms_are_used_again(void **state) {
  (void)state;
  double times[MOST];
  for (int i = 0; i < MOST; i++)
    times[i] = 1 + 0.001 * i;
  times[41] = 0.8;
  struct machine_model m = { .rng = 3, .noise = 0.02 };
  assert_int_equal(run_race(&m, times, MOST - 1).winner, 41);

  struct halving h;
  unsigned rounds;
  int order[ARMS];
  halving_init(&h);
  halving_join(&h, 1);
  for (int guard = 0; guard < 10 && h.incumbent == 0; guard++) {
    unsigned n = halving_round(&h, order, &rounds);
    for (unsigned k = 0; k < rounds; k++)
      for (unsigned i = 0; i < n; i++)
        halving_sample(&h, order[i], h.round - rounds + k, order[i] ? 0.5 : 1);
    halving_judge(&h);
  }
  assert_int_equal(h.incumbent, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_best_is_found),
    cmocka_unit_test(test_the_default_stays),
    cmocka_unit_test(test_luck_does_not_win),
    cmocka_unit_test(test_the_slow_run_seldom),
    cmocka_unit_test(test_alone_nothing_is_run),
    cmocka_unit_test(test_arms_are_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
