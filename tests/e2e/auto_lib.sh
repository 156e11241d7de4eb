# SPDX-License-Identifier: Apache-2.0
# Sourced by auto_*.sh: a program with one hot kernel.

# smooth_program FILE: writes it. It calls `smooth` for as many seconds as its argument says (1).
smooth_program() {
cat > "$1" << 'EOF_C'
#include <stdlib.h>
#include <time.h>
void smooth(int n, const double *x, double *y)
{
  for (int t = 0; t < 20; t++)
    for (int i = 1; i < n - 1; i++)
      y[i] = (x[i - 1] + x[i] / 3 + x[i + 1]) / (1.5 + y[i]);
}
int main(int argc, char **argv)
{
  int n = 20000;
  double *x = malloc(n * sizeof *x), *y = calloc(n, sizeof *y), end = argc > 1 ? atof(argv[1]) : 1;
  struct timespec now, begin;
  for (int i = 0; i < n; i++)
    x[i] = i % 13;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    smooth(n, x, y);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec + 1e-9 * (now.tv_nsec - begin.tv_nsec) < end);
  free(x);
  free(y);
  return 0;
}
EOF_C
}
