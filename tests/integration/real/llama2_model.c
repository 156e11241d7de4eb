// SPDX-License-Identifier: Apache-2.0
// llama2_model FILE: a model with random weights for runq of llama2.c, in its format
// "version 2" (int8 in groups of 64), of the shape of stories110M. The same file each
// time.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  DIM = 768,
  HIDDEN = 2048,
  LAYERS = 12,
  HEADS = 12,
  WORDS = 32000,
  LENGTH = 1024,
  GROUP = 64
};

static uint64_t state = 1;

static int8_t model_random(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (int8_t)(state >> 32);
}

// Writes COUNT tensors of SIZE numbers that are SCALE in the root mean square.
static void model_tensors(FILE *f, int count, long size, float scale) {
  scale /= 73.9f; // of int8_t that are all equally likely
  while (count-- > 0) {
    for (long i = 0; i < size; i++)
      putc(model_random(), f);
    for (long i = 0; i < size / GROUP; i++)
      fwrite(&scale, sizeof scale, 1, f);
  }
}

int main(int argc, char **argv) {
  FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
  if (!f)
    return 1;
  char header[256] = { '2', '4', 'k', 'a', 2 };
  int32_t shape[] = { DIM, HIDDEN, LAYERS, HEADS, HEADS, WORDS, LENGTH }, group = GROUP;
  for (size_t i = 0; i < sizeof shape; i++)
    header[8 + i] = ((char *)shape)[i];
  for (size_t i = 0; i < sizeof group; i++)
    header[8 + sizeof shape + 1 + i] =
        ((char *)&group)[i]; // after a byte: the classifier is its own
  fwrite(header, sizeof header, 1, f);
  float one = 1;
  for (int i = 0; i < 2 * LAYERS * DIM + DIM; i++)
    fwrite(&one, sizeof one, 1, f);
  model_tensors(f, 1, (long)WORDS * DIM, 1);
  model_tensors(f, 4 * LAYERS, (long)DIM * DIM, 0.036f); // q, k, v, o
  model_tensors(f, LAYERS, (long)DIM * HIDDEN, 0.036f);  // w1
  model_tensors(f, LAYERS, (long)DIM * HIDDEN, 0.022f);  // w2
  model_tensors(f, LAYERS, (long)DIM * HIDDEN, 0.036f);  // w3
  model_tensors(f, 1, (long)WORDS * DIM, 0.036f);
  return fclose(f) != 0;
}
