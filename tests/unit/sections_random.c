// SPDX-License-Identifier: Apache-2.0
// sections_random.c: makes up kernels from a seed: loops as people write them, with code
// that makes it hard to prove what they touch: all types of integers, bounds below 0,
// jumps, conditions, shadowed names, macros.
#include "sections_random.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "loops_random.h"

const char sections_prologue[] =
    "#include <stddef.h>\n#include <stdint.h>\n"
    "typedef unsigned U;\ntypedef long L;\ntypedef unsigned short H;\n#define INT int\n"
    "#define N 4\n#define NU 3u\nenum { FIVE = 5 };\nstruct pair { double a, b; };\n"
    "static double g[64];\n";

struct maker {
  uint64_t rng;
  struct text *plain, *recorded;
  const char *vars[16];
  unsigned n_vars; // that may stand in an index
  unsigned depth, names, left;
  unsigned kinds; // bits: the hard features in use
};

static unsigned below(struct maker *m, unsigned n) {
  return random_below(&m->rng, n);
}
static bool chance(struct maker *m, unsigned percent) {
  return below(m, 100) < percent;
}

// A kernel has few of these, so that something can be proven.
enum {
  INDICES,
  TYPES,
  LOWS,
  BOUNDS,
  TRIANGLES,
  WAYS,
  STEPS,
  ARRAYS,
  ROWS,
  IFS,
  STATEMENTS,
  PLACES,
  KINDS
};

static bool uses(struct maker *m, unsigned kind) {
  return m->kinds & 1u << kind && chance(m, 40);
}

#define PICK(m, list) (list)[below(m, sizeof(list) / sizeof *(list))]

static void put(struct maker *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put(struct maker *m, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  text_printf(m->plain, "%s", line);
  text_printf(m->recorded, "%s", line);
}

// ---- expressions --------------------------------------------------------------------

static const char *var(struct maker *m) {
  return m->vars[below(m, m->n_vars)];
}

static const char *index_of(struct maker *m) {
  const char *v = m->n_vars > 3 ? m->vars[3 + below(m, m->n_vars - 3)]
      : m->depth                ? var(m)
                                : "1";
  if (!uses(m, INDICES))
    return chance(m, 90) ? v
                         : arena_printf(chance(m, 60) ? "%s + 1" : "%s * n + %s", v,
                                        m->vars[m->n_vars - 1]);
  switch (below(m, 13)) {
  case 0:
    return arena_printf("%s + 1", v);
  case 1:
    return arena_printf("%s - 1", v);
  case 2:
    return arena_printf("n - 1 - %s", v);
  case 3:
    return arena_printf(chance(m, 50) ? "%s * n + %s" : "%s * m + %s", v,
                        m->vars[m->n_vars - 1]);
  case 4:
    return arena_printf("(size_t)%s * n + %s", v, m->vars[m->n_vars - 1]);
  case 5:
    return arena_printf("%s + %s", v, var(m));
  case 6:
    return arena_printf("2 * %s", v);
  case 7:
    return arena_printf("(%s + 1) * 2 - 1", v);
  case 8:
    return arena_printf("%u", below(m, 4));
  case 9:
    return arena_printf("%s - %s", v, var(m));
  case 10:
    return arena_printf(chance(m, 50) ? "%s / 2" : "(int)%s", v);
  case 11:
    return arena_printf(chance(m, 50) ? "(long)%s + N" : "%s + -1", v);
  case 12:
    return arena_printf(chance(m, 50) ? "N - %s" : "%s + NU", v);
  default:
    return v;
  }
}

enum { READ = 1, WRITE = 2, PART = 4 };

static void access(struct maker *m, unsigned how) {
  const char *i = index_of(m), *j;
  static const unsigned plain[] = { 0, 0, 6, 7 }, odd[] = { 0, 6, 8, 9, 9, 9, 10, 11 };
  unsigned kind = uses(m, ARRAYS) ? PICK(m, odd) : PICK(m, plain);
  if (kind < 6 || (kind == 6 && how & WRITE)) {
    text_printf(m->plain, "x[%s]", i);
    text_printf(m->recorded, "X[at(0, %s, %u)]", i, how);
  } else if (kind == 6) {
    text_printf(m->plain, "y[%s]", i);
    text_printf(m->recorded, "Y[at(1, %s, %u)]", i, how);
  } else if (kind < 9) {
    j = index_of(m);
    text_printf(m->plain, "A[%s][%s]", i, j);
    text_printf(m->recorded, "AA[at(2, (long long)(%s) * row + (long long)(%s), %u)]", i,
                j, how);
  } else if (kind == 9) {
    text_printf(m->plain, "s[%s].a", i);
    text_printf(m->recorded, "S[at(3, %s, %u)].a", i, how & WRITE ? how | PART : how);
  } else if (kind == 10) {
    text_printf(m->plain, "g[%s]", i);
    text_printf(m->recorded, "G[at(4, %s, %u)]", i, how);
  } else {
    text_printf(m->plain, "*x");
    text_printf(m->recorded, "X[at(0, 0, %u)]", how);
  }
}

static void value(struct maker *m) {
  switch (below(m, m->kinds & 1u << IFS ? 8 : 16)) {
  case 0:
    access(m, READ);
    put(m, " * 0.5");
    break;
  case 1:
    access(m, READ);
    put(m, " + ");
    access(m, READ);
    break;
  case 2:
    put(m, "%s > 1 ? ", var(m));
    access(m, READ);
    put(m, " : 2");
    break;
  case 3:
    put(m, uses(m, STATEMENTS) ? "TOUCH" : "FIVE");
    break;
  default:
    put(m, "%u", below(m, 9));
  }
}

static void condition(struct maker *m) {
  static const char *const ops[] = { "<", ">", "==", "<=" };
  if (chance(m, 30))
    access(m, READ), put(m, " > 3");
  else
    put(m, "%s %s %s", var(m), PICK(m, ops), chance(m, 50) ? var(m) : "2");
}

// ---- statements ---------------------------------------------------------------------

static void statement(struct maker *m);

static void block(struct maker *m, unsigned most) {
  unsigned n_vars = m->n_vars;
  put(m, "{\n");
  text_printf(m->recorded, "at(0, 0, 0);\n"); // ends endless loops
  for (unsigned n = 1 + below(m, most); n > 0; n--)
    statement(m);
  put(m, "}\n");
  m->n_vars = n_vars;
}

static const char *type(struct maker *m) {
  static const char *const odd[] = { "unsigned", "size_t",  "short",    "uint8_t",
                                     "U",        "L",       "H",        "INT",
                                     "char",     "int32_t", "uint32_t", "unsigned long",
                                     "long long" };
  return !(m->kinds & 1u << TYPES) || chance(m, 40) ? "int"
      : chance(m, 30)                               ? "long"
                                                    : PICK(m, odd);
}

static const char *bound(struct maker *m) {
  static const char *const list[] = {
    "n",     "n",        "n",     "m",  "m",     "n - 1",  "n + 1",           "k",
    "N",     "m - 2",    "n + k", "NU", "n - m", "n - 1u", "(n < m ? n : m)", "(int)n",
    "2 * n", "(size_t)n"
  };
  if (m->n_vars > 3 && uses(m, TRIANGLES))
    return arena_printf(chance(m, 50) ? "%s" : "%s + 1", m->vars[m->n_vars - 1]);
  if (!uses(m, BOUNDS))
    return chance(m, 95) ? "n" : "m";
  return m->n_vars > 3 && chance(m, 25)
      ? arena_printf(chance(m, 50) ? "%s" : "%s + 1", var(m))
      : PICK(m, list);
}

static const char *low(struct maker *m) {
  static const char *const list[] = { "1", "2", "k", "n", "-1", "n - 3", "m - n" };
  static const char *const below_zero[] = { "-1", "-2", "k" };
  if (m->n_vars > 3 && uses(m, TRIANGLES))
    return arena_printf(chance(m, 50) ? "%s" : "%s + 1", m->vars[m->n_vars - 1]);
  if (!uses(m, LOWS))
    return m->kinds & 1u << TYPES && chance(m, 25) ? PICK(m, below_zero) : "0";
  if (m->n_vars > 3 && chance(m, 20))
    return arena_printf(chance(m, 50) ? "%s" : "%s + 1", var(m));
  return chance(m, 60) ? "0" : PICK(m, list);
}

static void loop(struct maker *m) {
  static const char *const up[] = { "++", "++", "++", "++", " += 1", " += 2", " += 3" };
  const char *v = arena_printf("i%u", m->names++), *of = type(m);
  bool outside = uses(m, PLACES), down = uses(m, WAYS), inclusive = uses(m, WAYS);
  if (outside)
    put(m, "%s %s;\n", of, v);
  put(m, "for (%s%s%s = ", outside ? "" : of, outside ? "" : " ", v);
  if (down)
    put(m, "%s%s; %s %s %s; %s", bound(m), inclusive ? " - 1" : "", v,
        inclusive ? ">=" : ">", low(m), v);
  else
    put(m, "%s; %s %s %s; %s", low(m), v,
        inclusive           ? "<="
            : chance(m, 10) ? "!="
                            : "<",
        bound(m), v);
  put(m, "%s) ", !uses(m, STEPS) ? down ? "--" : "++" : down ? " -= 2" : PICK(m, up));
  m->vars[m->n_vars++] = v;
  m->depth++;
  block(m, m->depth < 3 ? 3 : 2);
  m->depth--;
  m->n_vars--;
}

static void assignment(struct maker *m) {
  static const char *const ops[] = { " = ", " = ", " = ", " += ", " *= " };
  const char *op = PICK(m, ops);
  access(m, strcmp(op, " = ") == 0 ? WRITE : READ | WRITE);
  put(m, "%s", op);
  value(m);
  put(m, ";\n");
}

static void odd_statement(struct maker *m) {
  static const char *const jumps[] = { "break", "continue", "return", "goto end" };
  const char *t = arena_printf("t%u", m->names++);
  switch (below(m, 12)) {
  case 0:
    put(m, "if (");
    condition(m);
    put(m, ") %s;\n", m->depth ? PICK(m, jumps) : "return");
    break;
  case 1: // a variable for later statements
  case 2:
    put(m, "%s%s %s = %s;\n", chance(m, 50) ? "const " : "", type(m), t, index_of(m));
    if (m->n_vars < 12)
      m->vars[m->n_vars++] = t;
    break;
  case 3:
    put(m, "%s += 1;\n", var(m));
    break;
  case 4:
    put(m, "{ double g[70]; g[%u] = 1; }\n", below(m, 3));
    break;
  case 5:
    put(m, "{ int n = 3; (void)n; ");
    assignment(m);
    put(m, "}\n");
    break;
  case 6:
    put(m, "for (int %s = 3; %s > 0;) { %s--; ", t, t, t);
    assignment(m);
    put(m, "}\n");
    break;
  case 7:
    put(m, "switch ((int)%s) { case 1: ", var(m));
    assignment(m);
    put(m, " default: ");
    assignment(m);
    put(m, "}\n");
    break;
  case 8:
    put(m, "do { ");
    assignment(m);
    put(m, "} while (0);\n");
    break;
  case 9:
    access(m, READ | WRITE);
    put(m, "++;\n");
    break;
  case 10:
    put(m, "BUMP;\n");
    break;
  default:
    put(m, "(void)(%s > 0 && ", var(m));
    access(m, READ);
    put(m, " > 1);\n");
  }
}

static void statement(struct maker *m) {
  if (m->left == 0)
    return;
  m->left--;
  if (m->depth < 3 && chance(m, m->depth ? 30 : 70))
    loop(m);
  else if (uses(m, IFS)) {
    put(m, "if (");
    condition(m);
    put(m, ") ");
    block(m, 2);
  } else if (uses(m, STATEMENTS))
    odd_statement(m);
  else
    assignment(m);
}

void random_sections(struct text *plain, struct text *recorded, const char *name,
                     uint64_t seed) {
  static const char *const rows[] = { "m", "N", "m + 1", "FIVE" };
  struct maker maker = { .rng = seed,
                         .plain = plain,
                         .recorded = recorded,
                         .vars = { "n", "m", "k" },
                         .n_vars = 3,
                         .left = 9 },
               *m = &maker;
  for (unsigned i = below(m, 3); i > 0; i--)
    m->kinds |= 1u << below(m, KINDS);
  const char *row = m->kinds & 1u << ROWS ? PICK(m, rows) : "n",
             *types[3] = { type(m), type(m), type(m) };
  text_printf(plain, "#pragma autotune kernel param(KIND_%s: 1, 2) verify(exact)\n",
              name);
  put(m,
      "void %s(%s n, %s m, %s k, double *%sx, const double *y, double A[][%s], struct pair *s)\n{\n",
      name, types[0], types[1], types[2], chance(m, 50) ? "restrict " : "", row);
  text_printf(plain, "(void)KIND_%s;\n", name);
  text_printf(recorded, "const long long row = %s;\n", row);
  for (unsigned i = 1 + below(m, 2); i > 0; i--)
    loop(m);
  if (chance(m, 30))
    assignment(m);
  put(m, "end:;\n}\n");
  text_printf(recorded,
              "static void call_%s(int n, int m, int k) { %s(n, m, k, 0, 0, 0, 0); }\n",
              name, name);
}
