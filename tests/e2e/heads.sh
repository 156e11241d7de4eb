# SPDX-License-Identifier: Apache-2.0
# Kernels whose heads have the old style, called from a file without prototypes: they build, are verified, and compute
# what the plain program does. Messages name the user's lines.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=4 AUTOTUNE_SEED=1
cat > heads.c << 'END'
typedef unsigned long count_t;
struct pair { double a, b; };
#pragma autotune kernel flags("", "-O1")
void scale(n, x, y)
  int n;          /* how many, at least one */
  double *x,
         *y;
{
  for (int i = 0; i < n; i++)
    x[i] = y[i] * 2;
}
#pragma autotune kernel param(STEP: 1, 2) in(x[0:n]) inout(pairs[0:n])
static long sum(x, n, pairs, offset)
  register const double x[];
  count_t n;
  struct pair (*pairs);
{
  long s = offset;
  for (count_t i = 0; i < n; i++) {
    s += (long)x[i];
    pairs[i].a += STEP - STEP + x[i];
  }
  return s;
}
long total(n, x)
  int n;
  double *x;
{
  static struct pair pairs[100];
  return sum(x, (count_t)n, pairs, 5) + (long)pairs[7].a;
}
END
cat > main.c << 'END'
#include <stdio.h>
void scale();
long total();
int main()
{
  static double x[100], y[100];
  for (int i = 0; i < 100; i++)
    y[i] = i;
  scale(100, x, y);
  printf("%g %ld\n", x[99], total(100, x));
  return 0;
}
END
sed 's/STEP - STEP/0/' heads.c > plain.c
gcc -w -std=gnu17 plain.c main.c -o plain
check "check" autotune check heads.c > list
has "the arguments are known" list "y\[0:n > 0 ? n : 0\]"
has "a line" list "heads.c:13: kernel sum"
check "build" autotune cc gcc -w -std=gnu17 heads.c main.c -o tuned
is "the answer" "$(AUTOTUNE_MODE=first ./tuned 2> err)" "$(./plain)"
is "no message" "$(cat err)" ""
autotune report > report.out
hasnt "a wrong variant" report.out "wrong"
has "verified" report.out "verified"
sed 's/y\[i\] \* 2/y[i] * missing/' heads.c > missing.c
autotune cc gcc -w -std=gnu17 -c missing.c 2> err
has "the compiler's line" err "missing.c:10:.*missing"
finish
