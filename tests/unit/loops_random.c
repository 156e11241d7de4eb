// SPDX-License-Identifier: Apache-2.0
// loops_random.c: makes up nests and directives from a seed. About two in three are
// legal, as the translator decides.
#include "loops_random.h"

#include <stdbool.h>
#include <string.h>

uint64_t random_next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15); // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

unsigned random_below(uint64_t *state, unsigned n) {
  return (unsigned)(random_next(state) % n);
}

struct kernel_maker {
  uint64_t rng;
  FILE *out;
  unsigned depth;
  unsigned from;    // the loop with `fission`, or DEPTH …
  unsigned divided; // … and the one whose body it divides
  bool outside[4];  // declared before the nest
  const char *types[4];
};

static const char *const vars[] = { "i", "j", "k", "l" };

static bool chance(struct kernel_maker *m, unsigned percent) {
  return random_below(&m->rng, 100) < percent;
}

#define PICK(m, list) (list)[random_below(&(m)->rng, sizeof(list) / sizeof *(list))]

// Writes a bound of loop D: a constant, an argument, or now and then an expression of an
// outer variable.
static void write_bound(struct kernel_maker *m, unsigned d) {
  static const char *const plain[] = { "n",     "m",     "n",         "m",    "7",
                                       "n + 1", "m / 2", "n - m / 3", "3 * 2" };
  static const char *const dependent[] = { "(int)%s + 1", "(int)%s", "n - (int)%s",
                                           "(int)(%s %% 3) + 2", "(int)(%s * 2)" };
  if (d > 0 && chance(m, 20))
    fprintf(m->out, PICK(m, dependent), vars[random_below(&m->rng, d)]);
  else
    fprintf(m->out, "%s", PICK(m, plain));
}

static void write_update(struct kernel_maker *m, const char *var, bool down, bool unit) {
  unsigned step = unit ? 1 : 1 + random_below(&m->rng, 3);
  char sign = down ? '-' : '+';
  switch (random_below(&m->rng, 4)) {
  case 0:
    fprintf(m->out, "%s %c= %u", var, sign, step);
    break;
  case 1:
    fprintf(m->out, "%s = %s %c %u", var, var, sign, step);
    break;
  default:
    if (step == 1 && chance(m, 50))
      fprintf(m->out, "%s%c%c", var, sign, sign);
    else if (step == 1)
      fprintf(m->out, "%c%c%s", sign, sign, var);
    else
      fprintf(m->out, "%s %c= %u", var, sign, step);
  }
}

static bool is_unsigned(const char *type) {
  return *type == 'u' || *type == 'T' || strcmp(type, "size_t") == 0;
}

// Writes a loop down to one of 0, 1, 2.
static void write_down(struct kernel_maker *m, unsigned d) {
  bool wraps = is_unsigned(m->types[d]);
  bool inclusive = !wraps && chance(m, 50), flip = chance(m, 10);
  unsigned last = random_below(&m->rng, 3);
  if (wraps)
    fprintf(m->out, "(%s)(n + %u)", m->types[d], random_below(&m->rng, 4));
  else
    write_bound(m, d);
  if (flip)
    fprintf(m->out, "; %u %s %s; ", last, inclusive ? "<=" : "<", vars[d]);
  else
    fprintf(m->out, "; %s %s %u; ", vars[d], inclusive ? ">=" : ">", last);
  write_update(m, vars[d], true, wraps);
}

static void write_up(struct kernel_maker *m, unsigned d) {
  bool inclusive = chance(m, 30), flip = chance(m, 10);
  fprintf(m->out, "%u; ", random_below(&m->rng, 4));
  if (is_unsigned(m->types[d])) {
    fprintf(m->out, "%s < (%s)(n + %u)", vars[d], m->types[d], random_below(&m->rng, 3));
  } else if (flip) {
    write_bound(m, d);
    fprintf(m->out, " %s %s", inclusive ? ">=" : ">", vars[d]);
  } else {
    fprintf(m->out, "%s %s ", vars[d], inclusive ? "<=" : "<");
    write_bound(m, d);
  }
  fprintf(m->out, "; ");
  write_update(m, vars[d], false, false);
}

static void write_for(struct kernel_maker *m, unsigned d) {
  fprintf(m->out, "for (");
  if (!m->outside[d])
    fprintf(m->out, "%s ", m->types[d]);
  fprintf(m->out, "%s = ", vars[d]);
  if (chance(m, 25))
    write_down(m, d);
  else
    write_up(m, d);
  fprintf(m->out, ")");
}

static void write_sizes(struct kernel_maker *m, unsigned n, unsigned max) {
  for (unsigned i = 0; i < n; i++) {
    fprintf(m->out, "%s", i ? ", " : "");
    if (chance(m, 40))
      fprintf(m->out, "{%u, %u}", 1 + random_below(&m->rng, max),
              max + 1 + random_below(&m->rng, 3));
    else
      fprintf(m->out, "%u", 1 + random_below(&m->rng, max));
  }
}

static void write_permutation(struct kernel_maker *m, unsigned depth) {
  static const char *const of3[] = { "(3,2,1)", "2,3,1", "{(1,3,2), (3,1,2)}", "any",
                                     "(2,1)" };
  static const char *const of2[] = { "2, 1", "any", "(2,1)", "{(1,2), (2,1)}" };
  fprintf(m->out, "interchange");
  if (!chance(m, 30))
    fprintf(m->out, " permutation(%s)", depth > 2 ? PICK(m, of3) : PICK(m, of2));
}

static void write_directive(struct kernel_maker *m, unsigned depth, bool last) {
  unsigned many = 1 + random_below(&m->rng, depth),
           kind = random_below(&m->rng, last ? 13 : 9);
  bool author = m->from == m->depth &&
      chance(m, 30); // there is a pragma of OpenMP, whose clauses vary
  bool optional = chance(m, 15);
  for (unsigned i = 0; i < m->depth; i++)
    author = author && !m->outside[i]; // OpenMP leaves its last value open
  if (kind > 10 && author)
    fprintf(m->out, "#pragma omp parallel for schedule(static, 2)\n");
  fprintf(m->out, "#pragma autotune ");
  if (kind < 3)
    fprintf(m->out, "tile sizes("), write_sizes(m, many, 5), fprintf(m->out, ")");
  else if (kind < 5)
    write_permutation(m, depth);
  else if (kind == 5)
    fprintf(m->out, "reverse");
  else if (kind < 8)
    fprintf(m->out, "unroll_and_jam partial("), write_sizes(m, depth > 1 ? many : 1, 4),
        fprintf(m->out, ")");
  else if (kind == 8)
    fprintf(m->out, "stripe sizes("), write_sizes(m, many, 4), fprintf(m->out, ")");
  else if (kind == 9)
    fprintf(m->out, "unroll%s", chance(m, 60) ? " partial({2, 3})" : "");
  else if (kind == 10)
    fprintf(m->out, "simd");
  else
    fprintf(m->out, "parallel for%s%s", chance(m, 40) ? " collapse({1, 2})" : "",
            chance(m, 30) ? " schedule({static, dynamic}, {1, 3})" : "");
  fprintf(m->out, "%s\n", optional ? " optional" : "");
}

static void write_directives(struct kernel_maker *m, unsigned depth, bool outermost) {
  unsigned n = outermost ? 1 + random_below(&m->rng, 3) : chance(m, 15);
  bool threads = m->from == 0 || m->from == m->depth; // or the parts within may have them
  for (unsigned i = 0; i < n; i++)
    write_directive(m, depth, (outermost ? i == 0 : chance(m, 30)) && threads);
}

static const char *const list[] = { "i", "i, j", "i, j, k", "i, j, k, l" };

static void write_body(struct kernel_maker *m, unsigned d) {
  char visit[64];
  snprintf(visit, sizeof visit, "V(%s);", list[d - 1]);
  switch (random_below(&m->rng, 8)) {
  case 0:
    fprintf(m->out, "{\n#if 1\n%s\n#else\n abort();\n#endif\n}\n", visit);
    break;
  case 1:
    fprintf(m->out, "{ if (%s %% 3 == 1) continue; %s }\n", vars[d - 1], visit);
    break;
  case 2:
    fprintf(m->out, "{ int t = 0;\nagain:\n if (t++ < 1) goto again;\n %s }\n", visit);
    break;
  case 3:
    fprintf(m->out, "for (int x = 0; x < 3; x++) { if (x == 2) break; %s }\n", visit);
    break;
  case 4:
    fprintf(m->out, "switch (n) { case 0: break; default: %s }\n", visit);
    break;
  case 5:
    fprintf(m->out,
            "{\n#pragma autotune unroll partial(2)\nfor (int x = 0; x < 3; x++) %s }\n",
            visit);
    break;
  default:
    fprintf(m->out, chance(m, 50) ? "%s\n" : "{ %s }\n", visit);
  }
}

static void write_nest(struct kernel_maker *m, unsigned d);

// Writes the body of loop D as parts, of which each is for all loops from that with
// `fission` on.
static void write_parts(struct kernel_maker *m, unsigned d) {
  unsigned around = d + 1 - m->from, n = 1 + random_below(&m->rng, 3);
  fprintf(m->out, " {\n");
  for (unsigned i = 0; i < n; i++) {
    write_directives(m, around, chance(m, 40));
    fprintf(m->out, "%s V(%s);\n", chance(m, 30) ? "if (n > 1)" : "", list[d]);
    write_directives(m, m->depth - m->from, chance(m, 40));
    if (d + 1 < m->depth)
      write_nest(m, d + 1);
    else
      fprintf(m->out, "for (int x = 0; x < 3; x++) V(x);\n");
  }
  fprintf(m->out, "%s}\n", chance(m, 50) ? "V(n);\n" : "");
}

static void write_nest(struct kernel_maker *m, unsigned d) {
  bool within = d >= m->from && d <= m->divided + 1; // directives are on the parts
  if (d == m->from)
    fprintf(m->out, "#pragma autotune fission%s\n", chance(m, 50) ? " optional" : "");
  else if (!within)
    write_directives(m, m->depth - d, d == 0);
  write_for(m, d);
  if (d == m->divided) {
    write_parts(m, d);
    return;
  }
  if (d + 1 == m->depth) {
    fprintf(m->out, "\n");
    write_body(m, m->depth);
    return;
  }
  bool brace = chance(m, 30), imperfect = chance(m, 5) && !within;
  for (unsigned i = d; i < m->depth;
       i++) // threads would share it, as they do with OpenMP alone
    imperfect = imperfect && !m->outside[i];
  fprintf(m->out, brace || imperfect ? " { // only a loop\n" : "\n");
  if (imperfect)
    fprintf(m->out, "V(%s);\n", vars[0]);
  write_nest(m, d + 1);
  fprintf(m->out, brace || imperfect ? "}\n" : "");
}

void random_kernel(FILE *out, const char *name, uint64_t seed) {
  static const char *const types[] = { "int",      "int",    "int",   "long",
                                       "unsigned", "size_t", "short", "T" };
  struct kernel_maker maker = { .rng = seed, .out = out }, *m = &maker;
  m->depth = 1 + random_below(&m->rng, 3);
  m->from = m->divided = m->depth;
  if (chance(m, 25)) {
    m->from = random_below(&m->rng, m->depth);
    m->divided = m->from + random_below(&m->rng, m->depth - m->from);
  }
  fprintf(out, "#pragma autotune kernel\nvoid %s(int n, int m, long *restrict fin)\n{\n",
          name);
  for (unsigned d = 0; d < m->depth; d++) {
    m->types[d] = PICK(m, types);
    m->outside[d] = (m->from == 0 || m->from == m->depth) && chance(m, 20);
    if (m->outside[d])
      fprintf(out, "%s %s = 5;\n", m->types[d], vars[d]);
  }
  write_nest(m, 0);
  for (unsigned d = 0; d < m->depth; d++)
    if (m->outside[d])
      fprintf(out, "fin[%u] = (long)%s;\n", d, vars[d]);
  fprintf(out, "}\n");
}
