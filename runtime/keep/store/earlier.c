// SPDX-License-Identifier: Apache-2.0
// earlier.c: which kernels were hot in earlier runs. So a kernel that a program calls
// once is tuned in the second run, and its winner found in the third, before that call.
//
// A program asks at the first call of each kernel that is tuned when hot. Opening the
// database would take a millisecond, longer than many programs should wait for nothing.
// So this is a file of its own, with one slot for each hash of a kernel and program:
// four system calls. When two kernels meet in a slot, the one that was noted last stays.
//
// The slot also counts the kernel's tunings that ended before they had tried a variant.
// When two processes write at the same moment, what one of them notes is lost.
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

static off_t earlier_place(uint64_t hash) {
  return (off_t)(hash % SLOTS * sizeof(struct slot));
}

// Reads the slot of HASH. False: it is not in FD, and S is empty.
static bool earlier_read(int fd, uint64_t hash, struct slot *s) {
  if (fd >= 0 && pread(fd, s, sizeof *s, earlier_place(hash)) == sizeof *s &&
      s->kernel == hash && s->sum == slot_sum(s))
    return true;
  memset(s, 0, sizeof *s); // padding is summed up, too
  s->kernel = hash;
  return false;
}

bool earlier_find(const struct autotune_kernel *k, struct earlier *out) {
  struct slot s;
  char *message = NULL, *folder = folder_default(&message);
  int fd = folder_file(folder, "hot", O_RDONLY);
  bool known = earlier_read(fd, earlier_hash(k), &s);
  if (known)
    *out = s.run;
  if (fd >= 0)
    close(fd);
  free(folder);
  free(message);
  return known && s.run.elapsed > 0;
}

// Writes RUN, without its `vain`, and VAIN to K's slot. If one of them is NULL, that part
// of the slot does not change. MAKES: the file is made if there is none.
static void earlier_write(const struct autotune_kernel *k, const struct earlier *run,
                          const struct vain *vain, bool makes) {
  uint64_t hash = earlier_hash(k);
  struct slot s;
  char *message = NULL;
  int fd = folder_file(folder_again(&message), "hot", makes ? O_RDWR | O_CREAT : O_RDWR);
  earlier_read(fd, hash, &s);
  const struct vain before = s.run.vain;
  if (run)
    s.run = *run;
  s.run.vain = vain ? *vain : before;
  s.sum = slot_sum(&s);
  if (fd >= 0 && !sys_fails(SYS_WRITE))
    (void)!pwrite(fd, &s, sizeof s, earlier_place(hash));
  if (fd >= 0)
    close(fd);
  free(message);
}

void earlier_note(const struct autotune_kernel *k, const struct earlier *run) {
  static const struct earlier none;
  earlier_write(k, run ? run : &none, NULL, run != NULL);
}

void earlier_begun(const struct autotune_kernel *k, const struct vain *vain) {
  earlier_write(k, NULL, vain, true);
}

void earlier_further(const struct autotune_kernel *k) {
  struct earlier known = { .vain = { .n = 0 } };
  earlier_find(k, &known);
  if (known.vain.n == 0)
    return;
  known.vain.n = 0;
  earlier_write(k, NULL, &known.vain, false);
}
