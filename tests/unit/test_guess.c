// SPDX-License-Identifier: Apache-2.0
// Which points of a kernel with loop directives are tried first.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tune/guess.h"

#define VALUE(n) { #n, #n, n, n }
static const struct autotune_value threads[] = { VALUE(1), VALUE(4), VALUE(64) },
                                   sizes[] = { VALUE(16), VALUE(64), VALUE(256) },
                                   factors[] = { VALUE(1), VALUE(2), VALUE(4) },
                                   orders[] = { { "(1,2,3)", "0", 0, 0 },
                                                { "(1,3,2)", "1", 1, 1 },
                                                { "(3,1,2)", "2", 2, 2 } },
                                   yes_no[] = { { "no", "0", 0, 0 },
                                                { "yes", "1", 1, 1 } },
                                   schedules[] = { { "static", "static", 0, 0 },
                                                   { "guided", "guided", 1, 1 } },
                                   flags[] = { { "", NULL, 0, 0 },
                                               { "-ffast-math", NULL, 0, 0 } };
enum {
  THREADS,
  FLAGS,
  DIRECTIVES,
  TILED,
  TILE1,
  TILE2,
  JAM1,
  JAM2,
  ORDER,
  SCHEDULE,
  SIMD,
  N
};
static const struct autotune_param params[N] = {
  [THREADS] = { "THREADS", "THREADS", AUTOTUNE_INT, -1, 3, 0, threads },
  [FLAGS] = { "flags", NULL, AUTOTUNE_FLAGS, -1, 2, 2, flags },
  [DIRECTIVES] = { "directives", "D", AUTOTUNE_CHOICE, -1, 2, 0, yes_no },
  [TILED] = { "tile@9.1", "T", AUTOTUNE_CHOICE, DIRECTIVES, 2, 0, yes_no },
  [TILE1] = { "tile@9.2", "T1", AUTOTUNE_INT, TILED, 3, 3, sizes },
  [TILE2] = { "tile@9.3", "T2", AUTOTUNE_INT, TILED, 3, 3, sizes },
  [JAM1] = { "unroll_and_jam@8.1", "J1", AUTOTUNE_INT, DIRECTIVES, 3, 3, factors },
  [JAM2] = { "unroll_and_jam@8.2", "J2", AUTOTUNE_INT, DIRECTIVES, 3, 3, factors },
  [ORDER] = { "interchange@10.1", "O", AUTOTUNE_TUPLE, DIRECTIVES, 3, 3, orders },
  [SCHEDULE] = { "schedule@7.1", "S", AUTOTUNE_WORD, DIRECTIVES, 2, 2, schedules },
  [SIMD] = { "simd@11.1", "V", AUTOTUNE_CHOICE, DIRECTIVES, 2, 0, yes_no },
};
static const struct autotune_machine machine = { .threads = 16 };
static const struct autotune_kernel kernel = {
  .abi = AUTOTUNE_ABI, .name = "k", .n_params = N, .params = params
};

static struct space made(const struct autotune_kernel *k) {
  struct space s;
  space_init(&s, k, NULL, &machine);
  return s;
}

static void test_features(void **state) {
  (void)state;
  struct space s = made(&kernel);
  double x[GUESS_FEATURES];
  guess_features(&s,
                 (choice[N]){ [THREADS] = 1,
                              [FLAGS] = 1,
                              [DIRECTIVES] = 1,
                              [TILED] = 1,
                              [TILE1] = 0,
                              [TILE2] = 2,
                              [JAM1] = 1,
                              [JAM2] = 2,
                              [ORDER] = 1,
                              [SCHEDULE] = 1,
                              [SIMD] = 1 },
                 x);
  assert_true(x[GUESS_THREADS] == 2 && x[GUESS_FAST_MATH] == 1 && x[GUESS_WIDE] == 0);
  assert_true(x[GUESS_TILED] == 1 && x[GUESS_TILE] == 0 && x[GUESS_INNER_TILE] == 2);
  assert_true(x[GUESS_JAM] == 3 && x[GUESS_UNROLL] == 0 && x[GUESS_SIMD] == 1);
  assert_true(x[GUESS_INNER] == 1 && x[GUESS_DYNAMIC] == 1);
  // More threads than the machine has count as many as it has.
  guess_features(&s, (choice[N]){ [THREADS] = 2, [DIRECTIVES] = 1, [ORDER] = 2 }, x);
  assert_true(x[GUESS_THREADS] == 4 && x[GUESS_TILED] == 0 && x[GUESS_TILE] == 0);
  assert_true(x[GUESS_JAM] == 0 && x[GUESS_INNER] == 1 && x[GUESS_SIMD] == 0);
  // Without directives their parameters do not count.
  guess_features(&s, (choice[N]){ [TILED] = 1, [TILE1] = 2, [JAM1] = 2, [SIMD] = 1 }, x);
  for (unsigned i = 0; i < GUESS_FEATURES; i++)
    assert_true(x[i] == 0);
}

// The guesses exist, differ, have directives, and seem faster than most points.
static void test_points(void **state) {
  (void)state;
  enum { MAX = 3, DRAWN = 200 };
  struct space s = made(&kernel);
  choice points[MAX * N], again[MAX * N], drawn[N];
  uint64_t rng = 7;
  assert_int_equal(guess_points(&s, points, MAX), MAX);
  for (unsigned i = 0; i < MAX; i++) {
    const choice *point = points + (size_t)i * N;
    unsigned slower = 0;
    assert_true(space_allows(&s, point));
    assert_int_equal(point[DIRECTIVES], 1);
    for (unsigned j = 0; j < i; j++)
      assert_false(space_equal(&s, point, points + (size_t)j * N));
    for (unsigned j = 0; j < DRAWN; j++)
      slower += space_sample(&s, &rng, drawn) &&
          guess_cost(&s, drawn) > guess_cost(&s, point);
    assert_in_range(slower, DRAWN * 3 / 4, DRAWN);
  }
  assert_int_equal(guess_points(&s, again, MAX), MAX); // each time the same
  assert_memory_equal(points, again, sizeof points);
}

static void test_few_points(void **state) {
  (void)state;
  const struct autotune_param jam = {
    "unroll_and_jam@8.1", "J", AUTOTUNE_INT, -1, 2, 2, factors
  };
  const struct autotune_kernel k = {
    .abi = AUTOTUNE_ABI, .name = "small", .n_params = 1, .params = &jam
  };
  struct space s = made(&k);
  choice points[3];
  assert_int_equal(guess_points(&s, points, 3), 2);
  assert_true(points[0] != points[1]);
}

static void test_no_directives(void **state) {
  (void)state;
  const struct autotune_kernel k = {
    .abi = AUTOTUNE_ABI, .name = "plain", .n_params = 2, .params = params
  };
  struct space s = made(&k);
  choice points[3 * N];
  assert_int_equal(guess_points(&s, points, 3), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_features),
    cmocka_unit_test(test_points),
    cmocka_unit_test(test_few_points),
    cmocka_unit_test(test_no_directives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
