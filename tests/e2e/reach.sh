# SPDX-License-Identifier: Apache-2.0
# What the translator finds in the functions that a kernel reaches: OpenMP.
. "$(dirname "$0")/cc_lib.sh"

cat > team.c << 'END'
#include <math.h>
static double deep(int n, const double *a)
{
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
// It has a state, so it is not copied into the unit.
static double counted(int n, const double *a)
{
  static int calls;
  calls++;
  return deep(n, a);
}
static double plain(int n, const double *a)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    s += fabs(a[i]);
  return s;
}
#pragma autotune kernel param(A: 1, 2) in(a[0:n])
double team(int n, const double *a) { return A * counted(n, a); }
#pragma autotune kernel param(A: 1, 2) in(a[0:n])
double alone(int n, const double *a) { return A * plain(n, a); }
#define SHARED _Pragma("omp parallel for")
static void set(int n, double *a)
{
  SHARED for (int i = 0; i < n; i++) a[i] = i;
}
#pragma autotune kernel param(A: 1, 2) out(a[0:n])
void hidden(int n, double *a) { set(n, a); a[0] = A - A; }
END

# OPTIONS: the members `openmp` of team, alone and hidden
openmp() {
  autotune translate team.c -- "$@" | sed -n 's/.*\.openmp = \([01]\).*/\1/p' | tr -d '\n'
}
is "with OpenMP" "$(openmp -fopenmp)" 101
is "without OpenMP" "$(openmp)" 000
is "the last option counts" "$(openmp -fopenmp -fno-openmp)" 000
is "options of OpenMP" "$(openmp -fopenmp=libomp -fopenmp-version=45)" 101

finish
