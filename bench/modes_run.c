// SPDX-License-Identifier: Apache-2.0
// modes_run.c: one of the examples' kernels, named by a macro, called again and again.
//
//   modes_run N SECONDS LEAST [OBJECT…]
//
// calls for SECONDS, and at least LEAST times, and prints a line a call: "call WAIT
// TIME", seconds that the runtime kept the call (begin_timed.c; 0 in an untuned build)
// and seconds of all of it. With objects, winners of stores, each of them ("-": the
// program's own kernel) is called in the kernel's place, in turns on the same data; a
// line is then "call INDEX TIME".
#include <dlfcn.h>
#define main example_main
#if defined MATMUL
#include "../examples/01_matmul.c"
#elif defined SGEMM
#include "../examples/02_sgemm.c"
#elif defined JACOBI
#include "../examples/03_jacobi2d.c"
#elif defined SPMV
#include "../examples/05_spmv.c"
#elif defined ATTENTION
#include "../examples/07_attention.c"
#endif
#undef main

static void (*chosen)(void); // the kernel of an object, or NULL: the program's own
#define CALLED(kernel) (chosen ? (__typeof__(&(kernel)))chosen : (kernel))

double begin_seconds __attribute__((weak)); // the strong one is begin_timed.c's

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *filled(size_t n, size_t size) {
  char *p = aligned_alloc(64, (n * size + 63) / 64 * 64);
  for (size_t i = 0; p && i < n; i++)
    if (size == sizeof(float))
      ((float *)p)[i] = (float)(i % 13) - 6;
    else
      ((double *)p)[i] = (double)(i % 17) - 8;
  if (!p)
    exit(1);
  return p;
}

#if defined MATMUL
static double *a, *b, *c;
static void setup(int n) {
  size_t size = (size_t)n * n;
  a = filled(size, sizeof *a), b = filled(size, sizeof *b), c = filled(size, sizeof *c);
}
static void call(int n) {
  CALLED(matmul)(n, a, b, c);
}

#elif defined SGEMM
static float *a, *b, *c;
static void setup(int n) {
  size_t size = (size_t)n * n;
  a = filled(size, sizeof *a), b = filled(size, sizeof *b), c = filled(size, sizeof *c);
}
static void call(int n) {
  CALLED(sgemm)(n, a, b, c);
}

#elif defined JACOBI
static double *a, *b;
static void setup(int n) {
  size_t size = (size_t)n * n;
  a = filled(size, sizeof *a), b = filled(size, sizeof *b);
}
static void call(int n) {
  CALLED(jacobi2d)(4, n, (double (*)[n])a, (double (*)[n])b);
}

#elif defined SPMV
static int *start, *column;
static double *value, *x, *y;
static void setup(int rows) {
  unsigned state = 1;
  start = malloc(sizeof *start * (size_t)(rows + 1));
  start[0] = 0;
  for (int i = 0; i < rows; i++)
    start[i + 1] = start[i] + 8 + (int)(noise(&state) % 16) + 40000 / (i + 40);
  size_t n = (size_t)start[rows];
  column = malloc(sizeof *column * n);
  value = filled(n, sizeof *value);
  x = filled((size_t)rows, sizeof *x), y = filled((size_t)rows, sizeof *y);
  for (size_t k = 0; k < n; k++)
    column[k] = (int)(noise(&state) % (unsigned)rows);
}
static void call(int rows) {
  CALLED(spmv)(rows, start, column, value, x, y);
}

#elif defined ATTENTION
static float (*m[4])[D];
static void setup(int n) {
  for (int i = 0; i < 4; i++)
    m[i] = filled((size_t)n * D, sizeof(float));
}
static void call(int n) {
  CALLED(attention)(n, m[0], m[1], m[2], m[3]);
}
#endif

// "-" stands for the program's own kernel.
static void open_object(const char *path) {
  chosen = NULL;
  if (strcmp(path, "-") == 0)
    return;
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void (**entry)(void) = object ? dlsym(object, "autotune_entry") : NULL;
  if (!entry || !*entry) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  chosen = *entry;
}

static double timed(int n) {
  double from = now();
  call(n);
  return now() - from;
}

// Runs rounds of all objects; each round begins with another object.
static void compare(int n, double end, int least, char **paths, int objects) {
  void (**entries)(void) = malloc(sizeof *entries * (size_t)objects);
  for (int i = 0; i < objects; i++) {
    open_object(paths[i]);
    entries[i] = chosen;
    call(n);
  }
  for (int round = 0; round < least || now() < end; round++)
    for (int i = 0; i < objects; i++) {
      int index = (i + round) % objects;
      chosen = entries[index];
      printf("call %d %.9f\n", index, timed(n));
    }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 256, least = argc > 3 ? atoi(argv[3]) : 1;
  double end = now() + (argc > 2 ? atof(argv[2]) : 1);
  setup(n);
  if (argc > 4) {
    compare(n, end, least, argv + 4, argc - 4);
    return 0;
  }
  for (int i = 0; i < least || now() < end; i++) {
    begin_seconds = 0;
    double seconds = timed(n);
    printf("call %.9f %.9f\n", begin_seconds, seconds);
  }
  return 0;
}
