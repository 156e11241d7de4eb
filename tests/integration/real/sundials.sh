# SPDX-License-Identifier: Apache-2.0
# SUNDIALS, solvers of differential equations (BSD): LU factorisation of dense matrices. CMake.
version=6.4.1+dfsg1-3
kernels=SUNDlsMat_denseGETRF
workload="test_sunlinsol_dense, n = 1500"

# Only its dense linear algebra, with the tests of that. Launchers do not change CMake's compiler.
build_program() { # FOLDER FLAGS COMPILER…
  local folder=$1 flags=$2 launcher=
  shift 2
  [ "$1" != autotune ] || { launcher='autotune;cc'; shift 2; }
  cmake -S "$folder" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$1" \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DCMAKE_C_LINKER_LAUNCHER="$launcher" \
    -DBUILD_ARKODE=OFF -DBUILD_CVODE=OFF -DBUILD_CVODES=OFF -DBUILD_IDA=OFF -DBUILD_IDAS=OFF \
    -DBUILD_KINSOL=OFF -DBUILD_SHARED_LIBS=OFF -DEXAMPLES_INSTALL=OFF &&
    cmake --build "$folder/build" --target test_sunlinsol_dense test_sunmatrix_dense -- -j2
}

check_program() { # FOLDER
  ctest --test-dir "$1/build" --verbose --no-tests=error -R 'sunlinsol_dense|sunmatrix_dense'
}

run_program() { # FOLDER: prints seconds, of the whole program: its own timers are not built in
  local TIMEFORMAT=%R
  { time "$1/build/examples/sunlinsol/dense/test_sunlinsol_dense" 1500 0 > /dev/null 2>&1; } 2>&1
}
