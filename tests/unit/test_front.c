// SPDX-License-Identifier: Apache-2.0
// pragma.c to kernel.c: the contents of the structures that later passes rely on.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "autotune_abi.h"
#include "front/lang/language.h"
#include "front/reach/cut.h"

static struct source *source;

// Returns the kernel of TEXT, which must have exactly one, and no errors.
static struct kernel *kernel_of(const char *text) {
  unsigned n, n_kernels;
  diag_reset();
  source = source_of("test.c", text, strlen(text));
  struct pragma *pragmas = pragma_all(source, &n);
  source_parse(source, &language_c);
  struct kernel *k = kernel_all(source, pragmas, n, &n_kernels);
  assert_int_equal(diag_errors(), 0);
  assert_int_equal(n_kernels, 1);
  return k;
}

static int clean(void **state) {
  (void)state;
  source = NULL;
  arena_reset();
  return 0;
}

static void headers_of_functions(void **state) {
  (void)state;
  static const struct {
    const char *header, *name, *result;
    unsigned n_args;
    const char *arg, *specifiers; // of the last kernel
    bool pointer, integer, real, is_static;
  } cases[] = {
    { "void f(void)", "f", "void", 0, NULL, NULL, false, false, false, false },
    { "static inline int f(const unsigned long n)", "f", "int", 1, "n",
      "const unsigned long", false, true, false, true },
    { "EXPORT void f(int n, const double *RESTRICT a)", "f", "void", 2, "a",
      "const double", true, false, false, false },
    { "EXPORT size_t f(float x)", "f", "size_t", 1, "x", "float", false, false, true,
      false },
    { "__attribute__((hot)) static struct p *f(struct p q)", "f", "struct p *", 1, "q",
      "struct p", false, false, false, true },
    { "const real *const f(int n, real A[n][n])", "f", "const real * const", 2, "A",
      "real", true, false, false, false },
    { "void f(int (*callback)(int x, int y))", "f", "void", 1, "callback", "int", true,
      false, false, false },
    { "void f(double (*rows)[4], __attribute__((unused)) enum e kind)", "f", "void", 2,
      "kind", "__attribute__((unused)) enum e", false, true, false, false },
    { "unsigned long long int\nf(long double x)", "f", "unsigned long long int", 1, "x",
      "long double", false, false, true, false },
    { "[[gnu::hot]] __typeof__(int (*)[2]) f(typeof(1.0) x)", "f",
      "__typeof__(int (*)[2])", 1, "x", "typeof(1.0)", false, false, false, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kernel *k =
        kernel_of(arena_printf("#pragma autotune kernel\n%s\n{\n}\n", cases[i].header));
    assert_string_equal(k->main.name, cases[i].name);
    assert_int_equal(memcmp(source->text + k->main.name_at, cases[i].name, 1), 0);
    assert_int_equal(source->text[k->main.body_at], '{');
    assert_int_equal(source->text[k->main.end - 1], '}');
    assert_true(slice_is(k->result, cases[i].result));
    assert_int_equal(k->returns, strcmp(cases[i].result, "void") != 0);
    assert_int_equal(k->is_static, cases[i].is_static);
    assert_int_equal(k->n_args, cases[i].n_args);
    if (cases[i].n_args) {
      const struct kernel_arg *a = &k->args[k->n_args - 1];
      assert_string_equal(a->name, cases[i].arg);
      assert_true(slice_is(a->specifiers, cases[i].specifiers));
      assert_int_equal(a->pointer, cases[i].pointer);
      assert_int_equal(a->integer, cases[i].integer);
      assert_int_equal(a->real, cases[i].real);
    }
    clean(NULL);
  }
}

static void params(void **state) {
  (void)state;
  struct kernel *k =
      kernel_of("#define A (4) // four\n#define B slow\n#define E 3\n"
                "#pragma autotune kernel param(A: 2, 0x4) param(B: fast, slow) "
                "param(C = .5: 1, .5f) param(D: other, slow) param(E: 1, 2)\n"
                "void f(void) { g(A, B, C, D, E); }\n");
  long long number;
  assert_int_equal(k->n_params, 5);
  assert_int_equal(k->params[0].original, 1);
  assert_true(k->params[0].defined);
  assert_string_equal(k->params[0].values[1].define, "0x4");
  assert_int_equal(k->params[0].values[1].i, 4);
  assert_int_equal(k->params[1].original, 1);
  assert_int_equal(k->params[2].kind, VALUE_REAL);
  assert_int_equal(k->params[2].original, 1);
  assert_false(k->params[2].defined);
  assert_int_equal(k->params[4].original, 2); // 3 is no candidate
  // `slow` has the same number in each parameter.
  assert_int_equal(k->params[1].values[1].i, k->params[3].values[1].i);
  assert_int_not_equal(k->params[1].values[0].i, k->params[3].values[0].i);
  assert_true(kernel_word(k, slice_of("other"), &number));
  assert_int_equal(number, k->params[3].values[0].i);
  assert_false(kernel_word(k, slice_of("A"), &number));
  assert_int_equal(kernel_param(k, slice_of("E")), 4);
  assert_int_equal(kernel_param(k, slice_of("F")), -1);
}

static void sections(void **state) {
  (void)state;
  struct kernel *k =
      kernel_of("struct s { int n; double *d; };\nextern int count;\n"
                "#pragma autotune kernel in(v->d[:v->n], A[1:n][c ? 0 : 1:m]) "
                "out(B[n-1]) inout(count, *p)\n"
                "void f(int n, int m, int c, struct s *v, double A[n][m], double *B, "
                "int *p) { count++; }\n");
  assert_int_equal(k->n_sections, 5);
  assert_string_equal(k->sections[0].name, "v->d[:v->n]");
  assert_true(slice_is(k->sections[0].base, "v->d"));
  assert_int_equal(k->sections[0].dims[0].low.size, 0);
  assert_true(slice_is(k->sections[0].dims[0].length, "v->n"));
  assert_int_equal(k->sections[1].n_dims, 2);
  assert_true(slice_is(k->sections[1].dims[1].low, "c ? 0 : 1"));
  assert_true(slice_is(k->sections[1].dims[1].length, "m"));
  assert_int_equal(k->sections[2].access, AUTOTUNE_OUT);
  assert_true(slice_is(k->sections[2].dims[0].low, "n-1"));
  assert_int_equal(k->sections[2].dims[0].length.size, 0);
  assert_int_equal(k->sections[3].n_dims, 0);
  assert_true(slice_is(k->sections[4].base, "*p"));
}

static void directives(void **state) {
  (void)state;
  struct kernel *k = kernel_of("#pragma autotune kernel param(T: 8, 16)\n"
                               "void f(int n, double *a)\n{\n"
                               "  #pragma autotune parallel for schedule(monotonic: "
                               "{static, dynamic}, T) optional\n"
                               "  for (int i = 0; i < n; i++)\n    a[i] = 0;\n}\n");
  assert_int_equal(k->main.n_directives, 1);
  const struct loop_directive *d = &k->main.directives[0];
  assert_int_equal(d->kind, DIR_PARALLEL_FOR);
  assert_true(d->present >= 0);
  assert_string_equal(k->params[d->present].values[0].text, "no");
  assert_int_equal(d->n_clauses, 1);
  assert_true(slice_is(d->clauses[0].args[0].label, "monotonic"));
  const struct param *set = &k->params[d->clauses[0].args[0].param];
  assert_string_equal(set->name, "schedule@4.1");
  assert_int_equal(set->when, d->present);
  assert_int_equal(set->original, set->n_values);
  assert_string_equal(k->params[d->clauses[0].args[1].param].name, "T");
  assert_string_equal(ts_node_type(d->loop), "for_statement");
  assert_true(k->openmp);
}

// Constraints over X in 1, 2, 4, 8, and how many values they leave.
static void constraints(void **state) {
  (void)state;
  static const struct {
    const char *text;
    unsigned allowed;
    bool depends;
  } cases[] = {
    { "X > 2", 2, false },
    { "X % 4 == 0 || X == 1", 3, false },
    { "!(X & 2)", 3, false },
    { "-X < ~2 + 1", 2, false },
    { "(X << 1) - X * 2 == 0", 4, false },
    { "X > 2 ? X < 8 : 0", 1, false },
    { "1 + 2 * X == 5", 1, false },
    { "8 / X - 3 > 0", 2, false },
    { "X ^ 1", 3, false },
    { "X > 2 && n > 1", 2, true },
    { "X > 2 || n > 1", 4, true },
    { "X > 2 && (X > 4 || n)", 2, true },
    { "X < sizeof(int) * n", 4, true },
    { "X / (X - 1) > 0", 4, true },
    { "(double)X / 3 > 2", 1, false },
    { "X * 0.5 >= 2", 2, false },
    { "X == wide", 1, false },
    { "g(X) && X < 4", 2, true },
    { "X < AUTOTUNE_L2", 4, true },
    { "(size_t)X > 0x2u", 2, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kernel *k = kernel_of(
        arena_printf("int g(int);\n#pragma autotune kernel param(X: 1..8 pow2) param(W: "
                     "wide) constraint(%s)\n"
                     "void f(int n) { g(X + W); }\n",
                     cases[i].text));
    struct point_count c = points_count(k);
    assert_int_equal(c.all, 4);
    assert_int_equal(c.allowed, cases[i].allowed);
    assert_int_equal(c.depends, cases[i].depends);
    clean(NULL);
  }
}

// Where each declaration of preprocessed C ends (`|`), and where a function's body
// begins.
static void declarations_of_c(void **state) {
  (void)state;
  static const char text[] =
      "struct s { int a; } v = { 1 }, w;"
      "static int f(struct s *p) { return p->a; }"
      "int (*g(void))(int) { return 0; }"
      "int h(x) int x; { return x; }"
      "__attribute__((aligned(8))) int a[] = {\n#pragma omp simd }\n1 }, class;"
      "int cut(void) { ";
  static const char expected[] =
      "struct s { int a; } v = { 1 }, w;|"
      "static int f(struct s *p) [{ return p->a; }|"
      "int (*g(void))(int) [{ return 0; }|"
      "int h(x) int x; [{ return x; }|"
      "__attribute__((aligned(8))) int a[] = {\n#pragma omp simd }\n1 }, class;|";
  struct cutter c = { .l = lexer_of(slice_of(text)) };
  struct text found = { 0 };
  for (struct token t; (t = lex(&c.l)).kind != TOKEN_END;) {
    struct item i = cut_declaration(&c, t);
    const char *body = i.body ? i.body : i.text.data + i.text.size;
    if (c.complete)
      text_printf(&found, "%.*s%s%.*s|", (int)(body - i.text.data), i.text.data,
                  i.body ? "[" : "", (int)(i.text.data + i.text.size - body), body);
  }
  assert_string_equal(found.data, expected);
}

static void declarations_of_cplusplus(void **state) {
  (void)state;
  static const struct {
    const char *text, *names; // of its first item
    bool function, type;
  } cases[] = {
    { "int a = f(1, 2), *b, c[2] = { 1, 2 };", "a b c", false, false },
    { "template <class T, int N = (1 > 0)> T f(T x) { return x; } int y;", "f", true,
      false },
    { "struct S : B { int a; int f() { return a; } };", "S", false, true },
    { "struct S;", "S", false, true },
    { "template <> struct S<float> { int a; };", "S", false, true },
    { "template <class T> void S<T>::run(int n) { }", "run S", true, false },
    { "S::S(int n) : a(n), b{ n } { f(); } int y;", "S S", true, false },
    { "enum E : int { A, B = f(1, 2), C };", "E A B C", false, true },
    { "typedef float (*function)(int, int);", "function", false, false },
    { "inline S operator+(S a, S b) { return a; }", "", true, false },
    { "MACRO(one)\n__global__ void k() { } int y;", "MACRO", true, false },
    { "static\n#if A\nint f(int a) {\n#else\nint f() {\n#endif\n} int y;", "f", true,
      false },
    { "#define X(a) a\nint y;", "X", false, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct items items =
        items_cut(source_of("a.cu", cases[i].text, strlen(cases[i].text)));
    struct text names = { 0 };
    text_add(&names, "", 0);
    for (unsigned n = 0; n < items.list[0].n_names; n++)
      text_printf(&names, "%s%.*s", n ? " " : "", (int)items.list[0].names[n].name.size,
                  items.list[0].names[n].name.data);
    assert_string_equal(names.data, cases[i].names);
    assert_int_equal(items.list[0].function, cases[i].function);
    assert_int_equal(items.list[0].type, cases[i].type);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(headers_of_functions, clean),
    cmocka_unit_test_teardown(params, clean),
    cmocka_unit_test_teardown(sections, clean),
    cmocka_unit_test_teardown(directives, clean),
    cmocka_unit_test_teardown(constraints, clean),
    cmocka_unit_test_teardown(declarations_of_c, clean),
    cmocka_unit_test_teardown(declarations_of_cplusplus, clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
