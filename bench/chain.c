// SPDX-License-Identifier: Apache-2.0
// chain.c: filters of an image one after the other, for bench/chain.sh, which makes
// `#pragma autotune` of one kind of pragma: `#pragma apart` are the directives that
// `autotune suggest` proposes for each nest, and `#pragma joined` run the nests tile by
// tile: in a chain, and in steps of time (`reschedule`). Prints each kernel's seconds,
// the least of some calls after the first one, and a sum of its answer.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SIDE 4096    /* of the image that is blurred and sharpened */
#define CORNERS 2048 /* of the image of which corners are found */
#define WAVES 2048   /* of the grid on which waves move, for STEPS steps */
#define STEPS 100
#define CALLS 15

// clang-format off
#pragma apart kernel optional flags("", "-mprefer-vector-width=512") \
  param(THREADS: 2, 1) constraint(THREADS <= AUTOTUNE_THREADS) \
  in(in[0:n][0:n]) inout(out[0:n][0:n]) scratch(tmp[0:n][0:n])
#pragma joined kernel flags("", "-mprefer-vector-width=512") \
  param(THREADS: 2, 1) constraint(THREADS <= AUTOTUNE_THREADS) \
  in(in[0:n][0:n]) inout(out[0:n][0:n]) scratch(tmp[0:n][0:n])
void sharpen(int n, const float (*restrict in)[n], float (*restrict tmp)[n], float (*restrict out)[n])
{
  #pragma joined chain sizes({8, 16, 32, 64}, {128, 256, 512, 1024}) local(tmp) num_threads(THREADS) optional
  {
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        tmp[i][j] = (in[i - 1][j] + in[i][j] + in[i + 1][j]) * (1 / 3.0f);
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        out[i][j] = 2 * in[i][j] - (tmp[i][j - 1] + tmp[i][j] + tmp[i][j + 1]) * (1 / 3.0f);
  }
}

#pragma apart kernel optional flags("", "-mprefer-vector-width=512") \
  param(THREADS: 2, 1) constraint(THREADS <= AUTOTUNE_THREADS) \
  in(in[0:n][0:n]) inout(out[0:n][0:n]) scratch(ix[0:n][0:n], iy[0:n][0:n], xx[0:n][0:n], yy[0:n][0:n], \
    xy[0:n][0:n], sxx[0:n][0:n], syy[0:n][0:n], sxy[0:n][0:n])
#pragma joined kernel flags("", "-mprefer-vector-width=512") \
  param(THREADS: 2, 1) constraint(THREADS <= AUTOTUNE_THREADS) \
  in(in[0:n][0:n]) inout(out[0:n][0:n]) scratch(ix[0:n][0:n], iy[0:n][0:n], xx[0:n][0:n], yy[0:n][0:n], \
    xy[0:n][0:n], sxx[0:n][0:n], syy[0:n][0:n], sxy[0:n][0:n])
void harris(int n, const float (*restrict in)[n], float (*restrict ix)[n], float (*restrict iy)[n],
            float (*restrict xx)[n], float (*restrict yy)[n], float (*restrict xy)[n], float (*restrict sxx)[n],
            float (*restrict syy)[n], float (*restrict sxy)[n], float (*restrict out)[n])
{
  #pragma joined chain sizes({8, 16, 32, 64}, {64, 128, 256, 512}) num_threads(THREADS) optional \
    local(ix, iy, xx, yy, xy, sxx, syy, sxy)
  {
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        ix[i][j] = (in[i - 1][j + 1] - in[i - 1][j - 1] + 2 * (in[i][j + 1] - in[i][j - 1]) +
                    in[i + 1][j + 1] - in[i + 1][j - 1]) * (1 / 12.0f);
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        iy[i][j] = (in[i + 1][j - 1] - in[i - 1][j - 1] + 2 * (in[i + 1][j] - in[i - 1][j]) +
                    in[i + 1][j + 1] - in[i - 1][j + 1]) * (1 / 12.0f);
    #pragma apart parallel for num_threads(THREADS)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        xx[i][j] = ix[i][j] * ix[i][j];
    #pragma apart parallel for num_threads(THREADS)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        yy[i][j] = iy[i][j] * iy[i][j];
    #pragma apart parallel for num_threads(THREADS)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        xy[i][j] = ix[i][j] * iy[i][j];
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 2; i < n - 2; i++)
      for (int j = 2; j < n - 2; j++)
        sxx[i][j] = xx[i - 1][j - 1] + xx[i - 1][j] + xx[i - 1][j + 1] +
                    xx[i][j - 1] + xx[i][j] + xx[i][j + 1] +
                    xx[i + 1][j - 1] + xx[i + 1][j] + xx[i + 1][j + 1];
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 2; i < n - 2; i++)
      for (int j = 2; j < n - 2; j++)
        syy[i][j] = yy[i - 1][j - 1] + yy[i - 1][j] + yy[i - 1][j + 1] +
                    yy[i][j - 1] + yy[i][j] + yy[i][j + 1] +
                    yy[i + 1][j - 1] + yy[i + 1][j] + yy[i + 1][j + 1];
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 2; i < n - 2; i++)
      for (int j = 2; j < n - 2; j++)
        sxy[i][j] = xy[i - 1][j - 1] + xy[i - 1][j] + xy[i - 1][j + 1] +
                    xy[i][j - 1] + xy[i][j] + xy[i][j + 1] +
                    xy[i + 1][j - 1] + xy[i + 1][j] + xy[i + 1][j + 1];
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 2; i < n - 2; i++)
      for (int j = 2; j < n - 2; j++)
        out[i][j] = sxx[i][j] * syy[i][j] - sxy[i][j] * sxy[i][j] -
                    0.04f * (sxx[i][j] + syy[i][j]) * (sxx[i][j] + syy[i][j]);
  }
}

#pragma apart kernel optional flags("", "-mprefer-vector-width=512") \
  param(THREADS: 2, 1) constraint(THREADS <= AUTOTUNE_THREADS) inout(u[0:n][0:n], v[0:n][0:n])
#pragma joined kernel optional flags("", "-mprefer-vector-width=512") \
  param(THREADS: 2, 1) constraint(THREADS <= AUTOTUNE_THREADS) inout(u[0:n][0:n], v[0:n][0:n])
void wave(int steps, int n, float (*restrict u)[n], float (*restrict v)[n])
{
  #pragma joined reschedule sizes({8, 16, 32}, {16, 32, 64}, {64, 128, 256}) num_threads(THREADS)
  for (int t = 0; t < steps; t++) {
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] += 0.1f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j]);
    #pragma apart parallel for num_threads(THREADS)
    #pragma apart tile sizes({16, 64}, {128, 512}) optional
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] += v[i][j];
  }
}
// clang-format on

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *image(size_t n, int fill) {
  float *x = malloc(n * n * sizeof *x);
  if (!x)
    exit(1);
  for (size_t i = 0; i < n * n; i++)
    x[i] = fill ? (float)((i * 7919) % 1009) / 1009 : 0;
  return x;
}

static void say(const char *what, double least, size_t n, const float *x) {
  double sum = 0;
  for (size_t i = 0; i < n * n; i++)
    sum += x[i] * (double)(i % 13 + 1);
  printf("%s %.6f %.6g\n", what, least, sum);
}

int main(void) {
  float *x[10];
  double least = 1e9;
  for (int i = 0; i < 3; i++)
    x[i] = image(SIDE, i == 0);
  for (int call = 0; call <= CALLS; call++) {
    double begin = now();
    sharpen(SIDE, (void *)x[0], (void *)x[1], (void *)x[2]);
    double took = now() - begin;
    least = call && took < least ? took : least;
  }
  say("sharpen", least, SIDE, x[2]);
  for (int i = 0; i < 3; i++)
    free(x[i]);
  for (int i = 0; i < 10; i++)
    x[i] = image(CORNERS, i == 0);
  least = 1e9;
  for (int call = 0; call <= CALLS; call++) {
    double begin = now();
    harris(CORNERS, (void *)x[0], (void *)x[1], (void *)x[2], (void *)x[3], (void *)x[4],
           (void *)x[5], (void *)x[6], (void *)x[7], (void *)x[8], (void *)x[9]);
    double took = now() - begin;
    least = call && took < least ? took : least;
  }
  say("harris", least, CORNERS, x[9]);
  for (int i = 0; i < 10; i++)
    free(x[i]);
  for (int i = 0; i < 2; i++)
    x[i] = image(WAVES, i == 0);
  least = 1e9;
  for (int call = 0; call <= CALLS / 5; call++) {
    double begin = now();
    wave(STEPS, WAVES, (void *)x[0], (void *)x[1]);
    double took = now() - begin;
    least = call && took < least ? took : least;
  }
  say("wave", least, WAVES, x[0]);
  free(x[0]), free(x[1]);
  return 0;
}
