/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor.h: descriptors of autotune's that stay open in the program.
 *
 * A program may close all descriptors, as daemons do, and open its own under the same
 * numbers. So those of autotune have high numbers, and each is compared with what it was
 * before it is used or closed. */
#ifndef AUTOTUNE_DESCRIPTOR_H
#define AUTOTUNE_DESCRIPTOR_H

#include <stdatomic.h>
#include <sys/types.h>

struct descriptor {
  atomic_int fd; /* -1: none; a fork of the program reads it at any time */
  dev_t device;  /* these identify the file; before Linux 6.9 all pidfds are one file */
  ino_t inode;
};
#define DESCRIPTOR_NONE { .fd = -1 }

/* Moves FD to a number from 1000 on, or to the highest that RLIMIT_NOFILE allows, and
 * sets close-on-exec. Returns its new number; FD if there is none, or if FD is -1. */
int descriptor_raise(int fd);
/* Remembers FD, which may be -1, in D. */
void descriptor_keep(struct descriptor *d, int fd);
/* Returns the descriptor; -1: there is none, or the program has closed it. This function
 * and descriptor_close are async-signal-safe. */
int descriptor_get(const struct descriptor *d);
/* Returns the same; D forgets it, and the caller closes it. */
int descriptor_take(struct descriptor *d);
/* Closes the descriptor, unless the program did. */
void descriptor_close(struct descriptor *d);

#endif
