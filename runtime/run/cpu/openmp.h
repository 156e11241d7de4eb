/* SPDX-License-Identifier: Apache-2.0 */
/* openmp.h: the program's OpenMP runtime, if it has one. */
#ifndef AUTOTUNE_OPENMP_H
#define AUTOTUNE_OPENMP_H

#include <stdbool.h>
#include <sys/types.h>

/* At the first call of any kernel: says which wrong variable of OpenMP is ignored. */
void openmp_begin(void);
bool openmp_in_parallel(void);
/* True if the program's runtime is LLVM's, which makes the variants' regions, too. */
bool openmp_is_llvms(void);
/* Returns that runtime's function for regions; NULL: it is another one, or there is none.
 */
const void *openmp_llvms_region(void);
/* True if openmp_run can start regions. */
bool openmp_has_regions(void);
/* Runs WORK(DATA) in each of THREADS threads of a region, or in as many as there may be.
 */
void openmp_run(void (*work)(void *data), void *data, unsigned threads);
/* Returns how many threads run the parallel region that this thread is in, at all levels
 * together; 1: none. *NESTS: a region within it would have threads of its own. */
unsigned openmp_team(bool *nests);
/* Returns how many threads the next region of this thread would have; 0: the program has
 * no OpenMP. */
unsigned openmp_threads(void);
/* Lets regions of this process run in one thread from now on. */
void openmp_alone(void);
/* Makes the threads of LLVM's runtime sleep at once until they are needed, instead of
 * spinning for a while. */
void openmp_rest(void);
/* Ends the thread pool of a runtime that does not survive a fork (libgomp). Notes what
 * this thread has set of one that forgets it (LLVM's). */
void openmp_before_fork(void);
/* In a process that was forked since: sets that again. */
void openmp_resume(void);
/* Removes what LLVM's runtime leaves in /dev/shm when process PID is killed. */
void openmp_clean(pid_t pid);

#endif
