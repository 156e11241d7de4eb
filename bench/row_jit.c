// SPDX-License-Identifier: Apache-2.0
// row_jit.c: how many variants a second are compiled, loaded and ready to be called: in
// this process on two threads, as a tuner does, against `clang-22 -shared` and dlopen one
// by one.
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "compile/jit.h"

#define VARIANTS 48
#define THREADS 2

static const char text[] =
    "static void sweep(int n, double (*restrict to)[n], double (*restrict from)[n])\n"
    "{\n"
    "  for (int it = 1; it < n - 1; it += TI)\n"
    "    for (int jt = 1; jt < n - 1; jt += TJ)\n"
    "      for (int i = it; i < (it + TI < n - 1 ? it + TI : n - 1); i++)\n"
    "        for (int j = jt; j < (jt + TJ < n - 1 ? jt + TJ : n - 1); j++)\n"
    "          to[i][j] = 0.2 * (from[i][j] + from[i][j - 1] + from[i][j + 1] + "
    "from[i + 1][j] + from[i - 1][j]);\n"
    "}\n"
    "static void jacobi(int steps, int n, double (*restrict a)[n], "
    "double (*restrict b)[n])\n"
    "{\n"
    "  for (int t = 0; t < steps; t++) {\n"
    "    sweep(n, b, a);\n"
    "    sweep(n, a, b);\n"
    "  }\n"
    "}\n"
    "void (*const autotune_entry)(int, int, void *, void *) = (void *)jacobi;\n";

static char *variant(int round, int i) {
  size_t size = sizeof text + 100;
  char *all = malloc(size);
  if (all)
    snprintf(all, size, "#define TI %d\n#define TJ %d\n%s", 8 + i, 64 + 8 * round, text);
  return all;
}

// ---- in process ---------------------------------------------------------------------

struct shop {
  const struct jit_api *api;
  int round;
  _Atomic int next;
  struct {
    void *data;
    size_t size;
    _Atomic int done;
  } objects[VARIANTS];
};

static void *compile_some(void *data) {
  static const char *const flags[] = { "-O3", "-march=native", "-fPIC", "-std=gnu17",
                                       NULL };
  struct shop *s = data;
  for (int i; (i = s->next++) < VARIANTS;) {
    char *source = variant(s->round, i), *message = NULL;
    int status = source ? s->api->compile(source, flags, &s->objects[i].data,
                                          &s->objects[i].size, &message)
                        : -1;
    if (status != 0)
      fprintf(stderr, "bench: in process: %s\n", message ? message : "no memory");
    free(message);
    free(source);
    s->objects[i].done = status == 0 ? 1 : -1;
  }
  return NULL;
}

// Loads object I when it has been compiled. 0: all are loaded.
static int load(struct shop *s, int i) {
  while (!s->objects[i].done)
    usleep(200);
  if (s->objects[i].done < 0)
    return -1;
  char *message = NULL;
  struct jit_code *code =
      s->api->load(s->objects[i].data, s->objects[i].size, NULL, 0, &message);
  free(s->objects[i].data);
  int status = code && s->api->symbol(code, "autotune_entry") ? 0 : -1;
  if (status != 0)
    fprintf(stderr, "bench: in process: %s\n", message ? message : "no autotune_entry");
  free(message);
  if (code)
    s->api->unload(code);
  return status;
}

// Variants a second, or -1.
static double in_process(const struct jit_api *api, int round) {
  struct shop *s = calloc(1, sizeof *s);
  pthread_t threads[THREADS];
  int failed = 0;
  if (!s)
    return -1;
  s->api = api;
  s->round = round;
  double start = now();
  for (int t = 0; t < THREADS; t++)
    if (pthread_create(&threads[t], NULL, compile_some, s) != 0)
      exit(2);
  for (int i = 0; i < VARIANTS; i++)
    failed |= load(s, i);
  double seconds = now() - start;
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  free(s);
  return failed ? -1 : VARIANTS / seconds;
}

// ---- one process each ---------------------------------------------------------------

static double one_by_one(const struct bench *b, int round) {
  double start = now();
  for (int i = 0; i < VARIANTS / 4; i++) {
    char source[4096], object[4096], *all = variant(round, i);
    snprintf(source, sizeof source, "%s/variant-%d.c", b->work, i);
    snprintf(object, sizeof object, "%s/variant-%d-%d.so", b->work, round, i);
    FILE *file = fopen(source, "w");
    if (!file || !all || fputs(all, file) < 0 || fclose(file) != 0)
      return -1;
    free(all);
    if (run((const char *[]){ "clang-22", "-O3", "-march=native", "-fPIC", "-shared",
                              source, "-o", object, NULL },
            NULL, 0) < 0)
      return -1;
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    bool found = handle && dlsym(handle, "autotune_entry");
    if (handle)
      dlclose(handle);
    unlink(source);
    unlink(object);
    if (!found)
      return -1;
  }
  return VARIANTS / 4 / (now() - start);
}

bool row_jit(struct bench *b) {
  char path[4096], note[200];
  struct samples ours = { 0 }, theirs = { 0 };
  snprintf(path, sizeof path, "%s/lib/libautotune-jit.so", b->build);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const struct jit_api *(*door)(void) = NULL;
  if (library)
    *(void **)&door = dlsym(library, JIT_ENTRY);
  if (!door)
    return fprintf(stderr, "bench: %s\n", dlerror()), false;
  for (int round = 0; round < 5; round++) {
    double a = in_process(door(), round), t = one_by_one(b, round);
    if (a < 0 || t < 0)
      return false;
    samples_add(&ours, a);
    samples_add(&theirs, t);
  }
  snprintf(note, sizeof note, "%.1f against %.1f variants a second",
           samples_median(&ours), samples_median(&theirs));
  bench_row(b,
            &(struct row){ "variants ready per second", note,
                           samples_median(&ours) / samples_median(&theirs), "x", 3,
                           false },
            json_pack("{s:o, s:o}", "in_process", samples_json(&ours), "processes",
                      samples_json(&theirs)));
  samples_free(&ours);
  samples_free(&theirs);
  return true; // the library stays: LLVM is not made to be unloaded
}
