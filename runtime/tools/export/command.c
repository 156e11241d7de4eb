// SPDX-License-Identifier: Apache-2.0
// command.c: the command line of `autotune export`.
#include "export.h"
#include "tools/common/command.h"

struct export_given {
  struct export_options o;
  bool t4;
};
#define AT(member) .at = offsetof(struct export_given, member)

static const struct setting export_table[] = {
  { "--t4", SETTING_SWITCH, NULL, "all variants that were tried, as FAIR T4 results",
    AT(t4) },
  { "--t1", SETTING_SWITCH, NULL, "what there is to tune, as FAIR T1 input", AT(o.t1) },
  { "--key", SETTING_TEXT, "KEY", "of this key: n=512, or 512", AT(o.key) },
  { "-o", SETTING_TEXT, "FILE", "by default standard output", AT(o.output) },
  { "--output", SETTING_TEXT, AT(o.output) },
  SETTING_CACHE(struct export_given, o.folder),
  { .name = NULL },
};

static int export_command(const struct arguments *a) {
  struct export_given *g = a->options;
  g->o.kernel = a->words[0];
  return g->t4 == g->o.t1 ? command_misused(a->command) : export_run(&g->o, stdout);
}

const struct command command_export = {
  "export",
  "--t4|--t1 [KERNEL] [OPTIONS]",
  "results or space in the FAIR formats",
  .options = export_table,
  .size = sizeof(struct export_given),
  .most = 1,
  .run = export_command,
};
