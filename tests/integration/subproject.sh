# SPDX-License-Identifier: Apache-2.0
# autotune within the build of another project, from its sources: by FetchContent, as libautotune alone, and by
# add_subdirectory with the program, in a project that has taken names which autotune could use. Both run a kernel.
. "$(dirname "$0")/lib.sh"
need cmake ninja
# Quick to build rather than quick to run.
options=(-G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O0" "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
builds=(cmake --build out --parallel 2)
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=20s,3

# contains FOLDER: the project of cmake.sh in FOLDER, with the standard input as a part of its CMakeLists.txt
contains() {
  project cmake "$1"
  cat > autotune.cmake
  sed -i '/^option/i include(autotune.cmake)' CMakeLists.txt
}

# FetchContent serves find_package(). No program is built, so kernels come translated.
contains "$work/in/fetched" << 'END'
include(FetchContent)
set(AUTOTUNE_RUNTIME_ONLY ON)
FetchContent_Declare(autotune URL https://example.invalid/autotune.tar.gz OVERRIDE_FIND_PACKAGE)
END
or_end "translate" autotune translate smooth.c -o translated.c -- -I.
mv translated.c smooth.c
sed -i 's/  autotune_enable(kernels)/  target_link_libraries(kernels autotune::autotune)/' CMakeLists.txt
or_end "FetchContent" cmake "${options[@]}" "-DFETCHCONTENT_SOURCE_DIR_AUTOTUNE=$root" -S . -B out
or_end "build it" "${builds[@]}"
is "FetchContent: answer" "$(out/app)" $answer
has "its own libautotune" <(ldd out/app) "libautotune.so.0 => $PWD/out/_deps/autotune-build/lib/"
sed -i 's/^  target_link_libraries(kernels autotune::autotune)/  autotune_enable(kernels)/' CMakeLists.txt
check "autotune_enable without a program" not cmake -S . -B out > log 2>&1
has "the reason" log "only libautotune is built here"

# The project has targets, modules and an installation of its own.
contains "$work/in/added" << END
set(CMAKE_MODULE_PATH \${PROJECT_SOURCE_DIR}/modules)
set(CMAKE_UNITY_BUILD ON)
foreach(name SQLITE HWLOC JANSSON XXHASH TREE_SITTER ISL)
  add_library(PkgConfig::\${name} INTERFACE IMPORTED GLOBAL)
  target_compile_definitions(PkgConfig::\${name} INTERFACE "static=this project's own")
endforeach()
add_custom_target(manual)
add_custom_target(tests)
enable_testing()
add_subdirectory($root autotune EXCLUDE_FROM_ALL)
END
mkdir modules
for module in Install Options Package autotuneEnable; do
  echo 'message(FATAL_ERROR "a module of the project")' > modules/$module.cmake
done
sed -i '/find_package(autotune/d' CMakeLists.txt
or_end "add_subdirectory" cmake "${options[@]}" "-DCMAKE_INSTALL_PREFIX=$PWD/installed" -S . -B out
or_end "build it" "${builds[@]}"
is "add_subdirectory: answer" "$(AUTOTUNE_MODE=first out/app)" $answer
out/autotune/bin/autotune report --cache "$AUTOTUNE_CACHE" > report
has "it was tuned by what was built" report 'variants  *[1-9][0-9]* tried'
has "its own libautotune" <(ldd out/app) "libautotune.so.0 => $PWD/out/autotune/lib/"
is "no tests" "$(ctest --test-dir out -N | sed -n 's/^Total Tests: //p')" 0
or_end "install" cmake --install out
is "what is installed" "$(cd installed && find . -type f)" ./bin/app
finish
