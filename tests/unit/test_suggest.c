// SPDX-License-Identifier: Apache-2.0
// test_suggest.c: tests what is proven of loops and arrays: compares it with an
// enumeration of all iterations, and as the text that people read.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model_fixture.h"

// ---- sections -----------------------------------------------------------------------

static const char *sections_text(const char *text) {
  static const char *const access[] = { "", "in", "out", "inout" };
  struct sections found = sections_infer(model_of(text), true);
  struct text out = { 0 };
  if (found.why)
    return found.why;
  for (unsigned i = 0; i < found.n; i++)
    text_printf(&out, "%s%s(%s)", i ? " " : "", access[found.list[i].access],
                found.list[i].name);
  return out.size ? out.data : "";
}

static const struct {
  const char *text, *expected;
} section_cases[] = {
  { "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }",
    "out(x[0:n > 0 ? n : 0])" },
  { "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 2; }",
    "inout(x[0:n > 0 ? n : 0])" },
  { "void f(long n, const double *x, double *y) { for (long i = n - 1; i >= 0; --i) y[i] = x[i]; }",
    "in(x[0:n > 0 ? n : 0]) inout(y[0:n > 0 ? n : 0])" },
  { "void f(int n, int m, double A[n][m]) { for (int i = 0; i < n; i++)"
    " for (int j = 0; j < m; j++) A[i][j] = i; }",
    "out(A[0:m > 0 && n > 0 ? n : 0][0:m])" },
  { "void f(int n, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
    " a[i * n + j] = 0; }",
    "out(a[0:n > 0 ? (long long)n * n : 0])" },
  { "void f(int n, double *a) { for (int i = 1; i < n; i++) for (int j = 0; j < n; j++)"
    " for (int k = 0; k < n; k++) a[(i * n + j) * n + k] = a[((i - 1) * n + j) * n + k]; }",
    "inout(a[0:n >= 2 ? (long long)n * n * n : 0])" },
  { "void f(int n, double A[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {"
    " for (int k = i + 1; k < n; k++) A[i][j] += A[k][j]; A[i][j] *= 2; } }",
    "inout(A[0:n > 0 ? n : 0][0:n])" },
  // the diagonal is not all of it
  { "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i * n + i] = 0; }",
    "inout(a[0:n > 0 ? (long long)n * n : 0])" },
  // a variable that is assigned once in its iteration, before it is used
  { "void f(int n, double *x) { int k; for (int j = 0; j < n; j++) for (int i = 0; i < n; i++)"
    " { k = i + n * j; x[k] = 1; } }",
    "out(x[0:n > 0 ? (long long)n * n : 0])" },
  { "void f(int n, double *x) { int k = 0; for (int i = 0; i < n; i++) { x[k] = 1; k = i; } }",
    "a subscript is not affine in loops and arguments" },
  { "void f(int n, double *x) { int k = 0; for (int i = 0; i < n; i++) { if (i > 3) k = i;"
    " x[k] = 1; } }",
    "a subscript is not affine in loops and arguments" },
  { "void f(int n, double *x) { int k, m = 1; for (int i = 0; i < n; i++) { k = i + m; m++;"
    " x[k] = 1; } }",
    "a subscript is not affine in loops and arguments" },
  // a stencil reads as far as its neighbours
  { "void f(int n, const double *x, double *y) { for (int i = 1; i < n - 1; i++)"
    " y[i] = x[i - 1] + x[i] + x[i + 1]; }",
    "in(x[0:n >= 3 ? n : 0]) inout(y[0:n >= 3 ? (long long)n - 1 : 0])" },
  { "void f(int n, const double *x, double *y) { y[0] = 0; for (int i = 1; i < n; i++)"
    " y[i] = y[i - 1] + x[i]; }",
    "in(x[0:n >= 2 ? n : 0]) inout(y[0:n >= 2 ? n : 1])" },
  // what only an if reaches lies within what is reached anyway
  { "void f(int n, double *x) { for (int i = 0; i < n; i++) { x[i] = 0; if (i > 3) x[i] = 1; } }",
    "out(x[0:n > 0 ? n : 0])" },
  { "void f(int n, double *x) { for (int i = 0; i < n; i++) if (x[0] > i) x[i] = 1; }",
    "it cannot be told which of its elements is the last" },
  { "void f(int n, double *x) { for (int i = 0; i < n; i++) { if (n > 9) break; x[i] = 1; } }",
    "it cannot be told which of its elements is the last" },
  { "void f(int n, const int *at, double *x) { for (int i = 0; i < n; i++) x[at[i]] = 1; }",
    "a subscript is not affine in loops and arguments" },
  { "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i - 1] = 1; }",
    "it cannot be proven that the first subscript is not negative" },
  { "void g(double *); void f(int n, double *x) { g(x); for (int i = 0; i < n; i++) x[i] = 1; }",
    "it is not known what this call does" },
  { "void f(int n, double *x) { double *y = x; for (int i = 0; i < n; i++) y[i] = 1; }",
    "what this points to is not followed" },
  { "void f(int n, double *x) { x++; for (int i = 0; i < n; i++) x[i] = 1; }",
    "it is changed itself" },
  { "void f(int n, double *x) { for (int i = 0; i < n; i++) { x[i] = 1; n--; } }",
    "a subscript is not affine in loops and arguments" },
  { "void f(unsigned n, double *x) { for (unsigned i = 0; i < n - 1; i++) x[i] = 1; }",
    "a subscript is not affine in loops and arguments" },
  { "static double g[8]; void f(int n) { for (int i = 0; i < n; i++) g[i] += 1; }",
    "inout(g[0:sizeof g / sizeof *g])" },
  { "int k; void f(int n, double *x) { for (int i = 0; i < n; i++) { x[i] = 1; k = i; } }",
    "a variable of the file is assigned here" },
  { "void f(int n, double **x) { for (int i = 0; i < n; i++) x[i][0] = 1; }",
    "it points to pointers" },
  { "void f(int n, double *x) { static const int k = 1; for (int i = 0; i < n; i++) x[i] = k; }",
    "out(x[0:n > 0 ? n : 0])" },
  { "void f(int n, double *x) { for (int i = 0; i < n; i += 2) x[i] = 1; }",
    "it cannot be told which element is the last" },
  // what is written of a row only where an outer loop lets it be
  { "void f(int n, double *x) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) x[i] = 1; }",
    "inout(x[0:n >= 2 ? n : 0])" },
  { "void f(int n, int m, double *x) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
    " x[i] = 1; for (int i = 3; i < n; i++) x[i] = 2; }",
    "inout(x[0:m > 0 && n > 0 ? n : n >= 4 ? n : 0])" },
  { "struct p { int a, b; }; void f(int n, struct p *x) { for (int i = 0; i < n; i++) x[i].a = 1; }",
    "inout(x[0:n > 0 ? n : 0])" },
  // beyond the end of a row is another one
  { "void f(int n, int m, double A[n][m]) { for (int i = 0; i < n * m; i++) A[0][i] = 1; }",
    "it cannot be proven that the subscripts stay within a row" },
  { "void f(int n, double A[n][8]) { for (int i = 1; i < n; i++) for (int j = 0; j < 8; j++)"
    " A[i][j - 1] = 1; }",
    "it cannot be proven that the subscripts stay within a row" },
  // -3 < 2u does not hold
  { "void f(unsigned n, double *x) { for (int i = -3; i < n; i++) x[i + 3] = 1; }",
    "a subscript is not affine in loops and arguments" },
  { "void f(size_t n, double *x) { for (size_t i = n; i > 0; i--) x[i - 1] = 1; }",
    "inout(x[0:n > 0 ? n : 0])" },
  { "void f(unsigned n, double *x) { for (unsigned i = 0; i < n; i++) x[i + -1] = 1; }",
    "a subscript is not affine in loops and arguments" },
  // 300 is 44 in eight bits
  { "void f(int n, double *x) { for (uint8_t i = n; i < 100; i++) x[i] = 1; }",
    "a subscript is not affine in loops and arguments" },
  { "void f(int n, double *x) { short m = n; for (int i = 0; i < m; i++) x[i] = 1; }",
    "a subscript is not affine in loops and arguments" },
  // names that mean something else here, and what outlives a call
  { "static int m; void f(int n, double *x) { { int m = 3; x[m] = 1; } x[m] = 1; }",
    "a subscript is not affine in loops and arguments" },
  { "static double g[8]; void f(int n) { { double g[2]; g[0] = 1; } g[n] = 1; }",
    "it is not known what this points to" },
  { "typedef double *at; static double x[8]; void f(int n, at x) { x[n] = 1; }",
    "it is not known what this points to" },
  { "void f(int n, double *x) { static int calls; calls++; for (int i = 0; i < n; i++) x[i] = 1; }",
    "this outlives the call" },
};

static void test_sections(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof section_cases / sizeof *section_cases; i++) {
    const char *got = sections_text(section_cases[i].text);
    if (strcmp(got, section_cases[i].expected) != 0)
      print_error("%s\n", section_cases[i].text);
    assert_string_equal(got, section_cases[i].expected);
  }
}

// ---- vectors ------------------------------------------------------------------------

// Returns the vectors of the loop nest that begins with the first loop.
static struct vectors vectors_of(struct model *m, struct iter **chain, unsigned *n) {
  TSNode loop = m->n_iters ? m->iters[0]->node : (TSNode){ 0 };
  *n = 0;
  while (!ts_node_is_null(loop) && model_iter(m, loop)) {
    chain[(*n)++] = model_iter(m, loop);
    loop = nest_inner(&m->u, loop);
  }
  assert_true(*n > 0);
  return depend(m, chain, *n);
}

static const char *vectors_text(const char *text) {
  struct iter *chain[MAX_LEVELS];
  unsigned n;
  struct vectors v = vectors_of(model_of(text), chain, &n);
  struct text out = { 0 };
  if (v.why)
    return v.why;
  for (unsigned i = 0; i < v.n; i++)
    for (unsigned j = 0; j <= n; j++)
      text_printf(&out, "%c", j == n ? ' ' : "<=>"[1 - v.list[i].at[j]]);
  return out.size ? out.data : "";
}

static void test_vectors(void **state) {
  static const struct {
    const char *text, *expected;
  } cases[] = {
    { "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] += 1; }", "" },
    { "void f(int n, double *x) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }",
      "< " },
    { "void f(int n, double *x) { for (int i = 0; i < n; i++) x[2 * i] = x[2 * i + 1]; }",
      "" },
    { "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = x[i + n]; }", "" },
    { "void f(int n, double *c, double *a, double *b) { for (int i = 0; i < n; i++)"
      " for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)"
      " c[i * n + j] += a[i * n + k] * b[k * n + j]; }",
      "==< " },
    { "void f(int n, double A[n][n]) { for (int i = 1; i < n; i++) for (int j = 0; j < n - 1; j++)"
      " A[i][j] = A[i - 1][j + 1]; }",
      "<> " },
    { "void f(int n, double A[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++)"
      " A[i][j] = A[j][i]; }",
      "" },
    { "void f(int n, double A[n][n]) { for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++)"
      " for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j]; }",
      "<== <=< <<= " },
    // tiles of j go from large values to small ones, wherever j begins
    { "void f(int n, double A[n][n]) { for (int i = 1; i < n; i++) for (int j = i; j > 0; j--)"
      " A[j + i][j + 1] = A[j][j]; }",
      "<> " },
    { "void f(int n, const int *at, double *x) { for (int i = 0; i < n; i++) x[at[i]] += 1; }",
      "a subscript is not affine in loops and arguments" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *got = vectors_text(cases[i].text);
    if (strcmp(got, cases[i].expected) != 0)
      print_error("%s\n", cases[i].text);
    assert_string_equal(got, cases[i].expected);
  }
}

// ---- vectors against enumeration ----------------------------------------------------

static unsigned seed = 1;
static int pick(int low, int high) {
  seed = seed * 1664525u + 1013904223u;
  return low + (int)((seed >> 16) % (unsigned)(high - low + 1));
}

struct form {
  int i, j, c;
}; // i * I + j * J + c
static struct form random_form(void) {
  return (struct form){ pick(-1, 2), pick(-1, 2), pick(-3, 3) };
}
static int at(struct form f, int i, int j) {
  return f.i * i + f.j * j + f.c;
}
static const char *form_text(struct form f) {
  return arena_printf("%d * i + %d * j + %d", f.i, f.j, f.c);
}

struct nest_case {
  struct form row[2], column[2];
  int low, slope, from;
  bool linear;
};

// Returns the element that reference R of C uses in iteration (I, J).
static void element(const struct nest_case *c, int r, int i, int j, int n, int out[2]) {
  int row = at(c->row[r], i, j), column = at(c->column[r], i, j);
  out[0] = c->linear ? row * n + column : row;
  out[1] = c->linear ? 0 : column;
}

static bool listed(const struct vectors *v, int i, int j) {
  for (unsigned k = 0; k < v->n; k++)
    if (v->list[k].at[0] == i && v->list[k].at[1] == j)
      return true;
  return false;
}

static int sign(int x) {
  return (x > 0) - (x < 0);
}

// Lists all iterations of both loops in order: of i, and of j from SLOPE * i + FROM to N
// - 1.
static unsigned enumerate(const struct nest_case *c, int n, int (*list)[2]) {
  unsigned count = 0;
  for (int i = c->low; i < n; i++)
    for (int j = c->slope * i + c->from; j < n; j++) {
      list[count][0] = i;
      list[count++][1] = j;
    }
  return count;
}

static void check_case(const struct nest_case *c, const struct vectors *v,
                       const char *text, int n) {
  int list[400][2];
  unsigned count = enumerate(c, n, list);
  for (unsigned x = 0; x < count; x++)
    for (unsigned y = x + 1; y < count; y++)
      for (int r = 0; r < 3; r++) { // write and write, write and read, read and write
        int first[2], second[2];
        element(c, r == 2, list[x][0], list[x][1], n, first);
        element(c, r == 1, list[y][0], list[y][1], n, second);
        if (first[0] != second[0] || first[1] != second[1])
          continue;
        int i = sign(list[y][0] - list[x][0]), j = sign(list[y][1] - list[x][1]);
        if (!listed(v, i, j))
          print_error("n = %d, (%d,%d) and (%d,%d): %s\n", n, list[x][0], list[x][1],
                      list[y][0], list[y][1], text);
        assert_true(listed(v, i, j));
      }
}

static void test_against_enumeration(void **state) {
  unsigned exact = 0, empty = 0;
  (void)state;
  for (int round = 0; round < 600; round++) {
    struct nest_case c = {
      .low = pick(0, 2), .slope = pick(0, 1), .from = pick(0, 2), .linear = pick(0, 1)
    };
    for (int r = 0; r < 2; r++) {
      bool plain = pick(0, 2) > 0; // subscripts as people write them
      c.row[r] = plain ? (struct form){ 1, 0, pick(-1, 1) } : random_form();
      c.column[r] = plain ? (struct form){ 0, 1, pick(-1, 1) } : random_form();
    }
    const char *open = c.linear ? "(" : "", *middle = c.linear ? ") * n + (" : "][";
    const char *text = arena_printf(
        "void f(int n, %s) { for (int i = %d; i < n; i++) for (int j = %d * i + %d; j < n; j++)"
        " A[%s%s%s%s%s] = A[%s%s%s%s%s]; }",
        c.linear ? "double *A" : "double A[n][n]", c.low, c.slope, c.from, open,
        form_text(c.row[0]), middle, form_text(c.column[0]), c.linear ? ")" : "", open,
        form_text(c.row[1]), middle, form_text(c.column[1]), c.linear ? ")" : "");
    struct iter *chain[MAX_LEVELS];
    unsigned n;
    struct vectors v = vectors_of(model_of(text), chain, &n);
    assert_int_equal(n, 2);
    assert_null(v.why);
    exact += v.n < 4;
    empty += v.n == 0;
    for (int size = 1; size <= 7; size += 2)
      check_case(&c, &v, text, size);
  }
  assert_true(exact > 100); // some pairs are proven independent
  assert_true(empty > 10);
}

// ---- systems ------------------------------------------------------------------------

static void test_systems(void **state) {
  struct system s = { 0 };
  struct poly x = poly_atom(0), y = poly_atom(1);
  (void)state;
  system_add(&s, poly_add(x, poly_int(3), -1), false); // x >= 3
  system_add(&s, poly_add(poly_int(5), x, -1), false); // x <= 5
  assert_true(system_feasible(&s));
  assert_true(system_implies(&s, poly_add(x, poly_int(2), -1)));
  assert_false(system_implies(&s, poly_add(x, poly_int(4), -1)));
  system_add(&s, poly_add(poly_add(x, y, 2), poly_int(8), -1),
             true); // x + 2 y == 8: x is 4
  assert_true(system_implies(&s, poly_add(x, poly_int(4), -1)));
  system_add(&s, poly_add(y, poly_int(3), -1), false); // y >= 3
  assert_false(system_feasible(&s));
  assert_false(system_implies(&(struct system){ 0 }, poly_unknown));
}

static void test_polynomials(void **state) {
  struct poly n = poly_atom(0), i = poly_atom(1), j = poly_atom(2), rest;
  struct poly p =
      poly_add(poly_mul(poly_add(i, poly_int(1), -1), n), j, 1); // (i - 1) * n + j
  (void)state;
  assert_true(poly_same(poly_coefficient(p, 1, &rest), n));
  assert_true(poly_same(rest, poly_add(j, n, -1)));
  assert_true(poly_same(poly_divide(p, n, &rest), poly_add(i, poly_int(1), -1)));
  assert_true(poly_same(rest, j));
  assert_true(poly_same(poly_replace(p, 1, poly_int(1)), j));
  struct poly big = poly_int(INT64_MAX);
  assert_false(poly_add(big, poly_int(1), 1).known);
  assert_false(poly_mul(big, poly_int(2)).known);
  for (int k = 0; k < 4; k++)
    n = poly_mul(n, n);
  assert_false(n.known); // 16 factors
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_polynomials), cmocka_unit_test(test_systems),
    cmocka_unit_test(test_vectors),     cmocka_unit_test(test_against_enumeration),
    cmocka_unit_test(test_sections),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
