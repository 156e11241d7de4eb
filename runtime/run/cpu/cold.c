// SPDX-License-Identifier: Apache-2.0
// cold.c: memory that nothing had touched when the kernel was called. The call touches it
// first, which costs a page fault for each page. Trials run on copies, so their times
// have nothing of it.
#include <sys/mman.h>
#include <unistd.h>

#include "run/measure.h"
#include "sandbox.h"

enum { PAGES = 1024 };        // of one question, and of a long measurement
enum { SERIES = 5, FEW = 8 }; // of a short one
static const size_t least = 64;

// Returns how many pages from BEGIN to END the process does not have.
static size_t cold_pages(uintptr_t begin, uintptr_t end, size_t page) {
  unsigned char has[PAGES];
  size_t cold = 0;
  for (uintptr_t at = begin; at < end; at += PAGES * page) {
    size_t n = (end - at + page - 1) / page;
    n = n < PAGES ? n : PAGES;
    if (mincore((void *)at, n * page, has) != 0) // NOLINT: addresses are numbers here
      return cold;
    for (size_t i = 0; i < n; i++)
      cold += !(has[i] & 1);
  }
  return cold;
}

// Returns the seconds of a page fault here and now, the mean of N; 0: not known.
static double cold_measure(size_t n) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  volatile char *memory = sys_mmap(n * page, false);
  if (!memory)
    return 0;
  double start = measure_clock();
  for (size_t i = 0; i < n; i++)
    memory[i * page] = 1;
  double seconds = measure_clock() - start;
  munmap((void *)memory, n * page);
  return seconds / (double)n;
}

double cold_fault(void) {
  const double usual = 0.25e-6;
  double seconds = 0; // of the fastest series: others may have run in the midst of one
  for (unsigned i = 0; i < SERIES; i++) {
    double mean = cold_measure(FEW);
    seconds = mean > 0 && (seconds <= 0 || mean < seconds) ? mean : seconds;
  }
  return seconds > usual ? seconds : usual;
}

double cold_seconds(const struct memories *m) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), cold = 0;
  for (unsigned i = 0; i < m->kernel->n_sections; i++)
    for (unsigned j = 0; j < m->list[i].n; j++) {
      const struct memory_piece *p = &m->list[i].pieces[j];
      uintptr_t begin = (uintptr_t)p->base & ~(page - 1);
      if (p->bytes && !m->list[i].returned)
        cold += cold_pages(begin, (uintptr_t)p->base + p->bytes, page);
    }
  return cold < least ? 0 : (double)cold * cold_measure(PAGES);
}
