# SPDX-License-Identifier: Apache-2.0
# Rodinia's hotspot: the temperature of a chip. C++; a C++ compiler's name stands in CC.
kernels=single_iteration
workload="1024 x 1024, 4000 steps"
place=openmp/hotspot files=output.out
. "$here/rodinia.inc"
make_data() {
  awk 'BEGIN { srand(7); for (i = 0; i < 1024 * 1024; i++) printf "%.6f\n", 323 + rand() * 10 }' > temp
  awk 'BEGIN { srand(8); for (i = 0; i < 1024 * 1024; i++) printf "%.6f\n", rand() / 100 }' > power
}
make_program() { make hotspot CC="$3" CC_FLAGS="-g -fopenmp -O2 $1"; }
run_it() { ./hotspot 1024 1024 4000 "$threads" temp power output.out; }
