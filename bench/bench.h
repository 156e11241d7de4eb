/* SPDX-License-Identifier: Apache-2.0 */
/* bench.h: inside the program `measure`, which bench.sh runs over programs that it built.
 *
 *   measure.c        the table of rows, the machine, the result file
 *   sample.c         samples, medians, running programs
 *   row_examples.c   each example: gcc, clang and tuned, interleaved; matmul has a target
 *   row_sgemm.c      sgemm.c: tuned against OpenBLAS, interleaved in one process
 *   row_calls.c      call_overhead.c: a tuned call against a direct call
 *   row_start.c      start_up.c: a second process against the untuned build
 *   row_jit.c        variants ready per second, in process and by compiler processes
 *   row_tuning.c     tuning_run.c: a whole tuning of 100 variants
 *   row_even.c       break_even.c: after how many calls a tuning has paid for itself
 *   row_repeat.c     the same kernels tuned twenty times: how much the choices differ
 *   row_large.c      large_space.c: 60 s in a space of a million variants
 *   row_warm.c       the same kernels for a new size, with and without a near key
 *   row_modes.c      modes_run.c: five kernels from an empty store in each mode
 *
 * Every figure is a median of interleaved repeats in one run. Its samples go to the
 * file. */
#ifndef AUTOTUNE_BENCH_H
#define AUTOTUNE_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct bench {
  const char *build; /* the build folder: bin/autotune, lib/libautotune-jit.so */
  const char *work;  /* where bench.sh left the programs */
  json_t *rows;      /* array of the rows for the result file */
  unsigned missed;   /* rows below their targets */
};

struct row {
  const char *name, *note; /* note may be NULL */
  double value;
  const char *unit; /* "x", "ns", "ms", "s" */
  double target;
  bool at_most; /* the target is a limit */
};

/* Prints the row, and adds it to b->rows with DATA (taken over; may be NULL). */
void bench_row(struct bench *b, const struct row *r, json_t *data);

/* ---- sample.c -------------------------------------------------------------------- */
struct samples {
  double *values;
  unsigned n;
};
void samples_add(struct samples *s, double value);
void samples_free(struct samples *s);
double samples_median(const struct samples *s);
/* {"median": …, "low": …, "high": …, "samples": [ … ]}: low and high are the quartiles */
json_t *samples_json(const struct samples *s);
double now(void);
/* Runs ARGV (searched in PATH) and waits. Its standard output goes to OUT (of SIZE,
 * NUL-terminated; NULL: it is discarded). Returns the wall time in seconds, or -1 after a
 * message if it could not be run or failed. */
double run(const char *const argv[], char *out, size_t size);
/* Returns "NAME=VALUE" of each of VALUES, with a tab after each, as `list:FILE` reads
 * them; malloc'ed. */
char *variant_line(json_t *values);
/* Returns the number after LABEL in TEXT, or NAN. */
double number_after(const char *text, const char *label);

/* Runs modes_run.c's program ARGV and adds each call's wait and time. False: it failed,
 * and a message was printed. */
bool run_calls(const char *const argv[], struct samples *wait, struct samples *time);
/* Removes a folder of results and all that is in it. */
void forget_store(const char *folder);

/* ---- row_*.c: false if a program is missing or fails; a message says which --------- */
bool row_matmul(struct bench *b);
bool row_examples(struct bench *b);
bool row_sgemm(struct bench *b);
bool row_calls(struct bench *b);
bool row_start(struct bench *b);
bool row_jit(struct bench *b);
bool row_tuning(struct bench *b);
bool row_modes(struct bench *b);
bool row_even(struct bench *b);
bool row_repeat(struct bench *b);
bool row_large(struct bench *b);
bool row_warm(struct bench *b);

#endif
