/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.h: private folders for temporary files, autotune-private-XXXXXX. A process
 * that is killed cannot remove its own, so the next process does. */
#ifndef AUTOTUNE_TEMPORARY_H
#define AUTOTUNE_TEMPORARY_H

/* Makes a folder in PARENT that only this user can enter, and removes those that killed
 * processes of this user left there. Returns its path, malloc'ed, and *LOCK, which the
 * caller closes after temporary_remove: as long as it is open, no other process removes
 * the folder. NULL and errno: it cannot be made. Thread-safe. */
char *temporary_new(const char *parent, int *lock);
/* Removes the folder at PATH with all that is in it. Async-signal-safe. */
void temporary_remove(const char *path);

#endif
