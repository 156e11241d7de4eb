// SPDX-License-Identifier: Apache-2.0
// main.c: the program autotune: a table of commands.
#include <errno.h>
#include <string.h>

#include <isl/version.h>

#include "cc/cc.h"
#include "commands.h"
#include "tools/doctor/doctor.h"

static const struct command command_autotune;

// ---- version, help ------------------------------------------------------------------

static int version_run(const struct arguments *a) {
  const char *isl = isl_version(); // a line
  (void)a;
  puts("autotune " AUTOTUNE_VERSION);
  printf("  %-12s " AUTOTUNE_GRAMMAR_C "\n", "grammar C");
  printf("  %-12s " AUTOTUNE_GRAMMAR_CUDA "\n", "grammar CUDA");
  printf("  %-12s %.*s\n", "isl", (int)strcspn(isl, "\n"), isl);
  versions_print(stdout);
  return 0;
}

static const struct command command_version = {
  "version",
  "",
  "the version, and those of its libraries",
  .run = version_run,
};

// Returns the command that the words name: "db", "db prune"; NULL: none.
static const struct command *main_find(const struct arguments *a) {
  const struct command *c = &command_autotune;
  for (unsigned i = 0; c && i < a->n; i++)
    c = c->commands ? command_find(c->commands, a->words[i]) : NULL;
  return c;
}

static int help_run(const struct arguments *a) {
  const char *topic = a->words[0];
  if (!topic) {
    command_help(&command_autotune, stdout);
    help_topics(stdout);
    return 0;
  }
  if (strcmp(topic, "variables") == 0)
    return help_variables(stdout), 0;
  if (a->n == 1 && help_show(topic))
    return 0;
  const struct command *c = main_find(a);
  if (c)
    return command_help(c, stdout), 0;
  const char *near = help_nearest(topic);
  fprintf(stderr, "autotune help: there is no topic '%s'%s%s%s\n", topic,
          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  help_topics(stderr);
  return 2;
}

static const struct command command_help_topic = {
  "help", "[TOPIC]", "this text, or the page of a topic", .most = 2, .run = help_run,
};

// ---- the table of commands -----------------------------------------------------------

static const struct command *const main_commands[] = {
  &command_cc,      &command_auto,       &command_translate,
  &command_check,   &command_suggest,    &command_tune,
  &command_report,  &command_why,        &command_export,
  &command_bake,    &command_db,         &command_doctor,
  &command_version, &command_help_topic, NULL,
};

static const struct command command_autotune = {
  "",
  "COMMAND …",
  "",
  .commands = main_commands,
};

// Replaces `--version`, `--help` and `-h` by the names of their commands.
static void main_rename(char **word) {
  static char version[] = "version", help[] = "help";
  if (strcmp(*word, "--version") == 0)
    *word = version;
  else if (strcmp(*word, "--help") == 0 || strcmp(*word, "-h") == 0)
    *word = help;
}

// Returns the command's status, or 1 in place of 0 if output could not be written.
int main(int argc, char **argv) {
  const char *compiler = argc ? cc_name(argv[0]) : NULL;
  if (argc >= 2 && !compiler)
    main_rename(&argv[1]);
  int status = compiler ? cc_run_as(compiler, argc, argv)
                        : command_run(&command_autotune, argc, argv);
  if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
    return status;
  fprintf(stderr, "autotune %s: standard output: %s\n", argv[1], strerror(errno));
  return status ? status : 1;
}
