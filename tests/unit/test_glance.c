// SPDX-License-Identifier: Apache-2.0
// A glance at the store shows what a connection shows, or nothing. It shows nothing of a
// file that another process writes to, and it drops no lock.
#include <fcntl.h>

#include "mutate.h"
#include "rounds.h"
#include "store_fixture.h"

enum { PROBLEMS = 150, MUTANTS = 2000 };

static struct identity identity_of(long long which, long long key[2]) {
  struct identity id = fixture_identity();
  key[0] = which;
  key[1] = 1;
  id.key = key;
  return id;
}

// Writes the winners of PROBLEMS keys, with texts up to some pages long, and up to three
// rows of how they have done.
static void write_store(const char *folder) {
  char *text = malloc(30000);
  long long key[2];
  struct store *s = open_store(folder);
  for (unsigned i = 0; i < PROBLEMS; i++) {
    struct identity id = identity_of(i, key);
    struct summary m = fixture_summary();
    memset(text, 'a' + (int)(i % 26), 30000);
    text[i % 3 ? i * 7 : i * 190] = '\0';
    m.why = text;
    m.object = 1000 + i;
    m.cold = i; // a number without a fraction
    assert_int_equal(store_summary(s, &id, &m), 0);
    for (unsigned v = 0; v < i % 4; v++) {
      struct service row = { .variant = v, .values = text, .looks = i, .why = "" };
      assert_int_equal(store_served(s, &id, &row), 0);
    }
  }
  store_close(s);
  free(text);
}

static void see_service(const struct service *v, void *data) {
  uint64_t *sum = data;
  *sum += 1000 + v->looks + 7 * v->variant + strlen(v->values);
}

static void test_all_is_seen(void **state) {
  long long key[2];
  write_store(*state);
  for (unsigned i = 0; i < PROBLEMS; i++) {
    struct identity id = identity_of(i, key);
    struct summary seen, known;
    uint64_t seen_sum = 0, known_sum = 0;
    struct glance *g = glance_open_in(*state);
    assert_true(g && glance_winner(g, &id, &seen));
    glance_services(g, &id, see_service, &seen_sum);
    assert_true(glance_close(g));
    struct store *s = open_store(*state);
    assert_true(store_winner(s, &id, &known, NULL));
    store_services(s, &id, see_service, &known_sum);
    store_close(s);
    assert_string_equal(seen.why, known.why);
    assert_string_equal(seen.values, known.values);
    assert_true(seen.object == 1000 + i && seen.cold == i && seen.winner == known.winner);
    assert_true(seen.best.high == known.best.high && seen.verified);
    assert_memory_equal(seen.failed, known.failed, sizeof seen.failed);
    assert_true(seen_sum == known_sum && (i % 4 == 0) == (seen_sum == 0));
    store_summary_free(&seen);
    store_summary_free(&known);
  }
}

static void test_others_are_not_seen(void **state) {
  long long key[2];
  struct summary m;
  uint64_t sum = 0;
  assert_null(glance_open_in(*state));
  write_store(*state);
  struct glance *g = glance_open_in(*state);
  struct identity id = identity_of(PROBLEMS, key);
  assert_false(glance_winner(g, &id, &m));
  glance_services(g, &id, see_service, &sum);
  assert_true(sum == 0);
  id = identity_of(1, key);
  id.toolchain = "clang 22.1.8";
  assert_false(glance_winner(g, &id, &m));
  assert_true(glance_close(g));
  char *path = sys_printf("%s/results.db", (char *)*state);
  assert_int_equal(chmod(path, 0666), 0); // others can write it
  assert_null(glance_open_in(*state));
  free(path);
}

// ---- other processes ----------------------------------------------------------------

static sqlite3 *open_database(const char *folder) {
  char *path = sys_printf("%s/results.db", folder);
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
  free(path);
  return db;
}

// True if another process can begin to write.
static bool is_free(const char *folder) {
  pid_t pid = fork();
  if (pid == 0) {
    sqlite3 *db = open_database(folder);
    _exit(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK);
  }
  int status = 1;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status == 0;
}

static bool is_seen(const char *folder) {
  struct glance *g = glance_open_in(folder);
  glance_close(g);
  return g != NULL;
}

static bool is_seen_elsewhere(const char *folder) {
  pid_t pid = fork();
  if (pid == 0)
    _exit(!is_seen(folder));
  int status = 1;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status == 0;
}

static void test_locks(void **state) {
  write_store(*state);
  assert_true(is_free(*state) && is_seen(*state));
  struct store *s = open_store(*state);
  assert_int_equal(store_run(s->db, "BEGIN IMMEDIATE"), SQLITE_OK);
  assert_false(is_seen(*state));          // it has a connection
  assert_false(is_free(*state));          // whose lock is still there
  assert_true(is_seen_elsewhere(*state)); // nothing is written yet
  store_close(s);
  assert_true(is_seen(*state));
  sqlite3 *db = open_database(*state);
  assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(
      sqlite3_exec(db, "DELETE FROM winner WHERE problem > 0", NULL, NULL, NULL),
      SQLITE_OK);
  assert_false(is_seen_elsewhere(*state)); // the journal may have to be rolled back
  assert_int_equal(sqlite3_exec(db, "COMMIT; BEGIN EXCLUSIVE", NULL, NULL, NULL),
                   SQLITE_OK);
  assert_false(is_seen_elsewhere(*state));
  sqlite3_close(db);
  assert_true(is_free(*state) && is_seen(*state));
}

// ---- damage -------------------------------------------------------------------------

static unsigned char *read_file(const char *folder, size_t *size) {
  char *path = sys_printf("%s/results.db", folder);
  int fd = open(path, O_RDONLY);
  struct stat st;
  assert_int_equal(fstat(fd, &st), 0);
  *size = (size_t)st.st_size;
  unsigned char *data = malloc(*size);
  assert_int_equal(sys_read_all(fd, data, *size), (int)*size);
  close(fd);
  free(path);
  return data;
}

static void write_file(const char *folder, const unsigned char *data, size_t size) {
  char *path = sys_printf("%s/results.db", folder);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_int_equal(sys_write_all(fd, data, size), 0);
  close(fd);
  free(path);
}

static void test_no_mutant_is_believed(void **state) {
  long long key[2];
  size_t size;
  write_store(*state);
  unsigned char *original = read_file(*state, &size), *data = malloc(2 * size + 4096);
  struct rounds r = rounds_begin(MUTANTS, 4711);
  unsigned found = 0;
  while (rounds_next(&r)) {
    struct summary m;
    uint64_t sum = 0;
    write_file(*state, data, mutate(original, size, data, &r.rng));
    for (unsigned i = (unsigned)(r.rng % 40); i < PROBLEMS; i += 40) {
      struct identity id = identity_of(i, key);
      struct glance *g = glance_open_in(*state);
      if (g && glance_winner(g, &id, &m)) {
        found++;
        assert_true(m.object == 1000 + i && m.best.n == 40);
        store_summary_free(&m);
      }
      if (g)
        glance_services(g, &id, see_service, &sum);
      glance_close(g);
    }
  }
  assert_true(found > r.done); // most mutants differ elsewhere
  free(data);
  free(original);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_all_is_seen, fast_folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_others_are_not_seen, fast_folder_setup,
                                    folder_teardown),
    cmocka_unit_test_setup_teardown(test_locks, fast_folder_setup, folder_teardown),
    cmocka_unit_test_setup_teardown(test_no_mutant_is_believed, fast_folder_setup,
                                    folder_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
