// SPDX-License-Identifier: Apache-2.0
// tune.c: `autotune tune`: its options.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tune/search/search.h"
#include "tune.h"

static const char usage[] =
    "usage: autotune tune [OPTIONS] -- PROGRAM ARGS…\n"
    "  runs the program with a full search at the first call of each kernel and key\n"
    "  --budget 60s    for each kernel and key: time, number of variants, or both (60s,500)\n"
    "  --kernel NAME   tune this one only\n"
    "  --search NAME   one of the searches in place of the choice by size and budget\n"
    "  --seed N        of the search\n"
    "  --until 2%      stop where less improvement is expected\n"
    "  --cache DIR     keep results in DIR in place of $AUTOTUNE_CACHE or ~/.cache/autotune\n"
    "  --output FILE   write what is known of what was tuned as JSON (docs/report.md)\n"
    "Exits as the program did.\n"
    "\n"
    "usage: autotune tune --capture FILE [--check] [OPTIONS]\n"
    "  tunes the call that a program wrote to FILE with AUTOTUNE_CAPTURE=DIR (docs/capture.md), alone\n"
    "  --check         make it with the default variant, and tell whether outputs are as in the program\n"
    "Runs the code that FILE holds. Exits with 1 where outputs differ (--check) or nothing could be tuned.\n";

static const struct option {
  const char *name;
  size_t offset;        // in struct tune_options
  const char *variable; // that the runtime reads it from; NULL: none
} options[] = {
  { "--budget", offsetof(struct tune_options, budget), "AUTOTUNE_BUDGET" },
  { "--kernel", offsetof(struct tune_options, kernel), "AUTOTUNE_KERNEL" },
  { "--search", offsetof(struct tune_options, search), "AUTOTUNE_SEARCH" },
  { "--seed", offsetof(struct tune_options, seed), "AUTOTUNE_SEED" },
  { "--until", offsetof(struct tune_options, until), "AUTOTUNE_UNTIL" },
  { "--cache", offsetof(struct tune_options, cache), "AUTOTUNE_CACHE" },
  { "--output", offsetof(struct tune_options, output), NULL },
  { "--capture", offsetof(struct tune_options, capture), NULL },
  { "--replay", offsetof(struct tune_options, capture), NULL },
};
enum { OPTIONS = sizeof options / sizeof *options };

static const char **tune_field(struct tune_options *o, const struct option *which) {
  return (const char **)((char *)o + which->offset);
}

static int tune_complain(const char *option, const char *what) {
  fprintf(stderr, "autotune tune: %s: %s\n", option, what);
  return 2;
}

static int tune_unknown(const char *given) {
  const char *names[OPTIONS + 1] = { NULL };
  for (int i = 0; i < OPTIONS; i++)
    names[i] = options[i].name;
  const char *near = value_nearest(given, strlen(given), names);
  fprintf(stderr, "autotune tune: %s: unknown option%s%s%s\n%s", given,
          near ? "; did you mean " : "", near ? near : "", near ? "?" : "", usage);
  return 2;
}

// Takes the option at argv[*i]: `--name VALUE` or `--name=VALUE`. 0, or an exit status.
static int tune_take(struct tune_options *o, int argc, char **argv, int *i) {
  for (int j = 0; j < OPTIONS; j++) {
    size_t n = strlen(options[j].name);
    if (strncmp(argv[*i], options[j].name, n) != 0 || (argv[*i][n] && argv[*i][n] != '='))
      continue;
    const char *value = argv[*i][n] ? argv[*i] + n + 1
        : *i + 1 < argc             ? argv[++*i]
                                    : NULL;
    if (!value || !*value)
      return tune_complain(options[j].name, "its value is missing");
    *tune_field(o, &options[j]) = value;
    return 0;
  }
  return tune_unknown(argv[*i]);
}

// What the runtime would only warn of and pass over is an error here.
static int tune_judge(const struct tune_options *o) {
  struct budget budget;
  char *end = NULL;
  errno = 0;
  if (o->budget && (!value_budget(o->budget, &budget) || budget.fraction > 0))
    return tune_complain("--budget",
                         "not a time such as '60s', a number of variants, or '60s,500'");
  if (o->seed && (strtoull(o->seed, &end, 0), errno || *end || *o->seed == '-'))
    return tune_complain("--seed", "not a whole number");
  if (o->search && !strategy_find(o->search)) {
    fprintf(stderr,
            "autotune tune: --search: there is no search '%s'; there are: ", o->search);
    for (const struct strategy_class *const *c = strategy_list(); *c; c++)
      fprintf(stderr, "%s, ", (*c)->name);
    fprintf(stderr, "list:FILE\n");
    return 2;
  }
  return 0;
}

// For the runtime, in the program or in this process.
static void set_variables(struct tune_options *o) {
  setenv("AUTOTUNE_MODE", "tune", 1);
  setenv("AUTOTUNE_LOG", "info", 0);
  if (!o->budget)
    o->budget = "60s";
  for (int i = 0; i < OPTIONS; i++)
    if (options[i].variable && *tune_field(o, &options[i]))
      setenv(options[i].variable, *tune_field(o, &options[i]), 1);
}

int command_tune(int argc, char **argv) {
  struct tune_options o = { 0 };
  int status = 0;
  for (int i = 1; i < argc && !o.program && status == 0; i++) {
    if (strcmp(argv[i], "--help") == 0)
      return fputs(usage, stdout), 0;
    if (strcmp(argv[i], "--") == 0)
      o.program = argv + i + 1;
    else if (strcmp(argv[i], "--check") == 0)
      o.check = true;
    else if (strcmp(argv[i], "--moved") == 0 &&
             i + 1 < argc) // by ourselves, each time in front
      o.moves += atoi(argv[++i]);
    else if (argv[i][0] != '-')
      o.program = argv + i;
    else
      status = tune_take(&o, argc, argv, &i);
  }
  if (status || (status = tune_judge(&o)))
    return status;
  if (o.capture && (o.program || o.kernel))
    return tune_complain("--capture", "the call is in the file: no program, no --kernel");
  if (o.check && !o.capture)
    return tune_complain("--check", "of which --capture?");
  if (o.capture) {
    set_variables(&o);
    return tune_capture(&o, argc, argv);
  }
  if (!o.program || !*o.program)
    return fprintf(stderr, "autotune tune: which program?\n%s", usage), 2;
  set_variables(&o);
  return tune_program(&o);
}
