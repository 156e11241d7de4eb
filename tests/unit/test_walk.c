// SPDX-License-Identifier: Apache-2.0
// Large spaces of which few points are allowed: sampled, counted, walked and mended
// without a list of all points.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "model/space.h"

// N parameters with the numbers 1 … VALUES; conditions look at neighbours in a chain, or
// at all.
enum { N = 6, VALUES = 32 };
static struct autotune_value numbers[1024];
static struct autotune_param params[10];
static struct autotune_condition conditions[10];
static unsigned looks[10][10];
static struct autotune_kernel kernel = { .name = "k",
                                         .params = params,
                                         .conditions = conditions };
static const struct autotune_machine machine;

typedef int condition_fn(const struct autotune_value *const *v, void *const *args,
                         const struct autotune_machine *m);

static void set_params(unsigned n, unsigned values) {
  for (unsigned i = 0; i < 1024; i++)
    numbers[i] = (struct autotune_value){ "v", "v", i + 1, i + 1 };
  for (unsigned i = 0; i < n; i++)
    params[i] =
        (struct autotune_param){ "p", "P", AUTOTUNE_INT, -1, values, values, numbers };
  kernel.n_params = n;
  kernel.n_conditions = 0;
}

static void add_condition(condition_fn *holds, unsigned n, const unsigned *which) {
  unsigned *mine = looks[kernel.n_conditions];
  memcpy(mine, which, n * sizeof *which);
  conditions[kernel.n_conditions++] =
      (struct autotune_condition){ .holds = holds, .n_params = n, .params = mine };
}

static struct space made(void) {
  struct space s;
  space_init(&s, &kernel, NULL, &machine);
  return s;
}

// ---- conditions ---------------------------------------------------------------------

#define CHAINED(at)                                                                 \
  static int chained_##at(const struct autotune_value *const *v, void *const *args, \
                          const struct autotune_machine *m) {                       \
    (void)args, (void)m;                                                            \
    return v[at]->i * 2 == v[at + 1]->i || (v[at]->i == 32 && v[at + 1]->i == 1);   \
  }
CHAINED(0)
CHAINED(1)
CHAINED(2)
CHAINED(3)
CHAINED(4)

// Each is the double of the one before it, and 1 after 32: 6 of 32^6, that is one in 1.8
// * 10^8.
static struct space chain(void) {
  static condition_fn *const links[] = { chained_0, chained_1, chained_2, chained_3,
                                         chained_4 };
  set_params(N, VALUES);
  for (unsigned i = 5; i-- > 0;) // given in the worst order
    add_condition(links[i], 2, (const unsigned[]){ i, i + 1 });
  return made();
}

static int product_64(const struct autotune_value *const *v, void *const *args,
                      const struct autotune_machine *m) {
  (void)args, (void)m;
  return v[0]->i * v[1]->i == 64;
}

static int below(const struct autotune_value *const *v, void *const *args,
                 const struct autotune_machine *m) {
  (void)args, (void)m;
  return v[0]->i * v[1]->i * v[2]->i <= 40;
}

static int equal(const struct autotune_value *const *v, void *const *args,
                 const struct autotune_machine *m) {
  (void)args, (void)m;
  return v[0]->i == v[1]->i;
}

static int divides(const struct autotune_value *const *v, void *const *args,
                   const struct autotune_machine *m) {
  (void)args, (void)m;
  return v[1]->i % v[2]->i == 0;
}

static int product_of_all(const struct autotune_value *const *v, void *const *args,
                          const struct autotune_machine *m) {
  (void)m;
  long long product = 1;
  for (int p = 0; p < N; p++)
    product *= v[p]->i;
  return product == *(int *)args[0];
}

static void product_leaves(double *out, void *const *args,
                           const struct autotune_machine *m) {
  (void)m;
  out[0] = *(int *)args[0];
}

// P0 * P1 * P2 * P3 * P4 * P5 == n
static const struct autotune_step product_steps[] = {
  { AUTOTUNE_OP_PARAM, 0, 0 },    { AUTOTUNE_OP_PARAM, 1, 0 },
  { AUTOTUNE_OP_MULTIPLY, 0, 0 }, { AUTOTUNE_OP_PARAM, 2, 0 },
  { AUTOTUNE_OP_MULTIPLY, 0, 0 }, { AUTOTUNE_OP_PARAM, 3, 0 },
  { AUTOTUNE_OP_MULTIPLY, 0, 0 }, { AUTOTUNE_OP_PARAM, 4, 0 },
  { AUTOTUNE_OP_MULTIPLY, 0, 0 }, { AUTOTUNE_OP_PARAM, 5, 0 },
  { AUTOTUNE_OP_MULTIPLY, 0, 0 }, { AUTOTUNE_OP_LEAF, 0, 0 },
  { AUTOTUNE_OP_EQUAL, 0, 0 },
};

// ---- tests --------------------------------------------------------------------------

static unsigned index_of(uint64_t *hashes, unsigned *n, uint64_t hash) {
  unsigned i = 0;
  while (i < *n && hashes[i] != hash)
    i++;
  if (i == *n)
    hashes[(*n)++] = hash;
  return i;
}

static void test_chain(void **state) {
  (void)state;
  struct space s = chain();
  choice point[MAX_PARAMS];
  uint64_t rng = 1, hashes[16];
  unsigned n = 0, times[16] = { 0 };
  assert_int_equal(space_count(&s, 1000), 6);
  assert_true(s.sparse);
  for (int i = 0; i < 600; i++) {
    assert_true(space_sample(&s, &rng, point));
    assert_true(space_allows(&s, point));
    times[index_of(hashes, &n, space_hash(&s, point))]++;
  }
  assert_int_equal(n, 6);
  for (unsigned i = 0; i < n; i++) // 100 expected of each, sigma 9
    assert_in_range(times[i], 60, 140);
  unsigned walked = 0;
  for (bool more = space_first(&s, point); more; more = space_next(&s, point))
    walked++;
  assert_int_equal(walked, 6);
}

// Chi-square over all points, sparse or not. 99.9 % of such sums are below the limit.
static void check_uniform(const struct space *s, unsigned expected_points, unsigned each,
                          double limit) {
  choice point[MAX_PARAMS];
  uint64_t rng = 7, *hashes = calloc(expected_points + 1, sizeof *hashes);
  unsigned n = 0, *times = calloc(expected_points + 1, sizeof *times);
  double sum = 0, expected = each;
  assert_int_equal(space_count(s, 1 << 20), expected_points);
  for (unsigned i = 0; i < each * expected_points; i++) {
    assert_true(space_sample(s, &rng, point));
    unsigned at = index_of(hashes, &n, space_hash(s, point));
    assert_in_range(at, 0, expected_points - 1);
    times[at]++;
  }
  for (unsigned i = 0; i < expected_points; i++)
    sum += (times[i] - expected) * (times[i] - expected) / expected;
  assert_true(sum < limit);
  free(hashes);
  free(times);
}

static void test_uniform(void **state) {
  (void)state;
  set_params(2, VALUES);
  struct space s = made();
  check_uniform(&s, 1024, 20, 1170);
  set_params(3, 8); // dense: most of 512
  add_condition(below, 3, (const unsigned[]){ 0, 1, 2 });
  s = made();
  assert_false(s.sparse);
  check_uniform(&s, 198, 20, 266);
  set_params(3, 1000); // sparse, few: 7 of 10^6, times what divides them, which is uneven
  add_condition(product_64, 2, (const unsigned[]){ 0, 1 });
  add_condition(divides, 2, (const unsigned[]){ 1, 2 });
  s = made();
  assert_true(s.sparse);
  check_uniform(&s, 28, 10, 56);
}

// Sparse, but not few: 1000 pairs, each with the divisors of its second. Only nearly
// uniform samples are promised.
static void test_nearly_uniform(void **state) {
  (void)state;
  set_params(3, 1000);
  add_condition(equal, 2, (const unsigned[]){ 0, 1 });
  add_condition(divides, 2, (const unsigned[]){ 1, 2 });
  struct space s = made();
  choice point[MAX_PARAMS];
  uint64_t rng = 3;
  unsigned upper = 0, n = 500;
  assert_true(s.sparse);
  assert_int_equal(space_count(&s, 1 << 20), 7069); // the divisors of 1 … 1000
  for (unsigned i = 0; i < n; i++) {
    assert_true(space_sample(&s, &rng, point) && space_allows(&s, point));
    upper += point[1] >= 500;
  }
  // 3879 of 7069 points are in the upper half: 274 expected, sigma 11.
  assert_in_range(upper, 224, 324);
}

// Returns the number of points that neighbours lead to from START.
static unsigned reachable(const struct space *s, enum nearness near,
                          const choice *start) {
  enum { MOST = 4096, NEAR = 512 };
  size_t width = s->kernel->n_params;
  choice *queue = calloc(MOST * width, sizeof *queue),
         *out = calloc(NEAR * width, sizeof *out);
  struct seen seen = { 0 };
  unsigned n = 0;
  memcpy(queue, start, width * sizeof *queue);
  seen_add(&seen, s, start);
  n++;
  for (unsigned i = 0; i < n; i++) {
    unsigned found = space_near(s, near, queue + i * width, NULL, out, NEAR);
    for (unsigned j = 0; j < found; j++) {
      assert_true(space_allows(s, out + j * width));
      if (seen_add(&seen, s, out + j * width) && n < MOST)
        memcpy(queue + n++ * width, out + j * width, width * sizeof *queue);
    }
  }
  seen_free(&seen);
  free(queue);
  free(out);
  return n;
}

static void test_connected(void **state) {
  (void)state;
  choice point[MAX_PARAMS];
  set_params(3, 64);
  add_condition(product_64, 2, (const unsigned[]){ 0, 1 });
  struct space s = made(); // 7 pairs, 64 values next to them
  assert_true(space_first(&s, point));
  assert_int_equal(reachable(&s, NEAR_ANY, point), 7 * 64);
  assert_int_equal(reachable(&s, NEAR_STEP, point), 7 * 64);
  set_params(3, 16);
  add_condition(below, 3, (const unsigned[]){ 0, 1, 2 });
  s = made();
  assert_true(space_first(&s, point));
  assert_int_equal(reachable(&s, NEAR_STEP, point), space_count(&s, 10000));
}

static void test_neighbours(void **state) {
  (void)state;
  set_params(3, 9);
  struct space s = made();
  choice out[64][3], again[64][3], from[3] = { 0, 4, 8 };
  uint64_t rng = 5;
  assert_int_equal(space_near(&s, NEAR_STEP, from, NULL, *out, 64),
                   4); // at two ends: 1 + 2 + 1
  assert_int_equal(space_near(&s, NEAR_ANY, from, NULL, *out, 64), 24);
  assert_int_equal(space_near(&s, NEAR_ANY, from, NULL, *again, 7), 7);
  assert_memory_equal(out, again, 7 * sizeof *out); // the first of them
  assert_int_equal(space_near(&s, NEAR_ANY, from, &rng, *out, 64), 24);
  rng = 5;
  assert_int_equal(space_near(&s, NEAR_ANY, from, &rng, *again, 64), 24);
  assert_memory_equal(out, again, 24 * sizeof *out);
  for (int i = 0; i < 24; i++) {
    int changed = 0;
    for (int p = 0; p < 3; p++)
      changed += out[i][p] != from[p];
    assert_int_equal(changed, 1);
    for (int j = 0; j < i; j++)
      assert_false(space_equal(&s, out[i], out[j]));
  }
  choice near[3];
  assert_true(space_neighbour(&s, NEAR_STEP, from, &rng, near));
  assert_true(abs((int)near[0]) + abs((int)near[1] - 4) + abs((int)near[2] - 8) == 1);
}

// The values are listed without order: a step goes by size. A word has no size.
static void test_steps(void **state) {
  (void)state;
  static const struct autotune_value mixed[] = {
    { "32", "32", 32, 32 },
    { "8", "8", 8, 8 },
    { "64", "64", 64, 64 },
    { "16", "16", 16, 16 },
  };
  set_params(2, 4);
  params[0].values = params[1].values = mixed;
  params[1].kind = AUTOTUNE_WORD;
  struct space s = made();
  assert_int_equal(space_step(&s, 0, 1, 1), 3); // 8, 16
  assert_int_equal(space_step(&s, 0, 3, 1), 0); // 32
  assert_int_equal(space_step(&s, 0, 0, 1), 2); // 64
  assert_int_equal(space_step(&s, 0, 2, 1), -1);
  assert_int_equal(space_step(&s, 0, 1, -1), -1);
  choice out[8][2], from[2] = { 1, 1 };
  assert_int_equal(space_near(&s, NEAR_STEP, from, NULL, *out, 8), 1 + 3);
}

// tile? with TI and TJ; a change of the gate gives them values, or takes them away.
static void test_gates(void **state) {
  (void)state;
  static const struct autotune_value yes_no[] = { { "yes", "1", 1, 1 },
                                                  { "no", "0", 0, 0 } };
  set_params(3, 8);
  params[0] = (struct autotune_param){ "tile", "T", AUTOTUNE_CHOICE, -1, 2, 1, yes_no };
  params[1].when = params[2].when = 0;
  params[1].original = 5;
  struct space s = made();
  choice out[32][3], off[3] = { 1, 0, 0 }, on[3] = { 0, 7, 3 };
  assert_int_equal(space_near(&s, NEAR_ANY, off, NULL, *out, 32), 1);
  assert_true(out[0][0] == 0 && out[0][1] == 5 && out[0][2] == 0);
  assert_int_equal(space_near(&s, NEAR_ANY, on, NULL, *out, 32), 1 + 7 + 7);
  assert_true(space_equal(&s, out[0], off));
  assert_int_equal(space_count(&s, 1000), 64 + 1);
  assert_int_equal(reachable(&s, NEAR_STEP, off), 65);
  uint64_t rng = 1;
  choice wild[3] = { 1, 6, 99 }; // values that do not matter are dropped
  assert_true(space_repair(&s, &rng, wild) && space_equal(&s, wild, off));
}

static void test_repair(void **state) {
  (void)state;
  uint64_t rng = 11;
  set_params(10, 8); // 10^9, and three conditions
  add_condition(below, 3, (const unsigned[]){ 0, 1, 2 });
  add_condition(divides, 2, (const unsigned[]){ 1, 2 });
  add_condition(equal, 2, (const unsigned[]){ 0, 1 });
  struct space s = made();
  for (int i = 0; i < 200; i++) {
    choice point[10], before[10];
    unsigned changed = 0;
    for (int p = 0; p < 10; p++)
      before[p] = point[p] = rng_below(&rng, 8);
    assert_true(space_repair(&s, &rng, point));
    assert_true(space_allows(&s, point));
    for (int p = 0; p < 10; p++)
      changed += before[p] != point[p];
    assert_in_range(changed, 0, 3); // only parameters that conditions look at
    memcpy(before, point, sizeof point);
    assert_true(space_repair(&s, &rng, point));
    assert_memory_equal(point, before, sizeof point); // an allowed point stays
  }
  s = chain();
  choice far[6] = { 1, 1, 1, 1, 1, 1 };
  assert_true(space_repair(&s, &rng, far) && space_allows(&s, far));
}

static void test_count(void **state) {
  (void)state;
  set_params(10, 8); // 2^30 points; the last seven parameters are free
  add_condition(equal, 2, (const unsigned[]){ 0, 1 });
  add_condition(divides, 2, (const unsigned[]){ 1, 2 });
  struct space s = made();
  assert_int_equal(s.size, 1u << 30);
  assert_int_equal(space_count(&s, UINT64_MAX), 20ull << 21); // 20 divisors of 1 … 8
  assert_int_equal(space_count(&s, 1000), 1000);
  set_params(10, 1024);
  s = made(); // 2^100
  assert_int_equal(space_count(&s, 5000), 5000);
  choice point[10];
  uint64_t rng = 1;
  assert_true(space_sample(&s, &rng, point));
}

// One factor over all parameters: only its steps can tell early which points are
// impossible.
static void test_one_factor(void **state) {
  (void)state;
  int n = 64;
  void *args[1] = { &n };
  struct space s;
  set_params(N, VALUES);
  add_condition(product_of_all, N, (const unsigned[]){ 0, 1, 2, 3, 4, 5 });
  conditions[0].steps = product_steps;
  conditions[0].n_steps = sizeof product_steps / sizeof *product_steps;
  conditions[0].leaves = product_leaves;
  conditions[0].n_leaves = 1;
  space_init(&s, &kernel, &(struct call){ .args = args }, &machine);
  assert_true(s.sparse);
  check_uniform(&s, 456, 2, 760); // of 10^9; nearly: chances differ by a third
  choice point[MAX_PARAMS];
  assert_true(space_first(&s, point));
  assert_int_equal(reachable(&s, NEAR_STEP, point), 456);
  n = 1 << 29; // five times 32 and one 16, in any place
  space_init(&s, &kernel, &(struct call){ .args = args }, &machine);
  assert_int_equal(space_count(&s, 1000), 6);
  n = 37; // a prime beyond the values
  space_init(&s, &kernel, &(struct call){ .args = args }, &machine);
  uint64_t rng = 1;
  assert_int_equal(space_count(&s, 1000), 0);
  assert_false(space_sample(&s, &rng, point));
}

static int product_4096(const struct autotune_value *const *v, void *const *args,
                        const struct autotune_machine *m) {
  (void)args, (void)m;
  return v[0]->i * v[1]->i * v[2]->i == 4096;
}

// 10^9 points of which some dozens are allowed, and no steps that tell so early.
static void test_long_lists(void **state) {
  (void)state;
  set_params(3, 1024);
  add_condition(product_4096, 3, (unsigned[]){ 0, 1, 2 });
  struct space s = made();
  choice point[3], near[64 * 3];
  uint64_t rng = 1;
  for (int i = 0; i < 5; i++) {
    assert_true(space_sample(&s, &rng, point));
    assert_true(space_allows(&s, point));
  }
  unsigned n = space_near(&s, NEAR_ANY, (choice[]){ 15, 15, 15 }, &rng, near, 64);
  assert_in_range(n, 12, 64); // at least those with one value doubled and another halved
  for (unsigned i = 0; i < n; i++)
    assert_true(space_allows(&s, near + 3 * i));
}

static void test_seen(void **state) {
  (void)state;
  struct seen seen = { 0 };
  set_params(2, 32);
  struct space s = made();
  choice point[2] = { 3, 4 };
  uint64_t rng = 9;
  assert_false(seen_has(&seen, &s, point));
  assert_true(seen_add(&seen, &s, point));
  assert_true(seen_has(&seen, &s, point));
  assert_false(seen_add(&seen, &s, point));
  for (int i = 1; i < 1024; i++)
    assert_true(seen_other(&seen, &s, &rng, point));
  assert_false(seen_other(&seen, &s, &rng, point)); // all of 1024
  seen_free(&seen);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_chain),          cmocka_unit_test(test_uniform),
    cmocka_unit_test(test_nearly_uniform), cmocka_unit_test(test_connected),
    cmocka_unit_test(test_neighbours),     cmocka_unit_test(test_steps),
    cmocka_unit_test(test_gates),          cmocka_unit_test(test_repair),
    cmocka_unit_test(test_count),          cmocka_unit_test(test_seen),
    cmocka_unit_test(test_one_factor),     cmocka_unit_test(test_long_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
