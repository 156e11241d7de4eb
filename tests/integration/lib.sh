# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of build systems (run as `bash NAME.sh BUILD_DIR`): autotune as it is installed, and
# a small project to build with it. See tests/e2e/cc_lib.sh.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
projects=$root/tests/integration
. "$root/tests/e2e/cc_lib.sh"

need() { # PROGRAM…: or the test is skipped
  local program
  for program; do
    command -v "$program" > /dev/null || { echo "$program is not installed"; exit 77; }
  done
}
# or_end WHAT COMMAND…: ends the test if COMMAND fails; its output is in the file log
or_end() {
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" > log 2>&1 || { fail "$what ($*)"; cat log; finish; }
}
install_autotune() { # into $prefix, and first in PATH
  prefix=$work/prefix
  or_end "cmake --install" cmake --install "$build" --prefix "$prefix"
  PATH=$prefix/bin:$PATH
}
project() { # NAME FOLDER: the project's files, and the sources that all projects have
  mkdir -p "$2"
  cp "$projects/source"/* "$projects/$1"/* "$2"
  cd "$2" || exit 1
}
tuned() { check "$1: a site in $2" grep -q autotune_begin "$2"; }
plain_file() { check "$1: no site in $2" not grep -q autotune "$2"; }
answer=20474      # 4096 * 5 - 2 * (2 + 1)
wider=28660       # with a RADIUS of 3: 4096 * 7 - 2 * (3 + 2 + 1)
widen() { sleep 0.01; sed -i 's/RADIUS 2/RADIUS 3/' smooth.h; }
