# SPDX-License-Identifier: Apache-2.0
# Build systems with `autotune cc` before the compiler: make (also -j2, also only the changed files), and CMake.
. "$(dirname "$0")/cc_lib.sh"

mkdir project
cd project || exit 1
kernel k.c
sed -i '1i #include "scale.h"' k.c
plain main.c
echo '#define UNUSED 1' > scale.h
cat > Makefile << 'END'
CFLAGS = -O1 -Wall -Wno-unknown-pragmas
objects = main.o k.o
prog: $(objects)
	$(CC) $(CFLAGS) $^ -o $@
%.o: %.c
	$(CC) $(CFLAGS) -MMD -MP -c $< -o $@
	@echo $@ >> built
-include $(objects:.o=.d)
END
for cc in $compilers; do
  rm -f ./*.o ./*.d prog built
  check "$cc make -j2" make -s -j2 CC="autotune cc $cc"
  is "$cc answer" "$(./prog)" "3 k.c"
  is "$cc built" "$(sort built | tr '\n' ' ')" "k.o main.o "
  rm built
  check "$cc make again" make -s CC="autotune cc $cc"
  check "$cc nothing to do" [ ! -e built ]
  sleep 0.01
  touch scale.h
  check "$cc a header changes" make -s CC="autotune cc $cc"
  is "$cc what includes it is built" "$(cat built)" k.o
  echo '#error changed' >> scale.h
  check "$cc an error stops it" not make -s CC="autotune cc $cc" > /dev/null 2>&1
  sed -i '$d' scale.h
done

cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.25)
project(scale LANGUAGES C)
add_library(kernel STATIC k.c)
add_executable(prog main.c)
target_link_libraries(prog PRIVATE kernel)
END
if command -v cmake > /dev/null && command -v ninja > /dev/null; then
  for cc in $compilers; do
    check "$cc cmake" cmake -S . -B "build-$cc" -G Ninja -DCMAKE_C_COMPILER="$cc" \
      "-DCMAKE_C_COMPILER_LAUNCHER=autotune;cc" "-DCMAKE_C_LINKER_LAUNCHER=autotune;cc" > log
    check "$cc ninja" ninja -C "build-$cc" -j2 > log
    is "$cc answer" "$("build-$cc/prog")" "3 $PWD/k.c"
    check "$cc a site" grep -q autotune_begin "build-$cc/prog"
    touch scale.h
    ninja -C "build-$cc" -n > log
    has "$cc a header changes" log 'k.c.o'
    hasnt "$cc only what includes it" log 'main.c.o'
  done
else
  echo "cmake or ninja is missing: not tried"
fi
cd ..
finish
