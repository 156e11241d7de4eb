/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c: a fault of a kernel arrives as a signal in the device's thread; the handler
 * leaves the kernel. A timer of that thread's CPU time does the same. Other faults go to
 * the previous handler. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "emulator.h"

enum { SIGNAL_STACK = 64 << 10 };
static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
enum { N_FAULTS = sizeof faults / sizeof *faults };

static struct {
  pthread_t thread;
  volatile sig_atomic_t there, running;
  int limit_signal;
  timer_t timer;
  struct sigaction before[N_FAULTS];
} s;

static void to_previous(int signal, siginfo_t *info, void *context) {
  for (unsigned i = 0; i < N_FAULTS; i++)
    if (faults[i] == signal) {
      struct sigaction *old = &s.before[i];
      if (old->sa_flags & SA_SIGINFO)
        old->sa_sigaction(signal, info, context);
      else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
        old->sa_handler(signal);
      else
        sigaction(signal, old,
                  NULL); /* the instruction runs again, with the previous handler */
    }
}

EXPORT int autotune_emulate_in_kernel(void) {
  return signals_in_kernel();
}

bool signals_in_kernel(void) {
  return s.running && pthread_equal(pthread_self(), s.thread);
}

static void on_fault(int signal, siginfo_t *info, void *context) {
  if (!signals_in_kernel()) {
    to_previous(signal, info, context);
    return;
  }
  if (signal == s.limit_signal)
    launch_abort(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch took longer than it may");
  if (signal == SIGFPE)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "an integer is divided by 0");
  if (signal == SIGILL || signal == SIGTRAP)
    launch_abort(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction");
  char reason[80];
  if (info->si_code == SI_KERNEL) /* the processor does not tell the address */
    snprintf(reason, sizeof reason,
             "an invalid address, or one not aligned for its type");
  else
    snprintf(reason, sizeof reason, "%p is no address of the device", info->si_addr);
  launch_abort(CUDA_ERROR_ILLEGAL_ADDRESS, reason);
}

static void on_limit(int signal, siginfo_t *info, void *context) {
  if (signals_in_kernel())
    on_fault(signal, info, context);
}

static bool handlers_install(void) {
  struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
  sigemptyset(&action.sa_mask);
  action.sa_sigaction = on_fault;
  for (unsigned i = 0; i < N_FAULTS; i++)
    if (sigaction(faults[i], &action, &s.before[i]) != 0)
      return false;
  s.limit_signal = SIGRTMAX - 2;
  action.sa_sigaction = on_limit;
  return sigaction(s.limit_signal, &action, NULL) == 0;
}

bool signals_begin(void) {
  static _Alignas(16) char stack[SIGNAL_STACK];
  stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
  sigset_t blocked;
  s.thread = pthread_self();
  if (sigaltstack(&other, NULL) != 0 || !handlers_install())
    return false;
  sigfillset(&blocked);
  for (unsigned i = 0; i < N_FAULTS; i++)
    sigdelset(&blocked, faults[i]);
  sigdelset(&blocked, s.limit_signal);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
                            .sigev_signo = s.limit_signal };
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  s.there = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &s.timer) == 0;
  return true;
}

void signals_limit(double seconds) {
  struct itimerspec limit = { .it_value = { (time_t)seconds,
                                            (long)((seconds - (time_t)seconds) * 1e9) } };
  s.running = seconds > 0;
  if (s.there)
    timer_settime(s.timer, 0, &limit, NULL);
}
