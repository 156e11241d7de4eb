/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling and loading in process: the functions of libautotune-jit.so that the tuner
 * and its workers use. */
#include "jit_fixture.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* ThreadSanitizer cannot see into libomp, nor let a signal handler jump back. */
#ifdef __SANITIZE_THREAD__
#define SKIP_UNDER_TSAN() skip()
#else
#define SKIP_UNDER_TSAN() (void)0
#endif

/* ---- compiling ------------------------------------------------------------------- */

static char *compile_error(const char *text, const char *const *flags) {
  void *object;
  size_t size;
  char *message = NULL;
  assert_int_equal(fixture_jit()->compile(text, flags, &object, &size, &message), -1);
  assert_non_null(message);
  return message;
}

static void compiles_to_an_object(void **state) {
  (void)state;
  struct object o =
      fixture_compile("clang", "int f(int x) { return x + 1; }\n", "-O3 -march=native");
  assert_memory_equal(o.data, "\177ELF", 4);
  object_free(&o);
  assert_memory_equal(fixture_jit()->version(), "clang 22.", 9);
}

static void the_message_begins_with_the_first_error(void **state) {
  (void)state;
  char *message =
      compile_error("#line 7 \"user.c\"\n#warning old\nint f(void) { return 1 +; }\n"
                    "int g(void) { return z; }\n",
                    (const char *const[]){ "-Wall", NULL });
  const char *expected = "user.c:8:25: error: expected expression\n";
  assert_memory_equal(message, expected, strlen(expected));
  assert_non_null(strstr(message, "'z'"));
  assert_null(strchr(message, '\033'));
  free(message);
}

static void flags_of_other_compilers_are_left_out(void **state) {
  (void)state;
  struct object o =
      fixture_compile("clang", "#ifndef SEEN\n#error flags are lost\n#endif\nint x;\n",
                      "-fno-such-flag -O2 -mno-such-thing --no-such -fira-region=all "
                      "-DSEEN -flto -g -fprefetch-loop-arrays");
  assert_memory_equal(o.data, "\177ELF", 4);
  object_free(&o);
}

static void flags_that_are_wrong_are_told(void **state) {
  (void)state;
  char *message =
      compile_error("int x;\n", (const char *const[]){ "-march=no-such-cpu", NULL });
  assert_non_null(strstr(message, "error: "));
  assert_non_null(strstr(message, "no-such-cpu"));
  free(message);
  message = compile_error("int x;\n", (const char *const[]){ "-mllvm", "-debug", NULL });
  assert_non_null(strstr(message, "-mllvm"));
  free(message);
}

static void flags_have_their_effect(void **state) {
  (void)state;
  const char *text = "#ifndef __FAST_MATH__\n#error no fast math\n#endif\n"
                     "#ifndef _OPENMP\n#error no OpenMP\n#endif\n"
                     "#if __STDC_VERSION__ != 201112L\n#error no C11\n#endif\n"
                     "#ifndef __PIC__\n#error not position-independent\n#endif\n"
                     "#if defined __STRICT_ANSI__ || !defined __OPTIMIZE__\n#error no "
                     "gnu11 -O3\n#endif\n";
  struct object o =
      fixture_compile("clang", text,
                      "-O3 -march=native -ffast-math -fopenmp -std=gnu11 "
                      "-mprefer-vector-width=512 -fveclib=libmvec -fno-pic");
  object_free(&o);
}

static void no_file_is_seen(void **state) {
  (void)state;
  char *message =
      compile_error("#include <stdio.h>\n", (const char *const[]){ "-O2", NULL });
  assert_non_null(strstr(message, "'stdio.h' file not found"));
  free(message);
}

static void in_silence_without_descriptors(void) {
  struct rlimit none = { 0, 0 };
  setrlimit(RLIMIT_NOFILE, &none); /* nothing can be opened any more */
  void *object;
  size_t size;
  char *message = NULL;
  const char *const flags[] = { "-O3", "-march=native", "-fopenmp", "-Wall", NULL };
  if (fixture_jit()->compile("int f(int x) { int y; return x; }\n", flags, &object, &size,
                             &message) != 0)
    printf("%s", message);
}

static void opens_and_prints_nothing(void **state) {
  (void)state;
  struct said said = fixture_child(in_silence_without_descriptors);
  assert_string_equal(said.text, "");
  assert_int_equal(said.status, 0);
}

/* ---- a library that is not there ------------------------------------------------- */

static void open_and_tell(void) {
  char *message = NULL;
  const char *opened = jit_open(&message) ? "opened" : "";
  printf("%s|%s", opened, message ? message : "");
  free(message);
}

static void open_nowhere(void) {
  setenv("AUTOTUNE_JIT", "/nonexistent/jit.so", 1);
  open_and_tell();
}

static void open_another_library(void) {
  setenv("AUTOTUNE_JIT", "libm.so.6", 1);
  open_and_tell();
}

static void open_twice_with_a_fault(void) {
  setenv("AUTOTUNE_FAULT", "jit:1", 1);
  open_and_tell();
  open_and_tell();
}

static void without_the_library_there_is_a_reason(void **state) {
  (void)state;
  struct said said = fixture_child(open_nowhere);
  assert_non_null(
      strstr(said.text, "|the compiler cannot be loaded: /nonexistent/jit.so: "));
  said = fixture_child(open_another_library);
  assert_string_equal(said.text,
                      "|libautotune-jit.so belongs to another version of autotune");
  said = fixture_child(open_twice_with_a_fault);
  assert_non_null(strstr(said.text, "|the compiler cannot be loaded: "));
  assert_non_null(strstr(said.text, "opened|"));
}

/* ---- a compiler that breaks ------------------------------------------------------ */

/* Pragmas of Clang that make it fail in ways that no variant should be able to. */
static void compile_what_breaks_clang(void) {
  static const char *const texts[] = { "#pragma clang __debug crash\n",
                                       "#pragma clang __debug llvm_fatal_error\n",
                                       "int fine;\n" };
  for (size_t i = 0; i < 3; i++) {
    void *object;
    size_t size;
    char *message = NULL;
    int status = fixture_jit()->compile(texts[i], NULL, &object, &size, &message);
    printf("%d %s\n", status, message ? message : "");
  }
}

static void a_compiler_that_crashes_fails_one_variant(void **state) {
  (void)state;
  SKIP_UNDER_TSAN();
  struct said said = fixture_child(compile_what_breaks_clang);
  assert_non_null(strstr(said.text, "-1 fatal error: the compiler crashed"));
  assert_non_null(
      strstr(said.text, "-1 fatal error: #pragma clang __debug llvm_fatal_error"));
  assert_non_null(strstr(said.text, "0 \n"));
  assert_int_equal(said.status, 0);
}

static void list_what_breaks_llvm(void) {
  void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct jit_instruction *code;
  struct jit_line *lines;
  size_t n;
  char *message = NULL;
  int status = fixture_jit()->list(page, 4096, JIT_NOWHERE, &code, &lines, &n, &message);
  printf("%d %s\n", status, message && !code && !lines ? message : "");
}

/* As for a file of the program that has changed, or is damaged. */
static void a_lister_that_crashes_fails_alone(void **state) {
  (void)state;
  SKIP_UNDER_TSAN();
  struct said said = fixture_child(list_what_breaks_llvm);
  assert_string_equal(said.text, "-1 LLVM crashed while it read the code\n");
  assert_int_equal(said.status, 0);
}

static void *compile_many(void *data) {
  char text[128];
  for (int i = 0; i < 8; i++) {
    snprintf(text, sizeof text,
             "float f(float *p) { float s = 0; for (int i = 0; i < %d; i++) "
             "s += p[i]; return s; }\n",
             *(int *)data + i);
    struct object o = fixture_compile("clang", text, i % 2 ? "-O3 -ffast-math" : "-O2");
    object_free(&o);
  }
  return NULL;
}

static void threads_compile_at_once(void **state) {
  (void)state;
  pthread_t thread[2];
  int starts[2] = { 10, 1000 };
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, compile_many, &starts[i]), 0);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
}

/* ---- loading --------------------------------------------------------------------- */

static int counter = 40;
static int add_two(int x) {
  return x + 2;
}
static const struct autotune_symbol site[] = {
  { "counter", &counter, 0 }, { "add_two", (const void *)(uintptr_t)add_two, 0 }
};
#define USES_SITE                                      \
  "extern int counter; extern int add_two(int);\n"     \
  "static int *const pointer = &counter;\n"            \
  "static int f(void) { return add_two(*pointer); }\n" \
  "int (*const autotune_entry)(void) = f;\n"

static void binds_the_symbols_of_the_site(void **state) {
  (void)state;
  static const char *const compilers[] = { "clang", "gcc" };
  for (int i = 0; i < 2; i++) {
    if (!fixture_have(compilers[i]))
      continue;
    struct jit_code *code =
        fixture_load(fixture_compile(compilers[i], USES_SITE, "-O2 -fPIC"), site, 2);
    counter = 40 + i;
    assert_int_equal(((int (*)(void))fixture_entry(code))(), 42 + i);
    assert_null(fixture_jit()->symbol(code, "nothing"));
    fixture_jit()->unload(code);
  }
}

static void objects_live_side_by_side(void **state) {
  (void)state;
  struct jit_code *code[20];
  char text[128];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 20; i++) {
      snprintf(text, sizeof text,
               "int f(void) { return %d; }\n"
               "int (*const autotune_entry)(void) = f;\n",
               i + round);
      code[i] = fixture_load(fixture_compile("clang", text, "-O1"), NULL, 0);
    }
    for (int i = 0; i < 20; i++)
      assert_int_equal(((int (*)(void))fixture_entry(code[i]))(), i + round);
    for (int i = 0; i < 20; i++)
      fixture_jit()->unload(code[i]);
  }
}

static void expect_load_error(const char *text, const char *expected) {
  struct object o = fixture_compile("clang", text, "-O1");
  char *message = NULL;
  assert_null(fixture_jit()->load(o.data, o.size, NULL, 0, &message));
  assert_non_null(message);
  if (!strstr(message, expected))
    fail_msg("%s", message);
  free(message);
  object_free(&o);
}

static void what_cannot_be_loaded_is_told(void **state) {
  (void)state;
  expect_load_error("extern int missing(void); int f(void) { return missing(); }\n",
                    "missing");
  expect_load_error("_Thread_local int mine; int f(void) { return mine; }\n",
                    "thread-local variable 'mine'");
  expect_load_error("static int x;\n", "defines nothing");
  char *message = NULL;
  assert_null(fixture_jit()->load("not ELF", 7, NULL, 0, &message));
  assert_string_equal(message, "this is not an object file of this machine");
  free(message);
  /* The next one still loads. */
  binds_the_symbols_of_the_site(state);
}

static void a_damaged_object_is_refused(void **state) {
  (void)state;
  struct object o = fixture_compile("clang", USES_SITE, "-O1");
  for (size_t size = 0; size < o.size; size += 64) {
    char *message = NULL;
    void *cut = malloc(size + 1);
    memcpy(cut, o.data, size);
    assert_null(fixture_jit()->load(cut, size, site, 2, &message));
    assert_non_null(message);
    free(message);
    free(cut);
  }
  object_free(&o);
}

static unsigned pages_writable_and_executable(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned n = 0;
  while (maps && fgets(line, sizeof line, maps))
    n += strstr(line, " rwx") != NULL;
  fclose(maps);
  return n;
}

static void no_page_is_writable_and_executable(void **state) {
  (void)state;
  unsigned before = pages_writable_and_executable(); /* a sanitizer may have some */
  struct jit_code *code =
      fixture_load(fixture_compile("clang", USES_SITE, "-O2"), site, 2);
  assert_int_equal(pages_writable_and_executable(), before);
  fixture_jit()->unload(code);
  assert_int_equal(pages_writable_and_executable(), before);
}

static int threads(void) {
  DIR *tasks = opendir("/proc/self/task");
  int n = 0;
  while (readdir(tasks))
    n++;
  closedir(tasks);
  return n;
}

static void load_and_run(void) {
  int before = threads();
  struct object o = fixture_compile("clang", USES_SITE, "-O2");
  struct jit_code *code = fixture_load(o, site, 2);
  counter = 5;
  printf("%d, %d threads more", ((int (*)(void))fixture_entry(code))(),
         threads() - before);
}

static void a_forked_child_loads(void **state) {
  (void)state;
  struct jit_code *code =
      fixture_load(fixture_compile("clang", USES_SITE, "-O2"), site, 2);
  struct said said = fixture_child(load_and_run);
  assert_string_equal(said.text, "7, 0 threads more");
  assert_int_equal(said.status, 0);
  fixture_jit()->unload(code);
}

/* ---- what compilers make objects need -------------------------------------------- */

#define MATH                                                            \
  "#ifdef __clang__\n#define VECTOR\n#else\n" /* as in math.h */        \
  "#define VECTOR __attribute__((__simd__(\"notinbranch\")))\n#endif\n" \
  "VECTOR double sin(double); VECTOR double exp(double);\n"             \
  "static double f(int n, double *x) { double s = 0;\n"                 \
  "  for (int i = 0; i < n; i++) x[i] = sin(x[i]) + exp(x[i]);\n"       \
  "  for (int i = 0; i < n; i++) s += x[i]; return s; }\n"              \
  "double (*const autotune_entry)(int, double *) = f;\n"

static void vector_math_is_found(void **state) {
  (void)state;
  static const char *const cases[][2] = {
    { "clang", "-O3 -march=native -fveclib=libmvec -fno-math-errno -ffast-math" },
    { "gcc", "-O3 -march=native -ffast-math -fPIC" }
  };
  for (int i = 0; i < 2; i++) {
    if (!fixture_have(cases[i][0]))
      continue;
    double x[100], expected = 0;
    for (int j = 0; j < 100; j++) {
      x[j] = j / 100.0;
      expected += sin(x[j]) + exp(x[j]);
    }
    struct object o = fixture_compile(cases[i][0], MATH, cases[i][1]);
    assert_non_null(memmem(o.data, o.size, "_ZGV", 4));
    struct jit_code *code = fixture_load(o, NULL, 0);
    double sum = ((double (*)(int, double *))fixture_entry(code))(100, x);
    assert_true(fabs(sum - expected) < 1e-9 * expected);
    fixture_jit()->unload(code);
  }
}

static void helpers_of_compilers_are_found(void **state) {
  (void)state;
  struct object o =
      fixture_compile("clang",
                      "static __int128 f(__int128 a, __int128 b) { return a / b; }\n"
                      "__int128 (*const autotune_entry)(__int128, __int128) = f;\n",
                      "-O2");
  struct jit_code *code = fixture_load(o, NULL, 0);
  assert_true(((__int128 (*)(__int128, __int128))fixture_entry(code))(85, 2) == 42);
  fixture_jit()->unload(code);
}

#define PARALLEL                                                                   \
  "int omp_get_max_threads(void);\n"                                               \
  "static long f(long n) { long s = 0;\n"                                          \
  "#pragma omp parallel for reduction(+:s) num_threads(2) schedule(dynamic, 16)\n" \
  "  for (long i = 0; i < n; i++) s += i;\n"                                       \
  "  return omp_get_max_threads() > 0 ? s : -1; }\n"                               \
  "long (*const autotune_entry)(long) = f;\n"

/* Runs in a child, as in a worker: the parent must stay without threads. */
static void run_parallel(void) {
  static const char *const compilers[] = { "clang", "gcc" };
  char *message;
  if (openmp_open(&message) != 0)
    printf("%s", message);
  for (int i = 0; i < 2; i++) {
    if (!fixture_have(compilers[i]))
      continue;
    struct jit_code *code = fixture_load(
        fixture_compile(compilers[i], PARALLEL, "-O2 -fopenmp -fPIC"), NULL, 0);
    long sum = ((long (*)(long))fixture_entry(code))(1000);
    if (sum != 499500)
      printf("%s: %ld\n", compilers[i], sum);
  }
}

static void openmp_runs_on_one_runtime(void **state) {
  (void)state;
  SKIP_UNDER_TSAN();
  struct said said = fixture_child(run_parallel);
  assert_string_equal(said.text, "");
  assert_int_equal(said.status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(
        without_the_library_there_is_a_reason), /* before the environment is read */
    cmocka_unit_test(
        a_compiler_that_crashes_fails_one_variant), /* before cmocka's handlers */
    cmocka_unit_test(a_lister_that_crashes_fails_alone),
    cmocka_unit_test(compiles_to_an_object),
    cmocka_unit_test(the_message_begins_with_the_first_error),
    cmocka_unit_test(flags_of_other_compilers_are_left_out),
    cmocka_unit_test(flags_that_are_wrong_are_told),
    cmocka_unit_test(flags_have_their_effect),
    cmocka_unit_test(no_file_is_seen),
    cmocka_unit_test(opens_and_prints_nothing),
    cmocka_unit_test(threads_compile_at_once),
    cmocka_unit_test(binds_the_symbols_of_the_site),
    cmocka_unit_test(objects_live_side_by_side),
    cmocka_unit_test(what_cannot_be_loaded_is_told),
    cmocka_unit_test(a_damaged_object_is_refused),
    cmocka_unit_test(no_page_is_writable_and_executable),
    cmocka_unit_test(a_forked_child_loads),
    cmocka_unit_test(vector_math_is_found),
    cmocka_unit_test(helpers_of_compilers_are_found),
    cmocka_unit_test(openmp_runs_on_one_runtime),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
