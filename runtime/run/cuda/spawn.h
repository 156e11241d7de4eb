/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.h: the helper process of a tuning, as the tuner sees it (spawn.c): where its
 * program is, how it begins and ends. What they say to each other is in helper.h. */
#ifndef AUTOTUNE_GPU_SPAWN_H
#define AUTOTUNE_GPU_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/channel.h"

struct helper {
  char *program;          /* path of autotune-gpu-worker, malloc'ed */
  pid_t pid;              /* 0: there is none */
  struct channel channel; /* to it */
};
/* Sets the path. False and *MESSAGE (malloc'ed): it is not there. */
bool helper_find(struct helper *h, char **message);
/* Starts the helper. False and WHY (of SIZE) on failure. */
bool helper_spawn(struct helper *h, char *why, size_t size);
/* Kills the helper, if there is one. False: it does not end, and is not waited for. */
bool helper_end(struct helper *h);
/* Writes into TEXT (of SIZE) how a helper ended that was not asked to end. */
void helper_status(struct helper *h, char *text, size_t size);

#endif
