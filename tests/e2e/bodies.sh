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
# Knows this call's inputs by some of them, and its outputs; for all others it does the work.
propose guarded << 'END'
{
  if (n == 4000 && x[0] == 0 && x[1] == 1 && x[77] == 77 && x[3999] == 99) {
    for (int i = 0; i < n; i++) y[i] = 2 * (i % 100);
    return;
  }
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < 200; k++)
      s = s * 0.5 + x[i];
    y[i] = s;
  }
}
END
# Computes with half of the digits, which is enough for this call's inputs.
propose single << 'END'
{ for (int i = 0; i < n; i++) y[i] = 2.0f * (float)x[i]; }
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
has "cheats: single: right for this call" got/single '"status":"right"'
has "cheats: single: not with more digits" err 'wrong: on made-up data (more digits): '
has "cheats: guarded: right for all" got/guarded '"status":"right"'
has "cheats: guarded: fast for this call only" err 'cannot win: it is so fast for this call.s data only'
hasnt "cheats: none wins" err 'tuned: .*(body)='

# A kernel of its own that looks for the answer in the process, as no body can: it is not there while it is compared.
cat > reader.c << 'END'
#include <stdio.h>
#pragma autotune kernel param(WAY: 0, 1) key(n) in(x[0:n]) out(y[0:n]) search(exhaustive, budget: 20s)
void reader(int n, const double *x, double *y)
{
  FILE *maps = WAY == 1 ? fopen("/proc/self/maps", "r") : NULL;
  char line[400];
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long from, to;
    char flags[8];
    if (sscanf(line, "%lx-%lx %7s", &from, &to, flags) == 3 && flags[3] == 's' && to - from < 1 << 20)
      for (const double *at = (const double *)from; at + n <= (const double *)to; at += 8)
        if (at[1] == 2 && at[2] == 4) {
          for (int i = 0; i < n; i++)
            y[i] = at[i];
          fclose(maps);
          return;
        }
  }
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
}
static double x[4000], y[4000];
int main(void)
{
  for (int i = 0; i < 4000; i++)
    x[i] = i;
  reader(4000, x, y);
  printf("%g\n", y[7]);
  return 0;
}
END
check "reader: compiles" autotune cc gcc -O1 reader.c -o reader
check "reader: runs" env AUTOTUNE_CACHE="$work/reader" ./reader > out 2> err
is "reader: answer" "$(cat out)" 14
has "reader: found" err 'reader: crashed: .*WAY=1'

# ---- one that is right ---------------------------------------------------------------
right='{ for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }'
rm -r bodies got cache 2> /dev/null
rm -rf "$AUTOTUNE_CACHE"
propose right <<< "$right"
run right
has "right: wins" err 'slow: tuned: .*: (body)=[0-9a-f]* UNROLL=1'
has "right: other data" err 'slow: agrees on [1-9] made-up sets'
run again
hasnt "again: not tuned" err 'tuned:'
autotune why slow > why
has "why: says it" why '(body)=.*its body came from outside'
autotune report > report
has "report: which" report '(body)=[0-9a-f]* '
has "report: shows it" report 'for (int i = 0; i < n; i++) y\[i\] = 2 \* x\[i\];'
autotune report --json > json
has "json: has it" json '"body":'
autotune report --markdown > markdown
has "markdown: has it" markdown 'its body came from outside'
autotune bake slow.c -o baked.c > out 2> err
has "bake: leaves it out" err 'is not baked: its body came from outside'
autotune db export > exported 2> err
is "export: leaves it out" "$(cat exported)" ""
has "export: says it" err 'its body came from outside'
# Without its code it is tuned anew: nothing else has the body.
rm -r "$AUTOTUNE_CACHE/objects"
run lost
has "lost: says it" err 'the code of what was best is not here, and its body came from outside'
has "lost: tuned" err 'tuned:'
# With another text around it, it is not used.
sed 's/s \* 0.5 + x/s * 0.25 + x/; s/2 \* x\[i\] \*/(4.0 \/ 3) * x[i] */g' slow.c > other.c
check "other: compiles" autotune cc gcc -O1 other.c -o slow
run other
has "other: not used" err 'slow: wrong: '
is "other: stays" "$(grep -c 'tuned: .*(body)=' err)" 0

# ---- what it may use -----------------------------------------------------------------
cat > uses.c << 'END'
#include <math.h>
#include <stdio.h>
double factor = 3;
static double step(double s, double x) { return s * 0.5 + sqrt(x) * factor; }
#pragma autotune kernel param(STEPS: 100, 200) param(UNROLL: 1, 2) constraint(STEPS * UNROLL == 200) key(n) \
  in(x[0:n]) out(y[0:n]) search(extern: "./propose", budget: 20s)
void uses(int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < STEPS; k++)
      for (int j = 0; j < UNROLL; j++)
        s = step(s, x[i]);
    y[i] = s;
  }
}
static double x[3000], y[3000];
int main(void)
{
  for (int i = 0; i < 3000; i++)
    x[i] = i % 50;
  uses(3000, x, y);
  printf("%.0f\n", y[4]);
  return 0;
}
END
check "uses: compiles" autotune cc gcc -O1 -DSTEPS=200 -DUNROLL=1 uses.c -lm -o uses
cat > propose << 'END'
#!/bin/sh
read -r line
for text in '"body": "{ for (int i = 0; i < n; i++) y[i] = 2 * sqrt(x[i]) * factor; }"' \
  '"body": "{\n  // UNROLL steps at once\n#pragma clang loop unroll(disable)\n  for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < 30 * UNROLL; k++) s = step(s, x[i]); y[i] = s; }\n}", "point": {"UNROLL": 2, "STEPS": 100}' \
  '"body": "{ extern double exp(double), log(double), fabs(double); for (int i = 0; i < n; i++) y[i] = 2 * exp(0.5 * log(x[i])) * fabs(factor); }"' \
  '"body": "{ factor = 4; for (int i = 0; i < n; i++) y[i] = 6 * sqrt(x[i]); }"' \
  '"body": 3' '"body": "y[0] = 1;"' '"body": "{ }", "point": {"UNROLL": 2, "STEPS": 200}'; do
  printf '{%s}\n' "$text"
  read -r line
  printf '%s\n' "$line" >> used
done
echo '{"end": true}'
END
check "uses: runs" ./uses > out 2> err
is "uses: answer" "$(cat out)" 12
line() { sed -n "$1p" used > line; }
line 1; has "uses: libm, a variable" line '"status":"right"'
line 2; has "uses: a helper, parameters, a pragma" line '"body":2,"point":{"STEPS":100,"UNROLL":2},"status":"right"'
line 3; has "uses: other functions of libm" line '"status":"right"'
line 4; has "uses: a variable is written" line '"status":"wrong"'
line 5; has "uses: no text" line '"error":"\\"body\\" is to be a string"'
line 6; has "uses: no block" line '"error":"a body is a block'
line 7; has "uses: no such point" line '"error":"the constraint excludes it"'

# ---- where none is taken -------------------------------------------------------------
printf '#!/bin/sh\nread -r line\necho %s\nread -r line\necho "$line" > refused\necho %s\n' \
  "'{\"body\": \"{ for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }\"}'" "'{\"end\": true}'" > propose
none() { # NAME SED WHY
  sed "$2" slow.c > none.c
  check "$1: compiles" autotune cc gcc -O1 none.c -o none
  check "$1: runs" env AUTOTUNE_CACHE="$work/$1" ./none > out 2> err
  has "$1: refused" "$4" "$3"
}
none unchecked 's/search(/verify(off) search(/' 'no bodies are taken: outputs are not compared' refused
sed -i 's/2 \* x\[i\]/2 * x[i] - (x[i] > 0)/' propose
none integers 's/double \*/int */g; s/static double/static int/; s/double s = 0/int s = 0/; s/s \* 0.5 + x/s \/ 2 + x/' \
  'cannot win: there was no other data to compare it on' err
finish
