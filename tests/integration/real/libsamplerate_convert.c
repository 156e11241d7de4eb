// SPDX-License-Identifier: Apache-2.0
// libsamplerate_convert: converts 2 * 10^6 samples of noise from 44.1 to 48 kHz by
// libsamplerate's best converter, in blocks of 4096 samples, and prints how many came out
// and their root mean square. The library's own throughput_test always takes 25 s,
// because it counts what is done in a given time.
#include <math.h>
#include <samplerate.h>
#include <stdint.h>
#include <stdio.h>

enum { BLOCK = 4096, BLOCKS = 488 };

static float noise(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (float)((int32_t)(state >> 32) * 0x1p-32);
}

int main(void) {
  static float in[BLOCK], out[2 * BLOCK];
  int error;
  SRC_STATE *converter = src_new(SRC_SINC_BEST_QUALITY, 1, &error);
  if (!converter) {
    fprintf(stderr, "%s\n", src_strerror(error));
    return 1;
  }
  SRC_DATA data = { .data_in = in,
                    .data_out = out,
                    .output_frames = 2 * BLOCK,
                    .src_ratio = 48000.0 / 44100.0 };
  long count = 0;
  double squares = 0;
  for (int block = 0; block < BLOCKS; block++) {
    for (int i = 0; i < BLOCK; i++)
      in[i] = noise();
    data.input_frames = BLOCK;
    data.end_of_input = block == BLOCKS - 1;
    // The output has room for all that a block makes, so all of the block is used.
    error = src_process(converter, &data);
    if (error || data.input_frames_used != BLOCK) {
      fprintf(stderr, "%s\n",
              error ? src_strerror(error) : "not all of a block was converted");
      return 1;
    }
    for (long i = 0; i < data.output_frames_gen; i++)
      squares += (double)out[i] * out[i];
    count += data.output_frames_gen;
  }
  src_delete(converter);
  printf("%ld samples, root mean square %.5f\n", count, sqrt(squares / (double)count));
  return 0;
}
