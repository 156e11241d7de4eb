// SPDX-License-Identifier: Apache-2.0
// reschedule_lines.c: writes steps in time made up from a seed, each of which sweeps over
// the lines of an array there and back, with work arrays in which a line may have all
// that it needs. A kernel `nest` with `reschedule` on it, or a plain function `plain`.
#include "reschedule_nest.h"

static int flat;       // elements of arrays are a[x * n + y], not a[x][y]
static int across;     // the work array's element of the line i is b[j][i], not b[i][j]
static int rows;       // lines of the data are rows
static unsigned extra; // 1: a forward in the first sweep; more: a work array in each

// Writes the element of ARRAY in the row A + X and the column B + Y, but for margins.
static void write_element(const char *array, const char *a, int x, const char *b, int y) {
  printf(flat ? "%s[(%s + %d) * n + %s + %d]" : "%s[%s + %d][%s + %d]", array, a, x + 4,
         b, flat ? y : y + 4);
}

// The element of the work array for the line i, MOVED along it. Most seeds use b[i][j].
static void write_work(const char *at, int moved) {
  int line = below(150) == 0 ? (int)below(2) + 1 : 0; // that of another line
  if (across)
    write_element("b", at, moved, "i", line);
  else
    write_element("b", "i", line, at, moved);
}

static void write_data(const char *along) {
  int move = below(30) ? 0 : 1 - 2 * (int)below(2); // that of another line
  if (rows)
    write_element("a", "i", move, along, 0);
  else
    write_element("a", along, 0, "i", move);
}

static void write_range(const char *var, int narrow) {
  static const char *const firsts[] = { "1", "1", "0", "2" },
                           *const ends[] = { "n - 1", "n - 1", "n", "n - 2" };
  printf("for (%s = %s; %s < %s; %s++)", var, firsts[narrow ? below(4) : 0], var,
         ends[narrow ? below(4) : 0], var);
}

// Writes a use of another work array, of a length that may be 0 or less in lines that are
// not empty.
static void write_other(void) {
  static const char *const ends[] = { "n - 20", "n - 20", "n - 20", "n - 9" };
  const char *end = ends[below(4)];
  for (int i = 0; i < 2; i++) {
    printf("for (j = 1; j < %s; j++)\n", end);
    if (i)
      write_data("j");
    else
      write_element("d", "i", 0, "j", 0);
    printf(i ? " += " : " = 3 * ");
    if (!i)
      write_data("j");
    printf(i ? "" : " + ");
    if (i)
      write_element("d", "i", 0, "j", 0);
    else
      write_work("0", 0);
    printf(";\n");
  }
}

// Writes a variable that stands for an element of the line.
static void write_forward(void) {
  printf("w = ");
  write_work("1", 0);
  printf(";\nfor (j = 1; j < n - 1; j++)\nw -= c[j + 4];\n");
  write_work("1", 0);
  printf(" = w;\n");
}

// Writes a sweep: sets up the line, goes forward, and most often back.
static void write_sweep(int odd) {
  rows = below(5) ? !rows : rows;
  write_range("i", below(8) == 0);
  printf(" {\n");
  if (below(12)) {
    write_work("0", 0);
    printf(" = %u;\n", below(9));
  }
  if (below(3) == 0) {
    if (odd)
      printf("if (i > %u) ", below(4));
    write_data("0");
    printf(" = 3 * i;\n");
  }
  write_range("j", odd);
  printf(" {\n");
  write_work("j", 0);
  printf(" = 5 * ");
  write_work("j", odd && below(4) == 0 ? 0 : -1);
  printf(" + c[j + 4] * ");
  write_data("j");
  printf(";\n");
  if (below(3) == 0) {
    write_data("j");
    printf(" += ");
    write_work("j", 0);
    printf(";\n");
  }
  printf("}\n");
  if (extra == 1)
    write_forward();
  if (extra > 1)
    write_other();
  extra = extra > 1 ? extra : 0;
  if (below(5)) {
    int last = odd ? 2 + (int)below(2) : 2, first = odd ? (int)below(3) : 1;
    if (flat) // for buffers, such an array needs loops that count up
      printf("for (j = %d; j <= n - %d; j++)\n", first, last);
    else
      printf("for (j = n - %d; j >= %d; j--)\n", last, first);
    write_data("j");
    printf(" = 7 * ");
    write_data("j");
    printf(" + ");
    write_work("j", odd && below(6) == 0 ? 1 : 0);
    printf(";\n");
  }
  printf("}\n");
}

static void write_function(const char *name, const char *kernel, const char *directive,
                           uint64_t seed) {
  state = seed * 6007 + 3;
  flat = below(3) == 0;
  extra = below(4);
  write_head(name, flat && *kernel ? FLAT_KERNEL : kernel, directive,
             flat ? "int i, j, t;\nunsigned w, d[(n + 8) * (n + 8)];\n"
                    "for (i = 0; i < (n + 8) * (n + 8); i++)\nd[i] = 0;\n"
                  : "int i, j, t;\nunsigned w, d[n + 8][n + 8];\n"
                    "for (i = 0; i < n + 8; i++)\nfor (j = 0; j < n + 8; j++)\n"
                    "d[i][j] = 0;\n",
             flat);
  across = below(4) == 0;
  int odd = below(3) == 0;
  printf("for (t = %u; t < %s; t++) {\n", below(2), below(2) ? "n" : "6");
  for (unsigned left = below(5) ? 2 : 1 + below(3); left > 0; left--)
    write_sweep(odd);
  printf("}\n}\n");
}

int main(int argc, char **argv) {
  return below_main(
      argc, argv, write_function, NEST_KERNEL,
      "#pragma autotune reschedule sizes({1, 2, 3, 7, 100}, {1, 2, 5, 64}) "
      "num_threads({1, 2, 3})\n");
}
