// SPDX-License-Identifier: Apache-2.0
// The winner that tuned keys of the store agree on: which rows count, and what the stored
// times say of winners that differ.
#include "model/agree.h"
#include "store_fixture.h"

enum { FAST = 7, OTHER = 8, CONTRACT = 5 };

static struct identity identity_for(const long long *key) {
  struct identity id = fixture_identity();
  id.key = key;
  id.contract = CONTRACT;
  return id;
}

// Stores a tuning of m = M whose winner is WINNER (0: the default, which takes 10 ms).
static void tune(struct store *s, long long m, uint64_t winner) {
  const long long key[] = { 512, m };
  struct identity id = identity_for(key);
  struct summary result = fixture_summary();
  result.winner = winner;
  result.values = winner == FAST ? "U=7\n" : winner ? "U=8\n" : "";
  result.origin = ORIGIN_HERE;
  if (!winner)
    result.best = result.original;
  assert_int_equal(store_summary(s, &id, &result), 0);
}

// Stores the trial of VARIANT for m = M.
static void try(struct store *s, long long m, uint64_t variant, enum status status,
                double median) {
  const long long key[] = { 512, m };
  struct identity id = identity_for(key);
  fixture_add(s, &id, variant, variant == FAST ? "U=7\n" : "U=8\n", status, "", median);
}

static char why[192];
static unsigned checked; // of the last agreement
static double gain;

// Returns the agreed winner for ID; -1: there is none.
static int agreed(struct store *s, const struct identity *id, bool compared) {
  struct agreement a;
  struct summary m;
  if (!store_agreed(s, id, compared, &a, &m, why, sizeof why))
    return -1;
  int winner = (int)m.winner;
  checked = a.checked;
  gain = a.gain;
  assert_int_equal(m.origin, ORIGIN_AGREED);
  assert_int_equal(m.object, fixture_summary().object);
  assert_string_equal(m.values, winner == FAST ? "U=7\n" : winner ? "U=8\n" : "");
  store_summary_free(&m);
  return winner;
}

static int agreed_for(struct store *s, long long m) {
  const long long key[] = { 512, m };
  struct identity id = identity_for(key);
  return agreed(s, &id, false);
}

static void test_which_rows_count(void **state) {
  const long long key[] = { 512, 5 }, other[] = { 513, 5 };
  const struct identity id = identity_for(key);
  struct store *s = open_store(*state);
  for (long long m = 1; m <= 3; m++)
    tune(s, m, FAST);
  assert_int_equal(agreed(s, &id, false), -1);
  struct summary taken = fixture_summary(); // taken over, not tuned
  taken.origin = ORIGIN_AGREED;
  taken.values = "U=7\n";
  const long long four[] = { 512, 4 };
  struct identity fourth = identity_for(four);
  assert_int_equal(store_summary(s, &fourth, &taken), 0);
  assert_int_equal(agreed(s, &id, false), -1);
  tune(s, 4, FAST);
  assert_int_equal(agreed(s, &id, true), FAST);
  assert_string_equal(why, "m is not looked at: its values 1, 2, 3, 4 chose the same");
  struct identity changed[8];
  for (int i = 0; i < 8; i++)
    changed[i] = id;
  changed[0].unit++;
  changed[1].contract++;
  changed[2].toolchain = "clang 23";
  changed[3].space = 9;
  changed[4].threads++;
  changed[5].cpu = "Test CPU 2";
  changed[6].key = other;
  changed[7].kernel = "gemv";
  for (int i = 0; i < 8; i++)
    assert_int_equal(agreed(s, &changed[i], false), -1);
  store_close(s);
}

// The gain that is expected for a new value is the least of those that agree.
static void test_gain(void **state) {
  struct store *s = open_store(*state);
  struct summary slower = fixture_summary();
  const long long four[] = { 512, 4 };
  struct identity fourth = identity_for(four);
  for (long long m = 1; m <= 3; m++)
    tune(s, m, FAST);
  slower.winner = FAST;
  slower.values = "U=7\n";
  slower.origin = ORIGIN_HERE;
  slower.original.median = 1.25 * slower.best.median;
  assert_int_equal(store_summary(s, &fourth, &slower), 0);
  assert_int_equal(agreed_for(s, 5), FAST);
  assert_float_equal(gain, 1.25, 1e-9);
  store_close(s);
}

// Winners that differ by noise agree; a clear difference and a failure do not.
static void test_times(void **state) {
  struct store *s = open_store(*state);
  for (long long m = 1; m <= 3; m++) {
    tune(s, m, FAST);
    try(s, m, FAST, STATUS_OK, 0.002);
  }
  tune(s, 4, OTHER);
  assert_int_equal(agreed_for(s, 5), -1); // nobody knows how fast FAST is there
  try(s, 4, OTHER, STATUS_OK, 0.002);
  try(s, 4, FAST, STATUS_OK, 0.00203);
  assert_int_equal(agreed_for(s, 5), FAST);
  try(s, 4, FAST, STATUS_OK, 0.0025);
  assert_int_equal(agreed_for(s, 5), -1);
  try(s, 4, FAST, STATUS_WRONG, 0);
  assert_int_equal(agreed_for(s, 5), -1);
  store_close(s);
}

// The search may have had a busier moment than the final race: where the default stayed,
// only a clear difference says that the winner of others is worse, and a variant that was
// not run says nothing.
static void test_kept(void **state) {
  struct store *s = open_store(*state);
  const long long key[] = { 512, 6 };
  struct identity id = identity_for(key);
  id.changing = 2;
  for (long long m = 1; m <= 2; m++)
    tune(s, m, FAST);
  tune(s, 4, 0);
  try(s, 4, FAST, STATUS_OK, 0.013);
  assert_int_equal(agreed(s, &id, false), -1);
  try(s, 4, FAST, STATUS_OK, 0.011);
  assert_int_equal(agreed(s, &id, false), FAST);
  try(s, 4, FAST, STATUS_OK, 0.013);
  tune(s, 3, FAST); // three outvote one
  assert_int_equal(agreed(s, &id, false), FAST);
  tune(s, 5, OTHER);
  assert_int_equal(agreed(s, &id, false), FAST); // FAST was not run there
  try(s, 5, FAST, STATUS_DROPPED, 0);
  assert_int_equal(agreed(s, &id, false), FAST);
  try(s, 5, FAST, STATUS_CRASH, 0);
  assert_int_equal(agreed(s, &id, false), -1);
  store_close(s);
}

// Stores that FAST, the winner of other keys, was right for m = M in a comparison.
static void compare(struct store *s, long long m, const struct summary *how) {
  const long long key[] = { 512, m };
  struct identity id = identity_for(key);
  assert_int_equal(store_summary(s, &id, how), 0);
}

static unsigned checked_for(struct store *s, long long m) {
  const long long key[] = { 512, m };
  struct identity id = identity_for(key);
  id.changing = 2;
  checked = 99;
  return agreed(s, &id, false) == FAST ? checked : 99;
}

// Comparisons count for the winner that was compared, under the same contract, and for
// keys that the agreement holds for. Nothing counts once it has failed for any key.
static void test_checked(void **state) {
  struct store *s = open_store(*state);
  for (long long m = 1; m <= 4; m++)
    tune(s, m, FAST);
  struct summary how = fixture_summary();
  how.values = "U=7\n";
  how.winner = FAST;
  how.verified = true;
  how.origin = ORIGIN_AGREED;
  assert_int_equal(checked_for(s, 5), 0);
  compare(s, 6, &how);
  compare(s, 7, &how);
  assert_int_equal(checked_for(s, 5), 2);
  assert_int_equal(agreed_for(s, 5), FAST);
  assert_int_equal(checked, 0); // it is not looked at where the key was chosen
  struct summary other = how;
  other.verified = false;
  compare(s, 8, &other);
  other = how;
  other.winner = OTHER;
  other.values = "U=8\n";
  compare(s, 9, &other);
  other = how;
  other.space = 9;
  compare(s, 10, &other);
  compare(s, 1000 * 1000, &how); // far away
  const long long elsewhere[] = { 513, 8 }, eleven[] = { 512, 11 };
  struct identity changed = identity_for(elsewhere);
  assert_int_equal(store_summary(s, &changed, &how), 0);
  changed = identity_for(eleven);
  changed.contract++;
  assert_int_equal(store_summary(s, &changed, &how), 0);
  changed.contract--;
  changed.cpu = "Test CPU 2";
  assert_int_equal(store_summary(s, &changed, &how), 0);
  assert_int_equal(checked_for(s, 5), 2);

  try(s, 12, FAST, STATUS_TIMEOUT, 0);
  try(s, 12, OTHER, STATUS_WRONG, 0);
  assert_int_equal(checked_for(s, 5), 2);
  try(s, 2000 * 1000, FAST, STATUS_WRONG, 0);
  assert_int_equal(checked_for(s, 5), 0);
  try(s, 2000 * 1000, FAST, STATUS_OK, 0.002);
  assert_int_equal(checked_for(s, 5), 2);
  struct service ended = { .variant = FAST, .values = "U=7\n", .ended = 1, .why = "" };
  assert_int_equal(store_served(s, &changed, &ended), 0);
  assert_int_equal(checked_for(s, 5), 0);
  ended.ended = 0;
  assert_int_equal(store_served(s, &changed, &ended), 0);
  assert_int_equal(checked_for(s, 5), 2);
  store_close(s);
}

// A process that has ended in its first call of the winner, for any key, ends trust, too.
static void test_entered(void **state) {
  struct store *s = open_store(*state);
  assert_int_equal(setenv("AUTOTUNE_CACHE", *state, 1), 0);
  const long long key[] = { 512, 6 };
  struct identity id = identity_for(key);
  assert_false(entered_doubts(FAST));
  int slot = entered_note(&id, FAST);
  assert_true(slot >= 0);
  assert_false(entered_doubts(FAST)); // the call goes on
  entered_clear(slot);
  pid_t pid = fork();
  if (pid == 0)
    _exit(entered_note(&id, FAST) < 0);
  int status;
  assert_true(waitpid(pid, &status, 0) == pid && status == 0);
  assert_true(entered_doubts(FAST) && !entered_doubts(OTHER));
  assert_int_equal(entered_ended(&id, FAST, 0), 1);
  assert_false(entered_doubts(FAST));
  store_close(s);
}

static void test_default(void **state) {
  struct store *s = open_store(*state);
  for (long long m = 1; m <= 4; m++)
    tune(s, m, 0);
  assert_int_equal(agreed_for(s, 5), 0);
  assert_string_equal(
      why,
      "m is not looked at: its values 1, 2, 3, 4 found nothing better than the default");
  store_close(s);
}

// One key that could not be compared says nothing of others; two do, as two tunings that
// found nothing better than the default.
static void test_unchecked(void **state) {
  struct store *s = open_store(*state);
  const long long key[] = { 512, 5 };
  struct identity id = identity_for(key);
  struct summary result = fixture_summary();
  id.changing = 2;
  result.winner = 0;
  result.values = "";
  result.origin = ORIGIN_HERE;
  result.best = result.original;
  for (long long m = 1; m <= 2; m++) {
    const long long its[] = { 512, m };
    struct identity own = identity_for(its);
    result.ended = ENDED_UNCHECKED;
    assert_int_equal(store_summary(s, &own, &result), 0);
    assert_int_equal(agreed(s, &id, true), m == 1 ? -1 : 0);
  }
  tune(s, 1, 0);
  assert_int_equal(agreed(s, &id, true), -1); // of two keys one was compared
  store_close(s);
}

// A key whose winner was not faster in the program does not speak for that variant,
// though its trials were fast.
static void test_slower_in_the_program(void **state) {
  struct store *s = open_store(*state);
  const long long key[] = { 512, 4 };
  struct identity id = identity_for(key);
  for (long long m = 1; m <= 4; m++) {
    tune(s, m, FAST);
    try(s, m, FAST, STATUS_OK, 0.002);
  }
  assert_int_equal(agreed_for(s, 5), FAST);
  assert_string_equal(why, "m is not looked at: its values 1, 2, 3, 4 chose the same");
  const struct own_calls lost = { 8, 8, 1, 2, 0.1, 0.2 };
  assert_int_equal(store_own_calls(s, &id, FAST, &lost), 0);
  assert_int_equal(agreed_for(s, 5), -1);
  store_close(s);
}

// Without compared outputs a winner does not count where nothing unchecked may run.
static void test_compared(void **state) {
  const long long key[] = { 512, 5 };
  const struct identity id = identity_for(key);
  struct store *s = open_store(*state);
  for (long long m = 1; m <= 4; m++) {
    const long long its[] = { 512, m };
    struct identity own = identity_for(its);
    struct summary result = fixture_summary();
    result.values = "U=7\n";
    result.verified = false;
    result.origin = ORIGIN_HERE;
    assert_int_equal(store_summary(s, &own, &result), 0);
  }
  assert_int_equal(agreed(s, &id, false), FAST);
  assert_int_equal(agreed(s, &id, true), -1);
  store_close(s);
}

// A winner that failed for this key, or was found wrong in a program for any key, is not
// taken.
static void test_failures(void **state) {
  const long long one[] = { 512, 1 }, five[] = { 512, 5 };
  struct identity id = identity_for(one), id5 = identity_for(five);
  struct store *s = open_store(*state);
  for (long long m = 1; m <= 4; m++)
    tune(s, m, FAST);
  try(s, 5, FAST, STATUS_CRASH, 0);
  assert_int_equal(agreed_for(s, 5), -1);
  assert_int_equal(agreed_for(s, 6), FAST);
  struct service service = {
    .variant = FAST, .values = "U=7\n", .revoked = REVOKED_WRONG, .why = "c[3]"
  };
  assert_int_equal(store_served(s, &id5, &service), 0);
  assert_int_equal(agreed_for(s, 6), -1);
  id.contract = CONTRACT + 1; // it was found wrong by another tolerance
  service.revoked = REVOKED_NOT;
  assert_int_equal(store_served(s, &id5, &service), 0);
  assert_int_equal(agreed_for(s, 6), FAST);
  service.revoked = REVOKED_WRONG;
  assert_int_equal(store_served(s, &id, &service), 0);
  assert_int_equal(agreed_for(s, 6), FAST);
  store_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_which_rows_count),
                                      TEST(test_times),
                                      TEST(test_gain),
                                      TEST(test_kept),
                                      TEST(test_default),
                                      TEST(test_checked),
                                      TEST(test_entered),
                                      TEST(test_unchecked),
                                      TEST(test_slower_in_the_program),
                                      TEST(test_compared),
                                      TEST(test_failures) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
