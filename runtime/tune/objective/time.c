// SPDX-License-Identifier: Apache-2.0
// time.c: the seconds that a call takes.
#include "base/units.h"
#include "objective.h"

const struct objective objective_time = {
  .name = "time",
  .unit = "s",
  .lower = true,
  .show = units_seconds,
};
