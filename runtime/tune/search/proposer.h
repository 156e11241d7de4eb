/* SPDX-License-Identifier: Apache-2.0 */
/* proposer.h: a program of the user's that proposes variants, as far as lines of text to
 * it and from it go. Only proposer_wait waits. Nothing that the program does, or does not
 * do, is more than a trouble to be told. */
#ifndef AUTOTUNE_PROPOSER_H
#define AUTOTUNE_PROPOSER_H

#include <jansson.h>
#include <stdbool.h>

struct proposer;
/* Returns a proposer that runs COMMAND once it is started; NULL: no memory. COMMAND must
 * outlive it. */
struct proposer *proposer_new(const char *command);
/* Ends the program, too: it has a moment from the end of its input on, then it is
 * killed. */
void proposer_free(struct proposer *p);
/* Starts the program, the first time it is called. */
void proposer_start(struct proposer *p);
/* Sends LINE and frees it. If LINE is NULL, because there was no memory for it, nothing
 * is sent. Lines from before the start are sent then. If the program does not read, it
 * misses lines. */
void proposer_send(struct proposer *p, json_t *line);
/* Returns the next line, without its end; it is valid until the next call. NULL: there is
 * none yet, or there is a trouble. */
const char *proposer_line(struct proposer *p);
/* Waits SECONDS at most for more of a line. Returns the seconds that it has waited. */
double proposer_wait(struct proposer *p, double seconds);
/* Returns why no line can come any more, for people: "it ended with status 3". NULL: one
 * may still come. */
const char *proposer_trouble(const struct proposer *p);

#endif
