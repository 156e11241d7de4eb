/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: settings of the user: AUTOTUNE_* variables, options of the program autotune
 * and clauses of pragmas. Variables and options are described by tables of `struct
 * setting`; all three read their values with the same functions. */
#ifndef AUTOTUNE_OPTIONS_H
#define AUTOTUNE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "autotune.h"

/* ---- values.c: values as people write them --------------------------------------- */

/* Parts that are not given are 0. */
struct budget {
  double seconds;
  unsigned variants;
  double fraction; /* of the time that the program spends in the kernel */
};
enum { BUDGET_NORMAL = 10 }; /* seconds of the budget `normal`, and of the default */
/* Reads "5s" or a word for a time ("quick", "normal", "patient"), "200" (variants), "5%",
 * or several separated by commas, each kind once. False: TEXT is no budget. */
bool value_budget(const char *text, struct budget *out);
/* When a search ends before its budget does; 0: that is no reason. */
struct until {
  double gain; /* less improvement is expected; a fraction of the best time, below 1 */
  double roof; /* the best reaches this fraction of the machine's limit; at most 1 */
};
/* Reads "2%", "roof 80%" or both, separated by a comma. False: TEXT is neither. */
bool value_until(const char *text, struct until *out);
/* Index of TEXT among WORDS (NULL-terminated), or -1. */
int value_word(const char *text, const char *const *words);
/* Returns the command of "extern:COMMAND"; NULL: TEXT is no such search, or has none. */
const char *value_extern(const char *text);
/* The word (of a NULL-terminated list) that the SIZE bytes at WORD may have meant: the
 * one with the fewest edits, within a third of its length; or NULL. */
const char *value_nearest(const char *word, size_t size, const char *const *words);

enum tuning_mode {
  MODE_FIRST,
  MODE_LOCKED,
  MODE_OFF,
  MODE_ONLINE,
  MODE_BACKGROUND,
  MODE_OFFLINE,
  MODE_TUNE /* as `autotune tune` runs a program: like first, but tunes even if a winner
               is stored */
};
/* Names of modes, in the order of enum tuning_mode, NULL at the end. */
extern const char *const mode_names[];

/* The searches that may be named. The declarations and the table of tune/search, the
 * values of AUTOTUNE_SEARCH and its help are made from this list. */
#define SEARCHES(X) X(auto) X(exhaustive) X(random) X(local) X(anneal) X(genetic) X(model)
extern const char *const search_names[]; /* NULL at the end */
#define SEARCHES_ONE(name) +1
enum { N_SEARCHES = 0 SEARCHES(SEARCHES_ONE) };

/* ---- tables ---------------------------------------------------------------------- */

enum setting_kind {                      /* what is stored: */
                    SETTING_NONE,        /* nothing: the variable is read elsewhere */
                    SETTING_TEXT,        /* const char *: TEXT itself, not a copy */
                    SETTING_FOLDER,      /* the same, "" for "off" */
                    SETTING_SEARCH,      /* the same, a name of a search, "list:FILE" or
                                            "extern:COMMAND" */
                    SETTING_SWITCH,      /* bool: true; without a value */
                    SETTING_WORD,        /* int: the index among WORDS */
                    SETTING_BUDGET,      /* struct budget */
                    SETTING_UNTIL,       /* struct until */
                    SETTING_TIME_OR_OFF, /* double: seconds; 0 for "off" */
                    SETTING_AGE,         /* double: seconds */
                    SETTING_BYTES,       /* uint64_t */
                    SETTING_LIMIT,       /* the same, or 0 */
                    SETTING_WHOLE,       /* uint64_t */
                    SETTING_COUNT,       /* unsigned, at least 1 */
};
struct setting {
  const char *name; /* "AUTOTUNE_BUDGET", "--budget", "-o"; NULL ends a table */
  enum setting_kind kind;
  const char *values;       /* an example of a value, for help: "60s,200,5%", "FILE" */
  const char *help;         /* its effect, in one line; NULL: not shown in help */
  size_t at;                /* offset of the value in the structure that is filled */
  const char *initial;      /* the default, as a user would write it; NULL: zeros */
  const char *const *words; /* of SETTING_WORD; NULL at the end */
  size_t given; /* offset of a bool that is set when the value is given; 0: none */
  const char *variable; /* for a command line's SETTING_TEXT: the variable that this
                           option sets, whose values it takes */
};
/* Reads TEXT as a value of O into the structure at BASE. False: TEXT is not such a value,
 * and *WHY says what is (malloc'ed; NULL without memory). */
bool setting_read(const struct setting *o, const char *text, void *base, char **why);

/* ---- options.c: the variables ---------------------------------------------------- */

/* `autotune cc` proposes kernels, as with --auto; in the order of their words */
enum automatic_option { AUTO_OFF, AUTO_ON, AUTO_FAST_MATH, AUTO_EXACT };
enum reverify_option { REVERIFY_ON, REVERIFY_OFF }; /* in the order of their words */
/* Builds compile the code of CUDA kernels once with NVRTC; in the order of their words */
enum build_check_option { BUILD_CHECK_ON, BUILD_CHECK_OFF };
struct options {
  enum tuning_mode mode;
  bool mode_set;        /* AUTOTUNE_MODE is set and overrides the kernel's mode() */
  struct budget budget; /* 0: not set */
  struct until until;   /* 0: not set */
  double drift; /* seconds for which a tuned kernel must be slower before its finalists
                   are measured again; 0: off */
  double after; /* seconds that tunings of --auto go on when the program has ended */
  int reverify; /* enum reverify_option: winners are checked again in calls */
  const char *kernel;     /* only this kernel is tuned; NULL: all */
  const char *capture;    /* folder for captured calls; NULL: none are captured */
  uint64_t capture_limit; /* bytes of memory in one capture */
  const char *called;     /* file for the names of called kernels; NULL: none */
  const char *search;     /* NULL: not set */
  uint64_t seed;
  bool seeded; /* a seed was given: searches repeat their choices, however fast the
                  machine is */
  enum autotune_level log_level;
  const char *cache;      /* folder instead of $XDG_CACHE_HOME/autotune; "": no store */
  uint64_t most;          /* bytes of that folder; 0: no limit */
  int automatic;          /* enum automatic_option */
  int build_check;        /* enum build_check_option */
  const char *clang;      /* the program that reads kernels */
  const char *jit;        /* path of libautotune-jit.so */
  const char *openmp;     /* path of libomp */
  const char *nvrtc;      /* path of libnvrtc */
  const char *gpu_worker; /* path of autotune-gpu-worker */
  const char *emulator;   /* path of libautotune-emulate.so, in a helper */
  const char *wisdom;     /* files, separated by colons; NULL: none */
};
/* Returns the options, read from the environment once (thread-safe). Warns once of each
 * unknown AUTOTUNE_* name and bad value, with a suggestion, and uses the default for
 * it. */
const struct options *options_get(void);
/* Options as an environment has them, with the texts to which they point, and what is
 * wrong in it. */
enum { OPTIONS_WARNINGS = 16, OPTIONS_VARIABLES = 64 };
struct options_read {
  struct options options;
  char *warnings[OPTIONS_WARNINGS];
  unsigned n_warnings;
  char *texts[OPTIONS_VARIABLES]; /* of each variable: its last value */
};
/* Reads ENVIRONMENT ("NAME=VALUE", NULL at the end; NULL: an empty one) into OUT. The
 * caller frees it with options_free. */
void options_read(char *const *environment, struct options_read *out);
void options_free(struct options_read *r);
/* The table of variables. */
extern const struct setting setting_variables[];
/* True if TEXT is a value of the variable NAME. Otherwise *WHY is as in setting_read. */
bool setting_accepts(const char *name, const char *text, char **why);

#endif
