#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench.sh BUILD [ROW…]: everything that bench/README.md and the README say about speed, measured in one run on this
# machine. Rows: matmul sgemm examples calls start jit tuning modes even repeat large warm; BENCH_KERNELS="matmul spmv"
# lets repeat have only these. The raw figures go to bench/results/MACHINE.json.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
work=$build/bench/work
autotune=$build/bin/autotune
flags='-O3 -march=native'

rm -rf "$work"
mkdir -p "$work" bench/results
export AUTOTUNE_CACHE="$work/cache"
unset AUTOTUNE_MODE AUTOTUNE_BUDGET AUTOTUNE_SEARCH AUTOTUNE_LOG

compile() { # OUTPUT COMPILER… SOURCE [LIBRARY…]
  output=$work/$1
  shift
  "$@" -o "$output"
}

echo "building the programs to measure"
for source in examples/0*.c; do
  name=$(basename "$source" .c)
  compile "$name.gcc" gcc $flags -w "$source" -lm
  compile "$name.clang" clang-22 $flags -w "$source" -lm
  compile "$name.tuned" "$autotune" cc gcc $flags "$source" -lm
done
compile sgemm "$autotune" cc gcc $flags bench/sgemm.c -lopenblas -lm
compile call_overhead.gcc "$autotune" cc gcc $flags bench/call_overhead.c
compile call_overhead.clang "$autotune" cc clang-22 $flags bench/call_overhead.c
compile start_up.gcc gcc -O2 -w bench/start_up.c
compile start_up.tuned "$autotune" cc gcc -O2 bench/start_up.c
gcc -O2 -w -Iinclude -c bench/begin_timed.c -o "$work/begin_timed.o"
omp=$(clang-22 -print-file-name=libomp.so) # for winners that the program opens without the library
for kernel in matmul sgemm jacobi spmv attention; do
  define=-D$(echo $kernel | tr a-z A-Z)
  compile "${kernel}_run.gcc" gcc $flags -w "$define" bench/modes_run.c -lm
  "$autotune" cc gcc $flags -w "$define" -c bench/modes_run.c -o "$work/${kernel}_run.o"
  # winners that are opened without the library look for the program's array by its name
  objcopy --globalize-symbol=pack_space "$work/${kernel}_run.o"
  compile "${kernel}_run.tuned" "$autotune" cc gcc "$work/${kernel}_run.o" \
    "$work/begin_timed.o" -lm -rdynamic -Wl,--no-as-needed "$omp"
done
compile break_even "$autotune" cc gcc $flags -w bench/break_even.c
compile large_space "$autotune" cc gcc $flags bench/large_space.c
compile tuning_run "$autotune" cc gcc $flags bench/tuning_run.c

of() { # FIELD of the first processor
  sed -n "s/^$1[^:]*: *//p" /proc/cpuinfo | head -1 | tr -cs 'A-Za-z0-9\n' '-' | sed 's/^-*//; s/-*$//'
}
machine=$(of 'model name') # virtual machines may not say more than that; then the model number tells
machine=${machine:-unknown}-$(sed -n 's/^model[^a-z]*: *//p' /proc/cpuinfo | head -1)-$(nproc)
"$build/bench/measure" "$build" "$work" "bench/results/$machine.json" "$@"
