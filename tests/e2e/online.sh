# SPDX-License-Identifier: Apache-2.0
# Mode online in a program as users write them: each call adds its part exactly once, whichever variant it ran; a
# kernel with OpenMP and one without take turns; the next process finds the decisions.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache
include=$(dirname "$(command -v autotune)")/../include

cat > online.c << 'END'
#include <autotune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP 1
#pragma autotune kernel param(STEP: 1, 2, 4) inout(x[0:n]) mode(online) search(exhaustive, budget: 4s)
void add(int n, double *x)
{
  for (int again = 0; again < 20; again++)
    for (int i = 0; i < n; i += STEP)
      for (int k = 0; k < STEP; k++)
        x[i + k] += again == 0;
}

#pragma autotune kernel inout(x[0:n]) mode(online) search(exhaustive, budget: 4s)
void add_parallel(int n, double *x)
{
  #pragma autotune parallel for num_threads({1, 2})
  for (int i = 0; i < n; i++)
    x[i] += 1;
}

enum { N = 4000 };
static double x[N], y[N];

static int decided(const char *kernel)
{
  char *why = NULL;
  int is = autotune_why(kernel, (long long[]){ N }, &why) == AUTOTUNE_OK &&
           (strstr(why, "in real calls") || strstr(why, "stored: ") || strstr(why, "earlier run"));
  free(why);
  return is;
}

int main(void)
{
  time_t end = time(NULL) + 50;
  int calls = 0, right = 1;
  while ((!decided("add") || !decided("add_parallel")) && time(NULL) < end) {
    add(N, x);
    add_parallel(N, y);
    calls++;
  }
  for (int i = 0; i < N; i++)
    right &= x[i] == calls && y[i] == calls;
  printf("%s %s\n", right ? "right" : "wrong", time(NULL) < end ? "decided" : "undecided");
  return 0;
}
END

for cc in $compilers; do
  rm -rf "$AUTOTUNE_CACHE"
  check "$cc compiles" autotune cc $cc -O2 "-I$include" online.c -o prog
  is "$cc: the first process" "$(./prog)" "right decided"
  is "$cc: the second process" "$(./prog)" "right decided"
  AUTOTUNE_LOG=info AUTOTUNE_MODE=locked ./prog > out 2>&1
  hasnt "$cc: both are stored" out "nothing is known"
done
finish
