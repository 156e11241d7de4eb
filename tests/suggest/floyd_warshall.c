// SPDX-License-Identifier: Apache-2.0
// Shortest paths.
#include "run.h"

static void floyd_warshall(int n, double *path)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i * n + j] = path[i * n + j] < path[i * n + k] + path[k * n + j]
                            ? path[i * n + j] : path[i * n + k] + path[k * n + j];
}

CALL(ARRAY(0, n * n),
     floyd_warshall(n, a->of[0]))

int main(int argc, char **argv) { return run(call, argc, argv, 320); }
