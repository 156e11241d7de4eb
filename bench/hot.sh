#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hot.sh BUILD PROGRAM[=FOLDER]…: which hot loop nests of programs by others (tests/integration/real) can be kernels. Prints
# a table. FOLDER holds the program's sources, for a program that is no package of Debian.
#
# Each program is built with -O3 -march=native -g and sampled in one run with one thread. A sample counts for the innermost
# nest on its stack, inlined functions included. Time in libm, memcpy and memset counts for the nest that calls them. Time in
# other libraries counts for no nest. A nest is the outermost loop of a function that holds no parallel loop, region or
# shared loop of OpenMP. A nest with 5 % of the program's samples is hot.
#
# "--auto" and "patch" (tests/integration/real): yes if their kernels hold at least half of the nest's samples; below 95 % the
# share is printed. "Pragma": where a bare `#pragma autotune kernel` becomes a kernel: at the nest, at the nest in braces, or at
# the region, loop or function around it. The last column is what --auto says where it makes none.
#
# HOT_KEEP=FOLDER: builds and what was sampled stay there. HOT_CPUS: the processors to use, 0 by default.
set -eu
cd "$(dirname "$0")/.."
here=$PWD/tests/integration/real tab=$'\t'
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
work=${HOT_KEEP:-$(mktemp -d)} sources=$build/real autotune=$build/bin/autotune
[ -n "${HOT_KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$sources"
work=$(cd "$work" && pwd)
export LC_ALL=C OMP_NUM_THREADS=1 AUTOTUNE_CACHE=off here
unset AUTOTUNE_MODE AUTOTUNE_AUTO CFLAGS
taskset -pc "${HOT_CPUS:-0}" $$ > /dev/null
. "$here/source.sh"

for compiler in gcc g++; do # write down each command
  real=$(command -v $compiler)
  printf '#!/bin/bash\n{ printf "%%q " "$PWD" %s "$@"; echo; } >> %q\nexec %s "$@"\n' "$real" "$work/commands" "$real" > "$work/bin/$compiler"
  chmod +x "$work/bin/$compiler"
done

options() { # FILE: sets `in`, `cc` and `args` to the folder, compiler and options of the last command that compiled the file
  local words word skip=
  eval "words=($(grep -E "[ /]${1##*/} " "$own/commands" | grep -v ' -E \| -MM\? ' | tail -n 1))"
  in=${words[0]-} cc=${words[1]-} args=()
  for word in "${words[@]:2}"; do
    case $skip$word in
      next* | -I?* | -D?* | -U* | -std* | -f* | -m* | -O* | -g* | -w) args+=("$word") skip= ;;
      -include | -isystem | -I | -D) args+=("$word") skip=next ;;
    esac
  done
}

after() { # FILE LINE: the largest unit that begins first at or after the line
  awk -F'\t' -v file="$1" -v line="$2" '$2 == file && $5 >= line && $1 != "nest" && (!at || $5 < at || $5 == at && $4 > to) {
    at = $5; from = $3; to = $4 } END { if (at) print file "\t" from "\t" to }' "$own/units"
}

held() { # RANGES NEST: how many percent of the nest's samples have a frame in the ranges
  awk -F'\t' -v nest="$2" 'FILENAME == ARGV[1] { f[++n] = $1; a[n] = $2; b[n] = $3; next }
    $1 == nest { all += $2; frames = split($3, frame, " "); held = 0
      for (i = 1; i <= frames; i++) for (k = 1; k <= n; k++) { split(frame[i], at, ":"); held += f[k] == at[1] && a[k] <= at[2] && at[2] <= b[k] }
      if (held) good += $2 }
    END { p = int(100 * good / all + 0.5); print (p < 50 ? "no" : "yes") (p && p < 95 ? ", " p " %" : "") }' "$1" "$own/samples"
}

try() { # FILE FIRST LAST UNIT [BRACES]: does a pragma there become a kernel?
  cp "$1" "$own/saved"
  awk -v a="$2" -v b="$3" -v brace="${4-}" 'NR == a { print "#pragma autotune kernel"; if (brace) print "{" } { print } NR == b && brace { print "}" }' "$own/saved" > "$1"
  (cd "$in" && "$autotune" check "$unit" -- "${args[@]}" && "$autotune" cc "$cc" "${args[@]}" -c "$unit" -o "$own/object.o") > "$own/check" 2> "$own/refused" &&
    grep -q 'kernel ' "$own/check" && ! grep -q 'not tuned' "$own/refused" && nm "$own/object.o" | grep -q autotune_default_ && result=0 || result=1
  cp "$own/saved" "$1"
  return $result
}

by_pragma() { # FILE FIRST LAST
  local kind from to
  ! try "$1" "$2" "$3" || { echo yes; return; }
  cp "$own/refused" "$own/refused_nest"
  ! try "$1" "$2" "$3" braces || { echo in braces; return; }
  awk -F'\t' -v f="$1" -v a="$2" -v b="$3" '$1 ~ /region|function|loop/ && $2 == f && $3 <= a && $4 >= b && $4 - $3 > b - a { print $1, $3, $4 }' "$own/units" |
    sort -k2nr | while read -r kind from to; do ! try "$1" "$from" "$to" || { echo "$kind around it"; return; }; done | grep . || echo no
}

: > "$work/rows"
printf '| program | hot nest | time | --auto | patch | pragma | what --auto says |\n| --- | --- | --- | --- | --- | --- | --- |\n'
for asked in ${*:-sundials libsamplerate darknet speexdsp}; do
  name=${asked%%=*} given=
  own=$work/$name folder=$work/$name/program
  rm -rf "$own" "$work/commands" && mkdir -p "$own"
  . "$here/$name.sh"
  case $asked in
    *=*) cp -a "${asked#*=}" "$folder" ;;
    *) fetch_source "$name" "$version" && unpack_source "$name" "$version" "$folder" ;;
  esac
  PATH=$work/bin:$PATH build_program "$folder" "-O3 -march=native -g" gcc > "$own/log" 2>&1 || { tail "$own/log" >&2; exit 1; }
  cp "$work/commands" "$own/commands"
  perf record -q -o "$own/data" -e cpu-clock -F 499 --call-graph dwarf,8192 -- \
    bash -c '. "$here/$1.sh"; run_program "$2"' - "$name" "$folder" > "$own/log" 2>&1

  # Stacks: number of samples, frames of the program as object=address, innermost first; -1: a call is before the address.
  perf script -i "$own/data" --no-inline -F comm,ip,sym,dso 2> /dev/null | awk -v root="$folder/" '
    NF == 0 { if (comm != "") print comm "\t" (stack == "" ? 0 : 1) "\t" (other ? "" : stack); comm = stack = ""; other = deep = 0; next }
    comm == "" { comm = $1; next }
    { dso = $NF; gsub(/[()]/, "", dso) } dso ~ /kernel|^\[/ { next }
    index(dso, root) { stack = stack " " dso "=" $1 (deep ? "-1" : "") }
    stack == "" && dso !~ /libm(vec)?[-.]/ && $2 !~ /mem(set|cpy|move)/ { other = 1 }
    { deep = 1 }' | awk -F'\t' '{ n[$1 "\t" $3]++; if ($2) mine[$1] = 1 }
      END { for (s in n) { split(s, part, "\t"); if (part[1] in mine) print n[s] "\t" part[2] } }' > "$own/stacks"
  cut -f2 "$own/stacks" | tr ' ' '\n' | sort -u | grep . | while IFS== read -r object ip; do
    at=$(printf %x $((0x$ip)))
    printf '%s=%s\t%s\n' "$object" "$ip" "$(addr2line -i -e "$object" "$at" | sed 's/ (disc.*//; :a; s#/\./#/#; s#/[^/]*/\.\./#/#; ta' | tr '\n' ' ')"
  done > "$own/lines"
  awk -F'\t' 'FILENAME == ARGV[1] { lines[$1] = $2; next }
    { n = split($2, frame, " "); out = ""; for (i = 1; i <= n; i++) out = out lines[frame[i]]; print $1 "\t" out }' "$own/lines" "$own/stacks" > "$own/places"
  cut -f2 "$own/places" | tr ' ' '\n' | grep -F "$folder/" | sed 's/:[0-9?]*$//' | sort -u | while read -r file; do
    options "$file"
    [ -z "$cc" ] || (cd "$in" && "$cc" "${args[@]}" -E "$file" 2> /dev/null) | awk -v unit="$file" -v folder="$in" -v root="$folder" -f bench/hot.awk
  done > "$own/units"

  # Hot nests, and their samples: nest, number, places.
  awk -F'\t' -v hot="$own/hot" 'FILENAME == ARGV[1] { if ($1 == "nest") row[++n] = $0; next }
    { total += $1; count = split($2, place, " "); found = 0
      for (i = 1; i <= count && !found; i++) for (k = 1; k <= n && !found; k++) {
        split(place[i], at, ":"); split(row[k], r, "\t"); if (r[2] == at[1] && r[3] <= at[2] + 0 && at[2] + 0 <= r[4]) found = k }
      if (found) { sum[found] += $1; of[++m] = found; text[m] = $1 "\t" $2 } }
    END { for (k in sum) if (sum[k] >= 0.05 * total) printf "%d\t%.1f\t%s\n", k, 100 * sum[k] / total, row[k] > hot
      for (i = 1; i <= m; i++) if (sum[of[i]] >= 0.05 * total) print of[i] "\t" text[i] }' "$own/units" "$own/places" > "$own/samples"
  touch "$own/hot" "$own/notes"
  cut -f3 "$own/samples" | tr ' ' '\n' | grep -F "$folder/" | sed 's/:[0-9?]*$//' | sort -u | while read -r file; do
    options "$file"
    (cd "$in" && [ -n "$cc" ] && AUTOTUNE_LOG=debug "$autotune" cc --auto "$cc" "${args[@]}" -c "$file" -o "$own/object.o") > "$own/log" 2>&1 || continue
    sed -n "/ note: /s#^[^:]*:#$file:#p" "$own/log" >> "$own/notes"
    sed -n "s/.*kernels once they are hot: //; T; s/, /\n/g; p" "$own/log" | while read -r kernel; do
      case $kernel in
        *" in line "*) line=${kernel##* in line } && after "$file" "${line%% *}" ;;
        *) awk -F'\t' -v file="$file" -v f="${kernel//\'/}" '$1 == "function" && $2 == file && $6 == f { print $2 "\t" $3 "\t" $4 }' "$own/units" ;;
      esac
    done
  done > "$own/auto"
  awk '/^\+\+\+ / { sub(/^[^\/]*\//, "", $2); file = $2 } /^@@/ { split($2, at, ","); line = -at[1]; next }
    /^\+.*#pragma autotune/ { print file "\t" line } /^[ -]/ && !/^---/ { line++ }' "$here/$name.patch" |
    while IFS=$tab read -r file line; do after "$folder/$file" "$line"; done > "$own/hand"

  sort -t "$tab" -k2nr "$own/hot" | while IFS=$tab read -r nest percent kind file first last line function unit; do
    options "$unit"
    auto=$(held "$own/auto" "$nest") pragma=$(by_pragma "$file" "$first" "$last")
    reason=$(awk -v file="$file" -v a="$first" -v b="$last" -v f="'$function'" -v at="$line" 'index($0, file ":") == 1 {
      l = match($0, /the loop in line [0-9]+ of/) ? substr($0, RSTART + 17) + 0 : -1
      rank = index($0, ":" at ":") && / note: this loop is left/ ? 4 : l == at ? 3 : l >= a && l <= b ? 2 : index($0, f " is left") ? 1 : 0
      if (rank > best) { best = rank; text = $0 } } END { sub(/^[^ ]* note: /, "", text); print text == "" ? "nothing" : text }' "$own/notes")
    case $auto in yes*) reason= ;; esac
    printf '| %s | %s:%s `%s` | %s %% | %s | %s | %s | %s |\n' "$name" "${file##*/}" "$line" "$function" "$percent" "$auto" "$(held "$own/hand" "$nest")" "$pragma" "$reason"
  done | tee -a "$work/rows"
done
awk -F' [|] ' '{ n++; a = $4 ~ /^yes/; h = $5 ~ /^yes/; p = $6 != "no"; auto += a; hand += h; pragma += p; any += a || h || p; ready += a || h }
  END { printf "| all | %d | | %d | %d | %d | --auto or the patch: %d; any of the three: %d |\n", n, auto, hand, pragma, ready, any }' "$work/rows"
