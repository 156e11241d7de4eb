// SPDX-License-Identifier: Apache-2.0
// test_kernel.c: which kernels share their work with the threads of a caller's region,
// and what translated files of earlier versions lack.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/kernel.h"

#define LOOP "for (int i = 0; i < n; i++) { x[i] = ')' + \"{\"[0]; /* { */ }\n"
static const struct {
  const char *text;
  bool cooperates;
} cases[] = {
  { "void k(int n) {\n" LOOP "}", false },
  { "#pragma omp for\n" LOOP, true },
  { "_Pragma(\"omp for\")\n" LOOP, true },
  { "# pragma omp barrier\n", true },
  { "#pragma omp single nowait\n;", true },
  { "#pragma omp simd\n" LOOP, false },
  { "#pragma omp atomic\nx[0]++;", false },
  { "x[omp_get_thread_num()]++;", true },
  { "pthread_barrier_wait(b);", true },
  { "extern int omp_get_thread_num(void);\nint k(void) { return 1; }", false },
  { "extern int\nomp_get_thread_num (void);\nint k(void) {\n return omp_get_thread_num(); }",
    true },
  { "int (*f)(void) = omp_get_num_threads;", true },
  { "#define ME omp_get_thread_num()\nvoid k(void) { x[ME]++; }", true },
  { "#define ME \\\n  omp_get_thread_num()\nvoid k(void) { x[ME]++; }", true },
  { "if (x) y(); else\n  omp_get_num_threads();", true },
  // Regions of the kernel's own.
  { "#pragma omp parallel for\n" LOOP, false },
  { "int omp_get_thread_num(void);\nvoid k(void) {\n#pragma omp parallel\n"
    "x[omp_get_thread_num()] = 1;\n}",
    false },
  { "#pragma omp parallel\n{\n#pragma omp for\n" LOOP "f(omp_get_thread_num());\n}\n",
    false },
  { "#pragma omp parallel\n#pragma omp for\n" LOOP, false },
  { "#pragma omp parallel \\\n  default(none)\n{\n#pragma omp barrier\n}\n", false },
  { "#pragma omp parallel\n  f(omp_get_thread_num()); // {\n", false },
  { "#pragma omp parallel\n{\n#line 7 \"{\"\n#pragma omp barrier\n}\n", false },
  { "#pragma omp parallel\n{\n#if A == 0\n f();\n#elif B\n{ }\n#else\n#if C\n#endif\n#endif\n"
    "#pragma omp barrier\n}\n",
    false },
  // Not in them.
  { "#pragma omp parallel for\n" LOOP "#pragma omp for\n" LOOP, true },
  { "#pragma omp parallel\n{\n#pragma omp for\n" LOOP "}\n#pragma omp single\n;", true },
  { "#pragma omp parallel\n  f();\ng(omp_get_num_threads());", true },
  { "#pragma omp parallel num_threads(omp_get_num_threads())\n{ f(); }", true },
  // It is not sure where they end.
  { "#pragma omp parallel\n{\n#if A\n{\n#else\n{\n#endif\n}\n}\n#pragma omp for\n" LOOP,
    true },
  { "#pragma omp parallel\n#if A\n f();\n#else\n g();\n#endif\n#pragma omp single\n;",
    true },
  { "#pragma omp parallel\n{\n#define B omp_get_thread_num()\n}\nx[B] = 1;", true },
  { "#pragma omp parallel\n{\n#pragma omp for\n" LOOP, true },
  { "#pragma omp parallel", false },
};

static void test_cooperates(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct autotune_unit unit = { .text = cases[i].text };
    const struct autotune_kernel k = { .n_units = 1, .units = &unit };
    if (kernel_cooperates(&k) != cases[i].cooperates)
      fail_msg("case %zu: %s", i, cases[i].text);
  }
  assert_false(kernel_cooperates(&(struct autotune_kernel){ .n_units = 0 }));
}

static int overlap(void *const *args) {
  (void)args;
  return 0;
}

static void test_versions(void **state) {
  (void)state;
  struct autotune_kernel k = {
    .abi = AUTOTUNE_ABI, .size = sizeof k, .apart = overlap, .until_roof = 0.8
  };
  assert_int_equal(AUTOTUNE_ABI, 5);
  assert_true(kernel_is_known(&k));
  assert_false(kernel_is_apart(&k, NULL));
  assert_true(kernel_until_roof(&k) == 0.8);
  k.abi = 3;
  assert_true(kernel_is_known(&k));
  assert_false(kernel_is_apart(&k, NULL));
  k.abi = 2;
  k.size = offsetof(struct autotune_kernel, apart); // what comes after it is not K's
  assert_true(kernel_is_known(&k));
  assert_true(kernel_is_apart(&k, NULL));
  assert_true(kernel_until_roof(&k) == 0);
  k.size = 0; // of the first translators with this ABI
  assert_true(kernel_is_apart(&k, NULL));
  for (unsigned i = 0; i < 2; i++) {
    k.abi = i ? AUTOTUNE_ABI + 1 : 1;
    assert_false(kernel_is_known(&k));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_cooperates),
                                      cmocka_unit_test(test_versions) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
