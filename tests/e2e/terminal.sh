# SPDX-License-Identifier: Apache-2.0
# autotune report on a terminal (script(1) makes one), for pull requests and for programs, and while tunings go
# on in other processes.
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache LC_ALL=C.UTF-8 PAGER=cat
unset NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES
terminal() { # COLUMNS OUTPUT COMMAND: on a terminal of so many columns
  TERM=xterm SHELL=/bin/sh script -qec "stty cols $1 rows 30; $3" /dev/null > "$2" < /dev/null
}
plain() { sed 's/\x1b\[[0-9;]*[mJA]//g; s/\r//g' "$1"; } # FILE: without colours and the like

# Two kernels with enough variants to be watched for some seconds.
cat > two.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#pragma autotune kernel param(STEP: 1..64) key(n) in(x[0:n]) out(y[0:n]) flops(n)
void first(int n, const double *x, double *y)
{
  for (int s = 0; s < STEP; s++)
    for (int i = s; i < n; i += STEP)
      y[i] = x[i] / (1 + x[i]);
}
#pragma autotune kernel param(U: 1, 2, 4, 0) in(x[0:n]) out(y[0:n])
void second(int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] = x[i] + (U == 0);
}
int main(int argc, char **argv)
{
  enum { N = 1 << 16 };
  static double x[N], y[N];
  time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 0);
  for (int i = 0; i < N; i++)
    x[i] = i % 8;
  do {
    first(N, x, y);
    second(N, x, y);
  } while (time(NULL) < end);
  puts("done");
  return 0;
}
END
check "compile" autotune cc gcc -O1 two.c -o two

# Followed from another process, which waits for them to begin.
autotune report --follow --cache "$work/nothing" > nothing & idle=$!
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=20s ./two > answer 2> err & program=$!
autotune report --follow > live 2> err; is "follow: exit status" $? 0
# On a slow machine the second may begin when the first was followed to its end.
while kill -0 $program 2> /dev/null; do timeout 20 autotune report --follow >> live 2> err; done
wait $program
is "answer" "$(cat answer)" "done"
has "follow: progress" live '^first, n = 65536: [0-9]* of [0-9]* variants · [0-9.e+]*/s .*s left; '
has "follow: the end" live '^first, n = 65536: \(tuned\|default\): '
has "follow: the second" live '^second, n = 65536: \(tuned\|default\): '
hasnt "follow: no terminal is commanded" live $'\e'

# A program that waits says so once, on a terminal only.
terminal 200 waits "AUTOTUNE_CACHE=$work/waits AUTOTUNE_MODE=first AUTOTUNE_BUDGET=20s ./two"
is "waiting: said once" "$(grep -c '^autotune: tuning first, up to [0-9]* s more (^C: go on with the best so far); AUTOTUNE_LOG=info shows' waits)" 1
has "waiting: how not to" waits 'AUTOTUNE_MODE=background'
hasnt "waiting: on terminals only" err 'autotune: tuning'
terminal 200 waits "AUTOTUNE_LOG=warn AUTOTUNE_CACHE=$work/tune autotune tune ./two"
has "autotune tune: that it goes on" waits '^autotune: tuning first, up to [0-9]* s more.*; AUTOTUNE_LOG=info shows'
hasnt "autotune tune: nobody is told not to wait" waits background

# The terminal: its width, colours, bars.
terminal 72 wide "autotune report"
has "terminal: colours" wide $'\e\[1mfirst\e\[0m'
has "terminal: bars" wide '█'
plain wide | sed 1d > text
check "terminal: its width" not grep -E '^.{73}' text
terminal 72 out "NO_COLOR=1 autotune report"
hasnt "NO_COLOR" out $'\e'
has "NO_COLOR: bars" out '█'
terminal 72 out "LC_ALL=C autotune report"
hasnt "no UTF-8" out '[^[:print:][:cntrl:]]\|█\|…'
has "no UTF-8: bars" out '##'
terminal 72 out "TERM=dumb autotune report"
tr -d '\r' < out > dumb
autotune report > text
same "a dumb terminal" dumb text
hasnt "no terminal: colours" text $'\e'
hasnt "no terminal: bars" text '█'

# The pager: only on a terminal, and the report is shown without it where it cannot be run.
terminal 72 out "AUTOTUNE_PAGER='sed s/^/paged:/' autotune report"
has "pager" out '^paged:.*before  *after  *gain'
terminal 72 out "PAGER='sed s/^/paged:/' autotune report"
has "PAGER" out '^paged:'
terminal 72 out "PAGER='sed s/^/paged:/' AUTOTUNE_PAGER= autotune report"
hasnt "AUTOTUNE_PAGER comes before PAGER, empty: none" out paged:
for options in --no-pager --markdown --json; do
  terminal 72 out "AUTOTUNE_PAGER='sed s/^/paged:/' autotune report $options"
  hasnt "$options: no pager" out paged:
  has "$options: the report" out first
done
terminal 72 out "AUTOTUNE_PAGER=/no/such/pager autotune report; echo status \$?"
has "a pager that is not there: the report" out 'before  *after  *gain'
has "a pager that is not there: exit status" out '^status 0'
terminal 72 out "AUTOTUNE_PAGER='head -c 1 > /dev/null' autotune report -v; echo status \$?"
has "a pager that ends early: exit status" out '^status 0'
AUTOTUNE_PAGER='sed s/^/paged:/' autotune report > out
hasnt "no terminal: no pager" out paged:

CLICOLOR_FORCE=1 autotune report > out
has "CLICOLOR_FORCE" out $'\e\[1mfirst'

# A program that tunes in the background, seen on a terminal.
rm -rf "$AUTOTUNE_CACHE"
AUTOTUNE_MODE=background AUTOTUNE_BUDGET=3s ./two 10 > answer 2> err & program=$!
terminal 80 live "autotune report --follow"
wait $program
is "answer beside" "$(cat answer)" "done"
has "follow: drawn anew" live $'\e\[[36]A\e\[J'
plain live > text
has "follow: a bar" text '^  █*[▏▎▍▌▋▊▉]*░*  [0-9]* of [0-9]* variants · '
has "follow: the end stays" text '^first, n = 65536: \(tuned\|default\): '

# ctrl-C ends it, however long it would wait.
TERM=xterm SHELL=/bin/sh timeout 10 script -qec \
  "timeout -s INT 2 autotune report --follow --cache $work/nothing" /dev/null > out < /dev/null
is "ctrl-C" $? 124
has "ctrl-C: it waited" out 'no tuning goes on; waiting for one'

# For pull requests.
autotune report --markdown > out; is "Markdown: exit status" $? 0
has "Markdown: table" out '^| --- | --- | ---: |'
has "Markdown: row" out '^| <code>first</code> | <code>n = 65536</code> | [0-9.]* [^ ]*s | '
has "Markdown: folded" out '^<details><summary><code>second</code>'
autotune report --markdown --json > out 2> err; is "Markdown and JSON" $? 2

# For programs: the output follows docs/report.schema.json.
if command -v node > /dev/null; then
  schema() { node "$here/schema.js" "$root/docs/report.schema.json" "$1" whole; }
  autotune report --json > all.json
  check "schema" schema all.json
  autotune report --json --verbose > verbose.json
  check "schema: verbose" schema verbose.json
  has "schema: a failure is among them" verbose.json '"fate": "wrong"'
  autotune report --json --cache "$work/nothing" > none.json
  check "schema: nothing" schema none.json
  for change in 's/"format": 1/"format": 2/' 's/"kernel": "first"/"kernel": 1/' 's/"isa"/"isb"/' \
                's/"fate": "wrong"/"fate": "bad"/' 's/"threads": /"threads": -/' \
                's/"STEP": "\([0-9]*\)"/"STEP": \1/' 's/"toolchain"/"tool"/'; do
    sed "$change" verbose.json > bad.json
    check "schema: $change is refused" not schema bad.json > /dev/null
  done
else
  echo "no node: the schema is left out"
fi

wait $idle; is "nothing to follow" $? 1
has "nothing to follow: said" nothing 'no tuning goes on$'
finish
