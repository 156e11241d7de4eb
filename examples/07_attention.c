// SPDX-License-Identifier: Apache-2.0
// 07_attention.c: out = softmax(Q K' / sqrt(D)) V of one head, in blocks, with an online
// softmax.
//
// Lesson: parameters that shape an algorithm. Scores are made for BQ queries and BK keys
// at a time and never stored as a whole; when a block of keys brings a new maximum, what
// was summed so far is rescaled (Milakov and Gimelshein 2018; FlashAttention, Dao et al.
// 2022). BQ and BK are bounds of local arrays, so only a compiler can change them: that
// is what variants are for.
//
//   cc -O3 -march=native 07_attention.c -lm && ./a.out
//   autotune cc cc -O3 -march=native 07_attention.c -lm && ./a.out
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define D 64  // of a head
#define BQ 16 // queries of a block
#define BK 32 // keys of a block

// Takes BQ queries past BK keys: max and sum are the softmax's so far, acc the weighted
// sum of values.
static void block(const float (*q)[D], const float (*k)[D], const float (*v)[D],
                  float max[BQ], float sum[BQ], float acc[BQ][D])
{
  float kt[D][BK], score[BQ][BK];
  for (int j = 0; j < BK; j++)
    for (int d = 0; d < D; d++)
      kt[d][j] = k[j][d];
  for (int i = 0; i < BQ; i++) {
    float top = max[i], part = 0;
    for (int j = 0; j < BK; j++)
      score[i][j] = 0;
    for (int d = 0; d < D; d++)
      for (int j = 0; j < BK; j++)
        score[i][j] += q[i][d] * kt[d][j];
    for (int j = 0; j < BK; j++) {
      score[i][j] *= 0.125f; // 1 / sqrt(D)
      top = score[i][j] > top ? score[i][j] : top;
    }
    for (int j = 0; j < BK; j++) {
      score[i][j] = expf(score[i][j] - top);
      part += score[i][j];
    }
    float old = expf(max[i] - top);
    max[i] = top;
    sum[i] = sum[i] * old + part;
    for (int d = 0; d < D; d++)
      acc[i][d] *= old;
    for (int j = 0; j < BK; j++)
      for (int d = 0; d < D; d++)
        acc[i][d] += score[i][j] * v[j][d];
  }
}

// N must be a multiple of 64.
#pragma autotune kernel \
    param(BQ: 8, 16, 32) param(BK: 32, 64) \
    flags("", "-ffast-math -fveclib=libmvec", \
          "-ffast-math -fveclib=libmvec -mprefer-vector-width=512") \
    param(THREADS: 1, 2, 4, 8) \
    constraint(THREADS <= AUTOTUNE_THREADS && n % BQ == 0 && n % BK == 0) \
    in(q[0:n][0:D], k[0:n][0:D], v[0:n][0:D]) out(out[0:n][0:D]) \
    verify(rtol: 1e-3, atol: 1e-5) flops(4.0 * n * n * D) search(auto, budget: 20s)
void attention(int n, const float (*q)[D], const float (*k)[D], const float (*v)[D],
               float (*out)[D])
{
  #pragma autotune parallel for num_threads(THREADS)
  for (int i = 0; i < n; i += BQ) {
    float max[BQ], sum[BQ] = { 0 }, acc[BQ][D] = { { 0 } };
    for (int r = 0; r < BQ; r++)
      max[r] = -1e30f;
    for (int j = 0; j < n; j += BK)
      block(q + i, k + j, v + j, max, sum, acc);
    for (int r = 0; r < BQ; r++)
      for (int d = 0; d < D; d++)
        out[i + r][d] = acc[r][d] / sum[r];
  }
}

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Some queries, all scores at once, in double precision.
static int wrong(int n, const float (*q)[D], const float (*k)[D], const float (*v)[D],
                 const float (*out)[D])
{
  for (int i = 0; i < n; i += n / 16) {
    double sum = 0, acc[D] = { 0 };
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int d = 0; d < D; d++)
        s += q[i][d] * k[j][d];
      s = exp(s / 8);
      sum += s;
      for (int d = 0; d < D; d++)
        acc[d] += s * v[j][d];
    }
    for (int d = 0; d < D; d++)
      if (!(fabs(out[i][d] - acc[d] / sum) <= 1e-4))
        return printf("  WRONG ANSWER: out[%d][%d] = %g\n", i, d, out[i][d]);
  }
  return 0;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  float(*m[4])[D]; // Q, K, V and the result
  for (int j = 0; j < 4; j++) {
    m[j] = malloc(sizeof(float[D]) * n);
    for (int i = 0; i < n * D; i++)
      m[j][i / D][i % D] = sinf(i * (j + 1));
  }

  double start = seconds(), best = INFINITY;
  attention(n, m[0], m[1], m[2], m[3]);
  printf("attention n=%d, head of %d\n  first call   %.6f s\n", n, D, seconds() - start);
  for (double end = seconds() + 0.5; seconds() < end;) {
    start = seconds();
    attention(n, m[0], m[1], m[2], m[3]);
    best = fmin(best, seconds() - start);
  }
  printf("  later calls  %.6f s   %.1f GFLOP/s\n", best, 4e-9 * n * n * D / best);
  if (wrong(n, m[0], m[1], m[2], m[3]))
    return 1;
  printf("  right answer\n");
  for (int j = 0; j < 4; j++)
    free(m[j]);
  return 0;
}
