#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bake_lessons.sh BUILD: every lesson, and directives.c, as written, tuned with the winners of bake_winners.txt, and
# baked with the same. All give the same bits or, if a winner adds up in another order, an answer within the kernel's
# tolerance. Winners are taken as locked wisdom: no result depends on speed.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/cc_lib.sh"
jit=$(dirname "$(command -v autotune)")/../lib/libautotune-jit.so
[ -e "$jit" ] || { echo "skipped: $jit is not built"; exit 77; }
here=$root/tests/e2e
flags="-O2 -ffp-contract=off"
threads=$(($(nproc) > 1 ? 2 : 1))

# Four that sgemm's constraint allows with the vectors and the second cache of this machine.
sgemm_winners() { # WISDOM
  sed -n 's/.* l2=\([0-9]*\) .* vector=\([0-9]*\).*/\1 \2/p' "$1" | awk '{
    split("4 6 8 12 14", mr); split("16 32 48 64", nr); split("192 256 352 512", kc); split("128 256 512 704 1024", nc)
    split("37 64 100 7", key)
    for (r in mr) for (n in nr) {
      v = 4 * mr[r] * nr[n] / $2
      if (v >= ($2 < 64 ? 8 : 24) && v <= ($2 < 64 ? 12 : 28)) registers[++a] = "MR=" mr[r] " NR=" nr[n] }
    for (k in kc) for (n in nc)
      if (12 * kc[k] * nc[n] >= $1 && 16 * kc[k] * nc[n] <= 3 * $1) blocks[++b] = "KC=" kc[k] " NC=" nc[n]
    for (i = 1; a && b && i <= 4; i++)
      print "sgemm " key[i] ": " registers[1 + i % a] " " blocks[1 + 2 * i % b] " AHEAD=" 32 * 2 ^ (i % 3) }'
}

winners() { # WISDOM
  sed -n 's/.* l2=\([0-9]*\) .* vector=\([0-9]*\).*/\1 \2/p' "$1" | awk '{
    split("4 6 8 12 14", MR); split("16 32 48 64", NR); split("192 256 352 512", KC); split("128 256 512 704 1024", NC)
    split("37 64 100 7", key)
    for (r in MR) for (n in NR) {
      v = 4 * MR[r] * NR[n] / $2
      if (v >= ($2 < 64 ? 8 : 24) && v <= ($2 < 64 ? 12 : 28)) registers[++R] = "MR=" MR[r] " NR=" NR[n] }
    for (k in KC) for (n in NC)
      if (12 * KC[k] * NC[n] >= $1 && 16 * KC[k] * NC[n] <= 3 * $1) blocks[++B] = "KC=" KC[k] " NC=" NC[n]
    for (i = 1; R && B && i <= 4; i++)
      print "sgemm " key[i] ": " registers[1 + i % R] " " blocks[1 + 2 * i % B] " AHEAD=" 32 * 2 ^ (i % 3) }'
}

winners() { # LESSON: lines KERNEL KEY: PARAM=VALUE…
  if [ "$1" = 02_sgemm ]; then
    sgemm_winners "$1.first"
  else
    sed -n "/^$1\$/,/^\$/s/THREADS=2/THREADS=$threads/; /^$1\$/,/^\$/{/:/p}" "$here/bake_winners.txt"
  fi
}

# The output of `lessons` for tuned keys: the same bits, except where ~ allows a tolerance.
agree() { # WHAT GOT
  check "$1: right" not grep WRONG "$2"
  sed -n 's/: [^~].*/: same bits/p' "$name.winners" > exact
  is "$1: same bits" "$(grep -c -x -F -f exact "$2")" "$(grep -c . exact)" || cat "$2"
}

lesson() { # FILE
  name=$(basename "$1" .c)
  cp "$1" .
  check "$name: plain" gcc $flags -w -Dmain=unused "$name.c" lessons.o -lm -o plain
  check "$name: as written" ./plain all write reference

  # A line of each kernel from this machine, with any result, changed to the winner of the test.
  check "$name: build" autotune cc gcc $flags -Dmain=unused "$name.c" lessons.o -lm -o tuned
  AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/$name AUTOTUNE_BUDGET=60s,1 AUTOTUNE_SEARCH=random AUTOTUNE_SEED=1 \
    ./tuned one compare reference > got 2> log || { fail "$name: tuning"; cat got log; }
  AUTOTUNE_CACHE=$work/$name check "$name: export" autotune db export -o "$name.first"
  winners "$name" > "$name.winners"
  [ -s "$name.winners" ] || { echo "$name: no variant fits this machine"; return; }
  sed 's/~//' "$name.winners" | node "$here/bake_force.js" "$name.c" "$name.first" > "$name.forced"

  # Tuned: each winner is compiled, checked and run; then the store has it under the hash of its text. On a busy
  # machine a check may run out of time.
  for try in 1 2 3 4 5; do
    export AUTOTUNE_CACHE=$work/$name.locked.$try
    AUTOTUNE_MODE=locked AUTOTUNE_WISDOM=$name.forced ./tuned tuned compare reference > got 2> log
    agree "$name: tuned" got
    ran=$(grep -c ': from wisdom ' log)
    [ "$ran" -lt "$(grep -c : "$name.winners")" ] || break
    grep default: log
  done
  is "$name: winners that ran" "$ran" "$(grep -c : "$name.winners")"
  check "$name: export" autotune db export -o "$name.wisdom"

  # Baked with the results: no call may fall back on the default. Then in a build with wisdom, at any size. All of
  # sgemm's variants have a flag of their own: a build that has it can bake them.
  own=$flags
  [ "$name" != 02_sgemm ] || own="$flags -mprefer-vector-width=512"
  check "$name: bake" autotune bake "$name.c" -o baked.c -- $own -Dmain=unused 2> log
  is "$name: messages" "$(cat log)" ""
  sed '/^{/,/^}/s/^  \(return \)*[a-z_0-9]*_untuned(.*/  __builtin_trap();/' baked.c > trapped.c
  check "$name: no default" gcc $own -fopenmp -w -Dmain=unused trapped.c lessons.o -lm -o baked
  ./baked tuned compare reference > got || fail "$name: baked, winners alone"
  agree "$name: baked" got
  for cc in gcc clang-22; do
    check "$name: $cc" $cc -std=gnu11 $own -Wall -Wextra -Wno-unknown-pragmas -Werror -Dmain=unused baked.c \
      lessons.o -lm -o baked
    ./baked all compare reference > got || fail "$name: baked, $cc"
    agree "$name: baked, $cc" got
    hasnt "$name: $cc: libautotune" <(ldd ./baked) autotune
  done
  check "$name: in a build" autotune cc --bake "$name.wisdom" gcc $own -fopenmp -Dmain=unused "$name.c" \
    lessons.o -lm -o built 2> log
  is "$name: messages of the build" "$(cat log)" ""
  ./built all compare reference > got || fail "$name: built"
  agree "$name: built" got
}

check "lessons.o" gcc -O1 -Wall -Wextra -c "$here/lessons.c" -o lessons.o
for source in "$root"/examples/[0-9]*.c "$here/directives.c"; do
  lesson "$source"
done

# A winner with flags of its own: fast if -ffast-math takes NaN for a number. That variant is the fastest by far, then
# one without flags.
cat > flags.c << 'END'
#include <stdio.h>

#define WORK 4000000

#pragma autotune kernel param(WORK: 4000000, 400000) flags("", "-ffast-math") key() verify(off)
static void spin(double zero, volatile int *which)
{
  double nan = zero / zero;
  *which = nan != nan ? WORK : 40000;
  for (volatile int i = *which; i > 0; i--)
    ;
}

int main(void)
{
  volatile double zero = 0;
  int which;
  spin(zero, &which);
  printf("%d\n", which);
  return 0;
}
END
check "flags: build" autotune cc gcc -O2 flags.c -o tuned
for try in 1 2 3; do
  export AUTOTUNE_CACHE=$work/flags$try
  AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s,4 AUTOTUNE_SEARCH=exhaustive ./tuned > got 2> log
  [ "$(cat got)" != 40000 ] || break
done
check "flags: export" autotune db export -o flags.wisdom
has "flags: the winner's" flags.wisdom '"flags": "-ffast-math"'
baked() { # WHAT EXPECTED FLAGS BAKE'S ARGUMENTS…
  local what=$1 expected=$2 own=$3
  shift 3
  check "$what" autotune bake flags.c -o baked.c "$@" -- -O2 $own 2> log
  check "$what: compile" gcc -O2 $own baked.c -o baked
  is "$what: runs" "$(./baked)" "$expected"
}
baked "flags, from results" 400000 ""
has "flags, from results: told" baked.c 'all calls: .*WORK=400000 .*(the fastest without flags of its own); .* x over'
is "flags, from results: messages" "$(cat log)" ""
baked "flags, from wisdom" 4000000 "" --wisdom flags.wisdom
has "flags, from wisdom: told" log 'spin.* is not baked: it needs compiler flags of its own, which C cannot express$'
has "flags, from wisdom: what to do" log 'hint: build the whole file with -ffast-math, and name them after --'
baked "flags of the build" 40000 -ffast-math --wisdom flags.wisdom
is "flags of the build: messages" "$(cat log)" ""
finish
