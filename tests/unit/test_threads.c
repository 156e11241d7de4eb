// SPDX-License-Identifier: Apache-2.0
// The table of a site under many threads: keys come and go, answers stay right, and
// nobody waits for a lock. Runs under ThreadSanitizer too, which cannot follow a fork of
// a threaded program. So the tuning itself is done before, with one thread. (RELIABILITY:
// C1.)
#include <pthread.h>
#include <stdatomic.h>

#include "tuned_fixture.h"

enum { THREADS = 64, CALLS = 200, KEYS = 40 };

static atomic_int wrong_answers;

static void *calls(void *data) {
  unsigned first = (unsigned)(size_t)data;
  for (unsigned i = 0; i < CALLS; i++) {
    int n = (int)((first + i) % KEYS) + 1;
    if (!scale_is_right(i % 8 ? n : SCALE_N))
      atomic_fetch_add(&wrong_answers, 1);
  }
  return NULL;
}

static void *asks(void *data) {
  const char *value;
  for (int i = 0; i < 50; i++) {
    long long key[] = { i % KEYS + 1 };
    char *why = NULL;
    autotune_best("scale", key, "U", &value);
    if (autotune_why("scale", i % 2 ? key : NULL, &why) == AUTOTUNE_OK)
      free(why);
    if (data)
      autotune_forget("scale", key);
    autotune_wait(0);
  }
  return NULL;
}

static void run(void *forget) {
  pthread_t threads[THREADS], asker;
  for (size_t i = 0; i < THREADS; i++)
    EXPECT(pthread_create(&threads[i], NULL, calls, (void *)(7 * i)) == 0);
  EXPECT(pthread_create(&asker, NULL, asks, forget) == 0);
  for (size_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  pthread_join(asker, NULL);
  EXPECT(wrong_answers == 0);
}

static void tunes_alone(void) {
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("tuned: "));
}

static void uses_stored(void) {
  run(NULL);
  EXPECT(scale_is_right(SCALE_N));
  EXPECT(scale_why_has("stored: "));
}

static void forgets(void) {
  run(&wrong_answers);
}

#define RUN(body, ...) \
  assert_int_equal(in_child(body, (const char *const[]){ __VA_ARGS__, NULL }), 0)
#define LOCKED "AUTOTUNE_MODE=locked"

static void test_stored_winner(void **state) {
  (void)state;
  RUN(tunes_alone, "AUTOTUNE_BUDGET=20s");
  RUN(uses_stored, LOCKED);
}

static void test_forgetting(void **state) {
  (void)state;
  RUN(forgets, LOCKED);
}

static void test_off(void **state) {
  (void)state;
  RUN(forgets, "AUTOTUNE_MODE=off");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_stored_winner), TEST(test_forgetting),
                                      TEST(test_off) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
