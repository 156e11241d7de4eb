# SPDX-License-Identifier: Apache-2.0
# Rodinia's backprop: one step of training a network. Make, CC and CC_FLAGS. It prints no result.
kernels=bpnn_adjust_weights
workload="524288 inputs"
place=openmp/backprop files=
. "$here/rodinia.inc"
make_data() { :; }
make_program() { make CC="$2" CC_FLAGS="-g -fopenmp -O2 $1"; }
run_it() { ./backprop 524288; }
check_program() { (cd "$1/$place" && run_it > check.out && grep -q "Training done" check.out); }
