/* SPDX-License-Identifier: Apache-2.0 */
/* command.h: the command lines of the program autotune. Each command is a table: its
 * options, how many words it takes, what its help says, and the function that runs it.
 * One reader serves them all. */
#ifndef AUTOTUNE_COMMAND_H
#define AUTOTUNE_COMMAND_H

#include <stdio.h>

#include "base/options.h"

struct arguments {
  const struct command *command;
  void *options;      /* of the command's SIZE, filled by its table */
  const char **words; /* that are no options; NULL-terminated */
  unsigned n;
  char **rest; /* what is handed on; NULL-terminated, empty where nothing was given */
  int argc;
  char **argv; /* as main got it, argv[0] is the command */
};

enum command_rest {
  REST_NONE,
  REST_AFTER_DASHES, /* all words after `--` are handed on */
  REST_FROM_WORD     /* all from the first word that is no option, or after `--` */
};
struct command {
  const char *name;              /* "report", "db prune"; "" is the program */
  const char *arguments;         /* "[KERNEL] [OPTIONS]"; more lines: other usages */
  const char *about;             /* in a line */
  const char *details;           /* lines for its help, above the options; or NULL */
  const struct setting *options; /* ended by one without a name; NULL: none */
  size_t size;                   /* of the structure that they fill */
  const char *notes;             /* lines below the options, or NULL */
  unsigned least, most;          /* words that it takes */
  enum command_rest rest;
  const struct command *const
      *commands; /* its own, NULL-terminated; NULL: it runs itself */
  int (*run)(const struct arguments *a); /* the exit status */
};
/* Many words. */
#define COMMAND_MANY 1000000

/* A line for a table of options. */
#define SETTING_CACHE(type, member)                                           \
  { "--cache", SETTING_TEXT, "DIR",                                           \
    "results in DIR (by default $AUTOTUNE_CACHE, $XDG_CACHE_HOME/autotune,\n" \
    "~/.cache/autotune)",                                                     \
    .at = offsetof(type, member) }

/* Reads ARGV, which begins with the command's word, and runs C, or prints its help. The
 * exit status; 2 where something is not understood, which was said. */
int command_run(const struct command *c, int argc, char **argv);
/* The command of LIST that WORD is the last word of, or NULL. */
const struct command *command_find(const struct command *const *list, const char *word);
/* Prints the help of C. */
void command_help(const struct command *c, FILE *out);
/* Says "autotune COMMAND: WHAT: WHY" on standard error. 2. */
int command_refuse(const struct command *c, const char *what, const char *why);
/* Prints the help on standard error. 2. */
int command_misused(const struct command *c);

#endif
