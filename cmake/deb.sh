#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh BUILD [FOLDER]: writes the Debian packages of cmake/debian/control to FOLDER, or else to BUILD, and prints their
# sizes. The same build gives the same bytes.
set -eu
build=$(cd "$1" && pwd)
to=$(cd "${2:-$1}" && pwd)
cd "$(dirname "$0")"
export LC_ALL=C
umask 022

fail() {
  echo "deb: $*" >&2
  exit 1
}
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; } # a variable of the build

for program in dpkg-deb dpkg-gencontrol dpkg-shlibdeps; do
  command -v $program > /dev/null || fail "there is no $program here: packages are built on Debian, with dpkg-dev"
done
changelog() { dpkg-parsechangelog -l debian/changelog -S "$1"; }
version=$(cached CMAKE_PROJECT_VERSION)
case $(changelog Version) in
  "$version"-*) ;;
  *) fail "the build is of version $version, and cmake/debian/changelog begins with $(changelog Version)" ;;
esac
SOURCE_DATE_EPOCH=$(changelog Timestamp)
export SOURCE_DATE_EPOCH

# No library needs the OpenMP runtime, since it is opened at run time: name the package that has it here.
openmp=$(dpkg-query -S "$(realpath "$(cached AUTOTUNE_LIBOMP)")" 2> /dev/null | sed -n '1s/[:,].*//p')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r debian "$work" # dpkg's programs look for a folder of this name
for package in $(sed -n 's/^Package: //p' debian/control); do
  stage=$work/debian/$package
  mkdir -p "$stage/DEBIAN" "$stage/usr/share/doc/$package"
  DESTDIR=$stage cmake --install "$build" --component "${package%[0-9]}" --prefix /usr --strip > "$work/log" 2>&1 ||
    { cat "$work/log" >&2; fail "$package cannot be installed"; }

  documents=$stage/usr/share/doc/$package
  cp debian/copyright "$documents"
  gzip -9nc debian/changelog > "$documents/changelog.Debian.gz"
  gzip -9nc ../CHANGELOG.md > "$documents/changelog.gz"
  [ ! -d "$stage/usr/share/man" ] || find "$stage/usr/share/man" -type f -exec gzip -9n {} +
  for link in "$stage"/usr/bin/*; do # the program under the names of compilers
    [ ! -L "$link" ] || ln -s "$(readlink "$link").1.gz" "$stage/usr/share/man/man1/${link##*/}.1.gz"
  done

  for library in "$stage"/usr/lib/*/lib*.so*; do
    [ -f "$library" ] && [ ! -L "$library" ] || continue
    echo 'activate-noawait ldconfig' > "$stage/DEBIAN/triggers"
    name=${library##*/}
    case $name in
      *.so.*) echo "${name%.so.*} ${name##*.so.} $package (>= $version)" >> "$stage/DEBIAN/shlibs" ;;
    esac
  done
  (
    cd "$work"
    find "debian/$package" -type f \( -path '*/usr/bin/*' -o -path '*/lib/*/autotune-*' -o -name '*.so*' \) > binaries
    : > substvars
    [ ! -s binaries ] || xargs dpkg-shlibdeps --warnings=0 -O < binaries > substvars
    [ $package != libautotune-jit0 ] || echo "autotune:OpenMP=${openmp:-libomp-22-dev}" >> substvars
    dpkg-gencontrol -p"$package" -P"debian/$package" -Tsubstvars -fdebian/files
    cd "debian/$package"
    find usr -type f | sort | xargs -d '\n' md5sum > DEBIAN/md5sums
  )
  rm -f "$to/${package}"_*_*.deb
  dpkg-deb --root-owner-group --build "$stage" "$to" > /dev/null
  file=$(find "$to" -maxdepth 1 -name "${package}_$(changelog Version)_*.deb")
  echo "$file: $(du -h "$file" | cut -f1), installed $(dpkg-deb -f "$file" Installed-Size) KiB"
done
