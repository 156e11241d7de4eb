/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h: shared by the fuzzers. Each is one file with LLVMFuzzerTestOneInput, linked
 * with libFuzzer in preset fuzz, and with replay.c, which runs its corpus, everywhere. */
#ifndef AUTOTUNE_FUZZ_H
#define AUTOTUNE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
