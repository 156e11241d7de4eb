# SPDX-License-Identifier: Apache-2.0
# libsamplerate, sample rate conversion of sound (BSD): samples by a windowed sinc. CMake, make.
version=0.2.2-3
kernels=sinc_mono_vari_process
workload="its throughput_test, best sinc converter: 10^6 samples"

build_program() { # FOLDER FLAGS COMPILER…
  local folder=$1 flags=$2 launcher=
  shift 2
  [ "$1" != autotune ] || { launcher='autotune;cc'; shift 2; }
  cmake -S "$folder" -B "$folder/build" -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$1" -DCMAKE_C_FLAGS="$flags" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" \
    -DCMAKE_C_LINKER_LAUNCHER="$launcher" -DBUILD_SHARED_LIBS=OFF -DLIBSAMPLERATE_EXAMPLES=OFF &&
    make -C "$folder/build" -j2
}

check_program() { # FOLDER: all but throughput_test, which only measures, for 25 s
  ctest --test-dir "$1/build" --verbose --no-tests=error -E throughput
}

run_program() { # FOLDER: prints seconds
  "$1/build/tests/throughput_test" | sed -n 's/.*Best.* \([0-9]\{4,\}\).*/\1/p' | awk '{ print 1e6 / $1 }'
}
