/* SPDX-License-Identifier: Apache-2.0 */
/* channel.h: messages between autotune's processes. All sending, receiving and waiting
 * for them is done here.
 *
 * A message has a kind, a serial number that its answer repeats, data, and at most one
 * descriptor. Sockets are SOCK_SEQPACKET, so that a message arrives whole or not at all.
 * No function here raises SIGPIPE. The kinds of each pair of processes are in one header:
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

/* The parts of one kind of message. */
struct message_kind {
  size_t size;     /* bytes of data; MESSAGE_ANY: up to the receiver's room */
  bool descriptor; /* a descriptor may come with it; otherwise the receiver closes any
                      that comes */
};
#define MESSAGE_ANY SIZE_MAX
/* All kinds of messages between two processes, in both directions. */
struct protocol {
  unsigned n;
  const struct message_kind *kinds;
};

struct message {
  unsigned kind;
  uint64_t serial;  /* an answer repeats the question's; 0: not an answer */
  const void *data; /* SIZE bytes; of a received message: the receiver's buffer */
  size_t size;
  int fd; /* the descriptor to send (the caller keeps it) or the one received (the caller
             owns it), above 2; -1: none was received */
};

/* One end of a connection. */
struct channel {
  int socket; /* -1: not open */
  int watch;  /* waiting also ends when this descriptor is readable; -1: none */
  const struct protocol *protocol;
  bool (*stop)(void); /* waiting ends when this returns true; NULL: never */
};

enum channel_result {
  CHANNEL_MESSAGE, /* a message was received, or can be */
  CHANNEL_SILENT,  /* no message came in time */
  CHANNEL_WATCHED, /* there is no message, and the watched descriptor is readable */
  CHANNEL_CLOSED,  /* the other end is closed, or broke the protocol */
  CHANNEL_STOPPED  /* `stop` returned true */
};

/* Creates a pair of connected sockets above 2, closed on exec. Returns 0, or -1 and
 * errno. */
int channel_pair(int fds[2]);
/* Creates a memory file with SIZE bytes of DATA, to be sent. Returns its descriptor,
 * above 2, which the caller closes; or -1 and errno. */
int channel_file(const char *name, const void *data, size_t size);
/* Maps SIZE bytes of the file FD for reading; the caller calls munmap. NULL: the file is
 * shorter, or cannot be mapped. FD stays open. */
void *channel_map(int fd, size_t size);

/* Sends M. WAIT: waits until there is room; an interrupting signal ends this only if
 * `stop` then returns true. False and errno: nothing was sent. */
bool channel_send(const struct channel *c, const struct message *m, bool wait);
/* Receives a message into M and BUFFER, which has room for ROOM bytes. Waits at most
 * SECONDS (0: does not wait; negative: without a limit). */
enum channel_result channel_receive(const struct channel *c, struct message *m,
                                    void *buffer, size_t room, double seconds);
/* Sends QUESTION and receives its answer: the next message with the same serial. Drops
 * other messages. */
enum channel_result channel_ask(const struct channel *c, const struct message *question,
                                struct message *answer, void *buffer, size_t room,
                                double seconds);
/* Waits at most SECONDS. True if a message can be received. */
bool channel_ready(const struct channel *c, double seconds);
/* Drops all messages that have arrived. */
void channel_drain(const struct channel *c);
/* True if the other end is closed. Async-signal-safe. */
bool channel_is_closed(const struct channel *c);

#endif
