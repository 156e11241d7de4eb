# SPDX-License-Identifier: Apache-2.0
# The Debian packages: what is in them and what they need, that their files work where they are unpacked, and that a
# tuned program runs with libautotune0 alone.
. "$(dirname "$0")/lib.sh"
need dpkg-deb dpkg-shlibdeps gcc

or_end "deb.sh" sh "$root/cmake/deb.sh" "$build" .
has "sizes are said" log 'libautotune0_.*\.deb: .*, installed [1-9][0-9]* KiB$'
version=$(dpkg-parsechangelog -l "$root/cmake/debian/changelog" -S Version)
architecture=$(dpkg --print-architecture)
libraries=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
deb() { echo "$1_${version}_$architecture.deb"; }
is "packages" "$(ls -- *.deb | xargs)" \
  "$(deb autotune) $(deb libautotune-dev) $(deb libautotune-jit0) $(deb libautotune0)"

# The runtime library is small, and nothing of LLVM comes with it.
for package in libautotune0 libautotune-jit0 libautotune-dev autotune; do
  dpkg-deb -f "$(deb $package)" > $package.control
  dpkg-deb --fsys-tarfile "$(deb $package)" | tar -t > $package.files
  for file in copyright changelog.Debian.gz changelog.gz; do
    has "$package: $file" $package.files "^./usr/share/doc/$package/$file$"
  done
done
for needed in libc6 libsqlite3-0 libhwloc15 libjansson4 libxxhash0; do
  has "libautotune0 needs $needed" libautotune0.control "^Depends:.*$needed"
done
hasnt "nothing of LLVM" libautotune0.control '^\(Depends\|Recommends\):.*\(llvm\|clang\|omp\|jit\)'
for needed in "libautotune0 (= $version)" libclang-cpp22 libllvm22; do
  has "libautotune-jit0 needs $needed" libautotune-jit0.control "^Depends:.*$needed"
done
has "OpenMP is opened at run time" libautotune-jit0.control '^Recommends: libomp'
for needed in "libautotune-dev (= $version)" "libautotune-jit0 (= $version)" clang-22 libomp-22-dev libtree-sitter libisl; do
  has "autotune needs $needed" autotune.control "^Depends:.*$needed"
done
has "a compiler to build with, which clang-22 says it is" autotune.control '^Recommends: gcc,'
for package in libautotune0 libautotune-jit0; do
  dpkg-deb -I "$(deb $package)" triggers > triggers
  has "$package: the loader is told" triggers '^activate-noawait ldconfig$'
done
is "shlibs" "$(dpkg-deb -I "$(deb libautotune0)" shlibs)" "libautotune 0 libautotune0 (>= ${version%-*})"

# No file is in two packages, and each is where it belongs.
is "files of two packages" "$(sort -- *.files | grep -v '/$' | uniq -d)" ""
while read -r package file; do
  has "$package: $file" $package.files "^./$file$"
done << END
libautotune0 $libraries/libautotune.so.0
libautotune0 $libraries/autotune-gpu-worker
libautotune-jit0 $libraries/libautotune-jit.so
libautotune-dev $libraries/libautotune.so
libautotune-dev $libraries/pkgconfig/autotune.pc
libautotune-dev $libraries/cmake/autotune/autotuneConfig.cmake
libautotune-dev usr/include/autotune.h
libautotune-dev usr/share/man/man3/libautotune.3.gz
autotune usr/bin/autotune
autotune usr/lib/autotune/compilers/gcc
autotune usr/share/man/man1/autotune.1.gz
autotune usr/share/man/man1/autotune-gcc.1.gz
autotune usr/share/man/man7/autotune-pragmas.7.gz
autotune usr/share/bash-completion/completions/autotune
autotune usr/share/zsh/vendor-completions/_autotune
autotune usr/share/fish/vendor_completions.d/autotune.fish
autotune usr/share/doc/autotune/README.md
autotune usr/share/doc/autotune/docs/tutorial.md
autotune usr/share/doc/autotune/examples/01_matmul.c
END

if command -v lintian > /dev/null; then
  mkdir "$work/lintian" # it leaves files
  check "lintian" env TMPDIR="$work/lintian" lintian --no-cfg --allow-root --fail-on error -- *.deb > lintian 2>&1
  ! grep '^E:' lintian || fail "lintian"
else
  echo "lintian is not installed: the packages were not given to it"
fi
is "the same bytes again" "$(mkdir again && sh "$root/cmake/deb.sh" "$build" again > log 2>&1 &&
  cat again/*.deb | sha256sum)" "$(cat -- *.deb | sha256sum)"

for package in *.deb; do dpkg-deb -x "$package" "$work/root"; done
hasnt "nothing knows the build folder" <(grep -rl "$build" "$work/root/usr") .
hasnt "nor that of the sources" <(grep -rlF "$root/" "$work/root/usr") .
for file in bin/autotune ${libraries#usr/}/libautotune.so.0 ${libraries#usr/}/libautotune-jit.so; do
  readelf -d "$work/root/usr/$file" > dynamic
  hasnt "$file: no run path" dynamic 'RPATH\|RUNPATH'
done
PATH=$work/root/usr/bin:$PATH
is "the program" "$(command -v autotune)" "$work/root/usr/bin/autotune"
project make "$work/in/project"
or_end "make" make CC="autotune cc gcc"
export AUTOTUNE_BUDGET=5s,3
is "tuned" "$(AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/cache ./app)" "$answer"
autotune report --cache "$work/cache" > report
has "by the compiler in the package" report 'variants  *[1-9][0-9]* tried'
check "doctor" env AUTOTUNE_CACHE="$work/cache" autotune doctor > log
AUTOTUNE_CACHE=$work/cache autotune db export -o winners > /dev/null

# Elsewhere there is libautotune0 alone. A winner that was compiled once runs. Where none is known, the code as written
# runs, and the reason is said once.
dpkg-deb -x "../$(deb libautotune0)" "$work/small"
small() { # CACHE VARIABLE…: runs the program there; the loader lists what is opened
  local cache=$1
  shift
  env LD_DEBUG=files LD_LIBRARY_PATH="$work/small/$libraries" AUTOTUNE_LOG=info AUTOTUNE_CACHE="$cache" "$@" ./app > said 2> log
}
hasnt "LLVM is not in that library" <(LD_LIBRARY_PATH=$work/small/$libraries ldd app) 'LLVM\|clang'
reason="autotune: warning: .*the compiler cannot be loaded: libautotune-jit.so"
check "a compiled winner" small "$work/cache" AUTOTUNE_MODE=locked AUTOTUNE_WISDOM="$PWD/winners"
is "its answer" "$(cat said)" "$answer"
has "it runs" log "file=$work/cache/objects/[0-9a-f]*\.so .*dynamically loaded"
hasnt "without a compiler" log "$reason"
check "nothing is known" small "$work/empty" AUTOTUNE_MODE=first
is "its answer" "$(cat said)" "$answer"
is "the reason, once" "$(grep -c "$reason" log)" 1
check "a winner that nobody has compiled" small "$work/other" AUTOTUNE_MODE=locked AUTOTUNE_WISDOM="$PWD/winners"
is "its answer" "$(cat said)" "$answer"
is "the reason, once" "$(grep -c "$reason" log)" 1
finish
