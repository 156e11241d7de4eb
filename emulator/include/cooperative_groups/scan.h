/* SPDX-License-Identifier: Apache-2.0 */
/* All that there is of it is in cooperative_groups.h. */
#include "../cooperative_groups.h"
