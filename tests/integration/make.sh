# SPDX-License-Identifier: Apache-2.0
# A Makefile without any change for autotune, one that asks pkg-config, and ccache before and after `autotune cc`.
. "$(dirname "$0")/lib.sh"
need make gcc pkg-config
install_autotune

project make "$work/in/make"
or_end "plain" make CC=gcc
mkdir plain
mv ./*.o app plain
or_end "make" make CC="autotune cc gcc"
is "answer" "$(./app)" "$answer"
tuned make smooth.o
for name in total main; do
  same "$name.o" $name.o plain/$name.o
done
widen
or_end "a header changes" make CC="autotune cc gcc"
is "what includes it is built" "$(./app)" "$wider"
cd ..

project pkgconfig "$work/in/pkgconfig"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
check "pkg-config" pkg-config --exists "autotune >= 0.1"
is "the program" "$(pkg-config --variable=cc autotune | sed 's,/[^ ]*/\.\./[./]*/,PREFIX/,')" \
  "PREFIX/bin/autotune cc"
or_end "make" make app version
is "answer" "$(./app)" "$answer"
tuned pkg-config smooth.o
is "a program of the library's" "$(LD_LIBRARY_PATH=$prefix/lib ./version)" "$(autotune version | head -n 1)"
rm -f ./*.o app
or_end "without autotune" env PKG_CONFIG_PATH= make app
plain_file "without autotune" app
is "answer without" "$(./app)" "$answer"
cd ..

if command -v ccache > /dev/null; then
  export CCACHE_DIR=$work/ccache
  for front in "ccache autotune cc" "autotune cc ccache"; do
    rm -rf ccached
    project make "$work/in/ccached"
    for round in first again; do
      or_end "$front, $round" make CC="$front gcc"
      is "$front, $round: answer" "$(./app)" "$answer"
      tuned "$front, $round" smooth.o
      rm -f ./*.o app
    done
    widen
    or_end "$front: a header changes" make CC="$front gcc"
    is "$front: nothing stale" "$(./app)" "$wider"
    cd ..
  done
else
  echo "ccache is not installed: not tried"
fi
finish
