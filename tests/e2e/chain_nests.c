// SPDX-License-Identifier: Apache-2.0
// chain_nests.c: writes a block of nests made up from a seed, each of which reads what
// earlier ones wrote, as a kernel `nest` with `chain` on it, and the same block as a plain
// function `plain`. Arrays have margins of 8 at each side.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "below.h"

static unsigned nests, margin[8]; // nest K runs from 8 - margin[K] to n + 8 + margin[K]
static int linear;                // arrays have one subscript

static void write_element(const char *array, const char *row, const char *column) {
  printf(linear ? "%s[(%s) * (n + 16) + %s]" : "%s[%s][%s]", array, row, column);
}

// Writes an element of what nest K may read, moved by as much as the margins allow.
static void write_read(unsigned k) {
  char array[8], row[16], column[16];
  unsigned from = below(k + 1), most = from ? margin[from - 1] - margin[k] : 8 - margin[k];
  int up = (int)below(2 * most + 1) - (int)most, left = (int)below(2 * most + 1) - (int)most;
  int swap = below(12) == 0;
  snprintf(array, sizeof array, from ? "t%u" : "a", from - 1);
  snprintf(row, sizeof row, "%s + %d", swap ? "j" : "i", up);
  snprintf(column, sizeof column, "%s + %d", swap ? "i" : "j", left);
  write_element(array, row, column);
}

static void write_value(unsigned k) {
  printf("3 * ");
  for (unsigned i = 0, n = 1 + below(3); i <= n; i++) {
    printf(i ? " + " : "");
    write_read(k);
  }
}

static void write_loop(const char *v, int m, int down) {
  if (down)
    printf("for (int %s = n + %d; %s >= %d; %s--) ", v, 7 + m, v, 8 - m, v);
  else
    printf("for (int %s = %d; %s < n + %d; %s++) ", v, 8 - m, v, 8 + m, v);
}

static void write_body(unsigned k, const char *array) {
  unsigned kind = below(8);
  printf("{ ");
  if (kind == 7) { // in both branches
    printf("if (i > j) ");
    write_element(array, "i", "j");
    printf(" = ");
    write_value(k);
    printf("; else ");
  }
  if (kind == 3) { // a loop of its own
    unsigned from = below(k + 1), most = from ? margin[from - 1] - margin[k] : 8 - margin[k];
    char source[8];
    snprintf(source, sizeof source, from ? "t%u" : "a", from - 1);
    most = most > 2 ? 2 : most;
    printf("unsigned v = 1; for (int r = -%u; r <= %u; r++) v = v * 5 + ", most, most);
    write_element(source, "i + r", "j - r");
    printf("; ");
  }
  if (kind == 0) {
    printf("unsigned v = ");
    write_value(k);
    printf("; ");
  }
  write_element(array, "i", "j");
  printf(" = ");
  if (kind == 0)
    printf("v * v");
  else if (kind == 3)
    printf("v + i");
  else if (kind == 1) {
    printf("(i + j) %% 3 ? ");
    write_read(k);
    printf(" : ");
    write_read(k);
  } else
    write_value(k);
  printf(";");
  if (kind == 2) {
    printf(" if (i > j) ");
    write_element(array, "i", "j");
    printf(" += ");
    write_read(k);
    printf(";");
  }
  printf(" }\n");
}

// A nest whose rows depend on themselves: sums along them.
static void write_rows(unsigned k, const char *array) {
  int m = (int)margin[k];
  write_loop("i", m, 0);
  printf("{ ");
  write_loop("j", m, 0);
  write_body(k, array);
  printf("for (int l = %d; l < n + %d; l++) ", 9 - m, 8 + m);
  write_element(array, "i", "l");
  printf(" += 3 * ");
  write_element(array, "i", "l - 1");
  printf("; }\n");
}

// A nest with another result, which no other one uses.
static void write_other(unsigned k) {
  write_loop("i", (int)margin[k], 0);
  write_loop("j", (int)margin[k] - 1, 0);
  printf("{ ");
  write_element("q", "i", "j");
  printf(" ^= ");
  write_value(k);
  printf("; }\n");
}

static void write_function(const char *name, const char *kernel, const char *directive,
                           uint64_t seed) {
  state = seed * 7919 + 1;
  nests = 2 + below(4);
  linear = below(3) == 0;
  unsigned left = 8;
  for (unsigned k = 0; k < nests; k++) {
    left -= below(left / 2 + 1);
    margin[k] = k + 1 == nests && left > 3 ? left - below(3) : left;
  }
  printf("%svoid %s(int n", kernel, name);
  for (unsigned k = 0; k <= nests; k++) {
    char array[8];
    snprintf(array, sizeof array, k == 0 ? "a" : k == nests ? "b" : "t%u", k - 1);
    printf(linear ? ", unsigned *restrict %s" : ", unsigned (*restrict %s)[n + 16]", array);
  }
  printf(linear ? ", unsigned *restrict q" : ", unsigned (*restrict q)[n + 16]");
  printf(")\n{\n%s", directive);
  const char *sizes = below(4) ? "sizes({1, 2}, {1, 2}) " : "sizes({1, 2}) ";
  if (*directive) {
    printf("%s", sizes);
    printf("local(");
    for (unsigned k = 0; k + 1 < nests; k++)
      printf("%st%u", k ? ", " : "", k);
    printf(")\n");
  }
  printf("{\n");
  for (unsigned k = 0; k < nests; k++) {
    char array[8];
    int swap = below(8) == 0, down = !linear && below(8) == 0;
    snprintf(array, sizeof array, k + 1 == nests ? "b" : "t%u", k);
    if (below(8) == 0) {
      write_rows(k, array);
    } else {
      write_loop(swap ? "j" : "i", (int)margin[k], down);
      write_loop(swap ? "i" : "j", (int)margin[k], !linear && below(8) == 0);
      write_body(k, array);
    }
    if (k > 0 && margin[k] > 0 && below(6) == 0)
      write_other(k);
  }
  printf("}\n}\n");
}

int main(int argc, char **argv) {
  return below_main(argc, argv, write_function, "#pragma autotune kernel verify(off)\n",
                    "#pragma autotune chain num_threads({1, 2}) ");
}
