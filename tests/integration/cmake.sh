# SPDX-License-Identifier: Apache-2.0
# find_package(autotune) and autotune_enable(TARGET) under three generators: files without pragmas become the same
# objects to the byte, a changed header rebuilds the files that include it, and an installed program runs.
. "$(dirname "$0")/lib.sh"
need cmake ninja make
install_autotune

object() { find out -path "*$configuration*" -name "$1.c.o" | head -n 1; }

tries() { # GENERATOR [CONFIGURATION]: in one folder, first untuned, then tuned, with debug information
  generator=$1 configuration=${2:-}
  project cmake "$work/in/$generator"
  options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_PREFIX_PATH=$prefix"
           -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "-DCMAKE_INSTALL_PREFIX=$PWD/installed")
  builds=(cmake --build out --parallel 2 ${configuration:+--config "$configuration"})
  or_end "$generator: untuned" cmake -G "$generator" -S . -B out "${options[@]}" -DTUNE=OFF
  or_end "$generator: build it" "${builds[@]}"
  mkdir untuned
  cp "$(object smooth)" "$(object total)" "$(object main)" untuned
  or_end "$generator: tuned" cmake -S . -B out -DTUNE=ON
  or_end "$generator: build it so" "${builds[@]}" --clean-first
  app=$(find out -path "*$configuration*" -name app -type f)
  for name in total main; do
    same "$generator: $name.o" "$(object $name)" "untuned/$name.c.o"
  done
  tuned "$generator" "$(object smooth)"
  is "$generator: answer" "$("$app")" $answer
  has "$generator: compile_commands.json" out/compile_commands.json "\"file\": \"$PWD/smooth.c\""
  hasnt "$generator: nothing temporary in it" out/compile_commands.json "$TMPDIR"

  touch mark
  widen
  or_end "$generator: a header changes" "${builds[@]}"
  is "$generator: what includes it is built" "$("$app")" $wider
  check "$generator: what does not is not" [ mark -nt "$(object total)" ]
  or_end "$generator: install" cmake --install out ${configuration:+--config "$configuration"}
  is "$generator: installed" "$(LD_LIBRARY_PATH=$prefix/lib installed/bin/app)" $wider
  cd "$work/in" || exit 1
}
tries Ninja
tries "Unix Makefiles"
tries "Ninja Multi-Config" Release

# A ccache that the project already has stays, after `autotune cc`; names that are no targets are refused.
mkdir words
cd words || exit 1
echo 'void f(void) {}' > f.c
cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.25)
project(words LANGUAGES C)
set(CMAKE_C_COMPILER_LAUNCHER ccache)
add_library(f OBJECT f.c)
add_library(alias ALIAS f)
find_package(autotune REQUIRED)
autotune_enable(f)
autotune_enable(alias ${MORE})
get_target_property(launcher f C_COMPILER_LAUNCHER)
message(STATUS "launcher: ${launcher}")
END
or_end "twice, by its alias" cmake -G Ninja -S . -B out "-DCMAKE_PREFIX_PATH=$prefix"
has "once in front of ccache" log "launcher: [^;]*/autotune;cc;ccache$"
check "no target" not cmake -S . -B out -DMORE=none > log 2>&1
has "it is named" log "there is no target 'none'"
cd ..

# Everything, with OpenMP as CMake finds it: one runtime in the program, and a kernel that is tuned.
mkdir openmp
cd openmp || exit 1
cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.25)
project(parallel LANGUAGES C)
find_package(OpenMP REQUIRED)
find_package(autotune REQUIRED)
add_executable(app app.c)
target_link_libraries(app PRIVATE OpenMP::OpenMP_C)
autotune_enable(app)
END
cat > app.c << 'END'
#include <stdio.h>
#pragma autotune kernel out(x[0:n])
void fill(int n, double *x)
{
  #pragma autotune parallel for num_threads({1, 2})
  for (int i = 0; i < n; i++)
    x[i] = i;
}
static double x[1000];
int main(void)
{
  fill(1000, x);
  #pragma omp parallel for
  for (int i = 0; i < 1000; i++)
    x[i] = x[i];
  return printf("%g\n", x[999]) < 0;
}
END
or_end "OpenMP" cmake -G Ninja -S . -B out "-DCMAKE_PREFIX_PATH=$prefix" -DCMAKE_BUILD_TYPE=Release
or_end "build it" cmake --build out
ldd out/app > libraries
has "LLVM's runtime" libraries libomp
hasnt "gcc's runtime" libraries libgomp
is "answer" "$(AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=5s,2 out/app)" 999
autotune report --cache "$work/cache" > report
has "it was tuned" report 'variants  *[1-9][0-9]* tried'
cd ..
finish
