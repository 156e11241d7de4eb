/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: a device during one tuning, as the tuner sees it: the helper process
 * (order.c), and the program (target.c). */
#ifndef AUTOTUNE_GPU_DEVICE_H
#define AUTOTUNE_GPU_DEVICE_H

#include "helper.h"
#include "run/covered.h"
#include "run/target.h"
#include "serve.h"
#include "spawn.h"

struct device {
  const struct autotune_kernel *kernel;
  struct serve_inheritance own;
  struct executor_wish
      wish;      /* `background`: variants run in the helper and nowhere else */
  bool isolates; /* variants run in the helper first */
  struct helper helper;
  uint64_t serial;         /* of the last message to the helper */
  struct gpu_offer *offer; /* the memory shared with helpers; NULL: not requested yet */
  int file;                /* of OFFER; or -1 */
  int found;               /* the file of what was measured (gpu_run_written); or -1 */
  size_t found_bytes;
  void *written; /* the cubin of the kernel as written, if it agrees with the default;
                    NULL: not known; malloc'ed */
  size_t written_bytes;
  unsigned char *passed; /* a bit for each ticket that has passed in a helper */
  uint64_t n_passed;     /* number of bits */
  double flops, bytes, touched;
  bool verified;
  struct coverage coverage; /* what variants are compared in */
  char why[256];            /* why there is no helper */
};

/* Asks the program for R, as target_ask_fn says. */
bool device_ask(const struct device *d, const struct gpu_request *r, int fd, void *answer,
                size_t size, int *got, double seconds);
/* Copies the answer of a process that a variant may have damaged: trusts no number.
 * LAUNCHED: how the variant was launched, for the features that depend on it. 0 or -1. */
int device_copy_answer(const struct gpu_answer *a, bool timed,
                       const struct autotune_launch *launched, struct trial *out);
/* Returns the seconds that the program or a helper may take for one trial. */
double device_patience(const struct trial_plan *p);

/* ---- order.c --------------------------------------------------------------------- */

/* Starts a helper if there is none. False and D's why: that failed. */
bool order_ensure(struct device *d);
/* Ends the helper, if there is one. */
void order_end(struct device *d);
/* Runs a trial in the helper. OBJECT: of SIZE bytes, of which the last PREPARED are
 * struct gpu_variant's `prepared`. 0; -1: no helper, and OUT says why. */
int order_try(struct device *d, uint64_t ticket, const void *object, size_t size,
              size_t prepared, const struct trial_plan *plan, struct trial *out);
/* Lets the helper measure with OBJECT, the kernel as written, and keeps what it finds in
 * D. False and OUT's message: nothing was found. Else that says how the kernel as written
 * differs. */
bool order_written(struct device *d, const void *object, size_t size,
                   const struct trial_plan *plan, struct trial *out);
/* Compares OBJECT (as for order_try) with the kernel as written on made-up data, as
 * `imagine` of struct target. */
int order_imagine(struct device *d, uint64_t ticket, const void *object, size_t size,
                  size_t prepared, const struct trial_plan *plan, struct trial *out);
/* Drops what was measured; helpers that know it end. */
void order_drop(struct device *d);

#endif
