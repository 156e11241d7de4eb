#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A section of whole rows is compared by the rows' element type, so that rounding is no mistake.
root=$(cd "$(dirname "$0")/../.." && pwd) build=$(cd "$1" && pwd)
. "$(dirname "$0")/cc_lib.sh"

cat > rows.c << 'END'
#include <stddef.h>
typedef double real;
#pragma autotune kernel param(T: 1, 2) inout(A[0:n], B[0:n], C[0:n][0:4], D[0:n], p[0:n])
void k(int n, double A[n][4], float (*B)[4], real C[n][4], double (*D)[2][2], void **p)
{
  for (int i = 0; i < n; i++)
    A[i][0] += T, B[i][1] += A[i][0], C[i][2] += 1, D[i][1][1] += 1, p[i] = NULL;
}
END
check "rows.c" autotune translate rows.c -o rows.t.c
cat > show.c << 'END'
#include "rows.t.c"
#include <stdio.h>
int main(void)
{
  for (unsigned i = 0; i < autotune_kernel_k.n_sections; i++)
    printf("%s %d %zu\n", autotune_kernel_k.sections[i].name,
           (int)autotune_kernel_k.sections[i].element, autotune_kernel_k.sections[i].element_size);
  return 0;
}
END
for cc in $compilers; do
  check "$cc" $cc -w -isystem "$root/include" show.c "$build/lib/libautotune.so" -o show
  LD_LIBRARY_PATH=$build/lib ./show > got
  printf '%s\n' "A[0:n] 4 8" "B[0:n] 3 4" "C[0:n][0:4] 4 8" "D[0:n] 4 8" "p[0:n] 9 8" > expected
  same "$cc" expected got
done
finish
