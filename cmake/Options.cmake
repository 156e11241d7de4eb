# SPDX-License-Identifier: Apache-2.0
# Warnings and sanitizers in one place: link every target of ours to autotune_options.
add_library(autotune_options INTERFACE)
target_include_directories(autotune_options INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(autotune_options INTERFACE _GNU_SOURCE
  AUTOTUNE_VERSION="${PROJECT_VERSION}")
target_compile_options(autotune_options INTERFACE
  -Wall -Wextra -Wshadow -Wvla -Wpointer-arith -Werror
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings>)
if(AUTOTUNE_SANITIZE)
  target_compile_options(autotune_options INTERFACE
    -fsanitize=${AUTOTUNE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(autotune_options INTERFACE -fsanitize=${AUTOTUNE_SANITIZE})
endif()

# What is used, all of it from Debian. LLVM is looked up in runtime/, which alone needs it.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.37)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(TREE_SITTER REQUIRED IMPORTED_TARGET tree-sitter)
find_program(AUTOTUNE_CLANG NAMES clang-22 HINTS ${AUTOTUNE_LLVM_ROOT}/bin REQUIRED)
find_library(AUTOTUNE_LIBOMP NAMES omp HINTS ${AUTOTUNE_LLVM_ROOT}/lib REQUIRED)
# XGBoost is opened at run time by the name that its library goes by there.
if(AUTOTUNE_XGBOOST)
  find_path(AUTOTUNE_XGBOOST_INCLUDE xgboost/c_api.h)
  find_library(AUTOTUNE_XGBOOST_LIBRARY NAMES xgboost)
  if(AUTOTUNE_XGBOOST_INCLUDE AND AUTOTUNE_XGBOOST_LIBRARY)
    set(AUTOTUNE_LIBXGBOOST ${AUTOTUNE_XGBOOST_LIBRARY})
    if(EXISTS ${AUTOTUNE_XGBOOST_LIBRARY}.0)
      set(AUTOTUNE_LIBXGBOOST libxgboost.so.0)
    endif()
  else()
    message(STATUS "XGBoost was not found: searches learn with trees of their own alone")
  endif()
endif()
