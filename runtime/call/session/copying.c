// SPDX-License-Identifier: Apache-2.0
// copying.c: how long a fork of the program takes. The kernel copies the page tables of
// all private memory meanwhile: some 10 to 25 ns for each page that is in use.
//
// The first fork is estimated from the number of pages, later ones from the last two: the
// faster counts, because a busy machine only makes a fork slower.
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session.h"

// Seconds. Where a copy of a page cannot be measured, it counts as UNMEASURED.
static const double at_least = 150e-6, a_page = 20e-9, most_page = 120e-6,
                    unmeasured = 5e-6;
static struct {
  _Atomic double seconds, pages; // of the better one of the last two forks; 0: none yet
  _Atomic double took, last;     // seconds of the last fork, and for each page
} copying;

double session_pages(void) {
  char text[128], *at = text;
  long field[3] = { 0 };
  int fd = sys_open("/proc/self/statm", O_RDONLY, 0);
  ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  for (int i = 0; i < 3; i++) // size, resident, shared
    field[i] = strtol(at, &at, 10);
  return field[1] > field[2] ? (double)(field[1] - field[2]) : 0;
}

// The pages of a private mapping of a file are copied in the same way as those of a
// forked process, which takes longer where other threads run: on some virtual machines 20
// us to tell the other processors, where the copy itself takes one.
double session_page_seconds(void) {
  enum { PAGES = 32 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
  int fd = memfd_create("autotune-pages", MFD_CLOEXEC);
  char *memory = fd >= 0 && ftruncate(fd, (off_t)size) == 0
      ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0)
      : MAP_FAILED;
  if (fd >= 0)
    close(fd);
  if (memory == MAP_FAILED)
    return unmeasured;
  for (size_t i = 0; i < size; i += page)
    (void)*(volatile char *)(memory + i);
  double begun = sys_now();
  for (size_t i = 0; i < size; i += page)
    *(volatile char *)(memory + i) = 1;
  double seconds = (sys_now() - begun) / PAGES;
  munmap(memory, size);
  return fmin(seconds, most_page);
}

double session_fork_expected(double pages, double seconds, double last_pages) {
  double estimate = at_least + pages * a_page;
  if (last_pages <= 0)
    return estimate;
  return seconds * (pages > last_pages ? pages / last_pages : 1);
}

double session_fork_seconds(void) {
  return session_fork_expected(session_pages(), atomic_load(&copying.seconds),
                               atomic_load(&copying.pages));
}

double session_fork_took(void) {
  return atomic_load(&copying.took);
}

void session_forked(double seconds) {
  double pages = session_pages(), before = atomic_load(&copying.last);
  atomic_store(&copying.took, seconds);
  if (pages <= 0)
    return;
  atomic_store(&copying.last, seconds / pages);
  double better = before > 0 && before < seconds / pages ? before * pages : seconds;
  double first = session_fork_expected(pages, 0, 0);
  // The first one may have waited for a processor.
  atomic_store(&copying.seconds, before > 0 || better < first ? better : first);
  atomic_store(&copying.pages, pages);
}
