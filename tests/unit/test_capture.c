// SPDX-License-Identifier: Apache-2.0
// Captured calls as files: a file is read back as it was written, a damaged one is
// refused, and a call that cannot be captured is still made.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "capture_fixture.h"
#include "keep/store/store.h"

static char folder[] = "/tmp/test-capture-XXXXXX", calls[64];
static char said[1024];

static void listen(enum autotune_level level, const char *message, void *data) {
  (void)level, (void)data;
  snprintf(said, sizeof said, "%s", message);
}

// ---- a call -------------------------------------------------------------------------

enum { N = 20 };
struct call {
  long n;
  const double *x;
  double *y;
  double ret;
};

// Makes a call as a stub does. True: it was captured.
static bool make_call(const struct autotune_kernel *k, struct call *c, bool returns) {
  void *args[] = { &c->n, &c->x, &c->y };
  long long key[] = { c->n };
  struct autotune_call_state state = { 0 };
  said[0] = '\0';
  bool captured = capture_begin(k, 4711, key, args, &state);
  assert_true(captured == (state.capture != NULL));
  k->invoke(k->original, args, &c->ret);
  state.result = &c->ret;
  if (captured && returns)
    capture_end(&state);
  return captured;
}

// Returns the only file in the folder, and removes it; NULL: there is none.
static char *take_file(size_t *size) {
  char path[600] = "", *data = NULL;
  DIR *d = opendir(calls);
  for (struct dirent *e; d && (e = readdir(d));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
      assert_string_equal(path, "");
      snprintf(path, sizeof path, "%s/%s", calls, e->d_name);
    }
  if (d)
    closedir(d);
  struct stat st;
  if (!*path || stat(path, &st) != 0)
    return NULL;
  assert_int_equal(st.st_mode & 0777, 0600);
  *size = (size_t)st.st_size;
  data = malloc(*size);
  int fd = open(path, O_RDONLY);
  assert_int_equal(read(fd, data, *size), *size);
  close(fd);
  unlink(path);
  return data;
}

static char *capture_one(size_t *size) {
  static double x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = i;
    y[i] = -i;
  }
  struct call c = { N, x, y, 0 };
  assert_true(make_call(&fixture_kernel, &c, true));
  assert_true(c.ret == 0.5 && y[N - 1] == N - 0.5);
  char *data = take_file(size);
  assert_non_null(data);
  return data;
}

// ---- written and read back ----------------------------------------------------------

static void test_comes_back(void **state) {
  (void)state;
  size_t size;
  char *data = capture_one(&size), *message;
  struct capture *c = capture_read(data, size, &message);
  assert_non_null(c);
  const struct autotune_kernel *k = &c->kernel;
  assert_string_equal(k->name, "add");
  assert_string_equal(k->file, "add.c");
  assert_int_equal(k->n_params, 2);
  assert_string_equal(k->params[0].macro, "U");
  assert_null(k->params[1].macro);
  assert_int_equal(k->params[1].when, 0);
  assert_int_equal(k->params[0].values[2].i, 4);
  assert_string_equal(k->units[0].flags[1], "-O2");
  assert_null(k->units[0].flags[2]);
  assert_string_equal(k->units[1].text, "text for gcc");
  assert_string_equal(k->conditions[0].text, "U < 4.5");
  assert_true(k->conditions[0].steps[1].number == 4.5);
  assert_string_equal(k->family, "sums");
  assert_string_equal(k->replay, "text of the replay");
  assert_int_equal(k->inferred, 1);
  assert_true(k->rtol == 1e-9 && k->atol == -1 && k->budget_fraction == 0.05);
  assert_true(k->until == 0.02 && k->until_roof == 0.8);
  assert_true(k->symbols[0].address == &fixture_offset);
  assert_null(k->layouts[0]);
  assert_int_equal(k->layouts[1]->size, 8);
  assert_int_equal(k->layouts[1]->n_leaves, 2);
  assert_string_equal(k->layouts[1]->leaves[1].path, ".bits");
  assert_null(k->layouts[1]->leaves[0].mask);
  assert_memory_equal(k->layouts[1]->leaves[1].mask, fixture_leaves[1].mask, 8);
  assert_int_equal(k->layouts[1]->repeats[0].stride, 4);
  assert_int_equal(k->ret_layout->n_repeats, 2);
  assert_int_equal(c->key[0], N);
  assert_int_equal(*(long *)c->args[0], N);
  assert_int_equal((uintptr_t)c->args[0] % 64, 0);
  assert_true(identity_unit(k) == identity_unit(&fixture_kernel));
  assert_true(identity_space(k) == identity_space(&fixture_kernel));
  capture_free(c);
  free(data);
}

// The file has the memory before the call and the result after it.
static void test_memory_and_result(void **state) {
  (void)state;
  size_t size;
  char *data = capture_one(&size), *message;
  struct capture *c = capture_read(data, size, &message);
  assert_non_null(c);
  const double *y = NULL;
  const char *bytes = c->bytes;
  for (unsigned i = 0; i < c->n_blocks; bytes += c->blocks[i++].size) {
    uint64_t at = (uintptr_t)c->spans[1].base - c->blocks[i].address;
    if (at < c->blocks[i].size)
      y = (const double *)(const void *)(bytes + at);
  }
  assert_non_null(y);
  double first, last, got = 0.5, out[N];
  memcpy(&first, y, sizeof first);
  memcpy(&last, y + N - 1, sizeof last);
  assert_true(first == 0 && last == 1 - N);
  for (int i = 0; i < N; i++)
    out[i] = i + 0.5;
  assert_true(c->has_result);
  assert_true(c->result.outputs == XXH3_64bits_withSeed(out, sizeof out, 0));
  assert_true(c->result.ret == XXH3_64bits(&got, sizeof got));
  assert_true(c->result.seconds >= 0);
  capture_free(c);
  free(data);
}

// Runs in a child, which ends within the call.
static void test_call_that_did_not_return(void **state) {
  (void)state;
  size_t size;
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    double x[2] = { 1, 2 }, y[2];
    _exit(!make_call(&fixture_kernel, &(struct call){ 2, x, y, 0 }, false));
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  char *data = take_file(&size), *message;
  assert_non_null(data);
  struct capture *c = capture_read(data, size, &message);
  assert_non_null(c);
  assert_false(c->has_result);
  capture_free(c);
  free(data);
}

// A kernel that closes all descriptors and opens a file under the capture's number.
static int own_file, own_at = -1;

static double call_that_closes(long n, const double *x, double *y) {
  struct stat info;
  for (int fd = 3; fd < 5000; fd++)
    if (fd != own_file && fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
      dup2(own_file, own_at = fd);
  return n > 0 ? y[0] = x[0] : 0;
}

static void test_call_that_closes(void **state) {
  (void)state;
  struct autotune_kernel k = fixture_kernel;
  double x[2] = { 1, 2 }, y[2];
  size_t size;
  k.original = (autotune_fn)call_that_closes;
  own_file = memfd_create("own", 0);
  assert_true(make_call(&k, &(struct call){ 2, x, y, 0 }, true));
  assert_non_null(strstr(said, "what the captured call wrote is not known"));
  assert_true(own_at >= 0);
  struct stat info;
  assert_int_equal(fstat(own_at, &info), 0); // still open, with nothing written to it
  assert_int_equal(info.st_size, 0);
  close(own_at);
  close(own_file);
  free(take_file(&size));
}

// ---- damage -------------------------------------------------------------------------

static void test_damage(void **state) {
  (void)state;
  size_t size, head = sizeof(struct capture_head),
               behind = head + sizeof(struct capture_result);
  char *data = capture_one(&size), *message;
  for (size_t i = 0; i < size; i++) {
    data[i] ^= 0x10;
    struct capture *c = capture_read(data, size, &message);
    bool result = i >= head && i < behind;
    assert_true((c != NULL) == result);
    assert_true(result ? !c->has_result : message != NULL);
    capture_free(c);
    free(message);
    data[i] ^= 0x10;
  }
  for (size_t cut = 0; cut < size; cut++) {
    char *part = malloc(cut + 1); // so that AddressSanitizer sees reads beyond the end
    memcpy(part, data, cut);
    assert_null(capture_read(part, cut, &message));
    assert_non_null(message);
    free(message);
    free(part);
  }
  free(data);
}

// Version 1 ended before `inferred`, version 2 before `layouts`, version 3 before `rows`.
static void test_earlier_versions(void **state) {
  (void)state;
  size_t size, at = sizeof(struct capture_head) + sizeof(struct capture_result);
  for (uint32_t version = 1; version < CAPTURE_VERSION; version++) {
    char *data = capture_one(&size), *message;
    struct capture_head h;
    memcpy(&h, data, sizeof h);
    struct capture *c = capture_read(data, size, &message);
    assert_non_null(c);
    struct stream s = { .version = version };
    capture_tables(&s, c);
    capture_free(c);
    assert_false(s.failed);
    assert_true(s.size < h.description_size);
    size_t rest = size - at - h.description_size;
    memmove(data + at + s.size, data + at + h.description_size, rest);
    memcpy(data + at, s.data, s.size);
    h.version = version;
    h.description_size = s.size;
    h.description_sum = XXH3_64bits(s.data, s.size);
    h.sum = XXH3_64bits(&h, offsetof(struct capture_head, sum));
    memcpy(data, &h, sizeof h);
    c = capture_read(data, at + s.size + rest, &message);
    assert_non_null(c);
    assert_string_equal(c->kernel.name, "add");
    assert_int_equal(c->kernel.inferred, version > 1);
    assert_int_equal(c->kernel.layouts != NULL, version > 2);
    assert_int_equal(c->kernel.ret_layout != NULL, version > 2);
    assert_int_equal(c->rows, 0);
    assert_true(c->has_result && c->threads > 0);
    capture_free(c);
    free(s.data);
    free(data);
  }
}

// A file translated by an older version has no layouts.
static void test_without_layouts(void **state) {
  (void)state;
  struct autotune_kernel k = fixture_kernel;
  double x[2] = { 1, 2 }, y[2];
  size_t size;
  k.abi = 2;
  k.size = 0;
  assert_true(make_call(&k, &(struct call){ 2, x, y, 0 }, true));
  char *data = take_file(&size), *message;
  struct capture *c = capture_read(data, size, &message);
  assert_non_null(c);
  assert_null(c->kernel.layouts[1]);
  assert_null(c->kernel.ret_layout);
  capture_free(c);
  free(data);
}

// Descriptions of random bytes, with right checksums.
static void test_made_up(void **state) {
  (void)state;
  size_t size;
  char *data = capture_one(&size), *message;
  struct capture_head h;
  memcpy(&h, data, sizeof h);
  size_t at = sizeof h + sizeof(struct capture_result);
  for (size_t i = 0; i < h.description_size; i++) {
    char before = data[at + i];
    data[at + i] = (char)0xff;
    h.description_sum = XXH3_64bits(data + at, h.description_size);
    h.sum = XXH3_64bits(&h, offsetof(struct capture_head, sum));
    memcpy(data, &h, sizeof h);
    capture_free(capture_read(data, size, &message)); // may be refused, must not crash
    free(message);
    data[at + i] = before;
  }
  free(data);
}

// ---- what cannot be captured --------------------------------------------------------

static void refused(const struct autotune_kernel *k, struct call *c, const char *why) {
  size_t size;
  assert_false(make_call(k, c, true));
  if (!strstr(said, why))
    fail_msg("said '%s', not '%s'", said, why);
  assert_null(take_file(&size));
}

static void describe_nothing(void *const *args, struct autotune_call *call) {
  (void)args;
  call->flops = call->bytes = 0;
}

static void test_refusals(void **state) {
  (void)state;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  double y[N] = { 0 }, x[N] = { 0 };
  struct call good = { N, x, y, 0 };
  struct autotune_kernel k = fixture_kernel;
  k.n_sections = 0;
  k.describe = describe_nothing;
  refused(&k, &good, "'x' points to memory outside of all sections");
  k = fixture_kernel;
  k.replay = NULL;
  k.not_captured = "it needs the function 'f'";
  refused(&k, &good, "it needs the function 'f'");
  size_t large = 2 << 20; // AUTOTUNE_CAPTURE_LIMIT is 1M
  double *many = calloc(1, large);
  refused(&fixture_kernel, &(struct call){ (long)(large / sizeof *many), many, many, 0 },
          "more than AUTOTUNE_CAPTURE_LIMIT (1048576)");
  free(many);
  char *two =
      mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(two + page, page);
  void *args[] = { &(long){ (long)(page / 4) }, &two, &two };
  struct autotune_call_state call = { 0 };
  said[0] = '\0';
  assert_false(capture_begin(&fixture_kernel, 1, (long long[]){ 1 }, args, &call));
  assert_non_null(strstr(said, "beyond the program's memory"));
  munmap(two, page);
  assert_int_equal(chmod(calls, 0777), 0);
  refused(&fixture_kernel, &good, "can be written by others");
  assert_int_equal(chmod(calls, 0700), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_comes_back),
    cmocka_unit_test(test_memory_and_result),
    cmocka_unit_test(test_call_that_did_not_return),
    cmocka_unit_test(test_call_that_closes),
    cmocka_unit_test(test_earlier_versions),
    cmocka_unit_test(test_without_layouts),
    cmocka_unit_test(test_damage),
    cmocka_unit_test(test_made_up),
    cmocka_unit_test(test_refusals),
  };
  if (!mkdtemp(folder))
    return 1;
  snprintf(calls, sizeof calls, "%s/calls", folder);
  setenv("AUTOTUNE_CAPTURE", calls, 1);
  setenv("AUTOTUNE_CAPTURE_LIMIT", "1M", 1);
  setenv("AUTOTUNE_LOG", "info", 1);
  autotune_set_log(listen, NULL);
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(calls);
  rmdir(folder);
  return failures;
}
