#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# arrows.sh BUILD_DIR: no object refers to a symbol of a place that places.txt does not let it use.
# `arrows.sh BUILD_DIR --arrows` prints all arrows that there are, each with its number of symbols.
# open.txt lists what is known and to be mended, as "PLACE -> PLACE symbol".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
table=$(mktemp)
trap 'rm -f "$table"' EXIT
# "FILE SYMBOL KIND", FILE as in the source tree: runtime/CMakeFiles/autotune_runtime.dir/base/log.c.o
cd "$build"
find runtime translator -path '*.dir/*.o' ! -path '*grammar*' ! -path '*/autotune_shared.dir/*' -print0 |
  xargs -0 nm -A -P | awk '{
    file = $1; sub(/:$/, "", file); sub(/CMakeFiles\/[^\/]*\.dir\//, "", file)
    while (sub(/[^\/]+\/__\//, "", file));
    sub(/\.o$/, "", file); print file, $2, $3 }' |
  while read -r file rest; do # a build folder keeps objects of deleted sources
    [ "$file" = "${last-}" ] || { last=$file; [ -e "$here/../../$file" ] && there=1 || there=; }
    [ -z "$there" ] || echo "$file $rest"
  done > "$table"
awk -v list="${2-}" '
  FNR == 1 { stage++ }
  /^#/ || NF == 0 { next }
  stage == 1 {
    sub(/:$/, "", $1); place[++n] = $1; rank[$1] = n
    for (i = 2; i <= NF; i++) {
      if (!($i in rank)) { print "places.txt: " $1 " may not use " $i ", which stands below it"; bad++ }
      may[$1, $i] = 1
    }
    next
  }
  stage == 2 { open[$1 " -> " $3 " " $4] = 1; next }
  function place_of(file,  i, best) {
    for (i = 1; i <= n; i++)
      if (index(file, place[i] "/") == 1 && length(place[i]) > length(best)) best = place[i]
    return best
  }
  { if (!($1 in at)) at[$1] = place_of($1)
    if ($3 == "U") { used[++m] = $2; user[m] = $1 } else if ($3 ~ /[A-Z]/) defined[$2] = $1 }
  END {
    for (k = 1; k <= m; k++) {
      if (!(used[k] in defined)) continue
      a = at[user[k]]; b = at[defined[used[k]]]
      if (a == b || a == "" || b == "") continue
      arrows[a " -> " b]++; seen++
      what = a " -> " b " " used[k]
      if (what in open) { met[what] = 1; continue }
      if (!((a, b) in may) && !said[what]++) { print user[k] ": " used[k] " of " defined[used[k]] " (" a " -> " b ")"; bad++ }
    }
    for (what in open) if (!(what in met)) { print "open.txt: mended, take it out: " what; bad++ }
    if (list) for (a in arrows) print a, arrows[a] | "sort"
    if (seen < 1000) { print "only " seen + 0 " references were seen: is this a build folder?"; bad++ }
    exit bad > 0
  }' "$here/places.txt" "$here/open.txt" "$table"
