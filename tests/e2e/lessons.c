// SPDX-License-Identifier: Apache-2.0
// lessons.c: lessons (one|tuned|all) (write|compare) FILE: calls the kernels of the lesson that is linked, and those of
// directives.c, on small data, and writes what they answer to FILE or compares it with what is there:
//
//   matmul 37: same bits            or: within the tolerance, or: WRONG at …
//
// `tuned`: the four sizes that bake_lessons.sh has winners for, `one`: the first of them, `all`: then others, near them
// and far. Where libautotune is linked, what ran goes to standard error.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((weak)) void

KERNEL matmul(int n, const double *A, const double *B, double *C);
KERNEL sgemm(int n, const float *A, const float *B, float *C);
KERNEL jacobi2d(int steps, int n, double A[n][n], double B[n][n]);
KERNEL conv2d(int w, int h, int k, const float *image, const float *filter, float *result);
KERNEL spmv(int rows, const int *start, const int *column, const double *value, const double *x, double *y);
KERNEL rms_norm(int rows, int d, const float *x, const float *weight, float *y);
KERNEL softmax(int rows, int d, const float *x, float *y);
KERNEL attention(int n, const float (*q)[64], const float (*k)[64], const float (*v)[64], float (*out)[64]);
KERNEL histogram(size_t n, const unsigned char *data, unsigned *count);
KERNEL transpose(int n, double A[n][n]);
KERNEL nests(int n, double *a, double *b, double *c);
__attribute__((weak)) double reduced(int n, const double *x);
__attribute__((weak)) int autotune_why(const char *kernel, const long long *key, char **why);

static FILE *file;
static int writes, failures;

static double element(char type, const void *p, size_t i)
{
  return type == 'd' ? ((const double *)p)[i] : type == 'f' ? (double)((const float *)p)[i]
                                                            : ((const unsigned *)p)[i];
}

static void compare(char type, const void *got, const void *expected, size_t n, size_t bytes, double rtol, double atol)
{
  if (memcmp(got, expected, bytes) == 0) {
    puts("same bits");
    return;
  }
  for (size_t i = 0; i < n; i++) {
    double g = element(type, got, i), e = element(type, expected, i);
    if (!(fabs(g - e) <= atol + rtol * fabs(e))) {
      printf("WRONG at %zu: %.17g, not %.17g\n", i, g, e);
      failures++;
      return;
    }
  }
  puts("within the tolerance");
}

// Answers of KERNEL for KEY: N elements at P, to be within the tolerance that the kernel
// declares.
static void answer(const char *kernel, const long long *key, unsigned n_keys, char type, const void *p, size_t n,
                   double rtol, double atol)
{
  size_t bytes = n * (type == 'd' ? sizeof(double) : 4);
  void *expected = malloc(bytes);
  char *why;
  if (writes && fwrite(p, 1, bytes, file) != bytes)
    exit(2);
  if (!writes) {
    if (fread(expected, 1, bytes, file) != bytes)
      exit(2);
    printf("%s", kernel);
    for (unsigned i = 0; i < n_keys; i++)
      printf(" %lld", key[i]);
    printf(": ");
    compare(type, p, expected, n, bytes, rtol, atol);
  }
  if (autotune_why && autotune_why(kernel, key, &why) == 0) {
    fprintf(stderr, "%s: %s\n", kernel, why);
    free(why);
  }
  free(expected);
}

#define KEY(...) (const long long[]){ __VA_ARGS__ }, sizeof(long long[]){ __VA_ARGS__ } / sizeof(long long)

enum { MOST = 200 * 200 };
static double d1[MOST], d2[MOST], d3[MOST];
static float f1[MOST], f2[MOST], f3[MOST];

static void fill(void)
{
  for (int i = 0; i < MOST; i++) {
    d1[i] = sin(i), d2[i] = cos(3 * i), d3[i] = -1;
    f1[i] = (float)d1[i], f2[i] = (float)d2[i], f3[i] = -1;
  }
}

static void call_matmul(int n)
{
  matmul(n, d1, d2, d3);
  answer("matmul", KEY(n), 'd', d3, (size_t)n * n, 1e-9, 1e-9);
}

static void call_sgemm(int n)
{
  for (int i = 0; i < MOST; i++)
    f1[i] = (float)(i * 7 % 13 - 6), f2[i] = (float)(i * 5 % 11 - 5);
  sgemm(n, f1, f2, f3);
  answer("sgemm", KEY(n), 'f', f3, (size_t)n * n, 1e-4, 1e-4);
}

static void call_jacobi2d(int n)
{
  jacobi2d(3, n, (void *)d1, (void *)d2);
  answer("jacobi2d", KEY(3, n), 'd', d1, (size_t)n * n, 1e-9, 1e-9);
}

static void call_conv2d(int n)
{
  conv2d(n, n + 1, 3, f1, f2, f3);
  answer("conv2d", KEY(n, n + 1, 3), 'f', f3, (size_t)n * (n + 1), 1e-4, 1e-4);
}

static void call_spmv(int n)
{
  static int start[1001], column[MOST];
  for (int i = 0; i < n; i++)
    start[i + 1] = start[i] + 1 + i % 7;
  for (int k = 0; k < start[n]; k++)
    column[k] = k * 31 % n;
  spmv(n, start, column, d1, d2, d3);
  answer("spmv", KEY(n, start[n]), 'd', d3, n, 1e-10, 1e-12);
}

static void call_rms_norm(int n)
{
  rms_norm(5, n, f1, f2, f3);
  answer("rms_norm", KEY(5, n), 'f', f3, (size_t)5 * n, 1e-4, 1e-6);
}

static void call_softmax(int n)
{
  softmax(5, n, f1, f3);
  answer("softmax", KEY(5, n), 'f', f3, (size_t)5 * n, 1e-4, 1e-7);
}

static void call_attention(int n)
{
  attention(n * 64, (void *)f1, (void *)f2, (void *)(f1 + 1), (void *)f3);
  answer("attention", KEY(n * 64), 'f', f3, (size_t)n * 64 * 64, 1e-3, 1e-5);
}

static void call_histogram(int n)
{
  unsigned count[256];
  histogram((size_t)1 << n, (unsigned char *)d1, count);
  answer("histogram", KEY(n), 'u', count, 256, 0, 0);
}

static void call_transpose(int n)
{
  transpose(n, (void *)d1);
  answer("transpose", KEY(n), 'd', d1, (size_t)n * n, 0, 0);
}

static void call_nests(int n)
{
  nests(n, d1, d2, d3);
  answer("nests", KEY(n), 'd', d3, (size_t)n * n, 0, 0);
}

static void call_reduced(int n)
{
  double s = reduced(n, d1);
  answer("reduced", KEY(n), 'd', &s, 1, 1e-9, 1e-9);
}

// Four sizes with winners, then others.
static const struct lesson { void *kernel; void (*call)(int n); int sizes[8]; } lessons[] = {
  { (void *)matmul, call_matmul, { 37, 64, 100, 7, 36, 50, 150, 1 } },
  { (void *)sgemm, call_sgemm, { 37, 64, 100, 7, 36, 50, 150, 1 } },
  { (void *)jacobi2d, call_jacobi2d, { 37, 64, 100, 7, 36, 50, 150, 2 } },
  { (void *)conv2d, call_conv2d, { 37, 64, 100, 7, 36, 50, 150, 2 } },
  { (void *)spmv, call_spmv, { 100, 200, 500, 30, 99, 150, 1000, 1 } },
  { (void *)rms_norm, call_rms_norm, { 100, 200, 500, 30, 99, 150, 1000, 1 } },
  { (void *)softmax, call_softmax, { 100, 200, 500, 30, 99, 150, 1000, 1 } },
  { (void *)attention, call_attention, { 1, 2, 3, 4, 5, 6, 7, 8 } },
  { (void *)histogram, call_histogram, { 10, 12, 14, 16, 1, 11, 15, 17 } },
  { (void *)transpose, call_transpose, { 37, 64, 100, 7, 36, 50, 150, 1 } },
  { (void *)nests, call_nests, { 37, 64, 100, 7, 36, 50, 150, 1 } },
  { (void *)reduced, call_reduced, { 37, 64, 100, 7, 36, 50, 150, 1 } },
};

int main(int argc, char **argv)
{
  if (argc != 4 || !(file = fopen(argv[3], strcmp(argv[2], "write") == 0 ? "wb" : "rb")))
    return 2;
  writes = strcmp(argv[2], "write") == 0;
  int all = strcmp(argv[1], "all") == 0;
  for (int i = 0; i < 8; i++)
    for (size_t l = 0; l < sizeof lessons / sizeof *lessons; l++)
      if (lessons[l].kernel && (i < 4 || all) && (i < 1 || strcmp(argv[1], "one") != 0)) {
        fill();
        lessons[l].call(lessons[l].sizes[i]);
      }
  return fclose(file) != 0 || failures;
}
