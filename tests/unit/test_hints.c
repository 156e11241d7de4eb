// SPDX-License-Identifier: Apache-2.0
// Hints from one problem to another: which problems are near, which texts are alike, and
// which point a hint becomes among other candidates.
#include <sqlite3.h>

#include "model/key.h"
#include "model/space.h"
#include "store_fixture.h"
#include "tune/tune.h"

// ---- shapes -------------------------------------------------------------------------

static const char kernel_text[] =
    "void axpy(int n, double a, double *x) {\n"
    "  /* a comment */ for (int i = 0; i < n; i++) x[i] = 2.0 * a + x[i];\n}\n";

static void test_shapes(void **state) {
  static const struct {
    const char *text;
    bool same;
  } others[] = {
    { "void saxpy(int m, double f, double *y) {\n"
      "  for (int k = 0; k < m; k++) y[k] = 2.0 * f + y[k]; // another\n}\n",
      true },
    { "void axpy(int n, double a, double *x) {\n"
      "  for (int i = 0; i < n; i++) x[i] = 2.0 * a - x[i];\n}\n",
      false }, // an operator
    { "void axpy(int n, double a, double *x) {\n"
      "  for (int i = 0; i < n; i++) x[i] = 2.5 * a + x[i];\n}\n",
      false }, // a literal
    { "void axpy(int n, float a, float *x) {\n"
      "  for (int i = 0; i < n; i++) x[i] = 2.0 * a + x[i];\n}\n",
      false }, // a type
    { "void axpy(int n, double a, double *x) {\n"
      "  for (int i = 0; i < n; i++) x[i] = 2.0 * x[i] + a;\n}\n",
      false }, // the names in other places
    { "", false },
  };
  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_int_equal(shape_of(others[i].text) == shape_of(kernel_text), others[i].same);
  assert_true(shape_of("a /* open") && shape_of("\"open") && shape_of("a\\") &&
              shape_of("'\\"));
}

// More names than the shape distinguishes.
static void test_shapes_of_long_texts(void **state) {
  (void)state;
  enum { NAMES = 20000 };
  char *text = malloc(NAMES * 8 + 1), *p = text;
  for (int i = 0; i < NAMES; i++)
    p += sprintf(p, "v%d ", i);
  assert_true(shape_of(text) != 0 && shape_of(text) == shape_of(text));
  free(text);
}

// ---- distances ----------------------------------------------------------------------

static void test_distances(void **state) {
  (void)state;
  assert_true(key_distance((long long[]){ 512, 3 }, (long long[]){ 512, 3 }, 2) == 0);
  assert_true(key_distance((long long[]){ 512, 3 }, (long long[]){ 1024, 3 }, 2) == 1);
  assert_true(key_distance((long long[]){ 512, 4 }, (long long[]){ 1024, 1 }, 2) == 3);
  assert_true(key_distance((long long[]){ 0 }, (long long[]){ 1 }, 1) > 0);
  assert_true(key_distance((long long[]){ -8 }, (long long[]){ 8 }, 1) > 0);
  assert_true(key_distance((long long[]){ INT64_MIN }, (long long[]){ INT64_MAX }, 1) <
              100);
}

// ---- points -------------------------------------------------------------------------

#define VALUE(n) { #n, #n, n, n }
static const struct autotune_value powers[] = { VALUE(8), VALUE(16), VALUE(64) };
static const struct autotune_value orders[] = { { "ij", "0", 0, 0 },
                                                { "ji", "1", 1, 1 } };
static const struct autotune_value yes_no[] = { { "no", "0", 0, 0 },
                                                { "yes", "1", 1, 1 } };
static const struct autotune_param params[] = {
  { "B", "B", AUTOTUNE_INT, -1, 3, 1, powers },
  { "order", "order", AUTOTUNE_CHOICE, -1, 2, 0, orders },
  { "tile@9.1", "T1", AUTOTUNE_INT, -1, 3, 3, powers },
  { "tile@10.1", "T2", AUTOTUNE_INT, -1, 3, 3, powers },
  { "optional@11.1", "O", AUTOTUNE_CHOICE, -1, 2, 2, yes_no },
  { "unroll@11.1", "U", AUTOTUNE_INT, 4, 3, 3, powers },
};
enum { N = sizeof params / sizeof *params };

static int not_both_large(const struct autotune_value *const *values, void *const *args,
                          const struct autotune_machine *m) {
  (void)args, (void)m;
  return values[2]->i * values[3]->i < 64 * 64;
}

static const unsigned tiles[] = { 2, 3 };
static const struct autotune_condition conditions[] = {
  { .holds = not_both_large, .n_params = 2, .params = tiles, .text = "small" },
};
static const struct autotune_kernel kernel = { .abi = AUTOTUNE_ABI,
                                               .name = "gemm",
                                               .n_params = N,
                                               .params = params,
                                               .n_conditions = 1,
                                               .conditions = conditions };

static void expect_point(const char *values, const choice expected[N]) {
  struct space s;
  choice point[MAX_PARAMS];
  space_init(&s, &kernel, NULL, NULL);
  bool found = hints_point(&s, values, point);
  assert_int_equal(found, expected != NULL);
  if (expected)
    assert_memory_equal(point, expected, N * sizeof *point);
}

static void test_points(void **state) {
  (void)state;
  expect_point(
      "B=64\norder=ji\ntile@10.1=64\ntile@9.1=8\noptional@11.1=yes\nunroll@11.1=16\n",
      (choice[]){ 2, 1, 0, 2, 1, 1 });
  // Lines have moved; 9 comes before 10, although "10" sorts before "9".
  expect_point("tile@110.1=64\ntile@99.1=16\n", (choice[]){ 1, 0, 1, 2, 0, 0 });
  // Another number of tiles: they cannot be matched.
  expect_point("B=8\ntile@110.1=64\n", (choice[]){ 0, 0, 0, 0, 0, 0 });
  // These are no candidates: the nearest by ratio is taken; words have no nearest.
  expect_point("B=12\n", (choice[]){ 1, 0, 0, 0, 0, 0 });
  expect_point("B=4000\norder=kij\n", (choice[]){ 2, 0, 0, 0, 0, 0 });
  expect_point("B=-3\n", (choice[]){ 0, 0, 0, 0, 0, 0 });
  // A parameter that does not matter is 0.
  expect_point("optional@11.1=no\nunroll@11.1=64\n", (choice[]){ 1, 0, 0, 0, 0, 0 });
  expect_point("other=1\n", NULL);
  expect_point("", NULL);
  expect_point("B", NULL);
}

// A point that the constraint refuses becomes a point nearby.
static void test_points_are_mended(void **state) {
  (void)state;
  struct space s;
  choice point[MAX_PARAMS];
  space_init(&s, &kernel, NULL, NULL);
  assert_true(hints_point(&s, "B=64\norder=ji\ntile@9.1=64\ntile@10.1=64\n", point));
  assert_true(space_allows(&s, point) && point[0] == 2 && point[1] == 1);
  assert_true((point[2] == 2) != (point[3] == 2));
}

static void test_none_twice(void **state) {
  (void)state;
  struct space s;
  struct hints h = { 0 };
  space_init(&s, &kernel, NULL, NULL);
  hints_add(&h, &s, "B=8\n", "one");
  hints_add(&h, &s, "B=7\n", "two");
  hints_add(&h, &s, "B=64\n", "three");
  assert_int_equal(h.n, 2);
  assert_string_equal(h.items[1].from, "three");
  for (int i = 0; i < 100; i++) {
    char values[64];
    snprintf(values, sizeof values, "B=%d\ntile@9.1=%d\ntile@10.1=%d\norder=%s\n",
             i / 18 % 2 ? 8 : 16, 8 << i % 3, 8 << i / 3 % 3, i / 9 % 2 ? "ij" : "ji");
    hints_add(&h, &s, values, "more");
  }
  assert_int_equal(h.n, MAX_HINTS);
}

// ---- the nearest problems in a store ------------------------------------------------

static void put(struct store *s, const struct identity *id, uint64_t variant,
                const char *values, double seconds) {
  double samples[] = { seconds, seconds, seconds };
  struct record r = fixture_record(variant, samples, 3);
  r.values = values;
  assert_int_equal(store_finish(s, id, &r), 0);
}

static void put_winner(struct store *s, const struct identity *id, const char *values) {
  struct summary m = fixture_summary();
  m.values = values;
  assert_int_equal(store_summary(s, id, &m), 0);
}

static struct identity with_key(const long long *key) {
  struct identity id = fixture_identity();
  id.key = key;
  id.shape = 5;
  return id;
}

static void test_nearest_first(void **state) {
  struct store *s = open_store(*state);
  struct identity self = with_key((long long[]){ 512, 3 }),
                  near = with_key((long long[]){ 1024, 3 });
  struct identity far = with_key((long long[]){ 64, 3 }), text = near, shape = near,
                  family = near;
  struct identity cpu = near, stranger = near, threads = near;
  text.unit = 9;
  shape.unit = 10, shape.kernel = "mul";
  family.unit = 11, family.kernel = "conv", family.shape = 6, family.family = "dense";
  cpu.cpu = "Another";
  stranger.unit = 12, stranger.kernel = "sort", stranger.shape = 7;
  threads.threads = 8;
  self.family = "dense";
  struct identity isa = cpu, elsewhere = far, emulated = near;
  isa.isa = "x86-64-v3 2", elsewhere.isa = "x86-64-v4 1", elsewhere.threads = 8;
  emulated.device = DEVICE_EMULATED, emulated.cpu = "emulated device";
  struct identity same = elsewhere; // of another machine
  same.key = self.key, same.isa = "sm_90", same.cpu = "Maker Other CPU family 6 model 1";
  cpu.isa = "x86-64-v4 2";
  const struct identity *all[] = { &self,  &family,   &stranger, &far,  &cpu,
                                   &shape, &threads,  &text,     &near, &isa,
                                   &same,  &emulated, &elsewhere };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    put(s, all[i], 1, "B=8\n", 1);
  struct relative r[MAX_RELATIVES];
  static const char *const expected[] = { "n = 1024, m = 3",
                                          "n = 64, m = 3",
                                          "n = 1024, m = 3 with 8 threads",
                                          "n = 1024, m = 3 on Another",
                                          "n = 1024, m = 3 on Another",
                                          "n = 512, m = 3 on Other CPU",
                                          "n = 64, m = 3 on Test CPU 1",
                                          "an earlier gemm, n = 1024, m = 3" };
  assert_int_equal(store_relatives(s, &self, r), MAX_RELATIVES);
  for (int i = 0; i < MAX_RELATIVES; i++)
    assert_string_equal(r[i].name, expected[i]);
  assert_true(r[0].distance == 1 && r[1].distance == 3 && r[2].distance == 3);
  assert_true(r[0].near && r[0].close && !r[1].close);
  assert_true(!r[2].near && r[2].close); // other threads: told, but not borrowed
  assert_true(r[3].machine == MACHINE_ISA && r[3].close && !r[3].near);
  assert_true(r[4].machine == MACHINE_OTHER && r[5].machine == MACHINE_OTHER);
  assert_true(r[5].close && !r[5].near && !r[6].close);
  for (long long n = 1; n < 2 * MAX_RELATIVES; n++) {
    struct identity id = with_key((long long[]){ 512 + n, 3 });
    put(s, &id, 1, "B=8\n", 1);
  }
  assert_int_equal(store_relatives(s, &self, r), MAX_RELATIVES);
  assert_string_equal(r[0].name, "n = 513, m = 3");
  store_close(s);
}

// Kernels that are only alike, and of a family on this machine.
static void test_others_alike(void **state) {
  struct store *s = open_store(*state);
  struct identity self = with_key((long long[]){ 512, 3 }), shape = self, family = self;
  self.family = "dense";
  shape.unit = 10, shape.kernel = "mul", shape.cpu = "Another";
  family.unit = 11, family.kernel = "conv", family.shape = 6, family.family = "dense";
  struct identity alien = family;
  alien.cpu = "Another";
  const struct identity *all[] = { &alien, &family, &shape };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    put(s, all[i], 1, "B=8\n", 1);
  struct relative r[MAX_RELATIVES];
  assert_int_equal(store_relatives(s, &self, r), 2);
  assert_string_equal(r[0].name, "kernel mul, n = 512, m = 3 on Another");
  assert_string_equal(r[1].name, "kernel conv, n = 512, m = 3");
  assert_true(!r[0].close && !r[1].close);
  store_close(s);
}

// Kernels of one name are relatives only in a file of one name, wherever that is, or if
// their texts are alike.
static void test_namesakes(void **state) {
  struct store *s = open_store(*state);
  struct identity self = with_key((long long[]){ 512, 3 }), other = self, moved = self,
                  alike = self;
  struct relative r[MAX_RELATIVES];
  other.unit = 9, other.shape = 6, other.file = "sort.c";
  put(s, &other, 1, "B=8\n", 1);
  assert_int_equal(store_relatives(s, &self, r), 0);
  moved.unit = 10, moved.shape = 6, moved.file = "/src/gemm.c";
  put(s, &moved, 1, "B=8\n", 1);
  assert_int_equal(store_relatives(s, &self, r), 1);
  assert_int_equal(r[0].relation, RELATED_TEXT);
  alike.unit = 11, alike.file = "sort.c";
  put(s, &alike, 1, "B=8\n", 1);
  assert_int_equal(store_relatives(s, &self, r), 2);
  assert_int_equal(r[1].relation, RELATED_SHAPE);
  store_close(s);
}

static void execute(const char *folder, const char *sql) {
  char path[256];
  sqlite3 *db;
  snprintf(path, sizeof path, "%s/results.db", folder);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

// More rows than are read, before those that matter.
#define MANY(n) \
  "WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < " #n ") "
static const char many_problems[] = "INSERT INTO problem " MANY(
    3000) "SELECT -9223372036854775807 + i, kernel, file, unit, cpu, isa, "
          "threads, '9000000,3', key_names, shape, family, device, objective, 0 FROM c, (SELECT * FROM problem LIMIT 1)";
static const char many_variants[] = "INSERT INTO variant " MANY(
    6000) "SELECT problem, -9223372036854775807 + i, vals, compiler, fate, "
          "message, samples, compile_seconds, verify_seconds, time_seconds, 0, features, maker, contract, slowdown, part, 0 "
          "FROM c, (SELECT * FROM variant LIMIT 1)";

static void test_the_nearest_of_many(void **state) {
  struct store *s = open_store(*state);
  struct identity self = with_key((long long[]){ 512, 3 }),
                  near = with_key((long long[]){ 1024, 3 });
  put(s, &near, 1, "B=8\n", 1);
  execute(*state, many_problems);
  struct relative r[MAX_RELATIVES];
  assert_int_equal(store_relatives(s, &self, r), 1);
  assert_string_equal(r[0].name, "n = 1024, m = 3");
  store_close(s);
}

struct sights {
  char text[256];
};

static void see(const char *values, double seconds, void *data) {
  struct sights *seen = data;
  (void)seconds;
  strncat(seen->text, values, sizeof seen->text - strlen(seen->text) - 1);
}

static void test_fastest(void **state) {
  struct store *s = open_store(*state);
  struct identity id = with_key((long long[]){ 512, 3 });
  for (uint64_t v = 1; v <= 20; v++) {
    char values[32];
    snprintf(values, sizeof values, "B=%llu\n", (unsigned long long)v);
    put(s, &id, v, values,
        1e-3 * (double)(1 + v * 7 % 20)); // 20, 3, 6, 9, 12, … are the fastest
  }
  struct sights seen = { "" };
  store_fastest(s, problem_id(&id), 3, see, &seen);
  assert_string_equal(seen.text, "B=20\nB=3\nB=6\n");
  put_winner(s, &id, "B=3\n"); // as the final race would have it
  seen.text[0] = '\0';
  store_fastest(s, problem_id(&id), 3, see, &seen);
  assert_string_equal(seen.text, "B=3\nB=20\nB=6\n");
  seen.text[0] = '\0';
  store_fastest(s, problem_id(&id), 0, see, &seen);
  assert_string_equal(seen.text, "");
  store_close(s);
}

// Only right variants of the same contract count, and only with the default's time.
static void test_what_was_found(void **state) {
  struct store *s = open_store(*state);
  struct identity id = with_key((long long[]){ 512, 3 }), other = id;
  assert_true(store_found(s, &id) == 0);
  put(s, &id, 1, "B=8\n", 2e-3);
  assert_true(store_found(s, &id) == 0);
  const struct progress course = { .original = 6e-3, .why = "" };
  assert_int_equal(store_progress(s, &id, &course), 0);
  assert_float_equal(store_found(s, &id), 3, 1e-9);
  const struct progress waits = { .original = 0, .why = "" }; // the next one waits
  assert_int_equal(store_progress(s, &id, &waits), 0);
  assert_float_equal(store_found(s, &id), 3, 1e-9);
  put(s, &id, 2, "B=9\n", 1e-3);
  assert_float_equal(store_found(s, &id), 6, 1e-9);
  struct record wrong = { .variant = 3,
                          .values = "B=1\n",
                          .status = STATUS_WRONG,
                          .samples = (double[]){ 1e-6 },
                          .n_samples = 1,
                          .compiler = "",
                          .message = "" };
  assert_int_equal(store_finish(s, &id, &wrong), 0);
  assert_float_equal(store_found(s, &id), 6, 1e-9);
  other.contract++;
  assert_true(store_found(s, &other) == 0);
  store_close(s);
}

static void test_the_latest_of_many(void **state) {
  struct store *s = open_store(*state);
  struct identity id = with_key((long long[]){ 512, 3 });
  struct sights seen = { "" };
  put(s, &id, 1, "B=8\n", 1);
  execute(*state, many_variants);
  store_fastest(s, problem_id(&id), 3, see, &seen);
  assert_string_equal(seen.text, "B=8\n");
  store_close(s);
}

static void test_hints_from_a_store(void **state) {
  struct store *s = open_store(*state);
  struct identity self = with_key((long long[]){ 512, 3 }),
                  near = with_key((long long[]){ 1024, 3 });
  struct identity far = with_key((long long[]){ 64, 3 });
  put(s, &far, 1, "B=64\norder=ji\n", 1);
  put(s, &near, 1, "B=64\norder=ij\n", 1);
  put(s, &near, 2, "B=8\norder=ij\n", 2);
  put_winner(s, &near, "B=64\norder=ij\n");
  struct space space;
  struct hints h;
  space_init(&space, &kernel, NULL, NULL);
  hints_find(s, &space, &self, false, &h);
  assert_int_equal(h.n, 3);
  assert_string_equal(h.items[0].from, "n = 1024, m = 3");
  assert_string_equal(h.items[1].from, "n = 64, m = 3");
  assert_string_equal(h.items[2].from, "n = 1024, m = 3");
  assert_true(h.items[0].point[0] == 2 && h.items[2].point[0] == 0);
  store_close(s);
}

// ---- what the search is told ----------------------------------------------------------

struct strategy {
  unsigned n;
  double costs[8];
};

static void note_transfer(struct strategy *st, const choice *point, double cost) {
  (void)point;
  st->costs[st->n++] = cost;
}

// Times of another machine are told to the search, as those of a near key, and are no
// results of this machine.
static void test_times_of_another_machine(void **state) {
  static const struct strategy_class class = { .transfer = note_transfer };
  struct store *s = open_store(*state);
  struct identity self = with_key((long long[]){ 512, 3 }), other = self,
                  far = with_key((long long[]){ 8, 3 }), text = self;
  other.cpu = "Maker Fast CPU family 6 model 1", other.isa = "x86-64-v4 2",
  other.threads = 64;
  text.unit = 9;
  put(s, &text, 1, "B=8\norder=ji\n", 7); // of this machine, but no key is close
  put(s, &far, 1, "B=8\norder=ji\n", 8);
  for (choice b = 0; b < 2; b++) {
    char *values = space_values(&kernel, (choice[]){ 2 * b, 0, 2, 0, 0, 0 });
    put(s, &other, 1 + b, values, 1 + b);
    free(values);
  }
  put(s, &other, 3, "B=4\norder=ij\n", 3); // is no point here
  struct space space;
  struct strategy told = { 0 };
  struct hints h;
  char name[96];
  space_init(&space, &kernel, NULL, NULL);
  assert_int_equal(transfer_near(s, &space, &self, &class, &told, name), 2);
  assert_string_equal(name, "n = 512, m = 3 on Fast CPU");
  assert_true(told.n == 2 && told.costs[0] == 2 && told.costs[1] == 1); // the best last
  hints_find(s, &space, &self, false, &h);
  assert_int_equal(h.n, 4);
  assert_string_equal(h.items[0].from, "n = 8, m = 3");
  assert_string_equal(h.items[1].from, "n = 512, m = 3 on Fast CPU");
  assert_true(!h.items[1].near && h.items[1].point[0] == 0);
  struct looked looked;
  assert_int_equal(store_look(s, &self, 2, &looked, NULL), KNOWN_NOTHING);
  assert_true(store_found(s, &self) == 0);
  store_close(s);
}

// Guesses are tried where nothing is known from elsewhere, if they are wanted.
static void test_guesses(void **state) {
  struct store *s = open_store(*state);
  struct identity self = with_key((long long[]){ 512, 3 }),
                  near = with_key((long long[]){ 1024, 3 });
  struct space space;
  struct hints h;
  space_init(&space, &kernel, NULL, NULL);
  hints_find(s, &space, &self, false, &h);
  assert_int_equal(h.n, 0);
  hints_find(s, &space, &self, true, &h);
  assert_int_equal(h.n, 3);
  for (unsigned i = 0; i < h.n; i++) {
    assert_string_equal(h.items[i].from, "");
    assert_true(space_allows(&space, h.items[i].point));
  }
  put(s, &near, 1, "B=64\norder=ij\n", 1);
  put_winner(s, &near, "B=64\norder=ij\n");
  hints_find(s, &space, &self, true, &h);
  assert_int_equal(h.n, 1);
  assert_string_equal(h.items[0].from, "n = 1024, m = 3");
  store_close(s);
}

#define TEST(name) \
  cmocka_unit_test_setup_teardown(name, fast_folder_setup, folder_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shapes),
    cmocka_unit_test(test_shapes_of_long_texts),
    cmocka_unit_test(test_distances),
    cmocka_unit_test(test_points),
    cmocka_unit_test(test_points_are_mended),
    cmocka_unit_test(test_none_twice),
    TEST(test_nearest_first),
    TEST(test_others_alike),
    TEST(test_namesakes),
    TEST(test_fastest),
    TEST(test_hints_from_a_store),
    TEST(test_guesses),
    TEST(test_the_nearest_of_many),
    TEST(test_what_was_found),
    TEST(test_the_latest_of_many),
    TEST(test_times_of_another_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
