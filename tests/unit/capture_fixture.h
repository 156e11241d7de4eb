/* SPDX-License-Identifier: Apache-2.0 */
/* capture_fixture.h: a kernel with something in each of its tables. */
#ifndef CAPTURE_FIXTURE_H
#define CAPTURE_FIXTURE_H

#include <stdint.h>

#include "keep/capture/capture.h"

static double fixture_offset = 0.5;
static int fixture_places[3] = { 1, 2, 3 };

/* y[i] = x[i] + offset; returns y[0]. */
static double fixture_add(long n, const double *x, double *y) {
  for (long i = 0; i < n; i++)
    y[i] = x[i] + fixture_offset;
  return n > 0 ? y[0] : 0;
}

static void fixture_invoke(autotune_fn fn, void *const *args, void *ret) {
  double result = ((double (*)(long, const double *, double *))fn)(
      *(long *)args[0], *(const double **)args[1], *(double **)args[2]);
  memcpy(ret, &result, sizeof result);
}

static void fixture_describe(void *const *args, struct autotune_call *call) {
  size_t bytes = (size_t)(*(long *)args[0] * (long)sizeof(double));
  call->spans[0] = (struct autotune_span){ *(void **)args[1], bytes };
  call->spans[1] = (struct autotune_span){ *(void **)args[2], bytes };
  call->flops = (double)*(long *)args[0];
  call->bytes = 0;
}

static const struct autotune_value fixture_values[] = { { "1", "1", 1, 1 },
                                                        { "2", "2", 2, 2 },
                                                        { "4", "4", 4, 4 } };
static const struct autotune_value fixture_flags[] = { { "", NULL, 0, 0 },
                                                       { "-funroll-loops", NULL, 1, 0 } };
static const struct autotune_param fixture_params[] = {
  { "U", "U", AUTOTUNE_INT, -1, 3, 0, fixture_values },
  { "flags", NULL, AUTOTUNE_FLAGS, 0, 2, 2, fixture_flags }
};
static const struct autotune_arg fixture_args[] = { { "n", sizeof(long), 0 },
                                                    { "x", sizeof(void *), 1 },
                                                    { "y", sizeof(void *), 1 } };
static const char *const fixture_keys[] = { "n" };
static const struct autotune_section fixture_sections[] = {
  { "x[0:n]", AUTOTUNE_IN, AUTOTUNE_F64, 8 }, { "y[0:n]", AUTOTUNE_OUT, AUTOTUNE_F64, 8 }
};
static const char *const fixture_build[] = { "-std=c17", "-O2", NULL };
static const struct autotune_unit fixture_units[] = {
  { "clang", "text for clang", fixture_build }, { "gcc", "text for gcc", NULL }
};
static const struct autotune_symbol fixture_symbols[] = {
  { "offset", &fixture_offset, sizeof fixture_offset },
  { "places", fixture_places, sizeof fixture_places }
};
static const unsigned fixture_looks[] = { 0 };
static const struct autotune_step fixture_steps[] = { { AUTOTUNE_OP_PARAM, 0, 0 },
                                                      { AUTOTUNE_OP_NUMBER, 0, 4.5 },
                                                      { AUTOTUNE_OP_LESS, 0, 0 } };
static const struct autotune_condition fixture_conditions[] = { { .n_params = 1,
                                                                  .params = fixture_looks,
                                                                  .text = "U < 4.5",
                                                                  .n_steps = 3,
                                                                  .steps =
                                                                      fixture_steps } };

static const struct autotune_repeat fixture_repeats[] = { { 2, 4 }, { 1, 8 } };
static const struct autotune_leaf fixture_leaves[] = {
  { "[]", AUTOTUNE_F32, 0, 4, 0, 1, NULL },
  { ".bits", AUTOTUNE_BYTES, 0, 8, 1, 1, "\7\0\0\0\0\0\0" }
};
static const struct autotune_layout fixture_layout = { 8, 2, fixture_leaves, 2,
                                                       fixture_repeats };
static const struct autotune_layout *const fixture_layouts[] = { NULL, &fixture_layout };

static const struct autotune_kernel fixture_kernel = {
  .abi = AUTOTUNE_ABI,
  .name = "add",
  .file = "add.c",
  .line = 7,
  .original = (autotune_fn)fixture_add,
  .invoke = fixture_invoke,
  .describe = fixture_describe,
  .ret_size = sizeof(double),
  .ret_element = AUTOTUNE_F64,
  .n_args = 3,
  .args = fixture_args,
  .n_keys = 1,
  .keys = fixture_keys,
  .n_params = 2,
  .params = fixture_params,
  .n_sections = 2,
  .sections = fixture_sections,
  .n_units = 2,
  .units = fixture_units,
  .n_symbols = 2,
  .symbols = fixture_symbols,
  .verify = AUTOTUNE_VERIFY_TOLERANCE,
  .rtol = 1e-9,
  .atol = -1,
  .search = "random",
  .budget_seconds = 3,
  .budget_variants = 40,
  .mode = "offline",
  .openmp = 1,
  .n_conditions = 1,
  .conditions = fixture_conditions,
  .budget_fraction = 0.05,
  .until = 0.02,
  .until_roof = 0.8,
  .family = "sums",
  .compiler = "gcc",
  .replay = "text of the replay",
  .inferred = 1,
  .size = sizeof(struct autotune_kernel),
  .layouts = fixture_layouts,
  .ret_layout = &fixture_layout,
};

#endif
