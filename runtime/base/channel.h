/* SPDX-License-Identifier: Apache-2.0 */
/* channel.h: what our processes say to each other: packets, a descriptor with some of
 * them, and memory files.
 *
 * Sockets are SOCK_SEQPACKET, so that a packet arrives whole or not at all. Nothing here
 * raises SIGPIPE. */
#ifndef AUTOTUNE_MESSAGE_H
#define AUTOTUNE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A pair of connected sockets, none of them 0, 1 or 2. 0 or -1. */
int message_pair(int fds[2]);
/* Sends SIZE bytes, and with them FD unless it is -1. FLAGS: MSG_DONTWAIT or 0. A signal
 * that interrupts it counts only where END (NULL: never) says then that nobody wants it
 * any more. False: nothing went, errno. */
bool message_send(int socket, const void *data, size_t size, int fd, int flags,
                  bool (*end)(void));
/* The bytes of a packet, of which no more than SIZE are taken; 0: the other end is
 * closed; -1 and errno. *FD: the descriptor that came with it, or -1; where FD is NULL,
 * one that came is closed. */
ssize_t message_receive(int socket, void *data, size_t size, int flags, int *fd);
/* A memory file above 2 with SIZE bytes of DATA, for a packet. -1: there is none to be
 * had. */
int message_file(const char *name, const void *data, size_t size);

#endif
