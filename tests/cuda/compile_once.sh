#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compile_once.sh ARGUMENTS: runs $COMPILE_ONCE_WITH, as the emulator does for a unit. Keeps the output in the folder
# $COMPILE_ONCE_IN, which check.sh names, and uses it again for the same arguments, text and headers: some tests
# compile a few kernels hundreds of times in each stage.
set -u
[ -n "${COMPILE_ONCE_IN:-}" ] || exec "$COMPILE_ONCE_WITH" "$@"
words='' headers=''
for word; do
  case $word in
    -I*) headers="$headers ${word#-I}/autotune_emulate/*" ;;
  esac
  words="$words $word"
done
# The unit is descriptor 0, the object 3.
sum=$({ echo "$COMPILE_ONCE_WITH$words"; cat /proc/self/fd/0 $headers; } 2> /dev/null | sha256sum)
kept=$COMPILE_ONCE_IN/${sum%% *}
[ -f "$kept" ] && cat "$kept" >&3 && exit 0
"$COMPILE_ONCE_WITH" "$@" || exit
mkdir -p "$COMPILE_ONCE_IN" && cat /proc/self/fd/3 > "$kept.$$" && mv -f "$kept.$$" "$kept"
exit 0
