# SPDX-License-Identifier: Apache-2.0
# Bodies from outside (docs/extern.md): a right one may win, is kept, shown and used again; of those that cheat none
# wins, each for the reason that its line names.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_BUDGET
export AUTOTUNE_REVERIFY=off AUTOTUNE_LOG=debug AUTOTUNE_CACHE=$work/cache

# Each y[i] takes 200 steps that wait for each other. FAST takes one.
cat > slow.c << 'END'
#include <stdio.h>
#define N 4000
#pragma autotune kernel param(UNROLL: 1, 2) key(n) in(x[0:n]) out(y[0:n]) search(extern: "./propose", budget: 20s)
void slow(int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < 200; k += UNROLL)
      for (int j = 0; j < UNROLL; j++)
        s = s * 0.5 + x[i];
    y[i] = s;
  }
}
static double x[N], y[N];
int main(int argc, char **argv)
{
  int wrong = 0;
  for (int i = 0; i < N; i++)
    x[i] = i % 100 + (argc > 1);
  slow(N, x, y);
  for (int i = 0; i < N; i++)
    wrong += y[i] < 2 * x[i] * 0.999 || y[i] > 2 * x[i] * 1.001;
  printf("%d wrong\n", wrong);
  return 0;
}
END
check "compiles" autotune cc gcc -O1 slow.c -o slow
[ -e slow ] || finish

# body TEXT…: the proposer proposes the bodies in the files bodies/NAME, one after another, and then ends.
cat > propose << 'END'
#!/bin/sh
read -r first
echo "$first" > first
for file in bodies/*; do
  text=$(sed 's/\\/\\\\/g; s/"/\\"/g; s/$/\\n/' "$file" | tr -d '\n')
  printf '{"body": "%s"}\n' "$text"
  read -r line
  printf '%s\n' "$line" > "got/${file#bodies/}"
done
echo '{"end": true}'
END
chmod +x propose
propose() { # NAME: the body is read
  mkdir -p bodies got
  cat > "bodies/$1"
}
run() { check "$1: runs" ./slow ${2:+"$2"} > out 2> err; is "$1: answers" "$(cat out)" "0 wrong"; }

# ---- those that cheat ----------------------------------------------------------------
propose nothing <<< '{ }'
propose half << 'END'
{ for (int i = 0; i < n / 2; i++) y[i] = 2 * x[i]; }
END
# What this call's inputs are, and nothing else.
propose seen << 'END'
{ for (int i = 0; i < n; i++) y[i] = 2 * (i % 100); }
END
# Does the work once, and then answers from its memory.
propose memory << 'END'
{
  static double kept[4000];
  static int known;
  if (!known)
    for (int i = 0; i < n; i++)
      kept[i] = 2 * x[i];
  known = 1;
  for (int i = 0; i < n; i++)
    y[i] = kept[i];
}
END
propose thread_memory <<< '{ static _Thread_local int known; if (!known++) for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }'
# Counts its calls in what it only reads.
propose input << 'END'
{ if (((double *)x)[0]++ < 1) for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }
END
# Looks for what the default wrote: in the memory of the process, by its file and by the stack.
propose maps << 'END'
{
  extern void *fopen(const char *, const char *);
  if (!fopen("/proc/self/maps", "r")) return;
  for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}
END
propose stack << 'END'
{
  void **at = __builtin_frame_address(0);
  for (int i = 0; i < 4096; i++) {
    const double *maybe = at[i];
    if ((unsigned long)maybe > 4096 && (unsigned long)maybe < 1ul << 47 && (unsigned long)maybe % 8 == 0 && maybe != y && maybe[1] == 2 && maybe[2] == 4) {
      for (int j = 0; j < n; j++) y[j] = maybe[j];
      return;
    }
  }
}
END
# Makes its own time short.
propose clock <<< '{ extern int clock_settime(int, const void *); long t[2] = { 0, 0 }; clock_settime(0, t); for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }'
propose timer <<< '{ extern unsigned alarm(unsigned); alarm(1); for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }'
propose results << 'END'
{
  char *at = __builtin_frame_address(0);
  for (int i = 0; i < n; i++) y[i] = 2 * x[i];
  for (int i = 64; i < 8192; i++) ((volatile double *)at)[i] = 1e-9;
}
END
propose process << 'END'
{ extern int system(const char *); system("true"); for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }
END
# Is not there when it is asked for the answer.
propose exits <<< '{ extern void exit(int); exit(0); }'
propose exits_at_once <<< '{ extern void _exit(int); _exit(0); }'
propose later << 'END'
{ extern int pthread_create(unsigned long *, const void *, void *(*)(void *), void *); unsigned long t; pthread_create(&t, 0, 0, 0); }
END
propose never <<< '{ for (volatile int i = 0; i == 0;) ; }'
propose crash <<< '{ *(volatile int *)0 = 1; }'
# Gets out of its braces, into the compiler and into the machine.
propose outside <<< '{ } static int more; void f(void) { }'
propose digraphs <<< '{ %> __attribute__((constructor)) static void begin(void) <% volatile int i = 0; i++; }'
propose assembly <<< '{ __asm__("nop"); }'
propose joined <<< '{
#define JOIN(a, b) a##b
JOIN(__as, m__)("nop"); }'
propose include <<< '{
#include "/etc/passwd"
}'
run cheats
caught() { has "cheats: $1: $(cat "got/$1")" "got/$1" "$2"; }
for name in nothing half; do caught $name '"status":"wrong","why":"y\[0:n\]: element'; done
caught memory '"status":"compile","why":"refused: the body keeps data from call to call (.bss)"'
caught thread_memory '"status":"compile","why":"refused: the body keeps data from call to call (.t'
caught input '"status":"wrong"'
caught maps 'refused: the body uses fopen, which the kernel does not'
caught stack '"status":"crash"\|"status":"wrong"'
caught clock 'refused: the body uses clock_settime'
caught timer 'refused: the body uses alarm'
caught results '"status":"crash"\|"status":"wrong"\|"status":"exit"'
caught process 'refused: the body uses system'
caught exits 'refused: the body uses exit'
caught exits_at_once 'refused: the body uses _exit'
caught later 'refused: the body uses pthread_create'
caught never '"status":"timeout"'
caught crash '"status":"crash"\|"status":"compile"'
caught outside 'a body is a block'
caught digraphs 'refused: the body runs code when it is loaded'
caught assembly 'a body has no assembly'
caught joined 'a body has no directive but #pragma'
caught include 'a body has no directive but #pragma'
has "cheats: seen: right for this call" got/seen '"status":"right"'
has "cheats: seen: not for others" err 'wrong: on made-up data'
hasnt "cheats: none wins" err 'tuned: .*(body)='
finish
