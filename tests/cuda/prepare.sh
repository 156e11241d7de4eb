#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# prepare.cu under emulation: arguments that the host makes for each variant, in the program and in the helper.
set -u
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$build/lib/libautotune-emulate.so" ] || { echo "the emulator was not built"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_LOG
export AUTOTUNE_EMULATE_CLANG=$here/compile_once.sh COMPILE_ONCE_IN=${COMPILE_ONCE_IN:-$work/once}
export COMPILE_ONCE_WITH=${COMPILE_ONCE_WITH:-clang-22}
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=60s,20 AUTOTUNE_EMULATE=cc=90
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
autotune() { "$build/bin/autotune" "$@"; }

# Each kernel was tuned, and no variant was wrong or faulted. (One may take too long where the machine is busy.)
variants_are_right() { # WHEN
  autotune report > "$work/report" || fail "$1: report"
  sed -n 's/^ *variants *//p' "$work/report" > "$work/tried"
  [ "$(grep -cE '^[0-9]+ tried( of [0-9]+)? · ([2-9]|1[0-9]) right( · [0-9]+ timed out)?$' "$work/tried")" = 4 ] ||
    fail "$1: variants: $(cat "$work/tried" "$work/err")"
}

sed "s,\.\./\.\./examples,$(realpath "$here/../../examples")," "$here/prepare.cu" > "$work/prepare.cu"
autotune cc --emulate nvcc -O1 -std=c++17 -Wall -DROWS='N * H' "$work/prepare.cu" -o "$work/prepare" || exit 1
"$work/prepare" > "$work/out" 2> "$work/err" || fail "exit status: $(cat "$work/err")"
cat > "$work/expected" <<'END'
made again for known arguments: 0
made for another address: 1
made for 500 addresses: yes
cudaSuccess: 0 wrong
END
diff "$work/expected" "$work/out" || fail "as told: $(cat "$work/err")"
cat > "$work/expected" <<'END'
autotune: warning: mapped: prepare(map = MAP(W)) made no tensor map: all its bytes are 0: such launches run the default
autotune: warning: mapped: the launch's own map is not what prepare(map = MAP(W)) makes for the default's params: such launches run the default
END
sort "$work/err" | diff "$work/expected" - || fail "messages"
variants_are_right "in turns with the program"

# Winners that are loaded make their arguments too.
AUTOTUNE_MODE=locked "$work/prepare" > "$work/out" 2> "$work/err" || fail "locked: $(cat "$work/err")"
grep -q ' 0 wrong' "$work/out" || fail "locked: $(cat "$work/out" "$work/err")"
autotune why named > "$work/why" || fail "why"
! grep -qiE 'wrong|crash|not compared: .*argument' "$work/why" || fail "why: $(cat "$work/why")"

# Where a macro in the expression is another, the winner is checked again.
sed -i 's/^#define MAP(width) \(.*\)$/#define MAP(width) (\1)/' "$work/prepare.cu"
cmp -s "$here/prepare.cu" "$work/prepare.cu" && fail "the macro is as before"
autotune cc --emulate nvcc -O1 -std=c++17 -Wall -DROWS='N * H' "$work/prepare.cu" -o "$work/other" || exit 1
AUTOTUNE_MODE=locked AUTOTUNE_LOG=info "$work/other" > "$work/out" 2> "$work/err" || fail "another macro: $(cat "$work/err")"
grep -q 'mapped: sections, tolerance or the default.s compiler changed since the tuning' "$work/err" ||
  fail "another macro: $(cat "$work/err")"

# While the program goes on.
rm -rf "$work/cache"
AUTOTUNE_MODE=background AUTOTUNE_LOG=info "$work/prepare" > "$work/out" 2> "$work/err" || fail "background: $(cat "$work/err")"
grep -q ' 0 wrong' "$work/out" || fail "background: $(cat "$work/out" "$work/err")"
variants_are_right "background"
echo "$failures failures"
[ $failures = 0 ]
