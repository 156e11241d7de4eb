# SPDX-License-Identifier: Apache-2.0
# autotune report --html FILE --follow: the page is written while a program tunes, and is not live at the end. What it
# does in a browser is tested by page.sh.
. "$(dirname "$0")/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache LC_ALL=C.UTF-8
cat > slow.c << 'END'
#include <stdio.h>
#pragma autotune kernel param(STEP: 1..400) key(n) in(x[0:n]) out(y[0:n])
void first(int n, const double *x, double *y)
{
  for (int s = 0; s < STEP; s++)
    for (int i = s; i < n; i += STEP)
      y[i] = x[i] / (1 + x[i]);
}
int main(void)
{
  enum { N = 1 << 16 };
  static double x[N], y[N];
  for (int i = 0; i < N; i++)
    x[i] = i % 8;
  first(N, x, y);
  puts("done");
  return 0;
}
END
check "compile" autotune cc gcc -O1 slow.c -o slow
live() { grep -o '"live":{[^]]*]}' page.html; } # what the page says of the tunings
tried() { live | sed -n 's/.*"name":"first, n = 65536","tried":\([0-9]*\),"best":\([0-9.e-]*\).*/\1/p'; }
until_that() { for _ in $(seq 600); do "$@" && return; sleep 0.1; done; false; }
has_tried() { [ "$(tried)" -gt "$1" ] 2> /dev/null; }
exists() { [ -e page.html ]; }
is_idle() { [ -n "$(live)" ] && [ -z "$(tried)" ]; }

autotune report --html page.html > out 2> err
case $(cat err) in *"built without the page"*)
  echo "skipped: this autotune was built without the page"; exit 77 ;;
esac
autotune report --json --html page.html --follow > out 2> err; is "a format of its own: exit status" $? 2
has "a format of its own: said" err 'or --html with --follow'
autotune report --html no/such/folder.html --follow > out 2> err; is "no folder: exit status" $? 1
has "no folder: said" err 'no/such/folder.html: No such file'

# Before there is a store, while it is filled, and until the user ends it.
autotune report --html page.html --follow > out 2> err & follower=$!
check "there is a page before there are results" until_that exists
has "it is live" page.html '"live":{"every":'
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=15s AUTOTUNE_CACHE=$work/cache ./slow > answer 2> log & program=$!
check "variants come" until_that has_tried 1
first=$(tried)
check "more variants come" until_that has_tried "$first"
has "the result is there" page.html '"kernel":"first"'
check "nothing but a whole page is ever there" [ "$(tail -c 8 page.html)" = "</html>" ]
wait $program
is "answer" "$(cat answer)" "done"
check "the tuning has ended" until_that is_idle
kill -INT $follower
wait $follower; is "ctrl-C: exit status" $? 0
hasnt "the last page is not live" page.html '"live":{'
has "and has the result" page.html '"finished":true'
has "said at its begin" out '^page.html: live until 10 s after the last tuning, or ctrl-C$'
has "the lines of --follow" out '^first, n = 65536: [0-9]* of [0-9]* variants'
has "said at its end" out '^page.html: 1 result$'
is "temporary pages left" "$(echo page.html.new*)" 'page.html.new*'

# Where nothing is tuned it ends by itself.
autotune report --html page.html --follow > out 2> err; is "nothing to follow: exit status" $? 1
has "nothing to follow: said" out ': no tuning goes on$'
hasnt "nothing to follow: not live" page.html '"live":{'
finish
