// SPDX-License-Identifier: Apache-2.0
// command.c: the command line of `autotune report`.
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "tools/common/command.h"

static const double FOLLOW_WAITS = 10; // seconds, if the output is no terminal

#define AT(member) .at = offsetof(struct report_options, member)

extern const struct command command_report;

static const struct setting report_table[] = {
  { "--kernel", SETTING_TEXT, "NAME", "the same as KERNEL", AT(kernel) },
  { "--json", SETTING_SWITCH, NULL, "for programs (docs/report.md)", AT(json) },
  { "--markdown", SETTING_SWITCH, NULL, "tables for a pull request", AT(markdown) },
  { "--html", SETTING_TEXT, "FILE",
    "write a page: one file for a browser, which needs nothing else", AT(html) },
  { "--asm", SETTING_SWITCH, NULL,
    "the assembly of the winner's main loop beside that of the default", AT(assembly) },
  { "--history", SETTING_SWITCH, NULL,
    "all results, one in a line, the newest first, with their commits", AT(history) },
  { "--against", SETTING_TEXT, "FILE",
    "compare, on the page, with another store or wisdom (docs/wisdom.md)", AT(against) },
  { "--follow", SETTING_SWITCH, NULL,
    "the tunings that are running now, until they end; with --html the page shows them live",
    AT(follow) },
  { "--verbose", SETTING_SWITCH, NULL,
    "also the fastest variants, and one failure of each kind with its message",
    AT(verbose) },
  { "-v", SETTING_SWITCH, AT(verbose) },
  { "--no-pager", SETTING_SWITCH, NULL, "do not use $AUTOTUNE_PAGER, $PAGER or less",
    AT(no_pager) },
  SETTING_CACHE(struct report_options, folder),
  { .name = NULL },
};

// Prints the report with the user's pager, if there is one.
static int report_page_through(const struct report_options *o) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  int status = report_print(o, memory ? memory : stdout);
  if (memory && fclose(memory) != 0)
    status = command_refuse(&command_report, "memory", strerror(ENOMEM));
  else if (memory && !pager_show(text, size))
    fwrite(text, 1, size, stdout);
  free(text);
  return status;
}

static int report_run(const struct arguments *a) {
  struct report_options *o = a->options;
  if (a->n && o->kernel)
    return command_refuse(a->command, a->words[0], "KERNEL and --kernel, one of them");
  o->kernel = a->n ? a->words[0] : o->kernel;
  if (o->json + o->markdown + o->assembly + o->history + (o->follow || o->html != NULL) >
      1)
    return command_refuse(a->command,
                          "--json, --markdown, --html, --asm, --history or --follow",
                          "one of them, or --html with --follow");
  if (o->html && report_page_missing())
    return command_refuse(a->command, "--html", report_page_missing());
  if (o->against && !o->html)
    return command_refuse(a->command, "--against", "it needs --html");
  setlocale(LC_CTYPE, "");
  o->look = sheet_look(stdout);
  if (o->follow)
    return report_follow(o, o->look.terminal ? -1 : FOLLOW_WAITS, stdout);
  bool paged = o->look.terminal && !o->no_pager && !o->json && !o->markdown && !o->html;
  return paged ? report_page_through(o) : report_print(o, stdout);
}

const struct command command_report = {
  "report",
  "[KERNEL] [OPTIONS]",
  "what was tuned, how fast it is, and why",
  .options = report_table,
  .size = sizeof(struct report_options),
  .notes = "Colours, bars and width follow the terminal, NO_COLOR, CLICOLOR_FORCE and "
           "COLUMNS.\n"
           "Exits 1 where nothing was ever measured, or no tuning is running.\n",
  .most = 1,
  .run = report_run,
};
