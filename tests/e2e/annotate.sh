# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that put pragmas on programs which were not written for them: on each function, and on loops,
# directives that keep the order of iterations, so that every variant computes the same. The runtime of these programs
# is units_runtime.c, which runs the variants that UNITS_PICK chooses.

# SOURCE: prints it with pragmas. A function is a kernel if its body begins at the margin and it is not main; for the
# loops see annotate_loops. `key()`, since nothing is measured.
annotate_functions() {
  awk 'function flush() { for (i = 0; i < held; i++) print line[i]; held = 0 }
       # A header ends with a parenthesis, and begins after an empty line, a comment, a statement or a directive.
       /^{/ && held > 0 && line[held - 1] ~ /\)[ \t]*$/ && line[0] !~ /[=;]/ {
         whole = ""
         for (i = 0; i < held; i++) whole = whole " " line[i]
         if (whole ~ /[A-Za-z_0-9]+[ \t]*\(/ && whole !~ /[^A-Za-z_0-9]main[ \t]*\(|__attribute__|\.\.\./)
           print "#pragma autotune kernel flags(\"-O0\", \"-O2\") key()"
       }
       # A header on one line with its brace.
       /^[A-Za-z_][^;={}]*\)[ \t]*{[ \t]*$/ && !/[^A-Za-z_0-9]main[ \t]*\(|__attribute__|\.\.\./ && held == 0 {
         print "#pragma autotune kernel flags(\"-O0\", \"-O2\") key()"
       }
       /^[A-Za-z_]/ && !/[;{}]|\*\/[ \t]*$/ { line[held++] = $0; next }
       { flush(); print }
       END { flush() }' "$1"
}

# SOURCE: prints it with a directive before each loop of a kernel whose counter is a local variable that nothing else
# can change: no address of it is taken, and it is no global of csmith. Parentheses around a condition are removed, with
# which no directive takes a loop.
annotate_loops() {
  awk 'NR == FNR { text = text "\n" $0; next }
       /^#pragma autotune kernel/ { kernel = 1 }
       /^}/ { kernel = 0 }
       kernel && !/; [^;]* = [a-z_0-9]*\(.*\)$/ && match($0, /^[ \t]+for \(\(?[a-z_0-9]+ *=/) {
         name = substr($0, RSTART, RLENGTH)
         gsub(/^[ \t]+for \(\(?| *=$/, "", name)
         if (name !~ /^g_/ && text !~ ("&" name "[^a-z_0-9]")) {
           if (match($0, "; \\(" name " [<>!]=? .*\\); "))
             $0 = substr($0, 1, RSTART + 1) substr($0, RSTART + 3, RLENGTH - 6) substr($0, RSTART + RLENGTH - 2)
           print "#pragma autotune " (n++ % 2 ? "tile sizes({2, 5, 3})" : "unroll partial({2, 1, 3})")
         }
       }
       { print }' "$1" "$1"
}

# SOURCE OUTPUT [FLAG…]: translates SOURCE. Directives that the translator refuses, because a loop is not of a form that
# it knows, are removed; their number is in `refused`. False: something else is wrong; see the file log.
annotate_translate() {
  local source=$1 output=$2 lines
  shift 2
  refused=0
  until "$build/bin/autotune" translate "$source" -o "$output" -- "$@" > log 2>&1; do
    # A diagnostic names the directive or a line of its loop.
    lines=$(sed -n "s/^$source:\([0-9]*\):[0-9]*: error: .*/\1/p" log |
      awk 'NR == FNR { if (/^#pragma autotune (unroll|tile)/) at[++n] = FNR; next }
           { last = 0; for (i = 1; i <= n && at[i] <= $1; i++) last = at[i]; print last }' "$source" - | sort -nu)
    [ "${lines:-0}" != 0 ] && [ "${lines%%$'\n'*}" -gt 0 ] || return 1
    sed -i "$(sed 's/$/d/' <<< "$lines")" "$source"
    refused=$((refused + $(wc -l <<< "$lines")))
  done
}

# The runtime for these programs, as runtime.o.
annotate_runtime() {
  local jit=$build/lib/libautotune-jit.so
  [ -e "$jit" ] || { echo "skipped: $jit is not built"; exit 77; }
  gcc -std=gnu17 -O1 -I"$root/include" -I"$root/runtime" -DUNITS_JIT="\"$jit\"" \
    -c "$here/units_runtime.c" -o runtime.o || exit 1
}

# PLAIN TUNED FLAGS COMPILER LEVEL: every variant of TUNED prints what PLAIN prints. Adds to `compared`. False, and
# nothing is compared: PLAIN does not compile with that compiler, ends with an error or never ends.
annotate_compare() {
  local plain=$1 tuned=$2 flags=$3 compiler=$4 level=$5 expected got pick status
  $compiler -w $level $flags "$plain" -o plain -lm 2> log || return
  expected=$(timeout 2 ./plain 2> /dev/null < /dev/null) || return # some never end
  $compiler -w $level $flags -isystem "$root/include" "$tuned" runtime.o -ldl -lm -o tuned 2> log ||
    { cat log; fail "$compiler $level"; return; }
  for pick in 0 1 2; do
    got=$(UNITS_PICK=$pick timeout 60 ./tuned 2> log < /dev/null)
    status=$?
    [ $status = 0 ] || { head -n 20 log; fail "$compiler $level, variant $pick ends with $status"; return; }
    [ "$got" = "$expected" ] ||
      fail "$compiler $level, variant $pick: '$got' instead of '$expected'"
    compared=$((compared + 1))
  done
}

# Counts the pragmas of FILE in `kernels` and `loops`.
annotate_count() {
  kernels=$((kernels + $(grep -c '^#pragma autotune kernel' "$1")))
  loops=$((loops + $(grep -cE '^#pragma autotune (unroll|tile)' "$1")))
}
