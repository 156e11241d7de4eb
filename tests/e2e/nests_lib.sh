# SPDX-License-Identifier: Apache-2.0
# nests_lib.sh, sourced: the variants of a made-up kernel `nest`, compiled at once.

# variants_of PARAMETERS ARGUMENTS VALUES…: prints C: the unit of `nest` in ./out.c once for each VALUES of its params, and
# tuned(variant, PARAMETERS), which calls the variant of that number with ARGUMENTS. Writes ./unit.c. One file for all,
# because a compiler takes as long to begin as for one variant.
variants_of() {
  local parameters=$1 arguments=$2 names name values value n v=0
  shift 2
  awk '/ autotune_text_nest_0\[\] =$/ { on = 1; next } on; on && /";$/ { exit }' out.c |
    sed 's/^"//; s/\\n";*$//; s/\\\(["?]\)/\1/g; s/\\\\/\\/g' > unit.c
  names="nest autotune_entry $(grep -o 'autotune_part[0-9]*_nest' unit.c | sort -u)"
  for values; do
    n=0
    for value in $values; do
      printf '#undef AUTOTUNE_P%d\n#define AUTOTUNE_P%d %d\n' $n $n "$value"
      n=$((n + 1))
    done
    for name in $names; do echo "#define $name ${name}_$v"; done
    echo '#include "unit.c"'
    for name in $names; do echo "#undef $name"; done
    v=$((v + 1))
  done
  echo "void tuned(int variant, $parameters) { switch (variant) {"
  for n in $(seq 0 $((v - 1))); do echo "case $n: autotune_entry_$n($arguments); break;"; done
  echo "} }"
}
