# SPDX-License-Identifier: Apache-2.0
# Branches of an #if that open or close braces, also those that the build leaves out: the kernel builds, is verified, and
# computes what the plain program does, with and without the macro.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=4 AUTOTUNE_SEED=1
cat > branches.c << 'END'
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
#pragma autotune kernel flags("", "-O1") inout(c[0:n])
void backwards(int n, double *c)
{
#ifdef A
  for (int i = 0; i < n; i++) {
#else
  for (int i = n; i-- > 0;) {
#endif
    c[i] += i;
  }
}
#pragma autotune kernel flags("", "-O1") inout(c[0:n])
void guarded(int n, double *c, int debug)
{
#ifdef A
  if (debug > 3) {
#endif
#pragma autotune unroll partial({1, 2})
  for (int i = 0; i < n; i++)
    c[i] += 2;
#ifdef A
  }
#endif
#if 0
  if (n is not known) { then
#endif
  for (int i = 0; i < n; i++) {
    if (debug) {
      c[i] += 3;
#ifdef A
    } else if (i > n / 2) {
#else
    } else if (i > n / 3) {
#endif
      c[i] += 5;
    }
  }
}
static int thousandth(int n)
{
  return n / 1000;
}
// One branch opens a brace, the #else does not.
#pragma autotune kernel flags("", "-O1") inout(c[0:n])
void offloaded(int n, double *c)
{
  int first = 0;
#ifdef A
  {
    first = thousandth(n) - 1;
#else
  first = thousandth(2 * n) - 2;
#endif
  for (int i = first; i < n; i++)
    c[i] += 7;
#ifdef A
  }
#endif
}
#ifdef __cplusplus
}
#endif
int main(void)
{
  static double c[1000];
  double sum = 0;
  backwards(1000, c);
  guarded(1000, c, 4);
  guarded(1000, c, 0);
  offloaded(1000, c);
  for (int i = 0; i < 1000; i++)
    sum += c[i] * i;
  printf("%.17g\n", sum);
  return 0;
}
END
for macro in -DA -DB; do
  gcc -w $macro branches.c -o plain
  check "$macro: check" autotune check branches.c -- $macro > list
  check "$macro: build" autotune cc gcc -w $macro branches.c -o tuned
  is "$macro: the answer" "$(AUTOTUNE_MODE=first ./tuned 2> "err$macro")" "$(./plain)"
  # How fast a variant is may differ from run to run, and so may the hint to write `optional`.
  is "$macro: no message" "$(grep -v 'kernel optional' "err$macro")" ""
done
autotune report > report.out
hasnt "a wrong variant" report.out "wrong"
has "verified" report.out "verified"
finish
