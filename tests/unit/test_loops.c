// SPDX-License-Identifier: Apache-2.0
// test_loops.c: what directives make of loops does the same iterations as the loops as
// written, each of them once, and leaves the same in variables declared outside. Many
// kernels, each in some points of its space, go into one program, for gcc and for clang
// with a trap on each signed overflow. Neither optimises: that takes twelve times as
// long, and would only show what they do.
//
// AUTOTUNE_LOOPS_SEED and AUTOTUNE_LOOPS_COUNT make up others, or more of them.
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "loops_random.h"
#include "front/lang/language.h"

#define POINTS 5 // of each kernel's space
#define BAKED 1  // of these, also written for that point alone

static const char prologue[] =
    "#include <limits.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n#include <signal.h>\n#include <unistd.h>\n"
    "typedef unsigned T;\ntypedef struct { int n, *rows; } S;\n"
    "static long long visited[1 << 18];\nstatic unsigned n_visited;\nstatic const char *now;\n"
    "static int rows[] = { 0, 3, 3, 4, 9, 11, 11, 17, 18, 19, 25, 26, 30, 31, 33, 38, 40, 41, 41, 45 };\n"
    "static S s = { 5, rows };\nstatic S *volatile nowhere;\n"
    "static void visit(const char *what, long long a, long long b, long long c, long long d) {\n"
    "  unsigned at = __atomic_fetch_add(&n_visited, 1, __ATOMIC_RELAXED);\n"
    "  if (at >= sizeof visited / sizeof *visited) { printf(\"%s does not end\\n\", now); exit(3); }\n"
    "  visited[at] = (((long long)strlen(what) * 8191 + a) * 8191 + b) * 131071 + c * 8191 + d;\n}\n"
    "#define V1(a) visit(#a, a, 0, 0, 0)\n#define V2(a, b) visit(#a #b, a, b, 0, 0)\n"
    "#define V3(a, b, c) visit(#a #b #c, a, b, c, 0)\n"
    "#define VN(a, b, c, d, ...) d\n#define V(...) VN(__VA_ARGS__, V3, V2, V1, )(__VA_ARGS__)\n";

static const char epilogue[] =
    "static long long wanted[1 << 18];\nstatic unsigned n_wanted;\nstatic long fin_wanted[4];\n"
    "static int compare(const void *a, const void *b) {\n"
    "  long long x = *(const long long *)a, y = *(const long long *)b; return (x > y) - (x < y); }\n"
    "static void trapped(int n) { (void)n; puts(\"overflow in\"); puts(now); fflush(stdout); _exit(4); }\n"
    "static int run(void (*f)(int, int, long *), int n, int m, long *fin) {\n"
    "  n_visited = 0; fin[0] = fin[1] = fin[2] = fin[3] = -77; f(n, m, fin);\n"
    "  qsort(visited, n_visited, sizeof *visited, compare); return 0; }\n"
    "int main(void) {\n  static const int sizes[][2] = { {0,0},{0,5},{1,1},{2,0},{3,2},{4,7},{7,3},{8,8},{5,16},"
    "{11,6},{13,13} };\n"
    "  int failed = 0; signal(SIGILL, trapped); signal(SIGTRAP, trapped);\n"
    "  for (unsigned z = 0; z < sizeof sizes / sizeof *sizes; z++) {\n"
    "    int n = sizes[z][0], m = sizes[z][1]; long fin[4];\n"
    "    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {\n"
    "      now = table[i].name;\n"
    "      run(table[i].f, n, m, fin);\n"
    "      if (table[i].reference) {\n"
    "        memcpy(wanted, visited, sizeof *visited * n_visited); n_wanted = n_visited;\n"
    "        memcpy(fin_wanted, fin, sizeof fin); continue; }\n"
    "      if (n_visited == n_wanted && !memcmp(visited, wanted, sizeof *visited * n_visited) &&\n"
    "          !memcmp(fin, fin_wanted, sizeof fin)) continue;\n"
    "      printf(\"%s differs for n = %d, m = %d: %u iterations instead of %u, fin %ld %ld %ld, not %ld %ld %ld\\n\", now,\n"
    "             n, m, n_visited, n_wanted, fin[0], fin[1], fin[2], fin_wanted[0], fin_wanted[1], fin_wanted[2]);\n"
    "      if (++failed > 10) return 1;\n"
    "    }\n  }\n  return failed != 0;\n}\n";

struct program {
  FILE *out;
  struct text table;
  unsigned kernels, refused, points;
  uint64_t rng;
};

// Returns SOURCE with each FROM replaced by TO.
static char *replaced(const char *source, const char *from, const char *to) {
  struct text t = { 0 };
  text_add(&t, "", 0);
  for (const char *p; (p = strstr(source, from)); source = p + strlen(from)) {
    text_add(&t, source, (size_t)(p - source));
    text_add(&t, to, strlen(to));
  }
  text_add(&t, source, strlen(source));
  return t.data;
}

// Returns the kernel of SOURCE, or NULL if the translator refuses it, which it may only
// do if QUIET.
static struct kernel *understand(const char *source, struct source **s, bool quiet) {
  unsigned n_pragmas, n_kernels;
  int saved = dup(2), null = open("/dev/null", O_WRONLY);
  if (quiet)
    dup2(null, 2);
  diag_reset();
  *s = source_of("test.c", source, strlen(source));
  source_parse(*s, &language_c);
  struct pragma *p = pragma_all(*s, &n_pragmas);
  struct kernel *k = kernel_all(*s, p, n_pragmas, &n_kernels);
  bool fine = diag_errors() == 0 && n_kernels == 1;
  dup2(saved, 2);
  close(saved);
  close(null);
  return fine ? k : NULL;
}

// Picks random values; a param that does not matter gets its first value.
static void pick_point(struct program *p, const struct kernel *k, unsigned *point) {
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *q = &k->params[i];
    bool matters = q->when < 0 || k->params[q->when].values[point[q->when]].i != 0;
    point[i] = matters ? random_below(&p->rng, q->n_values) : 0;
  }
}

// Writes TEXT at POINT without macros and #if.
static void write_baked(struct program *p, const struct source *s, const struct kernel *k,
                        const unsigned *point, const char *name, unsigned number,
                        const char *values) {
  struct text text = { 0 };
  char *own = arena_printf("%sb%u", name, number);
  loops_write_point(s, k, &k->main, point, name, &text);
  fputs(replaced(text.data, name, own), p->out);
  text_printf(&p->table, "{ 0, \"%s%s\", %s },\n", own, values, own);
}

static void write_point(struct program *p, const struct source *s, const struct kernel *k,
                        const char *text, const char *name, unsigned number) {
  unsigned point[64];
  char *own = arena_printf("%sp%u", name, number);
  struct text values = { 0 };
  text_add(&values, "", 0);
  pick_point(p, k, point);
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *q = &k->params[i];
    text_printf(&values, " %s=%s", q->name, q->values[point[i]].text);
    fprintf(p->out, "#define %s %s\n", q->macro, q->values[point[i]].define);
  }
  fputs(replaced(text, name, own), p->out);
  if (number < BAKED)
    write_baked(p, s, k, point, name, number, values.data);
  for (unsigned i = 0; i < k->n_params; i++)
    fprintf(p->out, "#undef %s\n", k->params[i].macro);
  text_printf(&p->table, "{ 0, \"%s%s\", %s },\n", own, values.data, own);
  p->points++;
}

// Adds the kernel as written, and variants of it. SOURCE calls it kernelN.
static void add_kernel(struct program *p, const char *source, const char *name,
                       bool quiet) {
  struct source *s;
  struct text text = { 0 }, definition = { 0 };
  struct kernel *k = understand(source, &s, quiet);
  if (!k) {
    p->refused++;
    if (!quiet)
      fail_msg("refused:\n%s", source);
    return;
  }
  assert_true(k->n_params <= 64);
  char *plain = arena_printf("%splain", name);
  fprintf(p->out, "#define REFERENCE\n#line 1 \"%s\"\n%s#undef REFERENCE\n", plain,
          replaced(source, name, plain));
  text_printf(&p->table, "{ 1, \"%s\", %s },\n", plain, plain);
  loops_write(s, k, &k->main, &text, &definition);
  text_add(&text, definition.data, definition.size);
  assert_null(strstr(text.data, "#pragma autotune"));
  for (unsigned i = 0; i < (k->n_params ? POINTS : 1); i++)
    write_point(p, s, k, text.data, name, i);
  p->kernels++;
}

static int run_in(const char *folder, const char *format, ...) {
  char command[1024], line[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof command, format, args);
  va_end(args);
  snprintf(line, sizeof line, "cd %s && { %s; } >&2", folder, command);
  return system(line);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
  (void)st, (void)type, (void)at;
  return remove(path);
}

static struct program begin(char *folder, uint64_t seed) {
  assert_non_null(mkdtemp(folder));
  struct program p = { .out = fopen(arena_printf("%s/a.c", folder), "w"), .rng = seed };
  assert_non_null(p.out);
  fputs(prologue, p.out);
  return p;
}

// Compiles, runs and removes the program.
static void finish(struct program *p, const char *folder) {
  static const struct {
    const char *name, *flags;
  } compilers[] = {
    { "gcc", "-O0 -w -fopenmp" },
    { AUTOTUNE_CLANG,
      "-O0 -w -fopenmp -fsanitize=signed-integer-overflow -fsanitize-trap=all "
      "-Wl,-rpath," AUTOTUNE_LIBOMP_FOLDER " -L" AUTOTUNE_LIBOMP_FOLDER },
  };
  fprintf(
      p->out,
      "static const struct { int reference; const char *name; void (*f)(int, int, long *); }"
      " table[] = {\n%s};\n%s",
      p->table.data, epilogue);
  fclose(p->out);
  int status = 0;
  for (unsigned i = 0; i < 2 && status == 0; i++) {
    status = run_in(folder, "%s %s a.c -o a%u", compilers[i].name, compilers[i].flags, i);
    if (status == 0)
      status = run_in(
          folder,
          "OMP_NUM_THREADS=3 KMP_BLOCKTIME=0 OMP_WAIT_POLICY=passive timeout 60 ./a%u",
          i);
  }
  if (status != 0 && getenv("AUTOTUNE_LOOPS_KEEP"))
    print_message("kept: %s\n", folder);
  else
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  assert_int_equal(status, 0);
}

static void made_up_nests(void **state) {
  (void)state;
  const char *seed_text = getenv("AUTOTUNE_LOOPS_SEED"),
             *count_text = getenv("AUTOTUNE_LOOPS_COUNT");
  uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 1;
  unsigned count = count_text ? (unsigned)atoi(count_text) : 300;
  char folder[] = "/tmp/autotune-loops-XXXXXX";
  struct program p = begin(folder, seed);
  for (unsigned i = 0; i < count; i++) {
    char *source = NULL, name[32];
    size_t size;
    FILE *f = open_memstream(&source, &size);
    snprintf(name, sizeof name, "kernel%u_", i);
    random_kernel(f, name, seed * 1000003 + i);
    fclose(f);
    add_kernel(&p, source, name, true);
    free(source);
  }
  print_message("seed %llu: %u kernels in %u variants, %u refused\n",
                (unsigned long long)seed, p.kernels, p.points, p.refused);
  assert_true(p.kernels > p.refused);
  finish(&p, folder);
}

// Kernels that test one thing each; their name is `K_`.
static const char *const cases[] = {
#include "loops_cases.inc"
};

static void chosen_nests(void **state) {
  (void)state;
  char folder[] = "/tmp/autotune-loops-XXXXXX";
  struct program p = begin(folder, 7);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *name = arena_printf("case%u_", i);
    add_kernel(&p, replaced(cases[i], "K_", name), name, false);
  }
  finish(&p, folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(chosen_nests),
    cmocka_unit_test(made_up_nests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
