/* SPDX-License-Identifier: Apache-2.0 */
/* variant_fixture.h: a kernel as a translated file would describe it, for tests of the
 * code that makes variants. */
#ifndef VARIANT_FIXTURE_H
#define VARIANT_FIXTURE_H

#include "base/base.h"

#define UNIT_TEXT                                     \
  "static int scaled(int x) { return x * FACTOR; }\n" \
  "int (*const autotune_entry)(int) = scaled;\n"

static const char *const fixture_build[] = {
  "-std=gnu17", "-O2",   "-g",       "-fPIE", "-fsanitize=address",
  "-DNDEBUG",   "-Wall", "-pthread", NULL
};
static const struct autotune_unit fixture_units[] = {
  { "clang", UNIT_TEXT, fixture_build },
  { "gcc", "/* for gcc */\n" UNIT_TEXT, fixture_build },
};
static const struct autotune_value fixture_factors[] = { { "2", "2", 2, 2 },
                                                         { "3", "(1 + 2)", 3, 3 } };
static const struct autotune_value fixture_broken[] = { { "no", "0", 0, 0 },
                                                        { "yes", "1", 1, 1 } };
static const struct autotune_value fixture_flags[] = {
  { "", NULL, 0, 0 }, { "-O3  -ffast-math", NULL, 1, 1 }
};
static const struct autotune_value fixture_compilers[] = { { "clang", NULL, 0, 0 },
                                                           { "gcc", NULL, 1, 1 } };
enum { P_FACTOR, P_FLAGS, P_COMPILER, P_CHOICE, N_PARAMS };
static const struct autotune_param fixture_params[N_PARAMS] = {
  [P_FACTOR] = { "FACTOR", "FACTOR", AUTOTUNE_INT, -1, 2, 0, fixture_factors },
  [P_FLAGS] = { "flags", NULL, AUTOTUNE_FLAGS, -1, 2, 0, fixture_flags },
  [P_COMPILER] = { "compiler", NULL, AUTOTUNE_COMPILER, -1, 2, 0, fixture_compilers },
  [P_CHOICE] = { "choice@1", "AUTOTUNE_P0", AUTOTUNE_CHOICE, -1, 2, 0, fixture_broken },
};

static inline struct autotune_kernel fixture_kernel(void) {
  return (struct autotune_kernel){ .abi = AUTOTUNE_ABI,
                                   .name = "scaled",
                                   .n_params = N_PARAMS,
                                   .params = fixture_params,
                                   .n_units = 2,
                                   .units = fixture_units };
}

#endif
