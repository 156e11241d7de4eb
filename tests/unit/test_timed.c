// SPDX-License-Identifier: Apache-2.0
// Calls of kernels that were statements: which of them are timed in their place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "autotune_abi.h"

static struct autotune_timed timed;
static int node;

// As the stub does for a call that the runtime wants to see.
static __attribute__((noinline)) struct autotune_call_state *stub(void) {
  struct autotune_call_state state = { .node = &node };
  return autotune_time(&timed, &state);
}

static __attribute__((noinline)) struct autotune_call_state *within(volatile int depth) {
  struct autotune_call_state *state = depth > 0 ? within(depth - 1) : stub();
  depth++; // no tail call: the frames stay
  return state;
}

static void test_a_call_within_a_timed_one(void **state) {
  (void)state;
  struct autotune_call_state *outer = stub();
  assert_non_null(outer);
  assert_null(within(3));
  assert_ptr_equal(outer->node, &node); // that of the outer call stays
  outer->node = NULL;                   // as autotune_time_end leaves it
  assert_non_null(within(3));
  timed.state.node = NULL;
}

static jmp_buf out;

static __attribute__((noinline)) void leaves(volatile int depth) {
  if (depth > 0)
    leaves(depth - 1);
  else if (stub())
    longjmp(out, 1);
  depth++;
}

static void test_a_call_that_is_left(void **state) {
  (void)state;
  if (setjmp(out) == 0) {
    leaves(3);
    fail();
  }
  assert_non_null(stub()); // its frame is not below the one that was left
  timed.state.node = NULL;
}

static void test_a_call_that_is_not_timed(void **state) {
  (void)state;
  const struct autotune_call_state none = { .node = NULL };
  assert_null(autotune_time(&timed, &none));
  assert_true(autotune_is_taken(autotune_taken()));
  assert_false(autotune_is_timed(autotune_taken()));
  assert_false(autotune_is_timed(NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_call_within_a_timed_one),
    cmocka_unit_test(test_a_call_that_is_left),
    cmocka_unit_test(test_a_call_that_is_not_timed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
