# SPDX-License-Identifier: Apache-2.0
# ^C on a terminal (script(1) makes one) while a program waits for a tuning: the first one ends the tuning, the second
# one the program.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache AUTOTUNE_MODE=first AUTOTUNE_BUDGET=600s,100000
mkfifo keys
press() { printf '\003' >&3; }
appears() { # FILE PATTERN: within a minute or two
  for _ in $(seq 1200); do grep -q -e "$2" "$1" && return; sleep 0.1; done
  fail "$2 does not appear in $1"
}
start() { # OUTPUT COMMAND: on a terminal, in the background
  TERM=xterm SHELL=/bin/sh env --default-signal=INT,QUIT script -qefc "$2" /dev/null < keys > "$1" 2> err & terminal=$!
  exec 3> keys
}
finished() { # sets status, the command's
  wait $terminal
  status=$?
  exec 3>&-
}

cat > slow.c << 'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile sig_atomic_t caught;
static void catch(int signal) { caught += signal == SIGINT; }
#pragma autotune kernel param(STEP: 1..256) param(PAD: 0..256) key(n) in(x[0:n]) out(y[0:n])
void slow(int n, int rounds, const double *x, double *y)
{
  for (int r = 0; r < rounds; r++)
    for (int s = 0; s < STEP; s++)
      for (int i = s; i < n; i += STEP)
        y[i] = (r ? y[i] : 0) + x[i] / (1 + x[i]) + 0 * PAD;
}
int main(int argc, char **argv)
{
  enum { N = 1 << 16 };
  static double x[N], y[N];
  if (argc > 2)
    signal(SIGINT, catch);
  slow(N - argc, atoi(argv[1]), x, y);
  printf("done, caught %d\n", (int)caught);
  return 0;
}
END
check "compile" autotune cc gcc -O1 slow.c -o slow

start once "exec ./slow 1"
appears once 'C: go on with the best so far'
sleep 3 # so that some variants are tried
press
finished
is "once: status" $status 0
has "once: the program goes on" once 'done, caught 0'
has "once: said" once 'autotune: slow: ^C: the tuning ends with the best so far; a second ^C ends the program'
autotune report > report
has "once: variants were tried" report 'variants *[1-9]'
has "once: it says why" report 'ended by .C'

# Once more while a run goes on, which takes a second or more: the program ends.
rm -rf "$AUTOTUNE_CACHE"
start twice "exec ./slow 10000"
appears twice 'C: go on with the best so far'
press
sleep 0.2
press
finished
is "twice: status" $status 130
hasnt "twice: the program ended" twice 'done'

# The tuner crashes before it has heeded ^C: no other one takes its place, and the program goes on.
rm -rf "$AUTOTUNE_CACHE"
start crash "exec env AUTOTUNE_LOG=info AUTOTUNE_BUDGET=20s ./slow 10000"
appears crash 'slow: [0-9]* of [0-9]* variants'
tuner=$(ps -eo pid=,pgid=,sid=,comm= | awk '$4 == "slow" && $1 == $2 && $1 != $3 { print $1 }')
press
sleep 0.2
check "crash: of the tuner" kill -SEGV $tuner
finished
is "crash: status" $status 0
has "crash: the program goes on" crash 'done, caught 0'
has "crash: why" crash 'default: the tuning process ended unexpectedly'
hasnt "crash: no other tuner" crash 'it goes on without the variants'

# The program's own handler is called.
rm -rf "$AUTOTUNE_CACHE"
start own "exec ./slow 1 handles"
sleep 4
press
finished
is "own: status" $status 0
has "own: handled" own 'done, caught 1'
finish
