/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h: the commands of the program autotune, for the table in main.c, and the
 * pages that `autotune help` shows. */
#ifndef AUTOTUNE_COMMANDS_H
#define AUTOTUNE_COMMANDS_H

#include "tools/common/command.h"

extern const struct command command_cc, command_auto, command_translate, command_check,
    command_suggest, command_tune, command_report, command_why, command_export,
    command_bake, command_db, command_doctor;

/* ---- command/help.c: the pages of docs/ ------------------------------------------ */

/* False: there is no such topic. */
bool help_show(const char *topic);
void help_topics(FILE *out);
/* Prints `autotune help variables`: the environment variables. */
void help_variables(FILE *out);
/* Returns the topic whose name is nearest to WORD, or NULL. */
const char *help_nearest(const char *word);

#endif
