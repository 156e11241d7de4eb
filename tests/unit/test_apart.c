// SPDX-License-Identifier: Apache-2.0
// test_apart.c: whether the rows of a call's sections are apart, compared with a look at
// each pair of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "autotune_abi.h"

enum { SECTIONS = 3, MOST_PLANES = 48, MOST_ROWS = 48 };
// A section of rows of N elements each; NULL: there is no row.
struct table {
  char *rows[MOST_PLANES][MOST_ROWS];
  long long planes, n_rows, bytes;
};
static struct table tables[SECTIONS];
static unsigned long long asked; // rows that were added one by one

// As stubs do where two pointers lead to each row; the tables themselves are their own.
static void walk(void *const *args, const void *result, struct autotune_rows *rows) {
  (void)args, (void)result;
  for (unsigned s = 0; s < SECTIONS; s++)
    for (long long i = 0; i < tables[s].planes; i++) {
      struct table *t = &tables[s];
      char **plane = t->rows[i];
      size_t bytes = (size_t)t->bytes;
      if (!rows->add(rows, s, plane, (size_t)t->n_rows * sizeof *plane, 1))
        return;
      if (plane[0] && autotune_rows_rise(rows, s, plane, t->n_rows, plane[0] + 8, bytes))
        continue;
      for (long long j = 0; j < t->n_rows; j++)
        if (plane[j]) {
          asked++;
          rows->add(rows, s, plane[j] + 8, bytes, 0);
        }
    }
}

static void describe(void *const *args, struct autotune_call *call) {
  (void)args, (void)call;
}

static const struct autotune_section sections[SECTIONS] = {
  { .name = "x", .access = AUTOTUNE_IN },
  { .name = "y", .access = AUTOTUNE_OUT },
  { .name = "z", .access = AUTOTUNE_INOUT },
};
static const struct autotune_kernel kernel = {
  .abi = AUTOTUNE_ABI,
  .size = sizeof kernel,
  .n_sections = SECTIONS,
  .sections = sections,
  .describe = describe,
  .rows = walk,
};

struct piece {
  uintptr_t from, to;
  int written;
};

// Looks at each pair.
static int are_apart(void) {
  static struct piece all[SECTIONS * MOST_PLANES * (MOST_ROWS + 1)];
  unsigned n = 0;
  for (unsigned s = 0; s < SECTIONS; s++)
    for (long long i = 0; i < tables[s].planes; i++) {
      struct table *t = &tables[s];
      uintptr_t plane = (uintptr_t)t->rows[i];
      all[n++] = (struct piece){ plane, plane + (size_t)t->n_rows * sizeof(char *), 0 };
      for (long long j = 0; j < t->n_rows; j++)
        if (t->rows[i][j]) {
          uintptr_t from = (uintptr_t)t->rows[i][j] + 8;
          all[n++] = (struct piece){ from, from + (size_t)t->bytes, s > 0 };
        }
    }
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < i; j++)
      if ((all[i].written || all[j].written) && all[i].from < all[j].to &&
          all[j].from < all[i].to)
        return 0;
  return 1;
}

// Sets table S to rows that are STRIDE bytes apart from BASE on, and planes PLANE bytes.
static void set(unsigned s, char *base, long long planes, long long rows,
                long long stride, long long plane, long long bytes) {
  tables[s] = (struct table){ .planes = planes, .n_rows = rows, .bytes = bytes };
  for (long long i = 0; i < planes; i++)
    for (long long j = 0; j < rows; j++)
      tables[s].rows[i][j] = base + i * plane + j * stride;
}

static int apart(void) {
  asked = 0;
  return autotune_rows_apart(&kernel, NULL);
}

static char memory[1 << 20];

static void test_usual(void **state) {
  (void)state;
  for (unsigned s = 0; s < SECTIONS; s++)
    set(s, memory + s * 300000, 40, 40, 150, 150 * 40, 100);
  assert_true(apart());
  assert_int_equal(asked, 0);
  // One row of one plane is also another section's.
  tables[0].rows[20][20] = tables[2].rows[7][7];
  assert_false(apart());
  // Two sections that are only read may overlap; here one is written.
  set(0, memory, 40, 40, 150, 150 * 40, 100);
  set(1, memory + 4, 40, 40, 150, 150 * 40, 100);
  assert_false(apart());
}

// Rows of two sections that alternate are not apart as a whole, but each row is.
static void test_alternating(void **state) {
  (void)state;
  for (unsigned s = 0; s < SECTIONS; s++)
    set(s, memory + s * 120, 1, 48, 360, 0, 100);
  assert_true(apart());
  assert_int_equal(asked, 3 * 48);
  set(2, memory + 2 * 120 - 30, 1, 48, 360, 0, 100);
  assert_false(apart());
}

static void test_backwards_and_missing(void **state) {
  (void)state;
  set(0, memory + 200000, 4, 40, -150, 8000, 100);
  set(1, memory + 400000, 4, 40, 150, 8000, 100);
  set(2, memory + 600000, 4, 40, 0, 8000, 100);
  assert_false(apart()); // each row of a plane of z is the same
  set(2, memory + 600000, 4, 40, 150, 8000, 100);
  assert_true(apart());
  tables[0].rows[2][0] = tables[1].rows[3][5] = NULL;
  assert_true(apart());
  tables[1].planes = 0;
  assert_true(apart());
}

// What is written must not be a pointer to a row.
static void test_pointers(void **state) {
  (void)state;
  for (unsigned s = 0; s < SECTIONS; s++)
    set(s, memory + s * 300000, 4, 40, 150, 8000, 100);
  tables[1].rows[3][39] = (char *)&tables[0].rows[2][2];
  assert_false(apart());
}

static void test_random(void **state) {
  (void)state;
  unsigned yes = 0, no = 0;
  srand(7);
  for (int i = 0; i < 3000; i++) {
    for (unsigned s = 0; s < SECTIONS; s++)
      set(s, memory + 64 * (rand() % 8192), rand() % 24, 1 + rand() % 8,
          8 * (rand() % 30 - 4), 8 * (rand() % 200), 8 * (1 + rand() % 12));
    for (int k = rand() % 4; k; k--) { // some rows are elsewhere
      struct table *t = &tables[rand() % SECTIONS];
      t->rows[rand() % MOST_PLANES][rand() % MOST_ROWS] =
          rand() % 4 ? memory + 8 * (rand() % 80000) : NULL;
    }
    int expected = are_apart();
    assert_int_equal(apart(), expected);
    yes += expected;
    no += !expected;
  }
  assert_true(yes > 300 && no > 300);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_usual),
                                      cmocka_unit_test(test_alternating),
                                      cmocka_unit_test(test_backwards_and_missing),
                                      cmocka_unit_test(test_pointers),
                                      cmocka_unit_test(test_random) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
