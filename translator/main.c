// SPDX-License-Identifier: Apache-2.0
// main.c: the program autotune: a table of commands.
#include <errno.h>
#include <string.h>

#include "front/front.h"

static int command_help(int argc, char **argv);

static const struct command {
  const char *name;
  int (*run)(int argc, char **argv); // argv[0] is the command
  const char *arguments, *about;
} commands[] = {
  { "cc", command_cc, "COMPILER ARGS…", "compile and link, with kernels made tunable" },
  { "translate", command_translate, "IN.c -o OUT.c [-- ARGS…]",
    "show what the compiler is given" },
  { "check", command_check, "IN.c… [-- ARGS…]",
    "list kernels and parameters, and what is wrong" },
  { "suggest", command_suggest, "IN.c [-- ARGS…]",
    "a patch with pragmas for the loops of a file" },
  { "tune", command_tune, "[OPTIONS] -- PROGRAM…",
    "run a program, or a captured call, with a full search" },
  { "report", command_report, "[--follow] [--verbose]",
    "what was tuned, how fast it is, and why" },
  { "why", command_why, "KERNEL [--key n=512]", "what would run here and now, and why" },
  { "export", command_export, "--t4|--t1 [KERNEL]",
    "results or space in the FAIR formats" },
  { "bake", command_bake, "IN.c -o OUT.c [-- ARGS…]",
    "plain C with the winners written in, to ship without libautotune" },
  { "db", command_db, "COMMAND …",
    "look after what is remembered; wisdom to commit or ship" },
  { "doctor", command_doctor, "[--json]", "what works on this machine, what is missing" },
  { "version", command_version, "", "the version, and those of its libraries" },
  { "help", command_help, "[TOPIC]", "this text, or the page of a topic" },
};
#define N_COMMANDS (sizeof commands / sizeof *commands)

static void main_usage(FILE *out) {
  fputs("usage: autotune COMMAND …\n", out);
  for (size_t i = 0; i < N_COMMANDS; i++) {
    // columns, not bytes: '…' is three
    const char *ellipsis = strstr(commands[i].arguments, "…");
    int width = 26;
    for (; ellipsis; ellipsis = strstr(ellipsis + 1, "…"))
      width += 2;
    fprintf(out, "  %-9s %-*s %s\n", commands[i].name, width, commands[i].arguments,
            commands[i].about);
  }
}

static const struct command *find_command(const char *name) {
  if (strcmp(name, "--version") == 0)
    name = "version";
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    name = "help";
  for (size_t i = 0; i < N_COMMANDS; i++)
    if (strcmp(name, commands[i].name) == 0)
      return &commands[i];
  return NULL;
}

// `autotune help COMMAND`: what the command says of itself, or the line of it where that
// is all.
static int help_command(const struct command *command) {
  char option[] = "--help", *name = arena_copy(command->name, strlen(command->name));
  char *arguments[] = { name, option, NULL };
  if (command->run != command_version && command->run != command_help)
    return command->run(2, arguments);
  printf("usage: autotune %s %s\n  %s\n", command->name, command->arguments,
         command->about);
  return 0;
}

static int command_help(int argc, char **argv) {
  if (argc < 2) {
    main_usage(stdout);
    help_topics(stdout);
    return 0;
  }
  if (help_show(argv[1]))
    return 0;
  const struct command *command = find_command(argv[1]);
  if (command)
    return help_command(command);
  const char *near = help_nearest(argv[1]);
  fprintf(stderr, "autotune help: there is no topic '%s'%s%s%s\n", argv[1],
          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  help_topics(stderr);
  return 2;
}

// The status of COMMAND, or 1 where what it printed did not arrive.
static int main_run(const struct command *command, int argc, char **argv) {
  char help[] = "--help";
  if (argc == 2 && strcmp(argv[1], "-h") == 0)
    argv[1] = help;
  int status = command->run(argc, argv);
  if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
    return status;
  fprintf(stderr, "autotune %s: standard output: %s\n", command->name, strerror(errno));
  return status ? status : 1;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    main_usage(stderr);
    return 2;
  }
  const struct command *command = find_command(argv[1]);
  if (command)
    return main_run(command, argc - 1, argv + 1);
  const char *names[N_COMMANDS + 1] = { NULL };
  for (size_t i = 0; i < N_COMMANDS; i++)
    names[i] = commands[i].name;
  const char *near = nearest(slice_of(argv[1]), names);
  fprintf(stderr, "autotune: unknown command '%s'%s%s%s\n", argv[1],
          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  main_usage(stderr);
  return 2;
}
