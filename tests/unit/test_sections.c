// SPDX-License-Identifier: Apache-2.0
// test_sections.c: the sections that are inferred for kernels without any, against what
// those touch. Many made-up kernels go into one program that records each access, and
// compares, for many arguments.
//
// AUTOTUNE_SECTIONS_SEED and AUTOTUNE_SECTIONS_COUNT make up others, or more of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "autotune_abi.h"
#include "cc/cc.h"
#include "front/lang/language.h"
#include "loops_random.h"
#include "sections_random.h"

// Calls with an index outside of [0, CAP), or without an end, prove nothing.
static const char recorder[] =
    "#include <setjmp.h>\n#include <stdio.h>\n#include <string.h>\n"
    "enum { CAP = 2048, MOST = 20000, R = 1, W = 2, PART = 4, IN = 1, OUT = 2 };\n"
    "#define TOUCH X[at(0, 1, R)]\n#define BUMP X[at(0, 2, W)] = 1\n"
    "static double X[CAP], Y[CAP], AA[CAP], G[CAP];\nstatic struct pair S[CAP];\n"
    "static unsigned char seen[5][CAP];\nstatic long long top[5];\nstatic jmp_buf broken;\nstatic unsigned n_seen;\n"
    "static long at(int array, long long i, int how) {\n"
    "  if (i < 0 || i >= (array == 4 ? 64 : CAP) || ++n_seen > MOST) longjmp(broken, 1);\n"
    "  if (how == 0) return 0;\n"
    "  seen[array][i] |= how; top[array] = i + 1 > top[array] ? i + 1 : top[array]; return i; }\n"
    "struct claim { int array, access; long long length, row; };\n";

// Runs before the call, because claims are about a call's arguments as it receives them.
static const char checker[] =
    "static unsigned checked;\n"
    "static int check(const struct entry *e, int n, int m, int k) {\n"
    "  struct claim claims[5], *of[5] = { 0 };\n  e->claim(n, m, k, claims);\n"
    "  memset(seen, 0, sizeof seen); memset(top, 0, sizeof top); n_seen = 0;\n"
    "  memset(X, 0, sizeof X); memset(AA, 0, sizeof AA); memset(G, 0, sizeof G); memset(S, 0, sizeof S);\n"
    "  if (setjmp(broken)) return 0;\n"
    "  e->call(n, m, k);\n  checked++;\n"
    "  for (int i = 0; i < e->n; i++) of[claims[i].array] = &claims[i];\n"
    "  for (int a = 0; a < 5; a++) {\n"
    "    const struct claim *c = of[a]; const char *why = NULL;\n"
    "    long long row = c ? c->row : 1, length = c && c->length > 0 && row > 0 ? c->length * row : 0;\n"
    "    long long used = row > 0 ? (top[a] + row - 1) / row * row : top[a];\n"
    "    if (used > length) why = \"too small\";\n"
    "    if (used < length && a != 4) why = \"too large\";\n"
    "    for (long long i = 0; i < length && !why; i++) {\n"
    "      if (c->access == IN && seen[a][i] & W) why = \"written\";\n"
    "      if (c->access == OUT && seen[a][i] != W) why = \"not all written, or read\"; }\n"
    "    if (why) { printf(\"%s(%d, %d, %d), %c: %s: %lld, not %lld\\n\", e->name, n, m, k, \"xyAsg\"[a], why, length, used);\n"
    "      return 1; } }\n  return 0; }\n"
    "int main(void) {\n  static const int sizes[] = { -2, -1, 0, 1, 2, 3, 4, 5, 8 };\n  unsigned failed = 0;\n"
    "  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)\n"
    "    for (unsigned z = 0; z < 729; z++)\n"
    "      if (check(&table[i], sizes[z % 9], sizes[z / 9 % 9], sizes[z / 81])) { failed++; break; }\n"
    "  fprintf(stderr, \"%u calls\\n\", checked);\n"
    "  return failed || checked < 100 * sizeof table / sizeof *table; }\n";

static unsigned number(const char *name, unsigned otherwise) {
  const char *text = getenv(name);
  return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

// Writes the claims of K as a function; ROW is 1 where the array has one subscript.
static void write_claims(const struct kernel *k, const char *signature,
                         struct text *out) {
  static const char names[] = "xyAsg";
  text_printf(out, "static void claim_%s%s {\n", k->main.name, signature);
  for (unsigned i = 0; i < k->n_sections; i++) {
    const struct section *s = &k->sections[i];
    struct slice one = slice_of("1"), file = slice_of("64");
    struct slice length = *s->base.data == 'g' ? file : s->dims[0].length;
    struct slice row = s->n_dims > 1 ? s->dims[1].length : one;
    assert_int_equal(s->base.size, 1);
    text_printf(out, "  c[%u] = (struct claim){ %d, %d, (%.*s), (%.*s) };\n", i,
                (int)(strchr(names, *s->base.data) - names), s->access, (int)length.size,
                length.data, (int)row.size, row.data);
  }
  text_printf(
      out,
      "}\nstatic void claims_%s(int n, int m, int k, struct claim *c) { claim_%s(n, m, k, c); }\n",
      k->main.name, k->main.name);
}

// Returns "(int n, long m, int k, struct claim *c)", from the definition of K.
static const char *signature_of(const struct source *s, const struct kernel *k) {
  const char *start = strchr(s->text + k->main.name_at, '('),
             *end = strstr(start, ", double");
  return arena_printf("%.*s, struct claim *c)", (int)(end - start), start);
}

static void write_file(const char *path, const struct text *t) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(t->data, 1, t->size, f), t->size);
  assert_int_equal(fclose(f), 0);
}

static void test_random(void **state) {
  unsigned seed = number("AUTOTUNE_SECTIONS_SEED", 1),
           count = number("AUTOTUNE_SECTIONS_COUNT", 150);
  struct text plain = { 0 }, program = { 0 }, table = { 0 };
  unsigned n_kernels, inferred = 0, outputs = 0;
  (void)state;
  text_printf(&plain, "%s#define TOUCH x[1]\n#define BUMP x[2] = 1\n", sections_prologue);
  text_printf(&program, "%s%s", sections_prologue, recorder);
  for (unsigned i = 0; i < count; i++)
    random_sections(&plain, &program, arena_printf("f%u", i),
                    seed * UINT64_C(1000003) + i);
  write_file("random.c", &plain);
  struct source *s = source_of("random.c", plain.data, plain.size);
  struct compile_options o = cc_options("random.c", (char *[]){ NULL });
  const struct kernel *kernels = translate_kernels(s, &o, &n_kernels);
  assert_int_equal(n_kernels, count);
  for (unsigned i = 0; i < n_kernels; i++) {
    const struct kernel *k = &kernels[i];
    if (!k->inferred)
      continue;
    inferred++;
    for (unsigned j = 0; j < k->n_sections; j++)
      outputs += k->sections[j].access == AUTOTUNE_OUT;
    write_claims(k, signature_of(s, k), &program);
    text_printf(&table, "  { \"%s\", %u, call_%s, claims_%s },\n", k->main.name,
                k->n_sections, k->main.name, k->main.name);
  }
  text_printf(
      &program,
      "static const struct entry { const char *name; int n; void (*call)(int, int, int);\n"
      "  void (*claim)(int, int, int, struct claim *); } table[] = {\n%s};\n%s",
      table.data, checker);
  write_file("recorded.c", &program);
  print_message("%u of %u, %u of which write all of an array\n", inferred, count,
                outputs);
  assert_true(inferred > count / 5);
  assert_true(outputs > count / 50);
  assert_int_equal(system("gcc -w -o recorded recorded.c && ./recorded"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_random) };
  if (chdir(temp_folder()))
    return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
