// SPDX-License-Identifier: Apache-2.0
// RELIABILITY D5, S1 and D4: files of results that were damaged or made up, and places
// that cannot be written. No row comes out that was not written, and the program never
// stops.
#include "store_fixture.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "child.h"
#include "model/space.h"
#include "mutate.h"
#include "rounds.h"

enum { MUTANTS = 2000, VARIANTS = 60 };

// ---- the original -------------------------------------------------------------------

struct image {
  unsigned char *data;
  size_t size;
};

static struct identity identity_of(unsigned which) {
  static const long long keys[4][2] = { { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 } };
  struct identity id = fixture_identity();
  id.key = keys[which];
  return id;
}

static void values_of(char *text, uint64_t variant) {
  sprintf(text, "MR=%llu\nNR=%llu\n", (unsigned long long)variant,
          (unsigned long long)variant * 3);
}

static void write_original(const char *folder) {
  struct store *s = open_store(folder);
  char values[128];
  for (uint64_t v = 1; v <= VARIANTS; v++) {
    struct identity id = identity_of(v % 4);
    double samples[40];
    for (int i = 0; i < 40; i++)
      samples[i] = (double)v;
    struct record r = fixture_record(v, samples, 1 + v % 40);
    values_of(values, v);
    r.values = values;
    assert_int_equal(store_finish(s, &id, &r), 0);
  }
  for (unsigned i = 0; i < 4; i++) {
    struct identity id = identity_of(i);
    struct summary m = fixture_summary();
    m.object = 1000 + i;
    assert_int_equal(store_summary(s, &id, &m), 0);
  }
  store_close(s);
}

static struct image read_image(const char *folder) {
  char *path = sys_printf("%s/results.db", folder);
  int fd = open(path, O_RDONLY);
  struct stat st;
  assert_int_equal(fstat(fd, &st), 0);
  struct image image = { malloc((size_t)st.st_size), (size_t)st.st_size };
  assert_int_equal(read(fd, image.data, image.size), (ssize_t)image.size);
  close(fd);
  free(path);
  return image;
}

static void write_image(const char *folder, const unsigned char *data, size_t size) {
  char *path = sys_printf("%s/results.db", folder);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_int_equal(write(fd, data, size), (ssize_t)size);
  close(fd);
  free(path);
}

// ---- mutants ------------------------------------------------------------------------

static void expect_original(const struct listed *item) {
  char values[128];
  for (unsigned i = 0; i < item->n_records; i++) {
    const struct record *r = &item->records[i];
    assert_true(r->variant >= 1 && r->variant <= VARIANTS && r->status == STATUS_OK);
    values_of(values, r->variant);
    assert_string_equal(r->values, values);
    assert_int_equal(r->n_samples, 1 + r->variant % 40);
    for (unsigned k = 0; k < r->n_samples; k++)
      assert_true(r->samples[k] == (double)r->variant);
  }
  if (item->finished) {
    assert_true(item->summary.object >= 1000 && item->summary.object < 1004);
    assert_true(item->summary.best.median == fixture_summary().best.median);
  }
}

// Returns the number of records that could be read.
static unsigned try_mutant(const char *folder) {
  unsigned found = 0;
  struct listing l;
  char *message = NULL;
  struct store *s = store_open_in(folder, true, &message);
  free(message);
  if (!s)
    return 0; // it seems to be of a newer version
  for (unsigned i = 0; i < 4; i++) {
    struct identity id = identity_of(i);
    struct summary m;
    char *why = NULL;
    if (store_winner(s, &id, &m, &why)) {
      assert_int_equal(m.object, 1000 + i);
      store_summary_free(&m);
    }
    free(why);
  }
  store_list(s, NULL, &l);
  for (unsigned i = 0; i < l.n; i++) {
    expect_original(&l.items[i]);
    found += l.items[i].n_records;
  }
  store_list_free(&l);
  struct identity id = identity_of(1);
  double sample = 1;
  struct record r = fixture_record(1, &sample, 1);
  r.n_samples = 1;
  enum status status;
  struct estimate e;
  if (store_finish(s, &id, &r) == 0)
    assert_true(is_known(s, &id, 1, &status, &e, NULL) && e.median == 1);
  store_close(s);
  return found;
}

static void test_no_mutant_is_believed(void **state) {
  write_original(*state);
  struct image original = read_image(*state);
  unsigned char *data = malloc(2 * original.size + 4096);
  struct rounds r = rounds_begin(MUTANTS, 4711);
  uint64_t found = 0;
  while (rounds_next(&r)) {
    char *folder = make_fast_folder();
    size_t size = mutate(original.data, original.size, data, &r.rng);
    write_image(folder, data, size);
    found += try_mutant(folder);
    remove_folder(folder);
    free(folder);
  }
  rounds_end(&r, "damaged files");
  print_message("%llu records were found in them\n", (unsigned long long)found);
  assert_true(found > r.done && found < (uint64_t)r.done * VARIANTS); // some are unharmed
  free(data);
  free(original.data);
}

// ---- places that cannot be written (D4) ---------------------------------------------

// Uses the store that the environment names, as a program does. Returns how many RECORDS
// were saved.
static unsigned use_store(unsigned records) {
  char *message = NULL;
  struct store *s = store_open(&message);
  struct identity id = fixture_identity();
  unsigned saved = 0;
  static char values[60000];
  memset(values, 'v', sizeof values - 1);
  for (unsigned v = 1; v <= records; v++) {
    double sample = v;
    struct record r = fixture_record(v, &sample, 1);
    r.values = values;
    saved += store_finish(s, &id, &r) == 0;
  }
  store_close(s);
  free(message);
  return saved;
}

static int limited_size(char *folder) {
  setenv("AUTOTUNE_CACHE", folder, 1);
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 200000, 200000 });
  unsigned saved = use_store(20);
  return saved > 0 && saved < 20 ? 0 : 1;
}

static int below_a_file(char *folder) {
  char file[256], path[300];
  snprintf(file, sizeof file, "%s/file", folder);
  snprintf(path, sizeof path, "%s/autotune", file);
  close(open(file, O_CREAT | O_WRONLY, 0600));
  setenv("AUTOTUNE_CACHE", path, 1);
  return use_store(3) == 0 ? 0 : 1;
}

static int without_home(char *folder) {
  (void)folder;
  unsetenv("HOME");
  unsetenv("XDG_CACHE_HOME");
  if (setgid(12345) != 0 || setuid(12345) != 0) // a user who is in no database
    return 77;
  return use_store(3) == 0 ? 0 : 1;
}

// Enters a mount namespace of its own. Returns 77 if that is not allowed.
static int private_tmpfs(const char *folder, const char *options) {
  if (unshare(CLONE_NEWNS) != 0 ||
      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", folder, "tmpfs", MS_NOSUID, options) != 0)
    return 77;
  setenv("AUTOTUNE_CACHE", folder, 1);
  return 0;
}

static int full_disk(char *folder) {
  int status = private_tmpfs(folder, "size=300k,mode=0700");
  if (status != 0)
    return status;
  unsigned saved = use_store(20);
  return saved > 0 && saved < 20 ? 0 : 1;
}

static int read_only_folder(char *folder) {
  int status = private_tmpfs(folder, "size=1m,mode=0700");
  if (status != 0)
    return status;
  write_original(folder);
  if (mount("none", folder, NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0)
    return 77;
  struct identity id = identity_of(2);
  struct summary m;
  char *message = NULL;
  struct store *s = store_open(&message);
  if (!s || !store_winner(s, &id, &m, NULL) || store_summary(s, &id, &m) != -1 ||
      store_finish(s, &id, &(struct record){ .variant = 3 }) != -1)
    return 1;
  store_summary_free(&m);
  store_close(s);
  return 0;
}

static int read_only_and_empty(char *folder) {
  int status = private_tmpfs(folder, "size=1m,mode=0700,ro");
  return status != 0 ? status : use_store(3) == 0 ? 0 : 1;
}

static void expect_one_warning(const char *name, char *folder) {
  char *said;
  int status = run_child(name, folder, NULL, &said);
  if (status == 77)
    print_message("skipped: may not be set up here\n");
  else if (status != 0 || count_text(said, "warning") != 1)
    print_error("status %d: %s\n", status, said);
  assert_true(status == 77 || (status == 0 && count_text(said, "warning") == 1));
  free(said);
}

static void test_limited_file_size(void **state) {
  expect_one_warning("limited_size", *state);
}
static void test_below_a_file(void **state) {
  expect_one_warning("below_a_file", *state);
}
static void test_without_home(void **state) {
  expect_one_warning("without_home", *state);
}
static void test_full_disk(void **state) {
  expect_one_warning("full_disk", *state);
}
static void test_read_only_folder(void **state) {
  expect_one_warning("read_only_folder", *state);
}
static void test_read_only_and_empty(void **state) {
  expect_one_warning("read_only_and_empty", *state);
}

// ---- each call that can fail (V5) ---------------------------------------------------

static int with_fault(char *folder) {
  struct identity id = identity_of(1);
  struct summary m = fixture_summary(), out;
  char *message = NULL, *why = NULL;
  struct store *s = store_open_in(folder, true, &message);
  if (s && store_winner(s, &id, &out, &why))
    store_summary_free(&out);
  if (s) {
    store_summary(s, &id, &m);
    struct listing l;
    store_list(s, NULL, &l);
    store_list_free(&l);
    store_forget(s, "gemm", 0, NULL, 0);
  }
  store_close(s);
  free(message);
  free(why);
  return sys_fails(SYS_FORK) ? 99 : 0; // AUTOTUNE_FAULT works: the call fails
}

static void expect_survival(const char *fault, bool filled) {
  char *folder = make_fast_folder(), *said;
  if (filled)
    write_original(folder);
  int status = run_child("with_fault", folder, fault, &said);
  if (status != 0)
    print_error("%s: status %d: %s\n", fault, status, said);
  assert_int_equal(status, 0);
  free(said);
  store_close(open_store(folder)); // and the file is whole
  remove_folder(folder);
  free(folder);
}

static void test_any_call_may_fail(void **state) {
  static const char *const points[] = { "malloc", "open",  "rename",
                                        "sqlite", "fsync", "write" };
  static const unsigned most[] = { 60, 6, 3, 60, 3, 3 };
  char fault[64], *said;
  assert_int_equal(run_child("with_fault", *state, "AUTOTUNE_FAULT=fork:1", &said), 99);
  free(said);
  for (unsigned p = 0; p < sizeof points / sizeof *points; p++)
    for (unsigned n = 1; n <= most[p]; n++)
      for (unsigned later = 0; later < 2; later++) {
        snprintf(fault, sizeof fault, "AUTOTUNE_FAULT=%s:%u%s", points[p], n,
                 later ? "+" : "");
        expect_survival(fault, n % 2);
      }
}

#define TEST(name) \
  cmocka_unit_test_setup_teardown(name, fast_folder_setup, folder_teardown)

static const struct child children[] = {
  { "limited_size", limited_size },
  { "below_a_file", below_a_file },
  { "without_home", without_home },
  { "full_disk", full_disk },
  { "read_only_folder", read_only_folder },
  { "read_only_and_empty", read_only_and_empty },
  { "with_fault", with_fault },
};

int main(int argc, char **argv) {
  be_child(argc, argv, children, sizeof children / sizeof *children);
  const struct CMUnitTest tests[] = {
    TEST(test_no_mutant_is_believed),
    TEST(test_limited_file_size),
    TEST(test_below_a_file),
    TEST(test_without_home),
    TEST(test_full_disk),
    TEST(test_read_only_folder),
    TEST(test_read_only_and_empty),
    TEST(test_any_call_may_fail),
  };
  rounds_limit(300);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
