/* SPDX-License-Identifier: Apache-2.0 */
/* channel.h: messages between our processes. Nothing else sends, receives or waits for
 * them.
 *
 * A message has a kind, a serial that its answer repeats, data, and at most one
 * descriptor. Sockets are SOCK_SEQPACKET, so that a message arrives whole or not at all.
 * Nothing here raises SIGPIPE. The kinds of each pair of processes are in one header:
 *
 *   program ── tuner                  call/session/packet.h
 *   tuner ── zygote, tuner ── worker  run/cpu/sandbox.h
 *   tuner ── autotune-gpu-worker      run/cuda/helper.h
 *   tuner ── program, for its device  run/cuda/serve.h, inside packets of the session */
#ifndef AUTOTUNE_CHANNEL_H
#define AUTOTUNE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one kind of message consists of. */
struct message_kind {
  size_t size;     /* of its data; MESSAGE_ANY: as much as the receiver has room for */
  bool descriptor; /* one may come with it; else one that comes is closed */
};
#define MESSAGE_ANY SIZE_MAX
/* All kinds of messages between two processes, in both directions. */
struct protocol {
  unsigned n;
  const struct message_kind *kinds;
};

struct message {
  unsigned kind;
  uint64_t serial; /* an answer has its question's; 0 where nobody asked */
  const void
      *data; /* SIZE bytes; of a message that was received, the receiver's buffer */
  size_t size;
  int fd; /* above 2: the descriptor to send, which stays the caller's, or the one that
             was received, which is the caller's; -1: none was received */
};

/* One end of a connection. */
struct channel {
  int socket; /* -1: not open */
  int watch;  /* another descriptor that ends waiting once it is readable; -1: none */
  const struct protocol *protocol;
  bool (*stop)(void); /* true: give up waiting; NULL: never */
};

enum channel_result {
  CHANNEL_MESSAGE, /* there is one */
  CHANNEL_SILENT,  /* none came in time */
  CHANNEL_WATCHED, /* none is there, and the watched descriptor is readable */
  CHANNEL_CLOSED,  /* the other end is closed, or what came is no message of the protocol
                    */
  CHANNEL_STOPPED  /* `stop` was true */
};

/* A pair of connected sockets above 2, closed on exec. 0; or -1 and errno. */
int channel_pair(int fds[2]);
/* A memory file above 2 with SIZE bytes of DATA, to be sent. -1 and errno on failure. */
int channel_file(const char *name, const void *data, size_t size);
/* SIZE bytes of the file FD, mapped for reading, until munmap. NULL: the file is shorter,
 * or cannot be mapped. FD stays open. */
void *channel_map(int fd, size_t size);

/* Sends M. WAIT: until there is room; a signal that interrupts it ends it only if `stop`
 * is true then. False and errno: nothing was sent. */
bool channel_send(const struct channel *c, const struct message *m, bool wait);
/* Receives into M and BUFFER, which has room for ROOM bytes, and waits at most SECONDS
 * for it (0: not at all; negative: without end). */
enum channel_result channel_receive(const struct channel *c, struct message *m,
                                    void *buffer, size_t room, double seconds);
/* Sends QUESTION and receives the answer, the next message with its serial; others are
 * dropped. */
enum channel_result channel_ask(const struct channel *c, const struct message *question,
                                struct message *answer, void *buffer, size_t room,
                                double seconds);
/* True once there is something to receive, within SECONDS. */
bool channel_ready(const struct channel *c, double seconds);
/* Drops all messages that are there. */
void channel_drain(const struct channel *c);
/* True if the other end is closed. Async-signal-safe. */
bool channel_is_closed(const struct channel *c);

#endif
