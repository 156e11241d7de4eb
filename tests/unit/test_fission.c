// SPDX-License-Identifier: Apache-2.0
// test_fission.c: tests which loops may be divided: as the text that people read, and
// against an enumeration of all iterations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model_fixture.h"

// Returns the reason why the nest that begins with loop FROM, counted from 0, cannot be
// divided; "": it can.
static const char *fission_text(const char *text, unsigned from) {
  struct model *m = model_of(text);
  struct iter *chain[MAX_LEVELS];
  struct focus *parts;
  unsigned n = 0;
  const char *why = NULL;
  TSNode at, loop = m->n_iters > from ? m->iters[from]->node : (TSNode){ 0 };
  for (TSNode l = loop; !ts_node_is_null(l) && model_iter(m, l); l = nest_inner(&m->u, l))
    chain[n++] = model_iter(m, l);
  assert_true(n > 0);
  unsigned n_parts = focus_parts(&m->u, loop, &parts, &why, &at);
  if (n_parts > 0)
    why = fission_why_not(m, chain, n, parts, n_parts, &at);
  return why ? why : "";
}

static void test_fission(void **state) {
  static const struct {
    const char *text;
    unsigned from;
    const char *expected;
  } cases[] = {
    // values go from a part to a later one, in the same iteration or a later one
    { "void f(int n, int m, double A[n][m], double *b, double *c) {"
      " for (int i = 0; i < n; i++) { b[i] = c[i];"
      " for (int j = 0; j < m; j++) A[i][j] = b[i]; } }",
      0, "" },
    { "void f(int n, double *a, double *b, double *c) { for (int i = 1; i < n; i++) {"
      " a[i] = c[i]; for (int j = 0; j < i; j++) b[i] += a[i - 1]; } }",
      0, "" },
    // back to an earlier part, in a later iteration
    { "void f(int n, double *a, double *b, double *c) { for (int i = 1; i < n; i++) {"
      " a[i] = b[i - 1]; for (int j = 0; j < 4; j++) b[i] = c[i]; } }",
      0, "a later iteration uses 'b' in a part before this one" },
    // … which writes what was read
    { "void f(int n, double *a, double *b) { for (int i = 0; i < n - 1; i++) {"
      " for (int j = 0; j < 4; j++) a[i] = 0; b[i] = a[i + 1]; } }",
      0, "a later iteration uses 'a' in a part before this one" },
    { "void f(int n, double *a, double *b) { for (int i = 1; i < n; i++) {"
      " for (int j = 0; j < 4; j++) a[i] = 0; b[i] = a[i - 1]; a[i + 1] = 2; } }",
      0, "a later iteration uses 'a' in a part before this one" },
    { "void f(int n, double *w, double A[n][n]) { for (int i = 0; i < n; i++) {"
      " for (int j = 0; j < n; j++) w[j] = A[i][j];"
      " for (int j = 0; j < n; j++) A[i][j] = w[n - 1 - j]; } }",
      0, "a later iteration uses 'w' in a part before this one" },
    // a declaration hides a name, but reads the outer one before
    { "void f(int n, double t, double *a) { for (int i = 0; i < n; i++) {"
      " t = t * 0.5; for (int j = 0; j < 4; j++) { double w = t, t = 3; a[i] += w * t; } } }",
      0, "several parts use 't', which is set in each iteration" },
    // a triangle: (j, i) is above the diagonal only where it is (i, j)
    { "void f(int n, double C[n][n], double A[n][n]) { for (int i = 0; i < n; i++)"
      " for (int j = i; j < n; j++) { C[i][j] = 0;"
      " for (int k = 0; k < n; k++) C[i][j] += A[k][i] * A[k][j];"
      " C[i][j] /= n; C[j][i] = C[i][j]; } }",
      0, "" },
    { "void f(int n, double C[n][n], double A[n][n]) { for (int i = 0; i < n; i++)"
      " for (int j = 0; j < n; j++) { C[i][j] = 0;"
      " for (int k = 0; k < n; k++) C[i][j] += A[k][i] * A[k][j];"
      " C[j][i] = C[i][j]; } }",
      0, "a later iteration uses 'C' in a part before this one" },
    { "void f(int m, int n, double A[m][m], double B[m][n]) { for (int i = 0; i < m; i++)"
      " for (int j = 0; j < n; j++) { for (int k = i + 1; k < m; k++)"
      " B[i][j] += A[k][i] * B[k][j]; B[i][j] = 2 * B[i][j]; } }",
      0, "" },
    { "void f(int m, int n, double A[m][m], double B[m][n]) { for (int i = m - 1; i >= 0; i--)"
      " for (int j = 0; j < n; j++) { for (int k = i + 1; k < m; k++)"
      " B[i][j] += A[k][i] * B[k][j]; B[i][j] = 2 * B[i][j]; } }",
      0, "a later iteration uses 'B' in a part before this one" },
    // the outer loop cannot be divided, the inner one can
    { "void f(int n, double A[n][n], double R[n][n]) { for (int k = 0; k < n; k++)"
      " for (int j = k + 1; j < n; j++) { R[k][j] = 0;"
      " for (int i = 0; i < n; i++) R[k][j] += A[i][k] * A[i][j];"
      " for (int i = 0; i < n; i++) A[i][j] -= A[i][k] * R[k][j]; } }",
      0, "a later iteration uses 'A' in a part before this one" },
    { "void f(int n, double A[n][n], double R[n][n]) { for (int k = 0; k < n; k++)"
      " for (int j = k + 1; j < n; j++) { R[k][j] = 0;"
      " for (int i = 0; i < n; i++) R[k][j] += A[i][k] * A[i][j];"
      " for (int i = 0; i < n; i++) A[i][j] -= A[i][k] * R[k][j]; } }",
      1, "" },
    // sums of one operation may run in any order
    { "void f(int n, double *a, double A[n][n]) { for (int i = 0; i < n; i++) {"
      " for (int j = 0; j < n; j++) a[j] += A[i][j]; a[i] += 1; } }",
      0, "" },
    // variables
    { "void f(int n, double *a, double A[n][n]) { double s; for (int i = 0; i < n; i++) {"
      " s = 0; for (int j = 0; j < n; j++) s += A[i][j]; a[i] = s; } }",
      0, "several parts use 's', which is set in each iteration" },
    { "double f(int n, double *a, double A[n][n]) { double s = 0; for (int i = 0; i < n; i++) {"
      " for (int j = 0; j < n; j++) s += A[i][j]; a[i] = 1; } return s; }",
      0, "" },
    { "void f(int n, double *a, double A[n][n]) { int j; for (int i = 0; i < n; i++) {"
      " for (j = 0; j < n; j++) a[i] += A[i][j]; for (j = 0; j < n; j++) A[i][j] = 0; } }",
      0, "" },
    { "int f(int n, double *a, double A[n][n]) { int j = 0; for (int i = 0; i < n; i++) {"
      " for (j = 0; j < n; j++) a[i] += A[i][j]; for (j = 0; j < i; j++) A[i][j] = 0; } return j; }",
      0, "several parts use 'j', which is set in each iteration" },
    { "void f(int n, double *a, double A[n][n]) { double s = 1; for (int i = 0; i < n; i++) {"
      " for (int j = 0; j < n; j++) { double s = A[i][j]; a[i] += s; } s = 2 * s; } }",
      0, "" },
    // what is not understood
    { "void f(int n, const int *at, double *a) { for (int i = 0; i < n; i++) {"
      " a[at[i]] = 0; for (int j = 0; j < n; j++) a[i] += j; } }",
      0, "a subscript is not affine in loops and arguments" },
    { "void g(double *); void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) {"
      " g(a); for (int j = 0; j < n; j++) b[i] += j; } }",
      0, "it is not known what this call does" },
    { "void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) {"
      " if (a[i] > 0) break; for (int j = 0; j < n; j++) b[i] += j; } }",
      0, "this leaves out what follows" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *got = fission_text(cases[i].text, cases[i].from);
    if (strcmp(got, cases[i].expected) != 0)
      print_error("%s\n", cases[i].text);
    assert_string_equal(got, cases[i].expected);
  }
}

// ---- against enumeration --------------------------------------------------------------

static unsigned seed = 1;
static int pick(int low, int high) {
  seed = seed * 1664525u + 1013904223u;
  return low + (int)((seed >> 16) % (unsigned)(high - low + 1));
}

// Loops of i, from 1 to N - 1, and of j, from SLOPE * i + 1 to N - 1. A part before
// another one uses A[r.i * i + r.j * j + r.c][c.i * i + c.j * j + c.c] with the first of
// each, and the other part with the second.
struct random_case {
  struct form {
    int i, j, c;
  } row[2], column[2];
  int slope;
  bool down; // the outer loop
};

static int form_at(struct form f, int i, int j) {
  return f.i * i + f.j * j + f.c;
}

static const char *form_text(struct form f) {
  return arena_printf("%d * i + %d * j + %d", f.i, f.j, f.c);
}

static struct form form_random(bool row) {
  return pick(0, 2) ? (struct form){ row, !row, pick(-1, 1) }
                    : (struct form){ pick(-1, 1), pick(-1, 1), pick(-2, 2) };
}

// True if the second part uses an element in an iteration before the one in which the
// first part uses it.
static bool goes_back(const struct random_case *c, int n) {
  int list[100][2];
  unsigned count = 0;
  for (int i = 1; i < n; i++)
    for (int j = c->slope * (c->down ? n - i : i) + 1; j < n; j++) {
      list[count][0] = c->down ? n - i : i;
      list[count++][1] = j;
    }
  for (unsigned x = 0; x < count; x++)
    for (unsigned y = 0; y < x; y++)
      if (form_at(c->row[0], list[x][0], list[x][1]) ==
              form_at(c->row[1], list[y][0], list[y][1]) &&
          form_at(c->column[0], list[x][0], list[x][1]) ==
              form_at(c->column[1], list[y][0], list[y][1]))
        return true;
  return false;
}

static void test_against_enumeration(void **state) {
  unsigned legal = 0, missed = 0;
  (void)state;
  for (int round = 0; round < 400; round++) {
    struct random_case c = { .slope = pick(0, 1), .down = pick(0, 1) };
    for (int r = 0; r < 2; r++) {
      c.row[r] = form_random(true);
      c.column[r] = form_random(false);
    }
    bool writes_first = pick(0, 1);
    const char *first =
                   arena_printf("A[%s][%s]", form_text(c.row[0]), form_text(c.column[0])),
               *second =
                   arena_printf("A[%s][%s]", form_text(c.row[1]), form_text(c.column[1]));
    const char *text = arena_printf(
        "void f(int n, double A[n][n], double B[n][n], double C[n][n]) {"
        " for (int i = %s) for (int j = %d * i + 1; j < n; j++) {"
        " %s = %s; for (int k = 0; k < n; k++) %s = %s; } }",
        c.down ? "n - 1; i > 0; i--" : "1; i < n; i++", c.slope,
        writes_first ? first : "B[i][j]", writes_first ? "1" : first,
        writes_first ? "B[i][j]" : second, writes_first ? second : "C[i][j]");
    bool fine = !*fission_text(text, 0), back = false;
    for (int n = 1; n <= 7; n++)
      back = back || goes_back(&c, n);
    if (fine && back)
      print_error("%s\n", text);
    assert_false(fine && back);
    legal += fine;
    missed += !fine && !back;
  }
  assert_true(legal > 100);
  assert_true(missed < 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fission),
    cmocka_unit_test(test_against_enumeration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
