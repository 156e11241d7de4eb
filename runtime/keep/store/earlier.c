// SPDX-License-Identifier: Apache-2.0
// earlier.c: which kernels were hot in earlier runs. So a kernel that a program calls
// once is tuned in the second run, and its winner found in the third, before that call.
//
// A program asks at the first call of each kernel that is tuned when hot. Opening the
// database would take a millisecond, longer than many programs should wait for nothing.
// So this is a file of its own, with one slot for each hash of a kernel and program:
// four system calls. When two kernels meet in a slot, the one that was noted last stays.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "tables.h"

enum { SLOTS = 4096 };
struct slot {
  uint64_t kernel;
  struct earlier run;
  uint64_t sum; // of all before
};

static uint64_t slot_sum(const struct slot *s) {
  return XXH3_64bits(s, offsetof(struct slot, sum));
}

// By program, name and file: many programs have a main.c, and a library's kernel that is
// hot in one program need not be in another. Not by its text, which takes longer: a
// kernel that has changed since may be as hot as it was.
static uint64_t earlier_hash(const struct autotune_kernel *k) {
  uint64_t file = XXH3_64bits_withSeed(k->file, strlen(k->file), ledger_program());
  return XXH3_64bits_withSeed(k->name, strlen(k->name), file);
}

bool earlier_find(const struct autotune_kernel *k, struct earlier *out) {
  uint64_t hash = earlier_hash(k);
  struct slot s;
  char *message = NULL, *folder = folder_default(&message);
  int fd = folder_file(folder, "hot", O_RDONLY);
  bool found = fd >= 0 &&
      pread(fd, &s, sizeof s, (off_t)(hash % SLOTS * sizeof s)) == sizeof s &&
      s.kernel == hash && s.sum == slot_sum(&s) && s.run.elapsed > 0;
  if (found)
    *out = s.run;
  if (fd >= 0)
    close(fd);
  free(folder);
  free(message);
  return found;
}

void earlier_note(const struct autotune_kernel *k, const struct earlier *run) {
  uint64_t hash = earlier_hash(k);
  struct slot s;
  memset(&s, 0, sizeof s); // padding is summed up, too
  s.kernel = hash;
  if (run)
    s.run = *run;
  s.sum = slot_sum(&s);
  char *message = NULL;
  int fd = folder_file(folder_again(&message), "hot", run ? O_RDWR | O_CREAT : O_RDWR);
  if (fd >= 0 && !sys_fails(SYS_WRITE))
    (void)!pwrite(fd, &s, sizeof s, (off_t)(hash % SLOTS * sizeof s));
  if (fd >= 0)
    close(fd);
  free(message);
}
