/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.h: the helper process of a tuning, as the tuner sees it (spawn.c): where its
 * program is, how it begins and ends, packets. What they say is helper.h's matter. */
#ifndef AUTOTUNE_GPU_SPAWN_H
#define AUTOTUNE_GPU_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct helper {
  char *program; /* path of autotune-gpu-worker, malloc'ed */
  pid_t pid;     /* 0: there is none */
  int socket;    /* to it, or -1 */
};
/* Sets the path. False and *MESSAGE (malloc'ed): it is not there. */
bool helper_find(struct helper *h, char **message);
/* False and WHY (of SIZE): there is none. */
bool helper_spawn(struct helper *h, char *why, size_t size);
/* Kills it, if there is one. False: it does not end, and is left behind. */
bool helper_end(struct helper *h);
/* It ended without being asked: says how in TEXT. */
void helper_status(struct helper *h, char *text, size_t size);

bool helper_send(const struct helper *h, const void *data, size_t size, int fd);
/* STOPPED: the tuner is to end. */
enum helper_wait { HELPER_ANSWERED, HELPER_DIED, HELPER_SILENT, HELPER_STOPPED };
enum helper_wait helper_receive(const struct helper *h, void *data, size_t size,
                                double seconds);

#endif
