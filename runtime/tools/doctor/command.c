// SPDX-License-Identifier: Apache-2.0
// command.c: the command lines of `autotune doctor` and `autotune version`.
#include "doctor.h"

static const struct setting doctor_table[] = {
  { "--json", SETTING_SWITCH, NULL, "for programs",
    .at = offsetof(struct doctor_options, json) },
  { .name = NULL },
};

const struct command command_doctor = {
  "doctor",
  "[--json]",
  "what works on this machine, what is missing",
  .options = doctor_table,
  .size = sizeof(struct doctor_options),
  .details = "  ok       it was tried and works\n"
             "  note     it works, but there is something to know\n"
             "  missing  not there, and not needed by everybody\n"
             "  failed   C kernels are not tuned, or not remembered\n",
  .notes = "Exits 1 where something failed.\n",
  .run = doctor_run,
};
