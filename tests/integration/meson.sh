# SPDX-License-Identifier: Apache-2.0
# Meson, by a native file and by CC.
. "$(dirname "$0")/lib.sh"
need meson ninja gcc
install_autotune

project meson "$work/in/project"
tries() { # FOLDER ARGUMENTS…
  or_end "$1" meson setup "$@"
  has "$1: the compiler is known" log 'C compiler for the host machine: .*autotune cc gcc.* (gcc '
  or_end "$1: build" ninja -C "$1"
  is "$1: answer" "$("$1/app")" "$answer"
  tuned "$1" "$(find "$1" -name '*smooth.c.o')"
  plain_file "$1" "$(find "$1" -name '*total.c.o')"
}
tries native --native-file autotune.ini
CC="autotune cc gcc" tries variable
widen
or_end "a header changes" ninja -C native
is "what includes it is built" "$(native/app)" "$wider"
finish
