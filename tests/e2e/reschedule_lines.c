// SPDX-License-Identifier: Apache-2.0
// reschedule_lines.c: writes steps in time made up from a seed, each of which sweeps over
// the lines of an array there and back, with a work array in which a line may have all
// that it needs. A kernel `nest` with `reschedule` on it, or a plain function `plain`.
#include "reschedule_nest.h"

// The element of the work array for the line i, MOVED along it. Most seeds use b[i][j].
static int across; // it is b[j][i]
static void write_work(const char *at, int moved) {
  if (below(150) == 0)
    printf("b[%s + %d][%s + %d]", across ? at : "i", 4 + moved, across ? "i" : at,
           4 - !across + 2 * (int)below(2));
  else
    printf("b[%s + %d][%s + %d]", across ? at : "i", across ? 4 + moved : 4,
           across ? "i" : at, across ? 4 : 4 + moved);
}

static int rows; // lines of the data are rows
static void write_data(const char *along) {
  int move = below(30) ? 0 : 1 - 2 * (int)below(2); // that of another line
  printf("a[%s + %d][%s + %d]", rows ? "i" : along, 4 + (rows ? move : 0),
         rows ? along : "i", 4 + (rows ? 0 : move));
}

static void write_range(const char *var, int narrow) {
  static const char *const firsts[] = { "1", "1", "0", "2" },
                           *const ends[] = { "n - 1", "n - 1", "n", "n - 2" };
  printf("for (%s = %s; %s < %s; %s++)", var, firsts[narrow ? below(4) : 0], var,
         ends[narrow ? below(4) : 0], var);
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
  if (below(5)) {
    printf("for (j = n - %d; j >= %d; j--)\n", odd ? 2 + (int)below(2) : 2,
           odd ? (int)below(3) : 1);
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
  write_head(name, kernel, directive, "int i, j, t;");
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
