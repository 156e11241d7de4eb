// SPDX-License-Identifier: Apache-2.0
// command.c: the command line of `autotune report`.
#include <locale.h>

#include "report.h"
#include "tools/common/command.h"

static const double FOLLOW_WAITS = 10; // seconds, where nobody is there to end it

struct report_given {
  struct report_options o;
  bool follow;
};
#define AT(member) .at = offsetof(struct report_given, member)

static const struct setting report_table[] = {
  { "--kernel", SETTING_TEXT, "NAME", "the same as KERNEL", AT(o.kernel) },
  { "--json", SETTING_SWITCH, NULL, "for programs (docs/report.md)", AT(o.json) },
  { "--markdown", SETTING_SWITCH, NULL, "tables for a pull request", AT(o.markdown) },
  { "--html", SETTING_TEXT, "FILE",
    "as a page: one file, opened by a browser, that needs nothing else", AT(o.html) },
  { "--against", SETTING_TEXT, "FILE",
    "on the page, compared with another store or wisdom (docs/wisdom.md)",
    AT(o.against) },
  { "--follow", SETTING_SWITCH, NULL, "the tunings that go on now, until they end",
    AT(follow) },
  { "--verbose", SETTING_SWITCH, NULL,
    "also the fastest variants, and one that failed of each kind with its message",
    AT(o.verbose) },
  { "-v", SETTING_SWITCH, AT(o.verbose) },
  SETTING_CACHE(struct report_given, o.folder),
  { .name = NULL },
};

static int report_run(const struct arguments *a) {
  struct report_given *g = a->options;
  struct report_options *o = &g->o;
  if (a->n && o->kernel)
    return command_refuse(a->command, a->words[0], "KERNEL and --kernel, one of them");
  o->kernel = a->n ? a->words[0] : o->kernel;
  if (o->json + o->markdown + g->follow + (o->html != NULL) > 1)
    return command_refuse(a->command, "--json, --markdown, --html or --follow",
                          "one of them");
  if (o->html && report_page_missing())
    return command_refuse(a->command, "--html", report_page_missing());
  if (o->against && !o->html)
    return command_refuse(a->command, "--against", "it needs --html");
  setlocale(LC_CTYPE, "");
  o->look = sheet_look(stdout);
  if (g->follow)
    return report_follow(o, o->look.terminal ? -1 : FOLLOW_WAITS, stdout);
  return report_print(o, stdout);
}

const struct command command_report = {
  "report",
  "[KERNEL] [OPTIONS]",
  "what was tuned, how fast it is, and why",
  .options = report_table,
  .size = sizeof(struct report_given),
  .notes =
      "Colours, bars and width as the terminal, NO_COLOR, CLICOLOR_FORCE and COLUMNS "
      "have it.\n"
      "Exits 1 where nothing was ever measured, or nothing goes on.\n",
  .most = 1,
  .run = report_run,
};
