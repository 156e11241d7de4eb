# SPDX-License-Identifier: Apache-2.0
# The Debian package: its dependencies, and that its files work where it is unpacked.
. "$(dirname "$0")/lib.sh"
need cpack dpkg-deb dpkg-shlibdeps gcc

or_end "cpack" cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/cpack"
deb=$(find "$work/cpack" -maxdepth 1 -name 'autotune_*.deb')
check "one package" test -f "$deb"
dpkg-deb -f "$deb" > control
has "its name" control '^Package: autotune$'
for needed in clang-22 libomp-22-dev libc6 libsqlite3-0 libhwloc15 libjansson4 libxxhash0 \
              libclang-cpp22 libllvm22; do
  has "it needs $needed" control "^Depends:.*$needed"
done
has "a compiler to build with, which clang-22 says it is" control '^Recommends: gcc,'
dpkg-deb --ctrl-tarfile "$deb" | tar -t > inside
has "the loader is told of the library" inside postinst
dpkg-deb -x "$deb" "$work/root"
hasnt "nothing knows the build folder" <(grep -rl "$build" "$work/root/usr") .
for file in bin/autotune share/man/man1/autotune.1 share/man/man3/libautotune.3 \
            share/man/man7/autotune-pragmas.7 share/bash-completion/completions/autotune \
            share/zsh/vendor-completions/_autotune share/fish/vendor_completions.d/autotune.fish; do
  check "$file" test -s "$work/root/usr/$file"
done

PATH=$work/root/usr/bin:$PATH
is "the program" "$(command -v autotune)" "$work/root/usr/bin/autotune"
project make "$work/in/project"
or_end "make" make CC="autotune cc gcc"
is "tuned" "$(AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=5s,3 ./app)" "$answer"
autotune report --cache "$work/cache" > report
has "by the compiler in the package" report 'variants  *[1-9][0-9]* tried'
check "doctor" env AUTOTUNE_CACHE="$work/cache" autotune doctor > log
finish
