// SPDX-License-Identifier: Apache-2.0
// test_memory.c: the memory of sections whose rows are reached through pointers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "model/kernel.h"
#include "model/memory.h"

enum { ROWS = 4, COLUMNS = 8, PAGE = 4096 };

// What `autotune cc` writes for in(x[1:n][2:m]) and inout(y[0:n]).
static void describe(void *const *args, struct autotune_call *call) {
  call->spans[0] = (struct autotune_span){ NULL, 0 };
  call->spans[1] = (struct autotune_span){ *(double **)args[1], 3 * sizeof(double) };
}
static long long n, m;
static void rows(void *const *args, const void *result, struct autotune_rows *r) {
  double **x = *(double ***)args[0];
  const long long low[] = { 1, 2 }, count[] = { n, m };
  assert_null(result);
  r->shape(r, 0, 2, low, count);
  if (r->add(r, 0, &x[1], (size_t)n * sizeof *x, 1))
    for (long long i = 1; i < 1 + n; i++)
      if (x[i])
        r->add(r, 0, &x[i][2], (size_t)m * sizeof **x, 0);
}
static const struct autotune_section sections[] = {
  { "x[1:n][2:m]", AUTOTUNE_IN, AUTOTUNE_F64, sizeof(double) },
  { "y[0:3]", AUTOTUNE_INOUT, AUTOTUNE_F64, sizeof(double) },
};
static const struct autotune_kernel kernel = {
  .abi = AUTOTUNE_ABI,
  .name = "k",
  .describe = describe,
  .rows = rows,
  .n_sections = 2,
  .sections = sections,
  .size = sizeof kernel,
};

static double values[ROWS][COLUMNS + 1], y[3], *x[ROWS], **x_arg = x, *y_arg = y;
static void *args[] = { &x_arg, &y_arg };

static int set_up(void **state) {
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    x[i] = values[ROWS - 1 - i]; // the last row lies first
    for (int j = 0; j < COLUMNS; j++)
      values[i][j] = 10 * i + j;
  }
  n = 3;
  m = 5;
  return 0;
}

static void test_rows(void **state) {
  struct memories memory;
  double got[3 * 5];
  char message[128] = "", name[64];
  (void)state;
  assert_true(memories_describe(&memory, &kernel, args, message, sizeof message));
  const struct memory *s = &memory.list[0];
  assert_int_equal(s->n, 3);
  assert_int_equal(s->bytes, sizeof got);
  assert_int_equal(memory.list[1].n, 1);
  assert_int_equal(memory.tables.bytes, 3 * sizeof *x);
  memory_read(s, (char *)got);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 5; j++)
      assert_true(got[5 * i + j] == x[1 + i][2 + j]);
  assert_true(memory_equal(s, (char *)got));
  got[14] = -1;
  assert_false(memory_equal(s, (char *)got));
  memory_write(s, (char *)got);
  assert_true(x[3][6] == -1 && x[3][7] == 7);
  assert_true(memory_element(s, sections[0].name, 8, 8 * 13, name, sizeof name));
  assert_string_equal(name, "x[3][5]");
  assert_false(memory_element(&memory.list[1], "y[0:3]", 8, 8, name, sizeof name));
  assert_false(memory_overlap(s, &memory.list[1]));
  assert_true(memory_overlap(s, s));
  memories_free(&memory);
}

// Rows that lie one after the other are one piece; a null pointer is no row.
static void test_neighbours(void **state) {
  struct memories memory, fewer;
  char message[128] = "", name[64];
  (void)state;
  static double block[2 + ROWS * COLUMNS];
  for (int i = 0; i < ROWS; i++)
    x[i] = block + i * COLUMNS;
  m = COLUMNS;
  assert_true(memories_describe(&memory, &kernel, args, message, sizeof message));
  assert_int_equal(memory.list[0].n, 1);
  assert_int_equal(memory.list[0].bytes, 3 * COLUMNS * sizeof **x);
  m--;
  assert_true(memories_describe(&fewer, &kernel, args, message, sizeof message));
  assert_int_equal(fewer.list[0].n, 3);
  assert_true(memory_within(&fewer.list[0], &memory.list[0]));
  assert_false(memory_within(&memory.list[0], &fewer.list[0]));
  assert_false(memory_same(&memory.list[0], &fewer.list[0]));
  memories_free(&fewer);
  x[2] = NULL;
  assert_true(memories_describe(&fewer, &kernel, args, message, sizeof message));
  assert_int_equal(fewer.list[0].n, 2);
  assert_false(memory_element(&fewer.list[0], "x[1:n][2:m]", 8, 8, name, sizeof name));
  memories_free(&fewer);
  memories_free(&memory);
}

// Pointers that cannot be read are not followed.
static void test_unreadable(void **state) {
  struct memories memory;
  char message[128] = "";
  char *pages =
      mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  (void)state;
  assert_true(pages != MAP_FAILED);
  assert_int_equal(munmap(pages + PAGE, PAGE), 0);
  x_arg = (double **)(void *)(pages + PAGE) - 3;
  assert_false(memories_describe(&memory, &kernel, args, message, sizeof message));
  assert_string_equal(message, "the addresses of the rows of x[1:n][2:m] cannot be read");
  x_arg = x;
  munmap(pages, PAGE);
}

// A translated file of an older version has no such function.
static void test_older(void **state) {
  struct memories memory;
  char message[128] = "";
  struct autotune_kernel old = kernel;
  (void)state;
  old.size = offsetof(struct autotune_kernel, rows);
  assert_true(memories_describe(&memory, &old, args, message, sizeof message));
  assert_int_equal(memory.list[0].n, 0);
  assert_int_equal(memory.list[1].bytes, sizeof y);
  memories_free(&memory);
}

// A section of the result begins where the returned pointer leads.
static void returned_rows(void *const *args_, const void *result,
                          struct autotune_rows *r) {
  const long long low[] = { 2 }, count[] = { 3 };
  (void)args_;
  (void)result;
  r->shape(r, 0, 1, low, count);
  r->add(r, 0, (double *)NULL + 2, 3 * sizeof(double), 0);
}
static void returned_describe(void *const *args_, struct autotune_call *call) {
  (void)args_;
  (void)call;
}

static void test_returned(void **state) {
  static const struct autotune_section section[] = { { "return[2:3]", AUTOTUNE_OUT,
                                                       AUTOTUNE_F64, sizeof(double) } };
  struct autotune_kernel k = kernel;
  struct memories memory;
  double *result = values[1], *none = NULL, *inside = y, *other = y + 1, got[3];
  char message[128] = "";
  (void)state;
  k.sections = section;
  k.n_sections = 1;
  k.rows = returned_rows;
  k.describe = returned_describe;
  assert_true(memory_is_returned(&k));
  assert_false(memory_is_returned(&kernel));
  assert_true(memories_describe(&memory, &k, args, message, sizeof message));
  assert_int_equal(memory.list[0].bytes, sizeof got);
  assert_null(memories_returned(&memory, &result));
  memory_read(&memory.list[0], (char *)got);
  assert_memory_equal(got, &values[1][2], sizeof got);
  assert_string_equal(memories_returned(&memory, &none), "return[2:3]");
  memories_free(&memory);
  assert_true(memories_describe(&memory, &kernel, args, message, sizeof message));
  assert_true(memory_agrees(&memory, &inside, &inside));
  assert_false(memory_agrees(&memory, &inside, &other));
  assert_false(memory_agrees(&memory, &inside, &none));
  assert_true(memory_agrees(&memory, &(double *){ values[0] }, &(double *){ got }));
  memories_free(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_rows, set_up),
    cmocka_unit_test_setup(test_neighbours, set_up),
    cmocka_unit_test_setup(test_unreadable, set_up),
    cmocka_unit_test_setup(test_older, set_up),
    cmocka_unit_test_setup(test_returned, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
