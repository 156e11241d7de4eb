// SPDX-License-Identifier: Apache-2.0
// Copies of a process that run side by side with it: all run what it runs, in its rounds,
// and one that dies is noticed.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/cpu/copies.h"

enum { COPIES = 3, ROUNDS = 50 };

// Shared by all; `own` is not.
static struct {
  atomic_uint prepared, run, late, units;
} *seen;
static unsigned own;
static int dies; // the signal by which copies end themselves in their second run

static void prepare(void *data) {
  unsigned *rounds = data;
  ++*rounds;
  atomic_fetch_add(&seen->prepared, 1);
}

static void run(void *data, int which, unsigned batch) {
  const unsigned *rounds = data;
  own++;
  atomic_fetch_add(&seen->late, which != (int)(*rounds % 2));
  atomic_fetch_add(&seen->units, batch);
  atomic_fetch_add(&seen->run, 1);
  if (*rounds == 2 && dies < 0)
    _exit(7);
  if (*rounds == 2 && dies)
    raise(dies);
}

static unsigned rounds;
static const struct copies_work work = { prepare, run, &rounds };

static void begin(struct copies *c) {
  seen = sys_mmap(sizeof *seen, true);
  assert_non_null(seen);
  rounds = 0;
  assert_true(copies_open(c, COPIES));
  assert_true(copies_begin(c, &work));
}

static void test_all_run_in_rounds(void **state) {
  struct copies c;
  (void)state;
  dies = 0;
  begin(&c);
  for (unsigned i = 1; i <= ROUNDS; i++) {
    copies_ready(&c, (int)(i % 2), 10);
    assert_int_equal(copies_go(&c), 0);
    assert_int_equal(atomic_load(&seen->prepared), i * COPIES);
    assert_true(atomic_load(&seen->run) >= (i - 1) * COPIES); // all of the last round
  }
  copies_ready(&c, 1, 1);
  assert_int_equal(copies_go(&c), 0); // so the last round has ended everywhere
  assert_true(copies_end(&c) >= 0);
  assert_true(atomic_load(&seen->run) >= ROUNDS * COPIES);
  assert_true(atomic_load(&seen->units) >= 10 * ROUNDS * COPIES);
  assert_int_equal(atomic_load(&seen->late), 0);
  assert_int_equal(own, 0); // each has its own memory
  free(c.pids);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static int die_by(int how) {
  struct copies c;
  int lost = 0;
  dies = how;
  begin(&c);
  for (unsigned i = 1; i <= ROUNDS && !lost; i++) {
    copies_ready(&c, (int)(i % 2), 1);
    lost = copies_go(&c);
  }
  copies_end(&c);
  free(c.pids);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  return lost;
}

static void test_one_that_dies_is_noticed(void **state) {
  (void)state;
  assert_int_equal(die_by(SIGKILL), SIGKILL);
  assert_int_equal(die_by(-1), -1 - 7);
}

static void test_no_copies(void **state) {
  struct copies c;
  (void)state;
  assert_true(copies_open(&c, 0));
  assert_int_equal(c.most, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_run_in_rounds),
    cmocka_unit_test(test_one_that_dies_is_noticed),
    cmocka_unit_test(test_no_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
