# SPDX-License-Identifier: Apache-2.0
# What the first call of a kernel does in a process that finds its winner in the store. Numbers of system calls and page
# faults say more than times do on a busy machine.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/cache AUTOTUNE_REVERIFY=off

# The first call lies between two calls of getppid, which nothing else here makes.
cat > first.c << 'END'
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#define WAY 0
#pragma autotune kernel param(WAY: 0, 1) in(x[0:n]) out(y[0:n])
static void scale(int n, const double *x, double *y)
{
  volatile int turns = WAY == 0 ? 1000000 : 1000;
  while (turns > 0)
    turns = turns - 1;
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
}
static long faults(void)
{
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_minflt;
}
int main(void)
{
  static double x[100], y[100];
  for (int i = 0; i < 100; i++)
    x[i] = y[i] = i;
  long before = faults();
  syscall(SYS_getppid);
  scale(100, x, y);
  syscall(SYS_getppid);
  printf("faults %ld\n", faults() - before);
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    if (strstr(line, "LLVM") || strstr(line, "clang") || strstr(line, "autotune-jit"))
      printf("mapped %s", line);
  return y[3] != 6;
}
END
autotune cc gcc -O1 first.c -o first || fail "first.c does not compile"
./first > out 2> log || fail "the first process"
./first > out 2> log || fail "the second process"
hasnt "the second process loads no compiler" out '^mapped'
winner=$(AUTOTUNE_LOG=info ./first 2>&1 | grep -c 'scale: ')
stored=$(ls "$AUTOTUNE_CACHE"/objects/*.so | wc -l)
is "the winner's code is stored" "$stored" 1
is "nothing is said of it" "$winner" 0

# A third of the faults that a connection to the store takes. no-asan: memory is the sanitizer's.
most_faults=120 most_calls=150
least() { # the least of some runs: another program may take pages away
  for _ in 1 2 3 4 5; do ./first | sed -n 's/^faults //p'; done | sort -n | head -1
}
faults=$(least)
check "$faults page faults, expected at most $most_faults" [ "$faults" -le $most_faults ]

if ! strace -o trace true 2> /dev/null; then
  echo "skipped: system calls (strace does not run here)"
  finish
fi
strace -o trace ./first > out || fail "the program under strace"
awk '/^getppid/ { n++; next } n == 1' trace > calls
calls=$(wc -l < calls)
check "$calls system calls, expected 20 to $most_calls: $(cut -c1-60 calls)" \
  [ $((calls >= 20 && calls <= most_calls)) = 1 ]
is "the store is opened once" "$(grep -c '^open.*/results\.db"' calls)" 1
hasnt "SQLite does not look at it" calls 'results\.db-wal'
check "the winner's code is opened to check it, and by the loader" \
  [ "$(grep -c '^open.*/objects/.*\.so"' calls)" -le 2 ]
hasnt "no process is made" calls '^\(clone\|fork\|vfork\|execve\)'
hasnt "nothing waits for the disk" calls '^f\(data\)\?sync'

# A store that a glance cannot read is read as before.
db=$AUTOTUNE_CACHE/results.db
head -c 512 /dev/zero > "$db-journal" # SQLite looks at it, and finds nothing to roll back
strace -o trace ./first > out || fail "the program, with a journal"
has "with a journal SQLite is asked" trace 'results\.db-wal'
finish
