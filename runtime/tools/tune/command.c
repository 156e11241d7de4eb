// SPDX-License-Identifier: Apache-2.0
// command.c: the command line of `autotune tune`.
#include <stdlib.h>

#include "keep/store/store.h"
#include "tools/common/command.h"
#include "tools/common/roof.h"
#include "tune.h"

#define AT(member) .at = offsetof(struct tune_options, member)

static const struct setting tune_table[] = {
  { "--budget", SETTING_TEXT, "60s",
    "for each kernel and key: time (or quick, normal, patient: 2, 10, 60 s), number of\n"
    "variants, or both (60s,500)",
    AT(budget), .initial = "60s", .variable = "AUTOTUNE_BUDGET" },
  { "--kernel", SETTING_TEXT, "NAME", "tune this one only", AT(kernel),
    .variable = "AUTOTUNE_KERNEL" },
  { "--search", SETTING_TEXT, "NAME",
    "one of the searches in place of the choice by size and budget", AT(search),
    .variable = "AUTOTUNE_SEARCH" },
  { "--seed", SETTING_TEXT, "N", "of the search", AT(seed), .variable = "AUTOTUNE_SEED" },
  { "--until", SETTING_TEXT, "2%",
    "stop where less improvement is expected, or ('roof 80%') where the best\n"
    "reaches that share of what the machine can do",
    AT(until), .variable = "AUTOTUNE_UNTIL" },
  { "--cache", SETTING_TEXT, "DIR",
    "keep results in DIR in place of $AUTOTUNE_CACHE or ~/.cache/autotune", AT(cache),
    .variable = "AUTOTUNE_CACHE" },
  { "--output", SETTING_TEXT, "FILE",
    "write what is known of what was tuned as JSON (docs/report.md)", AT(output) },
  { "--capture", SETTING_TEXT, "FILE",
    "tune the call that a program wrote to FILE with AUTOTUNE_CAPTURE=DIR\n"
    "(docs/capture.md), alone; runs the code that FILE holds",
    AT(capture) },
  { "--replay", SETTING_TEXT, AT(capture) },
  { "--check", SETTING_SWITCH, NULL,
    "with --capture: make the call with the default variant, and tell whether\n"
    "outputs are as in the program",
    AT(check) },
  { "--moved", SETTING_COUNT, AT(moves) }, // given by capture.c only
  { .name = NULL },
};

// Passes the options on to the runtime, in the program or in this process.
static void tune_set_variables(const struct tune_options *o) {
  setenv("AUTOTUNE_MODE", "tune", 1);
  setenv("AUTOTUNE_LOG", "info", 0);
  for (const struct setting *i = tune_table; i->name; i++) {
    const char *value = i->variable ? *(const char *const *)((const char *)o + i->at)
                                    : NULL;
    if (value)
      setenv(i->variable, value, 1);
  }
}

// A search that is to end near the roof needs the machine's limits, which are measured
// while nothing runs.
static void tune_measure_roofs(const char *command) {
  const char *text = getenv("AUTOTUNE_UNTIL");
  struct until until;
  char *message = NULL;
  if (text && value_until(text, &until) && until.roof > 0 && folder_open(&message))
    roofs_prepare(folder_open(&message), command);
  free(message); // the program says it, too
}

static int tune_command(const struct arguments *a) {
  struct tune_options *o = a->options;
  struct budget budget;
  if (value_budget(o->budget, &budget) && budget.fraction > 0)
    return command_refuse(a->command, "--budget",
                          "not a time such as '60s', a number of variants, or '60s,500'");
  if (o->capture && (*a->rest || o->kernel))
    return command_refuse(a->command, "--capture",
                          "the call is in the file: no program, no --kernel");
  if (o->check && !o->capture)
    return command_refuse(a->command, "--check", "of which --capture?");
  if (!o->capture && !*a->rest)
    return command_misused(a->command);
  tune_set_variables(o);
  tune_measure_roofs(a->command->name);
  return o->capture ? tune_capture(o, a->argc, a->argv) : tune_program(o, a->rest);
}

const struct command command_tune = {
  "tune",
  "[OPTIONS] -- PROGRAM ARGS…\n--capture FILE [OPTIONS]",
  "run a program, or a captured call, with a full search",
  .options = tune_table,
  .size = sizeof(struct tune_options),
  .notes =
      "Each kernel is searched in full at the first call of each kernel and key. Exits as the "
      "program did; with\n"
      "--capture 1 where outputs differ (--check) or nothing could be tuned.\n",
  .rest = REST_FROM_WORD,
  .run = tune_command,
};
