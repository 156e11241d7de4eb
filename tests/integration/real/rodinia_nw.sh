# SPDX-License-Identifier: Apache-2.0
# Rodinia's nw: the alignment of two sequences (Needleman and Wunsch), in blocks along diagonals. C++; a C++ compiler's name stands
# in CC. Two thirds of a run are page faults, so its own time of the alignment is taken.
kernels=nw_optimized
workload="8192 numbers each, the time that it prints"
place=openmp/nw files=result.txt
. "$here/rodinia.inc"
make_data() { :; }
make_program() { make needle CC="$3" CC_FLAGS="-g -O3 -fopenmp $1"; }
run_it() { OMP_NUM_THREADS=$threads ./needle 8192 10 "$threads"; }
run_program() { (cd "$1/$place" && run_it) | sed -n 's/^Total time: \([0-9.]*\) .*/\1/p'; }
