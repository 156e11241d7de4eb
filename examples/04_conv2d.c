// SPDX-License-Identifier: Apache-2.0
// 04_conv2d.c: an image filtered by a small square kernel, four naive loops.
//
// Lesson: a deep nest. As written, the innermost loop runs over a few elements of the
// filter, too few to vectorise. With the image's row innermost all lanes work, and with
// two rows jammed together a row of the image that was read serves both. Which order is
// best depends on the sizes, so the key names what makes two calls "the same problem":
// width, height and the filter's size.
//
//   cc -O3 -march=native 04_conv2d.c -lm && ./a.out
//   autotune cc cc -O3 -march=native 04_conv2d.c -lm && ./a.out
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// OUT is W x H; IN has k - 1 rows and columns more.
#pragma autotune kernel \
    flags("", "-mprefer-vector-width=512") \
    param(THREADS: 1, 2, 4, 8) constraint(THREADS <= AUTOTUNE_THREADS) key(w, h, k) \
    in(image[0:(h+k-1)*(w+k-1)], filter[0:k*k]) out(result[0:h*w]) \
    verify(rtol: 1e-4, atol: 1e-4) flops(2.0 * w * h * k * k)
void conv2d(int w, int h, int k, const float *restrict image,
            const float *restrict filter, float *restrict result)
{
  memset(result, 0, sizeof *result * w * h);
  #pragma autotune parallel for num_threads(THREADS)
  #pragma autotune unroll_and_jam partial({4, 2, 1}, {5, 3, 1})
  #pragma autotune tile sizes({4, 16, 64}) optional
  #pragma autotune interchange permutation({(1,3,4,2), (1,4,3,2), (1,2,3,4)})
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
          result[y * w + x] += image[(y + j) * (w + k - 1) + x + i] * filter[j * k + i];
}

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int wrong(int w, int h, int k, const float *image, const float *filter,
                 const float *result)
{
  for (int y = 0; y < h; y += 7)
    for (int x = 0; x < w; x++) {
      double s = 0;
      for (int f = 0; f < k * k; f++)
        s += image[(y + f / k) * (w + k - 1) + x + f % k] * filter[f];
      if (!(fabs(s - result[y * w + x]) <= 1e-4))
        return printf("  WRONG ANSWER at (%d, %d): not %g\n", x, y, s);
    }
  return 0;
}

int main(int argc, char **argv)
{
  int w = argc > 1 ? atoi(argv[1]) : 1024, h = w, k = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = (size_t)(h + k - 1) * (w + k - 1);
  float *image = malloc(size * sizeof *image), *result = malloc(sizeof *result * w * h);
  float *filter = malloc(sizeof *filter * k * k);
  for (size_t i = 0; i < size; i++)
    image[i] = sinf(i);
  for (int i = 0; i < k * k; i++)
    filter[i] = 1.0f / (1 + i);

  double start = seconds(), best = INFINITY;
  conv2d(w, h, k, image, filter, result);
  printf("conv2d %d x %d by %d x %d\n", w, h, k, k);
  printf("  first call   %.6f s\n", seconds() - start);
  for (double end = seconds() + 0.5; seconds() < end;) {
    start = seconds();
    conv2d(w, h, k, image, filter, result);
    best = fmin(best, seconds() - start);
  }
  printf("  later calls  %.6f s   %.1f GFLOP/s\n", best, 2e-9 * w * h * k * k / best);
  if (wrong(w, h, k, image, filter, result))
    return 1;
  printf("  right answer\n");
  free(image), free(filter), free(result);
  return 0;
}
