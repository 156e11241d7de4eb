# SPDX-License-Identifier: Apache-2.0
# `autotune cc --auto` where the distance between rows is an argument, `C[i * ldc + j]`: each call looks whether rows are as
# far apart as the proof needs. A product of matrices whose author's directive of OpenMP this build does not read.
. "$(dirname "$0")/cc_lib.sh"
export OMP_NUM_THREADS=2 AUTOTUNE_MODE=first AUTOTUNE_BUDGET=30s

cat > strides.c << 'EOF_C'
// a
// b
// c
// d
// e
#include <stddef.h>
void gemm(int M, int N, int K, float ALPHA, float *A, int lda, float *B, int ldb, float *C, int ldc)
{
  int i, j, k;
#pragma omp parallel for
  for (i = 0; i < M; ++i)
    for (k = 0; k < K; ++k) {
      register float A_PART = ALPHA * A[i * lda + k];
      for (j = 0; j < N; ++j)
        C[i * ldc + j] += A_PART * B[k * ldb + j];
    }
}
void decay(int n, int m, double *z, int ld)
{
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      z[i * ld + j] = z[i * ld + j] * 0.5 + j;
}
void fade(size_t n, size_t m, double *z, int ld)
{
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < n; i++)
      z[i * ld + j] = z[i * ld + j] * 0.5 + j;
}
void products(int n, int m, double *z, int ld)
{
  for (int i = 0; i < n; i++)
    for (size_t j = 0; j < (size_t)n * m; j++)
      z[(size_t)i * ld + j] *= 2;
}
EOF_C
cat > main.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
void gemm(int M, int N, int K, float ALPHA, float *A, int lda, float *B, int ldb, float *C, int ldc);
void decay(int n, int m, double *z, int ld);
void fade(size_t n, size_t m, double *z, int ld);
int main(int argc, char **argv)
{
  int n = 600, m = 600, ld = argc > 1 ? atoi(argv[1]) : m;
  double *z = calloc(3 * n * m, sizeof *z), s = 0;
  float *x = calloc(100 * 100, sizeof *x), *y = calloc(100 * 100, sizeof *y), *c = calloc(3 * 100 * 100, sizeof *c);
  for (int i = 0; i < 100 * 100; i++)
    x[i] = i % 3, y[i] = i % 5;
  for (int t = 0; t < 2000; t++)
    decay(n, m, z + n * m, m), fade(n, m, z + n * m, m);
  for (int t = 0; t < 200; t++)
    gemm(100, 100, 100, 1, x, 100, y, 100, c + 10000, 100);
  for (int i = 0; i < n * m; i++)
    z[n * m + i] = i % 7;
  decay(n, m, z + n * m + (ld < 0 ? n * m : 0), ld);
  fade(n, m, z + n * m + (ld < 0 ? n * m : 0), ld);
  gemm(100, 100, 100, 1, x, 100, y, 100, c + 10000 + (ld < 0 ? 10000 : 0), ld < 0 ? -100 : ld - m + 100);
  for (int i = 0; i < 3 * n * m; i++)
    s += z[i] * (i % 13);
  for (int i = 0; i < 3 * 100 * 100; i++)
    s += c[i] * (i % 3);
  printf("%.17g\n", s);
  return 0;
}
EOF_C
gcc -O1 main.c strides.c -o plain
check "builds" env AUTOTUNE_LOG=info autotune cc --auto gcc -O1 -c strides.c 2> log
has "kernels" log "once they are hot: 'gemm', 'decay', 'fade'"
check "links" autotune cc gcc -O1 main.c strides.o -o tuned
for ld in 600 599 -600 -599 700; do
  expected=$(./plain $ld)
  is "$ld apart: answer" "$(AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info ./tuned $ld 2> run.$ld)" "$expected"
done
has "a winner" run.600 'decay: tuned:'
has "a winner of unsigned sizes" run.600 'fade: tuned:'
has "the winner interchanges" <(AUTOTUNE_CACHE=$work/cache autotune report --kernel decay) 'winner .*(2,1)'
has "and so does that" <(AUTOTUNE_CACHE=$work/cache autotune report --kernel fade) 'winner .*(2,1)'

autotune suggest strides.c > strides.patch 2> notes
check "the patch applies" patch -s -p1 -i strides.patch
has "its condition" strides.c "if(ld >= m) inout(z\[0:"
has "no comparison without a sign" strides.c "if((long long)ld >= (long long)m) inout(z\[0:"
has "no product that overflows" strides.c "if((long long)ld >= (long long)m \* n) inout(z\[0:(long long)ld \* n + (long long)m \* n - ld\])"
check "check" autotune check strides.c
finish
