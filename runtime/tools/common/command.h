/* SPDX-License-Identifier: Apache-2.0 */
/* command.h: the command lines of the program autotune. Each command is a table: its
 * options, how many words it takes, its help, and the function that runs it. One parser
 * reads them all. */
#ifndef AUTOTUNE_COMMAND_H
#define AUTOTUNE_COMMAND_H

#include <stdio.h>

#include "base/options.h"

struct arguments {
  const struct command *command;
  void *options;      /* a structure of the command's SIZE, filled by its table */
  const char **words; /* arguments that are not options; NULL-terminated */
  unsigned n;
  char **rest; /* arguments to pass on; NULL-terminated; may be empty */
  int argc;
  char **argv; /* as in main; argv[0] is the command */
};

enum command_rest {
  REST_NONE,
  REST_AFTER_DASHES, /* passes on all words after `--` */
  REST_FROM_WORD     /* passes on all words from the first that is not an option, or after
                        `--` */
};
struct command {
  const char *name;      /* "report", "db prune"; "" is the program */
  const char *arguments; /* "[KERNEL] [OPTIONS]"; each further line is another usage */
  const char *about;     /* one line about it */
  const char *details;   /* lines for its help, above the options; or NULL */
  const struct setting *options; /* ended by one without a name; NULL: none */
  size_t size;                   /* of the structure that the options fill */
  const char *notes;             /* lines below the options, or NULL */
  unsigned least, most;          /* words that it takes */
  enum command_rest rest;
  const struct command *const
      *commands; /* its subcommands, NULL-terminated; NULL: none */
  int (*run)(const struct arguments *a); /* the exit status */
};
/* For `most`: any number of words. */
#define COMMAND_MANY 1000000

/* A line for a table of options. */
#define SETTING_CACHE(type, member)                                           \
  { "--cache", SETTING_TEXT, "DIR",                                           \
    "results in DIR (by default $AUTOTUNE_CACHE, $XDG_CACHE_HOME/autotune,\n" \
    "~/.cache/autotune)",                                                     \
    .at = offsetof(type, member) }

/* Reads ARGV, whose first word is the command's name, and runs C or prints its help.
 * Returns the exit status; 2, after a message, if ARGV is not valid. */
int command_run(const struct command *c, int argc, char **argv);
/* Returns the command of LIST whose name ends with the word WORD, or NULL. */
const struct command *command_find(const struct command *const *list, const char *word);
/* Prints the help of C. */
void command_help(const struct command *c, FILE *out);
/* Prints "autotune COMMAND: WHAT: WHY" on standard error. Returns 2. */
int command_refuse(const struct command *c, const char *what, const char *why);
/* Prints the help on standard error. Returns 2. */
int command_misused(const struct command *c);

#endif
