// SPDX-License-Identifier: Apache-2.0
// Texts that may add in another order, and texts that cannot.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tune/tune.h"

#define FOR(i) "for (int " #i " = 0; " #i " < n; " #i "++) "

static const struct {
  const char *body;
  bool sums;
} cases[] = {
  { FOR(i) "r[i] = t[i] + 1;", false },
  { "for (int i = 0; i < n; i += 2) r[i] = t[i];", false },
  { "for (int i = 0; i < n; i = i + 2) { r[i] = t[i]; }", false },
  { "int k = 0; " FOR(i) "if (t[i] > 0) k += 2; r[0] = k;", false },
  { "double k = 0; " FOR(i) "k += t[i]; r[0] = k;", true },
  { "double k = 0; " FOR(i) "k = k + t[i]; r[0] = k;", true },
  { FOR(i) "r[i] += 1e-5f * r[i - 1];", false },
  { FOR(i) "{ float c = 2; r[i] = r[i] + c * t[i]; }", false },
  { "\n#pragma omp for\n" FOR(i) "r[i] -= t[i];", false },
  { FOR(i) FOR(j) "r[i] += t[j];", true },
  { FOR(i) FOR(j) "r[i][j] += t[j];", false },
  { FOR(i) "{ r[i] *= 2; }", false },
  { FOR(i) "r[to[i]] += t[i];", true },
  { FOR(i) "r[i / 2] += t[i];", true },
  { FOR(i) "r[i + 1] += t[i];", true },
  { FOR(i) "*r += t[i];", true },
  { "while (n > 0) { n--; r[n] += t[n]; }", true },
  { "\n#if AUTOTUNE_P0 == 0\n" FOR(i) "r[i] += t[i];"
                                      "\n#elif AUTOTUNE_P0 == 1\n" FOR(
                                          k) "{ int i = n - k; r[i] += t[i]; }\n#endif\n",
    false },
  { "r[0] += t[0];", true },
  { "float s = 0; for (int i = 0; i < n; s += t[i], i++) ; r[0] = s;", true },
  { FOR(i) "if (i > 2) r[i] += t[i]; else r[i] -= t[i];", false },
  { FOR(i) "r[i] = t[i] == 2 ? t[i] <= 3 : t[i] != 4;", false },
  { "for_each(n, [&](int k) { for (int i = 0; i < n; i++) r[i] += t[i]; });", true },
};

static void test_sums(void **state) {
  (void)state;
  char text[512];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(text, sizeof text,
             "# 1 \"k.c\"\nstruct s { int x; };\nstatic float w[2] = { 1, 2 };\n"
             "void f(int n, const float *t, float *r) { %s }\n",
             cases[i].body);
    if (sums_reorder(text, "f") != cases[i].sums)
      fail_msg("%s: %s", cases[i].body, cases[i].sums ? "no sum" : "a sum");
    if (cases[i].sums && !sums_reorder(text, "g"))
      fail_msg("%s: a sum in one function, and none in another", cases[i].body);
  }
  // Another function may be called in a loop.
  assert_true(sums_reorder("void g(int n, float *r) { " FOR(i) "r[i] += 1; }", "f"));
  // What the translator writes at the head of a kernel.
  static const char head[] = "void f(int n, float *r)\n{ AUTOTUNE_ASSUME_0(n) { "
                             "AUTOTUNE_CONSTANT_0(n) AUTOTUNE_EXISTS(r, n)\n";
  char whole[256];
  snprintf(whole, sizeof whole, "%s" FOR(i) "r[i] += 1; }}", head);
  assert_false(sums_reorder(whole, "f"));
  snprintf(whole, sizeof whole, "%s" FOR(i) "r[0] += r[i]; }}", head);
  assert_true(sums_reorder(whole, "f"));
  assert_false(sums_reorder("", "f"));
  assert_true(sums_reorder("void f(float *r) { r[0] += 1", "f"));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
