# SPDX-License-Identifier: Apache-2.0
# Right programs with workspaces: with scratch(…) the fast way must win, without a warning. Without it, it cannot win,
# and a warning must name the memory and the clause. A kernel that reads what was in its workspace is not tuned.
include=$(cd "$1" && pwd)/include
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_MODE=first AUTOTUNE_LOG=warn AUTOTUNE_BUDGET=60s

# Way 0 is slow, way 1 is fast, and both are right. Each program prints `right` or `wrong`.
cat > slow.h << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <autotune.h>
#ifndef WAY
#define WAY 0
#endif
static inline void spend(int way)
{
  volatile int turns = way == 0 ? 300000 : 30000;
  while (turns > 0)
    turns = turns - 1;
}
static inline int finish(int right)
{
  long long way = -1;
  autotune_best_int("kernel", NULL, "WAY", &way);
  printf("%s, way %lld\n", right ? "right" : "wrong", way);
  return 0;
}
END

# A buffer on the heap that a library keeps for its next call. The blocked way packs otherwise.
cat > heap.c << 'END'
#include "slow.h"
struct plan { double *work; int size; };
#pragma autotune kernel param(WAY: 0, 1) in(a[0:n]) out(c[0:n]) SCRATCH(plan->work[0:plan->size])
void kernel(struct plan *plan, int n, const double *a, double *c)
{
  double *w = plan->work;
  int block = WAY == 0 ? 1 : 8;
  spend(WAY);
  for (int i = 0; i < n; i += block) {
    for (int j = 0; j < block; j++)
      w[j] = 3 * a[i + j];
    for (int j = 0; j < block; j++)
      c[i + j] = w[j] - a[i + j];
  }
}
int main(void)
{
  static double a[256], c[256];
  struct plan plan = { calloc(64, sizeof(double)), 64 };
  int right = 1;
  for (int i = 0; i < 256; i++)
    a[i] = i;
  kernel(&plan, 256, a, c);
  for (int i = 0; i < 256; i++)
    right &= c[i] == 2 * i;
  return finish(right);
}
END

# A global that other functions use as well, for ends of their own.
cat > global.c << 'END'
#include "slow.h"
int marks[512];
#pragma autotune kernel param(WAY: 0, 1) in(a[0:n]) out(most[0:1]) SCRATCH(marks)
void kernel(int n, const int *a, int *most)
{
  int shift = WAY == 0 ? 0 : 128;
  spend(WAY);
  memset(marks + shift, 0, 128 * sizeof *marks);
  for (int i = 0; i < n; i++)
    marks[shift + a[i]]++;
  *most = 0;
  for (int i = 1; i < 128; i++)
    if (marks[shift + i] > marks[shift + *most])
      *most = i;
}
int other(int n)
{
  for (int i = 0; i < 512; i++)
    marks[i] = n;
  return marks[n % 512];
}
int main(void)
{
  static int a[1000];
  int most = -1;
  for (int i = 0; i < 1000; i++)
    a[i] = i % 3 ? i % 128 : 77;
  other(3);
  kernel(1000, a, &most);
  return finish(most == 77 && other(2) == 2);
}
END

# A buffer within a structure, of which one way uses more than the other.
cat > member.c << 'END'
#include "slow.h"
struct state { int n; double total; float buffer[256]; };
#pragma autotune kernel param(WAY: 0, 1) in(a[0:n]) inout(s->total) SCRATCH(s->buffer[0:256])
void kernel(struct state *s, int n, const float *a)
{
  int width = WAY == 0 ? 16 : 64;
  spend(WAY);
  for (int i = 0; i < width; i++)
    s->buffer[i] = 0;
  for (int i = 0; i < n; i++)
    s->buffer[i % width] += a[i];
  for (int i = 0; i < width; i++)
    s->total += s->buffer[i];
}
int main(void)
{
  static float a[1024];
  static struct state s;
  for (int i = 0; i < 1024; i++)
    a[i] = (float)(i % 7);
  double sum = 0;
  for (int i = 0; i < 1024; i++)
    sum += a[i];
  kernel(&s, 1024, a);
  return finish(s.total == sum);
}
END

# A workspace that the caller provides, as in LAPACK, and that only one way needs.
cat > argument.c << 'END'
#include "slow.h"
#pragma autotune kernel param(WAY: 0, 1) in(a[0:n]) out(c[0:n]) SCRATCH(w[0:n])
void kernel(int n, const double *restrict a, double *restrict c, double *restrict w)
{
  spend(WAY);
  if (WAY == 0) {
    for (int i = 0; i < n; i++)
      w[i] = a[i] + 1;
    for (int i = 0; i < n; i++)
      c[i] = w[i] * 2;
  } else
    for (int i = 0; i < n; i++)
      c[i] = (a[i] + 1) * 2;
}
int main(void)
{
  static double a[500], c[500];
  double *w = malloc(sizeof c);
  int right = 1;
  for (int i = 0; i < 500; i++)
    a[i] = i;
  kernel(500, a, c, w);
  for (int i = 0; i < 500; i++)
    right &= c[i] == 2 * i + 2;
  return finish(right);
}
END

# A table that is kept from call to call is no workspace.
cat > memo.c << 'END'
#include "slow.h"
double known[64];
int filled;
void forget(void) { filled = 0; }
#pragma autotune kernel param(WAY: 0, 1) in(x[0:n], filled) out(y[0:n]) SCRATCH(known)
void kernel(int n, const int *x, double *y)
{
  spend(WAY);
  for (int i = 0; i < 64 && !filled; i++)
    known[i] = i * 0.5;
  for (int i = 0; i < n; i++)
    y[i] = known[x[i]];
}
int main(void)
{
  static int x[100];
  static double y[100];
  int right = 1;
  for (int i = 0; i < 64; i++)
    known[i] = i * 0.5;
  filled = 1;
  for (int i = 0; i < 100; i++)
    x[i] = i % 64;
  kernel(100, x, y);
  for (int i = 0; i < 100; i++)
    right &= y[i] == i % 64 * 0.5;
  return finish(right);
}
END

# NAME CLAUSE: compiles and runs NAME.c, with CLAUSE in the place of SCRATCH(…)
tuned() {
  sed "s/SCRATCH\((.*)\)\$/$2/" "$1.c" > "$1_now.c"
  check "$1: compiles" autotune cc gcc -O1 -I"$include" "$1_now.c" -o "$1" 2> cc.log
  rm -rf "cache.$1"
  answer=$(AUTOTUNE_CACHE=$PWD/cache.$1 timeout 60 "./$1" 2> log)
}

for name in heap global member argument; do
  for try in 1 2 3; do # the machine may be busy
    tuned $name 'scratch\1'
    [ "$answer" = "right, way 1" ] && break
  done
  is "$name, with the clause" "$answer" "right, way 1"
  is "$name, with the clause: warnings" "$(cat log)" ""
  tuned $name ''
  is "$name, without the clause" "$answer" "right, way 0"
  has "$name, without the clause: the warning" log 'bytes that no section names .*scratch('
  has "$name, without the clause: the advice" log 'kernel: .*cannot win: name that memory in scratch('
  is "$name: the advice comes once" "$(grep -c 'cannot win' log)" 1
done
tuned memo 'scratch\1'
is "a table" "$answer" "right, way -1"
has "a table: why" log 'known is declared scratch, but the kernel reads what was in it (y\[0:n\]: element'

# The memory is named by the pointer that leads to it.
tuned heap ''
has "the way to the memory" log 'memory that byte 0 of \*plan points to, byte '

# Reports say what was compared, and what was not.
tuned heap 'scratch\1'
export AUTOTUNE_CACHE=$PWD/cache.heap
compared='compared: a\[0:n\] (unchanged), c\[0:n\] (256 doubles).*; not compared: scratch(plan->work\[0:plan->size\])'
autotune report > text
check "the report" eval "tr -s ' \n' ' ' < text | grep -q '$compared'"
autotune report --json > json
has "JSON" json "\"covered\": *\"$compared"
autotune report --markdown > markdown
has "Markdown" markdown "answers: compared&#58; a.*not compared&#58; scratch"
autotune why kernel > why
has "why" why "$compared"

finish
