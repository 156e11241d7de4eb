# SPDX-License-Identifier: Apache-2.0
# Sections tell the compiler which memory exists, so that a search compares vectors of elements. Its answers stay the
# same, also for ranges that are empty and where nothing is found.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=60s AUTOTUNE_LOG=warn AUTOTUNE_CACHE=$work/cache

cat > exists.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma autotune kernel key(n > 2) compiler(clang, gcc) in(a[0:n])
static int find(const double *a, int n, double value)
{
  if (!a)
    return -2;
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
  printf("%ld %d %d\n", sum, find(NULL, 0, 1), find(NULL, -1, 1));
  return 0;
}
END
check "as it was" gcc -O2 exists.c -o was
check "compiles" autotune cc gcc -O2 exists.c -o now
is "tuned" "$(AUTOTUNE_MODE=first ./now)" "$(./was)"
autotune report > report
is "both compilers: $(cat report)" "$(grep -c ' 2 tried · 2 right' report)" 2

# With the section the code of the variants compares a vector of elements.
autotune translate --run gcc exists.c | awk '/^"#ifndef AUTOTUNE_EXISTS/ { on = 1 } on && /autotune_entry/ { exit } on && /^"/' |
  sed 's/^"//; s/"[,;]*$//; s/\\?/?/g; s/\\"/"/g' > text
printf '%b' "$(tr -d '\n' < text)" > unit.c
echo 'int (*found)(const double *, int, double) = find;' >> unit.c
check "the code of the variants" clang-22 -O3 -mavx2 -w -S unit.c -o unit.s
has "vectors" unit.s 'cmp[a-z_]*pd'
sed 's/ in(a\[0:n\])//' exists.c > bare.c
is "without a section" "$(autotune translate --run gcc bare.c | grep -c AUTOTUNE_EXISTS)" 0

# Heads after which a declaration may not stand, other declarations, two sections of one array: all compile.
cat > heads.c << 'END'
#pragma autotune kernel key(n) compiler(clang, gcc) in(a[0:n])
int labels(const double *a, int n, double value)
{
  __label__ out;
  int i;
  for (i = 0; i < n; i++)
    if (a[i] >= value)
      goto out;
out:
  return i;
}
#pragma autotune kernel key(n) compiler(clang, gcc) in(a[0:n])
int contracted(const volatile double *a, int n, double value)
{
#pragma STDC FP_CONTRACT OFF
  int i;
  for (i = 0; i < n; i++)
    if (a[i] * 2 + 1 >= value)
      break;
  return i;
}
#pragma autotune kernel key(n) compiler(clang, gcc) in(a[0:n], a[0:4])
int declared(const volatile double *a, int n, double value)
{
  int i;
  for (i = 0; i < n; i++)
    if (a[i] >= value)
      break;
  return i;
}
int main(void)
{
  double a[100];
  int i;
  for (i = 0; i < 100; i++)
    a[i] = i;
  return labels(a, 100, 70) + contracted(a, 100, 71) + declared(a, 100, 72) != 70 + 35 + 72;
}
END
sed 's/__label__ out;//' heads.c > heads.cpp
for try in "gcc heads.c" "g++ heads.cpp"; do
  # shellcheck disable=SC2086 # a compiler and a file
  check "$try" autotune cc $try -w -o heads
  export AUTOTUNE_CACHE=$work/${try%% *}.cache
  check "$try: runs" env AUTOTUNE_MODE=first ./heads
  autotune report > report
  is "$try: all variants compile: $(cat report)" "$(grep -c ' 2 tried · 2 right' report)" 3
done
finish
