// SPDX-License-Identifier: Apache-2.0
// page_store.c: page_store FOLDER N: a store for the tests of the report's page: a kernel with N variants
// whose names and messages are markup, and a small one with two keys.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/static.h"
#include "keep/store/store.h"
#include "keep/store/tables.h"

#define HOSTILE "gemm</script><script>bad=1</script><img src=x onerror=bad=1>&amp;"
static const char message[] = "kernel.c:9:3: error: <img src=x onerror=bad=1> & \"this\"\n"
                              "<!-- <script> more of it";

static struct store *s;
static uint64_t rng = 4711;

static double noise(void) { // 0 … 1
  rng ^= rng << 13;
  rng ^= rng >> 7;
  rng ^= rng << 17;
  return (double)(rng >> 11) / (double)(1ull << 53);
}

static void add(int64_t problem, struct record *r, double when) {
  r->problem = problem;
  r->when = when;
  if (store_put(s, &kind_record, r) != SQLITE_OK)
    exit(1);
}

static void add_problem(const struct identity *id) {
  struct problem p;
  char *key = problem_of(id, &p);
  if (!key || store_put(s, &kind_problem, &p) != SQLITE_OK)
    exit(1);
  free(key);
}

// One variant in eleven fails; TILE matters most, then UNROLL, then both together.
static void add_variant(int64_t problem, unsigned i) {
  static const int tiles[] = { 8, 16, 32, 64, 128, 256 }, unrolls[] = { 1, 2, 4, 8 };
  unsigned tile = i % 6, unroll = i / 6 % 4, flag = i / 24 % 3, rest = i / 72;
  char values[256];
  double samples[8], time = 1e-3 * (1 + 0.8 * abs((int)tile - 3)) * (1 + 0.2 * abs((int)unroll - 2));
  snprintf(values, sizeof values, "<b>REST=%u\nTILE=%d\nUNROLL=%d\nflags=%s\n", rest % 97,
           tiles[tile], unrolls[unroll], (const char *[]){ "", "-O2", "-ffast-math" }[flag]);
  time *= 1 + 0.3 * noise() + (tile == 0 && unroll == 3 ? 1 : 0);
  for (int k = 0; k < 8; k++)
    samples[k] = time * (1 + 0.01 * noise());
  bool fails = i % 11 == 10;
  struct features f;
  features_clear(&f);
  f.values[FEATURE_BYTES] = 100 + 50 * unrolls[unroll];
  struct record r = { .variant = i + 1, .values = values, .compiler = "clang 22.1.8",
                      .status = !fails ? STATUS_OK : i % 2 ? STATUS_WRONG : STATUS_COMPILE,
                      .message = fails ? message : "", .samples = samples,
                      .n_samples = fails ? 0 : 8, .features = fails ? NULL : &f,
                      .features_size = fails ? 0 : sizeof f, .compile_seconds = 0.03, .time_seconds = 0.01 };
  add(problem, &r, 1.8e9 + i);
}

static void summarize(const struct identity *id, unsigned n, double best, const char *values) {
  struct summary m = { .original = { 0.010, 0.0099, 0.0101, 30 }, .best = { best, best, best * 1.01, 40 },
                       .winner = 1, .values = values, .compiler = "clang 22.1.8", .tried = n,
                       .total_hint = 2 * n, .compile_seconds = 4, .verify_seconds = 1,
                       .time_seconds = 5, .total_seconds = 7, .flops = 2e7, .bytes = 1e6,
                       .verified = true, .search = "auto", .why = "budget of 10 s spent",
                       .machine = "l1d=32768 cores=8",
                       .assembly = "its only loop: 3 of 9 instructions\n\tL1:\n"
                                   "17\tvaddpd       zmm0, zmm1, zmm2 <img src=x onerror=bad=1>\n"
                                   "17\tadd          rax, 64\n18\tjne          L1\n",
                       .original_assembly = "cannot be shown: <b>no function</b>\n" };
  for (unsigned i = 10; i < n; i += 11)
    m.failed[i % 2 ? STATUS_WRONG : STATUS_COMPILE]++;
  if (store_summary(s, id, &m) != 0)
    exit(1);
}

int main(int argc, char **argv) {
  static const char *const names[] = { "n" };
  long long key[] = { 512 };
  unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
  char *why = NULL;
  s = argc > 2 ? store_open_in(argv[1], true, &why) : NULL;
  if (!s)
    return fprintf(stderr, "%s\n", why ? why : "page_store FOLDER N"), 1;
  const struct machine *m = machine_get();
  struct identity id = { .unit = 1, .kernel = HOSTILE, .file = "a&b<c>.c", .cpu = m->cpu,
                         .isa = m->isa, .threads = 1, .key = key, .n_keys = 1,
                         .key_names = names, .toolchain = "clang 22.1.8" };
  store_run(s->db, "BEGIN");
  add_problem(&id);
  for (unsigned i = 0; i < n; i++)
    add_variant(problem_id(&id), i);
  store_run(s->db, "COMMIT");
  summarize(&id, n, 0.001, "<b>REST=0\nTILE=64\nUNROLL=4\nflags=\n");
  id.kernel = "scan";
  for (key[0] = 64; key[0] <= 4096; key[0] *= 8)
    summarize(&id, 5, 0.002 + 1e-6 * (double)key[0], "U=2\n");
  store_close(s);
  return 0;
}
