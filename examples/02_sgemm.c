// SPDX-License-Identifier: Apache-2.0
// 02_sgemm.c: C = A B in single precision, blocked and packed as a library would do it.
//
// Lesson: blocking by hand, tuning by pragma. MR x NR elements of C stay in registers
// while a strip of B streams past a strip of A; what streams comes out of the nearest
// cache that can hold it, as in Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication" (2008), with A and B in each other's places since C has rows:
//
//     A: MR rows x KC, in L1        B: KC x NC, packed in strips of NR, in L2
//
// That takes numbers, which libraries tabulate by hand for each processor. Here they are
// #defines, as they would be there, and one pragma names them as parameters:
//
//   - `param(MR: ...)`: the #define's value is the default, and what mentions MR (macros,
//     array bounds, helper functions) follows it from variant to variant;
//   - `constraint`: keeps what fits, accumulators into vector registers (16 of AVX2, 32
//     of AVX-512), the panel of B into L2;
//   - `flags`: with AVX-512 clang uses half-wide vectors by default.
//
//   cc -O3 -march=native 02_sgemm.c -lm && ./a.out
//   autotune cc cc -O3 -march=native 02_sgemm.c -lm && ./a.out
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MR 4     // rows of C held in registers
#define NR 32    // columns of C held in registers
#define KC 256   // depth of the strip of A and the panel of B
#define NC 512   // columns of the panel of B
#define AHEAD 64 // C is asked for this many steps of k before it is needed

#define LANES 16
typedef float vec __attribute__((vector_size(4 * LANES)));
typedef float loose __attribute__((vector_size(4 * LANES), aligned(4))); // at any address

// One for all calls: sgemm is for one thread at a time.
static float pack_space[1 << 20] __attribute__((aligned(64)));

static int min(int a, int b)
{
  return a < b ? a : b;
}

// Rows of A, KC apart: no transposition, since each element is broadcast anyway; but no
// longer n apart, which for a power of two would be all in one place of the cache.
static void pack_a(int m, int k, const float *a, int lda, float *out)
{
  for (int r = 0; r < MR; r++, out += KC)
    if (r < m)
      memcpy(out, a + (size_t)r * lda, k * sizeof *out);
    else
      memset(out, 0, k * sizeof *out);
}

// Columns of B as strips of NR, each row of a strip contiguous; read in the order of
// memory, written NR at a time.
static void pack_b(int k, int n, const float *b, int ldb, float *out)
{
  for (int p = 0; p < k; p++, b += ldb)
    for (int j = 0; j < n; j += NR) {
      float *to = out + (size_t)j * k + p * NR;
      if (j + NR <= n)
        for (int v = 0; v < NR; v += LANES)
          *(vec *)(to + v) = *(const loose *)(b + j + v);
      else
        for (int c = 0; c < NR; c++)
          to[c] = j + c < n ? b[j + c] : 0;
    }
}

// C (+)= a strip of A times a strip of B, for the m x n of MR x NR elements that exist;
// FIRST: C holds nothing yet.
static void micro(int m, int n, int k, const float *restrict a, const float *restrict b,
                  float *restrict c, int ldc, int first)
{
  vec acc[MR][NR / LANES] = { 0 };
  for (int p = 0, end = k - AHEAD; p < k; end = k) {
    for (; p < end; p++, b += NR)
      for (int r = 0; r < MR; r++)
        for (int v = 0; v < NR / LANES; v++)
          acc[r][v] += a[r * KC + p] * *(const vec *)(b + v * LANES);
    if (end < k) // earlier, and B streaming through L1 would push it out again
      for (int r = 0; r < m; r++)
        for (int v = 0; v < NR; v += LANES)
          __builtin_prefetch(c + (size_t)r * ldc + v, 1);
  }
  if (m == MR && n == NR)
    for (int r = 0; r < MR; r++, c += ldc)
      for (int v = 0; v < NR / LANES; v++) {
        loose *to = (loose *)(c + v * LANES);
        *to = first ? acc[r][v] : *to + acc[r][v];
      }
  else
    for (int r = 0; r < m; r++, c += ldc)
      for (int j = 0; j < n; j++)
        c[j] = acc[r][j / LANES][j % LANES] + (first ? 0 : c[j]);
}

// The product of two square row-major matrices.
#pragma autotune kernel \
    param(MR: 4, 6, 8, 12, 14) param(NR: 16, 32, 48, 64) param(KC: 192, 256, 352, 512) \
    param(NC: 128, 256, 512, 704, 1024) param(AHEAD: 32, 64, 128) \
    flags("-mprefer-vector-width=512") \
    constraint(4 * MR * NR >= AUTOTUNE_VECTOR * (AUTOTUNE_VECTOR < 64 ? 8 : 24) && \
               4 * MR * NR <= AUTOTUNE_VECTOR * (AUTOTUNE_VECTOR < 64 ? 12 : 28) && \
               4 * KC * NC >= AUTOTUNE_L2 / 3 && 4 * KC * NC <= AUTOTUNE_L2 * 3 / 4) \
    in(A[0:n*n], B[0:n*n]) out(C[0:n*n]) verify(rtol: 1e-4, atol: 1e-4) \
    flops(2.0 * n * n * n) search(auto, budget: 30s)
void sgemm(int n, const float *A, const float *B, float *C)
{
  float *pa = pack_space, *pb = pack_space + MR * KC;
  for (int jc = 0; jc < n; jc += NC)
    for (int pc = 0; pc < n; pc += KC) {
      int nc = min(NC, n - jc), kc = min(KC, n - pc);
      pack_b(kc, nc, B + (size_t)pc * n + jc, n, pb);
      for (int i = 0; i < n; i += MR) {
        const float *a = A + (size_t)i * n + pc;
        pack_a(min(MR, n - i), kc, a, n, pa);
        for (int j = 0; j < nc; j += NR) {
          int p = j / NR * LANES; // a cache line more of each row of the next strip
          for (int r = MR; p < kc && r < min(2 * MR, n - i); r++)
            __builtin_prefetch(a + (size_t)r * n + p);
          micro(min(MR, n - i), min(NR, nc - j), kc, pa, pb + (size_t)j * kc,
                C + (size_t)i * n + jc + j, n, pc == 0);
        }
      }
    }
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // the benchmark calls sgemm in turns with a BLAS's
static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Compares some elements with the textbook's three loops.
static int wrong(int n, const float *A, const float *B, const float *C)
{
  for (int q = 0; q < 200; q++) {
    size_t i = q * 37 % n, j = q * 101 % n;
    double s = 0;
    for (int k = 0; k < n; k++)
      s += (double)A[i * n + k] * B[(size_t)k * n + j];
    if (fabs(s - C[i * n + j]) > 1e-3 * (1 + fabs(s)))
      return printf("  WRONG ANSWER: C[%zu][%zu] = %g, not %g\n", i, j, C[i * n + j], s);
  }
  return 0;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 960;
  size_t size = (size_t)n * n;
  float *A = malloc(size * sizeof *A), *B = malloc(size * sizeof *B);
  float *C = malloc(size * sizeof *C);
  for (size_t i = 0; i < size; i++)
    A[i] = (int)(i * 7 % 13) - 6, B[i] = (int)(i * 5 % 11) - 5, C[i] = -1;

  double start = seconds(), best = INFINITY;
  sgemm(n, A, B, C);
  printf("sgemm n=%d\n  first call   %.6f s\n", n, seconds() - start);
  for (double end = seconds() + 0.5; seconds() < end;) {
    start = seconds();
    sgemm(n, A, B, C);
    best = fmin(best, seconds() - start);
  }
  printf("  later calls  %.6f s   %.1f GFLOP/s\n", best, 2e-9 * n * n * n / best);
  if (wrong(n, A, B, C))
    return 1;
  printf("  right answer\n");
  free(A), free(B), free(C);
  return 0;
}
#endif
