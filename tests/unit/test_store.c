// SPDX-License-Identifier: Apache-2.0
// The store returns what was written, and refuses what was not.
#include <fcntl.h>
#include <pthread.h>
#include <time.h>

#include "model/key.h"
#include "store_fixture.h"

// ---- round trips --------------------------------------------------------------------

static void test_summary_survives(void **state) {
  struct identity id = fixture_identity();
  struct summary in = fixture_summary(), out;
  struct store *s = open_store(*state);
  assert_int_equal(store_summary(s, &id, &in), 0);
  store_close(s);
  s = open_store(*state);
  assert_true(store_winner(s, &id, &out, NULL));
  assert_string_equal(out.values, in.values);
  assert_string_equal(out.compiler, in.compiler);
  assert_string_equal(out.search, in.search);
  assert_string_equal(out.why, in.why);
  assert_true(out.winner == 7 && out.object == 99 && out.tried == 48 && out.verified);
  assert_true(out.best.low == in.best.low && out.original.high == in.original.high);
  assert_memory_equal(out.failed, in.failed, sizeof in.failed);
  assert_true(out.flops == 2e9 && out.total_seconds == 7 && out.when > 1e9);
  store_summary_free(&out);
  store_close(s);
}

static void test_record_survives(void **state) {
  struct identity id = fixture_identity();
  double samples[] = { 3e-3, 1e-3, 2e-3 };
  struct record r = fixture_record(11, samples, 3);
  struct store *s = open_store(*state);
  enum status status = STATUS_CRASH;
  struct estimate e = { 0 };
  assert_false(is_known(s, &id, 11, &status, &e, NULL));
  assert_int_equal(store_finish(s, &id, &r), 0);
  assert_true(is_known(s, &id, 11, &status, &e, NULL));
  assert_int_equal(status, STATUS_OK);
  assert_true(e.median == 2e-3 && e.n == 3);
  assert_false(is_known(s, &id, 12, &status, &e, NULL));
  store_close(s);
}

// Samples are kept as they were measured. Choices go by what they would be without the
// slowdown.
static void test_slowdown_survives(void **state) {
  struct identity id = fixture_identity();
  double samples[] = { 3e-3, 1e-3, 2e-3 };
  struct record r = fixture_record(11, samples, 3);
  struct store *s = open_store(*state);
  enum status status;
  struct estimate e;
  r.slowdown = 2;
  assert_int_equal(store_finish(s, &id, &r), 0);
  assert_true(is_known(s, &id, 11, &status, &e, NULL));
  assert_true(e.median == 1e-3 && e.high == 1.5e-3 && e.n == 3);
  store_close(s);
  struct listing l;
  s = open_store(*state);
  assert_int_equal(store_list(s, NULL, &l), 0);
  assert_true(l.items[0].records[0].samples[0] == 3e-3);
  assert_true(l.items[0].records[0].slowdown == 2);
  store_list_free(&l);
  store_close(s);
}

// Features are kept. A variant that was dropped counts as unknown.
static void test_features_survive(void **state) {
  struct identity id = fixture_identity();
  double samples[] = { 1e-3 };
  struct features in = { { 1.5f, 2 } }, out;
  struct record r = fixture_record(11, samples, 1);
  struct store *s = open_store(*state);
  enum status status;
  struct estimate e;
  assert_int_equal(store_finish(s, &id, &r), 0);
  assert_true(is_known(s, &id, 11, &status, &e, &out) && out.values[0] != out.values[0]);
  r.features = &in;
  r.features_size = sizeof in;
  assert_int_equal(store_finish(s, &id, &r), 0);
  assert_true(is_known(s, &id, 11, &status, &e, &out));
  assert_memory_equal(&in, &out, sizeof in);
  r.status = STATUS_DROPPED;
  assert_int_equal(store_finish(s, &id, &r), 0);
  assert_false(is_known(s, &id, 11, &status, &e, &out));
  struct listing l;
  assert_int_equal(store_list(s, NULL, &l), 0);
  assert_int_equal(l.items[0].records[0].status, STATUS_DROPPED);
  store_list_free(&l);
  store_close(s);
}

static void test_open_ends_and_nonsense_are_kept_readable(void **state) {
  struct identity id = fixture_identity();
  struct summary in = fixture_summary(), out;
  in.best.high = 1.0 / 0.0;
  in.best.low = 0.0 / 0.0;
  in.flops = -0.0;
  in.values = NULL;
  struct store *s = open_store(*state);
  assert_int_equal(store_summary(s, &id, &in), 0);
  assert_true(store_winner(s, &id, &out, NULL));
  assert_true(out.best.low == out.best.median && out.best.high == out.best.median);
  assert_string_equal(out.values, "");
  store_summary_free(&out);
  store_close(s);
}

// A caller that may not wait looks at one of the known keys, not at all of them.
static void test_why_takes_no_longer_than_is_waited(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary(), out;
  struct store *s = open_store(*state);
  char *why = NULL;
  for (long long n = 1; n <= 20; n++) {
    id.key = (long long[]){ n, 3 };
    assert_int_equal(store_summary(s, &id, &m), 0);
  }
  id.key = (long long[]){ 100, 3 };
  assert_false(store_winner(s, &id, &out, &why));
  assert_non_null(strstr(why, ", m = 3 and 19 other keys"));
  assert_null(strchr(strstr(why, " and ") + 1, '='));
  free(why);
  s->wait = 0;
  assert_false(store_winner(s, &id, &out, &why));
  assert_non_null(strstr(why, "tuned for n = "));
  assert_null(strstr(why, " and "));
  free(why);
  store_close(s);
}

// ---- pending trials -----------------------------------------------------------------

static void test_pending_of_the_living_is_unknown(void **state) {
  struct identity id = fixture_identity();
  struct record r = fixture_record(5, NULL, 0);
  struct store *s = open_store(*state);
  enum status status;
  struct estimate e;
  assert_int_equal(store_begin(s, &id, &r), 0);
  assert_false(is_known(s, &id, 5, &status, &e, NULL));
  store_close(s);
}

static void test_pending_of_the_dead_is_quarantined(void **state) {
  struct identity id = fixture_identity();
  struct record r = fixture_record(5, NULL, 0);
  pid_t child = fork();
  if (child == 0) {
    struct store *s = store_open_in(*state, true, &(char *){ NULL });
    _exit(s && store_begin(s, &id, &r) == 0 ? 0 : 1); // as if it had been killed
  }
  int ended;
  waitpid(child, &ended, 0);
  assert_int_equal(ended, 0);
  struct store *s = open_store(*state);
  enum status status = STATUS_OK;
  struct estimate e;
  assert_true(is_known(s, &id, 5, &status, &e, NULL));
  assert_int_equal(status, STATUS_PENDING);
  store_close(s);
}

// In another container, or on another machine with the same folder, this process cannot
// see whether the writer lives.
static void test_pending_elsewhere_is_believed_for_a_while(void **state) {
  struct identity id = fixture_identity();
  struct record r = fixture_record(5, NULL, 0);
  struct store *s = open_store(*state);
  struct looked found;
  r.status = STATUS_PENDING;
  r.message = "7 4711 1b4e28ba-2fa1-11d2-883f-0016d3cca427 pid:[4026531836]";
  assert_int_equal(store_finish(s, &id, &r), 0);
  assert_int_equal(store_look(s, &id, 5, &found, NULL), KNOWN_TAKEN);
  r.when = (double)time(NULL) - 3600;
  assert_false(store_owner_lives(&r));
  r.when = (double)time(NULL) - 5;
  assert_true(store_owner_lives(&r));
  store_close(s);
}

// Pairs of calls are added to the winner that they are about, and to no other one.
static void test_own_calls_are_added(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  struct store *s = open_store(*state);
  const struct own_calls some = { 4, 3, 1, 2, 0.3, 0.6 };
  m.when = 1000;
  assert_int_equal(store_own_calls(s, &id, m.winner, &some), -1); // there is no winner
  assert_int_equal(store_summary(s, &id, &m), 0);
  assert_int_equal(store_own_calls(s, &id, m.winner + 1, &some), -1);
  assert_int_equal(store_own_calls(s, &id, m.winner, &some), 0);
  assert_true(store_winner(s, &id, &m, NULL));
  assert_true(m.winner == 7 && m.when == 1000 && m.own.pairs == 4 && m.own.slower == 3);
  store_summary_free(&m);
  struct identity changed = id;
  changed.contract++;
  assert_int_equal(store_own_calls(s, &changed, 7, &some), -1); // another default
  assert_int_equal(store_own_calls(s, &id, 7, &some), 0);
  assert_true(store_winner(s, &id, &m, NULL));
  assert_true(m.winner == 0 && m.ended == ENDED_SLOWER && !m.object && !*m.values);
  assert_true(m.own.pairs == 8 && m.own.original == 2 && m.own.longest_winner == 0.6);
  assert_true(m.when > 1000); // newer than what was exported before
  store_summary_free(&m);
  assert_int_equal(store_own_calls(s, &id, 7, &some), -1);
  store_close(s);
}

static void test_pending_that_came_too_late_is_not_written(void **state) {
  struct identity id = fixture_identity();
  struct record r = fixture_record(5, NULL, 0);
  struct store *s = open_store(*state), *other = open_store(*state);
  struct listing l;
  double sample = 1;
  assert_int_equal(store_run(other->db, "BEGIN EXCLUSIVE"), SQLITE_OK);
  assert_int_equal(store_begin(s, &id, &r), -1);
  r = fixture_record(6, &sample, 1);
  assert_int_equal(store_finish(s, &id, &r), -1);
  r = fixture_record(7, NULL, 0);
  assert_int_equal(store_begin(s, &id, &r), -1);
  assert_int_equal(store_run(other->db, "COMMIT"), SQLITE_OK);
  store_close(other);
  store_close(s);
  s = open_store(*state);
  assert_int_equal(store_list(s, NULL, &l), 0);
  assert_int_equal(l.n, 1);
  assert_int_equal(l.items[0].n_records, 1);
  assert_true(l.items[0].records[0].variant == 6);
  store_list_free(&l);
  store_close(s);
}

// ---- D6: no result outlives what it describes ---------------------------------------

static void expect_miss(struct store *s, const struct identity *id, const char *reason) {
  struct summary out;
  char *why = NULL;
  assert_false(store_winner(s, id, &out, &why));
  assert_non_null(why);
  if (!strstr(why, reason))
    print_error("'%s' is not in '%s'\n", reason, why);
  assert_non_null(strstr(why, reason));
  free(why);
}

static void test_each_part_of_the_identity_counts(void **state) {
  struct identity id = fixture_identity(), other;
  struct summary m = fixture_summary();
  long long key[] = { 1024, 3 };
  const char *const names[] = { "n", "k" };
  struct store *s = open_store(*state);
  expect_miss(s, &id, "never tuned");
  m.source = "borrowed from n = 256";
  assert_int_equal(store_summary(s, &id, &m), 0);
  other = id, other.key = key;
  expect_miss(s, &other, "never tuned"); // a key with a borrowed winner is not tuned
  m.source = NULL;
  assert_int_equal(store_summary(s, &id, &m), 0);
  other = id, other.unit++;
  expect_miss(s, &other, "text or build flags changed");
  other = id, other.kernel = "gemv";
  expect_miss(s, &other, "never tuned");
  other = id, other.cpu = "Test CPU 2";
  expect_miss(s, &other, "cpu Test CPU 1 → Test CPU 2");
  other = id, other.isa = "x86-64-v4 2";
  expect_miss(s, &other, "instruction set x86-64-v3 1 → x86-64-v4 2");
  other = id, other.threads = 4;
  expect_miss(s, &other, "threads 2 → 4");
  other = id, other.key = key;
  expect_miss(s, &other, "never tuned for n = 1024, m = 3; tuned for n = 512, m = 3");
  other = id, other.n_keys = 1;
  expect_miss(s, &other, "key expressions changed");
  other = id, other.key_names = names;
  expect_miss(s, &other, "key expressions changed");
  other = id, other.toolchain = "clang 22.1.8";
  expect_miss(s, &other, "compiler clang 22.1.7 → clang 22.1.8");
  other.threads = 4, other.cpu = "Test CPU 2";
  expect_miss(s, &other, "cpu Test CPU 1 → Test CPU 2; threads 2 → 4");
  store_close(s);
}

static void test_the_file_is_no_part_of_the_identity(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary(), out;
  struct store *s = open_store(*state);
  assert_int_equal(store_summary(s, &id, &m), 0);
  id.file = "elsewhere/gemm.c";
  assert_true(store_winner(s, &id, &out, NULL));
  store_summary_free(&out);
  store_close(s);
}

static void test_several_keys_are_counted(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  struct store *s = open_store(*state);
  for (long long n = 1; n <= 3; n++) {
    long long key[] = { n, 3 };
    id.key = key;
    assert_int_equal(store_summary(s, &id, &m), 0);
  }
  id.key = fixture_key;
  char *why = NULL;
  struct summary out;
  assert_false(store_winner(s, &id, &out, &why));
  assert_non_null(strstr(why, ", m = 3 and 2 other keys"));
  free(why);
  store_close(s);
}

// ---- forgetting ---------------------------------------------------------------------

static void test_forget_takes_what_was_meant(void **state) {
  struct identity a = fixture_identity(), b = a, c = a;
  long long key[] = { 1, 2 };
  struct summary m = fixture_summary(), out;
  struct record r = fixture_record(3, (double[]){ 1 }, 1);
  enum status status;
  struct estimate e;
  b.key = key;
  c.kernel = "conv";
  struct store *s = open_store(*state);
  const struct identity *all[] = { &a, &b, &c };
  for (int i = 0; i < 3; i++) {
    assert_int_equal(store_summary(s, all[i], &m), 0);
    assert_int_equal(store_finish(s, all[i], &r), 0);
  }
  assert_int_equal(store_forget(s, "gemm", a.unit, a.key, 2), 0);
  assert_false(store_winner(s, &a, &out, NULL));
  assert_false(is_known(s, &a, 3, &status, &e, NULL));
  assert_true(store_winner(s, &b, &out, NULL));
  store_summary_free(&out);
  assert_int_equal(store_forget(s, "gemm", 0, NULL, 0), 0);
  assert_false(store_winner(s, &b, &out, NULL));
  assert_true(store_winner(s, &c, &out, NULL));
  store_summary_free(&out);
  assert_int_equal(store_forget(s, NULL, 0, NULL, 0), 0);
  assert_false(store_winner(s, &c, &out, NULL));
  store_close(s);
}

// ---- connections --------------------------------------------------------------------

static void test_a_forked_child_is_refused(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary(), out;
  struct store *s = open_store(*state);
  assert_int_equal(store_summary(s, &id, &m), 0);
  pid_t child = fork();
  if (child == 0) {
    int refused = !store_winner(s, &id, &out, NULL) && store_summary(s, &id, &m) == -1 &&
        store_forget(s, NULL, 0, NULL, 0) == -1;
    store_close(s);
    _exit(refused ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  assert_true(store_winner(s, &id, &out, NULL));
  store_summary_free(&out);
  store_close(s);
}

static void run_sql(const char *folder, const char *sql) {
  sqlite3 *db;
  char *path = sys_printf("%s/results.db", folder);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  free(path);
}

static void test_a_locked_store_delays_and_then_takes_it_all(void **state) {
  struct identity id = fixture_identity();
  struct store *s = open_store(*state), *other = open_store(*state);
  assert_int_equal(store_run(other->db, "BEGIN EXCLUSIVE"), SQLITE_OK);
  for (unsigned i = 1; i <= 50; i++) {
    double sample = i;
    struct record r = fixture_record(i, &sample, 1);
    assert_int_equal(store_finish(s, &id, &r),
                     -1); // not acknowledged: the store is locked
  }
  char *message = NULL;
  assert_null(store_open_in(*state, true, &message));
  assert_non_null(strstr(message, "is locked by another process"));
  free(message);
  assert_int_equal(store_run(other->db, "COMMIT"), SQLITE_OK);
  store_close(other);
  store_close(s); // queued rows are written now
  s = open_store(*state);
  for (unsigned i = 1; i <= 50; i++) {
    enum status status;
    struct estimate e;
    assert_true(is_known(s, &id, i, &status, &e, NULL));
    assert_true(e.median == i);
  }
  store_close(s);
}

// ---- D5, S1: what the file is not allowed to do -------------------------------------

static unsigned count_bad(const char *folder) {
  char *command = sys_printf("ls %s | grep -c 'results.db.bad-[0-9T.]*$'", folder);
  FILE *f = popen(command, "r");
  unsigned n = 0;
  assert_int_equal(fscanf(f, "%u", &n), 1);
  pclose(f);
  free(command);
  return n;
}

static void fill(const char *folder) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  struct record r = fixture_record(7, (double[]){ 1, 2, 3 }, 3);
  struct store *s = open_store(folder);
  assert_int_equal(store_finish(s, &id, &r), 0);
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
}

static void expect_empty(const char *folder) {
  struct identity id = fixture_identity();
  struct summary out;
  struct store *s = open_store(folder);
  assert_false(store_winner(s, &id, &out, NULL));
  store_close(s);
}

static void test_changed_rows_are_not_believed(void **state) {
  fill(*state);
  run_sql(*state, "UPDATE winner SET object = 12345");
  expect_empty(*state);
  assert_int_equal(count_bad(*state), 0);
  struct identity id = fixture_identity();
  struct estimate e;
  enum status status;
  struct store *s = open_store(*state);
  assert_true(is_known(s, &id, 7, &status, &e, NULL));
  store_close(s);
  run_sql(*state, "UPDATE variant SET samples = x'0000000000000000'");
  s = open_store(*state);
  assert_false(is_known(s, &id, 7, &status, &e, NULL));
  store_close(s);
}

// Results of different objectives are never compared.
static void test_objectives_are_apart(void **state) {
  (void)state;
  struct identity id = fixture_identity(), other = id;
  other.objective = OBJECTIVES;
  assert_true(problem_id(&id) != problem_id(&other));
}

static void test_a_newer_database_is_left_alone(void **state) {
  fill(*state);
  run_sql(*state, "PRAGMA user_version=20"); // RECORD_VERSION + 1
  char *message = NULL;
  assert_null(store_open_in(*state, true, &message));
  assert_non_null(strstr(message, "newer"));
  free(message);
  assert_int_equal(count_bad(*state), 0);
  run_sql(*state, "PRAGMA user_version=13");
  struct identity id = fixture_identity();
  struct summary out;
  struct store *s = open_store(*state);
  assert_true(store_winner(s, &id, &out, NULL));
  store_summary_free(&out);
  store_close(s);
}

// Writes the file as format VERSION had it, with fewer columns and tables. One row of
// each table looks right, a second winner is damaged.
static void write_format(const char *folder, unsigned version, const struct identity *id,
                         struct summary m) {
  static const unsigned first[] = { 9, 11, 27 }; // columns
  struct cell cells[3][STORE_CELLS];
  struct problem p;
  struct record r = fixture_record(7, (double[]){ 1, 2, 3 }, 3);
  char *path = sys_printf("%s/results.db", folder), *key = problem_of(id, &p), end[200];
  sqlite3 *db = NULL;
  r.problem = m.problem = p.id;
  r.when = 1e9;
  m.toolchain = id->toolchain;
  row_make(&kind_problem, &p, cells[0]);
  row_make(&kind_record, &r, cells[1]);
  row_make(&kind_summary, &m, cells[2]);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  for (int i = 0; i < 3; i++) {
    struct kind earlier = *kinds[i];
    while (earlier.facts[earlier.n - 1].since > version)
      earlier.n--;
    assert_true(version > 1 || earlier.n == first[i]);
    char *create = table_create_sql(&earlier), *insert = table_insert_sql(&earlier);
    sqlite3_stmt *q = NULL;
    assert_int_equal(store_run(db, create), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, insert, -1, &q, NULL), SQLITE_OK);
    assert_int_equal(row_bind(q, &earlier, cells[i]), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_DONE);
    sqlite3_finalize(q);
    free(create);
    free(insert);
  }
  snprintf(end, sizeof end,
           "INSERT INTO winner(problem, sum) VALUES(1, 2);"
           "PRAGMA application_id=0x41544e45; PRAGMA user_version=%u",
           version);
  assert_int_equal(store_run(db, end), SQLITE_OK);
  sqlite3_close(db);
  chmod(path, 0600);
  free(path);
  free(key);
}

// A fact that is a number since format 4 was a text before.
static void test_texts_of_older_rows_are_understood(void **state) {
  static const struct {
    const char *cpu, *isa, *source, *why;
    enum device_kind device;
    enum winner_origin origin;
    enum ended ended;
  } old[] = {
    { "Test CPU 1", "x86-64-v3 1", "", "all variants tried", DEVICE_PROCESSOR,
      ORIGIN_HERE, ENDED_UNKNOWN },
    { "NVIDIA H200", "sm_90, 132 multiprocessors", "wisdom x.jsonl", "", DEVICE_CUDA,
      ORIGIN_WISDOM, ENDED_UNKNOWN },
    { "emulated GPU (CPU)", "sm_80, 2 multiprocessors", "borrowed from n = 256",
      "raced again: 1.31 x slower than before", DEVICE_EMULATED, ORIGIN_PROVISIONAL,
      ENDED_RACED },
  };
  for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
    struct identity id = fixture_identity();
    struct summary m = fixture_summary();
    struct listing l;
    char *folder = sys_printf("%s/%zu", (const char *)*state, i);
    id.cpu = old[i].cpu;
    id.isa = old[i].isa;
    m.source = old[i].source;
    m.why = old[i].why;
    assert_int_equal(mkdir(folder, 0700), 0);
    write_format(folder, 3, &id, m);
    struct store *s = open_store(folder);
    assert_int_equal(store_list(s, NULL, &l), 0);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.items[0].problem.device, old[i].device);
    assert_int_equal(l.items[0].summary.origin, old[i].origin);
    assert_int_equal(l.items[0].summary.ended, old[i].ended);
    assert_int_equal(l.items[0].provisional, old[i].origin == ORIGIN_PROVISIONAL);
    assert_int_equal(l.items[0].records[0].maker, MAKER_BUILT_IN); // "clang 22.1.7"
    store_list_free(&l);
    store_close(s);
    free(folder);
  }
}

// Texts are for people: another wording changes nothing.
static void test_words_decide_nothing(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary(), out;
  struct record r = fixture_record(5, (double[]){ 1 }, 1);
  struct listing l;
  m.origin = ORIGIN_PROVISIONAL;
  m.source = "taken over from n = 256";
  m.ended = ENDED_RACED;
  m.why = "measured once more";
  r.maker = MAKER_PROGRAM;
  r.compiler = "clang version 21.1.0";
  id.device = DEVICE_CUDA;
  struct store *s = open_store(*state);
  assert_int_equal(store_summary(s, &id, &m), 0);
  assert_int_equal(store_finish(s, &id, &r), 0);
  assert_true(store_winner(s, &id, &out, NULL));
  assert_true(summary_is_provisional(&out) && out.ended == ENDED_RACED);
  store_summary_free(&out);
  assert_int_equal(store_list(s, NULL, &l), 0);
  assert_int_equal(l.items[0].records[0].maker, MAKER_PROGRAM);
  assert_int_equal(l.items[0].problem.device, DEVICE_CUDA);
  store_list_free(&l);
  store_close(s);
}

static void test_an_older_database_is_brought_up_to_date(void **state) {
  struct identity id = fixture_identity();
  struct summary out;
  struct estimate e;
  enum status status;
  write_format(*state, 1, &id, fixture_summary());
  for (int i = 0; i < 2; i++) { // the second time it is our own file
    struct store *s = open_store(*state);
    struct listing l;
    assert_true(store_winner(s, &id, &out, NULL));
    assert_string_equal(out.values, "MR=6\nNR=64\n");
    assert_string_equal(out.source, "");
    assert_int_equal(out.space, 0);
    store_summary_free(&out);
    assert_true(is_known(s, &id, 7, &status, &e, NULL));
    assert_int_equal(e.n, 3);
    assert_int_equal(store_list(s, NULL, &l), 0);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.damaged, 0);
    store_list_free(&l);
    store_close(s);
  }
  assert_int_equal(count_bad(*state), 0);
}

// What the program's own calls add to a result does not take its commit away. A result of
// the format before has none.
static void test_a_commit_is_kept(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary(), out;
  const struct own_calls own = { .pairs = 3, .original = 3, .winner = 1 };
  m.origin = ORIGIN_HERE;
  write_format(*state, 15, &id, m);
  struct store *s = open_store(*state);
  assert_true(store_winner(s, &id, &out, NULL));
  assert_string_equal(out.commit, "");
  store_summary_free(&out);
  m.commit = "0123456789ab";
  assert_int_equal(store_summary(s, &id, &m), 0);
  assert_int_equal(store_own_calls(s, &id, m.winner, &own), 0);
  assert_true(store_winner(s, &id, &out, NULL));
  assert_string_equal(out.commit, "0123456789ab");
  assert_int_equal(out.own.pairs, 3);
  store_summary_free(&out);
  store_close(s);
}

static void expect_set_aside(const char *folder, const char *sql) {
  unsigned before = count_bad(folder);
  fill(folder);
  run_sql(folder, sql);
  expect_empty(folder);
  assert_int_equal(count_bad(folder), before + 1);
}

static void test_foreign_databases_are_set_aside(void **state) {
  expect_set_aside(*state, "PRAGMA application_id=1");
  expect_set_aside(*state, "PRAGMA user_version=0");
  expect_set_aside(*state, "CREATE TABLE stranger(a)");
  expect_set_aside(
      *state, "CREATE TRIGGER t AFTER INSERT ON problem BEGIN DELETE FROM winner; END");
  expect_set_aside(*state, "DROP TABLE variant");
  expect_set_aside(*state,
                   "DROP TABLE winner; CREATE VIEW winner AS SELECT * FROM problem");
  expect_set_aside(*state, "PRAGMA journal_mode=WAL");
  expect_set_aside(*state,
                   "PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql = sql || ' '");
}

static void write_file(const char *folder, const char *data, size_t size) {
  char *path = sys_printf("%s/results.db", folder);
  FILE *f = fopen(path, "w");
  assert_int_equal(fwrite(data, 1, size, f), size);
  fclose(f);
  free(path);
}

static void test_other_files_are_set_aside(void **state) {
  write_file(*state, "", 0);
  expect_empty(*state);
  write_file(*state, "hello", 5);
  expect_empty(*state);
  static char zeros[8192];
  write_file(*state, zeros, sizeof zeros);
  expect_empty(*state);
  assert_int_equal(count_bad(*state), 3);
}

static void test_a_reader_changes_nothing(void **state) {
  char *message = NULL;
  assert_null(store_open_in(*state, false, &message));
  assert_non_null(strstr(message, "does not exist"));
  free(message);
  write_file(*state, "hello", 5);
  assert_null(store_open_in(*state, false, &message));
  assert_non_null(strstr(message, "damaged"));
  free(message);
  assert_int_equal(count_bad(*state), 0);
}

static void test_broken_while_open_is_replaced(void **state) {
  fill(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary(), out;
  struct store *s = open_store(*state);
  write_file(*state, "gone", 4);
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  s = open_store(*state);
  assert_true(store_winner(s, &id, &out, NULL));
  store_summary_free(&out);
  store_close(s);
  assert_int_equal(count_bad(*state), 1);
}

static void test_set_aside_by_another_is_followed(void **state) {
  fill(*state);
  struct identity id = fixture_identity();
  struct summary m = fixture_summary(), out;
  struct store *s = open_store(*state);
  char *from = sys_printf("%s/results.db", (char *)*state);
  char *to = sys_printf("%s/results.db.bad-20260101T000000", (char *)*state);
  assert_int_equal(rename(from, to), 0);
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  s = open_store(*state);
  assert_true(store_winner(s, &id, &out, NULL));
  store_summary_free(&out);
  store_close(s);
  free(from);
  free(to);
}

static unsigned open_files(void) {
  unsigned n = 0;
  for (int fd = 0; fd < 256; fd++)
    n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

static void test_a_lingering_connection_is_used_again(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary(), out;
  fill(*state);
  unsigned before = open_files();
  store_linger(true);
  store_close(open_store(*state));
  assert_true(open_files() > before);
  struct store *s = open_store(*state), *other = open_store(*state);
  assert_ptr_not_equal(s, other); // one is in use
  assert_int_equal(store_summary(s, &id, &m), 0);
  assert_true(store_winner(other, &id, &out, NULL));
  store_summary_free(&out);
  store_close(s);
  store_close(other);
  store_linger(false);
  assert_int_equal(open_files(), before);
  store_close(open_store(*state));
  assert_int_equal(open_files(), before);
}

static void *turn_off(void *data) {
  store_linger(false);
  return data;
}

// What one thread turns off does not linger in another one, nor in a fork.
static void test_connections_linger_in_one_process_until_turned_off(void **state) {
  unsigned before = open_files();
  pthread_t thread;
  store_linger(true);
  struct store *s = open_store(*state);
  assert_int_equal(pthread_create(&thread, NULL, turn_off, NULL), 0);
  pthread_join(thread, NULL);
  store_close(s);
  assert_int_equal(open_files(), before);
  store_linger(true);
  pid_t child = fork();
  if (child == 0) {
    store_close(open_store(*state));
    _exit(open_files() == before ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  store_linger(false);
}

static void test_a_lingering_connection_to_another_file_is_not_used(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary(), out;
  char *from = sys_printf("%s/results.db", (char *)*state);
  char *to = sys_printf("%s/old.db", (char *)*state);
  unsigned before = open_files();
  store_linger(true);
  struct store *s = open_store(*state);
  assert_int_equal(store_summary(s, &id, &m), 0);
  store_close(s);
  assert_int_equal(rename(from, to), 0);
  s = open_store(*state);
  assert_false(store_winner(s, &id, &out, NULL));
  store_close(s);
  pid_t child = fork(); // as a program may do, in another thread
  if (child == 0) {
    s = open_store(*state);
    _exit(s && store_summary(s, &id, &m) == 0 ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  store_linger(false);
  assert_int_equal(open_files(), before);
  free(from);
  free(to);
}

// ---- listing ------------------------------------------------------------------------

static void test_listing_has_all(void **state) {
  struct identity id = fixture_identity();
  struct summary m = fixture_summary();
  struct listing l;
  struct store *s = open_store(*state);
  for (unsigned i = 1; i <= 9; i++) {
    double samples[] = { i, i + 1 };
    struct record r = fixture_record(i, samples, 2);
    assert_int_equal(store_finish(s, &id, &r), 0);
  }
  assert_int_equal(store_summary(s, &id, &m), 0);
  id.kernel = "conv";
  struct record lone = fixture_record(1, NULL, 0);
  assert_int_equal(store_finish(s, &id, &lone), 0);
  assert_int_equal(store_list(s, NULL, &l), 0);
  assert_int_equal(l.n, 2);
  assert_string_equal(l.items[0].problem.kernel, "conv");
  assert_false(l.items[0].finished);
  assert_true(l.items[1].finished);
  assert_int_equal(l.items[1].n_records, 9);
  assert_true(l.items[1].records[8].samples[1] == 10);
  char *key = key_describe(l.items[1].problem.key, l.items[1].problem.key_names);
  assert_string_equal(key, "n = 512, m = 3");
  free(key);
  store_list_free(&l);
  assert_int_equal(store_list(s, "gemm", &l), 0);
  assert_int_equal(l.n, 1);
  store_list_free(&l);
  store_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_summary_survives),
    TEST(test_record_survives),
    TEST(test_slowdown_survives),
    TEST(test_features_survive),
    TEST(test_open_ends_and_nonsense_are_kept_readable),
    TEST(test_why_takes_no_longer_than_is_waited),
    TEST(test_pending_of_the_living_is_unknown),
    TEST(test_pending_of_the_dead_is_quarantined),
    TEST(test_pending_elsewhere_is_believed_for_a_while),
    TEST(test_own_calls_are_added),
    TEST(test_pending_that_came_too_late_is_not_written),
    TEST(test_each_part_of_the_identity_counts),
    TEST(test_the_file_is_no_part_of_the_identity),
    TEST(test_several_keys_are_counted),
    TEST(test_forget_takes_what_was_meant),
    TEST(test_a_forked_child_is_refused),
    TEST(test_a_lingering_connection_is_used_again),
    TEST(test_connections_linger_in_one_process_until_turned_off),
    TEST(test_a_lingering_connection_to_another_file_is_not_used),
    TEST(test_a_locked_store_delays_and_then_takes_it_all),
    TEST(test_changed_rows_are_not_believed),
    TEST(test_objectives_are_apart),
    TEST(test_a_newer_database_is_left_alone),
    TEST(test_an_older_database_is_brought_up_to_date),
    TEST(test_texts_of_older_rows_are_understood),
    TEST(test_words_decide_nothing),
    TEST(test_a_commit_is_kept),
    TEST(test_foreign_databases_are_set_aside),
    TEST(test_other_files_are_set_aside),
    TEST(test_a_reader_changes_nothing),
    TEST(test_broken_while_open_is_replaced),
    TEST(test_set_aside_by_another_is_followed),
    TEST(test_listing_has_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
