// Macros in the loop, whose text is read as the compiler sees it; an assertion does not fail.
#include <assert.h>
#define BOX 64
#define ZERO(v) do { v[0] = 0.0; v[1] = 0.0; } while (0)

double forces(int n, const int *restrict count, const double (*restrict r)[2], double (*restrict f)[2])
{
  double energy = 0;
  #pragma omp parallel for reduction(+ : energy)
  for (int box = 0; box < n; box++) {
    int last = BOX * box + count[box];
    assert(count[box] <= BOX);
    for (int i = BOX * box; i < last; i++) {
      ZERO(f[i]);
      for (int j = BOX * box; j < last; j++) {
        double d = r[i][0] - r[j][0] + r[i][1] - r[j][1];
        f[i][0] += d;
        energy += d * d;
      }
    }
  }
  return energy;
}
