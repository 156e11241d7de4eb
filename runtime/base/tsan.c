// SPDX-License-Identifier: Apache-2.0
// tsan.c: for programs that are built with a sanitizer (tsan.h).
#include "tsan.h"

// These are in such programs, and in no others.
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
extern void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));

#if defined(__SANITIZE_THREAD__) // our own races are to be found
static const bool ignores = false;
#else
static const bool ignores = true;
#endif

bool tsan_or_asan(void) {
  return __asan_init || __tsan_init;
}

void tsan_ignore(void) {
  if (ignores && AnnotateIgnoreReadsBegin && AnnotateIgnoreWritesBegin) {
    AnnotateIgnoreReadsBegin("autotune", __LINE__);
    AnnotateIgnoreWritesBegin("autotune", __LINE__);
  }
}

void tsan_heed(void) {
  if (ignores && AnnotateIgnoreReadsEnd && AnnotateIgnoreWritesEnd) {
    AnnotateIgnoreWritesEnd("autotune", __LINE__);
    AnnotateIgnoreReadsEnd("autotune", __LINE__);
  }
}
