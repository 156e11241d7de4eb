/* SPDX-License-Identifier: Apache-2.0 */
/* store_fixture.h: folders, identities and records for the tests of the store. */
#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keep/store/store.h"
#include "keep/store/tables.h"

static inline int remove_entry(const char *path, const struct stat *st, int flag,
                               struct FTW *f) {
  (void)st, (void)flag, (void)f;
  return remove(path);
}

static inline void remove_folder(const char *path) {
  nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Returns a new folder. The test removes it with remove_folder and frees the path. */
static inline char *make_folder(void) {
  char *path = strdup("/tmp/autotune-test-XXXXXX");
  assert_non_null(mkdtemp(path));
  return path;
}

/* Does the same in memory if possible, for tests with thousands of files or fsyncs. */
static inline char *make_fast_folder(void) {
  char *path = strdup("/dev/shm/autotune-test-XXXXXX");
  if (mkdtemp(path))
    return path;
  free(path);
  return make_folder();
}

/* True if the variant's result is kept. */
static inline bool is_known(struct store *s, const struct identity *id, uint64_t variant,
                            enum status *status, struct estimate *e,
                            struct features *features) {
  struct looked r = { 0 };
  bool known = store_look(s, id, variant, &r, features) == KNOWN_RESULT;
  *status = r.status;
  *e = r.cost;
  return known;
}

/* For cmocka: makes the folder the test's state. */
static inline int folder_setup(void **state) {
  *state = make_folder();
  return 0;
}

static inline int fast_folder_setup(void **state) {
  *state = make_fast_folder();
  return 0;
}

static inline int folder_teardown(void **state) {
  remove_folder(*state);
  free(*state);
  return 0;
}

static inline struct store *open_store(const char *folder) {
  char *message = NULL;
  struct store *s = store_open_in(folder, true, &message);
  if (!s)
    print_error("%s\n", message ? message : "no memory");
  free(message);
  assert_non_null(s);
  return s;
}

static const char *const fixture_names[] = { "n", "m" };
static const long long fixture_key[] = { 512, 3 };

static inline struct identity fixture_identity(void) {
  return (struct identity){ .unit = 0x1234567890abcdefu,
                            .kernel = "gemm",
                            .file = "gemm.c",
                            .cpu = "Test CPU 1",
                            .isa = "x86-64-v3 1",
                            .threads = 2,
                            .key = fixture_key,
                            .n_keys = 2,
                            .key_names = fixture_names,
                            .toolchain = "clang 22.1.7" };
}

static inline struct record fixture_record(uint64_t variant, const double *samples,
                                           unsigned n) {
  return (struct record){ .variant = variant,
                          .values = "MR=6\nNR=64\n",
                          .compiler = "clang 22.1.7",
                          .status = STATUS_OK,
                          .message = "",
                          .samples = samples,
                          .n_samples = n,
                          .compile_seconds = 0.25,
                          .verify_seconds = 0.5,
                          .time_seconds = 1 };
}

static inline struct summary fixture_summary(void) {
  return (struct summary){
    .original = { 0.010, 0.0099, 0.0101, 30 },
    .best = { 0.002, 0.0019, 0.0021, 40 },
    .winner = 7,
    .values = "MR=6\nNR=64\n",
    .compiler = "clang 22.1.7",
    .object = 99,
    .tried = 48,
    .failed = { [STATUS_OK] = 40, [STATUS_WRONG] = 5, [STATUS_CRASH] = 3 },
    .total_hint = 120,
    .compile_seconds = 4,
    .verify_seconds = 1,
    .time_seconds = 5,
    .total_seconds = 7,
    .flops = 2e9,
    .bytes = 1e6,
    .verified = true,
    .search = "exhaustive",
    .why = "all were tried"
  };
}

/* Stores the result of a variant: six samples around MEDIAN if it is right. */
static inline void fixture_add(struct store *s, const struct identity *id,
                               uint64_t variant, const char *values, enum status status,
                               const char *message, double median) {
  double samples[6];
  for (int i = 0; i < 6; i++)
    samples[i] = median * (1 + 0.001 * i);
  struct record r = fixture_record(variant, samples, status == STATUS_OK ? 6 : 0);
  r.values = values;
  r.status = status;
  r.message = message;
  assert_int_equal(store_finish(s, id, &r), 0);
}

#endif
