/* SPDX-License-Identifier: Apache-2.0 */
/* The winner as a shared object: linked by lld, opened by dlopen, bound to the site. */
#include "model/constants.h"
#include "run/cpu/module.h"
#include "run/target.h"
#include "jit_fixture.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>

static char folder[] = "/tmp/autotune-test-XXXXXX";
static char path[64];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  snprintf(path, sizeof path, "%s/winner.so", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static void link_to(const char *compiler, const char *text, const char *flags,
                    const char *where) {
  struct object o = fixture_compile(compiler, text, flags);
  char *message = NULL;
  if (fixture_jit()->link_shared(o.data, o.size, where, &message) != 0)
    fail_msg("%s", message);
  object_free(&o);
}

static autotune_fn load(const char *where, const struct autotune_symbol *symbols,
                        size_t n, void **handle) {
  char *message = NULL;
  autotune_fn entry = module_load(where, symbols, n, handle, &message);
  if (!entry)
    fail_msg("%s", message);
  assert_null(message);
  return entry;
}

/* Static objects of this file. libc has one of the same name, which must not be used. */
static int counter;
static int add_two(int x) {
  return x + 2;
}
static int puts_of_mine(int x) {
  return -x;
}
static int table[4] = { 1, 2, 3, 4 };
static const struct autotune_symbol site[] = {
  { "counter", &counter, 0 },
  { "add_two", (const void *)(uintptr_t)add_two, 0 },
  { "puts", (const void *)(uintptr_t)puts_of_mine, 0 },
  { "table", table, 0 },
};
#define USES_SITE                                                            \
  "extern int counter, table[4]; extern int add_two(int); int puts(int);\n"  \
  "static int *const third = &table[2];\n"                                   \
  "static int (*const call)(int) = add_two;\n"                               \
  "static int f(void) { counter++; return call(*third) + puts(counter); }\n" \
  "int (*const autotune_entry)(void) = f;\n"

static void binds_variables_and_functions(void **state) {
  (void)state;
  static const char *const compilers[] = { "clang", "gcc" };
  for (int i = 0; i < 2; i++) {
    if (!fixture_have(compilers[i]))
      continue;
    link_to(compilers[i], USES_SITE, "-O2 -fPIC -fno-builtin", path);
    void *handle;
    int (*f)(void) = (int (*)(void))load(path, site, 4, &handle);
    counter = 9;
    table[2] = 30;
    assert_int_equal(f(), 32 - 10);
    assert_int_equal(counter, 10);
    dlclose(handle);
    unlink(path);
  }
}

static int other_counter;
static void two_sites_of_the_same_file(void **state) {
  (void)state;
  static const struct autotune_symbol one[] = { { "counter", &counter, 0 } },
                                      two[] = { { "counter", &other_counter, 0 } };
  link_to("clang",
          "extern int counter; static int f(void) { return ++counter; }\n"
          "int (*const autotune_entry)(void) = f;\n",
          "-O2", path);
  void *handles[3];
  autotune_fn f = load(path, one, 1, &handles[0]), g = load(path, two, 1, &handles[1]),
              h = load(path, one, 1, &handles[2]);
  counter = 10, other_counter = 20;
  assert_int_equal(((int (*)(void))f)(), 11);
  assert_int_equal(((int (*)(void))g)(), 21);
  assert_int_equal(((int (*)(void))h)(), 12);
  assert_ptr_equal(f, h);
  for (int i = 0; i < 3; i++)
    dlclose(handles[i]);
}

/* Two objects are opened one after the other under the same descriptor number. */
static void memory_files_do_not_mix(void **state) {
  (void)state;
  void *handles[2];
  autotune_fn f[2];
  int used[2];
  for (int i = 0; i < 2; i++) {
    char text[128], name[64];
    snprintf(text, sizeof text,
             "static int f(void) { return %d; }\n"
             "int (*const autotune_entry)(void) = f;\n",
             7 + i);
    used[i] = memfd_create("winner", MFD_CLOEXEC);
    snprintf(name, sizeof name, "/proc/self/fd/%d", used[i]);
    link_to("clang", text, "-O2", name);
    f[i] = load(name, NULL, 0, &handles[i]);
    close(used[i]);
  }
  assert_int_equal(used[0], used[1]);
  for (int i = 0; i < 2; i++)
    assert_int_equal(((int (*)(void))f[i])(), 7 + i);
  for (int i = 0; i < 2; i++)
    dlclose(handles[i]);
}

/* libc exports an abs, too. */
static void the_variants_own_names_are_its_own(void **state) {
  (void)state;
  link_to("clang",
          "int abs(int x) { return x + 100; }\n"
          "int (*const autotune_entry)(int) = abs;\n",
          "-O2 -fno-builtin", path);
  void *handle;
  assert_int_equal(((int (*)(int))load(path, NULL, 0, &handle))(-1), 99);
  dlclose(handle);
}

static void vector_math_and_helpers(void **state) {
  (void)state;
  link_to("clang",
          "double sin(double);\n"
          "static double f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = "
          "sin(x[i]);\n"
          "  return (double)((__int128)x[0] / 3); }\n"
          "double (*const autotune_entry)(int, double *) = f;\n",
          "-O3 -march=native -fveclib=libmvec -fno-math-errno", path);
  void *handle;
  double x[64] = { 0 };
  assert_true(((double (*)(int, double *))load(path, NULL, 0, &handle))(64, x) == 0);
  dlclose(handle);
}

static void what_cannot_be_loaded_is_told(void **state) {
  (void)state;
  void *handle;
  char *message = NULL;
  link_to("clang",
          "extern int missing(void); static int f(void) { return missing(); }\n"
          "int (*const autotune_entry)(void) = f;\n",
          "-O2", path);
  assert_null(module_load(path, NULL, 0, &handle, &message));
  assert_string_equal(message, "undefined symbol 'missing'");
  free(message);
  link_to("clang", "int nothing;\n", "-O2", path);
  assert_null(module_load(path, NULL, 0, &handle, &message));
  assert_string_equal(message, "the object has no autotune_entry");
  free(message);
  assert_null(module_load("/nonexistent.so", NULL, 0, &handle, &message));
  assert_non_null(strstr(message, "/nonexistent.so"));
  free(message);
  int fd = open(path, O_WRONLY | O_TRUNC);
  assert_int_equal(write(fd, "not ELF\n", 8), 8);
  close(fd);
  assert_null(module_load(path, NULL, 0, &handle, &message));
  assert_non_null(message);
  free(message);
}

static void what_cannot_be_linked_is_told(void **state) {
  (void)state;
  const struct jit_api *jit = fixture_jit();
  char *message = NULL;
  assert_int_equal(jit->link_shared("not ELF", 7, path, &message), -1);
  assert_string_equal(message, "this is not an object file of this machine");
  free(message);
  struct object o = fixture_compile("clang", "int x;\n", "-O2");
  assert_int_equal(jit->link_shared(o.data, o.size, "/nonexistent/x.so", &message), -1);
  assert_non_null(strstr(message, "/nonexistent/x.so"));
  free(message);
  object_free(&o);
  o = fixture_compile("clang", "_Thread_local int x;\n", "-O2");
  assert_int_equal(jit->link_shared(o.data, o.size, path, &message), -1);
  assert_non_null(strstr(message, "thread-local variable 'x'"));
  free(message);
  object_free(&o);
  /* The next link works. */
  link_to("clang", "int x;\n", "-O2", path);
}

/* Runs in a child: no OpenMP runtime is loaded until the module needs it. */
static void run_parallel(void) {
  link_to("clang",
          "static long f(long n) { long s = 0;\n"
          "#pragma omp parallel for reduction(+:s) num_threads(2)\n"
          "  for (long i = 0; i < n; i++) s += i; return s; }\n"
          "long (*const autotune_entry)(long) = f;\n",
          "-O2 -fopenmp", path);
  void *handle;
  printf("%ld", ((long (*)(long))load(path, NULL, 0, &handle))(1000));
}

static void openmp_is_opened_when_needed(void **state) {
  (void)state;
  struct said said = fixture_child(run_parallel);
  assert_string_equal(said.text, "499500");
  assert_int_equal(said.status, 0);
}

/* Loads the object at `path` for the key n, m. Returns what is constant in it; -1 and
 * *MESSAGE: it is refused. */
static long load_for(const struct autotune_kernel *k, long long n, long long m,
                     char **message) {
  const long long key[] = { n, m };
  struct variant_code code = { .function = NULL };
  *message = NULL;
  if (!target_cpu.load(k, key, path, "", &code, message))
    return -1;
  assert_int_equal(((long (*)(void))code.function)(), 512);
  target_cpu.unload(code.loaded);
  return (long)code.constants;
}

static void code_with_constants_is_for_one_key(void **state) {
  (void)state;
  static const char *const names[] = { "n", "m" };
  const struct autotune_kernel k = { .n_keys = 2, .keys = names };
  const long long key[] = { 512, LLONG_MIN };
  char *message, text[4096];
  char *lines = constants_lines(&k, key, 1);
  snprintf(text, sizeof text,
           "%sstatic long f(void) { return AUTOTUNE_KEY_0; }\n"
           "long (*const autotune_entry)(void) = f;\n",
           lines);
  link_to("clang", text, "-O2", path);
  free(lines);
  assert_int_equal(load_for(&k, 512, 3, &message), 1);
  assert_int_equal(load_for(&k, 512, 4, &message), 1);
  assert_int_equal(load_for(&k, 513, 3, &message), -1);
  assert_string_equal(message, "it was compiled for n = 512, not for 513");
  free(message);
  const struct autotune_kernel other = { .n_keys = 0 };
  assert_int_equal(load_for(&other, 512, 3, &message), -1);
  assert_string_equal(message, "it was compiled for a key of another kernel");
  free(message);

  lines = constants_lines(&k, key, 3);
  snprintf(text, sizeof text,
           "%sstatic long f(void) { return AUTOTUNE_KEY_1 < -9223372036854775807LL ? 512 "
           ": 0; }\nlong (*const autotune_entry)(void) = f;\n",
           lines);
  link_to("gcc", text, "-O2", path);
  free(lines);
  assert_int_equal(load_for(&k, 512, LLONG_MIN, &message), 3);
  assert_int_equal(load_for(&k, 512, LLONG_MAX, &message), -1);
  free(message);

  char said[64];
  constants_say(&k, key, 3, said, sizeof said);
  assert_string_equal(said, "n = 512, m = -9223372036854775808");
  assert_true(constants_name_any(&k, said, 1) && constants_name_any(&k, said, 2));
  assert_false(constants_name_any(&k, "mn = 3, am = 4", 3));
  assert_false(constants_name_any(&k, "m = 3", 1));
  assert_false(constants_name_any(&k, "", 3) || constants_name_any(&k, NULL, 3));
  assert_null(constants_lines(&k, key, 0));
  link_to(
      "clang",
      "static long f(void) { return 512; }\nlong (*const autotune_entry)(void) = f;\n",
      "-O2", path);
  assert_int_equal(load_for(&k, 1, 2, &message), 0); // it is for all keys
  link_to("clang",
          "static long f(void) { return 512; }\nlong (*const autotune_entry)(void) = f;\n"
          "const long long autotune_constants[] = { 1LL << 40, 0, 1 };\n",
          "-O2", path);
  assert_int_equal(load_for(&k, 1, 2, &message), -1);
  assert_string_equal(message, "its constants are damaged");
  free(message);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(binds_variables_and_functions),
    cmocka_unit_test(two_sites_of_the_same_file),
    cmocka_unit_test(memory_files_do_not_mix),
    cmocka_unit_test(the_variants_own_names_are_its_own),
    cmocka_unit_test(vector_math_and_helpers),
    cmocka_unit_test(what_cannot_be_loaded_is_told),
    cmocka_unit_test(what_cannot_be_linked_is_told),
    cmocka_unit_test(openmp_is_opened_when_needed),
    cmocka_unit_test(code_with_constants_is_for_one_key),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
