// SPDX-License-Identifier: Apache-2.0
// start_up.c: a program that calls one kernel once. `start_up maps` then tells whether
// LLVM is loaded.
#include <stdio.h>
#include <string.h>

#define N 20000

static float x[N], y[N];

#pragma autotune kernel param(UNROLL : 1, 2, 4, 8) key(n) in(a[0 : n])inout(b[0 : n])
void saxpy(int n, float s, const float *restrict a, float *restrict b) {
#pragma autotune unroll partial(UNROLL)
  for (int i = 0; i < n; i++)
    b[i] += s * a[i];
}

// 1 where a file of LLVM, Clang or the JIT library is mapped.
static int llvm_is_loaded(void) {
  char line[4096];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps)
    return 1;
  while (fgets(line, sizeof line, maps))
    found |= strstr(line, "LLVM") || strstr(line, "clang") ||
        strstr(line, "autotune-jit");
  fclose(maps);
  return found;
}

int main(int argc, char **argv) {
  for (int i = 0; i < N; i++)
    x[i] = (float)i;
  saxpy(N, 2, x, y);
  if (argc > 1 && strcmp(argv[1], "maps") == 0)
    printf("llvm %d\n", llvm_is_loaded());
  return y[3] != 6;
}
