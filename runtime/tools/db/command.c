// SPDX-License-Identifier: Apache-2.0
// command.c: the command lines of `autotune db`.
#include "db.h"

#define CACHE SETTING_CACHE(struct db_options, folder)
#define OUTPUT                                                          \
  { "-o", SETTING_TEXT, "FILE", "by default standard output",           \
    .at = offsetof(struct db_options, output) },                        \
  {                                                                     \
    "--output", SETTING_TEXT, .at = offsetof(struct db_options, output) \
  }

static const struct setting db_cache[] = { CACHE, { .name = NULL } };
static const struct setting db_output[] = { OUTPUT, { .name = NULL } };
static const struct setting db_cache_output[] = { OUTPUT, CACHE, { .name = NULL } };
static const struct setting db_forget_options[] = {
  { "--key", SETTING_TEXT, "KEY", "of this key alone: n=512, or 512",
    .at = offsetof(struct db_options, key) },
  CACHE,
  { .name = NULL },
};
static const struct setting db_prune_options[] = {
  { "--older-than", SETTING_AGE, "90d", "only what is older",
    .at = offsetof(struct db_options, older_than) },
  { "--objects", SETTING_SWITCH, NULL, "all compiled winners, too",
    .at = offsetof(struct db_options, objects) },
  { "--stale", SETTING_SWITCH, NULL, "results of older texts and compilers, too",
    .at = offsetof(struct db_options, stale) },
  CACHE,
  { .name = NULL },
};

static const struct setting db_stats_options[] = {
  { "--json", SETTING_SWITCH, NULL, "as JSON, for programs",
    .at = offsetof(struct db_options, json) },
  CACHE,
  { .name = NULL },
};

#define COMMAND(name, arguments, about, table, least, most)                   \
  &(const struct command){ "db " #name, arguments, about,                     \
                           NULL,        table,     sizeof(struct db_options), \
                           NULL,        least,     most,                      \
                           REST_NONE,   NULL,      db_##name }

static const struct command *const db_commands[] = {
  COMMAND(list, "", "what is known to be best, for which key and machine", db_cache, 0,
          0),
  COMMAND(export, "[KERNEL...] [-o FILE]", "winners as wisdom, one JSON object a line",
          db_cache_output, 0, COMMAND_MANY),
  COMMAND(import, "FILE...",
          "add wisdom to the store; each winner is checked at its first call", db_cache,
          1, COMMAND_MANY),
  COMMAND(merge, "OURS THEIRS [BASE] -o OUT",
          "wisdom of two sides; also as git's merge driver", db_output, 2, 3),
  COMMAND(forget, "KERNEL [--key n=512]", "remove results, so that KERNEL is tuned anew",
          db_forget_options, 1, 1),
  COMMAND(prune, "[--older-than 90d] [--objects] [--stale]",
          "remove what is useless; --objects: all compiled winners too", db_prune_options,
          0, 0),
  COMMAND(verify, "[FILE...]", "check the store, or files of wisdom, for damage",
          db_cache, 0, COMMAND_MANY),
  COMMAND(diff, "A B", "folders of results or files of wisdom, side by side", NULL, 2, 2),
  COMMAND(stats, "[--json]", "how large the folder is, and what is in it",
          db_stats_options, 0, 0),
  NULL,
};

const struct command command_db = {
  "db",
  "COMMAND … [--cache DIR]",
  "manage stored results; wisdom to commit or ship",
  .notes = "Results are in DIR, else $AUTOTUNE_CACHE, $XDG_CACHE_HOME/autotune, "
           "~/.cache/autotune.\n"
           "Exit status: 0; 1: nothing found, something is damaged, or they differ; 2: "
           "it failed.\n",
  .commands = db_commands,
};
