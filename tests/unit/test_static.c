/* SPDX-License-Identifier: Apache-2.0 */
/* Features of machine code: kernels whose code is known, from both compilers. */
#include <elf.h>
#include <math.h>

#include "compile/assembly.h"
#include "compile/static.h"
#include "jit_fixture.h"
#include "model/space.h"

/* ---- reading code ---------------------------------------------------------------- */

static struct features features_of_object(struct object o) {
  struct jit_instruction *code = NULL;
  char *message = NULL;
  struct features f;
  size_t n = 0;
  features_clear(&f);
  if (fixture_jit()->disassemble(o.data, o.size, &code, &n, &message) != 0)
    fail_msg("%s", message);
  assert_true(features_of_code(code, n, &f));
  free(code);
  object_free(&o);
  return f;
}

static struct features features_of(const char *compiler, const char *text,
                                   const char *flags) {
  return features_of_object(fixture_compile(compiler, text, flags));
}

/* Runs CHECK for each compiler that is installed. */
static void with_each(void (*check)(const char *compiler)) {
  static const char *const compilers[] = { "clang", "gcc" };
  for (int i = 0; i < 2; i++)
    if (fixture_have(compilers[i]))
      check(compilers[i]);
}

static void counts_in(const char *compiler) {
  struct features f = features_of(compiler,
                                  "long f(long n, long *a, long (*g)(long)) {\n"
                                  "  long s = 0;\n"
                                  "  for (long i = 0; i < n; i++)\n"
                                  "    for (long j = 0; j < n; j++)\n"
                                  "      for (long k = 0; k < n; k++)\n"
                                  "        s += g(a[i * n + j] * k);\n"
                                  "  return s; }\n",
                                  "-O1 -fno-inline");
  assert_int_equal(f.values[FEATURE_LOOPS], 3);
  assert_int_equal(f.values[FEATURE_DEPTH], 3);
  assert_int_equal(f.values[FEATURE_CALLS], 1);
  assert_int_equal(f.values[FEATURE_MAIN_FLOATS], 0);
  assert_true(f.values[FEATURE_BYTES] > f.values[FEATURE_INSTRUCTIONS]);
  assert_true(f.values[FEATURE_MAIN_SIZE] < f.values[FEATURE_INSTRUCTIONS]);
  assert_true(isnan(f.values[FEATURE_TILE_L2]));
}

static void loops_and_calls_are_counted(void **state) {
  (void)state;
  with_each(counts_in);
}

static void straight_in(const char *compiler) {
  struct features f =
      features_of(compiler, "double f(const double *a) { return a[0] * a[1] + a[2]; }\n",
                  "-O2 -ffp-contract=off");
  assert_int_equal(f.values[FEATURE_LOOPS], 0);
  assert_int_equal(f.values[FEATURE_MAIN_FLOATS], 2);
  assert_int_equal(f.values[FEATURE_MAIN_SIZE], f.values[FEATURE_INSTRUCTIONS]);
  assert_int_equal(f.values[FEATURE_MAIN_BITS], 0);
}

static void code_without_loops_is_its_own_main_loop(void **state) {
  (void)state;
  with_each(straight_in);
}

/* Two loops: the one that only copies is not the main one. */
static void main_in(const char *compiler) {
  struct features f = features_of(
      compiler,
      "void f(long n, double *a, const double *restrict b, double *restrict c) {\n"
      "  for (long i = 0; i < n; i++) c[i] = b[i];\n"
      "  for (long i = 0; i < n; i++)\n"
      "    for (long j = 0; j < n; j++) a[i] += b[j] * c[i + j]; }\n",
      "-O1 -fno-tree-loop-distribute-patterns -fno-builtin");
  assert_int_equal(f.values[FEATURE_MAIN_FLOATS], 2);
  assert_int_equal(f.values[FEATURE_DEPTH], 2);
}

static void the_main_loop_computes(void **state) {
  (void)state;
  with_each(main_in);
}

/* ---- vectors --------------------------------------------------------------------- */

#define AXPY                                                                \
  "void f(long n, float s, const float *restrict x, float *restrict y) {\n" \
  "  for (long i = 0; i < n; i++) y[i] += s * x[i]; }\n"

#if defined(__x86_64__)

static void widths_in(const char *compiler) {
  static const struct {
    const char *flags;
    int bits;
  } cases[] = {
    { "-O3 -fno-tree-vectorize -fno-vectorize -fno-slp-vectorize", 0 },
    { "-O3", 128 },
    { "-O3 -mavx2 -mfma", 256 },
    { "-O3 -mavx512f -mavx512vl -mprefer-vector-width=512", 512 },
  };
  bool gcc = strcmp(compiler, "gcc") == 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *flags = gcc && i == 0 ? "-O3 -fno-tree-vectorize" : cases[i].flags;
    struct features f = features_of(compiler, AXPY, flags);
    assert_int_equal(f.values[FEATURE_MAIN_BITS], cases[i].bits);
    assert_true((f.values[FEATURE_VECTOR_FRACTION] > 0) == (cases[i].bits > 0));
    assert_int_equal(f.values[FEATURE_MAIN_SPILLS], 0);
    if (i >= 2)
      assert_true(f.values[FEATURE_MAIN_FUSED] == 1);
  }
}

static void vectors_have_their_width(void **state) {
  (void)state;
  with_each(widths_in);
}

#endif

/* ---- spills ---------------------------------------------------------------------- */

/* SIZE × SIZE sums that live through the loop. */
static char *block_text(int size) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  fprintf(out,
          "void f(long n, const double *restrict a, const double *restrict b,\n"
          "       double *restrict c) {\n  double ");
  for (int i = 0; i < size * size; i++)
    fprintf(out, "%sc%d = 0", i ? ", " : "", i);
  fprintf(out, ";\n  for (long k = 0; k < n; k++) {\n");
  for (int i = 0; i < size * size; i++)
    fprintf(out, "    c%d += a[%d * n + k] * b[%d * n + k];\n", i, i / size, i % size);
  fprintf(out, "  }\n");
  for (int i = 0; i < size * size; i++)
    fprintf(out, "  c[%d] = c%d;\n", i, i);
  fprintf(out, "}\n");
  fclose(out);
  return text;
}

static void spills_in(const char *compiler) {
  static const int sizes[] = { 2, 8 }; /* 4 sums fit any register file, 64 none */
  for (int i = 0; i < 2; i++) {
    char *text = block_text(sizes[i]);
    bool gcc = strcmp(compiler, "gcc") == 0;
    struct features f =
        features_of(compiler, text,
                    gcc ? "-O2 -fno-tree-vectorize"
                        : "-O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops");
    assert_int_equal(f.values[FEATURE_LOOPS], 1);
    assert_true(f.values[FEATURE_MAIN_FLOATS] >= sizes[i] * sizes[i]);
    assert_true((f.values[FEATURE_MAIN_SPILLS] > 0) == (sizes[i] == 8));
    free(text);
  }
}

static void sums_without_registers_are_spills(void **state) {
  (void)state;
  with_each(spills_in);
}

/* Indexing an array of the frame, and rbp used as any other register, are no spills. */
static void frames_in(const char *compiler) {
  struct features f =
      features_of(compiler,
                  "void g(double *); double f(long n, const int *p, const double *x) {\n"
                  "  double t[64], s = 0; g(t);\n"
                  "  for (long i = 0; i < n; i++) s += t[p[i] & 63] * x[i];\n"
                  "  return s; }\n",
                  "-O1 -fomit-frame-pointer");
  assert_int_equal(f.values[FEATURE_MAIN_SPILLS], 0);
}

static void indexed_arrays_are_no_spills(void **state) {
  (void)state;
  with_each(frames_in);
}

/* ---- as text --------------------------------------------------------------------- */

/* The inner loop, and not the one that only copies; its lines are those of the source. */
static void text_in(const char *compiler) {
  static const char chosen[] =
      "of its 3 loops the innermost one with the most arithmetic, "
      "at depth 2: ";
  struct object o = fixture_compile(compiler,
                                    "#line 40 \"kernel.c\"\n"
                                    "void f(int n, float *a, float *b) {\n"
                                    "  for (int i = 0; i < n; i++)\n"
                                    "    a[i] = b[n - i];\n"
                                    "  for (int i = 0; i < n; i++)\n"
                                    "    for (int j = 0; j < n; j++)\n"
                                    "      a[j] = a[j] * b[i] + 1;\n"
                                    "}\n",
                                    "-O1 -g1");
  char *text = assembly_of_object(o.data, o.size, "folder/kernel.c");
  assert_memory_equal(text, chosen, sizeof chosen - 1);
  assert_true(assembly_has_code(text) && assembly_has_lines(text));
  assert_non_null(strstr(text, "\n45\t"));
  assert_null(strstr(text, "\n42\t"));
  assert_non_null(strstr(text, "\n\tL1:\n"));
#ifdef __x86_64__
  assert_non_null(strstr(text, "mulss"));
  assert_non_null(strstr(text, "addss"));
  assert_non_null(strstr(text, " L1\n")); /* the branch back */
#endif
  free(text);
  text = assembly_of_object(o.data, o.size, "other.c"); /* another file's lines */
  assert_true(assembly_has_code(text) && !assembly_has_lines(text));
  free(text);
  object_free(&o);
}

static void main_loops_are_shown(void **state) {
  (void)state;
  with_each(text_in);
}

__attribute__((noinline)) static void fill_backwards(void) {
  static volatile double filled[100];
  for (int i = 99; i >= 0; i--)
    filled[i] = filled[i] * 3 + i;
}

/* A function of this program, which is in its file; code that is in none. */
static void functions_of_the_program_are_shown(void **state) {
  (void)state;
  int local = 0;
  fill_backwards();
  char *text = assembly_of_function((autotune_fn)fill_backwards, "test_static.c");
  assert_true(assembly_has_code(text));
  assert_true(strstr(text, "its only loop: ") ||
              strstr(text, " loops the innermost one ")); /* sanitizers add loops */
  free(text);
  text = assembly_of_function((autotune_fn)(uintptr_t)&local, "test_static.c");
  assert_string_equal(text, "cannot be shown: the program's file cannot be read\n");
  assert_false(assembly_has_code(text));
  free(text);
  text = assembly_of_object("not ELF", 7, "kernel.c");
  assert_string_equal(text,
                      "cannot be shown: this is not an object file of this machine\n");
  free(text);
}

/* ---- damage ---------------------------------------------------------------------- */

static void read_damaged(const void *data, size_t size) {
  struct jit_instruction *code = NULL;
  char *message = NULL;
  struct features f;
  size_t n = 0;
  if (fixture_jit()->disassemble(data, size, &code, &n, &message) == 0) {
    assert_true(n > 0);
    features_clear(&f);
    assert_true(features_of_code(code, n, &f));
  } else {
    assert_non_null(message);
  }
  free(code);
  free(message);
}

/* The same object on every machine, so that a failure occurs on every machine. */
#ifdef __x86_64__
#define ONE_MACHINE "-O3 -march=x86-64-v3"
#else
#define ONE_MACHINE "-O3"
#endif

static void damaged_objects_are_read_or_refused(void **state) {
  (void)state;
  struct object o = fixture_compile("clang", AXPY, ONE_MACHINE);
  for (size_t size = 0; size < o.size; size += 16) {
    void *cut = malloc(size + 1);
    memcpy(cut, o.data, size);
    read_damaged(cut, size);
    free(cut);
  }
  uint64_t rng = 4711;
  unsigned char *bytes = o.data;
  for (int i = 0; i < 500; i++) {
    size_t at = rng_next(&rng) % o.size;
    unsigned char before = bytes[at];
    bytes[at] ^= (unsigned char)(1 + rng_next(&rng) % 255);
    read_damaged(bytes, o.size);
    bytes[at] = before;
  }
  object_free(&o);
}

/* Offsets that lie outside of the object, also those that wrap when they are added to a
 * pointer (which only UndefinedBehaviorSanitizer sees). */
static void sections_outside_are_refused(void **state) {
  (void)state;
  static const uint64_t offsets[] = { UINT64_MAX - 7, (1ull << 63) + 8, 1 << 30 };
  struct object o = fixture_compile("clang", AXPY, ONE_MACHINE);
  Elf64_Ehdr *header = o.data;
  Elf64_Shdr *sections = (void *)((char *)o.data + header->e_shoff);
  for (unsigned i = 1; i < header->e_shnum; i++) {
    Elf64_Off before = sections[i].sh_offset;
    for (unsigned j = 0; j < sizeof offsets / sizeof *offsets; j++) {
      sections[i].sh_offset = offsets[j];
      read_damaged(o.data, o.size);
    }
    sections[i].sh_offset = before;
  }
  object_free(&o);
}

static void what_is_no_object_is_refused(void **state) {
  (void)state;
  struct jit_instruction *code = NULL;
  char *message = NULL;
  size_t n = 0;
  assert_int_equal(fixture_jit()->disassemble("not ELF", 7, &code, &n, &message), -1);
  assert_string_equal(message,
                      "this is not an object file of this machine with code in it");
  free(message);
  struct object o = fixture_compile("clang", "int x;\n", "-O1");
  message = NULL;
  assert_int_equal(fixture_jit()->disassemble(o.data, o.size, &code, &n, &message), -1);
  assert_non_null(message);
  free(message);
  object_free(&o);
}

/* ---- caches and words ------------------------------------------------------------ */

static void sizes_are_told_against_caches(void **state) {
  (void)state;
  struct autotune_machine m = { .l1d = 32 << 10, .l2 = 1 << 20, .l3 = 0 };
  struct features f;
  features_clear(&f);
  features_of_memory(8 << 20, 16 << 10, &m, &f);
  assert_true(f.values[FEATURE_CALL_L1] == 8 && f.values[FEATURE_CALL_L2] == 3);
  assert_true(f.values[FEATURE_TILE_L1] == -1 && f.values[FEATURE_TILE_L2] == -6);
  assert_true(isnan(f.values[FEATURE_TILE_L3]));
  features_of_memory(0, 0, &m, &f);
  assert_true(isnan(f.values[FEATURE_CALL_L1]) && isnan(f.values[FEATURE_TILE_L1]));
}

static void features_have_names_and_words(void **state) {
  (void)state;
  struct features f;
  for (int i = 0; i < FEATURES; i++)
    assert_non_null(feature_names[i]);
  features_clear(&f);
  assert_null(features_describe(&f));
  f.values[FEATURE_BYTES] = 412;
  f.values[FEATURE_MAIN_BITS] = 512;
  f.values[FEATURE_MAIN_SPILLS] = 0;
  char *text = features_describe(&f);
  assert_string_equal(text, "412 bytes, 512-bit vectors, no spills");
  free(text);
  f.values[FEATURE_MAIN_BITS] = 0;
  f.values[FEATURE_MAIN_SPILLS] = 3;
  text = features_describe(&f);
  assert_string_equal(text, "412 bytes, no vectors, 3 spills");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(loops_and_calls_are_counted),
    cmocka_unit_test(code_without_loops_is_its_own_main_loop),
    cmocka_unit_test(the_main_loop_computes),
#if defined(__x86_64__)
    cmocka_unit_test(vectors_have_their_width),
#endif
    cmocka_unit_test(sums_without_registers_are_spills),
    cmocka_unit_test(indexed_arrays_are_no_spills),
    cmocka_unit_test(main_loops_are_shown),
    cmocka_unit_test(functions_of_the_program_are_shown),
    cmocka_unit_test(damaged_objects_are_read_or_refused),
    cmocka_unit_test(sections_outside_are_refused),
    cmocka_unit_test(what_is_no_object_is_refused),
    cmocka_unit_test(sizes_are_told_against_caches),
    cmocka_unit_test(features_have_names_and_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
