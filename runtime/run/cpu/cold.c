// SPDX-License-Identifier: Apache-2.0
// cold.c: memory whose pages cost the program a fault in its call: that nothing had
// touched when the kernel was called (trials run on copies, so their times have nothing
// of it), and that a tuner shares since its fork.
#include <sys/mman.h>
#include <unistd.h>

#include "cold.h"
#include "model/kernel.h"
#include "run/measure.h"

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

// ---- after a fork -------------------------------------------------------------------

// The pages of a program are shared with a tuner until one of the two writes. A write of
// the program copies one page in a fault of its own, and tells the processors that its
// other threads use: up to 60 us for each page on some virtual machines. In a process of
// one thread, all at once, it takes a tenth. The pages are the program's alone then,
// which it need not tell.
struct owning {
  size_t page, left; // left: of the most pages that are copied
  double end;        // when no more are copied
};

// Copies those of the pages from BEGIN to END that the process has.
static void cold_own(struct owning *o, uintptr_t begin, uintptr_t end) {
  unsigned char has[PAGES];
  for (uintptr_t at = begin; at < end && o->left > 0; at += PAGES * o->page) {
    size_t n = (end - at + o->page - 1) / o->page;
    n = n < PAGES ? n : PAGES;
    n = n < o->left ? n : o->left;
    // NOLINTBEGIN(performance-no-int-to-ptr): addresses are numbers here
    if (mincore((void *)at, n * o->page, has) != 0)
      o->left = 0;
    for (size_t i = 0, j; o->left > 0 && i < n; i = j + 1) {
      for (j = i; j < n && (has[j] & 1); j++)
        ;
      if (j > i &&
          (madvise((void *)(at + i * o->page), (j - i) * o->page, MADV_POPULATE_WRITE) !=
               0 ||
           sys_now() > o->end))
        o->left = 0; // Linux before 5.14, a mapping that cannot be written, or too slow
      o->left -= o->left > j - i ? j - i : o->left;
    }
    // NOLINTEND(performance-no-int-to-ptr)
  }
}

void cold_own_pages(const struct autotune_kernel *k, void *const *args) {
  const size_t most = 64 << 20; // bytes: a call may write little of what it may write
  const double patience = 0.05; // seconds
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct owning o = { page, most / page, sys_now() + patience };
  struct memories m;
  char message[256];
  if (!kernel_has_sections(k) || !memories_describe(&m, k, args, message, sizeof message))
    return;
  for (unsigned i = 0; i < k->n_sections; i++)
    for (unsigned j = 0; j < m.list[i].n && k->sections[i].access != AUTOTUNE_IN; j++) {
      const struct memory_piece *p = &m.list[i].pieces[j];
      if (p->bytes && !m.list[i].returned)
        cold_own(&o, (uintptr_t)p->base & ~(page - 1), (uintptr_t)p->base + p->bytes);
    }
  memories_free(&m);
}
