# SPDX-License-Identifier: Apache-2.0
# Sections tell the compiler which memory exists, so that a search compares vectors of elements. Its answers stay the
# same, also for ranges that are empty and where nothing is found.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=60s AUTOTUNE_LOG=warn

cat > exists.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma autotune kernel key(n > 2) compiler(clang, gcc) in(a[0:n])
static int find(const double *a, int n, double value)
{
  for (int i = 0; i < n; i++)
    if (a[i] >= value)
      return i;
  return -1;
}

int main(void)
{
  long page = sysconf(_SC_PAGESIZE), sum = 0;
  char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + page, page, PROT_NONE); /* nothing exists after the last element */
  int most = (int)(page / sizeof(double));
  double *end = (double *)(memory + page);
  for (int i = 1; i <= most; i++)
    end[-i] = most - i;
  for (int n = most; n >= 0; n--)
    for (int value = most - n; value <= most; value += 5)
      sum = (31 * sum + find(end - n, n, value) + 1) % 1000003;
  printf("%ld\n", sum);
  return 0;
}
END
check "as it was" gcc -O2 exists.c -o was
check "compiles" autotune cc gcc -O2 exists.c -o now
is "tuned" "$(AUTOTUNE_MODE=first ./now)" "$(./was)"
autotune report > report
is "both compilers: $(cat report)" "$(grep -c ' 2 tried · 2 right' report)" 2

# The code of the kernel's unit: a vector is compared where the section is declared, and not without it.
unit() { autotune translate --run gcc "$1" | grep -c 'AUTOTUNE_EXISTS(a, n)'; }
sed 's/ in(a\[0:n\])//' exists.c > bare.c
sed 's/if (a\[i\] >= value)/sum += a[i];/; s/return i;//; s/return -1;/return sum;/; s/for (int i/int sum = 0; &/' exists.c > whole.c
is "declared" "$(unit exists.c)" 2
is "not declared" "$(unit bare.c)" 0
is "without an early end" "$(unit whole.c)" 0
finish
