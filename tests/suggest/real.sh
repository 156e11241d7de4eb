# SPDX-License-Identifier: Apache-2.0
# autotune suggest: forms of code that real programs have, as short programs.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/cc_lib.sh"

# A kernel that check refuses with many errors does not hide that others are refused, and the first error is the reason.
{
  echo '#include "threads.h"
static double rhs[64], out[64];
void first(int n)
{
  for (int i = 0; i < n; i++) {'
  for line in $(seq 70); do echo "    rhs[i] += ue[i];"; done
  echo '  }
}
void second(int n)
{
  for (int i = 0; i < n; i++)
    out[i] = buf[i] + 1;
}
void third(int n)
{
  for (int i = 0; i < n; i++)
    out[i] = rhs[i] + 1;
}'
} > threads.c
cat > threads.h << 'END'
static double ue[80], buf[80];
#pragma omp threadprivate(ue, buf)
END
autotune suggest threads.c -- -fopenmp > threads.patch 2> threads.notes
has "the first is refused" threads.notes "'first' is left .*: kernel 'first' uses the thread-local variable 'ue'"
has "so is the second" threads.notes "'second' is left .*: kernel 'second' uses the thread-local variable 'buf'"
check "the patch applies" patch -s -p1 -i threads.patch
is "the third is a kernel" "$(grep -c 'autotune kernel' threads.c)" 1
check "check accepts the patched file" autotune check threads.c -- -fopenmp > list
finish
