// SPDX-License-Identifier: Apache-2.0
// command.c: the command line of `autotune export`.
#include "export.h"
#include "tools/common/command.h"

#define AT(member) .at = offsetof(struct export_options, member)

static const struct setting export_table[] = {
  { "--t4", SETTING_SWITCH, NULL, "all variants that were tried, as FAIR T4 results",
    AT(t4) },
  { "--t1", SETTING_SWITCH, NULL, "what there is to tune, as FAIR T1 input", AT(t1) },
  { "--key", SETTING_TEXT, "KEY", "of this key: n=512, or 512", AT(key) },
  { "-o", SETTING_TEXT, "FILE", "by default standard output", AT(output) },
  { "--output", SETTING_TEXT, AT(output) },
  SETTING_CACHE(struct export_options, folder),
  { .name = NULL },
};

static int export_command(const struct arguments *a) {
  struct export_options *o = a->options;
  o->kernel = a->words[0];
  return o->t4 == o->t1 ? command_misused(a->command) : export_run(o, stdout);
}

const struct command command_export = {
  "export",
  "--t4|--t1 [KERNEL] [OPTIONS]",
  "results or space in the FAIR formats",
  .options = export_table,
  .size = sizeof(struct export_options),
  .most = 1,
  .run = export_command,
};
