/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h: what the environment says of a terminal. */
#ifndef AUTOTUNE_TERMINAL_H
#define AUTOTUNE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* True if OUT is a terminal, and no dumb one. */
bool terminal_is(FILE *out);
/* True if CLICOLOR_FORCE asks for what a terminal gets, also elsewhere. */
bool terminal_forced(void);
/* True if OUT gets colours: on a terminal, or forced, unless NO_COLOR or CLICOLOR=0 is
 * set. */
bool terminal_coloured(FILE *out);

#endif
