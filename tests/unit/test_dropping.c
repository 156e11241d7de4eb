// SPDX-License-Identifier: Apache-2.0
// Tests which variants a tuning leaves out, and what it keeps of them. The variants are
// known: those whose tile counts as larger than the L2 cache take twenty times as long,
// and one parameter changes nothing.
#include "compile/static.h"
#include "tools/export/export.h"
#include "keep/store/store.h"
#include "keep/store/tables.h"
#include "tuned_fixture.h"

enum { VALUES = 12 };

static const char text[] =
    "void scale(int n, double f, const double *a, double *c) {\n"
    "  for (volatile int again = 0; again < (LARGE ? 20 : 1); again++)\n"
    "    for (int i = 0; i < n; i++) c[i] = f * a[i];\n"
    "  static volatile int mark[U]; mark[0] = 1;\n"
    "}\n"
    "void (*const autotune_entry)(int, double, const double *, double *) = scale;\n";

static const struct autotune_value numbers[VALUES] = {
  { "0", "0", 0, 0 }, { "1", "1", 1, 1 }, { "2", "2", 2, 2 },     { "3", "3", 3, 3 },
  { "4", "4", 4, 4 }, { "5", "5", 5, 5 }, { "6", "6", 6, 6 },     { "7", "7", 7, 7 },
  { "8", "8", 8, 8 }, { "9", "9", 9, 9 }, { "10", "10", 10, 10 }, { "11", "11", 11, 11 }
};
static const struct autotune_param params[] = {
  { "U", "U", AUTOTUNE_INT, -1, VALUES - 1, VALUES, numbers + 1 },
  { "LARGE", "LARGE", AUTOTUNE_INT, -1, 2, 2, numbers },
  { "SAME", "SAME", AUTOTUNE_INT, -1, 2, 2, numbers },
};
static const struct autotune_unit unit = { "clang", text, scale_flags };

static double footprint(const struct autotune_value *const *values, void *const *args,
                        const struct autotune_machine *machine) {
  (void)args;
  return (double)machine->l2 * (values[1]->i ? 8 : 0.25);
}

static void tune(void) {
  scale_kernel.params = params;
  scale_kernel.n_params = 3;
  scale_kernel.units = &unit;
  scale_kernel.footprint = footprint;
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static bool is_large(const struct record *r) {
  return strstr(r->values, "LARGE=1") != NULL;
}

static void check_record(const struct record *r, unsigned *dropped) {
  struct features f;
  record_features(r, &f);
  assert_true(r->status == STATUS_OK || r->status == STATUS_DROPPED);
  assert_true(f.values[FEATURE_TILE_L2] == (is_large(r) ? 3 : -2));
  assert_true(f.values[FEATURE_CALL_L2] == f.values[FEATURE_CALL_L2]);
  if (r->status == STATUS_DROPPED) {
    assert_true(is_large(r) && r->n_samples == 0);
    assert_string_equal(r->message, "its tile does not fit the L2 cache");
    ++*dropped;
  } else {
    assert_true(r->n_samples > 0 && f.values[FEATURE_BYTES] > 0);
    assert_true(f.values[FEATURE_LOOPS] >= 1);
  }
}

static unsigned count_of(const char *s, const char *word) {
  unsigned n = 0;
  for (const char *at = s; (at = strstr(at, word)); at++)
    n++;
  return n;
}

// An export has the variants that were run, and says of each whether it was right.
static void check_export(unsigned tried) {
  char *json = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&json, &size);
  assert_non_null(f);
  assert_int_equal(export_run(&(struct export_options){ .folder = fixture_folder }, f),
                   0);
  fclose(f);
  assert_int_equal(count_of(json, "\"configuration\""), tried);
  assert_int_equal(count_of(json, "\"invalidity\": \"correct\""), tried);
  free(json);
}

static void test_what_is_sure_to_lose_is_left_out(void **state) {
  (void)state;
  if (machine_get()->numbers.l2 == 0)
    skip(); // the caches of this machine are not known
  assert_int_equal(
      in_child(tune,
               (const char *const[]){ "AUTOTUNE_LOG=error", "AUTOTUNE_SEARCH=exhaustive",
                                      "AUTOTUNE_BUDGET=40s,200", NULL }),
      0);
  char *message = NULL;
  struct store *s = store_open_in(fixture_folder, false, &message);
  struct listing l;
  assert_non_null(s);
  assert_int_equal(store_list(s, NULL, &l), 0);
  assert_int_equal(l.n, 1);
  assert_true(l.items[0].finished);
  const struct summary *m = &l.items[0].summary;
  unsigned dropped = 0;
  for (unsigned i = 0; i < l.items[0].n_records; i++)
    check_record(&l.items[0].records[i], &dropped);
  // All were proposed. Some of the large ones were run to learn the rule, and some to
  // check it.
  assert_int_equal(m->tried + dropped, 4 * (VALUES - 1));
  assert_int_equal(m->failed[STATUS_DROPPED], dropped);
  assert_in_range(dropped, 2, 2 * (VALUES - 1) - 3);
  assert_in_range(m->same, VALUES - 1, 2 * (VALUES - 1));
  assert_non_null(strstr(m->values, "LARGE=0"));
  unsigned tried = m->tried;
  store_list_free(&l);
  store_close(s);
  check_export(tried);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
      test_what_is_sure_to_lose_is_left_out, make_folder, drop_folder) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
