# SPDX-License-Identifier: Apache-2.0
# libsamplerate, sample rate conversion of sound (BSD): samples by a windowed sinc. CMake, make.
version=0.2.2-3
kernels=sinc_mono_vari_process
budget=0.3s,12 # its callback_hang_test ends a call after 1 s
workload="2 * 10^6 samples from 44.1 to 48 kHz, best converter"
here_libsamplerate=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

build_program() { # FOLDER FLAGS COMPILER…
  local folder=$1 flags=$2 launcher=
  shift 2
  [ "$1" != autotune ] || { launcher='autotune;cc'; shift 2; }
  cmake -S "$folder" -B "$folder/build" -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$1" -DCMAKE_C_FLAGS="$flags" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" \
    -DCMAKE_C_LINKER_LAUNCHER="$launcher" -DBUILD_SHARED_LIBS=OFF -DLIBSAMPLERATE_EXAMPLES=OFF &&
    make -C "$folder/build" -j2 &&
    ${launcher:+autotune cc} "$1" -O2 $flags -I"$folder/include" "$here_libsamplerate/libsamplerate_convert.c" \
      "$folder/build/src/libsamplerate.a" -lm -o "$folder/convert"
}

check_program() { # FOLDER: all but throughput_test, which only measures, for 25 s
  ctest --test-dir "$1/build" --verbose --no-tests=error -E throughput &&
    [ "$(cd "$1" && ./convert)" = "$(cd "$1" && AUTOTUNE_MODE=off ./convert)" ]
}

run_program() { # FOLDER: prints seconds, of the whole program
  local TIMEFORMAT=%R
  (cd "$1" && { time ./convert > /dev/null; } 2>&1)
}
