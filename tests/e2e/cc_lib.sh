# SPDX-License-Identifier: Apache-2.0
# Sourced by cc_*.sh (run as `bash cc_NAME.sh BUILD_DIR`): a folder of its own to work in, the compilers to use, and
# checks that print what was expected. A script ends with `finish`.
set -u
PATH=$(cd "$1" && pwd)/bin:$PATH
command -v autotune > /dev/null || { echo "$1/bin/autotune is missing"; exit 1; }
work=$(mktemp -d)
export TMPDIR=$work/tmp AUTOTUNE_MODE=off LC_ALL=C
# A libautotune with AddressSanitizer is loaded into programs without it, after the C library.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
# To be preloaded where even that is too late: after a shared library that needs libautotune.
sanitizer=$(ldd "$(dirname "$(command -v autotune)")/../lib/libautotune.so" |
  sed -n 's/.*=> \([^ ]*libasan[^ ]*\).*/\1/p')
mkdir "$TMPDIR" "$work/in"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work/in" || exit 1
failures=0
checks=0

compilers=
for cc in ${AUTOTUNE_TEST_COMPILERS:-gcc clang clang-22}; do
  command -v "$cc" > /dev/null && compilers="$compilers $cc"
done

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
check() { # WHAT COMMAND…: the command succeeds
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" || fail "$what ($*)"
}
same() { check "$1: differs" cmp "$2" "$3"; }         # WHAT FILE FILE
is() { check "$1: '$2', expected '$3'" [ "$2" = "$3" ]; } # WHAT GOT EXPECTED
has() { check "$1" grep -q -e "$3" "$2"; }            # WHAT FILE PATTERN
hasnt() { check "$1" not grep -q -e "$3" "$2"; }
not() { ! "$@"; }
finish() {
  # A tuning may go on for 30 s after its program.
  for _ in $(seq 350); do [ -z "$(ls -A "$TMPDIR")" ] && break || sleep 0.1; done
  is "temporary files left" "$(ls -A "$TMPDIR")" ""
  echo "$checks checks, $failures failed"
  exit $((failures > 0))
}

# kernel FILE [NAME]: a source with a kernel whose effect can be seen: NAME(n, x) scales x.
kernel() {
  cat > "$1" << END
#include <assert.h>
#define UNROLL 1
#pragma autotune kernel param(UNROLL: 1, 2, 4)
void ${2:-scale}(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] *= 2 * UNROLL - UNROLL / 2 - UNROLL / 2 - (UNROLL & 1);
}
const char *${2:-scale}_file(void) { return __FILE__; }
END
}

# plain FILE: a source without a kernel; it calls scale.
plain() {
  cat > "$1" << 'END'
#include <stdio.h>
void scale(int n, double *x);
const char *scale_file(void);
int main(void)
{
  double x[3] = { 1, 2, 3 };
  scale(3, x);
  printf("%g %s\n", x[2], scale_file());
  return 0;
}
END
}
