# SPDX-License-Identifier: Apache-2.0
# search(extern: "COMMAND"): a program proposes the points. It is told what is searched and each result; what it says
# wrong is answered; and one that is silent, talks nonsense, ends or hangs only costs its own proposals.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_BUDGET
export AUTOTUNE_REVERIFY=off AUTOTUNE_LOG=debug

cat > ways.c << 'END'
#include <stdio.h>
/* WAY 1 is wrong, 5 is excluded, the others are right; 3 is by far the fastest. */
#define WAY 0
#define WORD "calm"
#pragma autotune kernel param(WAY: 0, 1, 2, 3, 4, 5) param(WORD: "calm", "loud") constraint(WAY != 5) key(n) \
  in(x[0:n]) out(y[0:n]) search(extern: "./propose \"a b\"", budget: 8s)
void ways(int n, const int *x, int *y)
{
  static const int turns[] = { 60, 20, 40, 1, 50, 1 };
  for (int t = 0; t < turns[WAY] + (WORD[0] == 'l'); t++)
    for (int i = 0; i < n; i++)
      ((volatile int *)y)[i] = x[i] + 1 + (WAY == 1);
}
int main(void)
{
  enum { N = 2000 };
  static int x[N], y[N];
  for (int i = 0; i < N; i++)
    x[i] = i % 100;
  ways(N, x, y);
  printf("%d\n", y[N - 100]);
  return 0;
}
END
check "compiles" autotune cc gcc -O1 ways.c -o ways
[ -e ways ] || finish

propose() { # reads the script of the proposer
  { echo '#!/bin/sh'; echo 'echo $$ > pid'; cat; } > propose
  chmod +x propose
  rm -f got pid
}
lives() { grep -qs '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status"; }
run() { # NAME VARIABLE=VALUE…: one process, with a store of its own
  local name=$1
  shift
  check "$name: runs" env AUTOTUNE_CACHE="$work/$name" "$@" ./ways > out 2> err
  is "$name: the answer" "$(cat out)" 1
  [ ! -e pid ] || check "$name: the proposer has ended" not lives "$(cat pid)"
}
tried() { grep -c ' s  ways: .* WORD=' err; } # variants
warned() { grep -c 'autotune: warning' err; }

# ---- what is said --------------------------------------------------------------------
propose << 'END'
echo "$1" > argument
ask() { echo "$1"; read -r line; echo "$line" >> got; }
read -r line; echo "$line" > first
ask '{"point": {"WAY": 2, "WORD": "loud"}}'
ask '{"point": {"WAY": 1, "WORD": "calm"}}'
ask '{"point": {"WAY": "3", "WORD": "calm"}}'
ask '{"point": {"WAY": 5, "WORD": "calm"}}'
ask '{"point": {"WAY": 7, "WORD": "calm"}}'
ask '{"point": {"WAY": 3, "WORD": "calm"}}'
ask '{"point": {"WAY": 3}}'
ask '{"point": {"WAY": 4, "WORD": "calm", "MORE": 1}}'
ask '{"point": 3}'
ask 'rubbish'
ask '{"other": 1}'
ask '{}'
echo '{"end": true}'
cat > rest
echo end >> rest
END
run said
is "said: the command" "$(cat argument)" "a b"
for part in '"autotune":1' '"kernel":"ways"' '"key":{"n":2000}' '"name":"WAY","kind":"int","values":\[0,1,2,3,4,5\],"original":0' \
  '"values":\["calm","loud"\]' '"constraint":\["WAY != 5"\]' '"default":{"seconds":[0-9.e-]*,"low":' '"cpu":"' '"threads":' \
  '"budget":' '"patience":2' '"in_flight":' '"source":".*void ways(int n'; do
  has "said: first" first "$part"
done
line() { sed -n "$1p" got > line; }
line 1; has "said: a result" line '^{"result":{"point":{"WAY":2,"WORD":"loud"},"status":"right","seconds":[0-9.e-]*,"low":.*"features":{.*"instructions":.*"left":0\.'
line 2; has "said: a failure" line '"point":{"WAY":1,"WORD":"calm"},"status":"wrong","why":"y\[0:n\]: element 0 is 2 instead of 1'
line 3; has "said: a number in quotes" line '"point":{"WAY":3,"WORD":"calm"},"status":"right"'
line 4; has "said: excluded" line '^{"error":"the constraint excludes it","line":"{\\"point\\": {\\"WAY\\": 5'
line 5; has "said: no value" line '"error":"no value of WAY is that"'
line 6; has "said: again" line '"error":"it was proposed or tried before"'
line 7; has "said: incomplete" line '"error":"it has no value for WORD"'
line 8; has "said: unknown" line '"error":"it names a parameter that does not exist"'
line 9; has "said: no object" line '"error":"\\"point\\" is to be an object'
line 10; has "said: no JSON" line '"error":"it is no JSON: '
line 11; has "said: nothing" line '"error":"write {\\"point\\"'
line 12; has "said: empty" line '"error":"write {\\"point\\"'
is "said: its input ends" "$(cat rest)" end
is "said: variants" "$(tried)" 3
is "said: no warning" "$(warned)" 0
has "said: the best wins" err 'ways: tuned: .* x over the default .*: WAY=3 WORD="calm"'
AUTOTUNE_CACHE=$work/said autotune report > report
has "said: report" report 'search *extern: all proposed variants tried'

# The next process knows the winner, and starts nothing.
rm pid
run said
check "stored: not started" not test -e pid
hasnt "stored: not tuned" err 'tuned:'

# ---- several at once, and no ear for results -----------------------------------------
propose << 'END'
for way in 0 2 3 4; do echo "{\"point\": {\"WAY\": $way, \"WORD\": \"loud\"}}"; done
echo '{"end": true}'
END
run list
is "list: variants" "$(tried)" 4
is "list: no warning" "$(warned)" 0

# ---- the environment -----------------------------------------------------------------
printf '#!/bin/sh\necho "{\\"point\\": {\\"WAY\\": 2, \\"WORD\\": \\"calm\\"}}"\nprintf "{\\"end\\": true}"\n' > other
chmod +x other
run other AUTOTUNE_SEARCH='extern:./other'
is "other: variants" "$(tried)" 1
rm -f pid
run none AUTOTUNE_SEARCH=random
check "none: not started" not test -e pid
run empty AUTOTUNE_SEARCH=extern: 2> /dev/null
has "empty: refused" err 'AUTOTUNE_SEARCH=extern:: unknown value'

# ---- proposers that are of no use ----------------------------------------------------
# All end with the default search, one warning, all ten variants tried, and the best of them.
useless() { # NAME WARNING: the proposer is read
  propose
  run "$1"
  is "$1: warnings" "$(warned)" 1
  has "$1: says why" err "warning: ways: the default search goes on without './propose \"a b\"': $2"
  is "$1: variants" "$(tried)" 10
  has "$1: the best wins" err 'ways: tuned: .*: WAY=3'
}
useless silent 'it proposed nothing for 2 s' <<< 'exec sleep 1000'
useless stopped 'it proposed nothing for 2 s' << 'END'
read -r line
echo '{"point": {"WAY": 2, "WORD": "loud"}}'
sleep 1000 &
wait
END
useless half 'it proposed nothing for 2 s' << 'END'
printf '{"point": {"WAY": 2'
sleep 1000
END
useless rubbish '64 lines in succession proposed nothing; the last: it is no JSON' <<< 'exec yes rubbish'
useless again '64 lines in succession proposed nothing; the last: it was proposed or tried before' \
  <<< "exec yes '{\"point\": {\"WAY\": 2, \"WORD\": \"loud\"}}'"
useless flood 'it wrote a line of more than 1048576 bytes' <<< 'exec tr "\0" "[" < /dev/zero'
useless dies 'it ended with status 3' << 'END'
echo '{"point": {"WAY": 4, "WORD": "loud"}}'
exit 3
END
useless killed 'it was ended by signal 9' <<< 'kill -9 $$'
useless deaf 'it proposed nothing for 2 s' << 'END'
exec < /dev/null > /dev/null
sleep 1000
END
rm propose
run missing
has "missing: says why" err "it ended with status 127"
is "missing: variants" "$(tried)" 10

# ---- files name no command -----------------------------------------------------------
propose <<< 'echo "{\"end\": true}"'
run captured AUTOTUNE_CAPTURE="$work/captures" AUTOTUNE_MODE=off
rm -f pid
for call in "$work"/captures/*; do
  check "captured: tunes" env AUTOTUNE_CACHE="$work/replayed" setarch -R autotune tune --capture "$call" > out 2> err
done
check "captured: not started" not test -e pid
is "captured: the default search" "$(tried)" 10
finish
