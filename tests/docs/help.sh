# SPDX-License-Identifier: Apache-2.0
# `autotune help`: each page is a topic, with the text in docs/; a pager is used on a terminal only.
docs=$(realpath "$(dirname "$0")/../../docs")
. "$(dirname "$0")/../e2e/cc_lib.sh"

autotune help > list; is "help: exit status" $? 0
for page in "$docs"/*.md; do
  topic=$(basename "$page" .md)
  has "$topic: listed" list "^  $topic  *[a-zA-Z]"
  PAGER="touch $work/paged" autotune help "$topic" > out; is "$topic: exit status" $? 0
  same "$topic: the page" out "$page"
done
check "no pager but on a terminal" [ ! -e "$work/paged" ]

autotune help repport > out 2> err; is "no such topic: exit status" $? 2
has "no such topic: suggestion" err "there is no topic 'repport'; did you mean 'report'?"
autotune help check > out 2> err; is "a command: exit status" $? 0
has "a command" out "^usage: autotune check"
autotune help cc > out 2> err; is "cc: exit status" $? 0
has "cc" out "^usage: autotune cc .*COMPILER"

autotune help db prune > out; is "a command of db: exit status" $? 0
has "a command of db" out "^usage: autotune db prune .*--older-than"
autotune db prune --help > again; same "a command of db: --help" out again
autotune help variables > out; is "variables: exit status" $? 0
has "variables" out "^  AUTOTUNE_BUDGET=60s"
autotune check > out 2> err; is "nothing to check: exit status" $? 2
has "nothing to check" err "^usage: autotune check"

# On a terminal, which script(1) makes: no targets of links, tables as lists, and a pager.
on_terminal() { # PAGER: `autotune help testing`
  TERM=xterm PAGER=$1 script -qec "autotune help testing" /dev/null < /dev/null | tr -d '\r' > out
}
on_terminal "sed s/^/paged:/"; has "pager" out "^paged:.*# Tests"
for pager in cat "no-such-pager 2> /dev/null"; do
  on_terminal "$pager"
  has "$pager: a heading" out '^.\[1m# Tests.\[0m$'
  has "$pager: a row" out '^  `release`$'
  hasnt "$pager: a row" out '^|'
  has "$pager: code" out '^    ctest --test-dir build -N '
done
on_terminal "head -c 1 > /dev/null"; hasnt "a pager that ends early" out "Tests"
TERM=xterm PAGER=cat script -qec "stty cols 60; autotune help messages" /dev/null < /dev/null | tr -d '\r' > out
grep -E '^(  |      )[^ ]' out | LC_ALL=C sed 's/[\x80-\xbf]//g' > rows
check "rows are there" [ "$(wc -l < rows)" -gt 100 ]
is "rows that do not fit" "$(grep -c '^.\{61\}' rows)" 0
hasnt "targets of links" out '](runtime.md'
finish
