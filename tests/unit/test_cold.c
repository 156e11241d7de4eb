// SPDX-License-Identifier: Apache-2.0
// test_cold.c: pages that a call finds shared with a tuner, or that it touches first.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/kernel.h"
#include "run/cpu/cold.h"

enum { PAGES = 600, TOUCHED = 400 }; // of each section

static void describe(void *const *args, struct autotune_call *call) {
  size_t bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE);
  call->spans[0] = (struct autotune_span){ *(char **)args[0], bytes };
  call->spans[1] = (struct autotune_span){ *(char **)args[1], bytes };
}
static const struct autotune_section sections[] = {
  { "x[0:n]", AUTOTUNE_IN, AUTOTUNE_BYTES, 1 },
  { "y[0:n]", AUTOTUNE_INOUT, AUTOTUNE_BYTES, 1 },
};
static const struct autotune_kernel kernel = {
  .abi = AUTOTUNE_ABI,
  .name = "k",
  .describe = describe,
  .n_sections = 2,
  .sections = sections,
  .size = sizeof kernel,
};

static char *x, *y;
static void *args[] = { &x, &y };

// The first TOUCHED pages are touched, the others are not.
static char *partly_touched(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(memory != MAP_FAILED);
  for (size_t i = 0; i < TOUCHED; i++)
    memory[i * page] = (char)i;
  return memory;
}

// Writes one byte in each page of MEMORY that was touched. Returns the page faults.
static long faults_of_writes(char *memory) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (size_t i = 0; i < TOUCHED; i++)
    ((volatile char *)memory)[i * page] = 1;
  getrusage(RUSAGE_SELF, &after);
  return after.ru_minflt - before.ru_minflt;
}

static size_t present(char *memory) {
  unsigned char has[PAGES];
  size_t n = 0;
  assert_int_equal(mincore(memory, PAGES * (size_t)sysconf(_SC_PAGESIZE), has), 0);
  for (size_t i = 0; i < PAGES; i++)
    n += has[i] & 1;
  return n;
}

static void test_pages_are_taken_back_after_a_fork(void **state) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  (void)state;
  x = partly_touched();
  y = partly_touched();
  if (madvise(x, page, MADV_POPULATE_WRITE) != 0)
    skip(); // Linux before 5.14
  pid_t child = fork();
  if (child == 0)
    for (;;)
      pause();
  cold_own_pages(&kernel, args);
  assert_in_range(faults_of_writes(y), 0, TOUCHED / 10);
  assert_in_range(faults_of_writes(x), TOUCHED / 2, 2 * TOUCHED); // never written
  assert_int_equal(present(y), TOUCHED);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  munmap(x, PAGES * page);
  munmap(y, PAGES * page);
}

// Memory that cannot be written, or is not there, is left alone.
static void test_unwritable_memory_is_left_alone(void **state) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  (void)state;
  x = partly_touched();
  y = partly_touched();
  assert_int_equal(mprotect(y, TOUCHED / 2 * page, PROT_READ), 0);
  cold_own_pages(&kernel, args);
  munmap(y, PAGES * page);
  cold_own_pages(&kernel, args);
  munmap(x, PAGES * page);
}

static void test_seconds_of_untouched_pages(void **state) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct memories memory;
  char message[128];
  (void)state;
  x = partly_touched();
  y = partly_touched();
  assert_true(memories_describe(&memory, &kernel, args, message, sizeof message));
  assert_true(cold_seconds(&memory) > 0);
  memset(x, 1, PAGES * page);
  memset(y, 1, PAGES * page);
  assert_true(cold_seconds(&memory) == 0);
  memories_free(&memory);
  munmap(x, PAGES * page);
  munmap(y, PAGES * page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pages_are_taken_back_after_a_fork),
    cmocka_unit_test(test_unwritable_memory_is_left_alone),
    cmocka_unit_test(test_seconds_of_untouched_pages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
