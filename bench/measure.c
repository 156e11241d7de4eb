// SPDX-License-Identifier: Apache-2.0
// measure.c: runs all rows, or those whose names are given, prints them against their
// targets and writes them with all their samples. Rows that the file holds already and
// that were not measured again stay.
//
//   measure BUILD WORK RESULT.json [ROW…]
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static const struct {
  const char *name;
  bool (*run)(struct bench *);
} table[] = {
  { "matmul", row_matmul }, { "sgemm", row_sgemm }, { "examples", row_examples },
  { "calls", row_calls },   { "start", row_start }, { "jit", row_jit },
  { "tuning", row_tuning }, { "modes", row_modes }, { "even", row_even },
  { "repeat", row_repeat }, { "large", row_large }, { "warm", row_warm },
};

void bench_row(struct bench *b, const struct row *r, json_t *data) {
  bool reached = r->at_most ? r->value <= r->target : r->value >= r->target;
  b->missed += !reached;
  printf("%-34s %9.3g %-7s  target %s %-4.3g %-7s %s\n", r->name, r->value, r->unit,
         r->at_most ? "<=" : ">=", r->target, reached ? "reached" : "MISSED",
         r->note ? r->note : "");
  fflush(stdout);
  char date[32];
  time_t t = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime(&t));
  json_t *row = json_pack("{s:s, s:s, s:f, s:s, s:f, s:b, s:s}", "row", r->name, "date",
                          date, "value", isnan(r->value) ? -1 : r->value, "unit", r->unit,
                          "target", r->target, "reached", reached, "note",
                          r->note ? r->note : "");
  if (data)
    json_object_set_new(row, "data", data);
  json_array_append_new(b->rows, row);
}

// Returns "model name" of /proc/cpuinfo in NAME.
static void cpu_name(char *name, size_t size) {
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "unknown");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
      snprintf(name, size, "%s", strchr(line, ':') + 2);
      name[strcspn(name, "\n")] = '\0';
      break;
    }
  if (file)
    fclose(file);
}

// Returns the version text of a compiler.
static json_t *version_of(const char *compiler) {
  char out[1024] = "";
  run((const char *[]){ compiler, "--version", NULL }, out, sizeof out);
  out[strcspn(out, "\n")] = '\0';
  return json_string(out);
}

static json_t *machine(void) {
  char cpu[256], date[32];
  struct utsname system = { 0 };
  time_t t = time(NULL);
  cpu_name(cpu, sizeof cpu);
  uname(&system);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&t));
  return json_pack("{s:s, s:i, s:s, s:s, s:o, s:o}", "cpu", cpu, "processors",
                   (int)sysconf(_SC_NPROCESSORS_ONLN), "system", system.machine, "date",
                   date, "gcc", version_of("gcc"), "clang", version_of("clang-22"));
}

static bool wanted(const char *name, char **names) {
  if (!*names)
    return true;
  while (*names && strcmp(*names, name) != 0)
    names++;
  return *names;
}

// Keeps the rows of an earlier run that this run did not measure.
static void keep_others(struct bench *b, const char *path) {
  json_t *old = json_load_file(path, 0, NULL), *row;
  size_t i, n = json_array_size(b->rows);
  json_array_foreach(json_object_get(old, "rows"), i, row) {
    bool again = false;
    for (size_t j = 0; j < n; j++)
      again |= json_equal(json_object_get(row, "row"),
                          json_object_get(json_array_get(b->rows, j), "row"));
    if (!again)
      json_array_append(b->rows, row);
  }
  json_decref(old);
}

int main(int argc, char **argv) {
  if (argc < 4)
    return fprintf(stderr, "usage: measure BUILD WORK RESULT.json [ROW…]\n"), 2;
  struct bench b = { .build = argv[1], .work = argv[2], .rows = json_array() };
  unsigned failed = 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (wanted(table[i].name, argv + 4) && !table[i].run(&b)) {
      fprintf(stderr, "bench: %s could not be measured to its end\n", table[i].name);
      failed++;
    }
  keep_others(&b, argv[3]);
  json_t *root = json_pack("{s:o, s:o}", "machine", machine(), "rows", b.rows);
  if (json_dump_file(root, argv[3], JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0) {
    fprintf(stderr, "bench: cannot write %s\n", argv[3]);
    failed++;
  }
  json_decref(root);
  printf("%u below target; raw figures in %s\n", b.missed, argv[3]);
  return failed ? 1 : 0;
}
