// SPDX-License-Identifier: Apache-2.0
// counts.c: how often programs found in the store what they asked for.
//
// A file of the store holds all numbers. A process locks it for a moment to add to one.
// It does not wait: what cannot be added at once is not counted.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "tables.h"

struct counts_file {
  struct counts counts;
  uint64_t sum; // of all before
};

static uint64_t counts_sum(const struct counts_file *f) {
  return XXH3_64bits(f, offsetof(struct counts_file, sum));
}

// Reads F. False: nothing was counted, or it is damaged; all is 0.
static bool counts_take(int fd, struct counts_file *f) {
  bool good = pread(fd, f, sizeof *f, 0) == sizeof *f && f->sum == counts_sum(f);
  if (!good)
    *f = (struct counts_file){ 0 };
  return good;
}

bool counts_read(const char *folder, struct counts *out) {
  struct counts_file f = { 0 };
  int fd = folder_file(folder, "counts", O_RDONLY);
  bool good = fd >= 0 && counts_take(fd, &f);
  if (fd >= 0)
    close(fd);
  *out = f.counts;
  return good;
}

void counts_add(enum lookup what) {
  struct counts_file f;
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  char *message = NULL;
  int fd = folder_file(folder_again(&message), "counts", O_RDWR | O_CREAT);
  free(message);
  if (fd < 0)
    return;
  if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
    if (!counts_take(fd, &f))
      f.counts.since = sys_unix();
    f.counts.n[what]++;
    f.sum = counts_sum(&f);
    if (!sys_fails(SYS_WRITE))
      (void)!pwrite(fd, &f, sizeof f, 0);
  }
  close(fd);
}
