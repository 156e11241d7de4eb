# SPDX-License-Identifier: Apache-2.0
# SpeexDSP, sound processing (BSD): its resampler, whose loops are written with SSE. Autoconf, make. Its test programs check nothing, so
# what they write is compared with what they write untuned.
version=1.2.1-1
kernels="resampler_basic_interpolate_double resampler_basic_interpolate_single"
workload="its testresample, 96 to 44.1 kHz, best quality: 24 * 10^6 samples"

build_program() { # FOLDER FLAGS COMPILER…
  local folder=$1 flags=$2 copy
  shift 2
  (cd "$folder" && ./configure --disable-shared --enable-examples CC="$*" ${flags:+CFLAGS="$flags"} && make -j2 &&
    head -c 9000000 /dev/urandom | tr -dc '\000-\037' | head -c 1000000 > part.sw &&
    for copy in $(seq 48); do cat part.sw; done > noise.sw)
}

# Samples may differ by their last digit.
check_program() { # FOLDER
  (cd "$1" && AUTOTUNE_MODE=off says untuned && says tuned &&
    agrees 1 d2 untuned.1 tuned.1 && agrees 0.0001 f4 untuned.2 tuned.2)
}

says() { # NAME
  libspeexdsp/testresample < part.sw > "$1.1" && libspeexdsp/testresample2 > "$1.2"
}

agrees() { # BY TYPE FILE FILE
  paste <(od -An -v -w4 -t "$2" "$3") <(od -An -v -w4 -t "$2" "$4") | awk -v by="$1" '
    { for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d > by || -d > by) bad++; n++ } }
    END { print n " samples, " bad + 0 " differ"; exit !n || bad }'
}

run_program() { # FOLDER: prints seconds, of the whole program
  local TIMEFORMAT=%R
  (cd "$1" && { time libspeexdsp/testresample < noise.sw > /dev/null; } 2>&1)
}
