// SPDX-License-Identifier: Apache-2.0
// Recorded spaces (FAIR T4), read and replayed by bench/search: a small one that is made
// up here.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "recorded.h"

static char folder[] = "/tmp/autotune-recorded-XXXXXX";

// Writes the space tile 8, 16, 32; layout "row", "column"; scale 0.5, 2.0. Row layouts
// take tile / 8 ms, and scale more; they are run twice. Each takes 100 ms to compile.
// Column layouts with tile 32 are missing; the others
// do not compile.
static char *made(void) {
  static const char *const layouts[] = { "row", "column" };
  static const int tiles[] = { 32, 8, 16 };
  static const double scales[] = { 0.5, 2.0 };
  json_t *results = json_array();
  for (int i = 0; i < 12; i++) {
    int tile = tiles[i % 3];
    bool column = i / 3 % 2;
    double scale = scales[i / 6], ms = tile / 8.0 + scale;
    json_t *c = json_pack("{s:i, s:s, s:f}", "tile", tile, "layout", layouts[column],
                          "scale", scale);
    json_t *t = column ? json_pack("{s:f, s:[]}", "compilation", 100.0, "runtimes")
                       : json_pack("{s:f, s:[f, f]}", "compilation", 100.0, "runtimes",
                                   ms - 0.25, ms + 0.25);
    if (column && tile == 32) {
      json_decref(c);
      json_decref(t);
      continue;
    }
    json_array_append_new(results,
                          json_pack("{s:o, s:o, s:s}", "configuration", c, "times", t,
                                    "invalidity", column ? "compile" : "correct"));
  }
  json_t *root = json_pack("{s:o}", "results", results);
  char *text = json_dumps(root, 0);
  json_decref(root);
  return text;
}

static struct recorded *read_as(const char *name, const char *mode) {
  char path[256];
  char *text = made();
  snprintf(path, sizeof path, "%s/%s", folder, name);
  gzFile file = gzopen(path, mode);
  assert_non_null(file);
  assert_true(gzputs(file, text) > 0);
  gzclose(file);
  struct recorded *r = recorded_read(path);
  unlink(path);
  free(text);
  return r;
}

static void test_read(void **state) {
  (void)state;
  for (int zipped = 0; zipped < 2; zipped++) {
    struct recorded *r = read_as(zipped ? "a.json.gz" : "a.json", zipped ? "wb" : "wT");
    assert_non_null(r);
    assert_string_equal(r->name, "a");
    assert_int_equal(r->kernel.n_params, 3);
    assert_int_equal(r->n, 10);
    assert_int_equal(r->failed, 4);
    assert_int_equal(r->good[0], 1);
    assert_true(fabs(r->best - 1.5e-3) < 1e-12 && fabs(r->worst - 6e-3) < 1e-12);
    assert_int_equal(r->kernel.params[0].kind, AUTOTUNE_INT);
    assert_string_equal(r->kernel.params[0].values[2].text, "32"); // sorted
    assert_int_equal(r->kernel.params[1].kind, AUTOTUNE_WORD);
    assert_int_equal(r->kernel.params[2].kind, AUTOTUNE_REAL);
    assert_int_equal(r->space.size, 12);
    assert_int_equal(space_count(&r->space, 100), 10);
    choice point[3] = { 2, 0, 0 }; // tile 32, column
    assert_string_equal(r->kernel.params[1].values[0].text, "column");
    assert_null(recorded_find(r, point));
    assert_false(space_allows(&r->space, point));
    point[0] = 0;
    assert_int_equal(recorded_find(r, point)->status, STATUS_COMPILE);
    assert_true(fabs(recorded_find(r, point)->cost - 0.1) < 1e-9);
    point[1] = 1;
    assert_true(fabs(recorded_find(r, point)->cost - 0.103) < 1e-9); // 2 × 1.5 ms
    assert_true(fabs(r->cost - 0.1043) < 1e-9);
    recorded_free(r);
  }
}

static void test_random(void **state) {
  (void)state;
  struct recorded *r = read_as("b.json", "wT");
  struct curve c;
  run_random(r, &c);
  // one of ten: (10 + 1) / (1 + 1)
  assert_true(fabs(c.goals[0].trials - 11 / 2.0) < 1e-9);
  assert_true(fabs(c.goals[1].seconds - 11 / 2.0 * r->cost) < 1e-9);
  assert_true(fabs(c.ratio[0] - 1) < 1e-9); // after 10 trials all are known
  recorded_free(r);
}

static void test_replay(void **state) {
  (void)state;
  struct recorded *r = read_as("c.json", "wT");
  struct run_options o = { .seeds = 40, .trials = 10, .flight = 1, .jobs = 2 };
  struct curve c, again;
  for (const struct strategy_class *const *class = strategy_list(); *class; class++) {
    assert_true(run_search(r, *class, &o, &c));
    assert_true(c.reached == 1 && !c.goals[0].more);
    assert_true(c.goals[0].trials >= 1 && c.goals[0].trials <= 10);
    assert_true(c.goals[0].seconds >= 0.1 && c.goals[0].seconds <= 1.05);
    assert_true(fabs(c.ratio[0] - 1) < 1e-9);
    assert_true(run_search(r, *class, &o, &again));
    assert_true(c.goals[0].trials == again.goals[0].trials); // the seeds decide
  }
  o.goal = 0.05; // a run that ends there took as many trials
  assert_true(run_search(r, strategy_find("local"), &o, &again));
  o.goal = 0;
  assert_true(run_search(r, strategy_find("local"), &o, &c));
  assert_true(c.goals[0].trials == again.goals[0].trials);
  o.flight = 3;
  assert_true(run_search(r, strategy_find("local"), &o, &c) && c.reached == 1);
  recorded_free(r);
}

// Sets TEXT, of SIZE bytes, to what pairs_run prints.
static void print_pairs(struct table *t, struct run_options *o, char *text, size_t size) {
  FILE *own = stdout;
  stdout = fmemopen(text, size, "w");
  bool fine = pairs_run(t, o);
  fclose(stdout);
  stdout = own;
  assert_true(fine);
}

// What was found in a space of the same parameters makes the best the first trial.
static void test_pairs(void **state) {
  (void)state;
  struct recorded *a = read_as("one.json", "wT"), *b = read_as("two.json", "wT"),
                  *other = read_as("other.json", "wT");
  struct autotune_param *first = (struct autotune_param *)other->kernel.params;
  free((char *)first->name);
  first->name = strdup("width");
  struct result results[] = { { .space = a }, { .space = b }, { .space = other } };
  struct table t = { .flights = { 1 },
                     .n_flights = 1,
                     .searches = { strategy_find("auto") },
                     .n_searches = 1,
                     .results = results,
                     .n = 3 };
  struct run_options o = { .seeds = 8, .trials = 10, .jobs = 2, .near_trials = 10 };
  char text[4096] = "";
  double alone, told;
  print_pairs(&t, &o, text, sizeof text);
  const char *line = strstr(text, "\n  one ");
  assert_non_null(line);
  assert_int_equal(sscanf(line, " one two %lf %lf", &alone, &told), 2);
  assert_true(alone > 1 && told == 1);
  assert_non_null(strstr(text, "mean of 2 pairs"));
  assert_null(strstr(text, "other  "));
  recorded_free(a);
  recorded_free(b);
  recorded_free(other);
}

static void test_refused(void **state) {
  (void)state;
  char path[256];
  snprintf(path, sizeof path, "%s/none.json", folder);
  assert_null(recorded_read(path));
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("{ \"results\": [ { \"configuration\": {} } ] }", file);
  fclose(file);
  assert_null(recorded_read(path));
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_read),    cmocka_unit_test(test_random),
    cmocka_unit_test(test_replay),  cmocka_unit_test(test_pairs),
    cmocka_unit_test(test_refused),
  };
  if (!mkdtemp(folder))
    return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
