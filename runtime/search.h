/* SPDX-License-Identifier: Apache-2.0 */
/* search.h: the strategies that search.c's table names. */
#ifndef AUTOTUNE_SEARCH_H
#define AUTOTUNE_SEARCH_H

#include "runtime.h"

extern const struct strategy_class search_exhaustive, search_random, search_list;

#endif
