# SPDX-License-Identifier: Apache-2.0
# real.sh BUILD PROGRAM: adopts autotune for a program by others as a user would: our pragmas by patch, built by its
# own build system through `autotune cc`, tuned while its own tests run, and its tests again with the results. The
# sources are kept below BUILD for the next run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
name=$2
PATH=$build/bin:$PATH
sources=$build/real
mkdir -p "$sources"
. "$here/source.sh"
. "$here/$name.sh"

fetch_source "$name" "$version" || { echo "skipped: $why"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C AUTOTUNE_CACHE=$work/cache
unset AUTOTUNE_MODE AUTOTUNE_BUDGET AUTOTUNE_SEARCH CFLAGS
fail() { echo "FAILED: $*"; tail -n 30 "$work/log"; exit 1; }
try() { # WHAT COMMAND…: quiet unless it fails
  local what=$1
  shift
  "$@" > "$work/log" 2>&1 || fail "$name: $what"
}

# A patch adds pragmas and nothing else; a pragma of ours may replace one of OpenMP's.
sed -n '/^[-+][-+][-+] /d; /^[-+]/p' "$here/$name.patch" | sed ':more; /\\$/{N; s/\\\n+ */ /; b more}' |
  grep -v '^+ *#pragma autotune \|^- *#pragma omp ' > "$work/log" && fail "$name.patch changes more than pragmas"

try "unpack" unpack_source "$name" "$version" "$work/tuned"
try "patch" patch -d "$work/tuned" -p1 -i "$here/$name.patch"
try "build" build_program "$work/tuned" "" autotune cc gcc

# A budget of a few variants for each key: only right answers matter here.
AUTOTUNE_BUDGET=${budget:-1s,12} AUTOTUNE_LOG=info \
  try "its own tests, while it is tuned" check_program "$work/tuned"
cp "$work/log" "$work/first"
grep -q 'autotune: info: [a-zA-Z_]*: \(tuned\|default\): .*variant' "$work/first" || fail "nothing was tuned"
AUTOTUNE_MODE=offline try "its own tests, tuned" check_program "$work/tuned"

try "report" autotune report
for kernel in $kernels; do
  grep -q "^$kernel " "$work/log" || fail "$kernel is not in the report"
done
grep -c 'speed-up' "$work/log" | sed "s/^/$name: tests passed; problems tuned: /"
