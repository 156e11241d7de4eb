/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.h: its functions are in cooperative_groups.h. */
#include "../cooperative_groups.h"
