#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# uninstall.sh BUILD: removes the files that the last `make install` put below DESTDIR, and the folders of autotune's own
# that are empty then. Prints what it removed. If PREFIX is given, it must be that of the installation.
set -eu
build=$1
list=$build/installed.txt
[ -f "$list" ] || list=$build/install_manifest.txt # `cmake --install` was called directly
[ -f "$list" ] || { echo "uninstall: nothing was installed from $build" >&2; exit 1; }
prefix=${PREFIX:+$(realpath -ms "$PREFIX")}

removed=0
gone=0
failed=0
folders=$(mktemp)
trap 'rm -f "$folders"' EXIT
# The manifest's last line has no newline.
while read -r file || [ -n "$file" ]; do
  case $file in
    "$prefix"/*) ;;
    *) echo "uninstall: the last installation from $build is not below $prefix: it has $file" >&2; exit 1 ;;
  esac
  place=${DESTDIR-}$file
  if ! [ -e "$place" ] && ! [ -L "$place" ]; then
    gone=$((gone + 1))
  elif rm -f "$place"; then
    echo "removed $place"
    removed=$((removed + 1))
    dirname "$place" >> "$folders"
  else
    failed=$((failed + 1))
  fi
done < "$list"
# lib/autotune/compilers, then lib/autotune; never bin or lib
sort -ru "$folders" | while read -r folder; do
  while case $folder in */autotune | */autotune/* | */autotune-*) ;; *) false ;; esac &&
    rmdir "$folder" 2> /dev/null; do
    echo "removed $folder/"
    folder=${folder%/*}
  done
done
[ $gone = 0 ] || also=", $gone were not there"
[ $failed = 0 ] || also="${also-}, $failed could not be removed"
echo "uninstall: $removed files removed${also-}"
[ $failed = 0 ] || exit 1
rm -f "$build/installed.txt"
