/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling ahead: everything submitted comes back, with any number of threads. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "variant_fixture.h"

static const struct autotune_kernel *kernel(void) {
  static struct autotune_kernel k;
  k = fixture_kernel();
  return &k;
}

static void submit(struct pool *p, choice factor, uint64_t ticket) {
  assert_int_equal(pool_submit(p, (choice[]){ factor, 0, 0, 0 }, ticket, ticket), 0);
}

static void forget(struct compiled *c) {
  object_free(&c->object);
  free(c->point);
}

/* Takes N results and returns the sum of their tickets. */
static uint64_t take(struct pool *p, unsigned n) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < n; i++) {
    struct compiled c;
    assert_true(pool_take(p, &c, 60));
    assert_int_equal(c.status, 0);
    assert_memory_equal(c.object.data, "\177ELF", 4);
    assert_int_equal(c.point[P_FACTOR], c.ticket % 2);
    sum += c.ticket;
    forget(&c);
  }
  return sum;
}

static void all_come_back(void **state) {
  (void)state;
  struct pool *p = pool_new(kernel(), 2);
  for (unsigned i = 1; i <= 6; i++)
    submit(p, i % 2, i);
  assert_int_equal(pool_pending(p), 6);
  assert_int_equal(take(p, 6), 21);
  assert_int_equal(pool_pending(p), 0);
  struct compiled c;
  assert_false(pool_take(p, &c, 60)); /* at once: there is nothing to wait for */
  pool_free(p);
}

static void without_threads_the_caller_compiles(void **state) {
  (void)state;
  struct pool *p = pool_new(kernel(), 0);
  submit(p, 1, 1);
  submit(p, 0, 2);
  assert_int_equal(take(p, 2), 3);
  pool_free(p);
}

/* Reads the marks as after a crash. */
static void what_is_compiled_is_marked(void **state) {
  (void)state;
  static _Atomic uint64_t marks[4];
  struct pool *p = pool_new(kernel(), 1);
  struct compiled c;
  uint64_t seen = 0;
  pool_watch(p, marks, 4);
  submit(p, 1, 1);
  submit(p, 1, 3);
  for (int taken = 0; taken < 2;) {
    unsigned n = 0;
    for (int i = 0; i < 4; i++) {
      uint64_t mark = marks[i];
      n += mark != 0;
      seen |= mark;
    }
    assert_true(n <= 1); /* there is one thread, and queued variants are not marked */
    if (pool_take(p, &c, 0.001)) {
      taken++;
      forget(&c);
    }
  }
  assert_int_equal(seen, 3);
  for (int i = 0; i < 4; i++)
    assert_int_equal(marks[i], 0);
  pool_free(p);
}

static void paused_nothing_is_begun(void **state) {
  (void)state;
  struct pool *p = pool_new(kernel(), 1);
  struct compiled c;
  pool_pause(p, true);
  submit(p, 1, 1);
  assert_false(pool_take(p, &c, 0.2));
  assert_int_equal(pool_pending(p), 1);
  pool_pause(p, false);
  assert_int_equal(take(p, 1), 1);
  pool_free(p);
}

static void queued_work_is_dropped(void **state) {
  (void)state;
  struct pool *p = pool_new(kernel(), 1);
  pool_pause(p, true);
  for (unsigned i = 1; i <= 50; i++)
    submit(p, i % 2, i);
  pool_free(p);
  pool_free(NULL);
}

static void failures_come_back_too(void **state) {
  (void)state;
  struct pool *p = pool_new(kernel(), 1);
  struct autotune_kernel *k = (struct autotune_kernel *)kernel();
  k->n_units = 1;
  assert_int_equal(pool_submit(p, (choice[]){ 0, 0, 1, 0 }, 9, 9),
                   0); /* gcc, for which there is no unit */
  struct compiled c;
  assert_true(pool_take(p, &c, 60));
  assert_int_equal(c.status, -1);
  assert_string_equal(c.object.message, "error: no unit for 'gcc'");
  forget(&c);
  pool_free(p);
}

/* ---- a compiler that does not return, with a clock of the test's ------------------- */

static char folder[] = "/tmp/autotune-test-XXXXXX";

static void overdue_work_fails_and_is_replaced(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  char path[64], gate[64], begun[64];
  snprintf(path, sizeof path, "%s/slowcc", folder);
  snprintf(gate, sizeof gate, "%s/gate", folder);
  snprintf(begun, sizeof begun, "%s/begun", folder);
  FILE *f = fopen(path, "w");
  fprintf(f,
          "#!/bin/sh\ntouch %s\nwhile [ ! -e %s ]; do sleep 0.05; done\necho 'error: "
          "late'; exit 1\n",
          begun, gate);
  fclose(f);
  chmod(path, 0700);
  const struct autotune_value slow[] = { { "clang", NULL, 0, 0 }, { path, NULL, 1, 1 } };
  struct autotune_param params[N_PARAMS];
  memcpy(params, fixture_params, sizeof params);
  params[P_COMPILER].values = slow;
  const struct autotune_unit units[] = { fixture_units[0], { path, UNIT_TEXT, NULL } };
  struct autotune_kernel k = fixture_kernel();
  k.params = params;
  k.units = units;

  sys_set_clock(1000);
  struct pool *p = pool_new(&k, 1);
  assert_int_equal(pool_submit(p, (choice[]){ 0, 0, 1, 0 }, 7, 7), 0);
  for (int i = 0; i < 600 && access(begun, F_OK) != 0; i++)
    usleep(50000);
  assert_int_equal(access(begun, F_OK), 0);
  sys_set_clock(1031);
  struct compiled c;
  assert_true(pool_take(p, &c, 60));
  assert_int_equal(c.ticket, 7);
  assert_int_equal(c.point[P_COMPILER], 1);
  assert_string_equal(c.object.message, "error: compiling took more than 30 s");
  forget(&c);
  /* Another thread has replaced it. */
  submit(p, 1, 1);
  assert_int_equal(take(p, 1), 1);
  fclose(fopen(gate, "w"));
  pool_free(p);
  sys_set_clock(-1);
  usleep(300000); /* the abandoned thread frees the pool: for LeakSanitizer */
  unlink(path), unlink(gate), unlink(begun), rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_come_back),
    cmocka_unit_test(without_threads_the_caller_compiles),
    cmocka_unit_test(what_is_compiled_is_marked),
    cmocka_unit_test(paused_nothing_is_begun),
    cmocka_unit_test(queued_work_is_dropped),
    cmocka_unit_test(failures_come_back_too),
    cmocka_unit_test(overdue_work_fails_and_is_replaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
