/* SPDX-License-Identifier: Apache-2.0 */
/* commit.h: the commit of git that is checked out where a file is. Reads files of at most
 * a few megabytes below .git; starts no process. */
#ifndef AUTOTUNE_COMMIT_H
#define AUTOTUNE_COMMIT_H

enum { COMMIT_SIZE = 13 };

/* Writes the first 12 hexadecimal digits of the commit that is checked out in FILE's
 * folder, or in the nearest one above it that has a .git, into TEXT, and returns it; ""
 * if FILE does not exist or no commit is found. Files may have changes that are not
 * committed. */
const char *commit_of(const char *file, char text[COMMIT_SIZE]);

#endif
