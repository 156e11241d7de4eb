// SPDX-License-Identifier: Apache-2.0
// reschedule_nests.c: writes a nest made up from a seed, as a kernel `nest` with
// `reschedule` on it, also with `registers`, and the same loops as a plain function `plain`.
#include "reschedule_nest.h"

static const char *const vars[] = { "i", "j", "k", "l" };

static unsigned first; // the loop that counts rows in most places
static unsigned left;  // so many more statements
static int adds;       // statements may add to w
static int products;   // innermost are sums along one loop, as in a product of matrices
static int picks;      // most statements are the greater one of an element and a value
static int pivots;     // products in which that loop is the outermost one, of one array

// An index within the margins of 4 of an array of n + 8, in place AT: one loop's variable,
// moved a bit.
static void write_index(unsigned depth, unsigned at) {
  static const int moves[] = { 0, 0, 0, 1, -1, 2 };
  int move = moves[below(6)];
  unsigned loop = below(6) && first + at < depth ? first + at : below(depth);
  if (below(20) == 0)
    printf("[4]");
  else if (below(20) == 0)
    printf("[n + 3 - %s]", vars[loop]);
  else
    printf("[%s + %d]", vars[loop], 4 + move);
}

static void write_element(unsigned depth) {
  unsigned array = below(5) / 2; // mostly of two dimensions
  printf("%c", "abc"[array]);
  write_index(depth, array < 2 ? 0 : below(2));
  if (array < 2)
    write_index(depth, 1);
}

// The element that a pick updates, or its other value: WHICH.
static void write_side(unsigned depth, int which) {
  static const char *const values[] = { "a[i + 4][k + 4] + a[k + 5][j + 4]",
                                        "a[i + 4][k + 4] + a[k + 4][j + 4]",
                                        "b[i + 4][k + 4] * b[k + 4][j + 4]",
                                        "a[j + 4][k + 4] + c[k + 4]" };
  if (!products || depth < 3) {
    for (int i = 0; i <= which; i++) {
      printf(i ? " + 2 * " : "");
      write_element(depth);
    }
  } else {
    printf("%s", which ? values[below(4)] : "a[i + 4][j + 4]");
  }
}

// The greater one of an element and another value.
static void write_pick(unsigned depth) {
  static const char *const after[] = { " = ", " >= ", " ? ", " : ", ";\n" };
  const uint64_t before = state;
  for (int i = 0; i < 5; i++) {
    state = before;
    write_side(depth, i == 2 || i == 4);
    printf("%s", after[i]);
  }
}

static void write_statement(unsigned depth) {
  static const char *const ops[] = { "=", "+=", "-=", "=" };
  unsigned kind = below(8);
  if (adds && depth > 1 && below(2)) {
    printf("w %s 3 * ", ops[1 + below(2)]);
    write_element(depth);
    printf(";\n");
    return;
  }
  if (kind == 0) {
    printf("{ unsigned v = ");
    write_element(depth);
    printf(" + 1; ");
    write_element(depth);
    printf(" ^= v; }\n");
    return;
  }
  if (picks && below(8)) {
    write_pick(depth);
    return;
  }
  if (pivots && depth == 3) {
    static const char *const moved[] = { "4", "4", "4", "3", "5" };
    printf("a[j + 4][k + 4] %s a[j + 4][i + %s] * ", ops[below(4)], moved[below(5)]);
    printf("a[i + %s][k + %s];\n", moved[below(5)], moved[below(5)]);
    return;
  }
  if (products && depth == 3) {
    static const char *const sums[] = { "a[i + 4][j + 4]", "a[i + 4][j + 4]",
                                        "a[i + 4][j + 5]", "a[i + 3][j + 4]" };
    static const char *const factors[] = {
      "b[i + 4][k + 4]", "b[k + 4][j + 4]", "b[j + 4][k + 4]", "b[k + 4][j + 5]",
      "b[j + 4][k + 3]", "a[i + 4][k + 4]", "a[k + 4][j + 4]", "c[k + 4]",
    };
    printf("%s %s ", sums[below(4)], ops[1 + below(2)]);
    printf("%s * %s;\n", factors[below(8)], factors[below(8)]);
    return;
  }
  if (kind == 1)
    printf("if (%s > %u) ", vars[below(depth)], below(4));
  write_element(depth);
  printf(" %s 3 * ", ops[below(4)]);
  write_element(depth);
  printf(" + ");
  write_element(depth);
  printf(";\n");
}

static void write_bound(unsigned at, const char *const *choices, unsigned n) {
  unsigned pick = below(at ? n : 2);
  printf(choices[pick], at ? vars[below(at)] : "");
}

static void write_body(unsigned depth, unsigned most);

static void write_loop(unsigned at, unsigned most) {
  static const char *const firsts[] = { "0", "1", "%s", "%s + 1", "0" };
  static const char *const ends[] = { "n", "n - 1", "%s", "%s + 1", "n - %s", "n", "n" };
  const char *v = vars[at];
  if (below(5) == 0 && !products) {
    printf("for (%s = ", v);
    write_bound(at, ends, 7);
    printf(" - 1; %s >= ", v);
    write_bound(at, firsts, 5);
    printf("; %s--)", v);
  } else {
    printf("for (%s = ", v);
    write_bound(at, firsts, 5);
    printf("; %s < ", v);
    write_bound(at, ends, 7);
    printf("; %s++)", v);
  }
  write_body(at + 1, most);
}

// A variable that stands for an element while a loop adds to it.
static void write_forward(unsigned depth, unsigned most) {
  uint64_t element = state;
  printf("w = ");
  write_element(depth);
  printf(";\n");
  write_loop(depth, most);
  uint64_t after = state;
  state = element;
  write_element(depth);
  state = after;
  printf(" = w + ");
  write_element(depth);
  printf(";\n");
}

static void write_body(unsigned depth, unsigned most) {
  printf(" {\n");
  for (unsigned i = 0; i < 2 && depth < most; i++)
    if (depth + 1 == most && most > 1 && !adds && !products && below(4) == 0) {
      adds = 1;
      write_forward(depth, most);
      adds = 0;
    } else if (i == 0 || below(3) == 0)
      write_loop(depth, most);
  for (; left > 0 && (depth == most || below(3) == 0); left--) {
    write_statement(depth);
    if (below(2) || (products && depth == 3))
      break;
  }
  printf("}\n");
}

static void write_function(const char *name, const char *kernel, const char *directive,
                           uint64_t seed) {
  state = seed * 7919 + 1;
  write_head(name, kernel, directive, "int i, j, k, l;\nunsigned w;", 0);
  products = seed % 2;
  pivots = products && below(3) == 0;
  picks = below(3) == 0;
  unsigned most = products ? 3 : 2 + below(5) / 2;
  first = most > 2 ? below(2) : 0;
  left = 1 + below(4);
  write_loop(0, most > 3 ? 3 : most);
  printf("}\n");
}

#define DIRECTIVE                                                                        \
  "#pragma autotune reschedule sizes({1, 2, 3, 7, 100}, {1, 2, 5, 64}, {1, 3, 4, 200}) " \
  "num_threads({1, 2, 3})"

int main(int argc, char **argv) {
  return below_main(argc, argv, write_function, NEST_KERNEL,
                    argc > 2 && strcmp(argv[1], "registers") == 0
                        ? DIRECTIVE " registers({1, 2, 4}, {1, 2, 3})\n"
                        : DIRECTIVE "\n");
}
