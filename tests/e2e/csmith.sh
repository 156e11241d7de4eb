#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# csmith.sh BUILD_DIR [PROGRAMS [FIRST_SEED [SECONDS]]]: random programs of csmith, each of their functions a kernel,
# with directives on their loops. They compute the same as the untouched programs, whichever variant of their functions
# runs. Some of them at a time make one program (csmith_driver.c), which is compiled by gcc and by clang, one of them
# without optimisation, in turn.
rounds=25
command -v csmith > /dev/null || { echo "skipped: csmith is not installed"; exit 77; }
. "$(dirname "$0")/rounds_lib.sh"
root=$here/../..
. "$here/annotate.sh"
together=10
programs=0 used=0 compared=0 kernels=0 loops=0 disputed=0
rounds_keep programs used compared kernels loops disputed
annotate_runtime
gcc -O1 -c "$here/csmith_driver.c" -o driver.o || exit 1
compilers=(gcc clang-22) levels=(-O0 -O2)

# SEED: prints standard input with names that no other program has.
renamed() {
  sed -E "/^#include \"csmith.h\"/d; s/\b(g_[0-9]+|func_[0-9]+|[SU][0-9]+|__undefined|main)\b/\1_$1/g"
}
# NAME: prints the programs of `seeds`, files NAME.SEED, in one.
joined() {
  local s
  echo '#include "csmith.h"'
  for s in "${seeds[@]}"; do
    renamed "$s" < "$1.$s"
  done
  echo 'const struct { long seed; int (*main)(int, char **); } csmith_programs[] = {'
  for s in "${seeds[@]}"; do
    echo "{ $s, main_$s },"
  done
  echo '};'
}
# EXECUTABLE MILLISECONDS PICKS: runs the programs of `ending`. `results` receives the checksum or, where it is not 0,
# the status, of each "SEED PICK".
declare -A results expected
run() {
  local line text=
  results=()
  while read -r line; do
    case $line in
      '= '*' 0') line=${line#= } && results[${line% 0}]=$text text= ;;
      '= '*) line=${line#= } && results[${line% *}]="status ${line##* }" text= ;;
      *) text=$line ;;
    esac
  done < <(timeout -k 2 600 "./$1" "$2" "$3" "${ending[@]}" 2> log < /dev/null)
}
# SEED COMPILER LEVEL: true if the untouched program prints the same with that compiler.
agreed() {
  "$2" -w "$3" "-I$here" plain.c driver.o -o other -lm 2> log || return
  run other 2000 1
  [ "${results[$1 0]-nothing}" = "${expected[$1]}" ]
}
# COMPILER LEVEL: every variant prints what the untouched program prints.
compare() {
  local s i pick got
  "$1" -w "$2" "-I$here" -isystem "$root/include" tuned.c driver.o runtime.o -ldl -lm -o tuned 2> log ||
    { [ ${#seeds[@]} -gt 1 ] || { cat log; fail "program ${seeds[0]}: $1 $2"; }; return 1; }
  run tuned 60000 3
  local -A had=()
  for i in "${!results[@]}"; do had[$i]=${results[$i]}; done
  for i in "${ending[@]}"; do
    s=${seeds[i]}
    for pick in 0 1 2; do
      got=${had[$s $pick]-nothing}
      compared=$((compared + 1))
      [ "$got" != "${expected[$s]}" ] || continue
      agreed "$s" "$1" "$2" || { disputed=$((disputed + 1)); continue; }
      fail "program $s, $1 $2, variant $pick: '$got' instead of '${expected[$s]}'"
    done
  done
}
# Tests the programs of `seeds`. False: it is not known which of them is wrong.
together() {
  local s i turn
  for s in "${seeds[@]}"; do
    csmith --seed "$s" --max-funcs 6 --max-block-depth 3 --max-expr-complexity 5 -o "program.$s" > /dev/null ||
      { fail "csmith --seed $s"; return; }
    annotate_functions "program.$s" > functions
    annotate_loops functions > "kernels.$s"
  done
  joined program > plain.c
  joined kernels > kernels.c
  clang-22 -w -O0 "-I$here" plain.c driver.o -o plain -lm 2> log || { cat log; fail "${seeds[*]}: no programs"; return; }
  ending=("${!seeds[@]}")
  run plain 300 1
  ending=() expected=()
  for i in "${!seeds[@]}"; do # some never end
    [[ ${results[${seeds[i]} 0]-status} == status* ]] || { ending+=("$i") && expected[${seeds[i]}]=${results[${seeds[i]} 0]}; }
  done
  [ ${#ending[@]} -gt 0 ] || return 0
  annotate_translate kernels.c tuned.c -I"$here" ||
    { [ ${#seeds[@]} -gt 1 ] || { cat log; fail "program ${seeds[0]}: translate"; }; return 1; }
  for turn in 0 1; do
    compare "${compilers[turn]}" "${levels[(turn + round) % 2]}" || return
  done
  used=$((used + ${#ending[@]}))
  annotate_count kernels.c
}

while another $programs; do
  size=$((rounds - programs < together ? rounds - programs : together))
  first=$((seed + programs))
  seeds=($(seq $first $((first + size - 1))))
  if ! together && [ $size -gt 1 ]; then
    for one in $(seq $first $((first + size - 1))); do
      seeds=("$one")
      together
    done
  fi
  programs=$((programs + size))
  rm -f ./*.[0-9]*
done
echo "$programs of $rounds programs, $used of them end by themselves: $kernels kernels, $loops loops," \
  "$compared comparisons, $disputed disputed by compilers, $failed failed"
[ $compared -gt 0 ] && [ $failed -eq 0 ]
