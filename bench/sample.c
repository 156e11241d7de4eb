// SPDX-License-Identifier: Apache-2.0
// sample.c: samples, medians, running programs, folders of results.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

void samples_add(struct samples *s, double value) {
  double *grown = realloc(s->values, (s->n + 1) * sizeof *grown);
  if (!grown)
    exit(2);
  s->values = grown;
  s->values[s->n++] = value;
}

void samples_free(struct samples *s) {
  free(s->values);
  *s = (struct samples){ 0 };
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The value below which SHARE of them are.
static double quantile(const struct samples *s, double fraction) {
  if (s->n == 0)
    return NAN;
  double *sorted = malloc(s->n * sizeof *sorted);
  if (!sorted)
    exit(2);
  memcpy(sorted, s->values, s->n * sizeof *sorted);
  qsort(sorted, s->n, sizeof *sorted, by_value);
  double at = fraction * (s->n - 1);
  unsigned low = (unsigned)at, high = low + 1 < s->n ? low + 1 : low;
  double value = sorted[low] + (at - low) * (sorted[high] - sorted[low]);
  free(sorted);
  return value;
}

double samples_median(const struct samples *s) {
  return quantile(s, 0.5);
}

json_t *samples_json(const struct samples *s) {
  json_t *list = json_array();
  for (unsigned i = 0; i < s->n; i++)
    json_array_append_new(list, json_real(s->values[i]));
  return json_pack("{s:f, s:f, s:f, s:o}", "median", samples_median(s), "low",
                   quantile(s, 0.25), "high", quantile(s, 0.75), "samples", list);
}

double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Reads all of FD; text that does not fit into OUT is dropped.
static void drain(int fd, char *out, size_t size) {
  char rest[4096];
  size_t used = 0;
  ssize_t n;
  do {
    bool full = used + 1 >= size;
    n = read(fd, full ? rest : out + used, full ? sizeof rest : size - used - 1);
    if (n > 0 && !full)
      used += (size_t)n;
  } while (n > 0 || (n < 0 && errno == EINTR));
  out[used] = '\0';
}

double run(const char *const argv[], char *out, size_t size) {
  int ends[2] = { -1, -1 }, status;
  pid_t pid;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (out && pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  if (out)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  else
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  double start = now();
  int error = posix_spawnp(&pid, argv[0], &actions, NULL, (char **)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (out) {
    close(ends[1]);
    drain(ends[0], out, size);
    close(ends[0]);
  }
  if (error) {
    fprintf(stderr, "bench: %s: %s\n", argv[0], strerror(error));
    return -1;
  }
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  double seconds = now() - start;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return seconds;
  fprintf(stderr, "bench: %s failed (%s %d)\n%s", argv[0],
          WIFEXITED(status) ? "status" : "signal",
          WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), out ? out : "");
  return -1;
}

double number_after(const char *text, const char *label) {
  const char *at = strstr(text, label);
  double value;
  return at && sscanf(at + strlen(label), "%lf", &value) == 1 ? value : NAN;
}

static int remove_entry(const char *path, const struct stat *status, int type,
                        struct FTW *at) {
  (void)status, (void)type, (void)at;
  return remove(path);
}

void forget_store(const char *folder) {
  nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

bool run_calls(const char *const argv[], struct samples *wait, struct samples *time) {
  enum { OUTPUT = 1 << 25 };
  char *out = malloc(OUTPUT), *at = out;
  bool fine = out && run(argv, out, OUTPUT) >= 0;
  for (double w, t; fine && sscanf(at, "call %lf %lf", &w, &t) == 2;) {
    samples_add(wait, w);
    samples_add(time, t);
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  free(out);
  return fine && time->n > 0;
}

char *variant_line(json_t *values) {
  const char *name;
  json_t *value;
  char *line = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&line, &size);
  if (!f)
    exit(2);
  json_object_foreach(values, name, value) {
    if (json_is_string(value))
      fprintf(f, "%s=%s\t", name, json_string_value(value));
    else
      fprintf(f, "%s=%.17g\t", name, json_number_value(value));
  }
  fclose(f);
  return line;
}
