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

static const double at_least = 150e-6, a_page = 20e-9, most_page = 20e-6,
                    most_protect = 100e-6; // seconds
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

// Returns how long it takes to make a page read-only. If other threads of the program run
// on other processors, these are interrupted, as they are when a page is copied: 20 us on
// some virtual machines, where the copy itself takes one.
static double session_protect_seconds(char *memory, size_t page) {
  enum { TIMES = 16 };
  double seconds = 0;
  for (int i = 0; i < TIMES; i++) {
    *(volatile char *)memory = 1;
    double begun = sys_now();
    int failed = mprotect(memory, page, PROT_READ);
    seconds += sys_now() - begun;
    if (failed || mprotect(memory, page, PROT_READ | PROT_WRITE))
      return 0;
  }
  return seconds / TIMES;
}

// A new page is cleared; one that is copied costs a few times as much.
double session_page_seconds(void) {
  enum { PAGES = 64, TIMES = 4 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = sys_mmap(PAGES * page, false);
  if (!memory)
    return at_least / PAGES;
  double begun = sys_now();
  for (size_t i = 0; i < PAGES; i++)
    *(volatile char *)(memory + i * page) = 1;
  double seconds = TIMES * (sys_now() - begun) / PAGES;
  double protect = session_protect_seconds(memory, page);
  munmap(memory, PAGES * page);
  return fmin(seconds, most_page) + fmin(protect, most_protect);
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
