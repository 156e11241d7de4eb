// SPDX-License-Identifier: Apache-2.0
// channel.c: messages between autotune's processes (channel.h).
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base.h"
#include "channel.h"
#include "descriptor.h"

// Seconds between two checks of `stop`, and the longest duration of one poll.
static const double look_every = 0.25, longest_poll = 3600;

// The header before a message's data.
struct header {
  uint32_t kind, size;
  uint64_t serial;
};

// Room for one descriptor, aligned like the cmsghdr before it.
union control {
  struct cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(int))];
};

// ---- descriptors --------------------------------------------------------------------

int channel_pair(int fds[2]) {
  int pair[2];
  if (sys_fails(SYS_PIPE) ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return -1;
  fds[0] = descriptor_raise(pair[0]);
  fds[1] = descriptor_raise(pair[1]);
  if (fds[0] >= 0 && fds[1] >= 0)
    return 0;
  for (int i = 0; i < 2; i++)
    if (fds[i] >= 0)
      close(fds[i]);
  return -1;
}

int channel_file(const char *name, const void *data, size_t size) {
  int fd = sys_fails(SYS_OPEN) ? -1 : descriptor_raise(memfd_create(name, MFD_CLOEXEC));
  if (fd >= 0 && size > 0 && sys_write_all(fd, data, size) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

void *channel_map(int fd, size_t size) {
  void *p = MAP_FAILED;
  if (fd >= 0 && size > 0 && lseek(fd, 0, SEEK_END) >= (off_t)size)
    p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  return p == MAP_FAILED ? NULL : p;
}

// ---- sending ------------------------------------------------------------------------

bool channel_send(const struct channel *c, const struct message *m, bool wait) {
  struct header header = { m->kind, (uint32_t)m->size, m->serial };
  union control control = { 0 };
  struct iovec parts[] = { { &header, sizeof header },
                           { (void *)(uintptr_t)m->data, m->size } };
  struct msghdr packet = { .msg_iov = parts, .msg_iovlen = 2 };
  if (m->fd > 2) {
    packet.msg_control = control.bytes;
    packet.msg_controllen = sizeof control.bytes;
    struct cmsghdr *h = CMSG_FIRSTHDR(&packet);
    *h = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof m->fd),
                           .cmsg_level = SOL_SOCKET,
                           .cmsg_type = SCM_RIGHTS };
    memcpy(CMSG_DATA(h), &m->fd, sizeof m->fd);
  }
  ssize_t sent;
  int flags = MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT);
  while ((sent = sendmsg(c->socket, &packet, flags)) < 0 && errno == EINTR &&
         !(c->stop && c->stop()))
    ;
  return sent == (ssize_t)(sizeof header + m->size);
}

// ---- receiving ----------------------------------------------------------------------

static double channel_now(void) { // the real clock, also in tests
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Returns the descriptor that came with PACKET, above 2; or -1.
static int channel_descriptor(struct msghdr *packet) {
  int fd = -1;
  struct cmsghdr *h = CMSG_FIRSTHDR(packet); // there is room for one descriptor
  if (h && h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS &&
      h->cmsg_len >= CMSG_LEN(sizeof fd))
    memcpy(&fd, CMSG_DATA(h), sizeof fd);
  return descriptor_raise(fd);
}

// True if H announces a message of the protocol, and the N bytes that came are all of it.
static bool channel_accepts(const struct channel *c, const struct header *h, size_t n,
                            size_t room) {
  if (n < sizeof *h || n - sizeof *h != h->size || h->size > room ||
      h->kind >= c->protocol->n)
    return false;
  size_t size = c->protocol->kinds[h->kind].size;
  return size == MESSAGE_ANY || size == h->size;
}

// CHANNEL_SILENT: there is no message (with MSG_DONTWAIT), or a signal came.
static enum channel_result channel_take(const struct channel *c, struct message *m,
                                        void *buffer, size_t room, int flags) {
  struct header header = { 0 };
  union control control;
  struct iovec parts[] = { { &header, sizeof header }, { buffer, room } };
  struct msghdr packet = { .msg_iov = parts,
                           .msg_iovlen = 2,
                           .msg_control = control.bytes,
                           .msg_controllen = CMSG_LEN(sizeof(int)) };
  ssize_t n = recvmsg(c->socket, &packet, MSG_CMSG_CLOEXEC | MSG_TRUNC | flags);
  if (n < 0)
    return errno == EAGAIN || errno == EINTR ? CHANNEL_SILENT : CHANNEL_CLOSED;
  int fd = n > 0 ? channel_descriptor(&packet) : -1;
  bool accepted = channel_accepts(c, &header, (size_t)n, room);
  if (fd >= 0 && !(accepted && c->protocol->kinds[header.kind].descriptor)) {
    close(fd);
    fd = -1;
  }
  *m = (struct message){ .kind = header.kind,
                         .serial = header.serial,
                         .data = buffer,
                         .size = header.size,
                         .fd = fd };
  return accepted ? CHANNEL_MESSAGE : CHANNEL_CLOSED;
}

// Waits at most SECONDS. CHANNEL_MESSAGE: the socket may be readable, or a signal came.
static enum channel_result channel_poll(const struct channel *c, double seconds) {
  struct pollfd p[] = { { c->socket, POLLIN, 0 }, { c->watch, POLLIN, 0 } };
  double wait = seconds < longest_poll ? seconds : longest_poll;
  if (c->stop && wait > look_every)
    wait = look_every;
  int n = poll(p, 2, wait > 0 ? (int)(wait * 1000) + 1 : 0);
  if (n < 0)
    return errno == EINTR ? CHANNEL_MESSAGE : CHANNEL_CLOSED;
  return n == 0 ? CHANNEL_SILENT : p[0].revents ? CHANNEL_MESSAGE : CHANNEL_WATCHED;
}

enum channel_result channel_receive(const struct channel *c, struct message *m,
                                    void *buffer, size_t room, double seconds) {
  bool endless = seconds < 0, blocks = endless && !c->stop && c->watch < 0;
  double end = endless ? 0 : channel_now() + seconds;
  enum channel_result seen = CHANNEL_MESSAGE;
  for (;;) {
    enum channel_result e = channel_take(c, m, buffer, room, blocks ? 0 : MSG_DONTWAIT);
    if (e != CHANNEL_SILENT)
      return e;
    if (seen == CHANNEL_WATCHED || seen == CHANNEL_CLOSED)
      return seen;
    if (blocks)
      continue;
    double left = endless ? longest_poll : end - channel_now();
    if (left > 0 && c->stop && c->stop())
      return CHANNEL_STOPPED;
    seen = channel_poll(c, left);
    if (seen == CHANNEL_SILENT && left <= 0)
      return CHANNEL_SILENT;
  }
}

enum channel_result channel_ask(const struct channel *c, const struct message *question,
                                struct message *answer, void *buffer, size_t room,
                                double seconds) {
  double end = channel_now() + seconds;
  if (!channel_send(c, question, true))
    return errno == EINTR ? CHANNEL_STOPPED : CHANNEL_CLOSED;
  for (;;) {
    double left = end - channel_now();
    enum channel_result e = channel_receive(c, answer, buffer, room, left > 0 ? left : 0);
    if (e != CHANNEL_MESSAGE || answer->serial == question->serial)
      return e;
    if (answer->fd >= 0)
      close(answer->fd);
  }
}

bool channel_ready(const struct channel *c, double seconds) {
  struct pollfd p = { c->socket, POLLIN, 0 };
  return poll(&p, 1, (int)(seconds * 1000)) != 0;
}

void channel_drain(const struct channel *c) {
  char byte;
  while (recv(c->socket, &byte, 1, MSG_DONTWAIT | MSG_TRUNC) > 0)
    ; // the kernel closes descriptors that came along
}

bool channel_is_closed(const struct channel *c) {
  struct pollfd p = { c->socket, 0, 0 };
  int error = errno;
  bool closed = poll(&p, 1, 0) > 0;
  errno = error;
  return closed;
}
