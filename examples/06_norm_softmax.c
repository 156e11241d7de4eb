// SPDX-License-Identifier: Apache-2.0
// 06_norm_softmax.c: RMS norm and softmax of the rows of a matrix, two kernels in one
// file.
//
// Lesson: reductions, and flags as candidates. A compiler may not reorder a sum of
// floats, so both sums below run one element at a time unless it is allowed to: `simd
// reduction` allows it for one loop, -ffast-math for the kernel (and vectorised expf
// besides). Other functions of the file keep the flags of the build. The price is the
// last digits; verify says how many matter, and a variant that exceeds it cannot win.
//
// Each kernel has a space, a key and results of its own.
//
//   cc -O3 -march=native 06_norm_softmax.c -lm && ./a.out
//   autotune cc cc -O3 -march=native 06_norm_softmax.c -lm && ./a.out
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#pragma autotune kernel \
    flags("", "-ffast-math", "-ffast-math -mprefer-vector-width=512") \
    param(THREADS: 1, 2, 4, 8) constraint(THREADS <= AUTOTUNE_THREADS) key(rows, d) \
    in(x[0:rows*d], weight[0:d]) out(y[0:rows*d]) verify(rtol: 1e-4, atol: 1e-6) \
    bytes(8.0 * rows * d)
void rms_norm(int rows, int d, const float *restrict x, const float *restrict weight,
              float *restrict y)
{
  #pragma autotune parallel for num_threads(THREADS)
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    #pragma autotune simd reduction(+: sum) optional
    for (int j = 0; j < d; j++)
      sum += x[i * d + j] * x[i * d + j];
    float scale = 1 / sqrtf(sum / d + 1e-5f);
    for (int j = 0; j < d; j++)
      y[i * d + j] = x[i * d + j] * scale * weight[j];
  }
}

#pragma autotune kernel \
    flags("", "-ffast-math -fveclib=libmvec", \
          "-ffast-math -fveclib=libmvec -mprefer-vector-width=512") \
    param(THREADS: 1, 2, 4, 8) constraint(THREADS <= AUTOTUNE_THREADS) key(rows, d) \
    in(x[0:rows*d]) out(y[0:rows*d]) verify(rtol: 1e-4, atol: 1e-7) bytes(8.0 * rows * d)
void softmax(int rows, int d, const float *restrict x, float *restrict y)
{
  #pragma autotune parallel for num_threads(THREADS)
  for (int i = 0; i < rows; i++) {
    float top = x[i * d], sum = 0;
    for (int j = 1; j < d; j++)
      top = x[i * d + j] > top ? x[i * d + j] : top;
    for (int j = 0; j < d; j++) {
      y[i * d + j] = expf(x[i * d + j] - top);
      sum += y[i * d + j];
    }
    for (int j = 0; j < d; j++)
      y[i * d + j] /= sum;
  }
}

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int differs(const char *what, int at, double got, double want)
{
  if (fabs(got - want) <= 1e-4 * fabs(want) + 1e-6)
    return 0;
  return printf("  WRONG ANSWER: %s[%d] = %g instead of %g\n", what, at, got, want);
}

// Both again in double precision.
static int wrong(int rows, int d, const float *x, const float *w, const float *norm,
                 const float *soft)
{
  for (int i = 0; i < rows; i++) {
    double squares = 0, sum = 0;
    for (int j = i * d; j < (i + 1) * d; j++)
      squares += (double)x[j] * x[j], sum += exp(x[j]);
    for (int j = i * d; j < (i + 1) * d; j++)
      if (differs("norm", j, norm[j], x[j] * w[j - i * d] / sqrt(squares / d + 1e-5)) ||
          differs("softmax", j, soft[j], exp(x[j]) / sum))
        return 1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  int rows = argc > 1 ? atoi(argv[1]) : 512, d = argc > 2 ? atoi(argv[2]) : 2048;
  size_t size = (size_t)rows * d * sizeof(float);
  float *x = malloc(size), *norm = malloc(size), *soft = malloc(size);
  float *w = malloc(sizeof *w * d);
  for (int i = 0; i < rows * d; i++)
    x[i] = 3 * sinf(i);
  for (int j = 0; j < d; j++)
    w[j] = 1 + 0.5f * cosf(j);

  double start = seconds(), best = INFINITY;
  rms_norm(rows, d, x, w, norm);
  softmax(rows, d, x, soft);
  printf("norm and softmax %d x %d\n  first call   %.6f s\n", rows, d, seconds() - start);
  for (double end = seconds() + 0.5; seconds() < end;) {
    start = seconds();
    rms_norm(rows, d, x, w, norm);
    softmax(rows, d, x, soft);
    best = fmin(best, seconds() - start);
  }
  printf("  later calls  %.6f s   %.1f GB/s\n", best, 16e-9 * rows * d / best);
  if (wrong(rows, d, x, w, norm, soft))
    return 1;
  printf("  right answer\n");
  free(x), free(w), free(norm), free(soft);
  return 0;
}
