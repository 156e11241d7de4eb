// SPDX-License-Identifier: Apache-2.0
// channel.c: packets between our processes, with a descriptor or without (message.h).
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "base.h"

// Room for one descriptor, aligned as the header before it.
union control {
  struct cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(int))];
};

int message_pair(int fds[2]) {
  int pair[2];
  if (sys_fails(SYS_PIPE) ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return -1;
  for (int i = 0; i < 2; i++) {
    fds[i] = pair[i] > 2 ? pair[i] : fcntl(pair[i], F_DUPFD_CLOEXEC, 3);
    if (pair[i] <= 2)
      close(pair[i]);
  }
  if (fds[0] >= 0 && fds[1] >= 0)
    return 0;
  for (int i = 0; i < 2; i++)
    if (fds[i] >= 0)
      close(fds[i]);
  return -1;
}

bool message_send(int socket, const void *data, size_t size, int fd, int flags,
                  bool (*end)(void)) {
  union control control = { 0 };
  struct iovec part = { (void *)(uintptr_t)data, size };
  struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
  if (fd >= 0) {
    m.msg_control = control.bytes;
    m.msg_controllen = sizeof control.bytes;
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    *h = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof fd),
                           .cmsg_level = SOL_SOCKET,
                           .cmsg_type = SCM_RIGHTS };
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
  }
  ssize_t sent;
  while ((sent = sendmsg(socket, &m, MSG_NOSIGNAL | flags)) < 0 && errno == EINTR &&
         !(end && end()))
    ;
  return sent == (ssize_t)size;
}

ssize_t message_receive(int socket, void *data, size_t size, int flags, int *fd) {
  union control control;
  struct iovec part = { data, size };
  struct msghdr m = { .msg_iov = &part,
                      .msg_iovlen = 1,
                      .msg_control = control.bytes,
                      .msg_controllen = sizeof control.bytes };
  ssize_t n;
  int got = -1;
  while ((n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | MSG_TRUNC | flags)) < 0 &&
         errno == EINTR)
    ;
  struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&m) : NULL; // there is room for one
  if (h && h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS &&
      h->cmsg_len >= CMSG_LEN(sizeof got))
    memcpy(&got, CMSG_DATA(h), sizeof got);
  if (fd)
    *fd = got;
  else if (got >= 0)
    close(got);
  return n;
}

int message_file(const char *name, const void *data, size_t size) {
  int low = sys_fails(SYS_OPEN) ? -1 : memfd_create(name, MFD_CLOEXEC);
  int fd = low >= 0 && low <= 2 ? fcntl(low, F_DUPFD_CLOEXEC, 3) : low;
  if (fd != low)
    close(low);
  if (fd >= 0 && size > 0 && sys_write_all(fd, data, size) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}
