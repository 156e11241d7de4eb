# SPDX-License-Identifier: Apache-2.0
# `#pragma autotune fission`: all variants of kernels whose loops have several parts are right, also those without it.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_MODE=first AUTOTUNE_BUDGET=100s OMP_NUM_THREADS=2

cat > parts.c << 'EOF_C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel search(exhaustive) in(d[0:n][0:m]) out(c[0:m][0:m])
void covariance(int n, int m, const double (*restrict d)[m], double (*restrict c)[m])
{
  #pragma autotune fission optional
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) {
      c[i][j] = 0;
      #pragma autotune parallel for optional
      #pragma autotune tile sizes({5, 16}, 16, 64)
      #pragma autotune interchange permutation((1,3,2)) optional
      for (int k = 0; k < n; k++)
        c[i][j] += d[k][i] * d[k][j];
      #pragma autotune tile sizes(8, 8) optional
      c[i][j] /= n - 1.0;
      c[j][i] = c[i][j];
    }
}
#pragma autotune kernel optional search(exhaustive) inout(a[0:m][0:n], r[0:n][0:n], q[0:m][0:n])
void gramschmidt(int m, int n, double (*restrict a)[n], double (*restrict r)[n], double (*restrict q)[n])
{
  int i, j, k;
  for (k = 0; k < n; k++) {
    double nrm = 0;
    for (i = 0; i < m; i++)
      nrm += a[i][k] * a[i][k];
    r[k][k] = sqrt(nrm);
    for (i = 0; i < m; i++)
      q[i][k] = a[i][k] / r[k][k];
    #pragma autotune fission
    for (j = k + 1; j < n; j++) {
      r[k][j] = 0;
      #pragma autotune interchange
      for (i = 0; i < m; i++)
        r[k][j] += q[i][k] * a[i][j];
      #pragma autotune parallel for optional
      #pragma autotune unroll_and_jam partial({1, 2}) optional
      #pragma autotune interchange
      for (i = 0; i < m; i++)
        a[i][j] -= q[i][k] * r[k][j];
    }
  }
}
#pragma autotune kernel search(exhaustive) in(a[0:n*p], b[0:p*m]) inout(c[0:n*m])
void product(int n, int m, int p, double alpha, double beta, const double *restrict a, const double *restrict b,
             double *restrict c)
{
  #pragma autotune fission
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      #pragma autotune simd optional
      c[i * m + j] *= beta;
      #pragma autotune parallel for num_threads({1, 2})
      #pragma autotune unroll_and_jam partial({1, 4}, 2)
      #pragma autotune tile sizes({16, 32}, 16, 64) optional
      #pragma autotune interchange permutation((1,3,2))
      for (int k = 0; k < p; k++)
        c[i * m + j] += alpha * a[i * p + k] * b[k * m + j];
    }
}
enum { N = 90, M = 70 };
static double d[N][M], c[M][M], r[M][M], q[N][M], x[N * N], y[N * N], z[N * N];
static double sum(const double *v, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    s += v[i] * (i % 7 + 1);
  return s;
}
int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      d[i][j] = (i * j + 3 * i + j * j) % 11 + (i == j) * 40;
  for (int i = 0; i < N * N; i++)
    x[i] = i % 13, y[i] = i % 7, z[i] = i % 5;
  covariance(N, M, d, c);
  printf("%.9g\n", sum(&c[0][0], M * M));
  gramschmidt(N, M, d, r, q);
  printf("%.6g %.6g\n", sum(&r[0][0], M * M), sum(&q[0][0], N * M));
  product(N, N - 1, N - 2, 2, 3, x, y, z);
  printf("%.9g\n", sum(z, N * (N - 1)));
  return 0;
}
EOF_C
gcc -O1 parts.c -o plain -lm 2> /dev/null
expected=$(./plain)

autotune check parts.c > check.out 2> check.err
hasnt "no warning" check.err .
has "the parts depend on the fission" check.out 'tile@12.1 *5, 16; where fission@7.1 is not no'
check "builds" autotune cc gcc -O1 parts.c -o parts -lm
is "answers while they are tuned" "$(AUTOTUNE_CACHE=$work/store AUTOTUNE_LOG=debug ./parts 2> log)" "$expected"
is "tuned answers" "$(AUTOTUNE_CACHE=$work/store ./parts 2> /dev/null)" "$expected"
hasnt "no variant is wrong" log ': wrong'
for kernel in covariance gramschmidt product; do
  has "$kernel: is tuned" log "$kernel: tuned: \|$kernel: .*default.* is best"
done
has "covariance: a variant with and without" log 'covariance: .*fission@7.1=no'
has "covariance: another order" log 'covariance: .*fission@7.1=yes.*interchange@13.1=yes'
has "gramschmidt: as written" log 'gramschmidt: .*directives=no'
check "bakes" env AUTOTUNE_CACHE="$work/store" autotune bake parts.c -o baked.c -- -O1
check "baked code compiles" gcc -O1 -fopenmp baked.c -o baked -lm
is "baked answers" "$(./baked)" "$expected"
finish
