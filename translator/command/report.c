// SPDX-License-Identifier: Apache-2.0
// report.c: `autotune report`, over the runtime's own reader of results.
#include <locale.h>
#include <string.h>

#include "tools/report/report.h"
#include "base/base.h"
#include "front/front.h"

static const char usage[] =
    "usage: autotune report [KERNEL] [--json|--markdown|--html FILE|--follow] [--verbose]\n"
    "                       [--cache DIR]\n"
    "  what was tuned, how fast it is, and why: of KERNEL alone, or of all\n"
    "  --kernel NAME  the same as KERNEL\n"
    "  --json         for programs (docs/report.md)\n"
    "  --markdown     tables for a pull request\n"
    "  --html FILE    as a page: one file, opened by a browser, that needs nothing else\n"
    "  --against FILE on the page, compared with another store or wisdom (docs/wisdom.md)\n"
    "  --follow       the tunings that go on now, until they end\n"
    "  --verbose      also the fastest variants, and one that failed of each kind with "
    "its message\n"
    "  --cache DIR    results in DIR (default: $AUTOTUNE_CACHE, "
    "$XDG_CACHE_HOME/autotune,\n"
    "                 ~/.cache/autotune)\n"
    "Colours, bars and width as the terminal, NO_COLOR, CLICOLOR_FORCE and COLUMNS have it.\n"
    "Exits 1 where nothing was ever measured, or nothing goes on.\n";

static const double FOLLOW_WAITS = 10; // seconds, where nobody is there to end it

// The value of OPTION at argv[*i], as `--option VALUE` or `--option=VALUE`; NULL: it is
// another one, or (with *BAD set) the value is missing.
static const char *report_option_value(const char *option, int argc, char **argv, int *i,
                                       bool *bad) {
  size_t n = strlen(option);
  if (strncmp(argv[*i], option, n) != 0 || (argv[*i][n] && argv[*i][n] != '='))
    return NULL;
  if (argv[*i][n] == '=')
    return argv[*i] + n + 1;
  if (*i + 1 < argc)
    return argv[++*i];
  *bad = true;
  return NULL;
}

static int report_refuse(const char *option) {
  static const char *const options[] = { "--kernel",   "--json", "--verbose", "--cache",
                                         "--markdown", "--html", "--against", "--follow",
                                         "--help",     NULL };
  const char *near = value_nearest(option, strlen(option), options);
  fprintf(stderr, "autotune report: %s: unknown option%s%s%s\n%s", option,
          near ? "; did you mean " : "", near ? near : "", near ? "?" : "", usage);
  return 2;
}

int command_report(int argc, char **argv) {
  struct report_options o = { 0 };
  bool follow = false;
  for (int i = 1; i < argc; i++) {
    const char *value;
    bool bad = false;
    if ((value = report_option_value("--kernel", argc, argv, &i, &bad)))
      o.kernel = value;
    else if (!bad && (value = report_option_value("--cache", argc, argv, &i, &bad)))
      o.folder = value;
    else if (!bad && (value = report_option_value("--html", argc, argv, &i, &bad)))
      o.html = value;
    else if (!bad && (value = report_option_value("--against", argc, argv, &i, &bad)))
      o.against = value;
    else if (bad)
      return fprintf(stderr, "autotune report: %s: its value is missing\n", argv[i]), 2;
    else if (strcmp(argv[i], "--json") == 0)
      o.json = true;
    else if (strcmp(argv[i], "--markdown") == 0)
      o.markdown = true;
    else if (strcmp(argv[i], "--follow") == 0)
      follow = true;
    else if (strcmp(argv[i], "--verbose") == 0 || strcmp(argv[i], "-v") == 0)
      o.verbose = true;
    else if (strcmp(argv[i], "--help") == 0)
      return fputs(usage, stdout), 0;
    else if (argv[i][0] != '-' && !o.kernel)
      o.kernel = argv[i];
    else
      return report_refuse(argv[i]);
  }
  if (o.json + o.markdown + follow + (o.html != NULL) > 1)
    return fputs("autotune report: --json, --markdown, --html or --follow, one of them\n",
                 stderr),
           2;
  if (o.html && report_page_missing())
    return fprintf(stderr, "autotune report: --html: %s\n", report_page_missing()), 2;
  if (o.against && !o.html)
    return fprintf(stderr, "autotune report: --against: it needs --html\n"), 2;
  setlocale(LC_CTYPE, "");
  o.look = report_look(stdout);
  if (follow)
    return report_follow(&o, o.look.terminal ? -1 : FOLLOW_WAITS, stdout);
  return report_print(&o, stdout);
}
